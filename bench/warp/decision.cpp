// What a scheduling decision costs, for every warp scheduler of the catalogue.
//
//   bench_warp_decision                                   ns, for 8 to 64 warps, and over recorded runs
//   bench_warp_decision_128                               the same with sets of 128 warps, and for 128, too
//   bench_warp_decision --benchmark_filter=/48 --benchmark_format=json
//   bench_warp_decision --markdown                        the table of docs/explanation/performance.md
//   WARPKIT_EVENT_LOGS=bfs.log,spmv.log bench_warp_decision --benchmark_filter=replay       (lab record writes them)
//
// decision: one pick and the events of one issue (issued, cycles_spent, next_decoded), half of the warps ready; the
// next decision waits for this one, as in a pipeline. replay: all events of a run and its decisions, in order.
// Instructions are counted by stepping through a forked child one by one: the same number every time.
#include <warpkit/benchmark/scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace warpkit;
using namespace warpkit::bench;

// ---- all of them

template <class F>
void for_each_scheduler(F&& f) {
    auto const each = [&f]<class... S>(event_list<S...>) { (f.template operator()<S>(), ...); };
    each(event_list<first_candidate, lrr, strict_round_robin, oldest, youngest, gto, gty, two_level,
                    two_level_any_stall, two_level_active, two_level_gpgpusim, two_level_gpgpusim_compat,
                    static_wavefront_limit<8>, ccws, daws_style, cawa_style, mascar, cta_aware,
                    cta_aware_locality, cta_aware_locality_blp, cta_aware_locality_fair, elf, elf_exact,
                    elf_greedy, locality_aware, virtual_gto, sorted_gto>{});
}

template <class Scheduler>
double decision_nanoseconds(unsigned warps) {
    constexpr unsigned n = std::is_same_v<Scheduler, sorted_gto> ? 2000 : 100000;
    core<Scheduler> c(warps);
    return nanoseconds([&] { decide(c, n); }) / n;
}

/// Of the schedulers named, or of all.
void print_markdown(std::set<std::string> const& names) {
    auto const& last = *runs().back();
    std::cout << "| scheduler | state bytes";
    for (auto const warps : widths()) std::cout << " | instructions, " << warps;
    for (auto const warps : {8U, 48U, widths().back()}) std::cout << " | ns, " << warps;
    std::cout << " | " << last.name
              << ": instructions per decision | of a pick | of a change | ns per event |\n|---|---:";
    for (auto n = widths().size() + 7; n != 0; --n) std::cout << "|---:";
    std::cout << "|\n" << std::fixed;
    for_each_scheduler([&]<class S>() {
        if (!names.empty() && names.count(common_name<S>) == 0) return;
        std::cout << "| " << common_name<S> << " | " << sizeof(S) << std::setprecision(0);
        for (auto const warps : widths()) std::cout << " | " << decision_instructions<S>(warps);
        std::cout << std::setprecision(1);
        for (auto const warps : {8U, 48U, widths().back()})
            std::cout << " | " << decision_nanoseconds<S>(warps);
        std::cout << std::setprecision(0) << " | ";
        if constexpr (std::is_same_v<S, sorted_gto>) {
            std::cout << " |  | ";
        } else {
            auto const cost = cost_of_replay<S>(last);
            std::cout << cost.per_decision() << " | " << cost.per_pick() << " | " << cost.per_change();
        }
        std::cout << std::setprecision(1) << " | "
                  << nanoseconds([&] { benchmark::DoNotOptimize(replay<S>(last)); }) /
                         static_cast<double>(last.events.size())
                  << " |\n";
        std::cout.flush();
    });
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc > 1 && std::string(argv[1]) == "--markdown") {
            print_markdown({argv + 2, argv + argc});
            return 0;
        }
        for_each_scheduler([]<class S>() {
            std::string const name = common_name<S>;
            auto* const d = benchmark::RegisterBenchmark(("decision/" + name).c_str(), decision<S>);
            for (auto const warps : widths()) d->Arg(warps);
            for (auto const& r : runs())
                benchmark::RegisterBenchmark(("replay/" + name + "/" + r->name).c_str(), replays<S>, r.get());
        });
    } catch (warpkit::error const& e) {
        std::cerr << e.what() << '\n';
        return 2;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
