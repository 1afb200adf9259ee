// The commands that run kernels, and `lab replay`.
#include "run_commands.hpp"

#include <warpkit/config/settings.hpp>

#include "compared_runs.hpp"

#include <algorithm>

namespace lab {

namespace {

constexpr char const* run_examples = R"(
Examples:
  lab run --kernel vecadd,bfs --scheduler lrr,gto,two_level
  lab run --preset gtx480,owl --size full --json results.json
  lab run --kernel sgemm_tiled --set l1.size=48KiB --set core.latency.fp_mad=6
  lab run --kernel vecadd --param vecadd.n=20480 --dram fcfs
  lab run --kernel kmeans --l1 preset,srrip,perfect --l2 preset,perfect
  lab run --kernel hotspot --dispatch bcs,locality_aware_dispatch --occupancy no_limit,static_limit:3
  lab run --kernel vecadd --ptx mine.ptx,other.ptx
  lab run --launch mine.json --scheduler lrr,gto
  lab run --kernel vecadd --engine reference
  lab run --trace traces/vecadd/kernelslist.g --preset gtx480_accelsim
  lab run --trace kernel-1.trace,kernel-2.trace.xz --launches --csv launches.csv
  lab run --kernel vecadd --machine machine.toml
  lab run --kernel bfs --scheduler gto --intervals 1000 --csv intervals.csv
  lab run --kernel bfs --scheduler gto --full --checkpoint bfs.checkpoint --resume
  lab run --kernel bfs --scheduler gto --timeline bfs.json --timeline-cycles 1000:3000 --core 0
)";
constexpr char const* check_examples = R"(
Examples:
  lab check-engines --kernel vecadd,bfs --scheduler lrr,elf
  lab check-engines --scheduler lrr,gto,two_level,cta_aware_locality --preset gtx480,gtx480_v3,gtx480_accelsim,owl
  lab check-engines --kernel bfs,kmeans,spmv --scheduler gto --dram fcfs --replay mrpb,car,new_car --l1 preset,srrip
Ends with 1 where they part; the table says in which cycle, component and event (docs/explanation/reference.md).
)";

} // namespace

