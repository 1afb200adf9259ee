// The figures of ELF (Park, Park and Mahlke, SC 2015), on the shipped kernels:
//
//   elf_figures [small | full] [kernel ...]
//
// Figures 7 and 10: speed over greedy-then-oldest, kernel by kernel. Figure 3: where the scheduler cycles went. Figure
// 9 (b): the prefetch's threshold. docs/explanation/validation.md has what came out.

#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/lsu/mrpb.hpp>
#include <warpkit/lsu/new_car.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/two_level_gpgpusim.hpp>

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

// The paper ran GPGPU-Sim 3.2.2.
template <class... U>
using elf_machine = presets::gtx480_v3::with<U...>;
using its_fetch = use::fetch_order<fetch::interleaved<elf>>;
using its_prefetch = use::instruction_prefetch<fetch::next_line<>>;
using its_queue = use::replay_queue<new_car>;
using any_threshold =
    elf_machine<use::warp_scheduler<elf>, its_fetch, use::instruction_prefetch<fetch::next_line<run_time>>>;

struct contender {
    char const* name;
    engine (*make)(gpu_parameters const&);
};
constexpr contender contenders[] = {
    {"gto", &engine::of<elf_machine<use::warp_scheduler<gto>>>},
    {"elf, issue alone", &engine::of<elf_machine<use::warp_scheduler<elf>>>},
    {"elf with fetch", &engine::of<elf_machine<use::warp_scheduler<elf>, its_fetch>>},
    {"gto, prefetch", &engine::of<elf_machine<use::warp_scheduler<gto>, its_prefetch>>},
    {"elf with fetch, prefetch", &engine::of<elf_machine<use::warp_scheduler<elf>, its_fetch, its_prefetch>>},
    {"gto, NewCAR", &engine::of<elf_machine<use::warp_scheduler<gto>, its_queue>>},
    {"ELF++", &engine::of<elf_machine<use::warp_scheduler<elf>, its_fetch, its_prefetch, its_queue>>},
    {"gto, MRPB", &engine::of<elf_machine<use::warp_scheduler<gto>, use::replay_queue<mrpb>>>},
    {"elf_greedy", &engine::of<elf_machine<use::warp_scheduler<elf_greedy>>>},
    {"elf_exact", &engine::of<elf_machine<use::warp_scheduler<elf_exact>>>},
    {"lrr", &engine::of<elf_machine<use::warp_scheduler<lrr>>>},
    {"2-LV", &engine::of<elf_machine<use::warp_scheduler<two_level_gpgpusim_compat>>>},
};

run_counters run(engine const& machine, kernels::workload const& w, kernels::size size) {
    kernels::values const values(w, size);
    auto const result =
        simulate(machine, {w.ptx, std::string(w.ptx_name), [&](device& d) { w.run(d, values); }});
    if (!result.verified) throw error(result.wrong);
    return result.total;
}
double speedup(run_counters const& base, run_counters const& r) {
    return static_cast<double>(base.cycles) / static_cast<double>(r.cycles);
}
std::string percent(double share) { return report::fixed(100 * share, 1); }

void figures(std::vector<kernels::workload const*> const& workloads, kernels::size size) {
    auto const numbers = presets::gtx480_v3::parameters();
    std::vector<report::column> columns{{"kernel", alignment::left}};
    for (auto const& c : contenders) columns.push_back({c.name, alignment::right, {}});
    report::text_table speeds(columns);
    std::vector<double> logarithms(std::size(contenders), 0);
    std::vector<run_counters> sums(std::size(contenders));
    std::vector<std::vector<double>> shares(std::size(contenders));
    auto const& view = report::all_stall_views[1];
    std::vector<run_counters> bases;
    for (auto const* w : workloads) {
        std::vector<std::string> row{std::string(w->name)};
        for (std::size_t i = 0; i < std::size(contenders); ++i) {
            auto const r = run(contenders[i].make(numbers), *w, size);
            if (i == 0) bases.push_back(r);
            auto const gain = speedup(bases.back(), r);
            row.push_back(report::fixed(gain, 3));
            logarithms[i] += std::log(gain);
            shares[i].resize(view.categories.size(), 0);
            for (std::size_t k = 0; k < view.categories.size(); ++k)
                shares[i][k] += static_cast<double>(report::cycles_in(r, view.categories[k])) /
                                static_cast<double>(report::scheduler_cycles(r));
        }
        speeds.add_row(row);
    }
    auto const n = static_cast<double>(workloads.size());
    std::vector<std::string> mean{"geometric mean"};
    for (auto const l : logarithms) mean.push_back(report::fixed(std::exp(l / n), 3));
    speeds.add_row(mean);
    std::cout << "Speed over gto (figures 7 and 10)\n\n";
    speeds.print_markdown(std::cout);

    std::vector<report::column> causes{{"", alignment::left}};
    for (auto const& c : view.categories) causes.push_back({c.name, alignment::right, {}});
    report::text_table stalls(causes);
    for (std::size_t i = 0; i < std::size(contenders); ++i) {
        std::vector<std::string> row{contenders[i].name};
        for (auto const s : shares[i]) row.push_back(percent(s / n));
        stalls.add_row(row);
    }
    std::cout << "\nScheduler cycles, % (figure 3), mean over kernels\n\n";
    stalls.print_markdown(std::cout);

    report::text_table thresholds(
        {{"threshold", alignment::right, {}}, {"speed over gto", alignment::right, {}}});
    for (unsigned t = 0; t <= 24; t += 4) {
        double logarithm = 0;
        for (std::size_t k = 0; k < workloads.size(); ++k) {
            policy_values<any_threshold::policies> values;
            values.instruction_prefetch = fetch::next_line<run_time>{t};
            logarithm += std::log(speedup(
                bases[k], run(engine::with_values<any_threshold>(numbers, values), *workloads[k], size)));
        }
        thresholds.add_row({std::to_string(t), report::fixed(std::exp(logarithm / n), 3)});
    }
    std::cout << "\nELF with fetch and prefetch, by the prefetch's threshold (figure 9 b)\n\n";
    thresholds.print_markdown(std::cout);
}

} // namespace

int main(int argc, char** argv) {
    return examples::guarded("elf_figures", "", [&] {
        auto size = kernels::size::small;
        std::vector<kernels::workload const*> workloads;
        for (int i = 1; i < argc; ++i) {
            if (std::string_view(argv[i]) == "full")
                size = kernels::size::full;
            else if (std::string_view(argv[i]) != "small")
                workloads.push_back(&kernels::find(argv[i]));
        }
        if (workloads.empty()) workloads.assign(kernels::all().begin(), kernels::all().end());
        figures(workloads, size);
        return 0;
    });
}
