// `lab check-engines`: whether the fast engine and the reference tell the same.
#include <warpkit/report/counters.hpp>
#include <warpkit/report/progress.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/testing/both_engines.hpp>

#include "logs.hpp"
#include "runs.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <unistd.h>

namespace lab {

using namespace warpkit;

namespace {

// What came of a job: where the engines part, or nothing if they do not.
struct engines_verdict {
    std::uint64_t cycles = 0;
    std::uint64_t events = 0; // of cores, compared one by one; 0 where counters alone were
    std::string parted;
};

// What the policies are, the kernel's and the preset's names apart.
std::string policies_of(job const& j) {
    std::string text;
    char const* const usual[] = {"none", "round_robin_dispatch", "no_limit", "fr_fcfs", "preset"};
    auto const add = [&](std::string const& policy) {
        if (std::find(std::begin(usual), std::end(usual), policy) == std::end(usual))
            text += (text.empty() ? "" : " ") + policy;
    };
    for (auto const& p : j.policies) add(p.policy);
    add(j.machine->chosen[1]);
    if (j.l1 != "preset") add("l1=" + j.l1);
    if (j.l2 != "preset") add("l2=" + j.l2);
    for (auto const& [name, value] : j.changes) add(name + '=' + value);
    return text;
}

std::string differences_of(simulation_result const& one, simulation_result const& other) {
    if (one.launches.size() != other.launches.size())
        return std::to_string(one.launches.size()) + " launches on the engine, " +
               std::to_string(other.launches.size()) + " on the reference";
    for (std::size_t i = 0; i < one.launches.size(); ++i)
        for (auto const& d : report::differences(one.launches[i].counters, other.launches[i].counters))
            return "launch " + std::to_string(i + 1) + ", " + one.launches[i].kernel + ": " +
                   d.counter->name + " is " + report::with_thousands(d.first) + " on the engine, " +
                   report::with_thousands(d.second) + " on the reference";
    return {};
}

// Where their cores part; empty if they do not. How many events were compared.
std::string parting_of(observed_machine const& fast, observed_machine const& plain, unsigned cores,
                       std::uint64_t& events) {
    testing::divergence first;
    auto const log_of = [](observed_machine const& m, unsigned c) -> testing::event_log const& {
        return m.core(c).get<testing::event_recorder>().log();
    };
    for (unsigned c = 0; c < cores; ++c) {
        auto const name = "core " + std::to_string(c);
        auto const told = testing::logs_of(log_of(fast, c), name);
        auto const plainly = testing::logs_of(log_of(plain, c), name);
        for (auto const& [who, log] : told) {
            auto const other = plainly.find(who);
            auto const p = testing::first_divergence(
                who, log, other == plainly.end() ? testing::told_events() : other->second);
            if (!p.text.empty() && (first.text.empty() || p.at < first.at)) first = p;
        }
        events += log_of(plain, c).records();
    }
    return first.text;
}

// Nobody listens where the fast engine is to be as fast as it can; then every core is recorded, if the lab has such a
// machine.
engines_verdict checked(job const& j, request const& what, recorded_program const* executed,
                        run_progress_sink const& progress) {
    engines_verdict v;
    auto const on = [&](engine const& machine) { return run_on(machine, j, what, executed, progress); };
    auto const fast = on(j.machine->make(j.numbers, j.policies));
    v.cycles = fast.total.cycles;
    auto const* const recordable = recorder_for(j);
    if (recordable == nullptr) {
        v.parted = differences_of(fast, on(reference_of(j).machine));
        return v;
    }
    auto const scheduler = j.text_of("warp_scheduler");
    testing::event_recorder const all({testing::event_log_header::every_core, {}, scheduler});
    core_listeners const heard{all, {}, report::run_profile(), report::core_activity()};
    auto const listened = recordable->make(j.numbers, scheduler, heard, j.others());
    auto const reference = reference_of(j, heard);
    auto const told = on(listened.machine);
    auto const plain = on(reference.machine);
    v.parted = parting_of(listened, reference, j.numbers.core.count, v.events);
    for (auto const* one : {&fast, &told})
        if (v.parted.empty()) v.parted = differences_of(*one, plain);
    return v;
}

} // namespace

int check_engines(request const& what) {
    auto const subjects = subjects_of(what);
    left_out without;
    auto const jobs = jobs_of(what, subjects, &without);
    if (!what.quiet) without.tell();
    shared_function function(what, nullptr);
    std::size_t widths[] = {6, 6, 9};
    for (auto const& j : jobs) {
        std::size_t const lengths[] = {j.program->name.size(), j.machine->preset.size(),
                                       policies_of(j).size()};
        for (unsigned i = 0; i < 3; ++i) widths[i] = std::max(widths[i], lengths[i]);
    }
    auto const row = [&](std::string const& kernel, std::string const& preset, std::string const& policies,
                         std::string const& cycles, std::string const& events, std::string const& found) {
        auto const padded = [](std::string text, std::size_t width) {
            text.resize(std::max(width, text.size()) + 2, ' ');
            return text;
        };
        auto const right = [](std::string const& text) {
            return std::string(text.size() < 13 ? 13 - text.size() : 0, ' ') + text + "  ";
        };
        std::cout << padded(kernel, widths[0]) << padded(preset, widths[1]) << padded(policies, widths[2])
                  << right(cycles) << right(events) << found << std::endl; // long runs are read as they go
    };
    if (!what.quiet) row("kernel", "preset", "policies", "cycles", "events", "engines");
    std::optional<report::progress_bar> bar;
    if (!what.quiet && isatty(STDERR_FILENO) != 0) bar.emplace(std::cerr, true);
    std::size_t done = 0;
    std::size_t parted = 0;
    for (auto const& j : jobs) {
        run_progress_sink sink;
        if (bar) {
            auto const tell = [&](run_progress const&) {
                bar->update(static_cast<double>(done) / static_cast<double>(jobs.size()), j.program->name);
            };
            sink = tell;
        }
        engines_verdict v;
        try {
            v = checked(j, what, function.of(j, sink), sink);
        } catch (error const& e) {
            v.parted = e.what();
        }
        parted += !v.parted.empty();
        if (!what.quiet || !v.parted.empty())
            row(j.program->name, j.machine->preset, policies_of(j), report::with_thousands(v.cycles),
                v.events == 0 ? "counters" : report::with_thousands(v.events),
                v.parted.empty() ? "equal" : "part: " + v.parted);
        ++done;
    }
    std::cerr << "lab: " << done << " runs on both engines, " << parted << " of them part\n";
    return parted == 0 ? 0 : 1;
}

} // namespace lab
