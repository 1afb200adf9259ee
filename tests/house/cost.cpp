// The gate on counted costs (.ci/cost): what it reads of callgrind, and when it fails.

#include "../../bench/cost/callgrind.hpp"
#include "../../bench/cost/counted.hpp"
#include "../../bench/cost/scaling.hpp"
#include "catch.hpp"

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

// As callgrind writes it: names once in full and then by number, positions relative to the line before, and behind
// calls= a line with what the call cost, which belongs to the one called.
constexpr char const* dump = R"(# callgrind format
events: Ir Dr D1mr

ob=(1) /build/timing
fl=(1) core.hpp
fn=(1) warpkit::core<int>::advance(unsigned long) const
12 100 30 2
+3 20 4
fi=(2) cache.hpp
5 7
fe=(1)
* 3
cob=(2) /lib/libc.so.6
cfi=(3) memcpy.S
cfn=(2) memcpy
calls=4 40
-2 1000
fn=(3) (anonymous namespace)::phase_timing(int)
1
ob=(2)
fl=(3)
fn=(2)
40 1000

totals: 1130 34 2
)";

cost::counts one(std::string const& compiler, std::uint64_t n) {
    return {{{compiler, "timing", "vecadd"}, n}};
}

} // namespace

TEST_CASE("cost: a dump of callgrind is read by function, file and object") {
    std::istringstream in(dump);
    auto const p = cost::read_callgrind(in);
    CHECK(p.total() == 1130);
    CHECK(p.own("timing") == 130);
    CHECK(p.own("ming") == 0);
    CHECK(p.by_function.at("warpkit::core<int>::advance(unsigned long) const") == 130);
    CHECK(p.by_function.at("memcpy") == 1000);
    CHECK(p.of_event("Ir") == 1130);
    CHECK(p.of_event("D1mr") == 2);
    CHECK(p.of_event("D1mw") == 0);
    CHECK(p.by_file.at("core.hpp") == 123);
    CHECK(p.by_file.at("cache.hpp") == 7);
    CHECK(cost::largest(p.by_function, 1).front().first == "memcpy");
}

TEST_CASE("cost: functions have short names") {
    CHECK(cost::short_name("warpkit::core<a, b<c> >::advance(x<y>, z) const [clone .cold]") ==
          "core::advance");
    CHECK(cost::short_name("void warpkit::ptx::load<4>(int)") == "ptx::load");
    CHECK(cost::short_name("(anonymous namespace)::phase_timing(int)") == "phase_timing");
    CHECK(cost::short_name("warpkit::f(int)::{lambda(int)#1}::operator()(int) const") == "f");
    CHECK(cost::short_name("bool warpkit::operator<(a<b> const&)") == "operator<");
    CHECK(cost::short_name("operator new(unsigned long)") == "operator new");
}

TEST_CASE("cost: 5 % more fail, 5 % less are worth a word, another compiler is only told of") {
    auto const committed = one("g++-12/x86_64", 1'000'000);
    CHECK(cost::compare(committed, committed).lines.empty());
    CHECK_FALSE(cost::compare(committed, one("g++-12/x86_64", 1'049'000)).fails);

    auto const more = cost::compare(committed, one("g++-12/x86_64", 1'060'000));
    CHECK(more.fails);
    REQUIRE(more.lines.size() == 1);
    CHECK(more.lines[0].starts_with(
        "timing of vecadd by g++-12/x86_64: 1,000,000 host instructions committed, 1,060,000 now (+6.0 %)"));
    CHECK(more.lines[0].find(".ci/cost --update") != std::string::npos);

    auto const less = cost::compare(committed, one("g++-12/x86_64", 900'000));
    CHECK_FALSE(less.fails);
    REQUIRE(less.lines.size() == 1);

    auto const other = cost::compare(committed, one("g++-99/x86_64", 9'000'000));
    CHECK_FALSE(other.fails);
    REQUIRE(other.lines.size() == 1);

    // Something new of a compiler that is known has to be committed.
    CHECK(cost::compare(committed, {{{"g++-12/x86_64", "timing", "new"}, 1}}).fails);
}

TEST_CASE("cost: what is written is read") {
    auto all = one("g++-12/x86_64", 1'234'567);
    all[{"clang++-14/x86_64", "function", "spmv"}] = 7;
    std::stringstream file("# a comment\n", std::ios::in | std::ios::out | std::ios::ate);
    cost::write_counts(file, all);
    CHECK(cost::read_counts(file) == all);
}

TEST_CASE("cost: what a command writes is read whole, or line by line as it comes") {
    CHECK(cost::run("printf 'a\\nb'").output == "a\nb");
    CHECK_THROWS_WITH(cost::run("exit 3"), "failed: exit 3");
    std::string lines;
    auto const take = [&](std::string_view line) { lines += '<' + std::string(line) + '>'; };
    cost::for_each_line("printf 'a\\n\\nb'; printf 'c\\nd'", take);
    CHECK(lines == "<a><><bc><d>");
    CHECK_THROWS_WITH(cost::for_each_line("echo a; exit 3", take), "failed: echo a; exit 3");
    // One that would never end is ended with the first line that is refused.
    CHECK_THROWS_WITH(cost::for_each_line("exec yes", [](auto) { throw std::runtime_error("refused"); }),
                      "refused");
}

TEST_CASE("cost: a run that is scaled keeps a gtx480's proportions") {
    CHECK(cost::in_proportion(15) == 6);
    CHECK(cost::in_proportion(1) == 1);
    CHECK(cost::in_proportion(132) == 53);
    CHECK(cost::scaled_run{"vecadd", 24, 2, cost::in_proportion(2)}.arguments() == "vecadd 24 2 1 1 1");
    auto const m = cost::read_lines("compiler g++-12/x86_64\nrun vecadd 2880 720 905 0.5 0.25\n");
    REQUIRE(m.phases.size() == 1);
    CHECK(m.phases[0].seconds == 0.5);
    CHECK(m.phases[0].wall == 0.25);
}
