// The commands that make databases of runs and ask them.
#include "database_commands.hpp"

#include "plot.hpp"
#include "shards.hpp"

#include <algorithm>
#include <filesystem>

namespace lab {

void database_commands::declare(declare_command const& command, common_options& o) {
    sweep = command(
        "sweep", "Run every point of a plan that is not in a database yet, on all cores at once",
        [&](CLI::App* c) {
            c->footer(R"(
Examples:
  lab sweep --kernel bfs,spmv --scheduler lrr,gto --set l1d.size=16KiB,32KiB,48KiB --db runs.db
  lab sweep plan.toml --db runs.db
  lab sweep --kernel sgemm_tiled --ptx before.ptx,after.ptx --l1 preset,srrip --db runs.db
  lab sweep plan.toml --db runs.db --skip "scheduler=gto l1d.size>=32KiB" --dry-run
  lab sweep plan.toml --db runs.db --commands --shards 8 | parallel
  lab sweep plan.toml --db runs.db --slurm --shards 100 --sbatch=--time=1:00:00
  mpirun -n 64 lab sweep plan.toml --db runs.db --mpi
Killed or interrupted, the same command goes on from what is finished; several may run at once (docs/howto/sweeps.md).
)");
            o.reads(c, "plan", plan_file,
                    "A plan (docs/howto/sweeps.md); options of the same name go before it");
            o.lists(c);
            c->get_option("--set")->description(
                "Numbers of the machine: name=value,value (lab list numbers)");
            c->get_option("--param")->description("Kernels' inputs: kernel.parameter=value,value");
            o.program_files(c);
            o.sampling(c);
            c->add_option("--seeds", plan.seeds, "Seeds of the inputs of all kernels that have one")
                ->delimiter(',');
            take_all(
                c->add_option("--skip", plan.skip,
                              "Leave out points that fit all of this: 'scheduler=gto|lrr l1d.size>=32KiB'"));
            named_file(c->add_option("--db", sweeping.database, "The database; results.db by default"));
            c->add_option("-j,--jobs", sweeping.jobs, "Points at once; by default one for each host core")
                ->check(CLI::Range(1U, 1024U));
            c->add_flag("-n,--dry-run", sweeping.dry,
                        "Only say how many points there are, and how many are missing");
            c->add_flag("!--no-reuse", o.what.reuse, "Execute a kernel in every point, not once for all");
            c->add_option("--reuse-memory", o.reuse_memory,
                          "Memory for what kernels execute, of all together; 1GiB by default");
            c->add_flag("-q,--quiet", sweeping.quiet, "No progress bar");
            c->add_flag("--commands", cluster.commands,
                        "Run nothing, but print a command for each shard of what is missing "
                        "(docs/howto/clusters.md)");
            c->add_flag("--slurm", cluster.slurm, "Submit the shards to Slurm as a job array");
            c->add_flag("--mpi", cluster.mpi, "Each rank of mpirun or srun takes a shard");
            c->add_option("--shards", cluster.shards, "How many shards at most; 16 by default")
                ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}));
            take_all(c->add_option("--sbatch", cluster.sbatch, "An option of sbatch, as --time=1:00:00"));
            c->add_option("--start", cluster.start,
                          "A name of this start under --mpi, where the launcher gives none");
            o.reads(c, "--points", cluster.points,
                    "Only the points in this list, into a database of their own");
        });

    merge = command("merge", "Take what databases of runs have into one", [&](CLI::App* c) {
        c->footer(
            "\nExamples:\n  lab merge runs.db.shards/1 --db runs.db\n  lab merge a.db b.db --db all.db\n"
            "Ends with 1 where a point of a folder of shards is still missing.\n");
        o.reads(c, "databases", merged, "Databases, or folders of shards (docs/howto/clusters.md)")
            ->required();
        named_file(
            c->add_option("--db", merged_into, "The database to take them into; results.db by default"));
    });

    // What several commands ask databases.
    auto const query_of = [&](CLI::App* c) {
        o.reads(c, "database", query.databases, "Written by lab sweep")->required();
        take_all(
            c->add_option("-w,--where", query.where, "Only runs that fit: 'kernel=bfs|spmv l1d.size>16KiB'"));
        c->add_option("--version", query.version,
                      "Results of this version of the code (its first part), or all");
    };
    auto const pivot_of = [&](CLI::App* c) {
        query_of(c);
        c->add_option(
             "-m,--metric", query.metrics,
             "Metrics or counters; all: all metrics; causes: where the scheduler cycles went; ipc by default")
            ->delimiter(',');
        c->add_option("-r,--rows", query.rows,
                      "A row for each value of these; means over all else. "
                      "By default all that differ, but for seeds")
            ->delimiter(',');
        c->add_option("-c,--columns", query.columns,
                      "A column for each value of this; scheduler by default, none for the metrics alone")
            ->delimiter(',');
        c->add_option("-n,--normalise", query.normalise,
                      "Divide by the run that differs in this only: name=value");
    };
    results = command("results", "Ask databases of runs", [&](CLI::App* c) {
        c->footer(R"(
Examples:
  lab results runs.db
  lab results runs.db --where "kernel=bfs|spmv" --metric ipc,l1d_miss_rate --columns none
  lab results runs.db --normalise l1d.size=16KiB --columns l1d.size
  lab results runs.db --normalise scheduler=lrr --rows l1d.size --csv means.csv
  lab results a.db b.db --records all.json && lab compare all.json
)");
        pivot_of(c);
        o.writes(c, "--csv", query.csv, "Write the values to this file as CSV; - is standard output");
        o.writes(c, "--json", query.json, "Write them as JSON, likewise");
        o.writes(c, "--records", query.records, "Write the runs whole, as lab run --json does");
        c->add_flag("--markdown", query.markdown, "The table in Markdown");
        c->add_flag("--digest", query.digest,
                    "Only print a hash of all that is no host time: the same for the same content");
    });
    plot = command(
        "plot", "Draw what databases of runs answer, or what happened over time, as SVG", [&](CLI::App* c) {
            c->footer(R"(
Examples:
  lab plot runs.db --normalise scheduler=lrr --rows kernel -o bars.svg
  lab plot runs.db --metric causes --rows kernel,scheduler -o stalls.svg
  lab plot runs.db --rows l1d.size --columns scheduler --kind curves -o curves.svg
  lab plot runs.db --rows kernel --columns scheduler --normalise scheduler=lrr --kind heat -o map.svg
  lab plot runs.db --kind roofline -o roofline.svg
  lab run --kernel bfs --intervals 500 --json over.json && lab plot over.json --kind time --metric ipc -o time.svg
  lab run --kernel bfs --scheduler gto --timeline bfs.json && lab plot bfs.json --kind banks -o banks.svg
  lab plot bfs.json --kind occupancy -o occupancy.svg
)");
            pivot_of(c);
            c->add_option(
                 "-k,--kind", query.kind,
                 "bars, stacked (parts of one bar), curves (over the rows) or heat, by default as fits; "
                 "roofline; time (of results with --intervals); banks or occupancy (of a timeline)")
                ->check(one_of(plot_kinds()));
            o.writes(c, "-o,--output", picture_of_results, "The picture; plot.svg by default");
        });
    report =
        command("report", "One page of all runs of databases, to read, sort and filter", [&](CLI::App* c) {
            c->footer(
                "\nExample:\n  lab report runs.db -o report.html\nIt needs no network and no other file.\n");
            query_of(c);
            o.writes(c, "-o,--output", page, "The page; report.html by default");
        });

    figures = command(
        "figures", "Remake the figures and tables of the papers, and hold them against what the papers say",
        [&](CLI::App* c) {
            c->footer(R"(
Examples:
  lab figures --list
  lab figures owl --only fig7,table3 --output figures
  lab figures all --size paper --db record.db --output record
Killed or interrupted, the same command goes on from the runs that are in its database (docs/reference/figures.md).
)");
            c->add_option("document", drawing.documents,
                          "owl, elf, degree, locality, comparators, or all of these (default); blocks, "
                          "schedulers, modern, ladders, hardware, today")
                ->delimiter(',');
            c->add_option("--only", drawing.only, "Only these figures, as fig7 or owl/fig7 (--list)")
                ->delimiter(',');
            c->add_option("--size", figure_size, "Inputs: small (default), or the papers' own")
                ->check(one_of({"small", "paper"}));
            c->add_option("-j,--jobs", drawing.jobs, "Runs at once; by default one for each host core")
                ->check(CLI::Range(1U, 1024U));
            named_file(
                c->add_option("--db", drawing.database, "The database of runs; figures.db by default"));
            named_file(c->add_option("-o,--output", drawing.output,
                                     "The folder for CSV, JSON, SVG and pages; figures by default"));
            named_file(c->add_option("--declarations", drawing.declarations,
                                     "Read NAME.toml and NAME.tsv in this folder in place of the lab's own"));
            c->add_flag("--list", drawing.list, "Only name the figures");
            c->add_flag("-n,--dry-run", drawing.dry,
                        "Only say how many runs there are, and how many are missing");
            c->add_flag("-q,--quiet", drawing.quiet, "No progress bar, and no summary");
        });
}

