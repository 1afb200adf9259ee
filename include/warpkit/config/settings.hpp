#pragma once
/// \file
/// Changing a machine's numbers by name: `l1d.size=48KiB`. Unknown names, values that are no numbers, units that do not
/// suit and values that do not fit are refused; whether the numbers go together is check()'s business.

#include <warpkit/base/error.hpp>
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

/// The name in `names` that takes the fewest single-letter edits to `name`; empty when none is near (more than half of
/// its letters differ).
inline std::string nearest_name(std::string_view name, std::vector<std::string> const& names) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 2) + 1;
    for (auto const& candidate : names) {
        std::vector<std::size_t> row(candidate.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= name.size(); ++i) {
            auto diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= candidate.size(); ++j) {
                auto const replaced = diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
            }
        }
        if (row.back() < best_distance) {
            best_distance = row.back();
            best = candidate;
        }
    }
    return best;
}

/// " (did you mean X?)", or nothing.
inline std::string did_you_mean(std::string_view name, std::vector<std::string> const& names) {
    auto const nearest = nearest_name(name, names);
    return nearest.empty() ? std::string() : " (did you mean " + nearest + "?)";
}

/// Reads a number in `unit` ("bytes", "kHz", "cycles", or "" for a plain count). Bytes take K, KiB, M, MiB, G, GiB
/// (powers of 1024, also written kB, MB); frequencies need kHz, MHz or GHz; cycles and counts take k and M (powers of
/// 1000). Fractions are fine when the result is whole: 1.5KiB, 0.7GHz. Throws `error`, its message beginning with
/// `what`.
inline std::uint64_t parse_number(std::string_view text, std::string_view unit, std::string const& what) {
    auto const refuse = [&](std::string const& why) -> std::uint64_t {
        throw error(what + ": '" + std::string(text) + "' " + why);
    };
    std::size_t at = 0;
    std::uint64_t value = 0;
    std::uint64_t divisor = 1;
    std::size_t digits = 0;
    bool fraction = false;
    for (; at < text.size(); ++at) {
        if (text[at] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (text[at] == '_' || text[at] == '\'') continue;
        if (text[at] < '0' || text[at] > '9') break;
        if (++digits > 18) return refuse("has too many digits");
        value = value * 10 + static_cast<std::uint64_t>(text[at] - '0');
        if (fraction) divisor *= 10;
    }
    if (digits == 0) return refuse("is not a number");
    while (at < text.size() && text[at] == ' ') ++at;
    std::string suffix;
    for (; at < text.size(); ++at)
        suffix += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));

    struct scale {
        std::string_view suffix;
        std::uint64_t factor;
    };
    using scales = std::vector<scale>;
    constexpr std::uint64_t k = 1000;
    constexpr std::uint64_t ki = 1024;
    auto const legal = unit == "bytes" ? scales{{"", 1},
                                                {"b", 1},
                                                {"bytes", 1},
                                                {"k", ki},
                                                {"kb", ki},
                                                {"kib", ki},
                                                {"m", ki * ki},
                                                {"mb", ki * ki},
                                                {"mib", ki * ki},
                                                {"g", ki * ki * ki},
                                                {"gb", ki * ki * ki},
                                                {"gib", ki * ki * ki}}
                       : unit == "kHz" ? scales{{"khz", 1}, {"mhz", k}, {"ghz", k * k}}
                       : unit == "cycles"
                           ? scales{{"", 1}, {"cycles", 1}, {"cycle", 1}, {"k", k}, {"m", k * k}}
                           : scales{{"", 1}, {"k", k}, {"m", k * k}};
    auto const found =
        std::find_if(legal.begin(), legal.end(), [&](scale const& s) { return s.suffix == suffix; });
    if (found == legal.end()) {
        auto const expected = unit == "bytes"    ? "expected bytes: a number, or one with KiB, MiB or GiB"
                              : unit == "kHz"    ? "expected a frequency with kHz, MHz or GHz"
                              : unit == "cycles" ? "expected cycles: a number without a unit"
                                                 : "expected a number without a unit";
        return refuse(std::string("does not suit; ") + expected);
    }
    if (found->factor != 1 && value > ~std::uint64_t{0} / found->factor) return refuse("is too large");
    value *= found->factor;
    if (value % divisor != 0) return refuse("is not whole");
    return value / divisor;
}

/// A number as people write it: bytes in KiB or MiB where that is whole, frequencies in MHz, with the unit.
inline std::string format_number(std::uint64_t value, std::string_view unit) {
    if (unit == "bytes") {
        if (value >= 1048576 && value % 1048576 == 0) return std::to_string(value / 1048576) + " MiB";
        if (value >= 1024 && value % 1024 == 0) return std::to_string(value / 1024) + " KiB";
        return std::to_string(value) + " B";
    }
    if (unit == "kHz")
        return value % 1000 == 0 ? std::to_string(value / 1000) + " MHz" : std::to_string(value) + " kHz";
    if (unit == "cycles" && value == 1) return "1 cycle";
    return unit.empty() ? std::to_string(value) : std::to_string(value) + ' ' + std::string(unit);
}

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
/// and the texts `address_mapping`, `memory_nodes`, `l1d_variant`, `l2_variant`, `dram_checker`, `row_sharing` and `name`. Throws
/// `error` as described at the top.
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
