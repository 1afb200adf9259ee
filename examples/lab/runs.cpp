// Carries out `lab run`.
#include "runs.hpp"

#include <warpkit/base/input_file.hpp>
#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/record.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/program/point_use.hpp>
#include <warpkit/report/progress.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/version.hpp>

#include "catalogue.hpp"
#include "checkpoints.hpp"
#include "command_line.hpp"
#include "lab.hpp"
#include "logs.hpp"
#include "machine_files.hpp"
#include "support/program.hpp"
#include "traces.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace lab {

using namespace warpkit;

recorder const* recorder_for(job const& j) {
    for (auto const& r : recorders())
        if (std::find(r.presets.begin(), r.presets.end(), j.machine->preset) != r.presets.end() &&
            serves_dram(r.dram, j.machine->chosen[1]) && same_seats(r.own, j.own))
            return &r;
    return nullptr;
}
recorder const& recorder_of(job const& j, char const* command) {
    // What watches cores tells their kernels apart by the order in which they begin, which is each core's own then.
    if (j.numbers.core.kernels > 1)
        throw error({command, ": it tells of one kernel after the other; set core.kernels=1"});
    if (auto const* const r = recorder_for(j)) return *r;
    auto what = "the DRAM scheduler " + j.machine->chosen[1];
    for (auto const& o : j.own) what += ", " + o.slot + ' ' + o.policy;
    throw error({command, ": this lab was compiled for it without ", what,
                 "; leave it out, or name it in WARPKIT_LAB_POLICIES (docs/reference/lab.md)"});
}

static ptx::execution_limits limits_of(request const& what) {
    ptx::execution_limits limits;
    limits.instructions = what.limit;
    limits.stream_bytes = what.stream_limit;
    limits.stream_option = "--stream-limit";
    return limits;
}

recorded_program executed(subject const& program, request const& what, std::uint64_t memory,
                          run_progress_sink const& progress, bool scheduled_code) {
    store_options const store{memory, {}};
    auto limits = limits_of(what);
    if (scheduled_code) limits.order = ptx::code_order::scheduled;
    return program.trace
               ? record(*program.trace, progress, program.copies, store)
               : record(host_program{program.ptx, program.ptx_name, program.run}, progress, limits, store);
}

shared_function::shared_function(request const& what, std::vector<job> const* jobs)
    : what_(&what),
      jobs_(jobs) {}

recorded_program const* shared_function::of(job const& j, run_progress_sink const& progress) {
    if (!what_->reuse || !j.shares_function) return nullptr;
    if (program_ != j.program) {
        program_ = j.program;
        recorded_.reset();
    }
    if (!recorded_) {
        std::uint64_t runs = 0;
        if (jobs_ != nullptr)
            for (auto const& other : *jobs_)
                if (other.program == program_ && other.shares_function) runs += what_->repeat;
        if (jobs_ != nullptr && runs < 2) return nullptr;
        recorded_ = executed(*program_, *what_, what_->reuse_memory, progress);
        ++programs_;
        spent_ += recorded_->execute_seconds + recorded_->storing_seconds;
        most_kept_ = std::max(most_kept_, recorded_->store().memory() + recorded_->store().disk());
        most_on_disk_ = std::max(most_on_disk_, recorded_->store().disk());
    }
    return &*recorded_;
}

void shared_function::used(double seconds) {
    ++runs_;
    spent_ += seconds;
    each_time_ += recorded_->execute_seconds;
}

std::string shared_function::text() const {
    if (runs_ == 0) return {};
    auto const megabytes = [](std::uint64_t n) {
        return report::fixed(static_cast<double>(n) / 1e6, 1) + " MB";
    };
    auto text = (programs_ == 1 ? "The program was" : std::to_string(programs_) + " programs were each") +
                std::string(" executed once for ") + std::to_string(runs_) +
                " runs: " + report::fixed(spent_, 2) + " s in place of " + report::fixed(each_time_, 2) +
                " s; " + megabytes(most_kept_) + " kept at most";
    if (most_on_disk_ != 0) text += ", " + megabytes(most_on_disk_) + " of it on disk";
    return text + " (--no-reuse, --reuse-memory).";
}

