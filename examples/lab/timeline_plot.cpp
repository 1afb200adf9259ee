#include "timeline_plot.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/report/text.hpp>

#include "figures/results.hpp"
#include "plot_axis.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace lab {

using nlohmann::json;
using warpkit::error;
namespace report = warpkit::report;

std::vector<std::string> timeline_kinds() { return {"banks", "occupancy"}; }

namespace {

// Reads a timeline event by event, a line each (report/timeline_file.hpp): only those that have one of these texts.
void for_each_event(std::string const& file, std::vector<std::string_view> const& with,
                    std::function<void(json const&)> const& take) {
    std::ifstream in(file);
    if (!in) throw error("cannot read " + file + ": is there such a file?");
    std::string line;
    std::getline(in, line);
    if (line.find("\"traceEvents\": [") == line.npos)
        throw error(file + ": is no timeline of this lab; lab run --timeline, into another file, makes one");
    bool ended = false;
    while (std::getline(in, line)) {
        if (line == "]}") ended = true;
        if (std::none_of(with.begin(), with.end(), [&](auto text) { return line.find(text) != line.npos; }))
            continue;
        if (line.back() == ',') line.pop_back();
        auto const event = json::parse(line, nullptr, false);
        if (event.is_discarded()) throw error(file + ": an event is cut off; make the timeline anew");
        take(event);
    }
    if (!ended) throw error(file + ": it ends in the middle; make the timeline anew");
}

double number(json const& event, char const* name) { return event.at(name).get<double>(); }

// What all pictures have: a frame over time, a title, a legend, names at the left.
struct time_picture {
    static constexpr double width = 960, right = 18, bottom = 44;
    double left = 62;
    double top = 0;
    double height = 0;
    plot_axis x;
    std::string body;

