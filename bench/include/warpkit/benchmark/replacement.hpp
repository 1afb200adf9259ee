#pragma once
/// \file
/// What a replacement policy costs: a victim, the line that comes in, and uses.

#include <warpkit/base/policy_name.hpp>
#include <warpkit/benchmark/instructions.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/check.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/testing/random_core.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::bench {

/// A cache's tags without the tags: `hits` of 100 accesses use a line of their set, the others replace one.
template <class Policy>
class replacement_host {
public:
    replacement_host(std::uint32_t ways, unsigned hits)
        : policy_(sets, ways),
          all_(ways == 64 ? ~0ULL : (1ULL << ways) - 1) {
        testing::random_numbers random(1);
        for (std::uint32_t s = 0; s < sets; ++s)
            for (std::uint32_t w = 0; w < ways; ++w)
                tell_inserted(policy_, s, w, {s * 128ULL, w * 8, warp_slot{w % 48}});
        for (auto& a : access_) {
            a.by = {random.next() & ~127ULL, random.below(64) * 8, warp_slot{random.below(48)}};
            a.set = random.below(sets);
            a.way = random.chance(hits) ? random.below(ways) : ~0U;
        }
    }
    [[gnu::always_inline]] void decide() {
        auto const& a = access_[at_++ % access_.size()];
        auto set = (a.set + last_) % sets; // the next waits for this one
        if (a.way != ~0U) {
            tell_used(policy_, set, a.way, a.by);
        } else {
            last_ = policy_.victim(set, all_);
            tell_inserted(policy_, set, last_, a.by);
        }
        benchmark::DoNotOptimize(policy_);
    }

private:
    static constexpr std::uint32_t sets = 64;
    struct access {
        line_use by;
        std::uint32_t set = 0;
        std::uint32_t way = 0;
    };
    Policy policy_;
    std::uint64_t all_;
    std::vector<access> access_ = std::vector<access>(1024);
    std::uint32_t at_ = 0;
    std::uint32_t last_ = 0;
};
/// What the harness costs.
struct first_way {
    static constexpr char const* name() noexcept { return "(harness alone)"; }
    first_way() = default;
    first_way(std::uint32_t, std::uint32_t) {}
    void used(std::uint32_t, std::uint32_t) noexcept {}
    void inserted(std::uint32_t, std::uint32_t) noexcept {}
    std::uint32_t victim(std::uint32_t, std::uint64_t) const noexcept { return 0; }
    friend bool operator==(first_way const&, first_way const&) = default;
};

template <class Policy>
double replacement_instructions(std::uint32_t ways, unsigned hits) {
    constexpr unsigned count = 300;
    replacement_host<Policy> h(ways, hits);
    for (unsigned i = 0; i < 1000; ++i) h.decide();
    return static_cast<double>(steps_of([&](auto mark) {
               mark();
               for (unsigned i = 0; i < count; ++i) h.decide();
               mark();
           })) /
           count;
}
template <class Policy>
void replacement(benchmark::State& state) {
    auto const ways = static_cast<std::uint32_t>(state.range(0));
    auto const hits = static_cast<unsigned>(state.range(1));
    replacement_host<Policy> h(ways, hits);
    for (auto _ : state) h.decide();
    static std::map<std::pair<std::uint32_t, unsigned>, double> known;
    auto const [at, is_new] = known.try_emplace({ways, hits}, 0.0);
    if (is_new)
        at->second =
            replacement_instructions<Policy>(ways, hits) - replacement_instructions<first_way>(ways, hits);
    state.counters["instructions"] = at->second;
    state.SetItemsProcessed(state.iterations());
}

} // namespace warpkit::bench

namespace warpkit {

/// Registers what a replacement policy costs with Google Benchmark: replacement/NAME/ways:8/hits:50, for 4 to 64 ways
/// and 10, 50 and 90 of 100 accesses that hit. A hit is told as a use; a miss asks for a victim and tells what comes
/// in. The counter `instructions` is of an access, less the harness's.
template <replacement_policy Policy>
void benchmark_replacement(std::string const& name = common_name<Policy>) {
    auto* const b = benchmark::RegisterBenchmark(("replacement/" + name).c_str(), bench::replacement<Policy>);
    b->ArgNames({"ways", "hits"});
    for (auto const ways : {4, 8, 16, 64})
        for (auto const hits : {10, 50, 90}) b->Args({ways, hits});
}

} // namespace warpkit
