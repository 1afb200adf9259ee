// `lab results` and `lab plot`.
#include <warpkit/base/output_file.hpp>
#include <warpkit/report/text.hpp>

#include "plot.hpp"
#include "query.hpp"
#include "results_files.hpp"
#include "timeline_plot.hpp"
#include "xy_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <utility>

namespace lab {

using nlohmann::json;
using warpkit::error;
namespace report = warpkit::report;

std::string picture_of(answer const& a, results_request const& how) {
    plot_values p;
    for (auto const& name : a.rows) p.along += (p.along.empty() ? "" : ", ") + name;
    for (auto const& m : how.metrics.empty() ? a.metrics : how.metrics)
        p.unit += (p.unit.empty() ? "" : ", ") + m;
    if (a.causes && how.normalise.empty()) p.unit = "% of scheduler cycles";
    if (!how.normalise.empty()) {
        p.unit += " / that of " + how.normalise;
        p.neutral = 1;
    }
    p.title = p.unit + ", by " + p.along + (a.column.empty() ? "" : " and " + a.column);
    for (auto const& c : a.column_keys)
        for (auto const& m : a.metrics) {
            auto const name = a.causes ? m.substr(m.rfind('.') + 1) : m;
            p.columns.push_back(a.column.empty() ? name : a.metrics.size() == 1 ? c : c + ' ' + name);
            if (a.causes && a.column.empty()) p.styles.push_back(style_of_cause(m));
        }
    // An interval says how sure a value is where its runs differ in their seed alone.
    bool const sure = std::all_of(a.axes.begin(), a.axes.end(), [&](auto const& axis) {
        return axis == "seed" || axis == a.column || how.normalise.rfind(axis + '=', 0) == 0 ||
               std::find(a.rows.begin(), a.rows.end(), axis) != a.rows.end();
    });
    std::vector<std::vector<double>> all(p.columns.size());
    for (auto const& k : a.row_keys) {
        std::string name;
        for (auto const& part : k) name += (name.empty() ? "" : " ") + part;
        p.rows.push_back(name);
        auto& line = p.values.emplace_back();
        auto& intervals = p.intervals.emplace_back();
        double sum = 0;
        for (auto const& c : a.column_keys)
            for (std::size_t m = 0; m < a.metrics.size(); ++m) {
                auto const v = a.cell(k, c, m);
                intervals.emplace_back();
                if (sure && std::isfinite(v.low) && std::isfinite(v.high) && v.low != v.high)
                    intervals.back() = std::pair(v.low, v.high);
                line.push_back(v.n != 0 && std::isfinite(v.value) ? std::optional(v.value) : std::nullopt);
                if (line.back()) sum += *line.back();
            }
        if (a.causes && how.normalise.empty() && sum > 0)
            for (auto& v : line)
                if (v) *v *= 100 * static_cast<double>(a.column_keys.size()) / sum;
        for (std::size_t i = 0; i < line.size(); ++i)
            if (line[i]) all[i].push_back(*line[i]);
    }
    if (p.rows.size() > 1)
        for (auto const& v : all)
            p.means.push_back(v.size() == p.rows.size() ? std::optional(mean_of(v).value) : std::nullopt);
    auto const numbers = a.rows.size() == 1 && is_number(a.row_keys.front().front()) && p.rows.size() > 1;
    auto const kind = !how.kind.empty() ? how.kind : a.causes ? "stacked" : numbers ? "curves" : "bars";
    return plot_svg(p, kind, true);
}

static void print(answer const& a, results_request const& how) {
    auto const text_of = [&](mean_value const& v) {
        if (v.n == 0 || !std::isfinite(v.value)) return std::string("-");
        auto text = std::fabs(v.value) >= 10000
                        ? report::with_thousands(static_cast<std::uint64_t>(std::llround(v.value)))
                        : report::fixed(v.value, 3);
        if (v.n > 1 && std::isfinite(v.low))
            text += " [" + report::fixed(v.low, 3) + ", " + report::fixed(v.high, 3) + ']';
        return text;
    };
    std::vector<report::column> titles;
    for (auto const& name : a.rows) titles.push_back({name, report::alignment::left});
    for (auto const& c : a.column_keys)
        for (auto const& metric : a.metrics) {
            auto title = a.column.empty() ? metric : a.metrics.size() == 1 ? c : c + ' ' + metric;
            titles.push_back({title, report::alignment::right});
        }
    report::text_table table(titles);
    // Geometric means over the rows that have a positive value in every column.
    std::vector<std::vector<double>> whole(a.column_keys.size() * a.metrics.size());
    for (auto const& k : a.row_keys) {
        auto line = k;
        std::vector<double> all;
        for (auto const& c : a.column_keys)
            for (std::size_t m = 0; m < a.metrics.size(); ++m) {
                auto const v = a.cell(k, c, m);
                line.push_back(text_of(v));
                if (v.n != 0 && v.value > 0) all.push_back(v.value);
            }
        table.add_row(line);
        if (all.size() == whole.size())
            for (std::size_t i = 0; i < all.size(); ++i) whole[i].push_back(all[i]);
    }
    if (whole.front().size() > 1) {
        answer::key line(a.rows.size());
        line.front() = "geometric mean of " + std::to_string(whole.front().size());
        for (auto const& v : whole) {
            auto m = mean_of(v);
            m.n = 1; // an interval over kernels would say nothing
            line.push_back(text_of(m));
        }
        table.add_rule();
        table.add_row(line);
    }
    std::string heading;
    for (auto const& m : a.metrics) heading += (heading.empty() ? "" : ", ") + m;
    if (!how.normalise.empty()) heading += ", divided by that of " + how.normalise;
    if (!a.column.empty()) heading += ", by " + a.column;
    std::cout << heading << '\n';
    print_table("results", table, how.markdown, a.rows.size());
}

// Instructions per byte of the DRAM against instructions per second, below what the machines could do at most.
static std::string roofline_of(std::vector<kept_run> const& runs) {
    xy_plot p;
    p.title = "roofline";
    p.x_name = "warp instructions per byte over the DRAM buses";
    p.y_name = "10\u2079 warp instructions per second";
    p.logarithmic = true;
    auto const axes = axes_of(runs);
    std::map<std::string, std::size_t> by_scheduler;
    std::map<std::pair<double, double>, std::string> machines; // at most: instructions and GB a second
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (auto const& r : runs) {
        if (!r.verified) continue;
        auto const& n = r.point.at("numbers");
        auto const number = [&](char const* name) { return n.at(name).get<double>(); };
        auto const clock = number("clock.core") * 1e-6; // GHz
        auto const ipc = measure(r, "ipc");
        auto const bandwidth = measure(r, "dram_bandwidth");
        auto const used = measure(r, "dram_utilisation");
        if (!ipc || !bandwidth || !used || *ipc <= 0 || *bandwidth <= 0 || *used <= 0) continue;
        auto const rate = *ipc * clock;
        auto const scheduler = shown(r, "scheduler");
        auto const at = by_scheduler.emplace(scheduler, p.all.size()).first->second;
        if (at == p.all.size()) p.all.push_back({scheduler, {}, {}});
        p.all[at].points.emplace_back(rate / *bandwidth, rate);
        std::string name;
        for (auto const& axis : axes) name += (name.empty() ? "" : ", ") + shown(r, axis);
        p.all[at].names.push_back(name);
        auto const peak =
            number("core.count") * number("core.schedulers") * number("core.issue_width") * clock;
        machines.emplace(std::pair(peak, std::round(*bandwidth / *used * 100) / 100), shown(r, "preset"));
        least = std::min(least, rate / *bandwidth);
        most = std::max(most, rate / *bandwidth);
    }
    if (p.all.empty()) throw error("there is nothing to draw: no run uses the DRAM");
    auto const from = std::pow(10, std::floor(std::log10(least)));
    for (auto const& [top, preset] : machines) {
        auto const [rate, bandwidth] = top;
        auto const ridge = rate / bandwidth;
        auto const to = std::max(std::pow(10, std::ceil(std::log10(most))), ridge);
        p.limits.push_back(
            {preset + ": " + report::fixed(rate, 1) + "e9/s, " + report::fixed(bandwidth, 0) + " GB/s",
             {{from, from * bandwidth}, {ridge, rate}, {to, rate}},
             {}});
    }
    return xy_svg(p);
}

// Metrics or counters of the intervals of runs, one launch behind the other.
static std::string over_time(results_request const& how) {
    if (how.metrics.size() > 1) throw error("--kind time draws one metric; name one");
    auto const metric = how.metrics.empty() ? std::string("ipc") : how.metrics.front();
    xy_plot p;
    p.title = metric + " over time";
    p.x_name = "core cycles";
    p.y_name = metric;
    p.joined = true;
    for (auto const& file : how.databases) {
        auto name = file;
        for (std::size_t i = 0; i < how.where.size(); ++i) name += (i == 0 ? '?' : ' ') + how.where[i];
        for (auto const& r : runs_in(name)) {
            xy_plot::series line;
            line.name = r.at("kernel").get<std::string>() + ' ' + r.at("scheduler").get<std::string>();
            if (how.databases.size() > 1) line.name += ", " + file;
            double before = 0;
            for (auto const& l : r.value("launches", json::array())) {
                for (auto const& i : l.value("intervals", json::array())) {
                    auto const& metrics = i.at("metrics");
                    auto const& part = metrics.contains(metric) ? metrics : i.at("counters");
                    if (!part.contains(metric)) {
                        std::vector<std::string> known;
                        for (auto const* const of : {"metrics", "counters"})
                            for (auto const& [key, unused] : i.at(of).items()) known.push_back(key);
                        refuse_name("metric or counter", metric, known, "--metric");
                    }
                    if (!part.at(metric).is_number()) continue;
                    auto const value = part.at(metric).get<double>();
                    line.points.emplace_back(before + i.at("begin").get<double>(), value);
                    line.points.emplace_back(before + i.at("end").get<double>(), value);
                }
                before += l.at("counters").at("cycles").get<double>();
            }
            if (line.points.empty())
                throw error(name + " has no intervals; lab run --intervals 1000 --json, into another file, "
                                   "makes results that have them");
            p.all.push_back(std::move(line));
        }
    }
    return xy_svg(p);
}

// Of a timeline, in which no run is chosen.
static std::string of_timeline(results_request const& how) {
    if (how.databases.size() != 1) throw error("--kind " + how.kind + " is of one timeline; name one file");
    for (auto const& [option, given] : {std::pair("--where", !how.where.empty()),
                                        {"--version", !how.version.empty()},
                                        {"--metric", !how.metrics.empty()},
                                        {"--rows", !how.rows.empty()},
                                        {"--columns", !how.columns.empty()},
                                        {"--normalise", !how.normalise.empty()}})
        if (given)
            throw error(std::string(option) + ": it is of results, and --kind " + how.kind +
                        " is of a timeline; leave it out");
    return timeline_svg(how.databases.front(), how.kind);
}

int results(results_request const& how) {
    auto const timelines = timeline_kinds();
    if (!how.plot.empty() && std::find(timelines.begin(), timelines.end(), how.kind) != timelines.end()) {
        warpkit::write_file(how.plot, of_timeline(how));
        return 0;
    }
    if (!how.plot.empty() && how.kind == "time") {
        warpkit::write_file(how.plot, over_time(how));
        return 0;
    }
    if (how.digest) {
        for (auto const& path : how.databases)
            std::cout << run_store(path, run_store::access::read).digest() << "  " << path << '\n';
        return 0;
    }
    auto runs = runs_of(how);
    if (!how.plot.empty() && how.kind == "roofline") {
        warpkit::write_file(how.plot, roofline_of(runs));
        return 0;
    }
    if (!how.records.empty()) warpkit::write_file(how.records, records_of(runs));
    if (how.records == "-") return 0;
    auto const a = ask(how, std::move(runs));
    if (!how.plot.empty()) {
        warpkit::write_file(how.plot, picture_of(a, how));
        return 0;
    }
    if (!how.csv.empty()) warpkit::write_file(how.csv, a.csv(how.normalise));
    if (!how.json.empty())
        warpkit::write_file(
            how.json, json{{"versions", a.versions}, {"values", a.values(how.normalise)}}.dump(2) + '\n');
    if (warpkit::is_standard_output(how.csv) || warpkit::is_standard_output(how.json)) return 0;
    print(a, how);
    return 0;
}

} // namespace lab
