// `lab explain-difference`: where the cycles went between two runs of one program, when they parted, and which loads
// took longer.
#include <warpkit/report/counters.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/progress.hpp>
#include <warpkit/report/run_profile.hpp>
#include <warpkit/report/text.hpp>

#include "compared_runs.hpp"
#include "logs.hpp"
#include "runs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <tuple>
#include <unistd.h>

namespace lab {

using namespace warpkit;
using report::alignment;
using report::fixed;
using report::with_thousands;

namespace {

// One of the two runs.
struct profiled_run {
    std::string name;
    job what;
    simulation_result result;
    std::vector<std::vector<report::launch_profile>> cores; // by core and launch
};

// What sets it apart from the other.
std::string name_of(job const& j, job const& other) {
    std::vector<std::string> parts;
    auto const add = [&](std::string const& own, std::string const& others) {
        if (own != others) parts.push_back(own);
    };
    add(j.name, other.name);
    for (std::size_t i = 0; i < j.policies.size() && i < other.policies.size(); ++i)
        add(j.policies[i].policy, other.policies[i].policy);
    add(j.dram, other.dram);
    if (j.l1 != other.l1) parts.push_back("l1=" + j.l1);
    if (j.l2 != other.l2) parts.push_back("l2=" + j.l2);
    add(j.more, other.more);
    for (auto const& f : machine_numbers())
        if (auto const value = read_field(j.numbers, f);
            value != read_field(other.numbers, f) && parts.size() < 3)
            parts.push_back(f.name + '=' + format_number(value, f.unit));
    std::string name;
    for (auto const& p : parts) name += (name.empty() ? "" : " ") + p;
    return name.empty() ? j.text_of("warp_scheduler") : name;
}

// The same without its loads and issues.
compared_run counted(profiled_run const& r) {
    auto const& n = r.what.numbers;
    auto const schedulers = static_cast<double>(n.core.count) * n.core.schedulers;
    auto const& total = r.result.total;
    compared_run run{r.name, static_cast<double>(total.cycles), cycles_by_cause(total, schedulers), {}};
    for (auto const& l : r.result.launches)
        run.launches.push_back(
            {l.kernel, static_cast<double>(l.counters.cycles), cycles_by_cause(l.counters, schedulers)});
    return run;
}

// Where the first difference between two cores' issues is.
struct parting {
    unsigned core = 0;
    std::size_t launch = 0;
    std::string kernel;
    report::issue_step first;
    report::issue_step second;
    bool first_ended = false;
    bool second_ended = false;
    cycle at() const noexcept {
        return first_ended ? second.at : second_ended ? first.at : std::min(first.at, second.at);
    }
};
std::optional<parting> parting_of(profiled_run const& a, profiled_run const& b) {
    std::optional<parting> found;
    auto const launches = std::min(a.result.launches.size(), b.result.launches.size());
    auto const cores = std::min(a.cores.size(), b.cores.size());
    for (std::size_t l = 0; l < launches && !found; ++l)
        for (unsigned c = 0; c < cores; ++c) {
            if (l >= a.cores[c].size() || l >= b.cores[c].size()) continue;
            auto const& one = a.cores[c][l];
            auto const& other = b.cores[c][l];
            if (one.steps == other.steps) continue;
            std::vector<report::issue_step> steps;
            auto const same = [](report::issue_step const& x, report::issue_step const& y) {
                return x.at == y.at && x.warp == y.warp && x.instruction == y.instruction;
            };
            // In pieces: what both did is not kept.
            std::size_t begin = 0;
            constexpr std::size_t piece = 4096;
            for (bool more = true; more; begin += piece) {
                steps.clear();
                std::size_t i = 0;
                one.each_step([&](report::issue_step const& s) {
                    if (i++ >= begin) steps.push_back(s);
                    return i < begin + piece;
                });
                std::size_t k = 0;
                parting p{c, l, one.kernel, {}, {}, false, true};
                bool parts = false;
                other.each_step([&](report::issue_step const& s) {
                    if (k++ < begin) return true;
                    auto const at = k - 1 - begin;
                    p.first_ended = at >= steps.size();
                    p.second_ended = false;
                    p.second = s;
                    if (!p.first_ended) p.first = steps[at];
                    parts = p.first_ended || !same(p.first, s);
                    return !parts && k < begin + piece;
                });
                if (!parts && k < begin + steps.size()) { // the second is shorter
                    p.first = steps[k > begin ? k - begin : 0];
                    p.first_ended = false;
                    p.second_ended = parts = true;
                }
                if (parts) {
                    if (!found || p.at() < found->at()) found = p;
                    break;
                }
                more = steps.size() == piece;
            }
        }
    return found;
}

// Of one instruction of one kernel, in both.
struct load_difference {
    std::string kernel;
    std::size_t instruction = 0;
    report::instruction_profile a;
    report::instruction_profile b;
    double extra() const noexcept {
        return static_cast<double>(b.latency_sum) - static_cast<double>(a.latency_sum);
    }
};
double mean_latency(report::instruction_profile const& p) {
    return p.loads == 0 ? 0 : static_cast<double>(p.latency_sum) / static_cast<double>(p.loads);
}
std::string hit_rate(report::instruction_profile const& p) {
    return p.accesses == 0 ? "-"
                           : fixed(100 * static_cast<double>(p.hits) / static_cast<double>(p.accesses), 1);
}
std::vector<load_difference> loads_of(profiled_run const& a, profiled_run const& b) {
    std::map<std::pair<std::string, std::size_t>, load_difference> by_place;
    auto const add = [&](profiled_run const& run, report::instruction_profile load_difference::*side) {
        for (auto const& core : run.cores)
            for (auto const& l : core)
                for (std::size_t i = 0; i < l.instructions.size(); ++i) {
                    if (l.instructions[i].loads == 0) continue;
                    auto& d = by_place[{l.kernel, i}];
                    d.kernel = l.kernel;
                    d.instruction = i;
                    d.*side += l.instructions[i];
                }
    };
    add(a, &load_difference::a);
    add(b, &load_difference::b);
    std::vector<load_difference> all;
    for (auto& [place, d] : by_place) all.push_back(std::move(d));
    std::stable_sort(all.begin(), all.end(),
                     [](auto const& x, auto const& y) { return std::abs(x.extra()) > std::abs(y.extra()); });
    return all;
}
std::string place_of_load(load_difference const& d) {
    auto const line = std::max(d.a.line, d.b.line);
    return d.kernel +
           (line != 0 ? ", line " + std::to_string(line) : ", instruction " + std::to_string(d.instruction));
}

std::string step_text(report::issue_step const& s, bool ended, profiled_run const& run, parting const& p) {
    if (ended) return "issues nothing more";
    auto const& code = run.cores[p.core][p.launch].instructions;
    auto const line = s.instruction < code.size() ? code[s.instruction].line : 0;
    return "warp " + std::to_string(s.warp) + " issues " +
           (line != 0 ? "line " + std::to_string(line) : "instruction " + std::to_string(s.instruction)) +
           " in cycle " + with_thousands(s.at);
}

// What all of it comes to.
std::vector<std::string> causes_in_words(profiled_run const& a, profiled_run const& b,
                                         std::vector<load_difference> const& loads) {
    auto text = causes_in_words(counted(a), counted(b));
    if (a.result.total.cycles == b.result.total.cycles) return text;
    bool const in_b = b.result.total.cycles > a.result.total.cycles; // the slow one
    auto const worst = std::max_element(loads.begin(), loads.end(), [&](auto const& x, auto const& y) {
        return (in_b ? x.extra() : -x.extra()) < (in_b ? y.extra() : -y.extra());
    });
    if (worst != loads.end() && (in_b ? worst->extra() : -worst->extra()) > 0) {
        auto const& s = in_b ? worst->b : worst->a;
        auto const& f = in_b ? worst->a : worst->b;
        text.push_back("The load at " + place_of_load(*worst) + " takes " + fixed(mean_latency(s), 0) +
                       " cycles there, " + fixed(mean_latency(f), 0) + " in the other; its L1 hit rate is " +
                       hit_rate(s) + " % against " + hit_rate(f) + " %.");
    }
    return text;
}

profiled_run profiled(job const& j, job const& other, request const& what, run_progress_sink const& progress,
                      shared_function& function) {
    profiled_run run{name_of(j, other), j, {}, {}};
    auto const observed = recorder_of(j, "explain-difference")
                              .make(j.numbers, j.text_of("warp_scheduler"),
                                    {{}, {}, report::run_profile(true), report::core_activity()}, j.others());
    run.result = run_on(observed.machine, j, what, function.of(j, progress), progress);
    if (!run.result.verified)
        throw error(j.program->name + " under " + j.text_of("warp_scheduler") + ": " + run.result.wrong);
    for (unsigned c = 0; c < j.numbers.core.count; ++c)
        run.cores.push_back(observed.core(c).get<report::run_profile>().launches());
    return run;
}

void print(profiled_run const& a, profiled_run const& b, std::optional<parting> const& parted,
           std::vector<load_difference> const& loads) {
    auto& out = std::cout;
    auto const width = terminal_width();
    out << a.what.program->name << ' ' << a.what.program->parameters << '\n';
    print_side_by_side(out, counted(a), counted(b), width);

    if (!loads.empty()) {
        report::text_table table({{"load", alignment::left},
                                  {"times"},
                                  {"latency, " + a.name},
                                  {b.name},
                                  {"L1 hits %, " + a.name},
                                  {b.name},
                                  {"all its cycles"}});
        for (std::size_t i = 0; i < std::min(shown_rows, loads.size()); ++i) {
            auto const& d = loads[i];
            table.add_row({place_of_load(d), with_thousands(d.a.loads), fixed(mean_latency(d.a), 1),
                           fixed(mean_latency(d.b), 1), hit_rate(d.a), hit_rate(d.b),
                           (d.extra() > 0 ? "+" : "") + fixed(d.extra(), 0)});
        }
        out << "\nLoads, from issue to the last of the data in core cycles, those that differ most first:\n";
        table.print(out, width, 1);
    }

    out << '\n';
    if (!parted)
        out << "They never part: every core issues the same instructions in the same cycles.\n";
    else
        out << "They part in launch " << parted->launch + 1 << ", " << parted->kernel << ", on core "
            << parted->core << ": under " << a.name << ' '
            << step_text(parted->first, parted->first_ended, a, *parted) << ", under " << b.name << ' '
            << step_text(parted->second, parted->second_ended, b, *parted) << ".\n";
    for (auto const& sentence : causes_in_words(a, b, loads)) out << sentence << '\n';
}

void write(std::string const& file, profiled_run const& a, profiled_run const& b,
           std::optional<parting> const& parted, std::vector<load_difference> const& loads) {
    report::json_writer w;
    w.begin_object().member("kernel", a.what.program->name).key("runs").begin_array();
    for (auto const* const r : {&a, &b}) {
        auto record = record_of(r->what);
        record.counters = r->result.total;
        record.verified = r->result.verified;
        for (auto const& l : r->result.launches)
            record.launches.push_back({l.kernel, l.grid, l.block, l.counters, l.estimate});
        report::fingerprint fingerprint;
        for (auto const& l : r->result.launches) fingerprint.add(l.counters);
        record.fingerprint = fingerprint.value();
        append_json(w, record);
    }
    w.end_array();
    w.key("parted");
    if (parted) {
        w.begin_object().member("launch", parted->launch + 1).member("kernel", parted->kernel);
        w.member("core", parted->core).member("cycle", parted->at()).end_object();
    } else {
        w.begin_object().end_object();
    }
    w.key("loads").begin_array();
    for (auto const& d : loads) {
        w.begin_object().member("kernel", d.kernel).member("instruction", d.instruction);
        w.member("line", std::max(d.a.line, d.b.line));
        for (auto const& [name, p] : {std::pair("first", &d.a), std::pair("second", &d.b)}) {
            w.key(name).begin_object().member("loads", p->loads).member("latency_sum", p->latency_sum);
            w.member("latency_most", p->latency_most).member("l1d_accesses", p->accesses);
            w.member("l1d_hits", p->hits).member("l1d_misses", p->misses).end_object();
        }
        w.end_object();
    }
    w.end_array();
    w.key("causes").begin_array();
    for (auto const& sentence : causes_in_words(a, b, loads)) w.value(sentence);
    w.end_array().end_object();
    write_file(file, w.text());
}

} // namespace

int explain_difference(request const& what, std::vector<std::string> const& against) {
    (void)files_of(what);
    auto const subjects = subjects_of(what);
    auto jobs = jobs_of(what, subjects);
    if (!against.empty()) {
        auto other = what;
        other.settings.insert(other.settings.end(), against.begin(), against.end());
        for (auto& j : jobs_of(other, subjects)) jobs.push_back(std::move(j));
    }
    if (jobs.size() != 2)
        throw error("explain-difference: it is of two runs, and this is " + std::to_string(jobs.size()) +
                    "; name one kernel, and two of something: --scheduler lrr,gto, --preset gtx480,owl, "
                    "--l1 preset,perfect, --against l1d.size=32KiB");
    if (jobs[0].program != jobs[1].program)
        throw error("explain-difference: " + jobs[0].program->name + " and " + jobs[1].program->name +
                    " are two programs; name one");
    std::vector<profiled_run> runs;
    {
        shared_function function(what, &jobs);
        std::optional<report::progress_bar> bar;
        if (!what.quiet) bar.emplace(std::cerr, isatty(STDERR_FILENO) != 0);
        for (std::size_t i = 0; i < 2; ++i) {
            if (bar) bar->update(static_cast<double>(i) / 2, jobs[i].text_of("warp_scheduler"));
            runs.push_back(profiled(jobs[i], jobs[1 - i], what, {}, function));
        }
    }
    auto const parted = parting_of(runs[0], runs[1]);
    auto const loads = loads_of(runs[0], runs[1]);
    if (!what.json.empty()) write(what.json, runs[0], runs[1], parted, loads);
    if (!is_standard_output(what.json) && (!what.quiet || what.json.empty()))
        print(runs[0], runs[1], parted, loads);
    return 0;
}

} // namespace lab
