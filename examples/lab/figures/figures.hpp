#pragma once
// The figures and tables of the papers, declared as data: what each runs, what it shows, and what the paper says.
//
// A document is two files: NAME.toml, its rows, series and figures (docs/reference/figures.md has what may stand
// there), and NAME.tsv, all values that the paper prints.

#include "formula.hpp"
#include "lab.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab::figures {

// A value that the paper prints.
struct paper_value {
    std::string item, section, row, series, metric, unit, value, read_from, note;
    std::optional<double> number; // of `value`, if it is one
};
// What a target and a column name of them: item|row|series|metric, of which * is any.
struct value_pattern {
    std::string item, row, series, metric;
};

struct row {
    std::string name;                 // as in the paper
    std::vector<std::string> classes; // T1, ...
    std::string kernel;
    std::vector<std::string> parameters; // kernel.name=value, at both sizes
    std::vector<std::string> small_only; // at the small size
    std::vector<std::string> paper_only; // at the paper's
    std::string waits;                   // why it cannot run; empty if it can
    std::string note;
    std::string baseline; // of its diagnosis, without perfect caches; empty: the document's
    // CTAs that fit a core, where a higher static_limit is not run again; 0: all are run
    struct {
        unsigned at_small = 0;
        unsigned at_paper = 0;
        unsigned of(bool paper_size) const { return paper_size ? at_paper : at_small; }
    } fits;
};
// Policies, caches and numbers: what a request has of them, with one value each.
struct series {
    std::string name;
    std::string title;
    request asked;
    bool row_sharing = false;
    std::string waits;
};
struct column {
    std::string title;
    formula value;
    std::optional<value_pattern> paper;    // of its rows; `row` is * or has {row}
    std::optional<double> neutral;         // where nothing changes
    std::optional<std::size_t> style = {}; // of its bars; by its place, if it has none
};
// Something that the paper says in numbers.
struct target {
    std::string title;
    value_pattern paper;
    formula ours;
    std::string mark_row;    // where it is drawn: the row or mean (or value of x), and the column
    std::string mark_column; // empty: nowhere
    std::string
        convert; // of the paper's value; "gain": 14 % is 1.14; "loss": 14 % is 0.86; "share": 14 % is 0.14
    std::optional<double> neutral;
    bool exact = false; // the same number, or another machine
    // Ids of the experiments that show what keeps ours from the paper's.
    std::vector<std::string> why;
};
// Something that it says in words.
struct claim {
    std::string text;
    std::string where; // page, section
    formula holds;
    formula value; // written beside the answer; empty: nothing is
};
// The setting of a series that has row_sharing.
inline constexpr char const* row_sharing_on = "row_sharing=on";
enum class form { bars, stacked, curves, heat, table, numbers, words };
struct figure {
    std::string id;   // fig7
    std::string item; // Figure 7
    std::string title;
    form how = form::bars;
    std::string unit;
    std::string machine;            // of its numbers
    std::vector<std::string> rows;  // names and classes
    std::vector<column> columns;    // curves: for each curve, one for each value of x
    std::vector<std::string> means; // "amean", or "gmean T1" of a class
    std::string along;              // curves: what x is
    std::vector<std::string> x;     // curves: its values
    bool curve_for_each_row = false;
    std::vector<target> targets;
    std::vector<claim> claims;
    std::vector<std::string> notes; // what the paper contradicts itself in, and what we decided
    std::string size;               // small or paper: makes sense at that size only; empty: at both
    std::string waits;              // why nothing of it can run
    std::string seen;               // drawings and arithmetic: what holds it, in place of runs
    // Of ours, to show a cause: its claims are answers, and no checks of what the paper says.
    bool experiment = false;
    std::vector<std::string> why; // of its targets that name no other
};
struct document {
    std::string name;
    std::string title;
    std::string machine;
    std::vector<row> rows;
    std::vector<series> all_series;
    std::vector<figure> all_figures;
    std::vector<paper_value> values;
    std::vector<std::string> notes;
    // The series of a row's diagnosis: the baseline, the same with a perfect L1, and with a perfect L2.
    std::string baseline, perfect_l1, perfect_l2;
    bool apart = false; // it is drawn where it is named, not with all

    // That of this row, and those with perfect caches, as far as there are any.
    std::string const& baseline_of(row const& r) const { return r.baseline.empty() ? baseline : r.baseline; }
    std::vector<std::string> diagnosed(row const& r) const;
    series const& series_called(std::string const& name) const;
    std::vector<std::string> series_names() const;
};

// The names of the documents that the lab has.
std::vector<std::string> document_names();
// One of them; from this folder, if one is given. Throws `error` with file and line.
document read_document(std::string const& name, std::string const& folder);

// The rows that a figure's `rows` names.
std::vector<row const*> rows_of(document const& d, figure const& f);
// The values that fit.
std::vector<paper_value const*> values_that_fit(document const& d, value_pattern const& p);

struct figures_request {
    std::vector<std::string> documents; // or all
    std::vector<std::string> only;      // ids, or document/id
    std::vector<std::string> rows;      // only these
    bool paper_size = false;
    unsigned jobs = 0;
    std::string database = "figures.db";
    std::string output = "figures";
    std::string declarations; // a folder in place of the built-in ones
    bool list = false;
    bool quiet = false;
    bool dry = false;
};

} // namespace lab::figures

namespace lab {
// `lab figures`. The exit status.
int draw_figures(figures::figures_request const& what);
} // namespace lab