bool database_commands::asked() const { return sweep || merge || results || plot || report || figures; }

int database_commands::carry_out(request const& what, std::vector<std::string> const& words) {
    if (sweep) {
        plan.products = {what};
        if (!plan_file.empty()) {
            auto named = what; // what the command line says is no error of the plan
            named.settings.clear();
            named.parameters.clear(); // lists, both
            check_names(named);
            auto const count = [&](char const* option) { return sweep.app->count(option); };
            read_plan(plan_file, plan, count("--size") + count("--small") + count("--full") != 0);
        }
        if (!cluster.any()) return lab::sweep(plan, sweeping);
        cluster.arguments.assign(std::find(words.begin(), words.end(), "sweep") + 1, words.end());
        return sweep_on_cluster(plan, sweeping, cluster);
    }
    if (merge) return lab::merge(merged, merged_into);
    if (plot) {
        std::filesystem::path picture(picture_of_results);
        if (auto const kind = picture.extension(); !kind.empty() && kind != ".svg" && kind != ".SVG")
            throw warpkit::error("--output: " + picture_of_results + ": pictures are SVG; name it " +
                                 picture.replace_extension(".svg").string());
        query.plot = picture_of_results;
    }
    if (results || plot) return lab::results(query);
    if (report) return report_page(query, page);
    drawing.paper_size = figure_size == "paper";
    return draw_figures(drawing);
}

} // namespace lab
