#include "plot.hpp"

#include <warpkit/machine/counters.hpp>

#include "figures/results.hpp"
#include "lab.hpp"
#include "timeline_plot.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace lab {

using warpkit::error;

std::vector<std::string> plot_kinds() {
    std::vector<std::string> kinds = {"bars", "stacked", "curves", "heat", "roofline", "time"};
    for (auto& kind : timeline_kinds()) kinds.push_back(std::move(kind));
    return kinds;
}

std::size_t style_of_cause(std::string_view cause) {
    using warpkit::cycle_cause;
    cause.remove_prefix(cause.rfind('.') + 1); // npos + 1 is 0
    // What waits for the same has the same colour, and what there is most of a full one.
    static constexpr std::pair<cycle_cause, std::size_t> styles[] = {{cycle_cause::issued, 0},
                                                                     {cycle_cause::raw_memory, 3},
                                                                     {cycle_cause::raw_other, 1},
                                                                     {cycle_cause::translation, 11},
                                                                     {cycle_cause::structural_memory, 5},
                                                                     {cycle_cause::structural_other, 13},
                                                                     {cycle_cause::throttled, 6},
                                                                     {cycle_cause::sync, 2},
                                                                     {cycle_cause::control, 4},
                                                                     {cycle_cause::fetch, 7},
                                                                     {cycle_cause::no_cta, 15},
                                                                     {cycle_cause::drained, 14}};
    static_assert(std::size(styles) == warpkit::cycle_cause_count);
    for (auto const& [its, style] : styles)
        if (cause == warpkit::cycle_cause_names[static_cast<unsigned>(its)]) return style;
    throw std::logic_error("no cause of cycles is called " + std::string(cause));
}

// Without the columns that are nothing anywhere: of a stack these take a colour, and no room.
static plot_values without_nothing(plot_values all) {
    for (std::size_t c = all.columns.size(); c-- > 0;) {
        bool const any = std::any_of(all.values.begin(), all.values.end(),
                                     [c](auto const& line) { return line[c] && *line[c] != 0; });
        if (any) continue;
        auto const at = static_cast<std::ptrdiff_t>(c);
        all.columns.erase(all.columns.begin() + at);
        if (!all.styles.empty()) all.styles.erase(all.styles.begin() + at);
        for (auto& line : all.values) line.erase(line.begin() + at);
    }
    return all;
}

std::string plot_svg(plot_values const& all, std::string const& kind, bool alone) {
    using namespace figures;
    auto const values = kind == "stacked" ? without_nothing(all) : all;
    figure f;
    f.title = values.title;
    f.unit = values.unit;
    f.along = values.along;
    f.how = kind == "bars"      ? form::bars
            : kind == "stacked" ? form::stacked
            : kind == "curves"  ? form::curves
            : kind == "heat"    ? form::heat
                                : form::words;
    if (f.how == form::words) refuse_name("kind of plot", kind, plot_kinds());
    for (std::size_t i = 0; i < values.columns.size(); ++i) {
        column c;
        c.title = values.columns[i];
        c.neutral = values.neutral;
        if (!values.styles.empty()) c.style = values.styles[i];
        f.columns.push_back(std::move(c));
    }
    std::vector<row> rows(values.rows.size());
    figure_result result;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        rows[r].name = values.rows[r];
        result.rows.push_back(&rows[r]);
    }
    auto const cells_of = [](std::vector<std::optional<double>> const& line) {
        std::vector<cell> cells;
        for (auto const& v : line) cells.push_back({v, std::nullopt});
        return cells;
    };
    if (f.how == form::curves) {
        f.x = values.rows;
        result.curves = values.columns;
        for (std::size_t c = 0; c < values.columns.size(); ++c) {
            auto& line = result.cells.emplace_back();
            for (auto const& of : values.values) line.push_back({of[c], std::nullopt});
        }
    } else {
        for (auto const& line : values.values) result.cells.push_back(cells_of(line));
        for (std::size_t r = 0; r < values.intervals.size(); ++r)
            for (std::size_t c = 0; c < values.intervals[r].size(); ++c)
                result.cells[r][c].interval = values.intervals[r][c];
        if (!values.means.empty() && f.how != form::stacked)
            result.means.emplace_back("geometric mean", cells_of(values.means));
    }
    result.of = &f;
    auto svg = svg_of(result, alone);
    if (svg.empty()) throw error("there is nothing to draw: no result has a value");
    return svg;
}

} // namespace lab
