// The tables of results.
#include <warpkit/config/settings.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>

#include "lab.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lab {

using namespace warpkit;
using report::alignment;
using report::column;

std::size_t terminal_width() {
    if (isatty(STDOUT_FILENO) == 0) return 0;
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

namespace {

// What tells the runs apart, beside the kernel and the scheduler: shown only when it varies.
std::vector<std::string> key_labels(std::vector<report::run_record> const& runs) {
    std::vector<std::string> keys = {"kernel", "scheduler"};
    for (auto const* const label : {"preset", "dram_scheduler", "replay_queue", "l1", "l2", "dispatch",
                                    "occupancy", "policies", "ptx", "launch", "trace", "sampling"}) {
        std::set<std::string> values;
        for (auto const& r : runs) values.insert(r.label(label));
        if (values.size() > 1) keys.push_back(label);
    }
    return keys;
}

std::vector<std::string> cells_of(report::run_record const& r, std::vector<std::string> const& keys) {
    std::vector<std::string> cells;
    for (auto const& k : keys) cells.push_back(r.label(k));
    return cells;
}

template <class Fill>
void print(std::vector<report::run_record> const& runs, std::vector<std::string> const& keys,
           std::vector<column> const& columns, Fill fill) {
    std::vector<column> all;
    for (auto const& k : keys)
        all.push_back({k == "dram_scheduler" ? "DRAM"
                       : k == "replay_queue" ? "replay"
                                             : k,
                       alignment::left,
                       {}});
    all.insert(all.end(), columns.begin(), columns.end());
    report::text_table table(all);
    std::string kernel;
    for (auto const& r : runs) {
        if (!kernel.empty() && r.label("kernel") != kernel) table.add_rule();
        kernel = r.label("kernel");
        auto cells = cells_of(r, keys);
        fill(r, cells);
        table.add_row(cells);
    }
    print_table("runs", table, false, keys.size());
}

// A share of the cycles; a point where there are none.
std::string share_of(std::uint64_t part, std::uint64_t all) {
    return part == 0 ? "." : report::percent(static_cast<double>(part) / static_cast<double>(all));
}

void print_causes(std::vector<report::run_record> const& runs, std::vector<std::string> const& keys) {
    struct shown_cause {
        cycle_cause cause;
        char const* title;
        char const* second;
    };
    constexpr shown_cause causes[] = {{cycle_cause::issued, "issued", ""},
                                      {cycle_cause::raw_memory, "RAW", "memory"},
                                      {cycle_cause::raw_other, "RAW", "other"},
                                      {cycle_cause::translation, "RAW", "pages"},
                                      {cycle_cause::structural_memory, "structural", "memory"},
                                      {cycle_cause::structural_other, "structural", "other"},
                                      {cycle_cause::throttled, "throttled", ""},
                                      {cycle_cause::sync, "sync", ""},
                                      {cycle_cause::control, "control", ""},
                                      {cycle_cause::fetch, "fetch", ""},
                                      {cycle_cause::no_cta, "no CTA", ""},
                                      {cycle_cause::drained, "drained", ""}};
    static_assert(std::size(causes) == cycle_cause_count);
    // Of machines that translate addresses alone.
    bool const translates = std::any_of(runs.begin(), runs.end(), [](auto const& r) {
        return r.counters.core.cause[static_cast<unsigned>(cycle_cause::translation)] != 0;
    });
    auto const hidden = [=](shown_cause const& c) {
        return c.cause == cycle_cause::translation && !translates;
    };
    std::vector<column> stalls;
    for (auto const& c : causes)
        if (!hidden(c)) stalls.push_back({c.title, alignment::right, c.second});
    std::cout << "\nWhere the scheduler cycles went, in % (lab explain core.cause):\n\n";
    print(runs, keys, stalls, [&](report::run_record const& r, std::vector<std::string>& cells) {
        auto const all = report::scheduler_cycles(r.counters);
        for (auto const& c : causes)
            if (!hidden(c))
                cells.push_back(share_of(r.counters.core.cause[static_cast<unsigned>(c.cause)], all));
    });
}

void print_view(std::vector<report::run_record> const& runs, std::vector<std::string> const& keys,
                std::string const& view) {
    std::vector<column> columns;
    if (view == "owl") {
        for (auto const& c : report::owl_categories) columns.push_back({c.name, alignment::right, {}});
        std::cout << "\nWhere the core cycles went, in %, as OWL has it (lab explain owl):\n\n";
        print(runs, keys, columns, [](report::run_record const& r, std::vector<std::string>& cells) {
            auto const cycles = report::owl_view(r.counters, r.numbers.core.schedulers);
            for (auto const& c : report::owl_categories)
                cells.push_back(share_of(cycles.*c.cycles, r.counters.core.cycles));
        });
        return;
    }
    for (auto const& v : report::all_stall_views) {
        if (v.name != view) continue;
        for (auto const& c : v.categories) columns.push_back({c.name, alignment::right, {}});
        std::cout << "\nWhere the scheduler cycles went, in %, as in " << v.source << " (lab explain " << view
                  << "):\n\n";
        print(runs, keys, columns, [&](report::run_record const& r, std::vector<std::string>& cells) {
            for (auto const& c : v.categories)
                cells.push_back(
                    share_of(report::cycles_in(r.counters, c), report::scheduler_cycles(r.counters)));
        });
    }
}

void print_changes(std::vector<report::run_record> const& runs) {
    std::string changes;
    for (auto const& [name, value] : runs.front().changes) changes += "  " + name + " = " + value + '\n';
    if (!changes.empty()) std::cout << "\nChanged numbers:\n" << changes;
}

} // namespace

// A row for each launch.
static void print_launches(std::vector<report::run_record> const& runs,
                           std::vector<std::string> const& keys) {
    bool any = false;
    for (auto const& r : runs) any = any || !r.launches.empty();
    if (!any) return;
    std::vector<column> columns;
    for (auto const& k : keys) columns.push_back({k, alignment::left, {}});
    auto const labels = columns.size();
    columns.insert(columns.end(), {{"launch", alignment::right, {}},
                                   {"of kernel", alignment::left, {}},
                                   {"grid", alignment::right, {}},
                                   {"block", alignment::right, {}},
                                   {"warp instr", alignment::right, {}},
                                   {"cycles", alignment::right, {}},
                                   {"IPC", alignment::right, "warp"},
                                   {"L1D miss", alignment::right, "%"},
                                   {"L2 miss", alignment::right, "%"},
                                   {"row hit", alignment::right, "%"}});
    report::text_table table(columns);
    bool first = true;
    for (auto const& r : runs) {
        if (!first && !r.launches.empty()) table.add_rule();
        first = first && r.launches.empty();
        for (std::size_t i = 0; i < r.launches.size(); ++i) {
            auto const& l = r.launches[i];
            auto const value = [&](char const* name) {
                return report::find_metric(name)->value(l.counters, r.numbers);
            };
            auto const size = [](dim3 const& d) {
                auto text = std::to_string(d.x);
                if (d.y != 1 || d.z != 1) text += 'x' + std::to_string(d.y);
                if (d.z != 1) text += 'x' + std::to_string(d.z);
                return text;
            };
            auto const mark = l.estimate.exact() ? "" : "~";
            auto const cycles = l.estimate.exact()
                                    ? l.counters.cycles
                                    : static_cast<std::uint64_t>(std::llround(l.estimate.cycles));
            auto cells = cells_of(r, keys);
            cells.insert(cells.end(),
                         {std::to_string(i + 1), l.kernel.substr(0, 40), size(l.grid), size(l.block),
                          report::with_thousands(l.counters.core.warp_instructions),
                          mark + report::with_thousands(cycles), report::fixed(value("ipc"), 2)});
            for (auto const* const name : {"l1d_miss_rate", "l2_miss_rate", "row_hit_rate"})
                cells.push_back(report::percent(value(name)));
            table.add_row(cells);
        }
    }
    std::cout << "\nEach launch:\n\n";
    print_table("launches", table, false, labels + 2);
}

// A row for each kernel, and one for each stream, where several may be on a machine at once.
static void print_kernels(std::vector<report::run_record> const& runs, std::vector<std::string> const& keys) {
    bool any = false;
    for (auto const& r : runs) any = any || !r.kernels.empty();
    if (!any) return;
    std::vector<column> columns;
    for (auto const& k : keys) columns.push_back({k, alignment::left, {}});
    auto streams = columns;
    auto const labels = columns.size();
    columns.insert(columns.end(), {{"stream", alignment::right, {}},
                                   {"of kernel", alignment::left, {}},
                                   {"launch", alignment::right, {}},
                                   {"began", alignment::right, "cycle"},
                                   {"first CTA", alignment::right, "cycle"},
                                   {"ended", alignment::right, "cycle"},
                                   {"CTAs", alignment::right, {}},
                                   {"warp instr", alignment::right, {}},
                                   {"IPC", alignment::right, {}},
                                   {"L1D miss", alignment::right, "%"}});
    streams.insert(streams.end(), {{"stream", alignment::right, {}},
                                   {"kernels", alignment::right, {}},
                                   {"began", alignment::right, "cycle"},
                                   {"ended", alignment::right, "cycle"},
                                   {"busy", alignment::right, "cycles"},
                                   {"CTAs", alignment::right, {}},
                                   {"warp instr", alignment::right, {}},
                                   {"IPC", alignment::right, {}}});
    report::text_table table(columns);
    report::text_table of_streams(streams);
    for (auto const& r : runs) {
        if (&r != &runs.front() && !r.kernels.empty()) {
            table.add_rule();
            of_streams.add_rule();
        }
        for (auto const& k : r.kernels) {
            auto cells = cells_of(r, keys);
            auto const& s = k.span;
            cells.insert(
                cells.end(),
                {std::to_string(k.stream), k.kernel.substr(0, 40), std::to_string(k.launch + 1),
                 report::with_thousands(s.began), report::with_thousands(s.first_cta),
                 report::with_thousands(s.ended), report::with_thousands(s.ctas),
                 report::with_thousands(s.warp_instructions),
                 report::fixed(report::find_metric("ipc")->value(s.counted, r.numbers), 2),
                 report::percent(report::find_metric("l1d_miss_rate")->value(s.counted, r.numbers))});
            table.add_row(cells);
        }
        for (auto const& s : report::streams_of(r.kernels)) {
            auto cells = cells_of(r, keys);
            cells.insert(cells.end(),
                         {std::to_string(s.stream), report::with_thousands(s.kernels),
                          report::with_thousands(s.began), report::with_thousands(s.ended),
                          report::with_thousands(s.busy_cycles), report::with_thousands(s.ctas),
                          report::with_thousands(s.warp_instructions), report::fixed(s.ipc(), 2)});
            of_streams.add_row(cells);
        }
    }
    std::cout << "\nEach kernel (a launch counts together what ran at once):\n\n";
    print_table("kernels", table, false, labels + 2);
    std::cout << "\nEach stream:\n\n";
    print_table("streams", of_streams, false, labels);
}

std::vector<std::string> view_names() {
    std::vector<std::string> names;
    for (auto const& v : report::all_stall_views) names.emplace_back(v.name);
    names.emplace_back("owl");
    return names;
}

// A column for each run, a row for each part that takes anything.
static void print_energy(std::vector<report::run_record> const& runs, std::vector<std::string> const& keys) {
    std::vector<column> columns = {{"part", alignment::left, {}}};
    for (auto const& r : runs) {
        std::string name;
        for (auto const& k : keys) name += (name.empty() ? "" : " ") + r.label(k);
        columns.insert(
            columns.end(),
            {{name, alignment::right, "uJ"}, {"", alignment::right, "W"}, {"", alignment::right, "%"}});
    }
    report::text_table table(columns);
    auto const row = [&](std::string const& part, auto const& joules) {
        std::vector<std::string> cells = {part};
        bool any = false;
        for (auto const& r : runs) {
            if (!r.energy) {
                cells.insert(cells.end(), 3, "-");
                continue;
            }
            auto const& e = r.energy->energy;
            double const j = joules(e);
            any = any || j != 0;
            cells.insert(cells.end(), {report::fixed(j * 1e6, 2), report::fixed(j / e.seconds, 2),
                                       report::percent(j / e.total())});
        }
        if (any) table.add_row(cells);
    };
    for (unsigned i = 0; i < report::energy_part_count; ++i)
        row(report::energy_parts[i].name, [i](report::energy_report const& e) { return e.joules[i]; });
    table.add_rule();
    row("all", [](report::energy_report const& e) { return e.total(); });
    std::cout << "\nEnergy and power on average, by part (docs/model/energy.md):\n\n";
    print_table("energy", table);
    std::set<std::string> notes;
    for (auto const& r : runs)
        if (r.energy)
            notes.insert(r.label("preset") + ": " +
                         (r.energy->calibrated ? "calibrated, by " + r.energy->model + " (MICRO 2021)"
                                               : "uncalibrated: " + r.energy->model +
                                                     ", whose numbers were fitted on qv100 as it is"));
    for (auto const& note : notes) std::cout << note << '\n';
}

void print_forks(std::vector<report::run_record> const& runs) {
    if (runs.empty()) return;
    auto const keys = key_labels(runs);
    std::vector<column> const columns = {
        {"fork", alignment::right, "at cycle"}, {"cycles", alignment::right, "from there"},
        {"speed-up", alignment::right, {}},     {"IPC", alignment::right, "warp"},
        {"IPC", alignment::right, "thread"},    {"L1D miss", alignment::right, "%"},
        {"L2 miss", alignment::right, "%"},     {"row hit", alignment::right, "%"},
        {"fingerprint", alignment::left, {}},   {"verified", alignment::left, {}}};
    std::string group;
    std::uint64_t usual = 0;
    print(runs, keys, columns, [&](report::run_record const& r, std::vector<std::string>& cells) {
        if (r.counters.cycles == 0) {
            cells.insert(cells.end(), 9, "-");
            cells.emplace_back("ERROR");
            return;
        }
        if (auto const g = r.label("kernel") + ' ' + r.label("preset"); g != group) {
            group = g;
            usual = r.counters.cycles;
        }
        auto const value = [&](char const* name) {
            return report::find_metric(name)->value(r.counters, r.numbers);
        };
        cells.push_back(r.label("fork_cycle"));
        cells.push_back(report::with_thousands(r.counters.cycles));
        cells.push_back(
            report::fixed(static_cast<double>(usual) / static_cast<double>(r.counters.cycles), 3));
        cells.push_back(report::fixed(value("ipc"), 2));
        cells.push_back(report::fixed(value("thread_ipc"), 1));
        for (auto const* const name : {"l1d_miss_rate", "l2_miss_rate", "row_hit_rate"})
            cells.push_back(report::percent(value(name)));
        cells.push_back(report::hexadecimal(r.fingerprint));
        cells.push_back(r.verified ? "yes" : "NO");
    });
    print_causes(runs, keys);
    print_changes(runs);
}

void print_tables(std::vector<report::run_record> const& runs, std::string const& view) {
    if (runs.empty()) return;
    auto const keys = key_labels(runs);
    // What is derived from the timed parts of a sampled run is marked so.
    auto const mark = [](report::run_record const& r) { return r.estimate.exact() ? "" : "~"; };
    bool sampled = false;
    for (auto const& r : runs) sampled = sampled || r.sampled;
    std::vector<column> columns = {{"cycles"},
                                   {"IPC", alignment::right, "warp"},
                                   {"IPC", alignment::right, "thread"},
                                   {"L1D miss", alignment::right, "%"},
                                   {"L2 miss", alignment::right, "%"},
                                   {"row hit", alignment::right, "%"},
                                   {"BLP", alignment::right, "banks"},
                                   {"DRAM", alignment::right, "GB/s"},
                                   {"host", alignment::right, "kwarp-instr/s"},
                                   {"host", alignment::right, "ktransact/s"},
                                   {"fingerprint", alignment::left, {}},
                                   {"verified", alignment::left, {}}};
    if (sampled) columns.insert(columns.begin() + 1, {"+/-", alignment::right, "%"});
    print(runs, keys, columns, [&](report::run_record const& r, std::vector<std::string>& cells) {
        if (r.counters.cycles == 0) { // it did not come to an end
            cells.insert(cells.end(), columns.size() - 2, "-");
            cells.insert(cells.end(), {"-", "ERROR"});
            return;
        }
        auto const value = [&](char const* name) {
            return report::find_metric(name)->value(r.counters, r.numbers);
        };
        auto const cycles = r.estimate.exact() ? r.counters.cycles
                                               : static_cast<std::uint64_t>(std::llround(r.estimate.cycles));
        cells.push_back(mark(r) + report::with_thousands(cycles));
        if (sampled)
            cells.push_back(r.estimate.exact() ? "exact"
                                               : report::percent(r.estimate.error / r.estimate.cycles));
        cells.push_back(mark(r) + report::fixed(estimated_ipc(r), 2));
        cells.push_back(mark(r) + report::fixed(value("thread_ipc"), 1));
        for (auto const* const name : {"l1d_miss_rate", "l2_miss_rate", "row_hit_rate"})
            cells.push_back(mark(r) + report::percent(value(name)));
        cells.push_back(mark(r) + report::fixed(value("blp"), 2));
        cells.push_back(mark(r) + report::fixed(value("dram_bandwidth"), 1));
        cells.push_back(report::fixed(instruction_speed(r) / 1000, 0));
        cells.push_back(report::fixed(transaction_speed(r) / 1000, 0));
        cells.push_back(report::hexadecimal(r.fingerprint));
        cells.push_back(r.verified ? "yes" : "NO");
    });

    if (sampled)
        std::cout
            << "\nSampled: ~ marks estimates; cycles and warp IPC are of whole kernels, 95 % within +/-;\n"
               "all else, and what follows, is of the parts that were timed.\n";
    print_launches(runs, keys);
    print_kernels(runs, keys);
    if (runs.front().row_sharing) {
        std::cout << "\nCTAs that share DRAM rows, by what missed the L2:\n\n";
        print(runs, keys, {{"rows"}, {"CTAs/row"}, {"consecutive", alignment::right, "%"}},
              [](report::run_record const& r, std::vector<std::string>& cells) {
                  auto const rows = r.row_sharing.value_or(report::row_sharing_figures{});
                  cells.push_back(report::with_thousands(rows.rows));
                  cells.push_back(report::fixed(rows.ctas_per_row, 1));
                  cells.push_back(report::percent(rows.consecutive_share));
              });
    }
    if (runs.front().program_points) {
        std::cout << "\nProgram points before merging, and priorities that need no calculation (ELF):\n\n";
        print(runs, keys, {{"saved", alignment::right, "%"}, {"points"}},
              [](report::run_record const& r, std::vector<std::string>& cells) {
                  auto const found = r.program_points.value_or(report::program_point_figures{});
                  cells.push_back(report::percent(found.recalculations_saved));
                  std::string points;
                  for (auto const& [kernel, n] : found.points)
                      points += (points.empty() ? "" : ", ") + kernel + ' ' + std::to_string(n);
                  cells.push_back(points);
              });
    }
    if (runs.front().energy) print_energy(runs, keys);
    if (view.empty()) print_causes(runs, keys);
    for (auto const& name : view_names())
        if (view == "all" || view == name) print_view(runs, keys, name);
    print_changes(runs);
}

} // namespace lab
