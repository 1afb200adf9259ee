#include "compared_runs.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>

#include "lab.hpp"
#include "results_files.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <utility>

namespace lab {

using nlohmann::json;
using warpkit::cycle_cause;
using warpkit::cycle_cause_count;
using warpkit::error;
namespace report = warpkit::report;
using report::alignment;
using report::fixed;
using warpkit::cycle_cause_meanings;
using warpkit::cycle_cause_names;

scheduler_cycles cycles_by_cause(warpkit::run_counters const& c, double schedulers) {
    scheduler_cycles all{};
    for (unsigned i = 0; i < cycle_cause_count; ++i)
        all[i] = static_cast<double>(c.core.cause[i]) / schedulers;
    return all;
}

namespace {

std::string whole(double x) {
    return report::with_thousands(static_cast<std::uint64_t>(std::llround(std::abs(x))));
}
std::string with_sign(double x, int digits) { return (x > 0 ? "+" : "") + fixed(x, digits); }

// The cause that gained or lost most on the way from one to the other, in the direction in which the cycles went. Cores
// without a CTA, and schedulers without a warp, wait for others: they are the cause only where there is no other.
unsigned greatest(scheduler_cycles const& a, scheduler_cycles const& b, double direction) {
    unsigned most = static_cast<unsigned>(cycle_cause::no_cta);
    bool any = false;
    auto const gain = [&](unsigned i) { return (b[i] - a[i]) * direction; };
    for (unsigned i = 0; i < cycle_cause_count; ++i) {
        auto const why = static_cast<cycle_cause>(i);
        if (why == cycle_cause::no_cta || why == cycle_cause::drained || gain(i) <= 0) continue;
        if (!any || gain(i) > gain(most)) most = i;
        any = true;
    }
    return most;
}

} // namespace

void print_side_by_side(std::ostream& out, compared_run const& a, compared_run const& b, std::size_t width) {
    report::text_table causes(
        {{"cycles of a scheduler", alignment::left}, {a.name}, {b.name}, {"difference"}, {"% of " + a.name}});
    auto const row = [&](std::string const& name, double x, double y) {
        causes.add_row({name, whole(x), whole(y), with_sign(y - x, 0),
                        a.cycles == 0 ? "-" : with_sign(100 * (y - x) / a.cycles, 1)});
    };
    for (unsigned i = 0; i < cycle_cause_count; ++i)
        if (a.by_cause[i] != 0 || b.by_cause[i] != 0) row(cycle_cause_names[i], a.by_cause[i], b.by_cause[i]);
    row("all", a.cycles, b.cycles);
    out << '\n';
    causes.print(out, width, 1);

    auto const launches = std::min(a.launches.size(), b.launches.size());
    if (launches < 2) return;
    auto const gain = [&](std::size_t l) { return b.launches[l].cycles - a.launches[l].cycles; };
    std::vector<std::size_t> order(launches);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto x, auto y) { return std::abs(gain(x)) > std::abs(gain(y)); });
    report::text_table table({{"launch"},
                              {"kernel", alignment::left},
                              {"cycles, " + a.name},
                              {b.name},
                              {"difference"},
                              {"most by", alignment::left}});
    for (std::size_t i = 0; i < std::min(shown_rows, launches); ++i) {
        auto const l = order[i];
        auto const& x = a.launches[l];
        auto const& y = b.launches[l];
        table.add_row(
            {std::to_string(l + 1), x.kernel, whole(x.cycles), whole(y.cycles), with_sign(gain(l), 0),
             gain(l) == 0 ? "-" : cycle_cause_names[greatest(x.by_cause, y.by_cause, gain(l) > 0 ? 1 : -1)]});
    }
    out << "\nLaunches, those that differ most first:\n";
    table.print(out, width, 1);
}

std::vector<std::string> causes_in_words(compared_run const& a, compared_run const& b) {
    auto const difference = std::abs(b.cycles - a.cycles);
    if (difference == 0) return {"Both take the same cycles."};
    auto const& slow = b.cycles > a.cycles ? b : a;
    auto const& fast = b.cycles > a.cycles ? a : b;
    std::vector<std::string> text;
    text.push_back(fast.name + " takes " + fixed(100 * difference / slow.cycles, 1) +
                   " % fewer cycles than " + slow.name + ".");
    auto const most = greatest(fast.by_cause, slow.by_cause, 1);
    text.push_back(slow.name + " has " + whole(slow.by_cause[most] - fast.by_cause[most]) +
                   " more cycles of " + cycle_cause_names[most] + " per scheduler (" +
                   cycle_cause_meanings[most] + "), against " + whole(difference) + " that it is slower.");
    auto const launches = std::min(a.launches.size(), b.launches.size());
    if (launches < 2) return text;
    std::size_t worst = 0;
    auto const slower_by = [&](std::size_t l) { return slow.launches[l].cycles - fast.launches[l].cycles; };
    for (std::size_t l = 1; l < launches; ++l)
        if (slower_by(l) > slower_by(worst)) worst = l;
    text.push_back("Most of it is in launch " + std::to_string(worst + 1) + ", " +
                   slow.launches[worst].kernel + ": " + whole(slower_by(worst)) + " cycles more.");
    return text;
}

