#pragma once
/// \file
/// Changing a machine's numbers by name: `l1d.size=48KiB`. Unknown names, values that are no numbers, units that do not
/// suit and values that do not fit are refused; whether the numbers go together is check()'s business.

#include <warpkit/base/error.hpp>
#include <warpkit/base/number_text.hpp>
#include <warpkit/config/numbers.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit {

/// Short names for numbers, and what they stand for: `from` and everything below it.
struct name_alias {
    std::string_view from;
    std::string_view to;
};
inline constexpr name_alias name_aliases[] = {
    {"l1.latency", "lsu.l1_latency"}, {"l1d.latency", "lsu.l1_latency"}, {"l1", "l1d"},
    {"cores", "core.count"},          {"shared", "core.shared_bytes"},   {"mapping", "address_mapping"}};

/// The full name of a number that may be written by an alias.
inline std::string full_name(std::string_view name) {
    for (auto const& a : name_aliases) {
        if (name == a.from) return std::string(a.to);
        if (name.size() > a.from.size() && name.substr(0, a.from.size()) == a.from &&
            name[a.from.size()] == '.')
            return std::string(a.to) + std::string(name.substr(a.from.size()));
    }
    return std::string(name);
}

/// Sets one number from "name=value". Besides the numbers there are `<cache>.enabled=0`, the same as `<cache>.size=0`,
/// and the texts `address_mapping`, `memory_nodes`, `l1d_variant`, `l2_variant`, `dram_checker`, `row_sharing` and
/// `name`. Throws `error` as described at the top.
inline void set_number(gpu_parameters& g, std::string_view assignment) {
    auto const equals = assignment.find('=');
    if (equals == assignment.npos || equals == 0)
        throw error("'" + std::string(assignment) + "' sets nothing; write name=value, as in l1d.size=32KiB");
    auto const trim = [](std::string_view s) {
        while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
        while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
        return s;
    };
    auto const name = full_name(trim(assignment.substr(0, equals)));
    auto const value = trim(assignment.substr(equals + 1));
    if (value.empty()) throw error(name + ": no value behind the '='");
    if (name == "address_mapping") {
        g.address_mapping = value;
        return;
    }
    if (name == "memory_nodes") {
        g.memory_nodes = value;
        return;
    }
    if (name == "l1d_variant" || name == "l2_variant") {
        (name == "l2_variant" ? g.l2_variant : g.l1d_variant) = value;
        return;
    }
    if (name == "dram_checker" || name == "row_sharing") {
        if (value != "on" && value != "off")
            throw error(name + ": '" + std::string(value) + "' is neither on nor off");
        (name == "dram_checker" ? g.dram_checker : g.row_sharing) = value == "on" ? "on" : "";
        return;
    }
    if (name == "name") {
        g.name = value;
        return;
    }
    constexpr std::string_view enabled = ".enabled";
    if (name.size() > enabled.size() &&
        std::string_view(name).substr(name.size() - enabled.size()) == enabled) {
        auto const cache = name.substr(0, name.size() - enabled.size());
        if (auto const* const size = find_field(machine_numbers(), cache + ".size")) {
            if (value == "0")
                write_field(g, *size, 0);
            else if (value != "1")
                throw error(name + ": '" + std::string(value) + "' is neither 0 nor 1");
            else if (read_field(g, *size) == 0)
                throw error(name + ": this cache has no size; give it one with " + cache + ".size=...");
            return;
        }
    }
    auto const* const f = find_field(machine_numbers(), name);
    if (f == nullptr) {
        std::vector<std::string> names = {"address_mapping", "memory_nodes", "l1d_variant", "l2_variant",
                                          "dram_checker",    "row_sharing",  "name",        "l1i.enabled",
                                          "l1d.enabled",     "l1c.enabled",  "l1t.enabled", "l2.enabled"};
        for (auto const& known : machine_numbers()) names.push_back(known.name);
        throw error("there is no number " + name + did_you_mean(name, names));
    }
    auto const number = parse_number(value, f->unit, name);
    if (number > f->maximum)
        throw error(name + " = " + std::to_string(number) +
                    " is too large; nearest legal value: " + std::to_string(f->maximum));
    write_field(g, *f, number);
}

} // namespace warpkit
