// OWL's opportunistic prefetching (Jog et al., ASPLOS 2013, section 4.4 and figure 11) on the shipped kernels:
//
//   owl_prefetch [gtx480 | owl] [sweep] [kernel ...]
//
// The two schemes beside no prefetching, and the second one taken at the paper's word: lines that the L2 has are read
// again. With sweep: values of lower, higher and threshold. docs/reference/dram.md has what came out.

#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/warp/owl.hpp>

#include "support/program.hpp"

#include <cmath>
#include <iostream>
#include <kernels/workload.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace warpkit;
using report::alignment;

using prefetcher = use::memory_prefetcher<dram::opportunistic_at_least>;
using owl = presets::owl::with<use::warp_scheduler<cta_aware_locality_blp>>;

struct setting {
    std::string name;
    std::uint32_t lower = 8;
    std::uint32_t higher = 16;
    std::uint32_t threshold = 0;
    std::uint32_t skips = 1;
};

run_counters run(engine const& machine, kernels::workload const& w) {
    kernels::values const values(w, kernels::size::small);
    auto const result =
        simulate(machine, {w.ptx, std::string(w.ptx_name), [&](device& d) { w.run(d, values); }});
    if (!result.verified) throw error(result.wrong);
    return result.total;
}
double ratio(std::uint64_t over, std::uint64_t under) {
    return under == 0 ? 1 : static_cast<double>(over) / static_cast<double>(under);
}
double hit_rate(run_counters const& r) {
    return r.l2.accesses == 0 ? 0 : 1 - ratio(r.l2.misses + r.l2.sector_misses, r.l2.accesses);
}

template <class Machine>
void figures(std::vector<kernels::workload const*> const& workloads, std::vector<setting> const& settings) {
    std::vector<run_counters> without;
    for (auto const* w : workloads) without.push_back(run(engine::of<Machine>(Machine::parameters()), *w));
    report::text_table table({{"", alignment::left},
                              {"IPC, geomean", alignment::right, {}},
                              {"worst", alignment::right, {}},
                              {"best", alignment::right, {}},
                              {"L2 hit rate", alignment::right, {}},
                              {"reads", alignment::right, {}},
                              {"rows opened", alignment::right, {}},
                              {"useful", alignment::right, "%"},
                              {"late", alignment::right, "%"},
                              {"useless", alignment::right, "%"},
                              {"unused", alignment::right, "%"}});
    for (auto const& s : settings) {
        auto numbers = Machine::parameters();
        numbers.memory.prefetch_lower = s.lower;
        numbers.memory.prefetch_higher = s.higher;
        numbers.memory.prefetch_threshold = s.threshold;
        numbers.memory.prefetch_skips_resident = s.skips;
        double logarithm = 0;
        double hits[2] = {0, 0};
        std::size_t worst = 0;
        std::size_t best = 0;
        std::vector<double> speed;
        run_counters all;
        run_counters before;
        for (std::size_t k = 0; k < workloads.size(); ++k) {
            auto const r =
                run(engine::of<typename Machine::template with<prefetcher>>(numbers), *workloads[k]);
            speed.push_back(ratio(without[k].cycles, r.cycles));
            logarithm += std::log(speed.back());
            if (speed[k] < speed[worst]) worst = k;
            if (speed[k] > speed[best]) best = k;
            hits[0] += hit_rate(without[k]);
            hits[1] += hit_rate(r);
            all += r;
            before += without[k];
        }
        auto const& d = all.dram;
        auto const sectors = d.prefetches * (numbers.l2.line / numbers.l2.sector);
        auto const share = [&](std::uint64_t n) { return report::percent(ratio(n, sectors)); };
        table.add_row({s.name, report::fixed(std::exp(logarithm / static_cast<double>(speed.size())), 3),
                       report::fixed(speed[worst], 2) + ' ' + std::string(workloads[worst]->name),
                       report::fixed(speed[best], 2) + ' ' + std::string(workloads[best]->name),
                       report::fixed(hits[1] / hits[0], 2),
                       report::fixed(ratio(d.reads, before.dram.reads), 2),
                       report::fixed(ratio(d.activates, before.dram.activates), 2),
                       share(d.prefetched_useful), share(d.prefetched_late), share(d.prefetched_useless),
                       share(sectors - d.prefetched_useful - d.prefetched_late - d.prefetched_useless)});
    }
    table.print_markdown(std::cout);
}

} // namespace

int main(int argc, char** argv) {
    return examples::guarded("owl_prefetch", "", [&] {
        bool on_owl = true;
        std::vector<setting> settings = {
            {"second scheme", 8, 16, 0, 1}, {"first scheme", 0, 0, 0, 1}, {"second, all lines", 8, 16, 0, 0}};
        std::vector<kernels::workload const*> workloads;
        for (int i = 1; i < argc; ++i) {
            std::string_view const what = argv[i];
            if (what == "gtx480")
                on_owl = false;
            else if (what == "sweep")
                for (std::uint32_t lower = 0; lower <= 32; lower += 8)
                    for (auto higher = lower; higher <= 32; higher += 8)
                        for (std::uint32_t const threshold : {0U, 8U, 32U}) {
                            if (higher == lower && threshold != 0) continue;
                            settings.push_back({std::to_string(lower) + ", " + std::to_string(higher) + ", " +
                                                    (threshold == 0 ? "mean" : std::to_string(threshold)),
                                                lower, higher, threshold, 1});
                        }
            else if (what != "owl")
                workloads.push_back(&kernels::find(argv[i]));
        }
        if (workloads.empty()) workloads.assign(kernels::all().begin(), kernels::all().end());
        if (on_owl)
            figures<owl>(workloads, settings);
        else
            figures<presets::gtx480>(workloads, settings);
        return 0;
    });
}
