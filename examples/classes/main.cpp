// What the papers' tables report of their applications, measured on the shipped kernels, as Markdown:
//
//   kernel_classes memory [small | medium | full] [kernel ...] [parameter=value ...]
//                                        speed with a perfect L1 and inactive time (OWL, Table 2); parameters of all
//                                        kernels
//   kernel_classes points                static program points (ELF, Table 2)
//   kernel_classes full [kernel ...]     launches and warp instructions at full size
//
// docs/reference/kernels.md has what came out. Medium is the geometric mean of small and full, parameter by parameter.

#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/program/program_points.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/warp/lrr.hpp>

#include "support/program.hpp"

#include <algorithm>
#include <iostream>
#include <kernels/functional.hpp>
#include <kernels/workload.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace warpkit;
using kernels::paper;
using kernels::values;
using kernels::workload;
using report::fixed;
using report::with_thousands;

// The paper's machine under its baseline, round-robin.
using real = presets::owl::with<use::warp_scheduler<lrr>>;
using perfect = real::with<use::l1d<perfect_cache>>;

std::string code(std::string_view s) { return '`' + std::string(s) + '`'; }

run_counters run(engine const& machine, workload const& w, values const& v) {
    auto const result = simulate(machine, {w.ptx, std::string(w.ptx_name), [&](device& d) { w.run(d, v); }});
    if (!result.verified) throw error(result.wrong);
    return result.total;
}

kernels::owl_row const* owl_row_of(workload const& w) {
    for (auto const& r : w.rows)
        if (r.in == paper::owl)
            for (auto const& row : kernels::owl_table_2)
                if (row.label == r.label) return &row;
    return nullptr;
}

void memory(std::string_view size, std::vector<std::string_view> const& assignments,
            std::vector<workload const*> const& workloads) {
    auto const numbers = real::parameters();
    std::cout << "| kernel | warp instructions | PMEM | CINV, % | MemoryBlockCycles, % | NoWarpCycles, % | "
                 "OWL's row | its "
                 "PMEM | its CINV, % | memory-bound, ours / its |\n"
                 "|---|---:|---:|---:|---:|---:|---|---:|---:|---|\n"
              << std::flush;
    unsigned same = 0;
    unsigned compared = 0;
    for (auto const* w : workloads) {
        values v(*w, kernels::size_named(size));
        for (auto const a : assignments)
            v.set(a.substr(0, a.find('=')), std::stoull(std::string(a.substr(a.find('=') + 1))));
        auto const r = run(engine::of<real>(numbers), *w, v);
        auto const p = run(engine::of<perfect>(numbers), *w, v);
        auto const gain = static_cast<double>(r.cycles) / static_cast<double>(p.cycles);
        auto const cycles = report::owl_view(r, numbers.core.schedulers);
        auto const share = [&](std::uint64_t part) {
            return fixed(100 * static_cast<double>(part) / static_cast<double>(r.core.cycles), 0);
        };
        std::cout << "| " << code(w->name) << " | " << with_thousands(r.core.warp_instructions) << " | "
                  << fixed(gain, 2) << " | " << share(r.core.cycles - r.core.issue_cycles) << " | "
                  << share(cycles.memory_block) << " | " << share(cycles.no_warp) << " | ";
        if (auto const* row = owl_row_of(*w); row != nullptr) {
            std::cout << row->label << " | " << fixed(row->perfect_memory / 100.0, 2) << " | "
                      << unsigned{row->inactive} << " | " << (gain >= 1.4 ? "yes" : "no") << " / "
                      << (row->memory_bound() ? "yes" : "no") << " |\n";
            ++compared;
            same += (gain >= 1.4) == row->memory_bound() ? 1 : 0;
        } else {
            std::cout << "| | | " << (gain >= 1.4 ? "yes" : "no") << " |\n";
        }
        std::cout << std::flush;
    }
    std::cout << "\nOf " << compared << " kernels with a row of OWL's, " << same << " are in its class.\n";
}

std::uint32_t points_of(workload const& w, std::string_view name) {
    device_memory memory;
    ptx::loaded_module const module(ptx::parse(w.ptx, w.ptx_name), memory);
    ptx::kernel const kernel(module, name);
    auto const& program = kernel.program().instructions;
    return program_points<>(program.data(), static_cast<std::uint32_t>(program.size())).found();
}

void points() {
    report::text_table t({{"row", report::alignment::left, {}},
                          {"its kernel", report::alignment::left, {}},
                          {"its points", report::alignment::right, {}},
                          {"kernel here", report::alignment::left, {}},
                          {"points here", report::alignment::right, {}}});
    for (auto const& row : kernels::elf_table_2)
        for (auto const* w : kernels::all())
            for (auto const& r : w->rows)
                if (r.in == paper::elf && r.label == row.label && r.kernel == row.kernel)
                    t.add_row({std::string(row.label), code(row.kernel), std::to_string(row.points),
                               code(w->name) + ", " + code(r.ours), std::to_string(points_of(*w, r.ours))});
    t.print_markdown(std::cout);
}

void full(std::vector<workload const*> const& workloads) {
    std::cout << "| kernel | launches | CTAs | warp instructions |\n|---|---:|---:|---:|\n";
    for (auto const* w : workloads) {
        kernels::functional_device machine(w->ptx, w->ptx_name);
        w->run(machine.device(), values(*w, kernels::size::full));
        std::uint64_t ctas = 0;
        for (auto const& l : machine.launches()) ctas += l.grid.count();
        std::cout << "| " << code(w->name) << " | " << with_thousands(machine.launches().size()) << " | "
                  << with_thousands(ctas) << " | " << with_thousands(machine.warp_instructions()) << " |\n"
                  << std::flush;
    }
}

} // namespace

int main(int argc, char** argv) {
    return examples::guarded("kernel_classes", "", [&] {
        std::vector<std::string_view> const words(argv + 1, argv + argc);
        std::string_view const what = words.empty() ? "" : words.front();
        std::string_view size = "medium";
        std::vector<std::string_view> assignments;
        std::vector<workload const*> workloads;
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (words[i] == "small" || words[i] == "medium" || words[i] == "full")
                size = words[i];
            else if (words[i].find('=') != std::string_view::npos)
                assignments.push_back(words[i]);
            else
                for (auto const* w : kernels::find_all(words[i])) workloads.push_back(w);
        }
        if (workloads.empty()) workloads.assign(kernels::all().begin(), kernels::all().end());
        if (what == "memory")
            memory(size, assignments, workloads);
        else if (what == "points")
            points();
        else if (what == "full")
            full(workloads);
        else
            throw error("say memory, points or full");
        return 0;
    });
}
