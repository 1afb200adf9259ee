#pragma once
// What databases of runs answer: the runs that were asked for, what tells them apart, and a table of their means.

#include "sweep.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

struct kept_run {
    nlohmann::json point;
    nlohmann::json record;
    std::string version;
    bool verified = false;
    std::string text; // record, as it was written
};

// Those that were asked for, of one version of the code unless it was said otherwise. Throws `error` where none are.
std::vector<kept_run> runs_of(results_request const& how);
// What tells these runs apart: labels, parameters of one kernel, numbers of one preset.
std::vector<std::string> axes_of(std::vector<kept_run> const& runs);
// Value of an axis as people write it.
std::string shown(kept_run const& r, std::string const& axis);
// A metric or counter; none where it is not defined. Throws `error` for what is neither.
std::optional<double> measure(kept_run const& r, std::string const& name);
// The counters of where the scheduler cycles went.
std::vector<std::string> cause_counters();
// The runs, as lab run --json writes them.
std::string records_of(std::vector<kept_run> const& runs);

// A mean of several values: geometric where all are positive, else arithmetic; with the 95 % interval of Student's t,
// of the logarithms where it is geometric.
struct mean_value {
    std::size_t n = 0;
    double value = std::numeric_limits<double>::quiet_NaN();
    double low = value;
    double high = value;
};
mean_value mean_of(std::vector<double> const& values);

bool is_number(std::string const& text);
// Rows by their columns, one behind the other: numbers, as 8 KiB and 16 KiB, in their order, names in that of their
// first appearance.
void sort_by_number(std::vector<std::vector<std::string>>& rows);
void sort_by_number(std::vector<std::string>& names);

// What was asked for, as a table of means.
struct answer {
    using key = std::vector<std::string>;
    std::vector<std::string> axes; // that differ among the runs
    std::vector<std::string> rows; // names
    std::string column;            // name; empty: a column for each metric alone
    std::vector<std::string> metrics;
    bool causes = false; // the metrics are those of where the cycles went
    std::vector<key> row_keys;
    std::vector<std::string> column_keys;
    std::vector<std::string> versions;

    mean_value cell(key const& row, std::string const& of_column, std::size_t metric) const;
    std::map<std::pair<key, std::string>, std::vector<std::vector<double>>> cells; // by metric
    // One line, or object, for each value.
    std::string csv(std::string const& normalise) const;
    nlohmann::json values(std::string const& normalise) const;
};
// Of good runs only; says how many were left out. Throws `error` as lab results does.
answer ask(results_request const& how, std::vector<kept_run> runs);

// As SVG.
std::string picture_of(answer const& a, results_request const& how);

} // namespace lab
