#pragma once
// Tables of values as pictures, by the drawing code of the papers' figures.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
    std::vector<std::size_t> styles;                        // of the columns; empty: in their order
    // 95 % of each value, by row and column; empty: none.
    std::vector<std::vector<std::optional<std::pair<double, double>>>> intervals;
    std::optional<double> neutral; // where nothing changes
};
// Which of the 16 styles of bars a cause of cycles has in all pictures, by its name or its counter's. From 8 on it is
// that colour again, paler.
std::size_t style_of_cause(std::string_view cause);
// bars, stacked, curves, heat; and roofline, time (xy_plot.hpp), banks and occupancy (timeline_plot.hpp), which are no
// tables.
std::vector<std::string> plot_kinds();
// As SVG, with a style of its own unless it stands in a page that has it. Throws `error` for another kind than the
// first four, and where there is nothing to draw.
std::string plot_svg(plot_values const& values, std::string const& kind, bool alone);

} // namespace lab
