#pragma once
// Carries out the points of a sweep, as many at once as there are cores, and asks for what came of them.

#include "plan.hpp"
#include "store.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace lab {

struct sweep_options {
    std::string database = "results.db";
    unsigned jobs = 0; // at once; 0: one for each host core
    bool dry = false;  // only say what is missing
    bool quiet = false;
    // Hears how many points are done, of how many, and what is run; from any thread, one at a time. Empty: nobody.
    std::function<void(std::size_t, std::size_t, std::string const&)> progress = {};
};
struct sweep_outcome {
    std::size_t there = 0;  // before
    std::size_t here = 0;   // run by this process
    std::size_t others = 0; // run meanwhile by others
    std::vector<std::string> problems;
    int signal = 0;           // that ended it; 0: none did
    double seconds = 0;       // of the whole
    double busy = 0;          // of all cores together
    std::size_t executed = 0; // programs, once for several points
};
// Runs what is missing, and waits for what other processes are at. Results are in the store one by one, as soon as each
// is there. Ctrl-C and SIGTERM end it with what is finished. Throws `error` where the store does.
sweep_outcome carry_out(sweep_jobs const& jobs, run_store& store, sweep_options const& options);

// `lab sweep`. The exit status.
int sweep(sweep_plan const& plan, sweep_options const& options);

struct results_request {
    std::vector<std::string> databases;
    std::vector<std::string> where;   // conditions
    std::vector<std::string> metrics; // or counters; ipc if empty
    std::vector<std::string> rows;    // names; empty: all that differ
    std::vector<std::string> columns; // at most one name
    std::string normalise;            // name=value
    std::string version;              // of the code; "all": of all
    std::string csv;
    std::string json;
    std::string records; // the runs themselves, as lab run --json writes them
    bool markdown = false;
    bool digest = false; // of each database, in place of all else
    std::string plot;    // picture, in place of the table
    std::string kind;    // of it: bars, stacked, curves, heat; empty: as fits
};
// `lab results` and `lab plot`. The exit status.
int results(results_request const& how);
// `lab report`: one page of all runs, which needs nothing beside itself. The exit status.
int report_page(results_request const& how, std::string const& file);
// The runs of a database that fit these conditions, as lab run --json writes them. Throws `error` as lab results does.
std::string records_in(std::string const& database, std::vector<std::string> const& where);

} // namespace lab
