// `lab results`: asks databases of runs.
#include "figures/results.hpp"

#include <warpkit/base/output_file.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>

#include "plot.hpp"
#include "sweep.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lab {

using nlohmann::json;
using warpkit::error;
namespace report = warpkit::report;

namespace {

struct kept_run {
    json point;
    json record;
    std::string version;
    bool verified = false;
    std::string text; // record, as it was written
};

// A mean of several values: geometric where all are positive, else arithmetic; with the 95 % interval of Student's t,
// of the logarithms where it is geometric.
struct mean_value {
    std::size_t n = 0;
    double value = std::numeric_limits<double>::quiet_NaN();
    double low = value;
    double high = value;
};

// Two-sided 95 % quantiles of Student's t by degrees of freedom.
double student(std::size_t freedom) {
    constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (freedom <= std::size(table)) return table[freedom - 1];
    return 1.960 + 2.4 / static_cast<double>(freedom); // within 0.003 from 31 on
}

mean_value mean_of(std::vector<double> const& values) {
    mean_value m;
    m.n = values.size();
    if (m.n == 0) return m;
    auto const geometric = std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
    auto const to = [&](double v) { return geometric ? std::log(v) : v; };
    auto const back = [&](double v) { return geometric ? std::exp(v) : v; };
    double sum = 0;
    for (auto const v : values) sum += to(v);
    auto const n = static_cast<double>(m.n);
    auto const mean = sum / n;
    m.value = m.n == 1 ? values.front() : back(mean);
    if (m.n < 2) return m;
    double squares = 0;
    for (auto const v : values) squares += (to(v) - mean) * (to(v) - mean);
    auto const half = student(m.n - 1) * std::sqrt(squares / (n - 1) / n);
    m.low = back(mean - half);
    m.high = back(mean + half);
    return m;
}

std::optional<double> measure(kept_run const& r, std::string const& name) {
    for (auto const* const part : {"metrics", "counters", "host"}) {
        auto const& values = r.record.at(part);
        if (auto const found = values.find(name); found != values.end())
            return found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
    }
    std::vector<std::string> known;
    for (auto const* const part : {"metrics", "counters", "host"})
        for (auto const& [key, value] : r.record.at(part).items()) known.push_back(key);
    throw error("--metric " + name + ": there is no such metric or counter" +
                warpkit::did_you_mean(name, known) + " (lab list metrics, lab list counters)");
}

// Value of an axis as people write it.
std::string shown(kept_run const& r, std::string const& axis) {
    std::string unit;
    auto const value = value_of(r.point, axis, &unit);
    if (value.empty()) return "-";
    if (unit.empty() || value.find_first_not_of("0123456789") != value.npos) return value;
    return warpkit::format_number(std::stoull(value), unit);
}

std::vector<kept_run> runs_of(results_request const& how) {
    std::vector<stored_run> all;
    std::set<std::string> known;
    for (auto const& path : how.databases) {
        run_store store(path, run_store::access::read);
        for (auto& r : store.runs(""))
            if (known.insert(r.version + r.key).second) all.push_back(std::move(r));
    }
    std::map<std::string, std::size_t> versions;
    for (auto const& r : all) ++versions[r.version];
    auto version = how.version;
    if (version.empty() && versions.size() > 1) {
        std::string names;
        for (auto const& [name, n] : versions)
            names += (names.empty() ? "" : ", ") + name + " (" + std::to_string(n) + ')';
        if (versions.count(code_version()) == 0)
            throw error("the results are of several versions of the code, which are not mixed: " + names +
                        "; choose with --version, or all");
        version = code_version();
        std::cerr << "lab: note: of " << names << " these are the results of " << version
                  << "; --version chooses others\n";
    }
    std::vector<condition> where;
    for (auto const& text : how.where)
        for (auto& c : conditions_of(text, "--where")) where.push_back(std::move(c));
    std::vector<kept_run> runs;
    bool version_there = false;
    std::vector<bool> has(where.size(), false);
    for (auto const& r : all) {
        if (!version.empty() && version != "all" && r.version.compare(0, version.size(), version) != 0)
            continue;
        version_there = true;
        kept_run one{json::parse(r.point), json::parse(r.record), r.version, r.verified, r.record};
        bool fits = true;
        for (std::size_t i = 0; i < where.size(); ++i) {
            auto const one_fits = where[i].fits(one.point);
            has[i] = has[i] || one_fits;
            fits = fits && one_fits;
        }
        if (fits) runs.push_back(std::move(one));
    }
    if (all.empty()) throw error(how.databases.front() + " has no results yet");
    if (!version_there) throw error("--version " + version + ": there is no result of it");
    for (std::size_t i = 0; i < where.size(); ++i)
        if (!has[i])
            throw error("--where " + where[i].text() + " fits no result (lab results without it shows all)");
    if (runs.empty()) throw error("no result fits all conditions of --where");
    return runs;
}

// What tells these runs apart: labels, parameters of one kernel, numbers of one preset.
std::vector<std::string> axes_of(std::vector<kept_run> const& runs) {
    std::vector<std::string> axes;
    std::map<std::string, std::map<std::string, std::set<std::string>>> seen; // by axis and kernel or preset
    std::vector<std::string> names;
    auto const note = [&](std::string const& name, std::string const& within, std::string const& value) {
        auto const [at, is_new] = seen.try_emplace(name);
        if (is_new) names.push_back(name);
        at->second[within].insert(value);
    };
    // In the order in which records have them.
    for (auto const* const label : {"kernel", "preset", "scheduler", "dram_scheduler", "replay_queue", "l1",
                                    "l2", "dispatch", "occupancy"})
        for (auto const& r : runs) note(label, "", value_of(r.point, label));
    for (auto const& r : runs) {
        for (auto const& [name, value] : r.point.at("labels").items())
            note(name, "", value.get<std::string>());
        auto const kernel = value_of(r.point, "kernel");
        for (auto const& [name, value] : r.point.at("parameters").items())
            note(name, kernel, value.get<std::string>());
        auto const preset = value_of(r.point, "preset");
        for (auto const& [name, value] : r.point.at("numbers").items())
            if (name != "l1d_variant" && name != "l2_variant") note(name, preset, value.dump());
    }
    for (auto const& name : names)
        for (auto const& [within, values] : seen.at(name))
            if (values.size() > 1) {
                axes.push_back(name);
                break;
            }
    std::set<std::string> versions;
    for (auto const& r : runs) versions.insert(r.version);
    if (versions.size() > 1) axes.push_back("version");
    return axes;
}

std::vector<std::string> cause_counters() {
    std::vector<std::string> names;
    for (auto const* const cause : warpkit::cycle_cause_names)
        names.push_back(std::string("core.cause.") + cause);
    return names;
}
bool is_number(std::string const& text) {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
}
// Rows of one number, as 8 KiB and 16 KiB, in its order; others stay as they are.
void sort_by_number(std::vector<std::vector<std::string>>& rows) {
    if (rows.empty() || rows.front().size() != 1 ||
        !std::all_of(rows.begin(), rows.end(), [](auto const& k) { return is_number(k.front()); }))
        return;
    auto const value = [](std::vector<std::string> const& k) {
        double x = std::strtod(k.front().c_str(), nullptr);
        for (auto const& [unit, factor] : {std::pair("KiB", 1024.0),
                                           {"MiB", 1048576.0},
                                           {"GiB", 1073741824.0},
                                           {"MHz", 1e6},
                                           {"GHz", 1e9},
                                           {"kHz", 1e3}})
            if (k.front().find(unit) != std::string::npos) x *= factor;
        return x;
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](auto const& a, auto const& b) { return value(a) < value(b); });
}

