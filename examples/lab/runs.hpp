#pragma once
// Programs and runs, for the commands that make some.

#include <warpkit/config/copy_effect.hpp>
#include <warpkit/config/recorded_program.hpp>
#include <warpkit/report/run_record.hpp>

#include "catalogue.hpp"
#include "lab.hpp"
#include "launch/launch_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::accelsim {
class trace_program;
}

namespace lab {

// A program, whatever the machine. What files it is of is told by their contents, and by the last part of their name.
struct subject {
    std::string name;
    std::string parameters; // as text
    std::string_view ptx;
    std::string ptx_name;
    std::function<void(warpkit::device&)> run;
    std::shared_ptr<warpkit::accelsim::trace_program> trace = {};   // if it is no program, but a trace of one
    std::vector<std::pair<std::string, std::uint64_t>> inputs = {}; // its parameters, where they are numbers
    std::string file_kind = {}; // ptx, launch or trace; empty: it is shipped
    std::string file_name = {};
    std::string code = {};                           // a hash of the files' contents; empty: of its PTX
    std::shared_ptr<void const> keeps = {};          // what `ptx` and `run` refer to
    std::shared_ptr<std::string const> printed = {}; // what a launch file left to print
    warpkit::copy_effect copies = warpkit::copy_effect::as_accel_sim; // in its trace
    warpkit::kernels::units needs = {}; // a machine that has them not does not run it
};

// One thing to run.
struct job {
    subject const* program = nullptr;
    std::string name; // of the machine: its preset's, or a file's
    std::shared_ptr<warpkit::sweep_point const> machine;
    warpkit::gpu_parameters numbers;
    std::vector<std::pair<std::string, std::string>> changes;
    std::string dram; // its DRAM scheduler, with its parameters
    std::string l1;   // variants of the caches
    std::string l2;
    std::vector<warpkit::slot_and_policy>
        policies;     // what is chosen when the machine is made, by seat and text
    std::string more; // what was asked for with --use, as a label; empty if nothing

    std::string const& text_of(std::string_view seat) const;
    // All but the warp scheduler.
    std::vector<warpkit::slot_and_policy> others() const;
    std::vector<warpkit::slot_and_policy>
        own; // policies that its machine is compiled with in place of the preset's
    // Its blocks are dispatched in the order of their numbers, and its code is as written: as in most other jobs.
    bool shares_function = true;
    bool program_points = false;
    std::optional<warpkit::sampling_options> sample; // time parts of long kernels
};
struct finished_job {
    warpkit::report::run_record record;
    std::vector<warpkit::launch_record> launches;
};

// These names, or the defaults if there are none; refuses what is not known.
std::vector<std::string> chosen(std::vector<std::string> const& asked,
                                std::vector<std::string> const& defaults,
                                std::vector<std::string> const& known, std::string const& kind);
// These texts, or the defaults if there are none; refuses those that name no policy of this seat as it can be.
std::vector<std::string> chosen_texts(char const* seat, std::vector<std::string> const& asked,
                                      std::vector<std::string> const& defaults);
// Refuses kernels, their inputs, numbers, machines and policies that there are not, whatever they are to go with.
void check_names(request const& asked);
// Refuses files that do not go with each other or with the kernels named.
void check_program_files(request const& what);
// The programs asked for. `files`: launch files write their outputs, and these and what they read are noted there;
// null: what they put out is dropped.
std::vector<subject> subjects_of(request const& what, warpkit::run_files* files = nullptr);
// Which kernels machines do not run, because they lack a unit, and which kinds of cache they cannot have: unless it is
// named itself, it is left out.
class left_out {
public:
    void add(std::string const& why, std::string const& name) {
        auto& names = of_[why];
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    // One for each reason.
    std::vector<std::string> sentences() const;
    // Writes them to standard error, as notes.
    void tell() const;

private:
    std::map<std::string, std::vector<std::string>> of_;
};
// What a machine lacks of these units, in words; empty if nothing.
std::string lacking(warpkit::kernels::units needs, warpkit::gpu_parameters const& machine);
// All combinations asked for. Throws `error` where kernels are left out and none is left.
std::vector<job> jobs_of(request const& what, std::vector<subject> const& subjects, left_out* out = nullptr);
// The record of a job that nothing has come of yet.
warpkit::report::run_record record_of(job const& j);
// Writes the results files.
void write_results(request const& what, std::vector<warpkit::report::run_record> const& runs);
// Says what went wrong in which run. The exit status.
int judge(std::vector<warpkit::report::run_record> const& runs);

// What runs of one program have in common: it is executed once, when the first of them comes, and kept until another
// program has its turn. A run whose blocks may be dispatched in another order executes for itself.
class shared_function {
public:
    // For these jobs, one behind the other: a program of which there is one run only is not kept. Null: there are
    // several of each.
    shared_function(request const& what, std::vector<job> const* jobs);

    // The job's program, executed; null if the job must execute it. Throws as warpkit::record does.
    warpkit::recorded_program const* of(job const& j, warpkit::run_progress_sink const& progress);
    // A run of what of() gave has ended, and spent this long on reading it back.
    void used(double seconds);
    // What it was good for, in a sentence; empty if nothing was shared.
    std::string text() const;

private:
    request const* what_;
    std::vector<job> const* jobs_;
    subject const* program_ = nullptr;
    std::optional<warpkit::recorded_program> recorded_;
    unsigned programs_ = 0;
    unsigned runs_ = 0;
    double each_time_ = 0; // seconds that executing in every run would have taken
    double spent_ = 0;     // seconds that executing, keeping and reading back took
    std::uint64_t most_kept_ = 0;
    std::uint64_t most_on_disk_ = 0;
};

// As many threads as are wanted, or as there are host cores for; says so where these are fewer.
std::shared_ptr<warpkit::worker_pool> workers_of(request const& what);

// The job on this machine: what `executed` has, or, where that is null, its program.
warpkit::simulation_result run_on(warpkit::engine const& machine, job const& j, request const& what,
                                  warpkit::recorded_program const* executed,
                                  warpkit::run_progress_sink const& progress);

// Advanced by these threads, or by none but this one.
finished_job carry_out(job const& j, request const& what,
                       std::shared_ptr<warpkit::worker_pool> const& workers,
                       warpkit::run_progress_sink const& progress, shared_function& function);
// The same with what `execute` gives: the job's program, executed, or null if the job must execute it; errors of both
// are the job's. `used`, unless empty, hears how long a run spent on reading it back.
finished_job carry_out(job const& j, request const& what,
                       std::shared_ptr<warpkit::worker_pool> const& workers,
                       warpkit::run_progress_sink const& progress,
                       std::function<warpkit::recorded_program const*()> const& execute,
                       std::function<void(double)> const& used);
// The program, executed once: what is beyond `memory` bytes goes to a temporary file. Throws as warpkit::record does.
warpkit::recorded_program executed(subject const& program, request const& what, std::uint64_t memory,
                                   warpkit::run_progress_sink const& progress,
                                   bool scheduled_code = false); // in a compiler's order

} // namespace lab
