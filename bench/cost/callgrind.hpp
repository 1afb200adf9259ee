#pragma once
// What callgrind wrote, read as far as instruction counts by function, file and object go, and sums of other events.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cost {

/// Instructions of the function itself, without those that it called.
struct profile {
    std::map<std::string, std::uint64_t> by_function;
    std::map<std::string, std::uint64_t> by_file; ///< inlined code belongs to the file that it was written in
    std::map<std::string, std::uint64_t> by_object;
    std::map<std::string, std::uint64_t> by_event; ///< of all together, by callgrind's name ("D1mr")

    std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (auto const& [object, n] : by_object) sum += n;
        return sum;
    }
    /// Those of the program whose file is named so: what the C library picks for the processor at hand is not in it.
    std::uint64_t own(std::string_view program) const {
        std::uint64_t sum = 0;
        for (auto const& [object, n] : by_object)
            if (object == program || object.ends_with('/' + std::string(program))) sum += n;
        return sum;
    }
    std::uint64_t of_event(std::string const& name) const {
        auto const found = by_event.find(name);
        return found == by_event.end() ? 0 : found->second;
    }
    profile& operator+=(profile const& o) {
        for (auto const& [name, n] : o.by_function) by_function[name] += n;
        for (auto const& [name, n] : o.by_file) by_file[name] += n;
        for (auto const& [name, n] : o.by_object) by_object[name] += n;
        for (auto const& [name, n] : o.by_event) by_event[name] += n;
        return *this;
    }
};

/// Reads one dump, of which instructions are the first event.
inline profile read_callgrind(std::istream& in) {
    profile p;
    std::map<std::string, std::string>
        names[3]; // of objects, files, functions: "(7)" stands for one named before
    auto const name = [&](unsigned kind, std::string const& text) -> std::string const& {
        auto const end = text.find(')');
        if (text.empty() || text[0] != '(' || end == std::string::npos) return names[kind][text] = text;
        auto& known = names[kind][text.substr(0, end + 1)];
        if (end + 2 < text.size()) known = text.substr(end + 2);
        return known;
    };
    std::vector<std::string> events;
    std::string object;
    std::string file;
    std::string function;
    bool called = false; // the line to come is what a call cost
    for (std::string line; std::getline(in, line);) {
        auto const equals = line.find('=');
        if (!line.empty() && std::string_view("0123456789+-*").find(line[0]) != std::string_view::npos) {
            auto const space = line.find(' ');
            if (!called && space != std::string::npos) {
                auto const n = std::stoull(line.substr(space + 1));
                p.by_function[function] += n;
                p.by_file[file] += n;
                p.by_object[object] += n;
            }
            called = false;
        } else if (line.starts_with("events: ")) {
            std::istringstream words(line.substr(8));
            for (std::string event; words >> event;) events.push_back(event);
        } else if (line.starts_with("totals: ")) {
            std::istringstream words(line.substr(8));
            std::uint64_t n = 0;
            for (auto const& event : events)
                if (words >> n) p.by_event[event] = n;
        } else if (equals != std::string::npos) {
            auto const key = line.substr(0, equals);
            auto const value = line.substr(equals + 1);
            if (key == "ob")
                object = name(0, value);
            else if (key == "fl" || key == "fi" || key == "fe")
                file = name(1, value);
            else if (key == "fn")
                function = name(2, value);
            else if (key == "cob")
                name(0, value);
            else if (key == "cfi" || key == "cfl")
                name(1, value);
            else if (key == "cfn")
                name(2, value);
            else if (key == "calls")
                called = true;
        }
    }
    return p;
}

/// A function's name as people say it: without template arguments, parameters and our namespace.
inline std::string short_name(std::string const& function) {
    std::string out;
    unsigned depth = 0;
    for (std::size_t i = 0; i < function.size(); ++i) {
        auto const c = function[i];
        bool const is_operator = depth == 0 && out.ends_with("operator");
        if (is_operator && std::string_view("<>=-+*/!&|^%~[(").find(c) != std::string_view::npos) {
            out += c;
            while (i + 1 < function.size() &&
                   (c == '(' ? function[i + 1] == ')'
                             : std::string_view("<>=-+*&|]").find(function[i + 1]) != std::string_view::npos))
                out += function[++i];
            continue;
        }
        if (depth == 0 && c == '(') {
            if (function.compare(i, 21, "(anonymous namespace)") != 0) break; // its parameters
            i += 20;
        } else if (c == '<' || c == '(') {
            ++depth;
        } else if (c == '>' || c == ')') {
            if (depth > 0) --depth;
        } else if (depth == 0 && c == ' ') {
            if (is_operator)
                out += c; // new, or a type
            else
                out.clear(); // what it returns
        } else if (depth == 0) {
            out += c;
        }
        if (depth == 0 && out == "warpkit::") out.clear();
    }
    while (out.starts_with("::")) out.erase(0, 2);
    return out;
}

/// The largest first, at most `most`.
inline std::vector<std::pair<std::string, std::uint64_t>>
largest(std::map<std::string, std::uint64_t> const& of, std::size_t most) {
    std::vector<std::pair<std::string, std::uint64_t>> all(of.begin(), of.end());
    std::stable_sort(all.begin(), all.end(),
                     [](auto const& a, auto const& b) { return a.second > b.second; });
    if (all.size() > most) all.resize(most);
    return all;
}

} // namespace cost
