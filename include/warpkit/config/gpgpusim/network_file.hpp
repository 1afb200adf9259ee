#pragma once
/// \file
/// The files in which intersim, GPGPU-Sim's version of BookSim, is configured: `name = value;` and `//` comments.

#include <warpkit/config/gpgpusim/option_file.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::gpgpusim {

/// A value of such a file, as it stands there.
struct network_value {
    std::string name;
    std::string value;
    place where;
};

/// Reads such a file. Throws `error` with file and line.
inline std::vector<network_value> read_network_file(std::string_view text, std::string const& file) {
    std::vector<network_value> all;
    std::size_t line = 1;
    std::size_t at = 0;
    auto const refuse = [&](std::size_t where, std::string const& why) {
        throw error(file + ':' + std::to_string(where) + ": " + why + "; write name = value;");
    };
    auto const skip = [&] { // blanks and comments
        for (; at < text.size(); ++at) {
            if (text.substr(at, 2) == "//") {
                at = text.find('\n', at);
                if (at == text.npos) at = text.size();
            } else if (text.substr(at, 2) == "/*") {
                auto const end = text.find("*/", at + 2);
                if (end == text.npos) refuse(line, "a comment that does not end");
                for (; at < end; ++at) line += text[at] == '\n' ? 1 : 0;
                ++at;
                continue;
            }
            if (at == text.size()) return;
            if (text[at] == '\n') ++line;
            if (std::string_view(" \t\r\n\f\v").find(text[at]) == std::string_view::npos) return;
        }
    };
    while (true) {
        skip();
        if (at == text.size()) return all;
        network_value v;
        v.where = {file, line};
        while (at < text.size() && std::string_view("=; \t\r\n").find(text[at]) == std::string_view::npos)
            v.name += text[at++];
        skip();
        if (v.name.empty() || v.name.find('\0') != v.name.npos || at == text.size() || text[at] != '=')
            refuse(v.where.line, '\'' + v.name.substr(0, 60) + "' has no value");
        ++at;
        skip();
        while (at < text.size() && text[at] != ';' && text[at] != '\n' && text.substr(at, 2) != "//")
            v.value += text[at++];
        while (!v.value.empty() &&
               (v.value.back() == ' ' || v.value.back() == '\t' || v.value.back() == '\r'))
            v.value.pop_back();
        if (v.value.empty() || at == text.size() || text[at] != ';')
            refuse(v.where.line, v.name + " does not end with a value and ';'");
        ++at;
        all.push_back(std::move(v));
    }
}

} // namespace warpkit::gpgpusim