// The runs, as lab run --json writes them.
std::string records_of(std::vector<kept_run> const& runs) {
    std::string text =
        "{\n  \"warpkit\": " + report::json_quoted(runs.front().version) + ",\n  \"runs\": [\n";
    for (std::size_t i = 0; i < runs.size(); ++i) {
        text += runs[i].text;
        while (text.back() == '\n') text.pop_back();
        text += i + 1 < runs.size() ? ",\n" : "\n";
    }
    return text + "  ]\n}\n";
}

} // namespace

std::string records_in(std::string const& database, std::vector<std::string> const& where) {
    results_request how;
    how.databases = {database};
    how.where = where;
    return records_of(runs_of(how));
}

int results(results_request const& how) {
    if (how.columns.size() > 1) throw error("--columns takes one name; put the others into --rows");
    auto runs = runs_of(how);
    std::size_t wrong = 0;
    for (auto const& r : runs) wrong += r.verified ? 0 : 1;
    if (wrong != 0)
        std::cerr << "lab: note: " << wrong << " failed or wrong " << (wrong == 1 ? "run is" : "runs are")
                  << " left out\n";
    if (!how.records.empty()) warpkit::write_file(how.records, records_of(runs));
    runs.erase(std::remove_if(runs.begin(), runs.end(), [](kept_run const& r) { return !r.verified; }),
               runs.end());
    if (runs.empty()) throw error("no run that fits was good");
    if (how.records == "-") return 0;

    auto const axes = axes_of(runs);
    auto metrics = how.metrics.empty() ? std::vector<std::string>{"ipc"} : how.metrics;
    if (std::find(metrics.begin(), metrics.end(), "all") != metrics.end()) {
        metrics.clear();
        for (auto const& m : report::all_metrics) metrics.emplace_back(m.name);
    }
    bool const causes = metrics == std::vector<std::string>{"causes"};
    if (causes) metrics = cause_counters();
    auto const value_on = [](kept_run const& r, std::string const& axis) {
        return axis == "version" ? r.version : shown(r, axis);
    };
    auto const check_axis = [&](std::string const& name, char const* option) {
        for (auto const& r : runs)
            if (value_on(r, name) != "-") return;
        throw error(std::string(option) + ' ' + name + ": no result has it" +
                    warpkit::did_you_mean(name, axes));
    };
    std::string columns;
    if (!how.columns.empty())
        columns = how.columns.front();
    else if (metrics.size() == 1 && std::find(axes.begin(), axes.end(), "scheduler") != axes.end() &&
             std::find(how.rows.begin(), how.rows.end(), "scheduler") == how.rows.end())
        columns = "scheduler";
    if (columns == "none" || (how.kind == "stacked" && how.columns.empty())) columns.clear();
    if (!columns.empty()) check_axis(columns, "--columns");
    auto rows = how.rows;
    if (rows.empty()) {
        rows.emplace_back("kernel");
        for (auto const& a : axes)
            if (a != "kernel" && a != columns && a != "seed") rows.push_back(a);
    }
    for (auto const& name : rows) check_axis(name, "--rows");

    // Each run's value, divided by that of the run that differs in the baseline's axis only.
    std::string base_axis;
    std::string base_value;
    if (!how.normalise.empty()) {
        auto const equals = how.normalise.find('=');
        if (equals == how.normalise.npos)
            throw error("--normalise " + how.normalise + ": write name=value, as in scheduler=lrr");
        base_axis = how.normalise.substr(0, equals);
        base_value = how.normalise.substr(equals + 1);
        check_axis(base_axis, "--normalise");
    }
    auto const others_of = [&](kept_run const& r) {
        std::string text;
        for (auto const& a : axes)
            if (a != base_axis && warpkit::full_name(a) != warpkit::full_name(base_axis))
                text += value_on(r, a) + '\n';
        return text;
    };
    std::map<std::string, kept_run const*> baseline;
    if (!base_axis.empty()) {
        condition const is_base(how.normalise, "--normalise");
        for (auto const& r : runs)
            if (is_base.fits(r.point)) baseline.emplace(others_of(r), &r);
        if (baseline.empty()) throw error("--normalise " + how.normalise + " fits no result");
    }
    std::size_t without_base = 0;
    auto const value_of_run = [&](kept_run const& r, std::string const& metric) -> std::optional<double> {
        auto const own = measure(r, metric);
        if (base_axis.empty() || !own) return own;
        auto const base = baseline.find(others_of(r));
        if (base == baseline.end()) {
            ++without_base;
            return {};
        }
        auto const other = measure(*base->second, metric);
        if (!other || *other == 0) return {};
        return *own / *other;
    };

    using key = std::vector<std::string>;
    std::vector<key> row_keys;
    std::vector<std::string> column_keys;
    std::map<std::pair<key, std::string>, std::vector<std::vector<double>>> cells; // by metric
    for (auto const& r : runs) {
        key k;
        for (auto const& a : rows) k.push_back(value_on(r, a));
        if (std::find(row_keys.begin(), row_keys.end(), k) == row_keys.end()) row_keys.push_back(k);
        auto const c = columns.empty() ? std::string() : value_on(r, columns);
        if (std::find(column_keys.begin(), column_keys.end(), c) == column_keys.end())
            column_keys.push_back(c);
        auto& cell = cells[{k, c}];
        cell.resize(metrics.size());
        for (std::size_t m = 0; m < metrics.size(); ++m)
            if (auto const v = value_of_run(r, metrics[m])) cell[m].push_back(*v);
    }
    if (without_base != 0)
        std::cerr << "lab: note: " << without_base << " values have no run with " << how.normalise
                  << " and are left out\n";
    auto const cell_of = [&](key const& k, std::string const& c, std::size_t m) {
        auto const found = cells.find({k, c});
        return found == cells.end() ? mean_value() : mean_of(found->second[m]);
    };

    if (!how.plot.empty()) {
        plot_values p;
        for (auto const& a : rows) p.along += (p.along.empty() ? "" : ", ") + a;
        for (auto const& m : how.metrics.empty() ? metrics : how.metrics)
            p.unit += (p.unit.empty() ? "" : ", ") + m;
        if (causes && how.normalise.empty()) p.unit = "% of scheduler cycles";
        if (!how.normalise.empty()) {
            p.unit += " / that of " + how.normalise;
            p.neutral = 1;
        }
        p.title = p.unit + ", by " + p.along + (columns.empty() ? "" : " and " + columns);
        for (auto const& c : column_keys)
            for (auto const& m : metrics) {
                auto const name = causes ? m.substr(m.rfind('.') + 1) : m;
                p.columns.push_back(columns.empty() ? name : metrics.size() == 1 ? c : c + ' ' + name);
            }
        sort_by_number(row_keys);
        std::vector<std::vector<double>> all(p.columns.size());
        for (auto const& k : row_keys) {
            std::string name;
            for (auto const& part : k) name += (name.empty() ? "" : " ") + part;
            p.rows.push_back(name);
            auto& line = p.values.emplace_back();
            double sum = 0;
            for (auto const& c : column_keys)
                for (std::size_t m = 0; m < metrics.size(); ++m) {
                    auto const v = cell_of(k, c, m);
                    line.push_back(v.n != 0 && std::isfinite(v.value) ? std::optional(v.value)
                                                                      : std::nullopt);
                    if (line.back()) sum += *line.back();
                }
            if (causes && how.normalise.empty() && sum > 0)
                for (auto& v : line)
                    if (v) *v *= 100 * static_cast<double>(column_keys.size()) / sum;
            for (std::size_t i = 0; i < line.size(); ++i)
                if (line[i]) all[i].push_back(*line[i]);
        }
        if (p.rows.size() > 1)
            for (auto const& v : all)
                p.means.push_back(v.size() == p.rows.size() ? std::optional(mean_of(v).value) : std::nullopt);
        auto const numbers = rows.size() == 1 && is_number(row_keys.front().front()) && p.rows.size() > 1;
        auto const kind = !how.kind.empty() ? how.kind : causes ? "stacked" : numbers ? "curves" : "bars";
        warpkit::write_file(how.plot, plot_svg(p, kind, true));
        return 0;
    }

    // For scripts: one line for each value.
    std::string csv;
    json values = json::array();
    {
        auto header = rows;
        if (!columns.empty()) header.push_back(columns);
        for (auto const* const name : {"metric", "normalised_to", "runs", "value", "low_95", "high_95"})
            header.emplace_back(name);
        csv = report::csv_line(header);
        for (auto const& k : row_keys)
            for (auto const& c : column_keys)
                for (std::size_t m = 0; m < metrics.size(); ++m) {
                    auto const v = cell_of(k, c, m);
                    if (v.n == 0) continue;
                    auto line = k;
                    if (!columns.empty()) line.push_back(c);
                    auto const number = [](double x) { return std::isfinite(x) ? report::fixed(x, 6) : ""; };
                    json one;
                    for (std::size_t i = 0; i < line.size(); ++i) one[header[i]] = line[i];
                    one["metric"] = metrics[m];
                    one["normalised_to"] = how.normalise;
                    one["runs"] = v.n;
                    one["value"] = v.value;
                    one["low_95"] = std::isfinite(v.low) ? json(v.low) : json();
                    one["high_95"] = std::isfinite(v.high) ? json(v.high) : json();
                    values.push_back(std::move(one));
                    for (auto const& text : {metrics[m], how.normalise, std::to_string(v.n), number(v.value),
                                             number(v.low), number(v.high)})
                        line.push_back(text);
                    csv += report::csv_line(line);
                }
    }
    if (!how.csv.empty()) warpkit::write_file(how.csv, csv);
    if (!how.json.empty())
        warpkit::write_file(how.json, json{{"versions",
                                            [&] {
                                                std::set<std::string> all;
                                                for (auto const& r : runs) all.insert(r.version);
                                                return all;
                                            }()},
                                           {"values", values}}
                                              .dump(2) +
                                          '\n');
    if (warpkit::is_standard_output(how.csv) || warpkit::is_standard_output(how.json)) return 0;

    // For people.
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
    for (auto const& a : rows) titles.push_back({a, report::alignment::left});
    for (auto const& c : column_keys)
        for (auto const& metric : metrics) {
            auto title = columns.empty() ? metric : metrics.size() == 1 ? c : c + ' ' + metric;
            titles.push_back({title, report::alignment::right});
        }
    report::text_table table(titles);
    // Geometric means over the rows that have a positive value in every column.
    std::vector<std::vector<double>> whole(column_keys.size() * metrics.size());
    for (auto const& k : row_keys) {
        auto line = k;
        std::vector<double> all;
        for (auto const& c : column_keys)
            for (std::size_t m = 0; m < metrics.size(); ++m) {
                auto const v = cell_of(k, c, m);
                line.push_back(text_of(v));
                if (v.n != 0 && v.value > 0) all.push_back(v.value);
            }
        table.add_row(line);
        if (all.size() == whole.size())
            for (std::size_t i = 0; i < all.size(); ++i) whole[i].push_back(all[i]);
    }
    if (whole.front().size() > 1) {
        key line(rows.size());
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
    for (auto const& m : metrics) heading += (heading.empty() ? "" : ", ") + m;
    if (!how.normalise.empty()) heading += ", divided by that of " + how.normalise;
    if (!columns.empty()) heading += ", by " + columns;
    std::cout << heading << '\n';
    print_table("results", table, how.markdown, rows.size());
    return 0;
}

// ---- one page of all runs

namespace {

// Sorts, filters and opens runs. What is opened is read from the data in the page.
constexpr char const* page_script = R"js(
'use strict';
const table = document.getElementById('runs'), body = table.tBodies[0], rows = [...body.rows];
const records = JSON.parse(document.getElementById('records').textContent);
const filter = document.getElementById('filter'), shown = document.getElementById('shown');
function number(text) { const x = parseFloat(text); return Number.isNaN(x) ? null : x; }
[...table.tHead.rows[0].cells].forEach((head, column) => head.querySelector('button')?.addEventListener('click', () => {
  const down = head.getAttribute('aria-sort') === 'ascending';
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const value = row => row.cells[column].textContent;
  rows.sort((a, b) => {
    const x = number(value(a)), y = number(value(b));
    const order = x !== null && y !== null ? x - y : value(a).localeCompare(value(b));
    return down ? -order : order;
  });
  body.append(...rows);
}));
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(w => w);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(w => text.includes(w));
    count += !row.hidden;
  }
  shown.textContent = count + ' of ' + rows.length + ' runs';
});
const dialog = document.getElementById('run');
body.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) return;
  const record = records[button.dataset.run];
  const lines = [];
  for (const [key, value] of Object.entries(record))
    if (typeof value !== 'object') lines.push([key, value]);
  for (const part of ['inputs', 'changes', 'metrics', 'counters'])
    for (const [key, value] of Object.entries(record[part] ?? {})) lines.push([key, value]);
  const inside = dialog.querySelector('tbody');
  inside.replaceChildren(...lines.map(([key, value]) => {
    const row = document.createElement('tr'), head = document.createElement('th'), cell = document.createElement('td');
    head.scope = 'row'; head.className = 'left'; head.textContent = key;
    cell.textContent = value === null ? '-' : typeof value === 'number' ? value.toLocaleString('en') : value;
    row.append(head, cell);
    return row;
  }));
  dialog.querySelector('h2').textContent = button.getAttribute('aria-label');
  dialog.showModal();
});
)js";
constexpr char const* page_extra =
    "th button{all:unset;cursor:pointer}th button:focus-visible,td "
    "button:focus-visible,input:focus-visible{outline:2px "
    "solid var(--link);outline-offset:2px}\nth[aria-sort=ascending] button::after{content:' \\2191'}"
    "th[aria-sort=descending] button::after{content:' \\2193'}\ninput{font:inherit;padding:.25rem "
    ".5rem;min-width:18rem;"
    "background:var(--back);color:var(--text);border:1px solid "
    "var(--rule)}\ndialog{max-height:85vh;background:"
    "var(--back);color:var(--text);border:1px solid var(--rule)}\ntd "
    "button{font:inherit;cursor:pointer;color:"
    "var(--link);background:none;border:0;padding:0;text-decoration:underline}\n";