// How a run was sampled, in short: what is not as by default.
static std::string sampling_text(sampling_options const& how) {
    sampling_options const usual;
    std::string text;
    auto const add = [&](char const* name, auto own, auto by_default) {
        if (own == by_default) return;
        std::ostringstream value;
        value << own;
        text += (text.empty() ? "" : " ") + std::string(name) + '=' + value.str();
    };
    add("interval", how.interval, usual.interval);
    add("intervals", how.intervals, usual.intervals);
    add("tolerance", how.tolerance, usual.tolerance);
    add("stretch", how.stretch, usual.stretch);
    return text.empty() ? "on" : text;
}

report::run_record record_of(job const& j) {
    report::run_record record;
    record.labels = {{"kernel", j.program->name},
                     {"preset", j.name},
                     {"scheduler", j.text_of("warp_scheduler")},
                     {"dram_scheduler", j.dram},
                     {"replay_queue", j.text_of("replay_queue")},
                     {"l1", j.l1},
                     {"l2", j.l2}};
    record.labels.emplace_back("dispatch", j.text_of("cta_choice"));
    record.labels.emplace_back("occupancy", j.text_of("occupancy_limit"));
    if (!j.more.empty()) record.labels.emplace_back("policies", j.more);
    if (!j.program->file_kind.empty()) record.labels.emplace_back(j.program->file_kind, j.program->file_name);
    if (j.sample) record.labels.emplace_back("sampling", sampling_text(*j.sample));
    record.labels.emplace_back("parameters", j.program->parameters);
    record.inputs = j.program->inputs;
    record.changes = j.changes;
    record.numbers = j.numbers;
    return record;
}

// The launch with most cycles, the first of equals.
static std::optional<report::main_launch_figures> main_launch_of(simulation_result const& result,
                                                                 gpu_parameters const& numbers) {
    launch_record const* most = nullptr;
    for (auto const& l : result.launches)
        if (most == nullptr || l.counters.cycles > most->counters.cycles) most = &l;
    if (most == nullptr || result.total.cycles == 0) return {};
    auto const fit =
        occupancy_of(compiled_for(numbers, most->needs, most->registers_estimated), resources_of(numbers));
    report::main_launch_figures f;
    f.kernel = most->kernel;
    f.share = static_cast<double>(most->counters.cycles) / static_cast<double>(result.total.cycles);
    f.ctas = most->grid.count();
    f.ctas_per_core = limited_to_grid(fit, f.ctas, numbers.core.count).ctas;
    f.warps_per_cta = (most->needs.threads + lanes - 1) / lanes;
    if (fit.ctas != 0 && numbers.core.count != 0)
        f.waves = static_cast<double>(f.ctas) / (static_cast<double>(numbers.core.count) * fit.ctas);
    return f;
}

// Kernels by their names, in the order of their first launches.
static report::program_point_figures points_of(recorded_program const& executed) {
    report::program_point_figures figures;
    std::vector<point_use> uses;
    for (auto const& step : executed.launches()) {
        stored_launch::reader reader(*step.ctas);
        auto const launch = reader.launch();
        auto& known = figures.points;
        auto const at = static_cast<std::size_t>(
            std::find_if(known.begin(), known.end(), [&](auto const& k) { return k.first == step.kernel; }) -
            known.begin());
        if (at == known.size()) {
            uses.emplace_back(*launch.program);
            known.emplace_back(step.kernel, uses.back().points());
        }
        cta_stream streams;
        for (std::uint64_t cta = 0; cta < launch.ctas(); ++cta) {
            streams.reset(launch.warps_per_cta());
            launch.fill(launch.source, cta, streams);
            uses[at].add(*launch.program, streams);
        }
    }
    std::uint64_t instructions = 0;
    std::uint64_t recalculations = 0;
    for (auto const& u : uses) {
        instructions += u.instructions();
        recalculations += u.recalculations();
    }
    if (instructions != 0)
        figures.recalculations_saved =
            1 - static_cast<double>(recalculations) / static_cast<double>(instructions);
    return figures;
}

