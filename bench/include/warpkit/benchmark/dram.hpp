#pragma once
/// \file
/// What a DRAM scheduler costs: a channel that serves requests as early as it takes them.

#include <warpkit/base/policy_name.hpp>
#include <warpkit/benchmark/instructions.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/testing/random_core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::bench {

inline std::vector<dram::request> dram_requests(dram::standard const& s, bool random, std::size_t count) {
    dram::address_mapping const map(s.mapping, 1);
    auto const atom = s.numbers->atom_bytes();
    std::vector<dram::request> all(count);
    testing::random_numbers drawn(1);
    for (std::uint64_t i = 0; i < count; ++i) {
        auto const l = map.decode((random ? drawn.next() % (map.capacity() / atom) : i) * atom);
        all[i].row = l.row;
        all[i].column = l.column;
        all[i].bank = static_cast<std::uint16_t>(l.bank);
        all[i].by.core = static_cast<std::uint16_t>(drawn.below(15));
        all[i].by.warp = static_cast<std::uint16_t>(drawn.below(48));
        all[i].by.kernel = 0;
    }
    return all;
}
template <class Scheduler>
void serve_all(dram::standard const& s, std::vector<dram::request> const& all) {
    dram::channel<Scheduler> c(*s.numbers, dram::queue_sizes{}, s.bus);
    std::size_t next = 0;
    std::size_t done = 0;
    for (cycle now = 0; done < all.size(); now = c.next_event(now)) {
        while (next < all.size() && c.can_accept(all[next])) c.push(all[next++], now);
        c.tick(now, [&](dram::request const&) { ++done; });
    }
    benchmark::DoNotOptimize(c.counters());
}
template <class Scheduler>
void dram_channel(benchmark::State& state, dram::standard const* s, bool random) {
    auto const all = dram_requests(*s, random, 20'000);
    for (auto _ : state) serve_all<Scheduler>(*s, all);
    static std::map<std::pair<dram::standard const*, bool>, double> known;
    auto const [at, is_new] = known.try_emplace({s, random}, 0.0);
    if (is_new) {
        auto const counted = [&](std::size_t n) {
            auto const few = dram_requests(*s, random, n);
            return static_cast<double>(steps_of([&](auto mark) {
                mark();
                serve_all<Scheduler>(*s, few);
                mark();
            }));
        };
        at->second = (counted(150) - counted(50)) / 100; // without making the channel
    }
    state.counters["instructions"] = at->second;
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}

} // namespace warpkit::bench

namespace warpkit {

/// Registers what a DRAM scheduler costs with Google Benchmark: dram/NAME/STANDARD/random and /sequential, a channel
/// that serves 20,000 reads. The counter `instructions` is of a request, the whole channel's.
template <dram::scheduler Scheduler>
void benchmark_dram_scheduler(std::string const& name = common_name<Scheduler>) {
    for (auto const& s : dram::standards)
        for (auto const* wanted : {"gddr5_gtx480", "hbm2_qv100"})
            if (std::string(s.name) == wanted)
                for (bool const random : {true, false})
                    benchmark::RegisterBenchmark(
                        ("dram/" + name + '/' + s.name + (random ? "/random" : "/sequential")).c_str(),
                        bench::dram_channel<Scheduler>, &s, random);
}

} // namespace warpkit
