#pragma once
// What came of a document's figures: values beside the paper's, and what they say about it.

#include "figures.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab::figures {

// How ours stands to the paper's.
//
// Something that changes (it has a neutral value: 1 for a ratio, 0 for a difference) agrees in direction if both are on
// the same side of neutral; where the paper's effect is below 1 % of a ratio or one point, if ours is below 5 % or five
// points. Something that does not (a share, a count) agrees in direction within a factor of two. It agrees in magnitude
// if its distance to the paper's is at most a quarter of the paper's effect, or of its value; 2 % of a ratio, or two
// points, are always near enough. An exact one (a number of the machine) is the same or against. A claim in words holds
// or does not. A column of a table with at least five values is one check: direction if Spearman's rank correlation is
// 0.5 or more, magnitude if half of its values agree in magnitude.
enum class verdict { agrees, direction, against, waits };
char const* word_of(verdict v);
verdict judge(std::optional<double> ours, double paper, std::optional<double> neutral, bool in_percent,
              bool exact);
// Spearman's rank correlation, ties with their mean rank; nothing for fewer than three pairs or where one side is
// constant.
std::optional<double> rank_correlation(std::vector<std::pair<double, double>> const& pairs);
// The rule, for the page.
std::vector<std::string> rule_in_words();

struct finished_run {
    nlohmann::json point;
    nlohmann::json record;
    bool verified = false;
    std::optional<double> measured(std::string const& metric) const;
};
struct cell {
    std::optional<double> ours;
    std::optional<double> paper;
    std::optional<std::pair<double, double>> interval = {}; // of ours, 95 %
};
struct check {
    std::string what;
    std::string paper; // as printed
    std::optional<double> paper_number;
    std::optional<double> ours;
    std::string ours_text;
    verdict result = verdict::waits;
    std::string note; // over how many rows it is
    // Ids of the experiments that show why it is away from the paper's; "none" for a mean that is, and has none.
    std::vector<std::string> why;
};
struct figure_result {
    figure const* of = nullptr;
    std::vector<row const*> rows;
    std::vector<std::vector<cell>> cells; // by row, then column; curves: by curve, then x
    std::vector<std::string> curves;      // titles
    std::vector<std::pair<std::string, std::vector<cell>>> means;
    std::vector<check> checks;
    std::vector<std::string> waiting; // rows and series that cannot run, and why
    std::size_t rows_with_runs = 0;

    std::size_t with(verdict v) const;
    verdict overall() const; // waits if nothing could be checked
};
// One line of a row's diagnosis.
struct diagnosis {
    row const* of = nullptr;
    finished_run const* base = nullptr;
    std::optional<double> ctas, ctas_per_core, warps_per_cta, waves, groups, l2_hits, bus_use, perfect_l1,
        perfect_l2;
};
struct document_result {
    document const* of = nullptr;
    std::string size; // small or paper
    std::vector<figure_result> figures;
    std::vector<diagnosis> rows;
    std::vector<std::string> problems;
    std::size_t runs = 0;
};

// The runs of a document: by row and series.
using run_table = std::map<std::pair<std::string, std::string>, finished_run const*>;
figure_result evaluate(document const& d, figure const& f, run_table const& runs);
diagnosis diagnose(document const& d, row const& r, run_table const& runs);
// Why a row, or a series, cannot run; empty if it can.
std::string why_row_waits(row const& r);

// A value as people read it: three or four digits.
std::string shown(std::optional<double> value);
// What a figure's pages and files are called.
std::string csv_of(figure_result const& f);
nlohmann::ordered_json json_of(document_result const& d, figure_result const& f, run_table const& runs);
std::string svg_of(figure_result const& f, bool alone); // empty: it has none. alone: with its own style
char const* svg_style();
std::string page_of(document_result const& d);
std::string escaped(std::string_view text); // for XML
// Pieces of pages: up to <body>, with the style of plots where there are any; a cell; a header, in which titles of
// columns of words begin with '<'.
std::string head_of(std::string const& title, bool plots);
std::string cell_html(std::string const& text, std::string const& style = "");
std::string header_html(std::vector<std::string> const& titles);

// One row for each figure, over all documents.
std::string summary_markdown(std::vector<document_result> const& all);
std::string summary_csv(std::vector<document_result> const& all);
std::string summary_page(std::vector<document_result> const& all);
std::string command_of(document_result const& d, figure_result const& f);

} // namespace lab::figures