plot_values plot_over(std::vector<kept_run> const& runs, std::string const& row, std::string const& column,
                      std::vector<std::string> const& metrics, bool shares) {
    plot_values p;
    p.along = row;
    std::map<std::pair<std::string, std::string>, std::vector<std::vector<double>>> cells;
    std::vector<std::vector<std::string>> row_keys;
    std::vector<std::string> column_keys;
    for (auto const& r : runs) {
        auto const k = shown(r, row);
        auto const c = column.empty() ? std::string() : shown(r, column);
        if (std::find(row_keys.begin(), row_keys.end(), std::vector{k}) == row_keys.end())
            row_keys.push_back({k});
        if (std::find(column_keys.begin(), column_keys.end(), c) == column_keys.end())
            column_keys.push_back(c);
        auto& cell = cells[{k, c}];
        cell.resize(metrics.size());
        for (std::size_t m = 0; m < metrics.size(); ++m)
            if (auto const v = measure(r, metrics[m])) cell[m].push_back(*v);
    }
    sort_by_number(row_keys);
    for (auto const& c : column_keys)
        for (auto const& m : metrics)
            p.columns.push_back(metrics.size() == 1 ? c : m.substr(m.rfind('.') + 1));
    for (auto const& k : row_keys) {
        p.rows.push_back(k.front());
        auto& line = p.values.emplace_back();
        double sum = 0;
        for (auto const& c : column_keys)
            for (std::size_t m = 0; m < metrics.size(); ++m) {
                auto const found = cells.find({k.front(), c});
                auto const v = found == cells.end() ? mean_value() : mean_of(found->second[m]);
                line.push_back(v.n != 0 && std::isfinite(v.value) ? std::optional(v.value) : std::nullopt);
                if (line.back()) sum += *line.back();
            }
        if (shares && sum > 0)
            for (auto& v : line)
                if (v) *v *= 100 / sum;
    }
    return p;
}

} // namespace