simulation_result run_on(engine const& machine, job const& j, request const& what,
                         recorded_program const* executed, run_progress_sink const& progress) {
    if (executed != nullptr) return simulate(machine, *executed, progress);
    if (j.program->trace) return simulate(machine, *j.program->trace, progress, j.program->copies);
    host_program const program{j.program->ptx, j.program->ptx_name, j.program->run};
    return simulate(machine, program, progress, limits_of(what));
}
static engine drawn_machine(job const& j, request const& what) {
    return recorder_of(j, "--timeline")
        .make(j.numbers, j.text_of("warp_scheduler"),
              {{}, report::timeline(what.drawn), report::run_profile(), report::core_activity()}, j.others())
        .machine;
}
static observed_machine metered_machine(job const& j) {
    return recorder_of(j, "--energy")
        .make(j.numbers, j.text_of("warp_scheduler"),
              {{}, {}, report::run_profile(), report::core_activity(true)}, j.others());
}
// After AccelWattch, with its numbers for Volta, whatever the machine.
static report::energy_figures energy_of(job const& j, request const& what, simulation_result const& result,
                                        report::machine_activity const& activity) {
    auto const& model = report::accelwattch_volta;
    return {model.name, report::is_calibrated(j.name, !j.changes.empty() || !what.machines.empty()),
            report::energy_of(result.launches, activity, j.numbers, model)};
}
observed_machine reference_of(job const& j, core_listeners const& listeners) {
    machine_names const names{.preset = j.machine->preset,
                              .scheduler = j.machine->chosen[0],
                              .dram = j.machine->chosen[1],
                              .replay = j.machine->chosen[2],
                              .own = j.own};
    return on_the_reference(names, j.numbers, j.text_of("warp_scheduler"), listeners, j.others());
}

// The same sink, but for a run that may take so long: an error, where it is told of progress behind that.
static run_progress_sink watched(run_progress_sink const& sink, double seconds) {
    if (seconds == 0) return sink;
    using clock = std::chrono::steady_clock;
    return [sink, seconds, began = clock::now()](run_progress const& p) {
        if (sink) sink(p);
        if (std::chrono::duration<double>(clock::now() - began).count() <= seconds) return;
        std::ostringstream text;
        text << "it takes more than " << seconds << " s of the host's time (--time-limit): '" << p.kernel
             << "', launch " << p.launches + 1 << ", had finished "
             << report::with_thousands(p.in_kernel.finished_ctas) << " of "
             << report::with_thousands(p.in_kernel.ctas) << " CTAs in "
             << report::with_thousands(p.in_kernel.cycles) << " cycles";
        throw error(text.str());
    };
}

finished_job carry_out(job const& j, request const& what, std::shared_ptr<worker_pool> const& workers,
                       run_progress_sink const& progress, shared_function& function) {
    return carry_out(
        j, what, workers, progress, [&] { return function.of(j, progress); },
        [&](double seconds) { function.used(seconds); });
}

