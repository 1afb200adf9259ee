// Citations and links: every page and anchor that a comment, a test or a page names is there, and sources that the
// repository does not have are not cited.

#include "catch.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// What is looked through, from the top of the tree.
constexpr std::array<std::string_view, 7> looked_at = {"include", "docs", "tests",    "examples",
                                                       "bench",   ".ci",  "README.md"};
/// Not to be cited with a number behind: nobody who has the repository has them.
constexpr std::array<std::string_view, 3> not_here = {"SPEC", "DESIGN", "issue"};
/// Pages whose paragraphs keep to 120 columns.
constexpr std::array<std::string_view, 2> narrow_pages = {"docs", "README.md"};
/// But for what a command writes.
constexpr std::array<std::string_view, 2> written_pages = {"docs/reference/hardware_cost.md",
                                                           "docs/reference/kernels.md"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool in_path(char c) { return is_word(c) || c == '/' || c == '_' || c == '-' || c == '.'; }
bool in_anchor(char c) { return is_word(c) || c == '-' || c == '_'; }

/// The line of a place in a text.
std::size_t line_of(std::string_view text, std::size_t at) {
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}
std::string at_line(std::string_view path, std::string_view text, std::size_t at) {
    return std::string(path) + ':' + std::to_string(line_of(text, at)) + ": ";
}

/// Markdown with fenced code, and what stands in backticks, blanked out.
std::string without_code(std::string_view text) {
    std::string out(text);
    bool fenced = false;
    for (std::size_t begin = 0; begin < out.size();) {
        auto const end = std::min(out.find('\n', begin), out.size());
        auto const line = std::string_view(out).substr(begin, end - begin);
        bool const fence = line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("```");
        if (fenced || fence)
            std::fill(out.begin() + static_cast<std::ptrdiff_t>(begin),
                      out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
        if (fence) fenced = !fenced;
        begin = end + 1;
    }
    for (auto from = out.find('`'); from != std::string::npos;) {
        auto const to = out.find('`', from + 1);
        if (to == std::string::npos) break;
        for (auto i = from; i <= to; ++i)
            if (out[i] != '\n') out[i] = ' ';
        from = out.find('`', to + 1);
    }
    return out;
}

/// The anchor that a heading has by itself, as forges make it.
std::string slug(std::string_view heading) {
    std::string out;
    for (char const c : heading) {
        if (is_word(c) || c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80)
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (c == ' ')
            out += '-';
    }
    return out;
}

/// The anchors of a page: those that it names, and those of its headings.
struct page_anchors {
    std::vector<std::string> named;
    std::set<std::string, std::less<>> all;
};
page_anchors anchors_of(std::string_view text) {
    page_anchors a;
    auto const prose = without_code(text);
    std::string_view const mark = "<a id=\"";
    for (auto at = prose.find(mark); at != std::string::npos; at = prose.find(mark, at + 1)) {
        auto const begin = at + mark.size();
        a.named.push_back(prose.substr(begin, prose.find('"', begin) - begin));
        a.all.insert(a.named.back());
    }
    std::map<std::string, unsigned> seen;
    bool fenced = false;
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = std::min(text.find('\n', begin), text.size());
        auto const line = text.substr(begin, end - begin);
        begin = end + 1;
        if (line.starts_with("```")) fenced = !fenced;
        auto const level = line.find_first_not_of('#');
        if (fenced || level == 0 || level == std::string_view::npos || line[level] != ' ') continue;
        auto const s = slug(line.substr(level + 1));
        auto const n = seen[s]++;
        a.all.insert(n == 0 ? s : s + '-' + std::to_string(n));
    }
    return a;
}

/// The pages of the tree, read as they are asked for.
class pages {
public:
    explicit pages(fs::path root) : root_(std::move(root)) {}
    /// Whether there is a file at `path` with that anchor; empty stands for the file alone.
    bool has(std::string const& path, std::string_view anchor) {
        if (!fs::exists(root_ / path)) return false;
        if (anchor.empty()) return true;
        auto [known, fresh] = known_.try_emplace(path);
        if (fresh) known->second = anchors_of(source_text(path));
        return known->second.all.contains(anchor);
    }

private:
    fs::path root_;
    std::map<std::string, page_anchors> known_;
};

/// Citations of pages below docs/, with or without an anchor, that point nowhere.
std::vector<std::string> lost_citations(std::string_view path, std::string_view text, pages& known) {
    std::vector<std::string> out;
    std::string_view const begin = "docs/";
    for (auto at = text.find(begin); at != std::string_view::npos; at = text.find(begin, at + 1)) {
        if (at != 0 && in_path(text[at - 1])) continue;
        auto end = at;
        while (end < text.size() && in_path(text[end])) ++end;
        while (text[end - 1] == '.') --end; // of a sentence
        auto const page = text.substr(at, end - at);
        if (!page.ends_with(".md")) continue;
        auto anchor_end = end;
        if (end < text.size() && text[end] == '#')
            for (++anchor_end; anchor_end < text.size() && in_anchor(text[anchor_end]);) ++anchor_end;
        auto const anchor =
            anchor_end == end ? std::string_view() : text.substr(end + 1, anchor_end - end - 1);
        if ((anchor_end != end && anchor.empty()) || !known.has(std::string(page), anchor))
            out.push_back(at_line(path, text, at) + std::string(text.substr(at, anchor_end - at)));
    }
    return out;
}

/// Relative links of a page in Markdown that point nowhere.
std::vector<std::string> lost_links(std::string const& path, std::string_view page, pages& known) {
    std::vector<std::string> out;
    auto const text = without_code(page);
    for (auto at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
        auto const begin = at + 2;
        auto const end = text.find(')', begin);
        if (end == std::string::npos) break;
        auto const target = std::string_view(text).substr(begin, end - begin);
        if (target.find("://") != std::string_view::npos || target.starts_with("mailto:")) continue;
        auto const hash = target.find('#');
        auto const file = target.substr(0, hash);
        auto const anchor = hash == std::string_view::npos ? std::string_view() : target.substr(hash + 1);
        auto const to =
            file.empty() ? path : (fs::path(path).parent_path() / file).lexically_normal().string();
        if ((hash != std::string_view::npos && anchor.empty()) || !known.has(to, anchor))
            out.push_back(at_line(path, text, at) + std::string(target));
    }
    return out;
}

/// Citations of what is not here.
std::vector<std::string> foreign_citations(std::string_view path, std::string_view text) {
    std::vector<std::string> out;
    for (auto const word : not_here)
        for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
            auto end = at + word.size();
            if (at != 0 && is_word(text[at - 1])) continue;
            if (text.substr(end).starts_with(" section")) end += 8;
            if (end + 1 < text.size() && text[end] == ' ' && is_digit(text[end + 1]))
                out.push_back(at_line(path, text, at) + std::string(text.substr(at, end + 2 - at)));
        }
    return out;
}

