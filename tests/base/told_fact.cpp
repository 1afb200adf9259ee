#include <warpkit/base/events.hpp>
#include <warpkit/base/told_fact.hpp>
#include <warpkit/cta/events.hpp>

#include "catch.hpp"

#include <string>
#include <type_traits>

using namespace warpkit;

namespace {

using lines = told_fact<unsigned, "cache::lines">;
static_assert(lines(7) == 7 && lines(0) == 0 && lines(0).known() && !lines().known());
static_assert(std::is_trivially_copyable_v<kernel_began> && std::is_trivially_copyable_v<grid_began>);

std::string message(lines const& fact) {
    try {
        return std::to_string(unsigned{fact});
    } catch (untold_fact const& e) {
        return e.what();
    }
}

} // namespace

TEST_CASE("a fact that was told is a number, and one that was not names itself") {
    CHECK(message(3) == "3");
    CHECK_THAT(message({}), Catch::Contains("asks for cache::lines, which its host has not told"));
    lines fact;
    fact = 5;
    auto const copy = fact;
    CHECK(message(copy) == "5");
}

TEST_CASE("a pointer may be told to be none") {
    kernel_began e;
    CHECK_FALSE(e.code.known());
    e.code = nullptr;
    CHECK(e.code.known());
    CHECK(e.code.get() == nullptr);
}

TEST_CASE("of a kernel and a grid nothing is made up") {
    kernel_began const k;
    CHECK_FALSE((k.core.known() || k.cores.known() || k.warp_slots.known() || k.ctas_per_core.known() ||
                 k.warps_per_cta.known() || k.instruction_bytes.known() || k.l1_lines.known() ||
                 k.code.known() || k.instructions.known() || k.schedulers.known()));
    grid_began const g;
    CHECK_FALSE((g.grid_x.known() || g.cores.known() || g.ctas_per_core.known() || g.line.known()));
    CHECK_THROWS_AS(g.ctas(), untold_fact);
}
