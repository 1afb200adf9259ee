#pragma once
// Tables of values as pictures, by the drawing code of the papers' figures.

#include <optional>
#include <string>
#include <vector>

namespace lab {

// What is drawn: a group of bars, a point of curves or a line of a map for each row; a bar, a part of a stack, a curve
// or a field for each column.
struct plot_values {
    std::string title;
    std::string unit;
    std::string along; // what the rows are
    std::vector<std::string> rows;
    std::vector<std::string> columns;
    std::vector<std::vector<std::optional<double>>> values; // by row and column
    std::vector<std::optional<double>> means;               // over the rows; empty: none
    std::optional<double> neutral;                          // where nothing changes
};
// bars, stacked, curves, heat; and roofline, time (xy_plot.hpp), banks and occupancy (timeline_plot.hpp), which are no
// tables.
std::vector<std::string> plot_kinds();
// As SVG, with a style of its own unless it stands in a page that has it. Throws `error` for another kind than the
// first four, and where there is nothing to draw.
std::string plot_svg(plot_values const& values, std::string const& kind, bool alone);

} // namespace lab
