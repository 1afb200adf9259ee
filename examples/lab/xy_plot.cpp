#include "xy_plot.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/report/text.hpp>

#include "figures/results.hpp"
#include "plot_axis.hpp"

#include <algorithm>
#include <cmath>

namespace lab {

namespace report = warpkit::report;

namespace {

constexpr double left = 62, right = 34, bottom = 44, width = 640, height = 360;

std::string style_of(char kind, std::size_t n) {
    return std::string(1, kind) + std::to_string(n % 8) + (n < 8 ? "" : " again");
}

} // namespace

std::string xy_svg(xy_plot const& plot) {
    plot_axis x, y;
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
        legend += plot.joined ? "<line class=\"line " + style_of('s', i) + "\" x1=\"" + pixels(at) +
                                    "\" y1=\"" + pixels(row - 4) + "\" x2=\"" + pixels(at + 18) + "\" y2=\"" +
                                    pixels(row - 4) + "\"/>"
                              : "<circle class=\"" + style_of('f', i) + "\" cx=\"" + pixels(at + 9) +
                                    "\" cy=\"" + pixels(row - 4) + "\" r=\"4\"/>";
        legend +=
            "<text x=\"" + pixels(at + 24) + "\" y=\"" + pixels(row) + "\">" + escaped(name) + "</text>\n";
        at += wide;
    }
    auto const top = row + 18;
    auto const all_of_it = top + height + bottom;
    auto const px = [&](double v) { return left + x.place(v) * (width - left - right); };
    auto const py = [&](double v) { return top + (1 - y.place(v)) * height; };
    auto const place = [&](std::pair<double, double> const& p) {
        return pixels(px(p.first)) + ',' + pixels(py(p.second));
    };

    std::string svg =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 " +
        pixels(width) + ' ' + pixels(all_of_it) + "\" width=\"" + pixels(width) + "\" height=\"" +
        pixels(all_of_it) + "\">\n<title>" + escaped(plot.title) + "</title>\n<style>" +
        figures::svg_style() + "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n" +
        "<text x=\"" + pixels(left) + "\" y=\"14\">" + escaped(plot.title) + "</text>\n" + legend;
    for (auto const m : y.marks)
        svg += "<line class=\"grid\" x1=\"" + pixels(left) + "\" y1=\"" + pixels(py(m)) + "\" x2=\"" +
               pixels(width - right) + "\" y2=\"" + pixels(py(m)) + "\"/><text text-anchor=\"end\" x=\"" +
               pixels(left - 6) + "\" y=\"" + pixels(py(m) + 4) + "\">" + label_of(m) + "</text>\n";
    for (auto const m : x.marks)
        svg += "<line class=\"grid\" x1=\"" + pixels(px(m)) + "\" y1=\"" + pixels(top) + "\" x2=\"" +
               pixels(px(m)) + "\" y2=\"" + pixels(top + height) + "\"/><text text-anchor=\"middle\" x=\"" +
               pixels(px(m)) + "\" y=\"" + pixels(top + height + 16) + "\">" + label_of(m) + "</text>\n";
    svg += "<text text-anchor=\"middle\" x=\"" + pixels((left + width - right) / 2) + "\" y=\"" +
           pixels(all_of_it - 8) + "\">" + escaped(plot.x_name) +
           "</text>\n<text text-anchor=\"middle\" transform=\"translate(14," + pixels(top + height / 2) +
           ") rotate(-90)\">" + escaped(plot.y_name) + "</text>\n";
    for (auto const& l : plot.limits) {
        std::string path;
        for (auto const& [a, b] : l.points) {
            auto const in_x = std::clamp(a, x.from, x.to);
            path += (path.empty() ? "" : " ") + place({in_x, std::clamp(b, y.from, y.to)});
        }
        svg += "<polyline class=\"even\" fill=\"none\" points=\"" + path + "\"><title>" + escaped(l.name) +
               "</title></polyline>\n<text text-anchor=\"end\" x=\"" + pixels(width - right - 4) + "\" y=\"" +
               pixels(py(std::clamp(l.points.back().second, y.from, y.to)) - 5) + "\">" + escaped(l.name) +
               "</text>\n";
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
            svg += "<circle class=\"" + style_of('f', i) + " edge\" cx=\"" + pixels(px(s.points[k].first)) +
                   "\" cy=\"" + pixels(py(s.points[k].second)) + "\" r=\"4\"><title>" +
                   escaped(k < s.names.size() ? s.names[k] : s.name) + "</title></circle>\n";
    }
    return svg + "</svg>\n";
}

} // namespace lab
