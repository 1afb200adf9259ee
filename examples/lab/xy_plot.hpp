#pragma once
// Pictures over two numbers: rooflines, and values over time.

#include <string>
#include <utility>
#include <vector>

namespace lab {

struct xy_plot {
    struct series {
        std::string name;
        std::vector<std::pair<double, double>> points;
        std::vector<std::string> names = {}; // of the points, shown where one points at them
    };
    std::string title;
    std::string x_name; // with its unit
    std::string y_name;
    bool logarithmic = false; // both axes; then all numbers are positive
    bool joined = false;      // each series is a line, not points
    std::vector<series> all;
    std::vector<series> limits; // lines that bound them, named at their ends
};
// As SVG in the style of the other pictures. Throws `error` where there is nothing to draw.
std::string xy_svg(xy_plot const& plot);

} // namespace lab
