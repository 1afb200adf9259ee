// `lab compare`: the differences between two results files, run by run and counter by counter.
#include <warpkit/report/text.hpp>

#include "lab.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iostream>
#include <map>

namespace lab {

using nlohmann::json;
using warpkit::error;
namespace report = warpkit::report;

namespace {

// The runs of a results file by what tells them apart.
std::map<std::string, json> runs_of(std::string const& file) {
    std::ifstream in(file);
    if (!in) throw error("cannot read " + file);
    auto const parsed = json::parse(in, nullptr, false);
    if (parsed.is_discarded() || !parsed.is_object() || !parsed.contains("runs") ||
        !parsed["runs"].is_array())
        throw error(file + " is not a results file; make one with lab run --json");
    std::map<std::string, json> runs;
    for (auto const& r : parsed["runs"]) {
        std::string key;
        try {
            for (auto const* const label : {"kernel", "preset", "scheduler", "dram_scheduler", "parameters"})
                key.append(key.empty() ? "" : " ").append(r.at(label).get<std::string>());
            r.at("counters").get<std::map<std::string, std::uint64_t>>();
        } catch (json::exception const&) {
            throw error(file + " is not a results file of this lab: a run lacks its labels or counters");
        }
        runs.emplace(key, r);
    }
    return runs;
}

} // namespace

int compare(std::string const& first, std::string const& second) {
    auto const a = runs_of(first);
    auto const b = runs_of(second);
    bool same = true;
    for (auto const& [key, run] : a) {
        auto const other = b.find(key);
        if (other == b.end()) {
            std::cout << key << ": only in " << first << '\n';
            same = false;
            continue;
        }
        auto const left = run["counters"].get<std::map<std::string, std::uint64_t>>();
        auto const right = other->second["counters"].get<std::map<std::string, std::uint64_t>>();
        report::text_table table({{"counter", report::alignment::left},
                                  {"first"},
                                  {"second"},
                                  {"change", report::alignment::right, "%"}});
        for (auto const& [name, value] : left) {
            auto const found = right.find(name);
            auto const now = found == right.end() ? 0 : found->second;
            if (value == now) continue;
            auto const change =
                (static_cast<double>(now) - static_cast<double>(value)) / static_cast<double>(value);
            table.add_row(
                {name, report::with_thousands(value), report::with_thousands(now), report::percent(change)});
        }
        if (table.rows() == 0) continue;
        same = false;
        std::cout << key << ":\n\n";
        table.print(std::cout);
        std::cout << '\n';
    }
    for (auto const& [key, run] : b)
        if (a.count(key) == 0) {
            std::cout << key << ": only in " << second << '\n';
            same = false;
        }
    if (same) std::cout << "the same " << a.size() << " runs\n";
    return same ? 0 : 1;
}

} // namespace lab
