#pragma once
// The commands that run kernels, and `lab replay`.

#include "common_options.hpp"

#include <string>
#include <vector>

namespace lab {

struct run_commands {
    void declare(declare_command const& command, common_options& o);
    // Whether one of them is to be done.
    bool asked() const;
    // Does it. The exit status.
    int carry_out(common_options const& o);

private:
    named_command run;
    named_command check;
    named_command difference;
    named_command fork;
    named_command record;
    named_command trace;
    named_command replay;
    std::string engine = "fast";
    std::string stream_limit;
    std::vector<std::string> against;
    std::vector<std::string> compared; // results
    fork_request forking;
    std::string recorded_kernel;
    std::string recorded_scheduler = "gto";
    std::string recorded_preset = "gtx480";
    std::string log_file;
    unsigned core = 0;
    std::string traced_kernel;
    trace_output traces;
    std::vector<std::string> replayed;
};

} // namespace lab
