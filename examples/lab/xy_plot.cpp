#include "xy_plot.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/report/text.hpp>

#include "figures/results.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lab {

namespace report = warpkit::report;

namespace {

constexpr double left = 62, right = 34, bottom = 44, width = 640, height = 360;

std::string text_of(double x) {
    auto text = report::fixed(x, 1);
    if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
    return text;
}
// A number at an axis, as short as it can be.
std::string label_of(double x) {
    for (int digits = 0; digits < 6; ++digits) {
        auto text = report::fixed(x, digits);
        if (std::abs(std::stod(text) - x) <= 1e-9 * std::max(1.0, std::abs(x))) {
            if (x >= 1000 && digits == 0) return report::with_thousands(static_cast<std::uint64_t>(x));
            return text;
        }
    }
    return report::fixed(x, 6);
}

// From numbers to places.
struct axis {
    double from = std::numeric_limits<double>::infinity();
    double to = -from;
    bool logarithmic = false;
    std::vector<double> marks;

    void take(double x) {
        from = std::min(from, x);
        to = std::max(to, x);
    }
    void finish() {
        if (logarithmic) {
            auto const first = std::floor(std::log10(from));
            auto const last = std::max(std::ceil(std::log10(to)), first + 1);
            for (double d = first; d <= last; ++d) marks.push_back(std::pow(10, d));
            from = marks.front();
            to = marks.back();
            return;
        }
        from = std::min(from, 0.0);
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

std::string style_of(char kind, std::size_t n) {
    return std::string(1, kind) + std::to_string(n % 8) + (n < 8 ? "" : " again");
}

} // namespace

std::string xy_svg(xy_plot const& plot) {
    axis x, y;
    x.logarithmic = y.logarithmic = plot.logarithmic;
    std::size_t points = 0;
    for (auto const& s : plot.all)
        for (auto const& [a, b] : s.points) {
            x.take(a);
            y.take(b);
            ++points;
        }
    if (points == 0) throw warpkit::error("there is nothing to draw: no result has a value");
    for (auto const& s : plot.limits)
        for (auto const& [a, b] : s.points) y.take(b);
    x.finish();
    y.finish();

    using figures::escaped;
    // The legend first: how many lines it takes is known then.
    std::string legend;
    double at = left, row = 30;
    for (std::size_t i = 0; i < plot.all.size() && (plot.all.size() > 1 || !plot.all[0].name.empty()); ++i) {
        auto const& name = plot.all[i].name;
        auto const wide = 34 + 6.9 * static_cast<double>(report::display_width(name));
        if (at + wide > width - right && at > left) {
            at = left;
            row += 16;
        }
        legend += plot.joined ? "<line class=\"line " + style_of('s', i) + "\" x1=\"" + text_of(at) +
                                    "\" y1=\"" + text_of(row - 4) + "\" x2=\"" + text_of(at + 18) +
                                    "\" y2=\"" + text_of(row - 4) + "\"/>"
                              : "<circle class=\"" + style_of('f', i) + "\" cx=\"" + text_of(at + 9) +
                                    "\" cy=\"" + text_of(row - 4) + "\" r=\"4\"/>";
        legend +=
            "<text x=\"" + text_of(at + 24) + "\" y=\"" + text_of(row) + "\">" + escaped(name) + "</text>\n";
        at += wide;
    }
    auto const top = row + 18;
    auto const all_of_it = top + height + bottom;
    auto const px = [&](double v) { return left + x.place(v) * (width - left - right); };
    auto const py = [&](double v) { return top + (1 - y.place(v)) * height; };
    auto const place = [&](std::pair<double, double> const& p) {
        return text_of(px(p.first)) + ',' + text_of(py(p.second));
    };

    std::string svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 " +
        text_of(width) + ' ' + text_of(all_of_it) + "\" width=\"" + text_of(width) + "\" height=\"" +
        text_of(all_of_it) + "\">\n<title>" + escaped(plot.title) + "</title>\n<style>" +
        figures::svg_style() + "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n" +
        "<text x=\"" + text_of(left) + "\" y=\"14\">" + escaped(plot.title) + "</text>\n" + legend;
    for (auto const m : y.marks)
        svg += "<line class=\"grid\" x1=\"" + text_of(left) + "\" y1=\"" + text_of(py(m)) + "\" x2=\"" +
               text_of(width - right) + "\" y2=\"" + text_of(py(m)) + "\"/><text text-anchor=\"end\" x=\"" +
               text_of(left - 6) + "\" y=\"" + text_of(py(m) + 4) + "\">" + label_of(m) + "</text>\n";
    for (auto const m : x.marks)
        svg += "<line class=\"grid\" x1=\"" + text_of(px(m)) + "\" y1=\"" + text_of(top) + "\" x2=\"" +
               text_of(px(m)) + "\" y2=\"" + text_of(top + height) + "\"/><text text-anchor=\"middle\" x=\"" +
               text_of(px(m)) + "\" y=\"" + text_of(top + height + 16) + "\">" + label_of(m) + "</text>\n";
    svg += "<text text-anchor=\"middle\" x=\"" + text_of((left + width - right) / 2) + "\" y=\"" +
           text_of(all_of_it - 8) + "\">" + escaped(plot.x_name) +
           "</text>\n<text text-anchor=\"middle\" transform=\"translate(14," + text_of(top + height / 2) +
           ") rotate(-90)\">" + escaped(plot.y_name) + "</text>\n";
    for (auto const& l : plot.limits) {
        std::string path;
        for (auto const& [a, b] : l.points) {
            auto const in_x = std::clamp(a, x.from, x.to);
            path += (path.empty() ? "" : " ") + place({in_x, std::clamp(b, y.from, y.to)});
        }
        svg += "<polyline class=\"even\" fill=\"none\" points=\"" + path + "\"><title>" + escaped(l.name) +
               "</title></polyline>\n<text text-anchor=\"end\" x=\"" + text_of(width - right - 4) +
               "\" y=\"" + text_of(py(std::clamp(l.points.back().second, y.from, y.to)) - 5) + "\">" +
               escaped(l.name) + "</text>\n";
    }
    for (std::size_t i = 0; i < plot.all.size(); ++i) {
        auto const& s = plot.all[i];
        if (plot.joined) {
            std::string path;
            for (auto const& p : s.points) path += (path.empty() ? "" : " ") + place(p);
            svg += "<polyline class=\"line " + style_of('s', i) + "\" points=\"" + path + "\"><title>" +
                   escaped(s.name) + "</title></polyline>\n";
            continue;
        }
        for (std::size_t k = 0; k < s.points.size(); ++k)
            svg += "<circle class=\"" + style_of('f', i) + " edge\" cx=\"" + text_of(px(s.points[k].first)) +
                   "\" cy=\"" + text_of(py(s.points[k].second)) + "\" r=\"4\"><title>" +
                   escaped(k < s.names.size() ? s.names[k] : s.name) + "</title></circle>\n";
    }
    return svg + "</svg>\n";
}

} // namespace lab
