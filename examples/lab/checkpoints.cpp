#include "checkpoints.hpp"

#include <warpkit/config/checkpoint_file.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/report/text.hpp>

#include "plan.hpp"

#include <charconv>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace lab {

using namespace warpkit;

namespace {

// How often, as 90s, 5m, 1h or a number of core cycles.
void read_every(std::string const& text, checkpoint_options& to) {
    static constexpr char const* where = "--checkpoint-every";
    auto const unit = text.empty() ? ' ' : text.back();
    auto const seconds = unit == 's' ? 1.0 : unit == 'm' ? 60.0 : unit == 'h' ? 3600.0 : 0.0;
    if (seconds == 0) {
        to.cycles = parse_number(text, "cycles", where);
        if (to.cycles == 0)
            throw error(std::string(where) + " 0: give a time, as 60s, or core cycles, as 1000000");
        return;
    }
    double n = 0;
    auto const* const end = text.data() + text.size() - 1;
    auto const [at, wrong] = std::from_chars(text.data(), end, n);
    if (wrong != std::errc() || at != end || !(n >= 0 && n <= 1e6))
        throw error(std::string(where) + ' ' + text +
                    ": give a time, as 60s, 5m or 1h, or core cycles, as 1000000");
    to.seconds = n * seconds;
}

run_identity identity_of(engine const& machine, job const& j, request const& what) {
    run_identity of{{"version", code_version()}};
    auto const point = point_of(j, code_of(*j.program));
    auto const add = [&](std::string const& name, nlohmann::json const& value) {
        of.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
    };
    for (auto const* const part : {"labels", "parameters", "policies", "numbers"})
        if (auto const found = point.find(part); found != point.end())
            for (auto const& [name, value] : found->items()) add(name, value);
    add("code", point.at("code"));
    add("check-dram", what.check_dram ? "on" : "off");
    of.emplace_back("build", machine.state_layout());
    return of;
}

std::string shown_place(checkpoint_place const& at) {
    return "launch " + std::to_string(at.launches + 1) + " (" + at.kernel + "), cycle " +
           report::with_thousands(at.cycles);
}

} // namespace

void check_checkpoint(request const& what, std::vector<job> const& jobs) {
    if (what.checkpoint.empty()) {
        if (what.resume) throw error("--resume: name the file to go on from: --checkpoint FILE");
        if (!what.checkpoint_every.empty()) throw error("--checkpoint-every: give --checkpoint a file, too");
        return;
    }
    auto const refuse = [](std::string const& other) {
        throw error("--checkpoint: it does not hold what " + other + " keeps; leave one of the two out");
    };
    if (jobs.size() != 1)
        throw error(
            "--checkpoint: it is of one run, and this is " + std::to_string(jobs.size()) +
            "; name one kernel, scheduler and machine (--kernel, --scheduler, --preset); for many, lab sweep "
            "goes on where it was killed");
    if (what.repeat != 1) throw error("--checkpoint: it is of one run; leave --repeat out");
    if (what.on_reference)
        throw error("--checkpoint: it is of the fast engine; leave --engine reference out");
    if (what.sample) refuse("--sample");
    if (what.intervals != 0) refuse("--intervals");
    if (!what.timeline.empty()) refuse("--timeline");
    if (what.energy) refuse("--energy");
    if (jobs.front().numbers.core.kernels > 1)
        throw error("--checkpoint: it is of one kernel after the other; set core.kernels=1");
    checkpoint_options every;
    if (!what.checkpoint_every.empty()) read_every(what.checkpoint_every, every);
    std::error_code missing;
    if (std::filesystem::exists(what.checkpoint, missing) &&
        !std::filesystem::is_regular_file(what.checkpoint, missing))
        throw error("--checkpoint " + what.checkpoint + ": it is no file; name one");
}

void keep(engine& machine, job const& j, request const& what) {
    if (what.checkpoint.empty()) return;
    auto const of = identity_of(machine, j, what);
    checkpoint_options options;
    if (!what.checkpoint_every.empty()) read_every(what.checkpoint_every, options);
    std::error_code missing;
    if (what.resume && std::filesystem::exists(what.checkpoint, missing))
        options.resume = read_checkpoint(what.checkpoint, of);
    else if (what.resume && !what.quiet)
        std::cerr << "lab: " << what.checkpoint << " is not there yet: the run begins\n";
    auto const quiet = what.quiet;
    options.resumed = [file = what.checkpoint, quiet](checkpoint_place const& at) {
        if (!quiet) std::cerr << "lab: goes on from " << file << ": " << shown_place(at) << '\n';
    };
    options.keep = [file = what.checkpoint, of, told = what.kept](std::string const& bytes,
                                                                  checkpoint_place const& at) {
        auto const size = write_checkpoint(file, of, bytes);
        if (told)
            told("checkpoint of " + report::fixed(static_cast<double>(size) / 1e6, 1) + " MB at " +
                 shown_place(at));
    };
    try {
        machine.keep(std::move(options));
    } catch (error const& e) {
        throw error("--checkpoint " + what.checkpoint + ": " + e.what());
    }
}

} // namespace lab
