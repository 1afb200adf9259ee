#pragma once
// What the parts of the lab share.

#include <warpkit/base/error.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/gpu/sampling.hpp>
#include <warpkit/report/run_record.hpp>
#include <warpkit/report/text.hpp>

#include "kernels/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::report {
class timeline_file; // report/timeline.hpp
}

namespace lab {

// What `lab run` was asked for. Empty lists mean the defaults.
struct request {
    std::vector<std::string> kernels;
    bool leave_out = false; // those named, too, where a machine has not what they need
    std::vector<std::string> schedulers;
    std::vector<std::string> presets;
    std::vector<std::string> machines; // files
    std::vector<std::string> dram;
    std::vector<std::string> replay;
    std::vector<std::string> fetch;    // orders
    std::vector<std::string> prefetch; // of instructions
    std::vector<std::string> uses;     // seat=policy,...
    std::vector<std::string> l1;       // variants of the L1 data cache
    std::vector<std::string> l2;
    bool all_l1 = false; // of these those that a machine cannot have are left out
    bool all_l2 = false;
    std::vector<std::string> dispatch;  // choices of block, with their parameters
    std::vector<std::string> occupancy; // occupancy limits, likewise
    warpkit::kernels::size size = warpkit::kernels::size::small;
    std::vector<std::string> settings;      // name=value for the machine
    std::vector<std::string> setting_files; // that some of them are from
    std::vector<std::string> parameters;    // kernel.name=value
    std::vector<std::string> ptx;           // files that each replace the kernel's own
    std::vector<std::string> launch_files;  // to run in place of shipped kernels
    std::vector<std::string> traces;        // likewise
    std::vector<std::string> copies;        // what copies in traces do: accel-sim (if empty), l2, none
    warpkit::run_files files;               // that the command line names, inputs and outputs
    std::string json;
    std::string csv;
    bool launches = false;       // tell what each launch did, beside their sum
    std::uint64_t intervals = 0; // core cycles of each stretch that is counted by itself; 0: none are
    std::string timeline;        // file for what happened, cycle by cycle
    std::string timeline_cycles; // only these: FROM:TO
    std::vector<unsigned> timeline_cores;                  // only these
    std::vector<unsigned> timeline_partitions;             // and of the memory those
    std::shared_ptr<warpkit::report::timeline_file> drawn; // while it is written
    std::string view;                                      // of where the cycles went; empty: all causes
    bool quiet = false;
    unsigned repeat = 1;
    unsigned threads = 1;        // that advance one GPU, as many as there are host cores at most; 0: so many
    bool check_dram = false;     // a protocol checker hears every DRAM command
    bool row_sharing = false;    // which CTAs share DRAM rows
    bool program_points = false; // what ELF's priority calculator has to do
    bool energy = false;         // by part, after AccelWattch
    bool on_reference = false;   // in place of the fast engine
    std::uint64_t limit = 50'000'000;                    // warp instructions per CTA
    std::uint64_t stream_limit = std::uint64_t{1} << 29; // bytes of what a CTA executes
    double time_limit = 0;                               // seconds of the host's time for a run; 0: any
    std::optional<warpkit::sampling_options> sample;     // time parts of long kernels
    std::string checkpoint;                              // file that a run is kept in; empty: it is not
    std::string checkpoint_every;                        // how often; empty: as by default
    bool resume = false;                                 // go on from it
    std::function<void(std::string const&)> kept;        // hears of each checkpoint
    bool reuse = true;                                   // a program of several runs is executed once
    std::uint64_t reuse_memory = std::uint64_t{1} << 30; // bytes of it in memory, the rest on disk
};

// The names of the policies that can be named in a seat when a machine is made.
std::vector<std::string> policy_names_in(std::string_view seat);
// What the catalogue has in a seat, each once, in its order: those, or what machines are compiled with.
std::vector<std::string> policies_of_slot(std::string const& slot);
// As an enumeration: with commas.
std::string enumerated(std::vector<std::string> const& parts);

// Runs everything asked for, prints the tables, writes the files. The exit status.
int run(request const& what);

// Runs everything asked for on both engines and prints whether they tell the same. The exit status.
int check_engines(request const& what);

// Runs the two things asked for, or one and the same with other numbers (`against`), and prints where they differ and
// why. The exit status.
int explain_difference(request const& what, std::vector<std::string> const& against);

// Runs the one thing asked for and writes what happened on one core to a file.
void record(request const& what, unsigned core, std::string const& file);
// Where `lab trace` writes, and how.
struct trace_output {
    std::string folder;
    std::string compression; // name of a codec; empty: none
    std::string isa = "kepler";
};
// Executes what is asked for and writes its launches as Accel-Sim's traces.
void trace(request const& what, trace_output const& to);
// Replays such a file on the named schedulers, or on all, and prints where they agree.
void replay(std::string const& file, std::vector<std::string> const& schedulers);
// Warms each kernel up once, and runs it on from there under each scheduler; prints and writes what came of it as run
// does. The exit status.
struct fork_request {
    std::string warm_up; // 20000, 20000cycles, 50kinstructions or 30%
    std::string under;   // the scheduler of the warm-up; empty: the first
};
int fork(request const& what, fork_request const& how);
// Prints the table of results and the table of stalls, in all causes or as the paper of that name sees them, or all.
void print_tables(std::vector<warpkit::report::run_record> const& runs, std::string const& view);
// Prints what each fork did, beside the first of its kernel and machine.
void print_forks(std::vector<warpkit::report::run_record> const& runs);
// The names of the views.
std::vector<std::string> view_names();
// Prints what there is; an empty topic, or all, means everything.
void list(std::string const& topic);
// What it can be asked for.
std::vector<std::string> list_topics();
// Prints every number of a preset, or of all, with its provenance, after `settings`.
void show(std::string const& preset, std::vector<std::string> const& settings);
// Prints the definition of a counter, metric, number, stall cause, view or parameter.
void explain(std::string const& name);
// Adds all names that it knows to `names`, says, if `aloud`, what fits `asked`, and counts that.
std::size_t explained(std::string const& asked, std::vector<std::string>& names, bool aloud);
// Compares two results files. The exit status: 1 if they differ.
int compare(std::string const& first, std::string const& second);
// Compares any number of results files or queries (DATABASE?conditions), run by run: these metrics or counters of the
// first, and the others divided by it.
int compare(std::vector<std::string> const& files, std::vector<std::string> const& metrics, bool markdown);
// Prints what each scheduler of a results file (of `schedulers` only, unless that is empty) did, divided by what
// `baseline` did: per kernel and as means.
void normalise(std::string const& file, std::string const& baseline,
               std::vector<std::string> const& schedulers, bool markdown);

// Prints the page on the shipped kernels, but for what is measured (docs/reference/kernels.md).
void print_kernel_page();
// Prints what policies would cost in hardware. `words`: a preset, of whose core, gtx480 unless the first one names one;
// and policies with their parameters, of any seat, or all. Where there are none: the warp schedulers, and the published
// tables.
void cost(std::vector<std::string> const& words, bool markdown);

// What block scheduling goes by, over the kernels asked for: how well address pre-computation foretells what each block
// touches, access by access if `detail`; which blocks share lines and DRAM rows, with a picture (.svg, .pgm) of one
// kernel's; and what each number of blocks per core does at each L1 size.
int addresses(request const& what, bool detail, bool markdown);
int sharing(request const& what, std::string const& picture, bool markdown);
struct degrees_request {
    std::vector<std::string> l1_sizes;
    unsigned most = 8;
    bool tables = false; // print what was measured of the first stage, to be given to --occupancy
    bool saw = false;    // print what the decision saw and foretold
    bool markdown = false;
};
int degrees(request const& what, degrees_request const& how);

// Prints a table, its headings as a terminal shows them; or, while a json_tables collects, hands it to that.
void print_table(std::string const& name, warpkit::report::text_table const& table, bool markdown = false,
                 std::size_t keys = 1);
// While one with a file lives, tables are kept, and nothing is printed; finish() writes them as one JSON object, an
// array (report/json.hpp) for each by its name. Without a file it does nothing.
class json_tables {
public:
    explicit json_tables(std::string file);
    json_tables(json_tables const&) = delete;
    ~json_tables();
    void finish();
    // Whether one collects.
    static bool collects() noexcept;
    void add(std::string name, warpkit::report::text_table table);

private:
    void stop();
    std::string file_;
    std::streambuf* printing_ = nullptr;
    std::vector<std::pair<std::string, warpkit::report::text_table>> tables_;
};

// The columns of the terminal that standard output is; 0 if it is none.
std::size_t terminal_width();

// Throws: there is no such `kind`, in `place` if that is said; the nearest name; all names.
[[noreturn]] void refuse_name(std::string const& kind, std::string const& name,
                              std::vector<std::string> const& names, std::string const& place = {});
// The files of a request, and those that its traces consist of: throws error where an output would take the place of
// one of these.
warpkit::run_files files_of(request const& what);
// Whether a result goes to standard output, which then has no tables.
bool prints_results(request const& what);
// The same with every `all` in a list replaced by what there is.
request all_named(request what);
// Refuses a setting, name=value, that no machine takes.
void check_setting(std::string const& setting);
// Changes numbers as --set says; each once.
void change(warpkit::gpu_parameters& numbers, std::vector<std::string> const& settings);

} // namespace lab
