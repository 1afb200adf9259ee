#pragma once
// Numbers at the axes of pictures.

#include <warpkit/report/text.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

// A place in a picture, as SVG has it.
inline std::string pixels(double x) {
    auto text = warpkit::report::fixed(x, 1);
    if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
    return text;
}
// A number at an axis, as short as it can be.
inline std::string label_of(double x) {
    for (int digits = 0; digits < 6; ++digits) {
        auto text = warpkit::report::fixed(x, digits);
        if (std::abs(std::stod(text) - x) <= 1e-9 * std::max(1.0, std::abs(x))) {
            if (x >= 1000 && digits == 0)
                return warpkit::report::with_thousands(static_cast<std::uint64_t>(x));
            return text;
        }
    }
    return warpkit::report::fixed(x, 6);
}

// A number with its unit, as 16 KiB, in bytes or hertz; none where the text does not begin with a digit.
inline std::optional<double> number_with_unit(std::string const& text) {
    if (text.empty() || text.front() < '0' || text.front() > '9') return {};
    double x = std::strtod(text.c_str(), nullptr);
    for (auto const& [unit, factor] : {std::pair("KiB", 1024.0),
                                       {"MiB", 1048576.0},
                                       {"GiB", 1073741824.0},
                                       {"MHz", 1e6},
                                       {"GHz", 1e9},
                                       {"kHz", 1e3}})
        if (text.find(unit) != std::string::npos) x *= factor;
    return x;
}

// From numbers to places.
struct plot_axis {
    double from = std::numeric_limits<double>::infinity();
    double to = -from;
    bool logarithmic = false;
    bool with_zero = true; // unless logarithmic
    std::vector<double> marks;

    void take(double x) {
        from = std::min(from, x);
        to = std::max(to, x);
    }
    // All numbers have been taken: marks at round ones, the last behind them.
    void finish() {
        if (logarithmic) {
            auto const first = std::floor(std::log10(from));
            auto const last = std::max(std::ceil(std::log10(to)), first + 1);
            for (double d = first; d <= last; ++d) marks.push_back(std::pow(10, d));
            from = marks.front();
            to = marks.back();
            return;
        }
        if (with_zero) from = std::min(from, 0.0);
        if (to <= from) to = from + 1;
        double step = std::pow(10, std::floor(std::log10((to - from) / 4)));
        for (auto const factor : {2.0, 2.5, 2.0})
            if ((to - from) / step > 6) step *= factor;
        for (double x = std::ceil(from / step) * step; x <= to + step; x += step) {
            marks.push_back(x);
            if (x >= to) break;
        }
        to = marks.back();
    }
    double place(double x) const {
        return logarithmic ? (std::log10(x) - std::log10(from)) / (std::log10(to) - std::log10(from))
                           : (x - from) / (to - from);
    }
};

} // namespace lab
