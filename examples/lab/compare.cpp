// `lab compare`: the differences between two results files, run by run and counter by counter; or the schedulers of one
// results file, normalised to one of them.
#include <warpkit/base/input_file.hpp>
#include <warpkit/config/machine_file.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/report/text.hpp>

#include "lab.hpp"
#include "results_files.hpp"
#include "sweep.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>

namespace lab {

using nlohmann::json;
using warpkit::error;
namespace report = warpkit::report;
using report::alignment;

namespace {

// What every run has.
constexpr char const* run_labels[] = {"kernel",         "preset",       "scheduler",
                                      "dram_scheduler", "replay_queue", "parameters"};

// What conditions can ask of a run in a results file: a point (plan.hpp) but for the numbers of its preset.
json point_in(json const& run) {
    json point = {{"labels", json::object()},
                  {"parameters", json::object()},
                  {"policies", json::object()},
                  {"numbers", run.value("changes", json::object())}};
    for (auto const& [name, value] : run.items())
        if (value.is_string()) point["labels"][name] = value;
    auto const inputs = run.value("inputs", json::object());
    for (auto const& [name, value] : inputs.items())
        point["parameters"][name] = value.is_string() ? value.get<std::string>() : value.dump();
    return point;
}

} // namespace

std::string file_in(std::string const& name) {
    std::error_code none;
    return std::filesystem::exists(name, none) ? name : name.substr(0, name.find('?'));
}

std::vector<json> runs_in(std::string const& name) {
    auto const file = file_in(name);
    auto const where = file.size() < name.size() ? name.substr(file.size() + 1) : std::string();
    auto text = warpkit::read_file(file, ~std::size_t{0} >> 1);
    bool const database = text.rfind("SQLite format 3", 0) == 0;
    if (database) text = records_in(file, where.empty() ? std::vector<std::string>() : std::vector{where});
    auto const parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_object() || !parsed.contains("runs") ||
        !parsed["runs"].is_array())
        throw error(file + " is not a results file; make one with lab run --json");
    bool sampled = false;
    try {
        for (auto const& r : parsed["runs"]) {
            sampled = sampled || (r.contains("sample") && !r.at("sample").at("exact").get<bool>());
            for (auto const* const label : run_labels) r.at(label).get<std::string>();
            r.at("counters").get<std::map<std::string, std::uint64_t>>();
            if (!r.at("metrics").is_object() || !r.at("verified").is_boolean()) throw error("");
        }
    } catch (std::exception const&) {
        throw error(file + " is not a results file of this lab: a run lacks its labels, counters or metrics");
    }
    if (sampled)
        throw error(file + " has sampled runs, whose counters are of the parts that were timed: compare runs "
                           "made without --sample");
    std::vector<json> runs = parsed["runs"];
    if (!where.empty() && !database)
        for (auto const& condition : conditions_of(where, name))
            runs.erase(std::remove_if(runs.begin(), runs.end(),
                                      [&](json const& r) { return !condition.fits(point_in(r)); }),
                       runs.end());
    if (runs.empty()) throw error(name + ": no run fits");
    return runs;
}

namespace {

// ", L1 perfect" and the like, where the caches are not those of the preset.
std::string caches_of(json const& run) {
    std::string text;
    for (auto const& [label, name] : {std::pair("l1", "L1"), std::pair("l2", "L2")})
        if (auto const kind = run.value(label, "preset"); kind != "preset")
            text.append(", ").append(name).append(" ").append(kind);
    return text;
}
// How a run dispatched its blocks, where that is not as usual; also the label of files from before there was a choice.
std::string dispatch_of(json const& r) {
    std::string text;
    for (auto const& [label, usual] :
         {std::pair("dispatch", "round_robin_dispatch"), {"occupancy", "no_limit"}, {"policies", ""}})
        if (auto const value = r.value(label, usual); value != usual) text += ", " + value;
    return text;
}

// A number as conditions have it: 16KiB.
std::string without_spaces(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}
// A number that a run has not changed, as its preset has it; empty where the machine is from a file.
std::string number_of_preset(std::string const& preset, std::string const& name) {
    auto const* const known = warpkit::preset_named(preset);
    if (known == nullptr) return {};
    auto const numbers = warpkit::parameters(*known);
    if (name == "address_mapping") return numbers.address_mapping;
    if (name == "memory_nodes") return numbers.memory_nodes;
    auto const* const field = warpkit::find_field(warpkit::machine_numbers(), name);
    return field == nullptr ? "" : warpkit::format_number(warpkit::read_field(numbers, *field), field->unit);
}

// The runs of several results side by side: those are paired that are the same in all that determines a run, but for
// what each of the results has one value of, another one than the others: that is what is compared.
struct paired_runs {
    std::vector<std::map<std::string, json>> of; // by results and run
    std::vector<std::string> runs;               // in the order of the first results

