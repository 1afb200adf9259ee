// From runs to the values of a figure.
#include <warpkit/base/error.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>

#include "kernels/workload.hpp"
#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace lab::figures {

using warpkit::error;
namespace report = warpkit::report;

std::optional<double> finished_run::measured(std::string const& metric) const {
    if (!verified) return {};
    for (auto const* const part : {"metrics", "counters"}) {
        auto const& values = record.at(part);
        if (auto const found = values.find(metric); found != values.end())
            return found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
    }
    if (auto const dot = metric.find('.'); dot != metric.npos)
        if (auto const part = record.find(metric.substr(0, dot)); part != record.end() && part->is_object())
            if (auto const found = part->find(metric.substr(dot + 1));
                found != part->end() && found->is_number())
                return found->get<double>();
    throw error("a figure asks for " + metric +
                ", which is no metric or counter of a run (lab list metrics)");
}

std::string why_row_waits(row const& r) {
    if (!r.waits.empty()) return r.waits;
    for (auto const* w : warpkit::kernels::all())
        if (w->name == r.kernel) return {};
    return "a kernel " + r.kernel;
}

std::string shown(std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return "-";
    auto const size = std::fabs(*value);
    if (size >= 10000) {
        auto const whole = report::with_thousands(static_cast<std::uint64_t>(std::llround(size)));
        return (*value < 0 ? "-" : "") + whole;
    }
    if (size == std::floor(size)) return report::fixed(*value, 0);
    return report::fixed(*value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

namespace {

double machine_number(std::string const& machine, std::string const& name) {
    std::vector<std::string> names;
    for (auto const* p : warpkit::preset_numbers::all()) {
        if (p->name != machine) continue;
        auto const numbers = warpkit::parameters(*p);
        auto const* const f = warpkit::find_field(warpkit::machine_numbers(), name);
        if (f == nullptr)
            throw error("a figure asks for " + name + ", which is no number of a machine (lab list numbers)");
        return static_cast<double>(warpkit::read_field(numbers, *f));
    }
    throw error("a figure names the machine " + machine + ", which there is not (lab list presets)");
}

// " %", " MHz"; nothing for what is only a number.
std::string unit_of(paper_value const& v) {
    for (auto const* const plain : {"", "count", "ratio", "fraction"})
        if (v.unit == plain) return {};
    return v.unit.find('%') == 0 ? " %" : ' ' + v.unit;
}
// As the paper prints it, but for a large whole number, which is written as ours is.
std::string as_shown(std::string const& printed) {
    bool const large = printed.size() > 4 && printed.find_first_not_of("0123456789") == printed.npos;
    return large ? report::with_thousands(std::stoull(printed)) : printed;
}
double converted(double value, std::string const& how) {
    if (how == "gain") return 1 + value / 100;
    if (how == "loss") return 1 - value / 100;
    return how == "share" ? value / 100 : value;
}
// Whether the paper states it of several programs.
bool is_mean(target const& t, paper_value const& printed) {
    return t.ours.text().find("mean(") != std::string::npos || printed.row.find("average") == 0;
}

} // namespace

figure_result evaluate(document const& d, figure const& f, run_table const& runs) {
    figure_result result;
    result.of = &f;
    result.rows = rows_of(d, f);
    auto const in_percent = f.unit.find('%') != f.unit.npos;

    formula::subject about;
    about.rows = result.rows.size();
    about.measured = [&](std::size_t r, std::string const& metric,
                         std::string const& series) -> std::optional<double> {
        auto const found = runs.find({result.rows[r]->name, series});
        return found == runs.end() ? std::nullopt : found->second->measured(metric);
    };
    about.number = [&](std::string const& name) { return machine_number(f.machine, name); };
    about.is = [&](std::size_t r, std::string const& name) {
        auto const& one = *result.rows[r];
        return one.name == name ||
               std::find(one.classes.begin(), one.classes.end(), name) != one.classes.end();
    };

    auto const per_curve = f.how == form::curves ? f.x.size() : 0;
    if (per_curve != 0) {
        auto const curve = [&](std::string const& title, std::size_t from, std::optional<std::size_t> row) {
            result.curves.push_back(title);
            auto& points = result.cells.emplace_back();
            for (std::size_t i = 0; i < per_curve; ++i)
                points.push_back({f.columns[from + i].value.value(about, row), {}});
        };
        for (std::size_t c = 0; c < f.columns.size(); c += per_curve)
            if (f.curve_for_each_row)
                for (std::size_t r = 0; r < result.rows.size(); ++r) curve(result.rows[r]->name, c, r);
            else
                curve(f.columns[c].title, c, {});
    } else {
        for (std::size_t r = 0; r < result.rows.size(); ++r) {
            auto& line = result.cells.emplace_back();
            for (auto const& c : f.columns) {
                cell one;
                one.ours = c.value.value(about, r);
                if (c.paper) {
                    auto wanted = *c.paper;
                    if (auto const at = wanted.row.find("{row}"); at != wanted.row.npos)
                        wanted.row.replace(at, 5, result.rows[r]->name);
                    else if (wanted.row == "*")
                        wanted.row = result.rows[r]->name;
                    auto const values = values_that_fit(d, wanted);
                    if (values.size() > 1)
                        throw error("figure " + f.id + ": " + wanted.row + ", " + c.title +
                                    " has several values in the paper");
                    if (!values.empty()) one.paper = values.front()->number;
                }
                line.push_back(one);
            }
        }
        for (auto const& mean : f.means) {
            auto& line = result.means.emplace_back(mean, std::vector<cell>()).second;
            auto const space = mean.find(' ');
            for (auto const& c : f.columns)
                line.push_back({formula(mean.substr(0, space) + '(' + c.value.text() +
                                            (space == mean.npos ? "" : ", " + mean.substr(space + 1)) + ')',
                                        d.series_names())
                                    .value(about),
                                {}});
        }
        for (std::size_t c = 0; c < f.columns.size(); ++c) {
            std::vector<std::pair<double, double>> pairs;
            std::size_t printed = 0;
            std::size_t near = 0;
            for (auto const& line : result.cells) {
                printed += line[c].paper ? 1 : 0;
                if (!line[c].paper || !line[c].ours) continue;
                pairs.emplace_back(*line[c].ours, *line[c].paper);
                near += judge(line[c].ours, *line[c].paper, f.columns[c].neutral, in_percent, false) ==
                        verdict::agrees;
            }
            if (printed == 0) continue;
            if (printed < 5) { // each for itself
                for (std::size_t r = 0; r < result.rows.size(); ++r) {
                    auto const& one = result.cells[r][c];
                    if (!one.paper) continue;
                    result.checks.push_back(
                        {result.rows[r]->name + ", " + f.columns[c].title,
                         shown(one.paper),
                         one.paper,
                         one.ours,
                         shown(one.ours),
                         judge(one.ours, *one.paper, f.columns[c].neutral, in_percent, false),
                         "",
                         {}});
                }
                continue;
            }
            check one;
            one.what = f.columns[c].title + ", row by row";
            one.paper = std::to_string(printed) + " values";
            auto const rank = rank_correlation(pairs);
            one.ours_text = std::to_string(near) + " of " + std::to_string(pairs.size()) +
                            " near, rank correlation " + (rank ? report::fixed(*rank, 2) : "-");
            if (pairs.size() != printed) one.note = std::to_string(printed - pairs.size()) + " rows wait";
            if (!pairs.empty()) {
                auto const way = rank ? *rank >= 0.5 : 2 * near >= pairs.size();
                one.result = !way                       ? verdict::against
                             : 2 * near >= pairs.size() ? verdict::agrees
                                                        : verdict::direction;
            }
            result.checks.push_back(one);
        }
    }

    for (auto const& t : f.targets) {
        check one;
        auto const& printed = *values_that_fit(d, t.paper).front();
        one.what = t.title;
        auto const unit = unit_of(printed);
        one.paper = as_shown(printed.value) + unit;
        one.paper_number = converted(*printed.number, t.convert);
        one.ours = t.ours.value(about);
        if (t.convert == "gain" || t.convert == "loss")
            one.ours_text =
                one.ours ? shown((t.convert == "gain" ? *one.ours - 1 : 1 - *one.ours) * 100) + " %" : "-";
        else
            one.ours_text = shown(one.ours) + (one.ours ? unit : "");
        auto const percent = t.convert.empty() && (printed.unit.find('%') != printed.unit.npos ||
                                                   printed.unit.find("percentage point") == 0);
        one.result = judge(one.ours, *one.paper_number, t.neutral, percent, t.exact);
        if ((one.result == verdict::direction || one.result == verdict::against) && is_mean(t, printed))
            one.why = t.why.empty() ? std::vector<std::string>{"none"} : t.why;
        if (auto const c = t.ours.covers(about); c && c->with < c->of)
            one.note = "over " + std::to_string(c->with) + " of " + std::to_string(c->of) + " rows";
        if (!t.mark_column.empty()) {
            if (per_curve != 0) {
                for (std::size_t c = 0; c < result.curves.size(); ++c)
                    for (std::size_t i = 0; i < per_curve; ++i)
                        if (result.curves[c] == t.mark_column && f.x[i] == t.mark_row)
                            result.cells[c][i].paper = one.paper_number;
            } else {
                for (std::size_t c = 0; c < f.columns.size(); ++c) {
                    if (f.columns[c].title != t.mark_column) continue;
                    for (auto& [mean, line] : result.means)
                        if (mean == t.mark_row) line[c].paper = one.paper_number;
                    for (std::size_t r = 0; r < result.rows.size(); ++r)
                        if (result.rows[r]->name == t.mark_row) result.cells[r][c].paper = one.paper_number;
                }
            }
        }
        result.checks.push_back(std::move(one));
    }
    for (auto const& c : f.claims) {
        check one;
        one.what = c.text + (c.where.empty() ? "" : " (" + c.where + ')');
        one.paper = "in words";
        if (c.holds) {
            if (auto const v = c.holds.value(about)) {
                one.result = *v != 0 ? verdict::agrees : verdict::against;
                one.ours_text = *v != 0 ? "holds" : "does not hold";
                if (c.value) one.ours_text += ": " + shown(c.value.value(about));
            }
            if (auto const over = c.holds.covers(about); over && over->with < over->of)
                one.note = "over " + std::to_string(over->with) + " of " + std::to_string(over->of) + " rows";
        }
        if (one.ours_text.empty()) one.ours_text = "-";
        result.checks.push_back(std::move(one));
    }

    std::set<std::string> asked;
    for (auto const& c : f.columns) asked.insert(c.value.series().begin(), c.value.series().end());
    for (auto const& t : f.targets) asked.insert(t.ours.series().begin(), t.ours.series().end());
    for (auto const& c : f.claims)
        for (auto const* of : {&c.holds, &c.value}) asked.insert(of->series().begin(), of->series().end());
    if (!f.waits.empty()) result.waiting.push_back(f.waits);
    if (!asked.empty())
        for (auto const* r : result.rows)
            if (auto const why = why_row_waits(*r); !why.empty())
                result.waiting.push_back(r->name + ": " + why);
    for (auto const& s : asked)
        if (auto const& one = d.series_called(s); !one.waits.empty())
            result.waiting.push_back(one.title + ": " + one.waits);
    for (auto const* r : result.rows)
        result.rows_with_runs += std::any_of(asked.begin(), asked.end(),
                                             [&](std::string const& s) {
                                                 auto const found = runs.find({r->name, s});
                                                 return found != runs.end() && found->second->verified;
                                             })
                                     ? 1
                                     : 0;
    return result;
}

diagnosis diagnose(document const& d, row const& r, run_table const& runs) {
    diagnosis one;
    one.of = &r;
    auto const under = [&](std::string const& series) -> finished_run const* {
        auto const found = runs.find({r.name, series});
        return found == runs.end() || !found->second->verified ? nullptr : found->second;
    };
    one.base = under(d.baseline_of(r));
    if (one.base == nullptr) return one;
    one.ctas = one.base->measured("main_launch.ctas");
    one.ctas_per_core = one.base->measured("main_launch.ctas_per_core");
    one.warps_per_cta = one.base->measured("main_launch.warps_per_cta");
    one.waves = one.base->measured("main_launch.waves");
    if (one.ctas_per_core && one.warps_per_cta) {
        // OWL 4.1: as few CTAs to a group as have eight warps.
        auto const group = std::ceil(8 / *one.warps_per_cta);
        one.groups = std::max(1.0, std::floor(*one.ctas_per_core / group));
    }
    if (auto const misses = one.base->measured("l2_miss_rate")) one.l2_hits = 1 - *misses;
    one.bus_use = one.base->measured("dram_utilisation");
    auto const gain = [&](std::string const& series) -> std::optional<double> {
        auto const* const other = series.empty() ? nullptr : under(series);
        if (other == nullptr) return {};
        auto const mine = one.base->measured("ipc");
        auto const perfect = other->measured("ipc");
        return mine && perfect && *mine > 0 ? std::optional(*perfect / *mine) : std::nullopt;
    };
    if (!r.baseline.empty()) return one;
    one.perfect_l1 = gain(d.perfect_l1);
    one.perfect_l2 = gain(d.perfect_l2);
    return one;
}

} // namespace lab::figures
