#pragma once
// Counted costs in a file, and whether new ones may stand beside it.

#include <cstdint>
#include <cstdio>
#include <istream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace cost {

/// compiler/architecture, phase, what was run: "g++-12/x86_64", "timing", "vecadd".
using point = std::tuple<std::string, std::string, std::string>;
using counts = std::map<point, std::uint64_t>;

/// Growth that fails, and shrinkage that is worth committing.
inline constexpr double tolerance = 0.05;

/// Lines of compiler, phase, what, count; # begins a comment.
inline counts read_counts(std::istream& in) {
    counts all;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string compiler;
        std::string phase;
        std::string what;
        std::uint64_t n = 0;
        if (words >> compiler >> phase >> what >> n) all[{compiler, phase, what}] = n;
    }
    return all;
}

inline void write_counts(std::ostream& out, counts const& all) {
    for (auto const& [where, n] : all)
        out << std::get<0>(where) << ' ' << std::get<1>(where) << ' ' << std::get<2>(where) << ' ' << n
            << '\n';
}

inline std::string grouped(std::uint64_t n) {
    auto text = std::to_string(n);
    for (auto at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

struct verdict {
    bool fails = false;
    std::vector<std::string> lines; ///< what is to be said, failures first
};

/// Compares what was counted with what was committed. A compiler of which nothing was committed is only told of.
inline verdict compare(counts const& committed, counts const& counted) {
    verdict v;
    std::vector<std::string> remarks;
    std::map<std::string, bool> known;
    for (auto const& [where, n] : committed) known[std::get<0>(where)] = true;
    std::map<std::string, bool> told;
    for (auto const& [where, now] : counted) {
        auto const& [compiler, phase, what] = where;
        auto const name = phase + " of " + what + " by " + compiler;
        auto const unit = phase == "compile" ? "" : " host instructions";
        if (!known[compiler]) {
            if (!told[compiler])
                remarks.push_back("nothing is committed for " + compiler + ": its costs are told, not held");
            told[compiler] = true;
            continue;
        }
        auto const found = committed.find(where);
        if (found == committed.end()) {
            v.fails = true;
            v.lines.push_back(name + ": no count is committed; .ci/cost --update commits " + grouped(now));
            continue;
        }
        auto const before = found->second;
        auto const change = static_cast<double>(now) / static_cast<double>(before) - 1;
        char percent[32];
        std::snprintf(percent, sizeof percent, "%+.1f %%", 100 * change);
        auto const both = grouped(before) + unit + " committed, " + grouped(now) + " now (" + percent + ")";
        if (change > tolerance) {
            v.fails = true;
            v.lines.push_back(
                name + ": " + both +
                "; at most 5 % more are allowed. Make it cheaper, or, where it is worth its price, "
                "run .ci/cost --update and say why in the commit");
        } else if (change < -tolerance) {
            remarks.push_back(name + ": " + both + "; .ci/cost --update keeps it so");
        }
    }
    v.lines.insert(v.lines.end(), remarks.begin(), remarks.end());
    return v;
}

} // namespace cost
