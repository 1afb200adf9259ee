#pragma once
// The commands that make databases of runs and ask them.

#include "cluster.hpp"
#include "common_options.hpp"
#include "figures/figures.hpp"
#include "lab.hpp"
#include "sweep.hpp"

#include <string>
#include <vector>

namespace lab {

struct database_commands {
    void declare(declare_command const& command, common_options& o);
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
