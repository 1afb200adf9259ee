// What a DRAM channel costs: requests per second of one channel on one thread, all counters on, pushed as early as it
// takes them. Streams: one address after the other, and random ones.
//
//   bench_dram_channel --benchmark_filter=random      (--benchmark_format=json for scripts)

#include <warpkit/base/hash.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace {

using namespace warpkit;
using namespace warpkit::dram;

standard const& named(std::string_view name) {
    for (auto const& s : standards)
        if (name == s.name) return s;
    return standards[0];
}

std::vector<request> requests(standard const& s, bool random) {
    address_mapping const map(s.mapping, 1);
    auto const atom = s.numbers->atom_bytes();
    std::vector<request> all(200'000);
    std::uint64_t state = 1;
    for (std::uint64_t i = 0; i < all.size(); ++i) {
        auto const drawn = hasher::mix(state += 0x9e3779b97f4a7c15U);
        auto const l = map.decode((random ? drawn % (map.capacity() / atom) : i) * atom);
        all[i].row = l.row;
        all[i].column = l.column;
        all[i].bank = static_cast<std::uint16_t>(l.bank);
    }
    return all;
}

template <class Scheduler>
void serve(benchmark::State& state, char const* name, queue_sizes const& sizes, bool random) {
    auto const& s = named(name);
    auto const all = requests(s, random);
    for (auto _ : state) {
        channel<Scheduler> c(*s.numbers, sizes, s.bus);
        std::size_t next = 0;
        std::size_t done = 0;
        for (cycle now = 0; done < all.size(); now = c.next_event(now)) {
            while (next < all.size() && c.can_accept(all[next])) c.push(all[next++]);
            c.tick(now, [&](request const&) { ++done; });
            while (next < all.size() && c.can_accept(all[next])) c.push(all[next++]);
        }
        benchmark::DoNotOptimize(c.counters());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}

void like_gpgpusim(benchmark::State& state, char const* name, queue_sizes const& sizes, bool random) {
    serve<fr_fcfs>(state, name, sizes, random);
}
void like_ramulator(benchmark::State& state, char const* name, queue_sizes const& sizes, bool random) {
    serve<shared_queue<oldest_ready, watermark_drain>>(state, name, sizes, random);
}
void like_dramsim3(benchmark::State& state, char const* name, queue_sizes const& sizes, bool random) {
    serve<bank_queues<head_closes<4>, batch_drain>>(state, name, sizes, random);
}
queue_sizes const one_queue{};
queue_sizes const split{32, 32, 8, {}};

BENCHMARK_CAPTURE(like_gpgpusim, sequential, "gddr5_gtx480", one_queue, false);
BENCHMARK_CAPTURE(like_gpgpusim, random, "gddr5_gtx480", one_queue, true);
BENCHMARK_CAPTURE(like_ramulator, gddr6_sequential, "gddr6_ramulator", split, false);
BENCHMARK_CAPTURE(like_ramulator, gddr6_random, "gddr6_ramulator", split, true);
BENCHMARK_CAPTURE(like_ramulator, hbm2_random, "hbm2_ramulator", split, true);
BENCHMARK_CAPTURE(like_dramsim3, gddr5_sequential, "gddr5_dramsim3", split, false);
BENCHMARK_CAPTURE(like_dramsim3, gddr5_random, "gddr5_dramsim3", split, true);
BENCHMARK_CAPTURE(like_dramsim3, hbm2_random, "hbm2_dramsim3", split, true);

} // namespace
