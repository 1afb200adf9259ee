// Asks databases of runs.
#include "query.hpp"

#include <warpkit/config/settings.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/report/csv.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>

#include "plot_axis.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

namespace lab {

using nlohmann::json;
using warpkit::error;
namespace report = warpkit::report;

namespace {

// Two-sided 95 % quantiles of Student's t by degrees of freedom.
double student(std::size_t freedom) {
    constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (freedom <= std::size(table)) return table[freedom - 1];
    return 1.960 + 2.4 / static_cast<double>(freedom); // within 0.003 from 31 on
}

// A value as people write it.
std::string shown_of(json const& point, std::string const& axis) {
    std::string unit;
    auto const value = value_of(point, axis, &unit);
    if (value.empty()) return "-";
    if (unit.empty() || value.find_first_not_of("0123456789") != value.npos) return value;
    return warpkit::format_number(std::stoull(value), unit);
}

// Names that points have something by.
std::vector<std::string> known_names(std::vector<json> const& points) {
    std::set<std::string> names = {"version"};
    for (auto const& p : points)
        for (auto const* const part : {"labels", "parameters", "numbers", "policies"})
            if (auto const found = p.find(part); found != p.end())
                for (auto const& [name, value] : found->items()) names.insert(name);
    return {names.begin(), names.end()};
}

// Why none of these points is as a condition says: the nearest name, or which values there are, and the nearest.
std::string why_none_fits(condition const& c, std::vector<json> const& points) {
    std::set<std::string> found;
    for (auto const& p : points)
        if (auto value = shown_of(p, c.name()); value != "-") found.insert(std::move(value));
    if (found.empty())
        return ": none has a " + c.name() + warpkit::did_you_mean(c.name(), known_names(points));
    std::vector<std::string> values(found.begin(), found.end());
    sort_by_number(values);
    std::string meant;
    for (auto const& value : c.values())
        if (meant.empty() && !is_number(value)) meant = warpkit::did_you_mean(value, values);
    constexpr std::size_t most = 8;
    auto const more = values.size() > most;
    if (more) values.resize(most);
    return ": " + c.name() + " is " + enumerated(values) + (more ? ", ..." : "") + meant;
}

} // namespace

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
    // Counters of a run that was sampled are of the parts that were timed; only shares of them stand for the whole.
    if (auto const sample = r.record.find("sample");
        sample != r.record.end() && !sample->at("exact").get<bool>()) {
        if (auto const whole = sample->find(name); whole != sample->end() && whole->is_number())
            return whole->get<double>();
        if (r.record.at("counters").contains(name) && name.rfind("core.cause.", 0) != 0)
            throw error("--metric " + name +
                        ": of a sampled run it is of the parts that were timed; ask for cycles, ipc or other "
                        "metrics");
    }
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

std::string shown(kept_run const& r, std::string const& axis) { return shown_of(r.point, axis); }

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
    std::vector<condition> each; // every value must be that of some result
    for (auto const& c : where)
        for (auto& one : c.one_by_one()) each.push_back(std::move(one));
    std::vector<kept_run> runs;
    bool version_there = false;
    std::vector<bool> has(each.size(), false);
    for (auto const& r : all) {
        if (!version.empty() && version != "all" && r.version.compare(0, version.size(), version) != 0)
            continue;
        version_there = true;
        kept_run one{json::parse(r.point), json::parse(r.record), r.version, r.verified, r.record};
        for (std::size_t i = 0; i < each.size(); ++i) has[i] = has[i] || each[i].fits(one.point);
        if (std::all_of(where.begin(), where.end(), [&](condition const& c) { return c.fits(one.point); }))
            runs.push_back(std::move(one));
    }
    if (all.empty()) throw error(how.databases.front() + " has no results yet");
    if (!version_there) throw error("--version " + version + ": there is no result of it");
    for (std::size_t i = 0; i < each.size(); ++i)
        if (!has[i]) {
            std::vector<json> points;
            for (auto const& r : all) points.push_back(json::parse(r.point));
            throw error("--where " + each[i].text() + " fits no result" + why_none_fits(each[i], points));
        }
    if (runs.empty()) throw error("no result fits all conditions of --where");
    return runs;
}

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
    std::set<std::string> labels; // of any
    for (auto const& r : runs)
        for (auto const& [name, value] : r.point.at("labels").items()) labels.insert(name);
    for (auto const& r : runs) {
        for (auto const& name : labels) note(name, "", r.point.at("labels").value(name, ""));
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
bool is_number(std::string const& text) { return number_with_unit(text).has_value(); }
void sort_by_number(std::vector<std::vector<std::string>>& rows) {
    if (rows.empty()) return;
    std::vector<std::map<std::string, double>> places(rows.front().size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        bool const numbers =
            std::all_of(rows.begin(), rows.end(), [i](auto const& k) { return is_number(k[i]); });
        for (auto const& k : rows)
            places[i].emplace(k[i],
                              numbers ? *number_with_unit(k[i]) : static_cast<double>(places[i].size()));
    }
    std::stable_sort(rows.begin(), rows.end(), [&](auto const& a, auto const& b) {
        for (std::size_t i = 0; i < places.size(); ++i)
            if (auto const x = places[i].at(a[i]), y = places[i].at(b[i]); x != y) return x < y;
        return false;
    });
}
void sort_by_number(std::vector<std::string>& names) {
    std::vector<std::vector<std::string>> rows;
    for (auto& name : names) rows.push_back({std::move(name)});
    sort_by_number(rows);
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::move(rows[i].front());
}

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

std::string records_in(std::string const& database, std::vector<std::string> const& where) {
    results_request how;
    how.databases = {database};
    how.where = where;
    return records_of(runs_of(how));
}

answer ask(results_request const& how, std::vector<kept_run> runs) {
    if (how.columns.size() > 1) throw error("--columns takes one name; put the others into --rows");
    std::size_t wrong = 0;
    for (auto const& r : runs) wrong += r.verified ? 0 : 1;
    if (wrong != 0)
        std::cerr << "lab: note: " << wrong << " failed or wrong " << (wrong == 1 ? "run is" : "runs are")
                  << " left out\n";
    runs.erase(std::remove_if(runs.begin(), runs.end(), [](kept_run const& r) { return !r.verified; }),
               runs.end());
    if (runs.empty()) throw error("no run that fits was good");

    answer a;
    auto const& axes = a.axes = axes_of(runs);
    auto& metrics = a.metrics;
    metrics = how.metrics.empty() ? std::vector<std::string>{"ipc"} : how.metrics;
    if (std::find(metrics.begin(), metrics.end(), "all") != metrics.end()) {
        metrics.clear();
        for (auto const& m : report::all_metrics) metrics.emplace_back(m.name);
    }
    a.causes = metrics == std::vector<std::string>{"causes"};
    if (a.causes) metrics = cause_counters();
    auto const value_on = [](kept_run const& r, std::string const& axis) {
        return axis == "version" ? r.version : shown(r, axis);
    };
    auto const check_axis = [&](std::string const& name, char const* option) {
        for (auto const& r : runs)
            if (value_on(r, name) != "-") return;
        std::vector<json> points;
        for (auto const& r : runs) points.push_back(r.point);
        throw error(std::string(option) + ' ' + name + ": no result has it" +
                    warpkit::did_you_mean(name, known_names(points)));
    };
    auto& columns = a.column;
    if (!how.columns.empty())
        columns = how.columns.front();
    else if (metrics.size() == 1 && std::find(axes.begin(), axes.end(), "scheduler") != axes.end() &&
             std::find(how.rows.begin(), how.rows.end(), "scheduler") == how.rows.end())
        columns = "scheduler";
    if (columns == "none" || (how.kind == "stacked" && how.columns.empty())) columns.clear();
    if (!columns.empty()) check_axis(columns, "--columns");
    auto& rows = a.rows;
    rows = how.rows;
    if (rows.empty()) {
        rows.emplace_back("kernel");
        for (auto const& axis : axes)
            if (axis != "kernel" && axis != columns && axis != "seed") rows.push_back(axis);
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
        for (auto const& axis : axes)
            if (axis != base_axis && warpkit::full_name(axis) != warpkit::full_name(base_axis))
                text += value_on(r, axis) + '\n';
        return text;
    };
    std::map<std::string, kept_run const*> baseline;
    if (!base_axis.empty()) {
        condition const is_base(how.normalise, "--normalise");
        for (auto const& r : runs)
            if (is_base.fits(r.point)) baseline.emplace(others_of(r), &r);
        if (baseline.empty()) {
            std::vector<json> points;
            for (auto const& r : runs) points.push_back(r.point);
            throw error("--normalise " + how.normalise + " fits no result" + why_none_fits(is_base, points));
        }
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

    for (auto const& r : runs) {
        answer::key k;
        for (auto const& name : rows) k.push_back(value_on(r, name));
        if (std::find(a.row_keys.begin(), a.row_keys.end(), k) == a.row_keys.end()) a.row_keys.push_back(k);
        auto const c = columns.empty() ? std::string() : value_on(r, columns);
        if (std::find(a.column_keys.begin(), a.column_keys.end(), c) == a.column_keys.end())
            a.column_keys.push_back(c);
        auto& cell = a.cells[{k, c}];
        cell.resize(metrics.size());
        for (std::size_t m = 0; m < metrics.size(); ++m)
            if (auto const v = value_of_run(r, metrics[m])) cell[m].push_back(*v);
    }
    sort_by_number(a.row_keys);
    sort_by_number(a.column_keys);
    if (without_base != 0)
        std::cerr << "lab: note: " << without_base << " values have no run with " << how.normalise
                  << " and are left out\n";
    std::set<std::string> versions;
    for (auto const& r : runs) versions.insert(r.version);
    a.versions.assign(versions.begin(), versions.end());
    return a;
}

mean_value answer::cell(key const& row, std::string const& of_column, std::size_t metric) const {
    auto const found = cells.find({row, of_column});
    return found == cells.end() ? mean_value() : mean_of(found->second[metric]);
}

namespace {

std::vector<std::string> names_of(answer const& a) {
    auto names = a.rows;
    if (!a.column.empty()) names.push_back(a.column);
    return names;
}
// Each value that there is, with its place by names_of.
template <class Take>
void for_each_value(answer const& a, Take const& take) {
    for (auto const& k : a.row_keys)
        for (auto const& c : a.column_keys)
            for (std::size_t m = 0; m < a.metrics.size(); ++m) {
                auto const v = a.cell(k, c, m);
                if (v.n == 0) continue;
                auto place = k;
                if (!a.column.empty()) place.push_back(c);
                take(place, a.metrics[m], v);
            }
}

} // namespace

std::string answer::csv(std::string const& normalise) const {
    auto header = names_of(*this);
    for (auto const* const name : {"metric", "normalised_to", "runs", "value", "low_95", "high_95"})
        header.emplace_back(name);
    auto text = report::csv_line(header);
    auto const number = [](double x) { return std::isfinite(x) ? report::fixed(x, 6) : ""; };
    for_each_value(*this, [&](key line, std::string const& metric, mean_value const& v) {
        for (auto const& field :
             {metric, normalise, std::to_string(v.n), number(v.value), number(v.low), number(v.high)})
            line.push_back(field);
        text += report::csv_line(line);
    });
    return text;
}

json answer::values(std::string const& normalise) const {
    auto const names = names_of(*this);
    auto all = json::array();
    for_each_value(*this, [&](key const& place, std::string const& metric, mean_value const& v) {
        json one;
        for (std::size_t i = 0; i < place.size(); ++i) one[names[i]] = place[i];
        one["metric"] = metric;
        one["normalised_to"] = normalise;
        one["runs"] = v.n;
        one["value"] = v.value;
        one["low_95"] = std::isfinite(v.low) ? json(v.low) : json();
        one["high_95"] = std::isfinite(v.high) ? json(v.high) : json();
        all.push_back(std::move(one));
    });
    return all;
}

} // namespace lab