finished_job carry_out(job const& j, request const& what, std::shared_ptr<worker_pool> const& workers,
                       run_progress_sink const& progress,
                       std::function<recorded_program const*()> const& execute,
                       std::function<void(double)> const& used) {
    finished_job done;
    auto& record = done.record = record_of(j);
    try {
        auto const* const executed = execute();
        for (unsigned i = 0; i < what.repeat; ++i) {
            observed_machine metered;
            if (what.energy) metered = metered_machine(j);
            auto machine = what.energy         ? metered.machine
                           : what.on_reference ? reference_of(j).machine
                           : what.drawn        ? drawn_machine(j, what)
                                               : j.machine->make(j.numbers, j.policies);
            if (what.intervals != 0) machine.keep_intervals(what.intervals);
            if (workers) machine.share(workers);
            if (j.sample) machine.sample(*j.sample);
            keep(machine, j, what);
            auto const result = run_on(machine, j, what, executed, watched(progress, what.time_limit));
            if (executed != nullptr && used) used(result.function_seconds);
            report::fingerprint fingerprint;
            for (auto const& launch : result.launches) fingerprint.add(launch.counters);
            if (i != 0 && fingerprint.value() != record.fingerprint)
                throw error("two runs of the same thing differ: fingerprints " +
                            report::hexadecimal(record.fingerprint) + " and " +
                            report::hexadecimal(fingerprint.value()));
            record.fingerprint = fingerprint.value();
            record.counters = result.total;
            record.sampled = j.sample.has_value();
            record.estimate = result.estimate;
            record.verified = result.verified;
            record.problem = result.wrong;
            done.launches = result.launches;
            record.main_launch = main_launch_of(result, j.numbers);
            if (j.numbers.core.kernels > 1) record.kernels = result.kernels;
            if ((what.launches || what.intervals != 0) && i == 0)
                for (auto const& l : result.launches)
                    record.launches.push_back(
                        {l.kernel, l.grid, l.block, l.counters, l.estimate, l.intervals});
            if (what.energy) record.energy = energy_of(j, what, result, metered.activity());
            if (j.numbers.row_sharing == "on") {
                auto const rows = machine.row_sharing();
                record.row_sharing = {rows.rows(), rows.ctas_per_row(), rows.consecutive_share()};
            }
            if (j.program_points && !record.program_points)
                record.program_points =
                    executed != nullptr
                        ? points_of(*executed)
                        : points_of(lab::executed(*j.program, what, what.reuse_memory, progress,
                                                  j.numbers.core.scheduled_code != 0));
            if (i == 0 || result.seconds < record.seconds) {
                record.seconds = result.seconds;
                record.function_seconds = result.function_seconds;
            }
        }
    } catch (error const& e) {
        record.verified = false;
        record.problem = e.what();
    } catch (std::bad_alloc const&) {
        record.verified = false;
        record.problem = examples::out_of_memory(less_memory);
    }
    return done;
}

namespace {

std::string version() {
    return std::to_string(WARPKIT_VERSION_MAJOR) + '.' + std::to_string(WARPKIT_VERSION_MINOR) + '.' +
           std::to_string(WARPKIT_VERSION_PATCH);
}

std::string json_of_runs(std::vector<report::run_record> const& runs) {
    report::json_writer w;
    w.begin_object().member("warpkit", version()).key("runs").begin_array();
    for (auto const& r : runs) append_json(w, r);
    w.end_array().end_object();
    return w.text();
}

} // namespace

run_files files_of(request const& what) {
    auto files = what.files;
    for (auto const& list : what.traces)
        for (auto const& file : trace_files(list)) files.reads(file, "a trace of --trace " + list);
    return files;
}

bool prints_results(request const& what) {
    return is_standard_output(what.json) || is_standard_output(what.csv) || is_standard_output(what.timeline);
}

std::shared_ptr<worker_pool> workers_of(request const& what) {
    try {
        auto workers = std::make_shared<worker_pool>(what.threads);
        if (workers->threads() < what.threads)
            std::cerr << "lab: warning: --threads " << what.threads << ": this process may run on "
                      << workers->threads() << " of the host's cores, and takes no more threads\n";
        return workers;
    } catch (std::system_error const& e) {
        throw error("--threads " + std::to_string(what.threads) + ": the host gives no more threads (" +
                    e.code().message() + "); ask for fewer");
    }
}

void write_results(request const& what, std::vector<report::run_record> const& runs) {
    std::vector<output_file> files;
    auto const write = [&](std::string const& name, auto const& text) {
        if (!name.empty()) files.emplace_back(name).write(text(runs));
    };
    write(what.json, json_of_runs);
    write(what.csv, report::to_csv);
    for (auto& f : files) f.close();
    for (auto& f : files) f.commit();
}

int judge(std::vector<report::run_record> const& runs) {
    bool good = true;
    for (auto const& r : runs)
        if (!r.verified) {
            good = false;
            std::cerr << "lab: " << r.label("kernel") << " under " << r.label("scheduler") << " on "
                      << r.label("preset") << ": " << r.problem << '\n';
        }
    return good ? 0 : 1;
}

