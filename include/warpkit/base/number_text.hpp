#pragma once
/// \file
/// Numbers and names as people write them: what they mean, and what was probably meant.

#include <warpkit/base/error.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit {

/// How many single-letter edits make one of the other: a letter more, less or another one, or two neighbours that
/// change places, each letter being edited once.
inline std::size_t edits_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before;             // the row of the letter before the last
    std::vector<std::size_t> last(b.size() + 1); // of the last
    std::vector<std::size_t> row(b.size() + 1);  // of this one
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = last;
        last = row;
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}

/// The name in `names` that takes the fewest single-letter edits to `name`, whose capitals do not matter; empty when
/// none is near (more than half of its letters differ).
inline std::string nearest_name(std::string_view name, std::vector<std::string> const& names) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 2) + 1;
    auto const lower = [](std::string_view text) {
        std::string small(text);
        for (auto& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return small;
    };
    auto const wanted = lower(name);
    for (auto const& candidate : names)
        if (auto const distance = edits_between(wanted, lower(candidate)); distance < best_distance) {
            best_distance = distance;
            best = candidate;
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
        raise_error(error(what + ": '" + std::string(text) + "' " + why));
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

} // namespace warpkit
