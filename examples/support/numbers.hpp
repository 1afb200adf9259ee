#pragma once
// What an example has counted: a table with meanings, one JSON object, or two lines of CSV.

#include <warpkit/base/error.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/text.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace examples {

struct number {
    std::string name, value, meaning;
};

// Some numbers, and all of a reflected struct of counters.
template <class Counters>
std::vector<number> numbers_of(Counters const& c, std::vector<number> all = {}) {
    for (auto const& f : warpkit::fields_of<Counters>())
        all.push_back({f.name, std::to_string(warpkit::read_field(c, f)), f.meaning});
    return all;
}

inline constexpr char const* formats = "table, json or csv";

inline void print(std::vector<number> const& numbers, std::string const& format) {
    if (format == "table") {
        warpkit::report::text_table t({{"number", warpkit::report::alignment::left},
                                       {"value"},
                                       {"meaning", warpkit::report::alignment::left}});
        for (auto const& n : numbers) t.add_row({n.name, n.value, n.meaning});
        t.print(std::cout);
        return;
    }
    bool const json = format == "json";
    if (!json && format != "csv") throw warpkit::error("no format '" + format + "'; there are " + formats);
    std::string first, second;
    for (auto const& n : numbers) {
        auto const comma = first.empty() ? "" : json ? ", " : ",";
        first += comma + (json ? '"' + n.name + "\": " + n.value : n.name);
        second += comma + n.value;
    }
    std::cout << (json ? '{' + first + '}' : first + '\n' + second) << '\n';
}

} // namespace examples
