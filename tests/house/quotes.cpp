// Code in the pages that says where it is from stands there, word for word.

#include "catch.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string text_of(std::filesystem::path const& path) {
    std::ifstream in(path);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
}

/// A block of code that is announced by `<!-- from FILE -->` on the line before it.
struct quote {
    std::string file;
    std::string code;
};
std::vector<quote> quotes_in(std::string_view page) {
    std::vector<quote> found;
    constexpr std::string_view begin = "<!-- from ", end = " -->\n```";
    for (auto at = page.find(begin); at != page.npos; at = page.find(begin, at + 1)) {
        auto const name = at + begin.size();
        auto const code = page.find(end, name);
        if (code == page.npos || page.substr(name, code - name).find('\n') != page.npos) {
            found.push_back({"", std::string(page.substr(at, 60))}); // announces nothing
            continue;
        }
        auto const first = page.find('\n', code + end.size()) + 1; // behind the name of the language
        found.push_back({std::string(page.substr(name, code - name)),
                         std::string(page.substr(first, page.find("```\n", first) - first))});
    }
    return found;
}

/// What is wrong with the quotes of a page; the files are below `root`.
std::vector<std::string> misquoted(std::filesystem::path const& root, std::string_view page) {
    std::vector<std::string> wrong;
    for (auto const& q : quotes_in(page)) {
        if (q.file.empty())
            wrong.push_back("no block of code follows: " + q.code);
        else if (!std::filesystem::exists(root / q.file))
            wrong.push_back(q.file + " is not there");
        else if (text_of(root / q.file).find(q.code) == std::string::npos)
            wrong.push_back(q.file + " does not say:\n" + q.code);
    }
    return wrong;
}

} // namespace

TEST_CASE("the tutorial quotes the programs that it is about") {
    std::filesystem::path const root = WARPKIT_SOURCE_DIR;
    unsigned quotes = 0;
    for (auto const& page : std::filesystem::recursive_directory_iterator(root / "docs")) {
        if (page.path().extension() != ".md") continue;
        auto const text = text_of(page.path());
        quotes += static_cast<unsigned>(quotes_in(text).size());
        for (auto const& wrong : misquoted(root, text))
            FAIL_CHECK(page.path().filename().string() + ": " + wrong);
    }
    CHECK(quotes >= 8);
}

TEST_CASE("a wrong quote is found") {
    std::filesystem::path const root = WARPKIT_SOURCE_DIR;
    std::string const from = "<!-- from tests/house/quotes.cpp -->\n";
    CHECK(misquoted(root, from + "```cpp\nnamespace {\n```\n").empty());
    CHECK(misquoted(root, from + "```cpp\nnamespace else"
                                 "where {\n```\n")
              .size() == 1);
    CHECK(misquoted(root, from + "text\n").size() == 1);
    CHECK(
        misquoted(root, "<!-- from examples/tutorial/rtx3080.toml -->\n```toml\n[core]\ncount = 68").empty());
    CHECK(
        misquoted(root, "<!-- from examples/tutorial/rtx3080.toml -->\n```toml\n[core]\ncount = 69").size() ==
        1);
    CHECK(misquoted(root, "<!-- from nowhere.cpp -->\n```cpp\nint i;\n```\n").size() == 1);
}