void run_commands::declare(declare_command const& command, common_options& o) {
    run = command("run", "Run kernels and print what they did", [&](CLI::App* c) {
        c->footer(run_examples);
        o.lists(c);
        c->add_flag("--check-dram", o.what.check_dram,
                    "Hold every DRAM command against the timing table: a broken rule ends the run");
        c->add_flag("--row-sharing", o.what.row_sharing,
                    "Note which CTAs share DRAM rows (OWL's table 4, of what misses the L2)");
        c->add_flag(
            "--program-points", o.what.program_points,
            "Count the kernels' program points and the priorities calculated (ELF's table 2, figure 8)");
        c->add_flag("--energy", o.what.energy,
                    "Energy and power by part, after AccelWattch (docs/model/energy.md)");
        o.program_files(c);
        o.writes(c, "--json", o.what.json, "Write all counters to this file as JSON; - is standard output");
        o.writes(c, "--csv", o.what.csv, "Write all counters to this file as CSV, likewise");
        c->add_option("--intervals", o.what.intervals,
                      "Every counter for each so many core cycles in these files; in CSV a line each")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
        o.writes(c, "--timeline", o.what.timeline,
                 "Draw what happened, cycle by cycle, into this file, for ui.perfetto.dev");
        c->add_option("--timeline-cycles", o.what.timeline_cycles, "Only in these core cycles: FROM:TO");
        c->add_option("--core", o.what.timeline_cores,
                      "Only these cores; all cores and partitions by default")
            ->delimiter(',');
        c->add_option("--partition", o.what.timeline_partitions,
                      "Only these memory partitions, with --core beside it")
            ->delimiter(',');
        c->add_option("--repeat", o.what.repeat,
                      "Run everything this often; the results must be the same, the best speed counts")
            ->check(CLI::Range(1U, 1000U));
        c->add_option(
             "--threads", o.what.threads,
             "Host threads that advance each GPU, at most one for each host core; the results are the same "
             "for any number; 0: for each core one")
            ->check(CLI::Range(0U, 256U));
        c->add_option("--engine", engine,
                      "fast (default), or reference: the plain pipeline that says what the fast one must do; "
                      "the results are the same")
            ->check(one_of({"fast", "reference"}))
            ->excludes("--threads");
        o.sampling(c);
        c->add_flag("!--no-reuse", o.what.reuse,
                    "Execute a kernel in every run of it, not once for all (the results are the same)");
        c->add_option(
            "--reuse-memory", o.reuse_memory,
            "Memory for what a kernel executes, as 256MiB; what does not fit goes to a temporary file "
            "(TMPDIR); 1GiB by default");
        c->add_option("--limit", o.what.limit, "Warp instructions per CTA before a kernel counts as stuck")
            ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62));
        c->add_option(
            "--stream-limit", stream_limit,
            "Memory for what a CTA executes, as 2GiB, before its kernel counts as stuck; 512MiB by default");
        c->add_option(
             "--time-limit", o.what.time_limit,
             "Seconds of the host's time before a run ends in an error that says how far it has come")
            ->check(CLI::Range(0.001, 1e9));
        o.writes(c, "--checkpoint", o.what.checkpoint,
                 "Keep the run in this file now and then, to go on from there if it is killed");
        c->add_option(
            "--checkpoint-every", o.what.checkpoint_every,
            "How often: in the host's time, as 90s, 5m or 1h, or core cycles, as 1000000; 60s by default");
        c->add_flag("--resume", o.what.resume,
                    "Go on from --checkpoint's file, if it is there; the results are the same");
        c->add_option("--view", o.what.view,
                      "Tell where the cycles went as a paper does (lab list views), or all");
        c->add_flag("--launches", o.what.launches,
                    "Tell what each launch did as well, in a table of its own and in the files");
        c->add_flag("-q,--quiet", o.what.quiet,
                    "No progress bar, and no tables where --json or --csv is given");
    });

    check = command(
        "check-engines", "Run kernels on the fast engine and on the reference, and compare all they tell",
        [&](CLI::App* c) {
            c->footer(check_examples);
            o.lists(c);
            o.reads(c, "--trace", o.what.traces, "Traces of Accel-Sim in place of kernels: kernelslist.g")
                ->delimiter(',')
                ->excludes("--kernel")
                ->excludes("--param");
            c->add_flag("-q,--quiet", o.what.quiet, "No progress bar, and of the table only where they part");
        });

    difference = command(
        "explain-difference",
        "Where the cycles went between two runs, when they parted, which loads got slower", [&](CLI::App* c) {
            o.lists(c);
            o.reads(c, "--trace", o.what.traces, "A trace of Accel-Sim in place of a kernel: kernelslist.g")
                ->delimiter(',')
                ->excludes("--kernel")
                ->excludes("--param");
            o.reads(c, "results", compared,
                    "Two runs that were made before, in place of new ones: results files, or databases, each "
                    "with conditions that leave one run, as in 'runs.db?kernel=bfs scheduler=gto'")
                ->expected(2);
            take_all(
                c->add_option("--against", against,
                              "The second run is the first with this number of the machine: name=value"));
            o.writes(c, "--json", o.what.json, "Write all of it to this file as JSON; - is standard output");
            c->add_flag("-q,--quiet", o.what.quiet, "No progress bar");
            c->footer("\nExamples:\n  lab explain-difference --kernel bfs --scheduler lrr,gto\n"
                      "  lab explain-difference --kernel kmeans --scheduler gto --against l1d.size=48KiB\n"
                      "  lab explain-difference 'runs.db?kernel=bfs scheduler=lrr l1d.size=16KiB' "
                      "'runs.db?kernel=bfs scheduler=gto l1d.size=16KiB'\n");
        });

    fork = command(
        "fork", "Warm a machine up once, and compare how it goes on from there under each scheduler",
        [&](CLI::App* c) {
            o.subjects(c);
            c->remove_option(c->get_option("--markdown"));
            c->add_option(
                 "-w,--warm-up", forking.warm_up,
                 "How long: 20000cycles (or 20k), 50kinstructions (of warps), or 30% of the instructions")
                ->required();
            c->add_option("-s,--scheduler", o.what.schedulers,
                          "Under which schedulers it goes on, as gto or elf:points=16; lrr,gto by default")
                ->delimiter(',');
            o.uses(c);
            c->add_option("-u,--under", forking.under,
                          "The scheduler of the warm-up; the first of --scheduler by default");
            o.writes(c, "--json", o.what.json, "Write all counters from the fork on to this file as JSON");
            o.writes(c, "--csv", o.what.csv, "Write them to this file as CSV");
            c->add_option(
                 "--threads", o.what.threads,
                 "Host threads that advance the GPU, at most one for each host core; 0: for each core one")
                ->check(CLI::Range(0U, 256U));
            c->add_flag("-q,--quiet", o.what.quiet,
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

    record = command("record", "Record the events and decisions of one core in a file", [&](CLI::App* c) {
        c->add_option("kernel", recorded_kernel, "The kernel to run (lab list kernels)")->required();
        c->add_option("-s,--scheduler", recorded_scheduler,
                      "Under which scheduler, as gto or elf:points=16; gto by default");
        c->add_option("-p,--preset", recorded_preset, "On which machine; gtx480 by default");
        c->add_option("-c,--core", core, "Which core; 0 by default");
        o.writes(c, "-o,--output", log_file, "The file to write")->required();
        c->add_flag("--full", o.full, "At its full size");
        o.uses(c);
        o.settings(c);
        o.parameters(c);
        c->footer("\nExample:\n  lab record bfs --scheduler lrr --core 3 --output bfs.log\n");
    });

    trace = command("trace", "Write what kernels execute as traces that Accel-Sim reads", [&](CLI::App* c) {
        auto* const traced =
            c->add_option("kernel", traced_kernel, "The kernel to execute (lab list kernels)");
        named_file(c->add_option("-o,--output", traces.folder, "The folder for kernelslist.g and the traces"))
            ->required();
        c->add_option("--compress", traces.compression, "Compress them: xz, gzip or zstd")
            ->check(one_of({"xz", "gzip", "zstd"}));
        c->add_option("--isa", traces.isa,
                      "Whose opcodes Accel-Sim sees: kepler (default; for a GTX 480), volta or ampere")
            ->check(one_of({"kepler", "volta", "ampere"}));
        c->add_flag("--full", o.full, "At its full size");
        o.parameters(c);
        o.reads(c, "--ptx", o.what.ptx, "Execute this PTX file in place of the kernel's own")->expected(1);
        o.reads(c, "--launch", o.what.launch_files, "Execute the PTX kernel of this launch file")
            ->expected(1)
            ->excludes(traced)
            ->excludes("--ptx")
            ->excludes("--param");
        c->footer("\nExamples:\n  lab trace bfs --output traces/bfs --compress xz\n"
                  "  lab run --trace traces/bfs/kernelslist.g\n");
    });

    replay = command(
        "replay", "Replay a recorded file on other schedulers: how often they agree, and where they part",
        [&](CLI::App* c) {
            o.reads(c, "file", log_file, "Written by lab record")->required();
            c->add_option(
                 "-s,--scheduler", replayed,
                 "On these schedulers, as gto or elf:points=16 (lab list parameters); all by default")
                ->delimiter(',');
            c->footer("\nExample:\n  lab replay bfs.log --scheduler gto,two_level\n"
                      "Each decision is judged with the history that the recorded scheduler made.\n");
        });
}

bool run_commands::asked() const { return run || check || difference || fork || record || trace || replay; }

int run_commands::carry_out(common_options const& o) {
    auto what = o.what;
    what.on_reference = engine == "reference";
    if (what.on_reference && what.sample)
        throw warpkit::error("--engine reference: it times whole kernels, so --sample does not go with it");
    if (!stream_limit.empty())
        what.stream_limit = warpkit::parse_number(stream_limit, "bytes", "--stream-limit");
    if (run) return lab::run(what);
    if (check) return check_engines(what);
    if (difference && !compared.empty()) {
        for (auto const* const option : difference.app->get_options())
            if (auto const name = option->get_single_name();
                option->count() != 0 && name != "results" && name != "json" && name != "quiet")
                throw warpkit::error("explain-difference: --" + name +
                                     ": it is of runs to be made; leave it out, or the results");
        return explain_difference(compared.front(), compared.back(), what.json, what.quiet);
    }
    if (difference) return explain_difference(what, against);
    if (fork) return lab::fork(what, forking);
    if (record) {
        what.kernels = {recorded_kernel};
        what.schedulers = {recorded_scheduler};
        what.presets = {recorded_preset};
        lab::record(what, core, log_file);
    } else if (trace) {
        if (!traced_kernel.empty()) what.kernels = {traced_kernel};
        if (traced_kernel.empty() && what.launch_files.empty())
            throw warpkit::error("trace: name a kernel, or a launch file with --launch");
        lab::trace(what, traces);
    } else {
        lab::replay(log_file, replayed);
    }
    return 0;
}

} // namespace lab
