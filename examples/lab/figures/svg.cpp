// Plots, in plain SVG: grouped bars, stacked bars and curves, with the paper's values as diamonds.
#include <warpkit/report/text.hpp>

#include "../plot_axis.hpp"
#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lab::figures {

namespace report = warpkit::report;

std::string escaped(std::string_view text) {
    std::string out;
    for (char const c : text) switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        default:
            out += c;
        }
    return out;
}

// Colours of Okabe and Ito, which the colour-blind can tell apart, in an order in which neighbours also differ in
// brightness; lines differ in their dashes, too.
char const* svg_style() {
    return R"(.plot{--ink:#1b1b1b;--faint:#c9c9c9;--paper:#fff;--c0:#0072b2;--c1:#e69f00;--c2:#009e73;--c3:#d55e00;--c4:#56b4e9;--c5:#cc79a7;--c6:#a89a00;--c7:#6b6b6b;font-family:system-ui,'DejaVu Sans',sans-serif;font-size:11px}
@media (prefers-color-scheme:dark){.plot{--ink:#e8e8e8;--faint:#484848;--paper:#161616;--c0:#3d9ee0;--c1:#f0b23a;--c2:#29c498;--c3:#f07a35;--c4:#8cd0f5;--c5:#e09cc4;--c6:#f0e442;--c7:#a8a8a8}}
.plot text{fill:var(--ink)}.plot .grid{stroke:var(--faint);stroke-width:1}.plot .axis{stroke:var(--ink);stroke-width:1}
.plot .even{stroke:var(--ink);stroke-width:1;stroke-dasharray:4 3}.plot .mark{fill:var(--paper);stroke:var(--ink);stroke-width:1.4}
.plot .edge{stroke:var(--paper);stroke-width:.6}.plot .line{fill:none;stroke-width:2}.plot .wait{font-style:italic;opacity:.7}
.plot .f0{fill:var(--c0)}.plot .f1{fill:var(--c1)}.plot .f2{fill:var(--c2)}.plot .f3{fill:var(--c3)}.plot .f4{fill:var(--c4)}.plot .f5{fill:var(--c5)}.plot .f6{fill:var(--c6)}.plot .f7{fill:var(--c7)}
.plot .s0{stroke:var(--c0)}.plot .s1{stroke:var(--c1);stroke-dasharray:7 3}.plot .s2{stroke:var(--c2);stroke-dasharray:2 3}.plot .s3{stroke:var(--c3);stroke-dasharray:9 3 2 3}.plot .s4{stroke:var(--c4)}.plot .s5{stroke:var(--c5);stroke-dasharray:7 3}.plot .s6{stroke:var(--c6);stroke-dasharray:2 3}.plot .s7{stroke:var(--c7);stroke-dasharray:9 3 2 3}
.plot rect.again,.plot circle.again,.plot polygon.again{fill-opacity:.45}.plot .line.again{stroke-width:1.2;stroke-dasharray:1 3}
)";
}

namespace {

std::string number(double x) {
    auto text = report::fixed(x, 1);
    if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
    return text;
}
// About how wide a text is at 11 pixels.
double width_of(std::string_view text) { return 6.9 * static_cast<double>(report::display_width(text)); }

struct drawing {
    std::string body;
    void line(char const* style, double x1, double y1, double x2, double y2) {
        body += std::string("<line class=\"") + style + "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) +
                "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) + "\"/>\n";
    }
    void box(std::string const& style, double x, double y, double w, double h, std::string const& title) {
        body += "<rect class=\"" + style + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
                number(w) + "\" height=\"" + number(std::max(h, 0.0)) + "\">";
        if (!title.empty()) body += "<title>" + escaped(title) + "</title>";
        body += "</rect>\n";
    }
    void text(double x, double y, std::string const& what, char const* anchor = "start", double turned = 0,
              char const* style = nullptr) {
        body += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + '"';
        if (style != nullptr) body += std::string(" class=\"") + style + '"';
        if (turned != 0)
            body += " transform=\"rotate(" + number(turned) + ' ' + number(x) + ' ' + number(y) + ")\"";
        body += '>' + escaped(what) + "</text>\n";
    }
    void diamond(double x, double y, std::string const& title) {
        body += "<path class=\"mark\" d=\"M" + number(x) + ' ' + number(y - 5) + 'L' + number(x + 4) + ' ' +
                number(y) + 'L' + number(x) + ' ' + number(y + 5) + 'L' + number(x - 4) + ' ' + number(y) +
                "Z\"><title>" + escaped(title) + "</title></path>\n";
    }
};

// A scale with round steps that holds all values and `base`.
struct scale {
    double low = 0;
    double high = 1;
    double step = 0.2;
    double top = 0;    // pixels
    double bottom = 1; // pixels

    scale(std::vector<double> const& values, double base, double from, double to) : top(from), bottom(to) {
        low = high = base;
        for (auto const v : values) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
        if (high - low < 1e-9) high = low + 1;
        auto const rough = (high - low) / 6;
        auto const ten = std::pow(10, std::floor(std::log10(rough)));
        for (auto const nice : {1.0, 2.0, 2.5, 5.0, 10.0})
            if (step = nice * ten; step >= rough) break;
        low = std::floor(low / step + 1e-9) * step;
        high = std::ceil(high / step - 1e-9) * step;
    }
    double at(double v) const { return bottom - (v - low) / (high - low) * (bottom - top); }
    int digits() const {
        for (int d = 0; d < 4; ++d)
            if (std::fabs(step * std::pow(10, d) - std::round(step * std::pow(10, d))) < 1e-6) return d;
        return 4;
    }
    void draw(drawing& d, double left, double right, std::string const& unit) const {
        for (auto n = std::lround(low / step); n <= std::lround(high / step); ++n) {
            auto const v = static_cast<double>(n) * step;
            d.line("grid", left, at(v), right, at(v));
            d.text(left - 5, at(v) + 4, report::fixed(v, digits()), "end");
        }
        d.text(14, (top + bottom) / 2, unit, "middle", -90);
    }
};

struct legend_entry {
    std::string style; // of a box or a line
    std::string text;
    bool line = false;
};
// The entries in lines of this width; how high it is.
double legend(drawing& d, std::vector<legend_entry> const& entries, bool marks, double left, double right,
              double top) {
    auto x = left;
    auto y = top;
    auto all = entries;
    if (marks) all.push_back({"", "the paper's", false});
    for (auto const& e : all) {
        auto const w = 22 + width_of(e.text) + 14;
        if (x > left && x + w > right) {
            x = left;
            y += 17;
        }
        if (e.style.empty())
            d.diamond(x + 7, y + 6, "");
        else if (e.line)
            d.line(("line " + e.style).c_str(), x, y + 6, x + 18, y + 6);
        else
            d.box(e.style, x, y, 12, 12, "");
        d.text(x + 22, y + 10, e.text);
        x += w;
    }
    return y + 22 - top;
}

// Where the paper has no values here, what it says in words; how high it is.
double caption(drawing& d, figure_result const& f, bool marks, double left, double right, double top) {
    if (marks || f.of->claims.empty()) return 0;
    auto y = top + 12;
    std::string line;
    auto const put = [&] {
        d.text(left, y, line);
        y += 14;
        line.clear();
    };
    std::string words = (f.of->experiment ? "To show: " : "The paper: ") + f.of->claims.front().text + '.';
    for (std::size_t from = 0; from < words.size();) {
        auto const to = std::min(words.find(' ', from), words.size());
        auto const word = words.substr(from, to - from);
        if (!line.empty() && width_of(line + ' ' + word) > right - left) put();
        line += (line.empty() ? "" : " ") + word;
        from = to + 1;
    }
    put();
    return y - top;
}

std::string finished(drawing const& d, double width, double height, std::string const& title, bool alone) {
    auto const w = number(std::ceil(width));
    auto const h = number(std::ceil(height));
    auto const text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 " +
                      w + ' ' + h + "\" width=\"" + w + "\" height=\"" + h + "\">\n<title>" + escaped(title) +
                      "</title>\n";
    if (!alone) return text + d.body + "</svg>\n";
    return text + "<style>" + escaped(svg_style()) + "</style>\n<rect width=\"" + w + "\" height=\"" + h +
           "\" style=\"fill:var(--paper)\"/>\n" + d.body + "</svg>\n";
}

// "Figure 7: IPC", or the title alone.
std::string title_of(figure_result const& f) {
    return f.of->item.empty() ? f.of->title : f.of->item + ": " + f.of->title;
}

// From the ninth on colours come again, paler or finer.
std::string style_of(char kind, std::size_t n) {
    return std::string(1, kind) + std::to_string(n % 8) + (n < 8 ? "" : " again");
}

std::string bars(figure_result const& f, bool alone) {
    auto const& columns = f.of->columns;
    auto const stacked = f.of->how == form::stacked;
    struct group {
        std::string name;
        std::vector<cell> const* cells;
        bool mean;
        bool waits;
    };
    std::vector<group> groups;
    for (std::size_t r = 0; r < f.rows.size(); ++r)
        groups.push_back({f.rows[r]->name, &f.cells[r], false, !why_row_waits(*f.rows[r]).empty()});
    for (auto const& [mean, cells] : f.means) groups.push_back({mean, &cells, true, false});
    if (groups.empty() || columns.empty()) return {};

    std::vector<double> values;
    bool marks = false;
    double base = 0;
    bool ratios = !stacked;
    for (auto const& c : columns) ratios = ratios && c.neutral && *c.neutral == 1;
    for (auto const& g : groups) {
        double up = 0;
        for (auto const& c : *g.cells) {
            if (c.ours) values.push_back(stacked ? up += *c.ours : *c.ours);
            if (c.ours && c.interval && !stacked)
                values.insert(values.end(), {c.interval->first, c.interval->second});
            if (c.paper) {
                marks = true;
                if (!stacked) values.push_back(*c.paper);
            }
        }
        if (stacked) {
            double paper = 0;
            for (auto const& c : *g.cells)
                if (c.paper) values.push_back(paper += *c.paper);
        }
    }
    auto const bar = stacked ? 18.0 : columns.size() > 4 ? 8.0 : columns.size() > 2 ? 10.0 : 14.0;
    auto const inner = bar * (stacked ? 1 : static_cast<double>(columns.size()));
    auto const each = std::max(inner + 10, 26.0);
    double longest = 0;
    for (auto const& g : groups) longest = std::max(longest, width_of(g.name));
    auto const turned = longest > each - 4;
    auto const left = 62.0;
    auto const right = std::max(left + each * static_cast<double>(groups.size()) + 12, 420.0);
    drawing d;
    std::vector<legend_entry> entries;
    for (std::size_t c = 0; c < columns.size(); ++c)
        entries.push_back({style_of('f', columns[c].style.value_or(c)), columns[c].title, false});
    auto const top = 10 + legend(d, entries, marks, left, right, 8);
    auto const bottom = top + 220;
    scale const y(values, base, top, bottom);
    y.draw(d, left, right, f.of->unit);
    auto x = left + 6;
    bool before_means = true;
    for (auto const& g : groups) {
        if (g.mean && before_means && !f.rows.empty()) d.line("grid", x - 1, top, x - 1, bottom);
        if (g.mean) before_means = false;
        auto const middle = x + each / 2 - 3;
        auto at = middle - inner / 2;
        double up = 0;
        double paper = 0;
        bool any = false;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            auto const& one = (*g.cells)[c];
            auto const title = g.name + ", " + columns[c].title + ": " + shown(one.ours) +
                               (one.interval ? " [" + shown(one.interval->first) + ", " +
                                                   shown(one.interval->second) + "], 95 %"
                                             : std::string()) +
                               (one.paper ? "; the paper's " + shown(one.paper) : std::string());
            if (one.ours) {
                any = true;
                auto const from = stacked ? up : base;
                auto const to = stacked ? up + *one.ours : *one.ours;
                d.box(style_of('f', columns[c].style.value_or(c)) + " edge", at,
                      std::min(y.at(from), y.at(to)), bar, std::fabs(y.at(from) - y.at(to)), title);
                up = to;
                if (one.interval && !stacked) {
                    auto const middle_of = at + bar / 2, low = y.at(one.interval->first),
                               high = y.at(one.interval->second);
                    d.line("axis", middle_of, low, middle_of, high);
                    for (auto const end : {low, high}) d.line("axis", middle_of - 2, end, middle_of + 2, end);
                }
            }
            if (one.paper && stacked) d.diamond(at + bar + 5, y.at(paper += *one.paper), title);
            if (one.paper && !stacked) d.diamond(at + bar / 2, y.at(*one.paper), title);
            if (!stacked) at += bar;
        }
        if (!any && g.waits) d.text(middle + 4, bottom - 5, "waits", "start", -90, "wait");
        if (turned)
            d.text(middle + 4, bottom + 13, g.name, "end", -50);
        else
            d.text(middle, bottom + 15, g.name, "middle");
        x += each;
    }
    if (ratios && y.low < 1 && y.high > 1) d.line("even", left, y.at(1), right, y.at(1));
    d.line("axis", left, y.at(std::max(base, y.low)), right, y.at(std::max(base, y.low)));
    auto const low = turned ? longest * 0.77 + 24 : 24.0;
    auto const under = caption(d, f, marks, left, right, bottom + low);
    return finished(d, right + 8, bottom + low + under, title_of(f), alone);
}

// Where the values of an axis are between two places, and how, in words. Numbers are to scale: evenly, or, where their
// labels would lie on each other, logarithmically. What is neither has even distances.
std::pair<std::vector<double>, std::string> places_of(std::vector<std::string> const& xs, double from,
                                                      double to) {
    auto const spread = [&](auto const& scaled) {
        std::vector<double> places;
        for (std::size_t i = 0; i < xs.size(); ++i)
            places.push_back(from +
                             (scaled(i) - scaled(0)) / (scaled(xs.size() - 1) - scaled(0)) * (to - from));
        return places;
    };
    auto const apart = [&](std::vector<double> const& places) {
        for (std::size_t i = 1; i < xs.size(); ++i)
            if (!(places[i] - places[i - 1] > (width_of(xs[i]) + width_of(xs[i - 1])) / 2 + 4)) return false;
        return true;
    };
    if (xs.size() == 1) return {{(from + to) / 2}, ""};
    auto const even = spread([](std::size_t i) { return static_cast<double>(i); });
    std::vector<double> numbers;
    for (auto const& x : xs)
        if (auto const n = number_with_unit(x)) numbers.push_back(*n);
    if (numbers.size() != xs.size() || !std::is_sorted(numbers.begin(), numbers.end()) ||
        numbers.back() <= numbers.front())
        return {even, ""};
    auto const linear = spread([&](std::size_t i) { return numbers[i]; });
    if (apart(linear)) return {linear, ""};
    if (numbers.front() > 0) {
        auto const logarithmic = spread([&](std::size_t i) { return std::log(numbers[i]); });
        if (apart(logarithmic)) return {logarithmic, ", logarithmic"};
    }
    return {even, ", not to scale"};
}

std::string curves(figure_result const& f, bool alone) {
    auto const& xs = f.of->x;
    if (xs.empty() || f.curves.empty()) return {};
    std::vector<double> values;
    bool marks = false;
    for (auto const& line : f.cells)
        for (auto const& c : line) {
            if (c.ours) values.push_back(*c.ours);
            if (c.paper) {
                values.push_back(*c.paper);
                marks = true;
            }
        }
    if (values.empty()) return {};
    auto const left = 62.0;
    auto const each = std::max(480.0 / static_cast<double>(xs.size()), 56.0);
    auto const right = left + each * static_cast<double>(xs.size());
    drawing d;
    std::vector<legend_entry> entries;
    for (std::size_t c = 0; c < f.curves.size(); ++c)
        entries.push_back({style_of('s', c), f.curves[c], true});
    auto const top = 10 + legend(d, entries, marks, left, right, 8);
    auto const bottom = top + 240;
    // Curves that are all far from zero are shown from near their lowest value.
    auto const low = *std::min_element(values.begin(), values.end());
    auto const high = *std::max_element(values.begin(), values.end());
    scale const y(values, low > 0 && low > 0.5 * high ? low : 0, top, bottom);
    y.draw(d, left, right, f.of->unit);
    auto const [places, how] = places_of(xs, left + each / 2, right - each / 2);
    auto const place = [&at = places](std::size_t i) { return at[i]; };
    for (std::size_t c = 0; c < f.curves.size(); ++c) {
        std::string path;
        for (std::size_t i = 0; i < xs.size(); ++i)
            if (auto const v = f.cells[c][i].ours)
                path += (path.empty() ? "" : " ") + number(place(i)) + ',' + number(y.at(*v));
        d.body += "<polyline class=\"line " + style_of('s', c) + "\" points=\"" + path + "\"/>\n";
        for (std::size_t i = 0; i < xs.size(); ++i) {
            auto const& one = f.cells[c][i];
            auto const title = f.curves[c] + " at " + xs[i] + ": " + shown(one.ours) +
                               (one.paper ? "; the paper's " + shown(one.paper) : std::string());
            if (one.ours)
                d.body += "<circle class=\"" + style_of('f', c) + "\" cx=\"" + number(place(i)) + "\" cy=\"" +
                          number(y.at(*one.ours)) + "\" r=\"3\"><title>" + escaped(title) +
                          "</title></circle>\n";
            if (one.paper) d.diamond(place(i), y.at(*one.paper), title);
        }
    }
    d.line("axis", left, bottom, right, bottom);
    for (std::size_t i = 0; i < xs.size(); ++i) d.text(place(i), bottom + 16, xs[i], "middle");
    d.text((left + right) / 2, bottom + 34, f.of->along + how, "middle");
    auto const under = caption(d, f, marks, left, right, bottom + 44);
    return finished(d, right + 12, bottom + 44 + under, title_of(f), alone);
}

// A map of rows and columns, the darker the further from the lowest value, or from neutral, on its two sides in two
// colours; each field says its value.
std::string heat(figure_result const& f, bool alone) {
    auto const& columns = f.of->columns;
    std::vector<std::pair<std::string, std::vector<cell> const*>> lines;
    for (std::size_t r = 0; r < f.rows.size(); ++r) lines.emplace_back(f.rows[r]->name, &f.cells[r]);
    for (auto const& [mean, cells] : f.means) lines.emplace_back(mean, &cells);
    std::vector<double> values;
    for (auto const& [name, cells] : lines)
        for (auto const& c : *cells)
            if (c.ours) values.push_back(*c.ours);
    if (values.empty() || columns.empty()) return {};
    auto const low = *std::min_element(values.begin(), values.end());
    auto const high = *std::max_element(values.begin(), values.end());
    auto const neutral = columns.front().neutral;
    auto const from = neutral ? *neutral : low;
    auto const reach = std::max({std::fabs(high - from), std::fabs(low - from), 1e-12});
    // All with as many digits as the largest has room for.
    auto const largest = std::max(std::fabs(low), std::fabs(high));
    bool const whole = std::all_of(values.begin(), values.end(), [](double v) { return v == std::floor(v); });
    auto const digits = whole || largest >= 100 ? 0 : largest >= 10 ? 1 : largest >= 1 ? 2 : 3;
    auto const text_of = [&](std::optional<double> const& v) {
        return largest >= 10000 || !v ? shown(v) : report::fixed(*v, digits);
    };
    double longest = 0;
    double widest = 46;
    for (auto const& [name, cells] : lines) {
        longest = std::max(longest, width_of(name));
        for (auto const& c : *cells) widest = std::max(widest, width_of(text_of(c.ours)) + 10);
    }
    double heading = 0;
    for (auto const& c : columns) heading = std::max(heading, width_of(c.title));
    auto const turned = heading > widest - 4;
    auto const left = longest + 16;
    auto const top = (turned ? heading * 0.77 + 14 : 20) + 16;
    drawing d;
    d.text(left, 12, f.of->unit);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        auto const x = left + widest * (static_cast<double>(c) + 0.5);
        if (turned)
            d.text(x - 2, top - 6, columns[c].title, "start", -50);
        else
            d.text(x, top - 6, columns[c].title, "middle");
    }
    auto y = top;
    for (auto const& [name, cells] : lines) {
        d.text(left - 6, y + 15, name, "end");
        for (std::size_t c = 0; c < columns.size(); ++c) {
            auto const v = (*cells)[c].ours;
            auto const x = left + widest * static_cast<double>(c);
            if (v)
                d.body += "<rect class=\"" + style_of('f', *v < from ? 3 : 0) + " edge\" x=\"" + number(x) +
                          "\" y=\"" + number(y) + "\" width=\"" + number(widest) +
                          "\" height=\"22\" fill-opacity=\"" +
                          report::fixed(0.04 + 0.6 * std::fabs(*v - from) / reach, 3) + "\"><title>" +
                          escaped(name + ", " + columns[c].title + ": " + shown(v)) + "</title></rect>\n";
            d.text(x + widest / 2, y + 15, text_of(v), "middle");
        }
        y += 22;
    }
    return finished(d,
                    left + widest * static_cast<double>(columns.size()) + 10 + (turned ? heading * 0.5 : 0),
                    y + 8, title_of(f), alone);
}

} // namespace

std::string svg_of(figure_result const& f, bool alone) {
    switch (f.of->how) {
    case form::bars:
    case form::stacked:
        return bars(f, alone);
    case form::curves:
        return curves(f, alone);
    case form::heat:
        return heat(f, alone);
    case form::table:
    case form::numbers:
    case form::words:
        break;
    }
    return {};
}

} // namespace lab::figures
