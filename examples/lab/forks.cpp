// `lab fork`: one warmed-up machine, run on under each of several schedulers.
#include <warpkit/config/settings.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/progress.hpp>

#include "logs.hpp"
#include "runs.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace lab {

using namespace warpkit;

namespace {

// A warm-up as text: a number of cycles or warp instructions, or a share of the program's.
struct warm_up {
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
    std::uint64_t percent = 0;

    explicit warm_up(std::string_view text) {
        auto const ends_with = [&](std::string_view unit) {
            if (!text.ends_with(unit)) return false;
            text.remove_suffix(unit.size());
            return true;
        };
        auto& n = ends_with("%") ? percent : ends_with("instructions") ? instructions : cycles;
        ends_with("cycles");
        n = parse_number(text, "", "--warm-up, as in 20kcycles, 50kinstructions or 30%");
        if (percent >= 100)
            throw error("--warm-up " + std::to_string(percent) +
                        "% leaves nothing to compare; give less than 100%");
    }
};

} // namespace

int fork(request const& what, fork_request const& how) {
    warm_up const warm(how.warm_up);
    auto const names = chosen_texts("warp_scheduler", all_named(what).schedulers, {"lrr", "gto"});
    auto const under =
        how.under.empty() ? names.front() : chosen_texts("warp_scheduler", {how.under}, {}).front();
    auto one = what;
    one.schedulers = {under};
    files_of(what);
    auto const subjects = subjects_of(one);
    left_out without;
    auto const jobs = jobs_of(one, subjects, &without);
    if (!what.quiet) without.tell();
    for (auto const& j : jobs) (void)recorder_of(j, "fork");

    fork_order order;
    order.schedulers = {under};
    for (auto const& name : names)
        if (std::find(order.schedulers.begin(), order.schedulers.end(), name) == order.schedulers.end())
            order.schedulers.push_back(name);
    order.workers = workers_of(what);
    shared_function function(what, nullptr);
    std::vector<report::run_record> runs;
    {
        std::optional<report::progress_bar> bar;
        if (!what.quiet) bar.emplace(std::cerr, isatty(STDERR_FILENO) != 0);
        for (auto const& j : jobs) {
            auto const show = [&](std::string const& doing) {
                if (bar)
                    bar->update(static_cast<double>(runs.size()) /
                                    static_cast<double>(jobs.size() * names.size()),
                                j.program->name + ' ' + doing);
            };
            show("warming up");
            order.begins = show;
            auto record = record_of(j);
            record.labels.emplace_back("warm_up", how.warm_up);
            record.labels.emplace_back("warm_up_scheduler", under);
            record.labels.emplace_back("fork_cycle", "");
            std::vector<forked_run> forks;
            try {
                auto const& program = *function.of(j, {});
                order.cycles = warm.cycles;
                order.instructions =
                    warm.percent != 0 ? program.instructions() * warm.percent / 100 : warm.instructions;
                order.others = j.others();
                forks = recorder_of(j, "fork").fork(j.numbers, program, order);
                record.verified = program.verified;
                record.problem = program.wrong;
            } catch (error const& e) {
                record.problem = e.what();
            }
            for (auto const& name : names) {
                auto forked = record;
                for (auto const& f : forks) {
                    if (f.scheduler != name) continue;
                    report::fingerprint fingerprint;
                    for (auto const& launch : f.launches) {
                        forked.counters += launch;
                        fingerprint.add(launch);
                    }
                    forked.counters = difference(forked.counters, f.at);
                    forked.fingerprint = fingerprint.value();
                    forked.seconds = f.seconds;
                    forked.labels.back().second = std::to_string(f.at.cycles);
                }
                for (auto& [key, value] : forked.labels)
                    if (key == "scheduler") value = name;
                runs.push_back(std::move(forked));
            }
        }
    }
    write_results(what, runs);
    if (!prints_results(what) && (!what.quiet || (what.json.empty() && what.csv.empty()))) print_forks(runs);
    return judge(runs);
}

} // namespace lab