    double px(double cycle) const { return left + x.place(cycle) * (width - left - right); }
    void box(std::string const& style, double from, double to, double y, double high,
             std::string const& title = {}) {
        body += "<rect class=\"" + style + "\" x=\"" + hundredths(px(from)) + "\" y=\"" + pixels(y) +
                "\" width=\"" + hundredths(std::max(px(to) - px(from), 0.2)) + "\" height=\"" + pixels(high) +
                (title.empty() ? "\"/>\n" : "\"><title>" + figures::escaped(title) + "</title></rect>\n");
    }
    void text(double at, double y, std::string const& what, char const* anchor) {
        body += "<text text-anchor=\"" + std::string(anchor) + "\" x=\"" + pixels(at) + "\" y=\"" +
                pixels(y) + "\">" + figures::escaped(what) + "</text>\n";
    }
    static std::string hundredths(double v) {
        auto text = report::fixed(v, 2);
        while (text.back() == '0') text.pop_back();
        if (text.back() == '.') text.pop_back();
        return text;
    }
    struct legend_entry {
        std::string style; // of a box
        std::string name;
    };
    // All of it; `more` are rules of style.
    std::string svg(std::string const& title, std::string const& words,
                    std::vector<legend_entry> const& legend, std::string const& more,
                    double first_row) const {
        std::string marks;
        for (auto const m : x.marks)
            if (px(m) <= width - right + 0.5)
                marks += "<line class=\"grid\" x1=\"" + pixels(px(m)) + "\" y1=\"" + pixels(top) +
                         "\" x2=\"" + pixels(px(m)) + "\" y2=\"" + pixels(top + height + 4) +
                         "\"/><text text-anchor=\"middle\" x=\"" + pixels(px(m)) + "\" y=\"" +
                         pixels(top + height + 17) + "\">" + label_of(m) + "</text>\n";
        std::string names;
        double at = left;
        for (auto const& [style, name] : legend) {
            names += "<rect class=\"" + style + "\" x=\"" + pixels(at) + "\" y=\"" + pixels(first_row - 9) +
                     "\" width=\"14\" height=\"10\"/><text x=\"" + pixels(at + 19) + "\" y=\"" +
                     pixels(first_row) + "\">" + figures::escaped(name) + "</text>\n";
            at += 36 + 6.4 * static_cast<double>(report::display_width(name));
        }
        auto const all = pixels(top + height + bottom);
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" viewBox=\"0 0 " +
               pixels(width) + ' ' + all + "\" width=\"" + pixels(width) + "\" height=\"" + all +
               "\">\n<title>" + figures::escaped(title + ": " + words) + "</title>\n<style>" +
               figures::svg_style() + more +
               "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>\n" + "<text x=\"" +
               pixels(left) + "\" y=\"14\">" + figures::escaped(title) + "</text>\n<text x=\"" +
               pixels(left) + "\" y=\"29\">" + figures::escaped(words) + "</text>\n" + names + marks + body +
               "<text text-anchor=\"middle\" x=\"" + pixels((left + width - right) / 2) + "\" y=\"" +
               pixels(top + height + bottom - 9) + "\">core cycles</text>\n</svg>\n";
    }
};

std::string share(std::size_t part, std::size_t of) {
    return report::fixed(of == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(of), 1) + " %";
}

// ---- banks

enum class found { hit, miss, conflict };
struct bank {
    struct open_row {
        double from, to;
        std::string name;
        std::size_t reads = 0, writes = 0;
    };
    struct access {
        double at;
        found what;
        bool write;
    };
    std::vector<open_row> rows;
    std::vector<access> accesses;
    bool fresh = false;    // nothing was read or written since its row was opened
    bool replaced = false; // for the row that is open another was closed
    bool closed = false;   // by a command of its own
};
struct dram_timeline {
    std::map<int, std::string> partitions;
    std::map<std::pair<int, int>, bank> banks;
    std::size_t accesses[3] = {};
    double from = 0, to = 0;
};

dram_timeline banks_of(std::string const& file) {
    dram_timeline all;
    std::map<std::pair<int, int>, int> bank_of; // by process and thread
    struct row {
        std::pair<int, int> thread;
        bank::open_row what;
    };
    std::vector<row> rows;
    bool any = false, any_dram = false;
    auto const within = [&](double from, double to) {
        all.from = any ? std::min(all.from, from) : from;
        all.to = any ? std::max(all.to, to) : to;
        any = true;
    };
    std::vector<std::string_view> const with = {"\"cat\": \"row\"", "\"cat\": \"dram\"",
                                                "\"cat\": \"kernel\"", "\"name\": \"bank ",
                                                "\"name\": \"memory partition "};
    for_each_event(file, with, [&](json const& e) {
        int const process = e.at("pid");
        if (e.at("ph") == "M") {
            auto const name = e.at("args").at("name").get<std::string>();
            if (e.at("name") == "process_name") all.partitions[process] = name;
            if (e.at("name") != "thread_name") return;
            auto const b = std::stoi(name.substr(name.rfind(' ')));
            bank_of[{process, e.at("tid").get<int>()}] = b;
            all.banks[{process, b}];
            return;
        }
        auto const at = number(e, "ts"), end = at + number(e, "dur");
        within(at, end);
        if (e.at("cat") == "kernel") return; // how long the run took
        any_dram = true;
        if (e.at("cat") == "row") { // told when it is closed
            rows.push_back({{process, e.at("tid").get<int>()}, {at, end, e.at("name").get<std::string>()}});
            return;
        }
        auto const& args = e.at("args");
        std::string const what = e.at("name");
        auto& b = all.banks[{process, args.at("bank").get<int>()}];
        if (what == "activate") {
            b.replaced = std::exchange(b.closed, false);
            b.fresh = true;
        } else if (what == "precharge") {
            b.closed = true;
        } else if (args.contains("column")) {
            auto const how = !std::exchange(b.fresh, false) ? found::hit
                             : b.replaced                   ? found::conflict
                                                            : found::miss;
            ++all.accesses[static_cast<int>(how)];
            b.accesses.push_back({at, how, what == "write"});
        }
    });
    if (!any_dram || all.banks.empty())
        throw error(file + ": has nothing of the DRAM: draw all of the machine, or name partitions "
                           "(lab run --timeline, --partition)");
    for (auto& r : rows) {
        auto& b = all.banks[{r.thread.first, bank_of[r.thread]}];
        auto access = std::lower_bound(b.accesses.begin(), b.accesses.end(), r.what.from,
                                       [](auto const& one, double at) { return one.at < at; });
        for (; access != b.accesses.end() && access->at < r.what.to; ++access)
            ++(access->write ? r.what.writes : r.what.reads);
        b.rows.push_back(std::move(r.what));
    }
    for (auto& [place, b] : all.banks)
        std::sort(b.rows.begin(), b.rows.end(), [](auto const& l, auto const& r) { return l.from < r.from; });
    return all;
}

std::string banks_svg(std::string const& file) {
    auto const all = banks_of(file);
    time_picture p;
    std::size_t rows = 0, accesses = 0;
    for (auto const& [place, b] : all.banks) {
        rows += b.rows.size();
        accesses += b.accesses.size();
    }
    p.left = 96;
    p.top = 62;
    p.x.with_zero = false;
    p.x.take(all.from);
    p.x.take(all.to);
    p.x.finish();
    p.x.from = all.from;
    p.x.to = all.to;
    auto const high = std::clamp(640.0 / static_cast<double>(all.banks.size()), 3.0, 16.0);
    double y = p.top;
    bool const each = rows + accesses <= 6000;
    constexpr std::size_t bins = 320;
    int last = -1;
    for (auto const& [place, b] : all.banks) {
        if (place.first != last) {
            if (last != -1) y += 6;
            last = place.first;
            auto const& name = all.partitions.at(place.first);
            auto const at = name.find("partition");
            p.text(4, y + 10, at == name.npos ? name : name.substr(at), "start");
        }
        if (high >= 9) p.text(p.left - 6, y + high / 2 + 4, std::to_string(place.second), "end");
        p.box("bank", p.x.from, p.x.to, y, high - 1);
        if (each) {
            bool odd = false;
            for (auto const& r : b.rows)
                p.box((odd = !odd) ? "open" : "open other", r.from, r.to, y, high - 1,
                      "bank " + std::to_string(place.second) + ", " + r.name + ", cycles " +
                          label_of(std::round(r.from)) + " to " + label_of(std::round(r.to)) + ": " +
                          report::counted(r.reads, "read") + ", " + report::counted(r.writes, "write"));
            constexpr char const* styles[] = {"hit", "miss", "conflict"};
            auto const wide = (all.to - all.from) / (p.width - p.left - p.right); // a pixel
            for (bool const hit : {true, false}) // what opened a row is not hidden by what hit it
                for (auto const& a : b.accesses)
                    if ((a.what == found::hit) == hit)
                        p.box(styles[static_cast<int>(a.what)], a.at, a.at + wide, y + 1, high - 3);
        } else {
            // In each bin the share of reads and writes that hit; and whether a row was open.
            std::array<std::size_t, bins> hits{}, others{};
            std::array<bool, bins> open{};
            auto const bin = [&](double at) {
                auto const i = (at - all.from) / (all.to - all.from) * bins;
                return std::min(static_cast<std::size_t>(std::max(i, 0.0)), bins - 1);
            };
            for (auto const& a : b.accesses) ++(a.what == found::hit ? hits : others)[bin(a.at)];
            for (auto const& r : b.rows)
                for (auto i = bin(r.from); i <= bin(r.to); ++i) open[i] = true;
            auto const style = [&](std::size_t i) -> std::string {
                auto const n = hits[i] + others[i];
                if (n == 0) return open[i] ? "open" : "";
                auto const part = static_cast<double>(hits[i]) / static_cast<double>(n);
                return part >= 0.75 ? "hit" : part >= 0.25 ? "miss" : "conflict";
            };
            auto const begin_of = [&](std::size_t i) {
                return all.from + (all.to - all.from) * static_cast<double>(i) / bins;
            };
            for (std::size_t i = 0; i < bins;) { // neighbours alike are one
                auto const own = style(i);
                auto to = i;
                std::size_t hit = 0, other = 0;
                while (to < bins && style(to) == own) {
                    hit += hits[to];
                    other += others[to++];
                }
                if (!own.empty())
                    p.box(own, begin_of(i), begin_of(to), y, high - 1,
                          "bank " + std::to_string(place.second) + ": " + std::to_string(hit) + " of " +
                              report::with_thousands(hit + other) + " accesses hit");
                i = to;
            }
        }
        y += high;
    }
    p.height = y - p.top;
    auto const n = all.accesses[0] + all.accesses[1] + all.accesses[2];
    auto const words = report::counted(rows, "row") + " opened; of " + report::with_thousands(n) +
                       " reads and writes " + share(all.accesses[0], n) + " hit an open row, " +
                       share(all.accesses[2], n) + " were conflicts: another row was closed for theirs";
    std::vector<time_picture::legend_entry> legend{{"open", "a row is open"}};
    if (each) legend.push_back({"open other", "the next one"});
    legend.push_back({"hit", each ? "read or write: hit" : "75 % or more of the accesses hit it"});
    legend.push_back({"miss", each ? "opened an idle bank's row" : "25 % or more"});
    legend.push_back({"conflict", each ? "closed another row first" : "fewer"});
    return p.svg(
        "row buffers by bank", words, legend,
        ".plot .bank{fill:var(--faint);fill-opacity:.25}.plot .open{fill:var(--c7);fill-opacity:.35}.plot "
        ".open.other{fill-opacity:.6}.plot .hit{fill:var(--c0)}.plot .miss{fill:var(--c2)}.plot "
        ".conflict{fill:var(--c3)}",
        47);
}

// ---- occupancy

// By bins of time: a sum of how long each was, over all cores.
struct over_bins {
    double from = 0, wide = 1;
    std::vector<double> sum;
    void add(double begin, double end) {
        if (sum.empty()) return;
        auto const last = sum.size() - 1;
        auto const bin = [&](double at) {
            return std::min(static_cast<std::size_t>(std::max((at - from) / wide, 0.0)), last);
        };
        for (auto i = bin(begin); i <= bin(end); ++i) {
            auto const low = from + wide * static_cast<double>(i);
            auto const part = std::min(end, low + wide) - std::max(begin, low);
            if (part > 0) sum[i] += part;
        }
    }
};

std::string occupancy_svg(std::string const& file) {
    // What is a cause of cycles, too, has its colour (style_of_cause).
    static constexpr std::pair<char const*, char const*> states[] = {
        {"issued", "f0"},  {"ready", "f6"},       {"memory", "f3"}, {"dependency", "f1"},
        {"barrier", "f2"}, {"fence", "f2 again"}, {"fetch", "f7"}};
    static constexpr std::size_t bins = 200;
    // The time first.
    double from = 0, to = 0;
    bool any = false;
    std::set<int> cores;
    std::vector<std::string_view> const with = {"\"cat\": \"cta\"", "\"cat\": \"warp\"",
                                                "\"cat\": \"issue\""};
    for_each_event(file, with, [&](json const& e) {
        auto const at = number(e, "ts"), end = at + number(e, "dur");
        from = any ? std::min(from, at) : at;
        to = any ? std::max(to, end) : end;
        any = true;
        cores.insert(e.at("pid").get<int>());
    });
    if (!any)
        throw error(file +
                    ": has nothing of the cores: draw all of the machine, or name some (lab run --timeline, "
                    "--core)");
    over_bins const empty{from, (to - from) / bins, std::vector<double>(bins)};
    std::map<std::string, over_bins> by_state;
    over_bins ctas = empty;
    for_each_event(file, with, [&](json const& e) {
        auto const at = number(e, "ts"), end = at + number(e, "dur");
        std::string const of = e.at("cat");
        if (of == "cta")
            ctas.add(at, end);
        else
            by_state.emplace(of == "issue" ? "issued" : e.at("name").get<std::string>(), empty)
                .first->second.add(at, end);
    });
    auto const per_core = empty.wide * static_cast<double>(cores.size());

    time_picture p;
    p.top = 62;
    p.height = 320;
    p.x.with_zero = false;
    p.x.take(from);
    p.x.take(to);
    p.x.finish();
    p.x.from = from;
    p.x.to = to;
    plot_axis y;
    std::vector<double> below(bins);
    double warps = 0, resident = 0;
    for (std::size_t i = 0; i < bins; ++i) {
        double all = 0;
        for (auto const& [name, of] : by_state) all += of.sum[i];
        y.take(all / per_core);
        y.take(ctas.sum[i] / per_core);
        warps += all;
        resident += ctas.sum[i];
    }
    y.finish();
    auto const py = [&](double v) { return p.top + (1 - y.place(v)) * p.height; };
    for (auto const m : y.marks) {
        p.body += "<line class=\"grid\" x1=\"" + pixels(p.left) + "\" y1=\"" + pixels(py(m)) + "\" x2=\"" +
                  pixels(p.width - p.right) + "\" y2=\"" + pixels(py(m)) + "\"/>";
        p.text(p.left - 6, py(m) + 4, label_of(m), "end");
    }
    p.body += "<text text-anchor=\"middle\" transform=\"translate(14," + pixels(p.top + p.height / 2) +
              ") rotate(-90)\">per core</text>\n";
    std::vector<time_picture::legend_entry> legend;
    auto const place = [&](std::size_t i, double v) {
        return pixels(p.px(from + empty.wide * static_cast<double>(i))) + ',' + pixels(py(v)) + ' ';
    };
    for (auto const& [name, style] : states) {
        auto const found = by_state.find(name);
        if (found == by_state.end()) continue;
        legend.push_back({style, name});
        std::string up, down;
        double all = 0;
        for (std::size_t i = 0; i < bins; ++i) {
            auto const more = found->second.sum[i] / per_core;
            all += found->second.sum[i];
            auto const lower = place(i + 1, below[i]) + place(i, below[i]);
            down = lower + down;
            below[i] += more;
            up += place(i, below[i]) + place(i + 1, below[i]);
        }
        p.body += "<polygon class=\"" + std::string(style) + "\" points=\"" + up + down + "\"><title>" +
                  name + ": " + report::fixed(all / per_core / bins, 2) +
                  " warps of a core on average</title></polygon>\n";
    }
    std::string line;
    for (std::size_t i = 0; i < bins; ++i)
        line += place(i, ctas.sum[i] / per_core) + place(i + 1, ctas.sum[i] / per_core);
    p.body += "<polyline class=\"line ctas\" points=\"" + line +
              "\"><title>resident CTAs: " + report::fixed(resident / per_core / bins, 2) +
              " on a core on average</title></polyline>\n";
    legend.push_back({"ctas-mark", "resident CTAs (line)"});
    auto const words = "on average over all of the time and the " + report::counted(cores.size(), "core") +
                       " that had any: " + report::fixed(warps / per_core / bins, 2) + " live warps and " +
                       report::fixed(resident / per_core / bins, 2) + " resident CTAs";
    return p.svg("warps by what they do, and resident CTAs", words, legend,
                 ".plot .ctas{stroke:var(--ink)}.plot .ctas-mark{fill:var(--ink)}", 47);
}

} // namespace

std::string timeline_svg(std::string const& file, std::string const& kind) {
    return kind == "banks" ? banks_svg(file) : occupancy_svg(file);
}

} // namespace lab
