#pragma once
// Two runs of one program side by side, by what is counted of them: where the cycles of the schedulers went, launch by
// launch, and what that comes to.

#include <warpkit/base/events.hpp>
#include <warpkit/machine/counters.hpp>

#include <array>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace lab {

// Cycles of a scheduler by their causes: over all of them these sum to the cycles of the run.
using scheduler_cycles = std::array<double, warpkit::cycle_cause_count>;
// Of a machine with so many schedulers.
scheduler_cycles cycles_by_cause(warpkit::run_counters const& c, double schedulers);

struct compared_run {
    struct launch {
        std::string kernel;
        double cycles = 0;
        scheduler_cycles by_cause{};
    };
    std::string name; // what sets it apart from the other
    double cycles = 0;
    scheduler_cycles by_cause{};
    std::vector<launch> launches;
};

// Tables of causes, and of the launches that differ most.
void print_side_by_side(std::ostream& out, compared_run const& a, compared_run const& b, std::size_t width);
// Which is faster, by which cause, and in which launch.
std::vector<std::string> causes_in_words(compared_run const& a, compared_run const& b);

constexpr std::size_t shown_rows = 10; // of a table

// `lab explain-difference` of two runs that were made before, each of them named by a results file, or by a database
// and conditions. The exit status.
int explain_difference(std::string const& first, std::string const& second, std::string const& json,
                       bool quiet);

} // namespace lab
