// The catalogue page has every seat and every policy that has a name.

#include "catch.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> policy_folders = {"warp", "fetch", "cta", "cache",
                                                            "lsu",  "noc",   "dram"};
/// What has a name and decides nothing itself: it is whichever of several policies was chosen.
constexpr std::array<std::string_view, 13> no_policies = {"one_of",
                                                          "any",
                                                          "one_warp_scheduler",
                                                          "one_fetch_order",
                                                          "one_cta_choice",
                                                          "one_kernel_dispatch",
                                                          "one_cluster_placement",
                                                          "one_instruction_prefetch",
                                                          "one_occupancy_limit",
                                                          "one_replay_queue",
                                                          "one_request_scheduler",
                                                          "one_coalescer",
                                                          "one_data_prefetch"};

/// The names that types of a header give themselves: `name() noexcept { return "lru"; }`, and seats: `name = "lru"`.
std::vector<std::string> names_in(std::string const& header) {
    static std::regex const named(
        R"re(\bname(?: = |\(\) (?:const )?noexcept(?: requires\([^)]*\))? \{\s*return )"([a-z0-9_]+)";)re");
    std::vector<std::string> out;
    for (std::sregex_iterator i(header.begin(), header.end(), named), end; i != end; ++i)
        out.push_back((*i)[1].str());
    return out;
}

/// Whether the page has a name in backticks, alone, as a list's element, with a namespace or with parameters.
bool has_name(std::string const& text, std::string const& name) {
    return std::regex_search(text, std::regex("`(?:[a-z_]+::)*" + name + "(?:_network|_coalescing)?[`<]"));
}

} // namespace

TEST_CASE("the catalogue has a section for every seat") {
    auto const page = source_text("docs/reference/catalogue.md");
    std::string headings;
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("## ")) headings += line + '\n';
    auto const seats = names_in(source_text("include/warpkit/machine/seats.hpp"));
    CHECK(seats.size() >= 19);
    for (auto const& seat : seats) {
        INFO(seat);
        CHECK(headings.find('`' + seat + '`') != std::string::npos);
        CHECK(page.find("(../../examples/seats/" + seat + ".hpp)") != std::string::npos);
    }
}

TEST_CASE("a template to start from has at most thirty lines of code") {
    for (auto const& file : fs::directory_iterator(fs::path(WARPKIT_SOURCE_DIR) / "examples/seats")) {
        std::istringstream text(source_text(fs::relative(file.path(), WARPKIT_SOURCE_DIR)));
        unsigned code = 0;
        for (std::string line; std::getline(text, line);) {
            auto const first = line.find_first_not_of(' ');
            if (first != line.npos && line.compare(first, 2, "//") != 0) ++code;
        }
        INFO(file.path());
        CHECK(code <= 30);
    }
}

TEST_CASE("every section of the catalogue names a contract and laws that there are") {
    auto const page = source_text("docs/reference/catalogue.md");
    std::string laws;
    for (auto const& file : fs::directory_iterator(fs::path(WARPKIT_SOURCE_DIR) / "include/warpkit/testing"))
        laws += source_text(fs::relative(file.path(), WARPKIT_SOURCE_DIR));
    std::string_view rest = page;
    for (rest.remove_prefix(page.find("\n## ") + 1); !rest.empty();) {
        auto const end = std::min(rest.find("\n## ", 1), rest.size());
        std::string const section(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        INFO(section.substr(0, section.find('\n')));
        std::smatch found;
        REQUIRE(std::regex_search(section, found, std::regex("Contract: `([a-z/_]+\\.hpp)`")));
        CHECK(fs::exists(fs::path(WARPKIT_SOURCE_DIR) / "include/warpkit" / found[1].str()));
        static std::regex const law("`(require_[a-z_]+)");
        unsigned named = 0;
        for (std::sregex_iterator i(section.begin(), section.end(), law), last; i != last; ++i, ++named) {
            INFO((*i)[1].str());
            CHECK(laws.find("void " + (*i)[1].str() + '(') != std::string::npos);
        }
        CHECK(named != 0);
    }
}

TEST_CASE("the catalogue has every policy that has a name") {
    auto const page = source_text("docs/reference/catalogue.md");
    unsigned policies = 0;
    for (auto const folder : policy_folders)
        for (auto const& file :
             fs::directory_iterator(fs::path(WARPKIT_SOURCE_DIR) / "include/warpkit" / folder))
            for (auto const& name : names_in(source_text(fs::relative(file.path(), WARPKIT_SOURCE_DIR)))) {
                if (std::find(no_policies.begin(), no_policies.end(), name) != no_policies.end()) continue;
                ++policies;
                INFO(file.path().filename().string() << ": " << name);
                CHECK(has_name(page, name));
            }
    CHECK(policies >= 70);
}

TEST_CASE("the catalogue has every scheduler that the table of storage has") {
    auto const page = source_text("docs/reference/catalogue.md");
    std::istringstream lines(source_text("docs/reference/hardware_cost.md"));
    static std::regex const row(R"(\| ([a-z0-9_]+) \| [\d,]+ \|.*)");
    unsigned schedulers = 0;
    std::smatch found;
    for (std::string line; std::getline(lines, line);)
        if (std::regex_match(line, found, row)) {
            ++schedulers;
            INFO(line);
            CHECK(has_name(page, found[1].str()));
        }
    CHECK(schedulers >= 20);
}

TEST_CASE("what the catalogue lacks is found") {
    CHECK(names_in("static constexpr char const* name() noexcept { return \"lru\"; }") ==
          std::vector<std::string>{"lru"});
    CHECK(names_in("static constexpr char const* name() noexcept { return \"lrr\"; }").size() == 1);
    CHECK(
        names_in("static constexpr char const* name() noexcept requires(N == 1) { return \"n\"; }").size() ==
        1);
    CHECK(has_name("`oldest`, `gto<x>` and `dram::fcfs`", "fcfs"));
    CHECK_FALSE(has_name("`oldest_n` and lru", "oldest"));
    CHECK_FALSE(has_name("`oldest_n` and lru", "lru"));
}
