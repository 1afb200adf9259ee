#include "common_options.hpp"

#include <warpkit/config/settings.hpp>

#include "machine_files.hpp"
#include "results_files.hpp"

#include <algorithm>
#include <utility>

namespace lab {

CLI::Option* named_file(CLI::Option* option) {
    return option->check([](std::string const& name) {
        return name.empty() ? std::string("the name is empty; give a file, or leave the option out")
                            : std::string();
    });
}
CLI::Validator one_of(std::vector<std::string> const& names) {
    std::string set; // in the help
    for (auto const& name : names) set += (set.empty() ? '{' : ',') + name;
    set += '}';
    return {[names](std::string const& name) {
                if (std::find(names.begin(), names.end(), name) != names.end()) return std::string();
                return "there is no '" + name + '\'' + warpkit::did_you_mean(name, names) +
                       "; there are: " + enumerated(names);
            },
            set};
}

CLI::Option* common_options::note(CLI::App const* c, CLI::Option* option,
                                  std::function<std::vector<std::string>()> names, bool output) {
    bool const named = !option->get_lnames().empty();
    auto const use = named ? "--" + option->get_lnames().front() : "an input";
    files_.push_back({c, use, std::move(names), output});
    return named ? named_file(option) : option;
}
CLI::Option* common_options::reads(CLI::App const* c, CLI::Option* option,
                                   std::function<std::vector<std::string>()> names) {
    return note(c, option, std::move(names), false);
}
CLI::Option* common_options::reads(CLI::App* c, std::string const& name, std::string& file,
                                   std::string const& help) {
    return reads(c, c->add_option(name, file, help), [&file] { return std::vector{file}; });
}
CLI::Option* common_options::reads(CLI::App* c, std::string const& name, std::vector<std::string>& files,
                                   std::string const& help) {
    return reads(c, c->add_option(name, files, help), [&files] { return files; });
}
CLI::Option* common_options::writes(CLI::App* c, std::string const& name, std::string& file,
                                    std::string const& help) {
    return note(
        c, c->add_option(name, file, help), [&file] { return std::vector{file}; }, true);
}

void take_all(CLI::Option* option) {
    option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void common_options::settings(CLI::App* c) {
    take_all(c->add_option("--set", what.settings,
                           "Change a number of the machine: name=value (lab list numbers), or @file"));
}

void common_options::uses(CLI::App* c) {
    take_all(c->add_option("--use", what.uses,
                           "Policies of any seat: seat=policy,policy:parameter=value (lab list seats)"));
}

void common_options::parameters(CLI::App* c) {
    take_all(c->add_option("--param", what.parameters,
                           "Change a kernel's input: kernel.parameter=value (lab list kernels)"));
}

void common_options::program_files(CLI::App* c) {
    reads(c, "--ptx", what.ptx, "Run these PTX files in place of the kernel's own (one --kernel)")
        ->delimiter(',');
    reads(c, "--launch", what.launch_files,
          "Run the PTX kernels of these launch files (docs/reference/launch_files.md)")
        ->delimiter(',')
        ->excludes("--kernel")
        ->excludes("--ptx")
        ->excludes("--param");
    reads(c, "--trace", what.traces, "Run these traces of Accel-Sim: kernelslist.g (docs/howto/accelsim.md)")
        ->delimiter(',')
        ->excludes("--kernel")
        ->excludes("--ptx")
        ->excludes("--param")
        ->excludes("--launch");
    c->add_option("--copies", what.copies,
                  "What copies to the device in traces do: accel-sim (default; as there, cut to 32 bits), "
                  "l2 or none")
        ->delimiter(',');
}

void common_options::sampling(CLI::App* c) {
    auto* const option = c->add_flag("--sample", sample,
                                     "Time only parts of long kernels and estimate their cycles with an "
                                     "error bar (docs/reference/lab.md)");
    c->add_option(
         "--sample-tolerance", sampled.tolerance,
         "Intervals agree when none is further from their mean than this part of it; 0.05 by default")
        ->needs(option);
    c->add_option("--sample-intervals", sampled.intervals,
                  "How many successive intervals must agree, each of half a wave of blocks; 4 by default")
        ->needs(option);
    c->add_option("--sample-stretch", sampled.stretch,
                  "For each block timed, so many may be left out; 4 by default")
        ->needs(option);
}

void common_options::tables_as_json(CLI::App* c) {
    writes(c, "--json", tables, "Write the tables to this file as JSON; - is standard output");
}

void common_options::lists(CLI::App* c) {
    c->add_option("-k,--kernel", what.kernels, "Kernels or suites to run (lab list kernels); all by default")
        ->delimiter(',');
    c->add_option("-s,--scheduler", what.schedulers,
                  "Warp schedulers, as gto or elf:points=16 (lab list parameters); lrr,gto by default")
        ->delimiter(',');
    c->add_option("-p,--preset", what.presets, "Machines (lab list presets); gtx480 by default")
        ->delimiter(',');
    reads(c, "--machine", what.machines,
          "Machines in files, as lab import writes them (docs/howto/machine_files.md)")
        ->delimiter(',');
    c->add_option("--dram", what.dram,
                  "DRAM schedulers: fr_fcfs (default), fcfs, par_bs, atlas:quantum=100000, ...")
        ->delimiter(',');
    c->add_option("--replay", what.replay,
                  "Replay queues: none (default), mrpb, car, new_car:entries=16 (lab list parameters)")
        ->delimiter(',');
    c->add_option("--fetch", what.fetch, "Fetch orders (lab list policies)")->delimiter(',');
    c->add_option("--prefetch", what.prefetch, "Instruction prefetchers (lab list policies)")->delimiter(',');
    uses(c);
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
    auto* const size_option = c->add_option("--size", size, "Input sizes: small (default), medium or full")
                                  ->check(one_of({"small", "medium", "full"}));
    c->add_flag("--small", small, "The same as --size small")->excludes(size_option);
    c->add_flag("--full", full, "The same as --size full")->excludes(size_option)->excludes("--small");
    settings(c);
    parameters(c);
}

void common_options::subjects(CLI::App* to) {
    to->add_option("-k,--kernel", what.kernels, "Kernels or suites (lab list kernels); all by default")
        ->delimiter(',');
    auto* const sizes = to->add_option("--size", size, "Input sizes: small (default), medium or full")
                            ->check(one_of({"small", "medium", "full"}));
    to->add_flag("--full", full, "At their full sizes")->excludes(sizes);
    parameters(to);
    to->add_option("-p,--preset", what.presets, "Of which machine; gtx480 by default");
    settings(to);
    to->add_flag("--markdown", markdown, "Tables in Markdown");
}

void common_options::finish(std::vector<std::string> const& defaults) {
    what.settings = expand_settings(what.settings, what.setting_files);
    for (auto const& file : defaults) what.files.reads(file, "the file of defaults");
    for (auto const& file : what.setting_files) what.files.reads(file, "--set");
    for (auto const& option : files_) {
        if (!option.command->parsed()) continue;
        for (auto const& name : option.names()) {
            if (name.empty()) continue;
            if (option.output)
                what.files.writes(name, option.use);
            else
                what.files.reads(file_in(name), option.use);
        }
    }
    what.size = full ? warpkit::kernels::size::full : warpkit::kernels::size_named(size);
    if (sample) {
        sampled.check();
        what.sample = sampled;
    }
    if (!reuse_memory.empty())
        what.reuse_memory = warpkit::parse_number(reuse_memory, "bytes", "--reuse-memory");
}

} // namespace lab
