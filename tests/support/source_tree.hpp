#pragma once

/// Files of the source tree as tests read them, and the rule that a page shows only code that is compiled.

#include "catch.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

/// The text of a file, its path relative to the top of the tree; fails the test when it cannot be read.
inline std::string source_text(std::filesystem::path const& path) {
    auto const whole = std::filesystem::path(WARPKIT_SOURCE_DIR) / path;
    INFO(whole);
    std::ifstream file(whole);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Checks that every C++ snippet of the page stands in one of `sources`, but for white space; returns how many there are.
inline unsigned check_snippets(std::filesystem::path const& page,
                               std::initializer_list<std::filesystem::path> sources) {
    auto const dense = [](std::string const& text) {
        std::string out;
        for (char const c : text)
            if (std::isspace(static_cast<unsigned char>(c)) == 0) out += c;
        return out;
    };
    auto const text = source_text(page);
    std::string compiled;
    for (auto const& source : sources) compiled += dense(source_text(source)) + '\n';
    std::string const opening = "```cpp", closing = "```";
    unsigned snippets = 0;
    for (auto at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
        auto const begin = at + opening.size();
        auto const end = text.find(closing, begin);
        REQUIRE(end != std::string::npos);
        auto const snippet = text.substr(begin, end - begin);
        INFO(page << ": " << snippet);
        CHECK(compiled.find(dense(snippet)) != std::string::npos);
        ++snippets;
        at = end + closing.size();
    }
    return snippets;
}
inline unsigned check_snippets(std::filesystem::path const& page, std::filesystem::path const& source) {
    return check_snippets(page, {source});
}
