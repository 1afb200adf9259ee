// Priority-based cache allocation: whose lines are kept, and under which allocation.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/pcal.hpp>
#include <warpkit/cache/plain_cache.hpp>

#include "catch.hpp"

#include <cstdint>

using namespace warpkit;

static_assert(replacement_policy<pcal> && declines_lines<pcal> && hears_launches<pcal> && hears_exits<pcal> &&
              hears_grants<pcal> && !declines_lines<lru>);

namespace {

template <class Replacement>
using cache_on_fill = cache<linear_index, Replacement, on_fill, read_only>;

cache_parameters one_set(std::uint32_t ways) {
    cache_parameters p;
    p.geometry = {1, ways, 128, 128};
    p.mshr_entries = 8;
    p.mshr_merges = 8;
    p.miss_queue = 8;
    return p;
}
cache_access load_of(std::uint64_t line, unsigned warp) {
    return {.address = line * 128, .owner = warp_slot{warp}, .token = warp};
}
/// Loads a line on behalf of a warp, and brings it; whether it was there.
template <class C>
bool load(C& c, std::uint64_t line, unsigned warp) {
    auto const r = c.access(load_of(line, warp));
    if (r.answer == cache_answer::now) return true;
    while (c.has_request()) c.pop_request();
    c.fill(line * 128, [](std::uint32_t) {});
    return false;
}
warp_set two_from(unsigned w) { return warp_set::range(w, w + 2); }

} // namespace

TEST_CASE("pcal: the oldest warps hold the tokens, and a slot's new warp is the youngest") {
    pcal_of<3> p(1, 4);
    p.launched(two_from(0));
    CHECK(p.holders() == two_from(0));
    p.launched(two_from(4));
    p.launched(two_from(2));
    CHECK(p.holders() == (two_from(0) | warp_set::range(4, 5)));
    p.launched(two_from(0)); // new warps there
    CHECK(p.holders() == (two_from(4) | warp_set::range(2, 3)));
    p.emptied();
    CHECK(p.holders() == warp_set{});
}

TEST_CASE(
    "pcal: the token of a warp that has ended goes to the next in age, long before its slot has a new one") {
    pcal_of<2> p(1, 4);
    p.launched(warp_set::range(0, 5));
    p.exited(warp_set::range(1, 2));
    CHECK(p.holders() == (warp_set::range(0, 1) | warp_set::range(2, 3)));
    p.exited(warp_set::range(4, 5)); // which had none
    CHECK(p.holders() == (warp_set::range(0, 1) | warp_set::range(2, 3)));
    p.exited(warp_set::range(0, 1) | warp_set::range(2, 3));
    CHECK(p.holders() == warp_set::range(3, 4));
    p.launched(warp_set::range(1, 2));
    CHECK(p.holders() == (warp_set::range(1, 2) | warp_set::range(3, 4)));
}

TEST_CASE("pcal: somebody else may say how many tokens there are, until all lines go") {
    pcal_of<2> p(1, 4);
    p.launched(warp_set::range(0, 5));
    p.granted(4);
    CHECK(p.holders() == warp_set::range(0, 4));
    p.granted(1);
    CHECK(p.holders() == warp_set::range(0, 1));
    p.granted(0);
    CHECK(p.holders() == warp_set::range(0, 2));
    p.granted(1000000);
    CHECK(p.holders() == warp_set::range(0, 5));
    p.emptied();
    p.launched(warp_set::range(0, 5));
    CHECK(p.holders() == warp_set::range(0, 2));
}

TEST_CASE("pcal: who has no token uses what is there, displaces nothing, and gets its data all the same") {
    cache_on_fill<pcal_of<1>> c(one_set(2));
    c.disown(two_from(0)); // warp 0 holds the token
    CHECK_FALSE(load(c, 1, 0));
    CHECK_FALSE(load(c, 2, 0));
    for (std::uint64_t line = 10; line < 20; ++line) CHECK_FALSE(load(c, line, 1));
    CHECK_FALSE(load(c, 19, 1)); // not kept
    CHECK(load(c, 1, 1));        // a hit is anybody's
    CHECK(load(c, 2, 0));
    CHECK(c.counters().evictions == 0);
    // Two wait for one fetch; who asked first decides.
    for (unsigned const first : {1U, 0U}) {
        auto const line = 30 + first;
        c.access(load_of(line, first));
        CHECK(c.access(load_of(line, 1 - first)).outcome == cache_outcome::hit_reserved);
        while (c.has_request()) c.pop_request();
        unsigned served = 0;
        c.fill(line * 128, [&](std::uint32_t) { ++served; });
        CHECK(served == 2);
        CHECK(c.contains(line * 128) == (first == 0));
    }
    c.invalidate_all();
    CHECK_FALSE(load(c, 1, 0));
    CHECK_FALSE(load(c, 1, 0)); // the next kernel's warps have not come yet
}

TEST_CASE("pcal: goes with allocation on a fill alone, and is set by name") {
    CHECK_THROWS_WITH((cache<linear_index, pcal, on_miss, read_only>(one_set(2))),
                      Catch::EndsWith("under which a line has its place before it comes; choose on_fill"));
    CHECK(parameters_of<pcal_of<>>()[0].standard == "8");
    CHECK_THROWS_WITH(policy_with<pcal_of<>>("pcal:tokens=0"), Catch::Contains("give 1 to"));
    core_shape shape;
    shape.warp_slots = 48;
    CHECK(pcal::hardware_cost(shape).total_bits() == 48);
}