// The timeline that was asked for, while it is written.
struct drawn_timeline {
    drawn_timeline(request& what, job const& j)
        : file(std::make_unique<output_file>(what.timeline)),
          text(std::make_shared<report::timeline_file>(
              options_of(what, j), [to = file.get()](std::string_view t) { to->write(t); })) {
        what.drawn = text;
    }
    void finish(cycle end) {
        text->finish(end);
        file->close();
        file->commit();
    }

private:
    static report::timeline_options options_of(request const& what, job const& j) {
        report::timeline_options options;
        options.cores = what.timeline_cores;
        options.channels = what.timeline_partitions;
        for (auto const c : options.channels)
            if (c >= j.numbers.memory.channels)
                throw error("--partition " + std::to_string(c) + ": " + j.name +
                            " has memory partitions 0 to " + std::to_string(j.numbers.memory.channels - 1));
        for (auto const c : options.cores)
            if (c >= j.numbers.core.count)
                throw error("--core " + std::to_string(c) + ": " + j.name + " has cores 0 to " +
                            std::to_string(j.numbers.core.count - 1));
        if (what.timeline_cycles.empty()) return options;
        auto const place = "--timeline-cycles " + what.timeline_cycles;
        auto const colon = what.timeline_cycles.find(':');
        if (colon == std::string::npos)
            throw error(place + ": write FROM:TO, as 1000:3000; either may be left out");
        auto const from = what.timeline_cycles.substr(0, colon);
        auto const to = what.timeline_cycles.substr(colon + 1);
        if (!from.empty()) options.from = parse_number(from, "cycles", place);
        if (!to.empty()) options.to = parse_number(to, "cycles", place);
        return options;
    }

    std::unique_ptr<output_file> file;
    std::shared_ptr<report::timeline_file> text;
};

// What goes with what, before any work.
static void check_time(request const& what, std::vector<job> const& jobs) {
    bool const in_file = !what.json.empty() || !what.csv.empty();
    if (what.intervals != 0 && !in_file)
        throw error(
            "--intervals: they go into a file; give --json or --csv a name, or - for standard output");
    if (what.intervals != 0 && what.on_reference)
        throw error("--intervals: --engine reference counts whole kernels; leave one of the two out");
    if (what.intervals != 0 && what.sample)
        throw error("--intervals: --sample leaves parts of kernels out; leave one of the two out");
    if (what.energy) {
        if (what.on_reference)
            throw error("--energy: it is of the fast engine; leave --engine reference out");
        if (what.sample)
            throw error("--energy: --sample leaves parts of kernels out; leave one of the two out");
        if (!what.timeline.empty())
            throw error("--energy: --timeline listens alone; leave one of the two out");
        for (auto const& j : jobs) (void)recorder_of(j, "--energy");
    }
    if (what.timeline.empty()) {
        if (!what.timeline_cycles.empty()) throw error("--timeline-cycles: give --timeline a file, too");
        if (!what.timeline_cores.empty()) throw error("--core: give --timeline a file, too");
        if (!what.timeline_partitions.empty()) throw error("--partition: give --timeline a file, too");
        return;
    }
    if (jobs.size() != 1)
        throw error("--timeline: it is of one run, and this is " + std::to_string(jobs.size()) +
                    "; name one kernel, scheduler and machine (--kernel, --scheduler, --preset)");
    if (what.repeat != 1) throw error("--timeline: it is of one run; leave --repeat out");
    if (what.on_reference) throw error("--timeline: it is of the fast engine; leave --engine reference out");
    if (what.threads != 1)
        throw error("--timeline: it is written in one thread, in one order; leave --threads out");
    (void)recorder_of(jobs.front(), "--timeline");
}