namespace {

// The one that a file or a query names.
json only_run(std::string const& name) {
    auto const runs = runs_in(name);
    if (runs.size() == 1) return runs.front();
    auto const& r = runs.empty() ? json::object() : runs.front();
    throw error(name + " has " + std::to_string(runs.size()) +
                " runs, and one is compared: add conditions, as in '" + name.substr(0, name.find('?')) +
                "?kernel=" + r.value("kernel", "bfs") + " scheduler=" + r.value("scheduler", "gto") + "'");
}

// What tells one from the other: labels, then inputs and changed numbers.
std::string name_of(json const& r, json const& other) {
    std::string name;
    auto const add = [&](std::string const& text) { name += (name.empty() ? "" : " ") + text; };
    for (auto const* const label : {"preset", "scheduler", "dram_scheduler", "replay_queue", "l1", "l2",
                                    "dispatch", "occupancy", "policies", "ptx", "launch", "trace"})
        if (auto const own = r.value(label, ""); own != other.value(label, ""))
            add((std::string(label) == "l1" || std::string(label) == "l2" ? label + std::string("=") : "") +
                (own.empty() ? "no " + std::string(label) : own));
    for (auto const* const part : {"inputs", "changes"}) {
        auto const all = r.value(part, json::object());
        auto const others = other.value(part, json::object());
        for (auto const& [key, value] : all.items())
            if (!others.contains(key) || others[key] != value)
                add(key + '=' + (value.is_string() ? value.get<std::string>() : value.dump()));
        for (auto const& [key, value] : others.items())
            if (!all.contains(key)) add("the preset's " + key);
    }
    return name;
}

compared_run counted(json const& r, std::string const& name) {
    auto const of = [](json const& part, double& cycles) {
        auto const& counters = part.at("counters");
        scheduler_cycles all{};
        double sum = 0;
        for (unsigned i = 0; i < cycle_cause_count; ++i)
            sum += all[i] = counters.value(std::string("core.cause.") + cycle_cause_names[i], 0.0);
        cycles = counters.at("cycles").get<double>();
        for (auto& x : all) x *= sum == 0 ? 0 : cycles / sum; // each scheduler has each cycle
        return all;
    };
    compared_run run;
    run.name = name;
    run.by_cause = of(r, run.cycles);
    for (auto const& l : r.value("launches", json::array())) {
        compared_run::launch launch;
        launch.kernel = l.at("kernel").get<std::string>();
        launch.by_cause = of(l, launch.cycles);
        run.launches.push_back(std::move(launch));
    }
    return run;
}

struct metric_change {
    std::string name;
    double a = 0;
    double b = 0;
    double how_much() const { return std::abs(std::log(b / a)); }
};
// Those that differ most, by their ratio.
std::vector<metric_change> changed_metrics(json const& a, json const& b) {
    std::vector<metric_change> all;
    for (auto const& [name, value] : a.at("metrics").items()) {
        auto const other = b.at("metrics").find(name);
        if (!value.is_number() || other == b.at("metrics").end() || !other->is_number()) continue;
        metric_change c{name, value.get<double>(), other->get<double>()};
        if (c.a > 0 && c.b > 0 && c.a != c.b) all.push_back(std::move(c));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](auto const& x, auto const& y) { return x.how_much() > y.how_much(); });
    if (all.size() > shown_rows) all.resize(shown_rows);
    return all;
}

} // namespace

int explain_difference(std::string const& first, std::string const& second, std::string const& to,
                       bool quiet) {
    auto const one = only_run(first);
    auto const other = only_run(second);
    for (auto const* const r : {&one, &other})
        if (!r->at("verified").get<bool>())
            throw error((r == &one ? first : second) + ": this run was wrong: " + r->value("problem", ""));
    if (one.at("kernel") != other.at("kernel"))
        throw error("explain-difference: " + one.at("kernel").get<std::string>() + " and " +
                    other.at("kernel").get<std::string>() + " are two programs; name one");
    auto a_name = name_of(one, other);
    auto b_name = name_of(other, one);
    if (a_name.empty() && b_name.empty()) {
        a_name = first;
        b_name = second;
    }
    auto const a = counted(one, a_name.empty() ? "the preset's" : a_name);
    auto const b = counted(other, b_name.empty() ? "the preset's" : b_name);
    auto const metrics = changed_metrics(one, other);
    auto const words = causes_in_words(a, b);
    if (!to.empty()) {
        report::json_writer w;
        w.begin_object().member("kernel", one.at("kernel").get<std::string>()).key("runs").begin_array();
        for (auto const* const r : {&a, &b}) {
            w.begin_object()
                .member("name", r->name)
                .member("cycles", r->cycles)
                .key("cycles_by_cause")
                .begin_object();
            for (unsigned i = 0; i < cycle_cause_count; ++i) w.member(cycle_cause_names[i], r->by_cause[i]);
            w.end_object().end_object();
        }
        w.end_array().key("causes").begin_array();
        for (auto const& sentence : words) w.value(sentence);
        w.end_array().end_object();
        report::write_file(to, w.text());
    }
    if (warpkit::is_standard_output(to) || (quiet && !to.empty())) return 0;
    auto& out = std::cout;
    out << one.at("kernel").get<std::string>() << ' ' << one.value("parameters", "") << '\n';
    print_side_by_side(out, a, b, terminal_width());
    if (!metrics.empty()) {
        report::text_table table({{"metric", alignment::left}, {a.name}, {b.name}, {"ratio"}});
        for (auto const& m : metrics)
            table.add_row({m.name, fixed(m.a, 4), fixed(m.b, 4), fixed(m.b / m.a, 3)});
        out << "\nMetrics, those that differ most first:\n";
        table.print(out, terminal_width(), 1);
    }
    out << '\n';
    for (auto const& sentence : words) out << sentence << '\n';
    if (a.launches.empty())
        out << "Which launches, loads and first cycle: lab explain-difference with the two named by "
               "--kernel, "
               "--scheduler and so on, which runs them.\n";
    return 0;
}

} // namespace lab
