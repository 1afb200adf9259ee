// The lab's command line.
#include <warpkit/config/settings.hpp>
#include <warpkit/version.hpp>

#include "database_commands.hpp"
#include "help.hpp"
#include "lab.hpp"
#include "machine_files.hpp"
#include "support/program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string_view>

namespace {

constexpr char const* run_examples = R"(
Examples:
  lab run --kernel vecadd,bfs --scheduler lrr,gto,two_level
  lab run --preset gtx480,owl --size full --json results.json
  lab run --kernel sgemm_tiled --set l1.size=48KiB --set core.latency.fp_mad=6
  lab run --kernel vecadd --param vecadd.n=20480 --dram fcfs
  lab run --kernel kmeans --l1 preset,srrip,perfect --l2 preset,perfect
  lab run --kernel hotspot --dispatch bcs,locality_aware_dispatch --occupancy no_limit,static_limit:3
  lab run --kernel vecadd --ptx mine.ptx
  lab run --launch mine.json --scheduler lrr,gto
  lab run --kernel vecadd --engine reference
  lab run --trace traces/vecadd/kernelslist.g --preset gtx480_accelsim
  lab run --trace kernel-1.trace,kernel-2.trace.xz --launches --csv launches.csv
  lab run --kernel vecadd --machine machine.toml
  lab run --kernel bfs --scheduler gto --intervals 1000 --csv intervals.csv
  lab run --kernel bfs --scheduler gto --timeline bfs.json --timeline-cycles 1000:3000 --core 0
)";
constexpr char const* check_examples = R"(
Examples:
  lab check-engines --kernel vecadd,bfs --scheduler lrr,elf
  lab check-engines --scheduler lrr,gto,two_level,cta_aware_locality --preset gtx480,gtx480_v3,gtx480_accelsim,owl
  lab check-engines --kernel bfs,kmeans,spmv --scheduler gto --dram fcfs --replay mrpb,car,new_car --l1 preset,srrip
Ends with 1 where they part; the table says in which cycle, component and event (docs/explanation/reference.md).
)";
constexpr char const* top_examples = R"(
Without a command, runs all kernels under lrr and gto on gtx480 at small sizes.

Examples:
  lab                              all kernels
  lab run --kernel vecadd          one kernel
  lab list                         everything there is
  lab show gtx480                  every number of a machine, and where it comes from
  lab import gpgpusim.config trace.config -o machine.toml   a machine of GPGPU-Sim or Accel-Sim
  lab explain core.cause           what a counter means
  lab cost                         what the schedulers would cost in hardware
  lab record vecadd --scheduler gto --output vecadd.log
  lab trace bfs --output traces/bfs
  lab replay vecadd.log            where other schedulers would decide otherwise
  lab sharing                      which blocks share lines and DRAM rows
  lab addresses                    how well what a block will touch is foretold
  lab degrees --l1 8KiB,16KiB      how many blocks per core are best
  lab fork --kernel bfs --warm-up 30%   one warmed-up machine under each scheduler
  lab explain-difference --kernel bfs --scheduler lrr,gto   why one of two runs is faster
  lab check-engines --kernel bfs   the fast engine and the reference tell the same
  lab compare results.json --baseline lrr
  lab compare before.json after.json
  lab sweep plan.toml --db runs.db      every point of a plan that is not in the database yet
  lab merge runs.db.shards/1 --db runs.db   what shards on other machines have run
  lab results runs.db --normalise scheduler=lrr
  lab plot runs.db --rows kernel --normalise scheduler=lrr -o bars.svg
  lab report runs.db -o report.html     one page of all runs
  lab figures owl --only fig7           a paper's figures, remade
)";

