#pragma once
// The commands that make databases of runs and ask them.

#include "cluster.hpp"
#include "figures/figures.hpp"
#include "lab.hpp"
#include "sweep.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace lab {

// A command; null where the command line begins with another.
struct named_command {
    CLI::App* app = nullptr;
    // Whether it is what is to be done.
    explicit operator bool() const { return app != nullptr && app->parsed(); }
};
// The name of a file: not an empty one, which would count as none.
CLI::Option* named_file(CLI::Option* option);
// As often as wanted, a value each.
void take_all(CLI::Option* option);

struct database_commands {
    using declare_command =
        std::function<named_command(char const*, char const*, std::function<void(CLI::App*)> const&)>;
    // `lists_of` declares what is run on which machines; it and these commands fill `what`.
    void declare(declare_command const& command, std::function<void(CLI::App*)> const& lists_of,
                 request& what, std::string& reuse_memory);
    // Whether one of them is to be done.
    bool asked() const;
    // Does it; `words` are those of the command line. The exit status.
    int carry_out(request const& what, std::vector<std::string> const& words);

private:
    named_command sweep;
    named_command merge;
    named_command results;
    named_command plot;
    named_command report;
    named_command figures;
    sweep_plan plan;
    sweep_options sweeping;
    cluster_options cluster;
    std::string plan_file;
    std::vector<std::string> merged;
    std::string merged_into = "results.db";
    results_request query;
    std::string picture_of_results = "plot.svg";
    std::string page = "report.html";
    lab::figures::figures_request drawing;
    std::string figure_size = "small";
};

} // namespace lab