    explicit paired_runs(std::vector<std::string> const& files) {
        std::vector<std::vector<json>> all;
        for (auto const& file : files) all.push_back(runs_in(file));
        for (auto const& d : dimensions_of(all)) add(d, all);
        for (std::size_t f = 0; f < files.size(); ++f) {
            auto& own = of.emplace_back();
            for (std::size_t i = 0; i < all[f].size(); ++i) {
                auto& r = all[f][i];
                auto const name = names_[&r].empty() ? std::string("the run") : names_[&r];
                auto const [known, is_new] = own.emplace(name, r);
                if (is_new && std::find(runs.begin(), runs.end(), name) == runs.end()) runs.push_back(name);
                if (!is_new && known->second.at("counters") != r.at("counters"))
                    throw error(files[f] + " has several runs of " + name +
                                ", which neither labels nor numbers tell apart; compare one of them");
            }
        }
    }
    // Whether all results have it.
    bool everywhere(std::string const& run) const {
        return std::all_of(of.begin(), of.end(), [&](auto const& own) { return own.count(run) != 0; });
    }

private:
    // A label, or a number of the machine that runs have changed.
    struct dimension {
        std::string name;
        bool number;

        std::string of(json const& r) const {
            if (!number) return r.value(name, "");
            auto const changes = r.value("changes", json::object());
            auto const own = changes.find(name);
            return own == changes.end() ? number_of_preset(r.value("preset", ""), name)
                   : own->is_string()   ? own->get<std::string>()
                                        : own->dump();
        }
    };
    static std::vector<dimension> dimensions_of(std::vector<std::vector<json>> const& all) {
        std::vector<dimension> found;
        for (auto const* const label :
             {"kernel", "preset", "scheduler", "dram_scheduler", "replay_queue", "l1", "l2", "dispatch",
              "occupancy", "policies", "sampling", "warm_up", "warm_up_scheduler", "ptx", "launch", "trace",
              "parameters"})
            found.push_back({label, false});
        std::set<std::string> numbers;
        for (auto const& results : all)
            for (auto const& r : results)
                if (auto const changes = r.find("changes"); changes != r.end())
                    for (auto const& [name, value] : changes->items()) numbers.insert(name);
        for (auto const& name : numbers) found.push_back({name, true});
        return found;
    }
    // To the names of the runs.
    void add(dimension const& what, std::vector<std::vector<json>> const& all) {
        std::set<std::string> values;
        bool one_each = true;
        for (auto const& results : all) {
            std::set<std::string> own;
            for (auto const& r : results) own.insert(what.of(r));
            one_each = one_each && own.size() == 1;
            values.insert(own.begin(), own.end());
        }
        bool const constant = values.size() == 1;
        if (!constant && one_each) return;
        if (constant && what.number) return;
        for (auto const& results : all)
            for (auto const& r : results) {
                auto const value = what.of(r);
                auto text = what.number ? what.name + '=' + (value.empty() ? "own" : without_spaces(value))
                            : what.name == "l1" || what.name == "l2" ? what.name + '=' + value
                                                                     : value;
                for (auto const* const usual : {"", "none", "preset", "no_limit", "round_robin_dispatch"})
                    if (value == usual && !what.number) text.clear();
                auto& name = names_[&r];
                if (!text.empty()) name += (name.empty() ? "" : " ") + text;
            }
    }
    std::map<json const*, std::string> names_;
};

// ---- schedulers beside each other

// Names, each once, in the order of their first appearance.
void note(std::vector<std::string>& names, std::string const& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

struct shown_metric {
    char const* name;
    char const* title;
};
constexpr shown_metric shown_metrics[] = {{"ipc", "IPC"},
                                          {"l1d_miss_rate", "L1 miss rate"},
                                          {"blp", "bank-level parallelism"},
                                          {"row_hit_rate", "row-hit rate"}};

// The runs of one machine, by kernel and scheduler.
struct machine_results {
    std::string name;
    std::vector<std::string> kernels;
    std::vector<std::string> schedulers;
    std::map<std::pair<std::string, std::string>, json> runs;

    std::optional<double> value(std::string const& kernel, std::string const& scheduler,
                                char const* metric) const {
        auto const run = runs.find({kernel, scheduler});
        if (run == runs.end() || !run->second.at("verified").get<bool>()) return {};
        auto const found = run->second.at("metrics").find(metric);
        if (found == run->second.at("metrics").end() || !found->is_number()) return {};
        return found->get<double>();
    }
    // To the baseline; nothing where one of the two is missing or undefined, or the baseline is 0.
    std::optional<double> ratio(std::string const& kernel, std::string const& scheduler,
                                std::string const& baseline, char const* metric) const {
        auto const own = value(kernel, scheduler, metric);
        auto const other = value(kernel, baseline, metric);
        if (!own || !other || *other == 0) return {};
        return *own / *other;
    }
    // MemoryBlockCycles as a share of the baseline's core cycles, as OWL's figure 8 has it.
    std::optional<double> memory_block(std::string const& kernel, std::string const& scheduler,
                                       std::string const& baseline) const {
        auto const own = runs.find({kernel, scheduler});
        auto const other = runs.find({kernel, baseline});
        if (!value(kernel, scheduler, "ipc") || !value(kernel, baseline, "ipc")) return {};
        return own->second.at("counters").at("core.memory_block_cycles").get<double>() /
               other->second.at("counters").at("core.cycles").get<double>();
    }
};

std::vector<machine_results> by_machine(std::string const& file, std::vector<std::string> const& asked) {
    std::vector<machine_results> machines;
    for (auto const& r : runs_in(file)) {
        auto const label = [&](char const* name) { return r.at(name).get<std::string>(); };
        if (!asked.empty() && std::find(asked.begin(), asked.end(), label("scheduler")) == asked.end())
            continue;
        auto const queue = label("replay_queue");
        auto const name = label("preset") + ", " + label("dram_scheduler") +
                          (queue == "none" ? "" : ", " + queue) + dispatch_of(r);
        auto m =
            std::find_if(machines.begin(), machines.end(), [&](auto const& x) { return x.name == name; });
        if (m == machines.end()) m = machines.insert(m, {name, {}, {}, {}});
        note(m->kernels, label("kernel"));
        auto const scheduler = label("scheduler") + caches_of(r);
        note(m->schedulers, scheduler);
        if (!m->runs.emplace(std::pair(label("kernel"), scheduler), r).second)
            throw error(file + " has several runs of " + label("kernel") + " under " + scheduler + " on " +
                        name + ": compare results of one set of parameters");
    }
    return machines;
}

struct mean {
    double logarithms = 0;
    double sum = 0;
    unsigned count = 0;
    bool zero = false;

    void add(double ratio) {
        ++count;
        sum += ratio;
        if (ratio == 0)
            zero = true;
        else
            logarithms += std::log(ratio);
    }
    double geometric() const { return count == 0 ? NAN : zero ? 0 : std::exp(logarithms / count); }
    double arithmetic() const { return count == 0 ? NAN : sum / count; }
};

void print(report::text_table const& table, bool markdown) {
    print_table("means", table, markdown);
    std::cout << '\n';
}

// One row for each scheduler, one column for each kernel; `cell` gives the numbers, `text` their spelling.
template <class Cell, class Text, class Mean>
void print_by_kernel(machine_results const& m, char const* title, char const* mean_title, bool markdown,
                     Cell cell, Text text, Mean mean_of) {
    std::vector<report::column> columns{{title, alignment::left, {}}};
    for (auto const& k : m.kernels) columns.push_back({k, alignment::right, {}});
    columns.push_back({mean_title, alignment::right, {}});
    report::text_table table(columns);
    for (auto const& s : m.schedulers) {
        std::vector<std::string> cells{s};
        mean all;
        for (auto const& k : m.kernels) {
            auto const x = cell(k, s);
            cells.push_back(x ? text(*x) : "-");
            if (x) all.add(*x);
        }
        cells.push_back(mean_of(all));
        table.add_row(cells);
    }
    print(table, markdown);
}

void print_normalised(machine_results const& m, std::string const& baseline, bool markdown) {
    for (auto const& metric : shown_metrics) {
        std::cout << m.name << ": " << metric.title << ", normalised to " << baseline << "\n\n";
        print_by_kernel(
            m, metric.title, "geomean", markdown,
            [&](auto const& k, auto const& s) { return m.ratio(k, s, baseline, metric.name); },
            [](double x) { return report::fixed(x, 2); },
            [](mean const& all) { return report::fixed(all.geometric(), 3); });
    }
    std::cout << m.name << ": MemoryBlockCycles, in % of the core cycles under " << baseline << "\n\n";
    print_by_kernel(
        m, "MemoryBlockCycles", "mean", markdown,
        [&](auto const& k, auto const& s) { return m.memory_block(k, s, baseline); },
        [](double x) { return report::percent(x); },
        [](mean const& all) { return report::percent(all.arithmetic()); });

    report::text_table summary({{"scheduler", alignment::left},
                                {"IPC", alignment::right, "amean"},
                                {"IPC", alignment::right, "geomean"},
                                {"L1 miss", alignment::right, "geomean"},
                                {"BLP", alignment::right, "geomean"},
                                {"row hit", alignment::right, "geomean"},
                                {"MemoryBlock", alignment::right, "%"}});
    for (auto const& s : m.schedulers) {
        std::map<std::string, mean> means;
        mean blocked;
        for (auto const& k : m.kernels) {
            for (auto const& metric : shown_metrics)
                if (auto const x = m.ratio(k, s, baseline, metric.name)) means[metric.name].add(*x);
            if (auto const x = m.memory_block(k, s, baseline)) blocked.add(*x);
        }
        std::vector<std::string> cells{s, report::fixed(means["ipc"].arithmetic(), 3)};
        for (auto const& metric : shown_metrics)
            cells.push_back(report::fixed(means[metric.name].geometric(), 3));
        cells.push_back(report::percent(blocked.arithmetic()));
        summary.add_row(cells);
    }
    std::cout << m.name << ": means over " << m.kernels.size() << " kernels, normalised to " << baseline
              << "\n\n";
    print(summary, markdown);
}

} // namespace

int compare(std::string const& first, std::string const& second) {
    paired_runs const pairs({first, second});
    std::size_t same = 0;
    std::size_t differ = 0;
    for (auto const& run : pairs.runs) {
        if (!pairs.everywhere(run)) {
            std::cout << run << ": only in " << (pairs.of[0].count(run) != 0 ? first : second) << '\n';
            continue;
        }
        auto const counters = [&](std::size_t f) {
            return pairs.of[f].at(run).at("counters").get<std::map<std::string, std::uint64_t>>();
        };
        auto const left = counters(0);
        auto const right = counters(1);
        report::text_table table(
            {{"counter", alignment::left}, {"first"}, {"second"}, {"change", alignment::right, "%"}});
        for (auto const& [name, value] : left) {
            auto const found = right.find(name);
            auto const now = found == right.end() ? 0 : found->second;
            if (value == now) continue;
            auto const change =
                (static_cast<double>(now) - static_cast<double>(value)) / static_cast<double>(value);
            table.add_row(
                {name, report::with_thousands(value), report::with_thousands(now), report::percent(change)});
        }
        (table.rows() == 0 ? same : differ) += 1;
        if (table.rows() == 0) continue;
        std::cout << run << ":\n\n";
        print_table("counters", table);
        std::cout << '\n';
    }
    if (same == pairs.runs.size()) {
        std::cout << "the same " << same << " runs\n";
        return 0;
    }
    std::cout << same << " of " << pairs.runs.size() << " runs are the same, " << differ << " differ, "
              << pairs.runs.size() - same - differ << " are in one of the two only\n";
    return 1;
}

void normalise(std::string const& file, std::string const& baseline,
               std::vector<std::string> const& schedulers, bool markdown) {
    auto asked = schedulers;
    if (!asked.empty()) note(asked, baseline);
    auto const machines = by_machine(file, asked);
    std::vector<std::string> known;
    for (auto const& m : machines)
        for (auto const& s : m.schedulers) note(known, s);
    for (auto const& s : asked.empty() ? std::vector{baseline} : asked)
        if (std::find(known.begin(), known.end(), s) == known.end()) refuse_name("scheduler", s, known, file);
    for (auto const& m : machines) print_normalised(m, baseline, markdown);
}

int compare(std::vector<std::string> const& files, std::vector<std::string> const& metrics, bool markdown) {
    paired_runs const pairs(files);
    auto const& by_key = pairs.of;
    auto keys = pairs.runs;
    keys.erase(
        std::remove_if(keys.begin(), keys.end(), [&](auto const& key) { return !pairs.everywhere(key); }),
        keys.end());
    if (keys.empty()) throw error("no run is in all of them: they differ in more than what is compared");
    for (std::size_t f = 0; f < files.size(); ++f)
        if (by_key[f].size() > keys.size())
            std::cerr << "lab: note: " << by_key[f].size() - keys.size() << " runs of " << files[f]
                      << " are not in all others, and left out\n";

    auto const value = [](json const& r, std::string const& name) {
        for (auto const* const part : {"metrics", "counters"})
            if (auto const found = r.at(part).find(name); found != r.at(part).end())
                return found->is_number() && r.at("verified").get<bool>()
                           ? std::optional(found->get<double>())
                           : std::nullopt;
        std::vector<std::string> known;
        for (auto const* const part : {"metrics", "counters"})
            for (auto const& [key, unused] : r.at(part).items()) known.push_back(key);
        refuse_name("metric or counter", name, known, "--metric");
    };
    for (auto const& metric : metrics) {
        std::vector<report::column> columns = {{"run", alignment::left}, {files.front()}};
        for (std::size_t f = 1; f < files.size(); ++f)
            columns.push_back({files[f], alignment::right, "ratio"});
        report::text_table table(columns);
        std::vector<mean> means(files.size());
        for (auto const& key : keys) {
            auto const base = value(by_key.front().at(key), metric);
            std::vector<std::string> cells{key, base ? report::fixed(*base, *base < 100 ? 4 : 0) : "-"};
            for (std::size_t f = 1; f < files.size(); ++f) {
                auto const own = value(by_key[f].at(key), metric);
                if (base && own && *base != 0) {
                    means[f].add(*own / *base);
                    cells.push_back(report::fixed(*own / *base, 4));
                } else {
                    cells.emplace_back("-");
                }
            }
            table.add_row(cells);
        }
        std::vector<std::string> cells{"geometric mean", ""};
        for (std::size_t f = 1; f < files.size(); ++f)
            cells.push_back(report::fixed(means[f].geometric(), 4));
        table.add_rule();
        table.add_row(cells);
        std::cout << metric << ": the first, and the others divided by it\n\n";
        print(table, markdown);
    }
    return 0;
}

} // namespace lab