int report_page(results_request const& how, std::string const& file) {
    auto const runs = runs_of(how);
    auto const axes = axes_of(runs);
    std::vector<kept_run> good;
    for (auto const& r : runs)
        if (r.verified) good.push_back(r);
    using figures::escaped;
    std::string title = "Results of " + how.databases.front();
    for (std::size_t i = 1; i < how.databases.size(); ++i) title += ", " + how.databases[i];
    auto text = figures::head_of(title, true);
    text.insert(text.find("</style>"), page_extra);
    text += "<main>\n<h1>" + escaped(title) + "</h1>\n<p>" + std::to_string(runs.size()) + " runs, " +
            std::to_string(runs.size() - good.size()) + " of them failed or wrong, by warpkit " +
            escaped(runs.front().version) + ".</p>\n";
    auto const has = [&](char const* axis) {
        return std::find(axes.begin(), axes.end(), axis) != axes.end();
    };
    auto const plot = [&](std::string const& heading, plot_values p, char const* kind) {
        p.title = heading;
        text +=
            "<h2>" + escaped(heading) + "</h2>\n<div class=\"wide\">" + plot_svg(p, kind, false) + "</div>\n";
    };
    if (!good.empty()) {
        auto ipc = plot_over(good, "kernel", has("scheduler") ? "scheduler" : "", {"ipc"}, false);
        ipc.unit = "warp instructions per cycle";
        if (ipc.columns == std::vector<std::string>{""}) ipc.columns = {"ipc"};
        plot(has("scheduler") ? "IPC of each kernel, by scheduler" : "IPC of each kernel", ipc,
             ipc.columns.size() > 8 ? "heat" : "bars");
        auto stalls = plot_over(good, "kernel", "", cause_counters(), true);
        stalls.unit = "% of scheduler cycles";
        plot("Where the scheduler cycles of each kernel went", stalls, "stacked");
        for (auto const& axis : axes) {
            if (axis == "seed" || axis == "kernel" || axis == "scheduler") continue;
            auto curves = plot_over(good, axis, has("scheduler") ? "scheduler" : "", {"ipc"}, false);
            if (curves.rows.size() < 2 || !std::all_of(curves.rows.begin(), curves.rows.end(), is_number))
                continue;
            curves.unit = "IPC, geometric mean";
            if (curves.columns == std::vector<std::string>{""}) curves.columns = {"ipc"};
            plot("IPC over " + axis, curves, "curves");
        }
    }

    std::vector<std::string> const metrics = {"ipc", "l1d_miss_rate", "l2_miss_rate", "row_hit_rate",
                                              "dram_bandwidth"};
    text += "<h2>Runs</h2>\n<p><label for=\"filter\">Only runs with all these words: </label><input "
            "id=\"filter\" "
            "type=\"search\" autocomplete=\"off\"/> <span id=\"shown\" role=\"status\">" +
            std::to_string(runs.size()) + " of " + std::to_string(runs.size()) +
            " runs</span></p>\n<div class=\"wide\"><table id=\"runs\"><thead><tr><th scope=\"col\">run</th>";
    auto const head = [&](std::string const& name, bool words) {
        text += std::string("<th scope=\"col\"") + (words ? " class=\"left\"" : "") +
                "><button type=\"button\">" + escaped(name) + "</button></th>";
    };
    for (auto const& a : axes) head(a, true);
    head("cycles", false);
    for (auto const& m : metrics) head(m, false);
    head("verified", true);
    text += "</tr></thead>\n<tbody>\n";
    json records = json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto const& r = runs[i];
        records.push_back(r.record);
        std::string name;
        for (auto const& a : axes)
            name += (name.empty() ? "" : ", ") + (a == "version" ? r.version : shown(r, a));
        auto const n = std::to_string(i);
        text += "<tr><td><button type=\"button\" data-run=\"" + n + "\" aria-label=\"" + escaped(name) +
                "\">" + std::to_string(i + 1) + "</button></td>";
        for (auto const& a : axes)
            text += figures::cell_html(a == "version" ? r.version : shown(r, a), "left");
        auto const value = [&](std::string const& m, int digits) {
            auto const v = measure(r, m);
            text += figures::cell_html(v && std::isfinite(*v) ? report::fixed(*v, digits) : "-");
        };
        value("cycles", 0);
        for (auto const& m : metrics) value(m, 3);
        text += figures::cell_html(r.verified ? "yes" : "no: " + r.record.value("problem", ""),
                                   r.verified ? "left" : "left against") +
                "</tr>\n";
    }
    auto data = records.dump();
    for (std::size_t at = 0; (at = data.find("</", at)) != data.npos; at += 3) data.insert(at + 1, "\\");
    text +=
        "</tbody></table></div>\n</main>\n<dialog id=\"run\" aria-labelledby=\"run-name\"><form "
        "method=\"dialog\">"
        "<button>Close</button></form><h2 id=\"run-name\">run</h2><table><tbody></tbody></table></dialog>\n"
        "<script type=\"application/json\" id=\"records\">" +
        data + "</script>\n<script>" + page_script + "</script>\n</body>\n</html>\n";
    warpkit::write_file(file, text);
    return 0;
}

} // namespace lab
