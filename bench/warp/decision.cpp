// What a scheduling decision costs: one pick and the events of one issue, with half of the warps ready, 8 to 64 warps.
//
//   bench_warp_decision --benchmark_filter=gto        (--benchmark_format=json for scripts)

#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/schedulers.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>

namespace {

using namespace warpkit;

/// A core of `warps` warps in CTAs of up to eight, all launched.
template <class Scheduler>
Scheduler launched(unsigned warps) {
    Scheduler s;
    auto const tell = [&s](auto const& e) { notify(e, s); };
    kernel_began began;
    began.warp_slots = warps;
    began.ctas_per_core = warps / 8;
    began.warps_per_cta = 8;
    tell(began);
    tell(scheduler_began{0, 1, warp_set::first_n(warps)});
    for (unsigned c = 0; c < warps / 8; ++c)
        tell(cta_launched{cta_slot{c}, c, warp_set::range(8 * c, 8 * (c + 1)), c});
    return s;
}

template <class Scheduler>
void decision(benchmark::State& state) {
    auto const warps = static_cast<unsigned>(state.range(0));
    std::array<warp_set, 1024> ready;
    testing::random_numbers random(1);
    for (auto& r : ready) r = warp_set::from_bits(random.next()) & warp_set::first_n(warps);
    auto scheduler = launched<Scheduler>(warps);
    std::size_t i = 0;
    for (auto _ : state) {
        auto const candidates = ready[i % ready.size()];
        auto const w = pick_warp(scheduler, candidates, issue_classes{});
        if (w) {
            issued e;
            e.warp = w;
            notify(e, scheduler);
        }
        i += 1 + w.index(); // the next decision waits for this one, as in a pipeline
        benchmark::DoNotOptimize(i);
        benchmark::DoNotOptimize(scheduler);
    }
    state.counters["state bytes"] = sizeof(Scheduler);
    state.SetItemsProcessed(state.iterations());
}

} // namespace

#define WARPKIT_DECISION(scheduler)                                                                          \
    BENCHMARK_TEMPLATE(decision, scheduler)->Arg(8)->Arg(16)->Arg(24)->Arg(48)->Arg(64)
WARPKIT_DECISION(warpkit::lrr);
WARPKIT_DECISION(warpkit::strict_round_robin);
WARPKIT_DECISION(warpkit::oldest);
WARPKIT_DECISION(warpkit::youngest);
WARPKIT_DECISION(warpkit::gto);
WARPKIT_DECISION(warpkit::gty);
WARPKIT_DECISION(warpkit::two_level);
WARPKIT_DECISION(warpkit::two_level_active);
WARPKIT_DECISION(warpkit::two_level_gpgpusim);
WARPKIT_DECISION(warpkit::two_level_gpgpusim_compat);
WARPKIT_DECISION(warpkit::static_wavefront_limit_8);
WARPKIT_DECISION(warpkit::ccws);
WARPKIT_DECISION(warpkit::mascar);
WARPKIT_DECISION(warpkit::daws_style);
WARPKIT_DECISION(warpkit::cawa_style);
WARPKIT_DECISION(warpkit::cta_aware);
WARPKIT_DECISION(warpkit::cta_aware_locality_blp);
WARPKIT_DECISION(warpkit::locality_aware);