// A message of CLI11 as one line.
std::string one_line(std::string text) {
    for (auto& c : text)
        if (c == '\n') c = ' ';
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

std::vector<std::string> const& command_names() {
    static std::vector<std::string> const names = {"run",
                                                   "list",
                                                   "show",
                                                   "explain",
                                                   "compare",
                                                   "cost",
                                                   "addresses",
                                                   "sharing",
                                                   "degrees",
                                                   "fork",
                                                   "kernels",
                                                   "record",
                                                   "replay",
                                                   "trace",
                                                   "sweep",
                                                   "results",
                                                   "plot",
                                                   "report",
                                                   "import",
                                                   "figures",
                                                   "check-engines",
                                                   "explain-difference",
                                                   "merge",
                                                   "completion",
                                                   "man"};
    return names;
}

// What a script leaves empty would otherwise count as not given.
std::string no_empty_value(std::string const& value) {
    return value.empty() ? "its value is empty; give one, or leave it out" : "";
}

// Everything but how it ends.
int run(int argc, char** argv) {
    using lab::named_command;
    using lab::named_file;
    using lab::take_all;
    // `lab complete WORDS...`: what the scripts of `lab completion` ask.
    bool const completes = argc > 1 && argv[1] == std::string_view("complete");
    if (completes) {
        --argc;
        ++argv;
    }
    CLI::App app("warpkit's lab: runs CUDA kernels on GPU models put together from policies.", "lab");
    app.footer(top_examples);
    app.require_subcommand(0, 1);
    app.set_version_flag("--version", "warpkit " + std::to_string(WARPKIT_VERSION_MAJOR) + '.' +
                                          std::to_string(WARPKIT_VERSION_MINOR) + '.' +
                                          std::to_string(WARPKIT_VERSION_PATCH));

    lab::request what;
    std::string size = "small";
    std::string engine = "fast";
    bool small = false;
    bool full = false;
    bool sample = false;
    warpkit::sampling_options sampling;
    std::string reuse_memory;
    std::string stream_limit;
    // Where a command is named, no other is made; and none gets options that is not named. Those of all take as long as
    // a run of some thousand cycles.
    bool const all_commands = argc == 2 && argv[1] == std::string_view("man");
    auto const is_named = [&](std::string_view called) {
        return all_commands || std::find(argv + 1, argv + argc, called) != argv + argc;
    };
    auto const& names = command_names();
    bool const named_first = argc > (completes ? 2 : 1) && !all_commands &&
                             std::find(names.begin(), names.end(), argv[1]) != names.end();
    auto const command = [&](char const* called, char const* what_for, auto const& options) {
        if (named_first && std::string_view(called) != argv[1]) return named_command{nullptr};
        auto* const c = app.add_subcommand(called, what_for);
        if (is_named(called)) options(c);
        for (auto* const option : c->get_options())
            if (option->get_items_expected_max() != 0) option->check(no_empty_value);
        return named_command{c};
    };
    // What several commands have in common.
    auto const settings_of = [&](CLI::App* c) {
        take_all(c->add_option("--set", what.settings,
                               "Change a number of the machine: name=value (lab list numbers), or @file"));
    };
    auto const uses_of = [&](CLI::App* c) {
        take_all(c->add_option("--use", what.uses,
                               "Policies of any seat: seat=policy,policy:parameter=value (lab list seats)"));
    };
    auto const parameters_of = [&](CLI::App* c) {
        take_all(c->add_option("--param", what.parameters,
                               "Change a kernel's input: kernel.parameter=value (lab list kernels)"));
    };
    std::string tables; // of a listing, as JSON
    auto const json_of = [&](CLI::App* c) {
        named_file(
            c->add_option("--json", tables, "Write the tables to this file as JSON; - is standard output"));
    };
    // What is run on which machines, in lists.
    auto const lists_of = [&](CLI::App* c) {
        c->add_option("-k,--kernel", what.kernels,
                      "Kernels or suites to run (lab list kernels); all by default")
            ->delimiter(',');
        c->add_option("-s,--scheduler", what.schedulers,
                      "Warp schedulers, as gto or elf:points=16 (lab list parameters); lrr,gto by default")
            ->delimiter(',');
        c->add_option("-p,--preset", what.presets, "Machines (lab list presets); gtx480 by default")
            ->delimiter(',');
        named_file(
            c->add_option("--machine", what.machines,
                          "Machines in files, as lab import writes them (docs/howto/machine_files.md)"))
            ->delimiter(',');
        c->add_option("--dram", what.dram,
                      "DRAM schedulers: fr_fcfs (default), fcfs, par_bs, atlas:quantum=100000, ...")
            ->delimiter(',');
        c->add_option("--replay", what.replay,
                      "Replay queues: none (default), mrpb, car, new_car:entries=16 (lab list parameters)")
            ->delimiter(',');
        c->add_option("--fetch", what.fetch, "Fetch orders (lab list policies)")->delimiter(',');
        c->add_option("--prefetch", what.prefetch, "Instruction prefetchers (lab list policies)")
            ->delimiter(',');
        uses_of(c);
        c->add_option(
             "--l1", what.l1,
             "Kinds of L1 data cache: preset (default), perfect, xor, srrip:bits=3, ... (lab list caches)")
            ->delimiter(',');
        c->add_option("--l2", what.l2, "Kinds of L2, likewise")->delimiter(',');
        c->add_option("--dispatch", what.dispatch,
                      "Choices of block, as bcs or locality_aware_dispatch:window=32 (lab list dispatch)")
            ->delimiter(',');
        c->add_option("--occupancy", what.occupancy,
                      "Occupancy limits, as static_limit:3 or dyncta:window=4096 (lab list dispatch)")
            ->delimiter(',');
        auto* const size_option =
            c->add_option("--size", size, "Input sizes: small (default), medium or full")
                ->check(CLI::IsMember({"small", "medium", "full"}));
        c->add_flag("--small", small, "The same as --size small")->excludes(size_option);
        c->add_flag("--full", full, "The same as --size full")->excludes(size_option)->excludes("--small");
        settings_of(c);
        parameters_of(c);
    };
    command("run", "Run kernels and print what they did", [&](CLI::App* c) {
        c->footer(run_examples);
        lists_of(c);
        c->add_flag("--check-dram", what.check_dram,
                    "Hold every DRAM command against the timing table: a broken rule ends the run");
        c->add_flag("--row-sharing", what.row_sharing,
                    "Note which CTAs share DRAM rows (OWL's table 4, of what misses the L2)");
        c->add_flag(
            "--program-points", what.program_points,
            "Count the kernels' program points and the priorities calculated (ELF's table 2, figure 8)");
        named_file(c->add_option("--ptx", what.ptx,
                                 "Run this PTX file in place of the kernel's own (one --kernel)"));
        named_file(c->add_option("--launch", what.launch,
                                 "Run the PTX kernel of this launch file (docs/reference/launch_files.md)"))
            ->excludes("--kernel")
            ->excludes("--ptx")
            ->excludes("--param");
        named_file(c->add_option("--trace", what.traces,
                                 "Run these traces of Accel-Sim: kernelslist.g (docs/howto/accelsim.md)"))
            ->delimiter(',')
            ->excludes("--kernel")
            ->excludes("--ptx")
            ->excludes("--param")
            ->excludes("--launch");
        c->add_option(
             "--copies", what.copies,
             "What copies to the device in traces do: accel-sim (default; as there, cut to 32 bits), "
             "l2 or none")
            ->check(CLI::IsMember({"accel-sim", "l2", "none"}))
            ->needs("--trace");
        named_file(c->add_option("--json", what.json,
                                 "Write all counters to this file as JSON; - is standard output"));
        named_file(c->add_option("--csv", what.csv, "Write all counters to this file as CSV, likewise"));
        c->add_option("--intervals", what.intervals,
                      "Every counter for each so many core cycles in these files; in CSV a line each")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
        named_file(c->add_option("--timeline", what.timeline,
                                 "Draw what happened, cycle by cycle, into this file, for ui.perfetto.dev"));
        c->add_option("--timeline-cycles", what.timeline_cycles, "Only in these core cycles: FROM:TO");
        c->add_option("--core", what.timeline_cores, "Only on these cores; all by default")->delimiter(',');
        c->add_option("--repeat", what.repeat,
                      "Run everything this often; the results must be the same, the best speed counts")
            ->check(CLI::Range(1U, 1000U));
        c->add_option(
             "--threads", what.threads,
             "Host threads that advance each GPU, at most one for each host core; the results are the same "
             "for any number; 0: for each core one")
            ->check(CLI::Range(0U, 256U));
        c->add_option("--engine", engine,
                      "fast (default), or reference: the plain pipeline that says what the fast one must do; "
                      "the results are the same")
            ->check(CLI::IsMember({"fast", "reference"}))
            ->excludes("--threads");
        auto* const sample_option = c->add_flag("--sample", sample,
                                                "Time only parts of long kernels and estimate their cycles "
                                                "with an error bar (docs/reference/lab.md)");
        c->add_option(
             "--sample-tolerance", sampling.tolerance,
             "Intervals agree when none is further from their mean than this part of it; 0.05 by default")
            ->needs(sample_option);
        c->add_option("--sample-intervals", sampling.intervals,
                      "How many successive intervals must agree, each of half a wave of blocks; 4 by default")
            ->needs(sample_option);
        c->add_option("--sample-stretch", sampling.stretch,
                      "For each block timed, so many may be left out; 4 by default")
            ->needs(sample_option);
        c->add_flag("!--no-reuse", what.reuse,
                    "Execute a kernel in every run of it, not once for all (the results are the same)");
        c->add_option(
            "--reuse-memory", reuse_memory,
            "Memory for what a kernel executes, as 256MiB; what does not fit goes to a temporary file "
            "(TMPDIR); 1GiB by default");
        c->add_option("--limit", what.limit, "Warp instructions per CTA before a kernel counts as stuck")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
        c->add_option(
            "--stream-limit", stream_limit,
            "Memory for what a CTA executes, as 2GiB, before its kernel counts as stuck; 512MiB by default");
        c->add_option("--view", what.view, "Tell where the cycles went as a paper does (lab list views)");
        c->add_flag("--launches", what.launches,
                    "Tell what each launch did as well, in a table of its own and in the files");
        c->add_flag("-q,--quiet", what.quiet,
                    "No progress bar, and no tables where --json or --csv is given");
    });

    auto const check = command(
        "check-engines", "Run kernels on the fast engine and on the reference, and compare all they tell",
        [&](CLI::App* c) {
            c->footer(check_examples);
            lists_of(c);
            named_file(c->add_option("--trace", what.traces,
                                     "Traces of Accel-Sim in place of kernels: kernelslist.g"))
                ->delimiter(',')
                ->excludes("--kernel")
                ->excludes("--param");
            c->add_flag("-q,--quiet", what.quiet, "No progress bar, and of the table only where they part");
        });

    std::vector<std::string> against;
    auto const difference = command(
        "explain-difference",
        "Where the cycles went between two runs, when they parted, which loads got slower", [&](CLI::App* c) {
            lists_of(c);
            named_file(c->add_option("--trace", what.traces,
                                     "A trace of Accel-Sim in place of a kernel: kernelslist.g"))
                ->delimiter(',')
                ->excludes("--kernel")
                ->excludes("--param");
            take_all(
                c->add_option("--against", against,
                              "The second run is the first with this number of the machine: name=value"));
            named_file(c->add_option("--json", what.json,
                                     "Write all of it to this file as JSON; - is standard output"));
            c->add_flag("-q,--quiet", what.quiet, "No progress bar");
            c->footer("\nExamples:\n  lab explain-difference --kernel bfs --scheduler lrr,gto\n"
                      "  lab explain-difference --kernel kmeans --scheduler gto --against l1d.size=48KiB\n");
        });

    std::string topic;
    auto const list = command("list", "Name everything there is", [&](CLI::App* c) {
        c->add_option("topic", topic,
                      "kernels, schedulers, presets, seats, policies, parameters, dispatch, caches, numbers, "
                      "counters, metrics, views, opcodes or options");
        json_of(c);
        c->footer("\nExamples:\n  lab list numbers\n  lab list kernels --json -\n");
    });

    std::string preset;
    std::string other;
    lab::comparison_request differing;
    auto const show = command(
        "show", "Print every number of a machine with its provenance, or where two machines differ",
        [&](CLI::App* c) {
            c->add_option("machine", preset, "A preset (lab list presets), or a machine file")->required();
            auto* const second =
                c->add_option("other", other, "Another one: show the numbers and policies that differ");
            c->add_flag("--all", differing.all, "Those that are the same, too")->needs(second);
            named_file(c->add_option("--json", differing.json,
                                     "Write them to this file as JSON; - is standard output"));
            settings_of(c);
            c->footer("\nExamples:\n  lab show owl\n  lab show mine.toml\n  lab show gtx480 mine.toml\n");
        });

    lab::import_request importing;
    auto const import = command(
        "import", "Make a machine file of configurations of GPGPU-Sim and Accel-Sim", [&](CLI::App* c) {
            named_file(
                c->add_option("files", importing.files, "gpgpusim.config, and trace.config for traces"))
                ->required();
            named_file(c->add_option("-o,--output", importing.output,
                                     "The machine file; - (default) is standard output"));
            c->add_option("--name", importing.name,
                          "Of the machine; the folder's of the first file by default");
            c->add_option(
                "--shared", importing.shared,
                "Shared memory in use on a core, as 32KiB: how large an adaptive L1 is; 0 by default");
            take_all(c->add_option("--skip", importing.skip, "Leave this option out"));
            take_all(c->add_option("--set", importing.settings,
                                   "A number in place of what the files say: name=value, or @file"));
            named_file(
                c->add_option("--json", importing.json, "Write what became of each option to this file"));
            c->add_flag("--all", importing.all, "List every option with what becomes of it");
            c->footer("\nExamples:\n  lab import gpgpusim.config trace.config -o machine.toml\n"
                      "  lab run --kernel vecadd --machine machine.toml\n  lab show gtx480 machine.toml\n"
                      "All options that it knows: lab list options.\n");
        });

    std::string name;
    auto const explain =
        command("explain", "Define a counter, metric, number, view, preset or kernel", [&](CLI::App* c) {
            c->add_option("name", name, "Its name, or the first part of several: l1d, core.cause")
                ->required();
            c->footer("\nExample:\n  lab explain row_hit_rate\n");
        });

    std::vector<std::string> files;
    std::string baseline = "lrr";
    std::vector<std::string> compared;
    std::vector<std::string> metrics;
    bool markdown = false;
    auto const compare = command(
        "compare",
        "Normalise the schedulers of results to one of them; show how two files differ; or divide any number "
        "by the first",
        [&](CLI::App* c) {
            c->add_option("files", files,
                          "Written by lab run --json; or databases of lab sweep, with conditions as in "
                          "'runs.db?scheduler=gto l1d.size=16KiB'")
                ->required();
            c->add_option("-b,--baseline", baseline,
                          "Of one file: the scheduler to divide by; lrr by default");
            c->add_option("-s,--scheduler", compared, "Of one file: only these schedulers; all by default")
                ->delimiter(',');
            c->add_option("-m,--metric", metrics,
                          "Of two files or more: these metrics or counters, divided by those of the first; "
                          "for three or "
                          "more ipc by default")
                ->delimiter(',');
            c->add_flag("--markdown", markdown, "Tables in Markdown");
            c->footer(
                "\nExamples:\n  lab compare results.json --baseline gto\n"
                "  lab compare before.json after.json\n"
                "  lab compare 'runs.db?scheduler=lrr' 'runs.db?scheduler=gto' 'runs.db?scheduler=elf'\n"
                "With two files and no --metric, ends with 1 where they differ.\n");
        });

    std::string recorded_kernel;
    std::string recorded_scheduler = "gto";
    std::string recorded_preset = "gtx480";
    std::string log_file;
    unsigned core = 0;
    auto const record =
        command("record", "Record the events and decisions of one core in a file", [&](CLI::App* c) {
            c->add_option("kernel", recorded_kernel, "The kernel to run (lab list kernels)")->required();
            c->add_option("-s,--scheduler", recorded_scheduler,
                          "Under which scheduler, as gto or elf:points=16; gto by default");
            c->add_option("-p,--preset", recorded_preset, "On which machine; gtx480 by default");
            c->add_option("-c,--core", core, "Which core; 0 by default");
            named_file(c->add_option("-o,--output", log_file, "The file to write"))->required();
            c->add_flag("--full", full, "At its full size");
            uses_of(c);
            settings_of(c);
            parameters_of(c);
            c->footer("\nExample:\n  lab record bfs --scheduler lrr --core 3 --output bfs.log\n");
        });

    std::string traced_kernel;
    lab::trace_output traces;
    auto const trace =
        command("trace", "Write what kernels execute as traces that Accel-Sim reads", [&](CLI::App* c) {
            auto* const traced =
                c->add_option("kernel", traced_kernel, "The kernel to execute (lab list kernels)");
            named_file(
                c->add_option("-o,--output", traces.folder, "The folder for kernelslist.g and the traces"))
                ->required();
            c->add_option("--compress", traces.compression, "Compress them: xz, gzip or zstd")
                ->check(CLI::IsMember({"xz", "gzip", "zstd"}));
            c->add_option("--isa", traces.isa,
                          "Whose opcodes Accel-Sim sees: kepler (default; for a GTX 480) or volta")
                ->check(CLI::IsMember({"kepler", "volta"}));
            c->add_flag("--full", full, "At its full size");
            parameters_of(c);
            named_file(
                c->add_option("--ptx", what.ptx, "Execute this PTX file in place of the kernel's own"));
            named_file(c->add_option("--launch", what.launch, "Execute the PTX kernel of this launch file"))
                ->excludes(traced)
                ->excludes("--ptx")
                ->excludes("--param");
            c->footer("\nExamples:\n  lab trace bfs --output traces/bfs --compress xz\n"
                      "  lab run --trace traces/bfs/kernelslist.g\n");
        });

    std::vector<std::string> replayed;
    auto const replay = command(
        "replay", "Replay a recorded file on other schedulers: how often they agree, and where they part",
        [&](CLI::App* c) {
            c->add_option("file", log_file, "Written by lab record")->required();
            c->add_option(
                 "-s,--scheduler", replayed,
                 "On these schedulers, as gto or elf:points=16 (lab list parameters); all by default")
                ->delimiter(',');
            c->footer("\nExample:\n  lab replay bfs.log --scheduler gto,two_level\n"
                      "Each decision is judged with the history that the recorded scheduler made.\n");
        });

    std::string shape = "gtx480";
    auto const cost = command("cost", "Print what the schedulers would cost in hardware", [&](CLI::App* c) {
        c->add_option("preset", shape, "Of whose core; gtx480 by default");
        auto* const page = c->add_flag("--markdown", markdown, "As the page docs/reference/hardware_cost.md");
        json_of(c);
        c->get_option("--json")->excludes(page);
        c->footer("\nExample:\n  lab cost owl\n");
    });

    // What the commands on block scheduling have in common.
    auto const subjects = [&](CLI::App* to) {
        to->add_option("-k,--kernel", what.kernels, "Kernels or suites (lab list kernels); all by default")
            ->delimiter(',');
        auto* const sizes = to->add_option("--size", size, "Input sizes: small (default), medium or full")
                                ->check(CLI::IsMember({"small", "medium", "full"}));
        to->add_flag("--full", full, "At their full sizes")->excludes(sizes);
        parameters_of(to);
        to->add_option("-p,--preset", what.presets, "Of which machine; gtx480 by default");
        settings_of(to);
        to->add_flag("--markdown", markdown, "Tables in Markdown");
    };
    bool detail = false;
    auto const addresses = command(
        "addresses",
        "Hold the lines that address pre-computation foretells for each block against those it touches",
        [&](CLI::App* c) {
            subjects(c);
            c->add_flag("--detail", detail, "Access by access");
            json_of(c);
            c->footer("\nExample:\n  lab addresses --kernel hotspot,bfs --detail\n");
        });

    std::string picture;
    auto const sharing =
        command("sharing", "Which blocks share which cache lines and DRAM rows", [&](CLI::App* c) {
            subjects(c);
            named_file(c->add_option("--launch", what.launch, "Of the PTX kernel of this launch file"))
                ->excludes("--kernel");
            json_of(c);
            named_file(c->add_option("--picture", picture,
                                     "Draw the lines that each two blocks share into this file: .svg or "
                                     ".pgm, or - (one --kernel)"));
            c->footer("\nExamples:\n  lab sharing\n  lab sharing --kernel hotspot --picture hotspot.svg\n");
        });

    lab::degrees_request how;
    auto const degrees = command(
        "degrees",
        "The best number of blocks per core, by a sweep and by the decision scheme, at several L1 sizes",
        [&](CLI::App* c) {
            subjects(c);
            c->add_option("-s,--scheduler", what.schedulers, "Under which warp scheduler; gto by default");
            c->add_option("--l1", how.l1_sizes, "L1 sizes; the machine's own by default")->delimiter(',');
            c->add_option("--most", how.most, "The highest number of blocks; 8 by default")
                ->check(CLI::Range(1U, 8U));
            c->add_flag("--tables", how.tables,
                        "Print each kernel's measured first stage, for lab run --occupancy");
            c->add_flag("--saw", how.saw,
                        "Print what the decision saw of its CTA in each launch, and what it foretold");
            json_of(c);
            c->add_flag("-q,--quiet", what.quiet, "No progress bar");
            c->footer("\nExample:\n  lab degrees --preset gtx480_v3 --set l2.enabled=0 --l1 8KiB,16KiB\n");
        });

    lab::fork_request forking;
    auto const fork = command(
        "fork", "Warm a machine up once, and compare how it goes on from there under each scheduler",
        [&](CLI::App* c) {
            subjects(c);
            c->remove_option(c->get_option("--markdown"));
            c->add_option(
                 "-w,--warm-up", forking.warm_up,
                 "How long: 20000cycles (or 20k), 50kinstructions (of warps), or 30% of the instructions")
                ->required();
            c->add_option("-s,--scheduler", what.schedulers,
                          "Under which schedulers it goes on, as gto or elf:points=16; lrr,gto by default")
                ->delimiter(',');
            uses_of(c);
            c->add_option("-u,--under", forking.under,
                          "The scheduler of the warm-up; the first of --scheduler by default");
            named_file(c->add_option("--json", what.json,
                                     "Write all counters from the fork on to this file as JSON"));
            named_file(c->add_option("--csv", what.csv, "Write them to this file as CSV"));
            c->add_option(
                 "--threads", what.threads,
                 "Host threads that advance the GPU, at most one for each host core; 0: for each core one")
                ->check(CLI::Range(0U, 256U));
            c->add_flag("-q,--quiet", what.quiet,
                        "No progress bar, and no tables where --json or --csv is given");
            c->footer("\nExamples:\n  lab fork --kernel spmv --warm-up 30% --scheduler gto,lrr,ccws\n"
                      "  lab fork --kernel bfs --full --warm-up 50kcycles --under gto --scheduler "
                      "lrr,two_level,elf\n"
                      "All schedulers hear the warm-up; the first row is what the others' speed-up is to. "
                      "Under the "
                      "scheduler of\n"
                      "the warm-up, all is as without a fork: the fingerprint, of the whole run, is that of "
                      "lab run.\n");
        });

    lab::database_commands databases;
    databases.declare(command, lists_of, what, reuse_memory);

    auto const kernels = command("kernels", "Print the page on the shipped kernels, but for what is measured",
                                 [&](CLI::App* c) { c->footer("\nExample:\n  lab kernels > kernels.md\n"); });

    std::string shell;
    auto const completion = command(
        "completion", "Print what bash, zsh or fish reads to complete the command line", [&](CLI::App* c) {
            c->add_option("shell", shell, "bash, zsh or fish")->required();
            c->footer("\nExamples:\n  source <(lab completion bash)\n"
                      "  lab completion fish > ~/.config/fish/completions/lab.fish\n");
        });
    auto const man = command("man", "Print the man page of all commands",
                             [&](CLI::App* c) { c->footer("\nExample:\n  lab man | man -l -\n"); });

    if (completes) {
        lab::complete(app, {argv + 1, argv + argc});
        return 0;
    }
    try {
        app.parse(argc, argv);
    } catch (CLI::ParseError const& e) {
        if (e.get_exit_code() == 0) return app.exit(e); // --help, --version
        std::string hint;
        if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty())
            hint = warpkit::did_you_mean(argv[1], command_names());
        if (dynamic_cast<CLI::ExtrasError const*>(&e) != nullptr && named_first)
            hint = lab::meant_option(*app.get_subcommand(argv[1]), {argv + 2, argv + argc});
        std::cerr << "lab: " << one_line(e.what()) << hint << " (lab" << (named_first ? " " : "")
                  << (named_first ? argv[1] : "") << " --help)\n";
        return 2;
    }

    what.settings = lab::expand_settings(what.settings, what.setting_files);
    what.on_reference = engine == "reference";
    if (what.on_reference && sample)
        throw warpkit::error("--engine reference: it times whole kernels, so --sample does not go with it");
    what.size = full ? warpkit::kernels::size::full : warpkit::kernels::size_named(size);
    if (sample) {
        sampling.check();
        what.sample = sampling;
    }
    if (!reuse_memory.empty())
        what.reuse_memory = warpkit::parse_number(reuse_memory, "bytes", "--reuse-memory");
    if (!stream_limit.empty())
        what.stream_limit = warpkit::parse_number(stream_limit, "bytes", "--stream-limit");
    auto const carry_out = [&]() -> int {
        if (list)
            lab::list(topic);
        else if (databases.asked())
            return databases.carry_out(what, {argv + 1, argv + argc});
        else if (show && other.empty())
            lab::show(preset, what.settings);
        else if (show)
            lab::show_differences(preset, other, what.settings, differing);
        else if (import)
            lab::import(importing);
        else if (explain)
            lab::explain(name);
        else if (cost)
            lab::cost(shape, markdown);
        else if (addresses)
            return lab::addresses(what, detail, markdown);
        else if (sharing)
            return lab::sharing(what, picture, markdown);
        else if (degrees) {
            how.markdown = markdown;
            return lab::degrees(what, how);
        } else if (fork)
            return lab::fork(what, forking);
        else if (check)
            return lab::check_engines(what);
        else if (difference)
            return lab::explain_difference(what, against);
        else if (kernels)
            lab::print_kernel_page();
        else if (record) {
            what.kernels = {recorded_kernel};
            what.schedulers = {recorded_scheduler};
            what.presets = {recorded_preset};
            lab::record(what, core, log_file);
        } else if (trace) {
            if (!traced_kernel.empty()) what.kernels = {traced_kernel};
            if (traced_kernel.empty() && what.launch.empty())
                throw warpkit::error("lab trace: name a kernel, or a launch file with --launch");
            lab::trace(what, traces);
        } else if (replay)
            lab::replay(log_file, replayed);
        else if (compare) {
            if (std::find(compared.begin(), compared.end(), "all") != compared.end()) compared.clear();
            if (files.size() == 1 && metrics.empty())
                lab::normalise(files.front(), baseline, compared, markdown);
            else if (files.size() == 1)
                throw warpkit::error("--metric: it is of two files or more");
            else if (files.size() == 2 && metrics.empty())
                return lab::compare(files[0], files[1]);
            else
                return lab::compare(files, metrics.empty() ? std::vector<std::string>{"ipc"} : metrics,
                                    markdown);
        } else
            return lab::run(what);
        return 0;
    };
    // man and completion are of all commands, and need the command line as it is declared.
    if (completion) {
        lab::print_completion(shell);
        return 0;
    }
    if (man) {
        lab::print_man_page(app);
        return 0;
    }
    lab::json_tables listing(show && other.empty() ? differing.json : tables);
    auto const status = carry_out();
    listing.finish();
    return status;
}

} // namespace

int main(int argc, char** argv) {
    return examples::guarded("lab", lab::less_memory, [&] { return run(argc, argv); });
}
