// The lab's command line.
#include "command_line.hpp"

#include <warpkit/config/settings.hpp>
#include <warpkit/version.hpp>

#include "database_commands.hpp"
#include "defaults.hpp"
#include "help.hpp"
#include "lab.hpp"
#include "machine_files.hpp"
#include "run_commands.hpp"
#include "study_commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string_view>

namespace lab {

namespace {

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
  lab cost elf:points=16           and a policy with these parameters
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

} // namespace

int carry_out(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    // `lab complete WORDS...`: what the scripts of `lab completion` ask.
    bool const completes = !words.empty() && words.front() == "complete";
    if (completes) words.erase(words.begin());
    bool const all_commands = words == std::vector<std::string>{"man"};
    bool const of_itself = completes || all_commands || (!words.empty() && words.front() == "completion");
    std::vector<std::string> no_words;
    // A broken file of defaults is in nobody's way who asks how to mend it.
    auto const is_help = [](std::string const& w) { return w == "--help" || w == "-h"; };
    bool const asks = of_itself ||
                      (!words.empty() && (words.front() == "--version" || words.front() == "list")) ||
                      std::any_of(words.begin(), words.end(), is_help);
    command_line_defaults const defaults(of_itself ? no_words : words, !asks);
    // What lab list options prints begins with a dash, and is no option of the lab's.
    if (words.size() > 1 && words.front() == "explain" && words[1].size() > 2 && words[1][0] == '-' &&
        words[1][1] != '-')
        words.insert(words.begin() + 1, "--");
    CLI::App app("warpkit's lab: runs CUDA kernels on GPU models put together from policies.", "lab");
    app.footer(top_examples);
    app.require_subcommand(0, 1);
    app.set_version_flag("--version", "warpkit " + std::to_string(WARPKIT_VERSION_MAJOR) + '.' +
                                          std::to_string(WARPKIT_VERSION_MINOR) + '.' +
                                          std::to_string(WARPKIT_VERSION_PATCH));

    // Both are taken out of the command line before it is read.
    std::string config;
    bool no_config = false;
    app.add_option("--config", config,
                   "Defaults of the command line in this file, in place of ./lab.toml and "
                   "~/.config/warpkit/lab.toml (docs/reference/lab.md)");
    app.add_flag("--no-config", no_config, "Without any such file");

    common_options o;
    // Where a command is named, no other is made; and none gets options that is not named. Those of all take as long as
    // a run of some thousand cycles; defaults in a file may be of any.
    bool const whole = all_commands || !defaults.empty();
    auto const is_named = [&](std::string_view called) {
        return whole || std::find(words.begin(), words.end(), called) != words.end();
    };
    auto const& names = command_names();
    bool const named_first = words.size() > (completes ? 1 : 0) && !all_commands &&
                             std::find(names.begin(), names.end(), words.front()) != names.end();
    auto const command = [&](char const* called, char const* what_for, auto const& options) {
        if (named_first && !whole && called != words.front()) return named_command{nullptr};
        auto* const c = app.add_subcommand(called, what_for);
        if (is_named(called)) options(c);
        for (auto* const option : c->get_options())
            if (option->get_items_expected_max() != 0) option->check(no_empty_value);
        return named_command{c};
    };
    run_commands runs;
    runs.declare(command, o);
    study_commands studies;
    studies.declare(command, o);

    std::string topic;
    auto const list = command("list", "Name everything there is", [&](CLI::App* c) {
        c->add_option("topic", topic,
                      "kernels, schedulers, presets, seats, policies, parameters, dispatch, caches, numbers, "
                      "counters, metrics, views, opcodes or options; all by default");
        o.tables_as_json(c);
        c->footer("\nExamples:\n  lab list numbers\n  lab list kernels --json -\n");
    });

    std::string preset;
    std::string other;
    comparison_request differing;
    auto const show = command(
        "show", "Print every number of a machine with its provenance, or where two machines differ",
        [&](CLI::App* c) {
            auto const file_of = [](std::string const& machine) {
                bool const is_file = machine != "all" && warpkit::preset_named(machine) == nullptr;
                return std::vector{is_file ? machine : std::string()};
            };
            o.reads(
                 c,
                 c->add_option("machine", preset, "A preset (lab list presets), or all, or a machine file"),
                 [&] { return file_of(preset); })
                ->required();
            auto* const second = o.reads(
                c, c->add_option("other", other, "Another one: show the numbers and policies that differ"),
                [&] { return file_of(other); });
            c->add_flag("--all", differing.all, "Those that are the same, too")->needs(second);
            o.writes(c, "--json", differing.json, "Write them to this file as JSON; - is standard output");
            o.settings(c);
            c->footer("\nExamples:\n  lab show owl\n  lab show mine.toml\n  lab show gtx480 mine.toml\n");
        });

    import_request importing;
    auto const import = command(
        "import", "Make a machine file of configurations of GPGPU-Sim and Accel-Sim", [&](CLI::App* c) {
            o.reads(c, "files", importing.files, "gpgpusim.config, and trace.config for traces")->required();
            o.writes(c, "-o,--output", importing.output, "The machine file; - (default) is standard output");
            c->add_option("--name", importing.name,
                          "Of the machine; the folder's of the first file by default");
            c->add_option(
                "--shared", importing.shared,
                "Shared memory in use on a core, as 32KiB: how large an adaptive L1 is; 0 by default");
            take_all(c->add_option("--skip", importing.skip, "Leave this option out"));
            take_all(c->add_option("--set", o.what.settings,
                                   "A number in place of what the files say: name=value, or @file"));
            o.writes(c, "--json", importing.json, "Write what became of each option to this file");
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
    auto const compare = command(
        "compare",
        "Normalise the schedulers of results to one of them; show how two files differ; or divide any number "
        "by the first",
        [&](CLI::App* c) {
            o.reads(c, "files", files,
                    "Written by lab run --json, or databases of lab sweep; with conditions as in "
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
            c->add_flag("--markdown", o.markdown, "Tables in Markdown");
            c->footer(
                "\nExamples:\n  lab compare results.json --baseline gto\n"
                "  lab compare before.json after.json\n"
                "  lab compare 'runs.db?scheduler=lrr' 'runs.db?scheduler=gto' 'runs.db?scheduler=elf'\n"
                "With two files and no --metric, ends with 1 where they differ.\n");
        });

    database_commands databases;
    databases.declare(command, o);

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
        complete(app, words);
        return 0;
    }
    if (!defaults.empty()) words = defaults.completed(app, std::move(words));
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (CLI::ParseError const& e) {
        if (e.get_exit_code() == 0) return app.exit(e); // --help, --version
        std::string what = one_line(e.what());
        std::string hint;
        if (!words.empty() && words.front()[0] != '-' && app.get_subcommands().empty())
            hint = warpkit::did_you_mean(words.front(), command_names());
        if (dynamic_cast<CLI::ExtrasError const*>(&e) != nullptr) {
            what = "not expected:"; // CLI11 has them in reverse
            auto const extra = app.remaining(true);
            for (auto const& word : extra) what += ' ' + word;
            if (named_first) hint = meant_option(*app.get_subcommand(words.front()), extra);
            for (auto const* w : warpkit::kernels::all())
                if (!named_first && words.front() == w->name)
                    hint = " (write run --kernel " + words.front() + ')';
        }
        std::cerr << "lab: " << what << hint << " (lab" << (named_first ? " " : "")
                  << (named_first ? words.front() : "") << " --help)\n";
        return 2;
    }

    o.finish(defaults.files());
    auto const obey = [&]() -> int {
        if (runs.asked()) return runs.carry_out(o);
        if (studies.asked()) return studies.carry_out(o);
        if (list)
            lab::list(topic);
        else if (databases.asked())
            return databases.carry_out(o.what, words);
        else if (show && other.empty())
            lab::show(preset, o.what.settings);
        else if (show)
            show_differences(preset, other, o.what.settings, differing);
        else if (import)
            lab::import(importing, o.what);
        else if (explain)
            lab::explain(name);
        else if (kernels)
            print_kernel_page();
        else if (compare) {
            if (std::find(compared.begin(), compared.end(), "all") != compared.end()) compared.clear();
            if (files.size() == 1 && metrics.empty())
                normalise(files.front(), baseline, compared, o.markdown);
            else if (files.size() == 1)
                throw warpkit::error("--metric: it is of two files or more");
            else if (files.size() == 2 && metrics.empty())
                return lab::compare(files[0], files[1]);
            else
                return lab::compare(files, metrics.empty() ? std::vector<std::string>{"ipc"} : metrics,
                                    o.markdown);
        } else
            return run(o.what);
        return 0;
    };
    // man and completion are of all commands, and need the command line as it is declared.
    if (completion) {
        print_completion(shell);
        return 0;
    }
    if (man) {
        print_man_page(app);
        return 0;
    }
    json_tables listing(show && other.empty() ? differing.json : o.tables);
    auto const status = obey();
    listing.finish();
    return status;
}

} // namespace lab