/// All files that are looked at and hold text, by path from the top of the tree.
std::vector<std::string> const& files() {
    static auto const all = [] {
        std::vector<std::string> out;
        fs::path const root = WARPKIT_SOURCE_DIR;
        for (auto const where : looked_at) {
            if (fs::is_regular_file(root / where)) out.emplace_back(where);
            if (!fs::is_directory(root / where)) continue;
            for (auto const& f : fs::recursive_directory_iterator(root / where)) {
                auto const e = f.path().extension();
                if (f.is_regular_file() && (e == ".hpp" || e == ".cpp" || e == ".md" || e == ".txt" ||
                                            e == ".cmake" || e == ".py" || e.empty()))
                    out.push_back(fs::relative(f.path(), root).generic_string());
            }
        }
        std::sort(out.begin(), out.end());
        return out;
    }();
    return all;
}

/// Columns of a line of UTF-8.
std::size_t columns(std::string_view line) {
    return static_cast<std::size_t>(std::count_if(
        line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string joined_lines(std::vector<std::string> const& lines) {
    std::string out;
    for (auto const& l : lines) out += l + '\n';
    return out;
}

template <class Find>
std::string over_all(Find find) {
    std::vector<std::string> all;
    for (auto const& path : files()) {
        auto const found = find(path, source_text(path));
        all.insert(all.end(), found.begin(), found.end());
    }
    return joined_lines(all);
}

} // namespace

TEST_CASE("citations: each names a page, and an anchor that the page has") {
    pages known(WARPKIT_SOURCE_DIR);
    CHECK(over_all([&](std::string const& path, std::string const& text) {
              return lost_citations(path, text, known);
          }) == "");
}

TEST_CASE("links: those of the pages lead somewhere") {
    pages known(WARPKIT_SOURCE_DIR);
    CHECK(over_all([&](std::string const& path, std::string const& text) {
              return path.ends_with(".md") ? lost_links(path, text, known) : std::vector<std::string>();
          }) == "");
}

TEST_CASE("citations: nothing that the repository does not have") {
    CHECK(over_all([](std::string const& path, std::string const& text) {
              return foreign_citations(path, text);
          }) == "");
}

TEST_CASE("anchors of the model are lower case with dashes, each once in its page") {
    for (auto const& path : files()) {
        if (!path.starts_with("docs/") || !path.ends_with(".md")) continue;
        auto const named = anchors_of(source_text(path)).named;
        INFO(path);
        for (auto const& a : named) {
            INFO(a);
            CHECK(std::count(named.begin(), named.end(), a) == 1);
            CHECK(std::all_of(a.begin(), a.end(),
                              [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-'; }));
        }
    }
}

TEST_CASE("paragraphs of the pages keep to 120 columns") {
    for (auto const& path : files()) {
        if (std::none_of(narrow_pages.begin(), narrow_pages.end(),
                         [&](auto p) { return path.starts_with(p); }))
            continue;
        if (std::find(written_pages.begin(), written_pages.end(), path) != written_pages.end()) continue;
        auto const text = source_text(path);
        bool fenced = false;
        for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
            auto const end = std::min(text.find('\n', begin), text.size());
            auto const words = std::string_view(text).substr(begin, end - begin);
            INFO(path << ':' << line);
            auto const first = words.substr(std::min(words.find_first_not_of(' '), words.size()));
            if (first.starts_with("```")) fenced = !fenced;
            CHECK((fenced || first.starts_with("|") || first.starts_with("<!-- table:") || columns(words) <= 120));
            begin = end + 1;
        }
    }
}

TEST_CASE("golden checks: each test that the page names is in its file") {
    auto const page = source_text("docs/model/golden_checks.md");
    unsigned tests = 0;
    for (std::size_t begin = 0; begin < page.size();) {
        auto const end = std::min(page.find('\n', begin), page.size());
        auto const row = std::string_view(page).substr(begin, end - begin);
        begin = end + 1;
        auto const file = row.find("`tests/");
        if (file == std::string_view::npos) continue;
        auto const file_end = row.find('`', file + 1);
        std::string source = source_text(std::string(row.substr(file + 1, file_end - file - 1)));
        for (auto at = source.find("\"\n"); at != std::string::npos;
             at = source.find("\"\n", at)) { // one literal
            auto const next = source.find_first_not_of(" \n", at + 1);
            if (next == std::string::npos || source[next] != '"')
                ++at;
            else
                source.erase(at, next + 1 - at);
        }
        for (auto from = row.find('*', file_end); from != std::string_view::npos;) {
            auto const to = row.find('*', from + 1);
            REQUIRE(to != std::string_view::npos);
            auto const name = std::string(row.substr(from + 1, to - from - 1));
            INFO(row);
            CHECK_THAT(source, Catch::Contains(name));
            ++tests;
            from = row.find('*', to + 1);
        }
    }
    CHECK(tests > 20);
}

TEST_CASE("citations: what points nowhere is found") {
    pages known(WARPKIT_SOURCE_DIR);
    auto const lost = [&](std::string const& text) { return lost_citations("here", text, known).size(); };
    std::string const dir = "docs";
    CHECK(lost("see " + dir + "/model/time.md#clocks.") == 0);
    CHECK(lost("see " + dir + "/model/time.md.") == 0);
    CHECK(lost("see " + dir + "/model/time.md#cloks") == 1);
    CHECK(lost("see " + dir + "/model/time.md# clocks") == 1);
    CHECK(lost("see (" + dir + "/model/tyme.md#clocks)") == 1);
    CHECK(lost("see " + dir + "/reference/cache.md#trust, " + dir + "/reference/cache.md#mistrust") == 1);
    CHECK(lost("in " + dir + "/model") == 0);
}

TEST_CASE("links: what leads nowhere is found") {
    pages known(WARPKIT_SOURCE_DIR);
    auto const lost = [&](std::string const& text) {
        return lost_links("docs/model/time.md", text, known).size();
    };
    CHECK(lost("[a](core.md#cycle), [b](../explanation/gpu.md#a-cores-cycle), [c](#clocks), "
               "[d](https://example.org/x#y)") == 0);
    CHECK(lost("[a](core.md#bicycle)") == 1);
    CHECK(lost("[a](gpu.md)") == 1);
    CHECK(lost("[a](#cloks)") == 1);
    CHECK(lost("`[&](auto x)`\n```cpp\n[&](int) {}\n```\n[a](nowhere.md)") == 1);
}

TEST_CASE("citations: what is not here is found") {
    auto const found = [](std::string const& text) { return foreign_citations("here", text).size(); };
    for (auto const word : not_here) {
        std::string const w(word);
        CHECK(found("as " + w + " 1.2 says") == 1);
        CHECK(found("as " + w + " section 8 says") == 1);
        CHECK(found(w + "s 2 in 3 cycles, tis" + w + " 3, the " + w + " of 4") == 0);
    }
}