int run(request const& asked) {
    auto what = asked;
    if (!what.view.empty() && what.view != "all") chosen({what.view}, {}, view_names(), "view");
    auto files = files_of(what);
    auto const subjects = subjects_of(what, &files);
    left_out without;
    auto const jobs = jobs_of(what, subjects, &without);
    if (!what.quiet) without.tell();
    check_time(what, jobs);
    check_checkpoint(what, jobs);
    auto const workers = workers_of(what);
    shared_function function(what, &jobs);
    std::optional<drawn_timeline> timeline;
    if (!what.timeline.empty()) timeline.emplace(what, jobs.front());
    std::vector<report::run_record> runs;
    std::set<std::string> notes;
    {
        std::optional<report::progress_bar> bar;
        if (!what.quiet) bar.emplace(std::cerr, isatty(STDERR_FILENO) != 0);
        for (auto const& j : jobs) {
            auto name = j.program->name + ' ' + j.text_of("warp_scheduler");
            if (bar && !what.checkpoint.empty())
                what.kept = [&, plain = name](std::string const& told) { name = plain + ", " + told; };
            run_progress_sink sink;
            if (bar)
                sink = [&](run_progress const& p) {
                    // How many launches a program makes is not known: each one is taken to be half of what is left.
                    auto const n = static_cast<double>(p.launches);
                    auto const in_kernel = p.in_kernel.ctas == 0
                                               ? 0.0
                                               : static_cast<double>(p.in_kernel.finished_ctas) /
                                                     static_cast<double>(p.in_kernel.ctas);
                    auto const in_job = p.launches == 0 ? in_kernel / 2 : 1 - 1 / (n + 1) / (1 + in_kernel);
                    bar->update(
                        (static_cast<double>(runs.size()) + in_job) / static_cast<double>(jobs.size()), name);
                };
            if (bar) bar->update(static_cast<double>(runs.size()) / static_cast<double>(jobs.size()), name);
            auto done = carry_out(j, what, workers, sink, function);
            for (auto const& launch : done.launches)
                if (!launch.note.empty())
                    notes.insert(launch.kernel + " under " + j.text_of("cta_choice") + ": " + launch.note);
            runs.push_back(std::move(done.record));
        }
    }
    if (timeline && runs.front().verified) timeline->finish(runs.front().counters.cycles);
    write_results(what, runs); // before anything is printed, which may be cut short
    bool const alone = prints_results(what);
    if (!alone && (!what.quiet || (what.json.empty() && what.csv.empty()))) {
        print_tables(runs, what.view);
        if (!notes.empty()) std::cout << '\n';
        for (auto const& note : notes) std::cout << "note: " << note << '\n';
        if (auto const reused = function.text(); !reused.empty()) std::cout << '\n' << reused << '\n';
    }
    for (auto const& s : subjects)
        if (s.printed && !s.printed->empty() && !alone) std::cout << '\n' << *s.printed;
    return judge(runs);
}

void record(request const& what, unsigned core, std::string const& file) {
    auto const subjects = subjects_of(what);
    auto const j = jobs_of(what, subjects).front();
    auto const& recorder = recorder_of(j, "record");
    if (core >= j.numbers.core.count)
        throw error("--core " + std::to_string(core) + ": " + j.machine->preset + " has cores 0 to " +
                    std::to_string(j.numbers.core.count - 1));
    testing::event_recorder const events(
        {core, j.program->name + " on " + j.machine->preset, j.text_of("warp_scheduler")});
    auto const observed =
        recorder.make(j.numbers, j.text_of("warp_scheduler"),
                      {events, {}, report::run_profile(), report::core_activity()}, j.others());
    auto const result = simulate(observed.machine, {j.program->ptx, j.program->ptx_name, j.program->run}, {},
                                 limits_of(what));
    if (!result.verified) throw error(j.program->name + ": " + result.wrong);
    auto const& log = observed.core(core).get<testing::event_recorder>().log();
    log.write(file);
    auto& out = is_standard_output(file) ? std::cerr : std::cout;
    out << file << ": " << log.header().title << ", core " << core << ", under " << log.header().scheduler
        << ": " << log.records() << " events in " << log.size() << " bytes\n";
}

void trace(request const& what, trace_output const& to) {
    auto files = files_of(what);
    auto const subjects = subjects_of(what, &files);
    trace_folder folder(to, files);
    for (auto const& s : subjects) {
        auto const result = simulate(folder.writer(), {s.ptx, s.ptx_name, s.run}, {}, limits_of(what));
        if (!result.verified) throw error(s.name + ": " + result.wrong);
    }
    folder.finish();
}

} // namespace lab
