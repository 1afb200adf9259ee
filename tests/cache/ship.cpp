// Signature-based hit prediction: what it keeps, and what it costs.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/ship.hpp>
#include <warpkit/cache/srrip.hpp>

#include "catch.hpp"

#include <cstdint>

using namespace warpkit;

static_assert(replacement_policy<ship> && hears_users<ship> && hears_removals<ship> && !hears_users<srrip>);

namespace {

cache_parameters one_set(std::uint32_t ways) {
    cache_parameters p;
    p.geometry = {1, ways, 128, 128};
    p.mshr_entries = 8;
    p.mshr_merges = 8;
    p.miss_queue = 8;
    return p;
}

/// Loads a line on behalf of an instruction, and brings it; whether it was there.
template <class C>
bool load(C& c, std::uint64_t line, std::uint32_t pc, std::uint32_t warp = 0) {
    auto const r = c.access({.address = line * 128, .owner = warp_slot{warp}, .pc = pc});
    if (r.answer == cache_answer::now) return true;
    while (c.has_request()) c.pop_request();
    c.fill(line * 128, [](std::uint32_t) {});
    return false;
}

/// Four lines that one instruction uses again and again, and between two rounds many that another one streams through:
/// hits.
template <class Replacement>
unsigned hits_beside_a_stream() {
    cache<linear_index, Replacement, on_miss, read_only> c(one_set(8));
    unsigned hits = 0;
    std::uint64_t next = 1000;
    for (unsigned round = 0; round < 100; ++round) {
        for (std::uint64_t line = 0; line < 4; ++line) hits += load(c, line, 8);
        for (unsigned i = 0; i < 24; ++i) hits += load(c, next++, 16);
    }
    return hits;
}

} // namespace

TEST_CASE(
    "ship: lines of an instruction that streams do not drive out those of one whose lines are used again") {
    CHECK(hits_beside_a_stream<srrip>() < 10);
    CHECK(hits_beside_a_stream<ship>() > 380);
}

TEST_CASE("ship: who was of no use is brought in as distant, and so goes first") {
    cache<linear_index, ship, on_miss, read_only> c(one_set(2));
    for (std::uint64_t line = 10; line < 14; ++line) load(c, line, 16); // two have left, unused
    load(c, 1, 8);
    load(c, 2, 16);
    load(c, 3, 8); // 2 was distant, 1 was not
    CHECK(load(c, 1, 8));
    CHECK_FALSE(load(c, 2, 16));
}

TEST_CASE("ship: one use of a line teaches that others may be used") {
    ship s(1, 2);
    line_use const by{0, 8, {}};
    auto const streams = [&] {
        s.inserted(0, 0, by);
        s.removed(0, 0);
    };
    streams(); // from 1 to 0
    s.inserted(0, 0, by);
    s.inserted(0, 1, {0, 16, {}});
    CHECK(s.victim(0, 0b11) == 0);
    s.used(0, 0, by); // 1 again
    s.used(0, 0, by); // and no more
    s.removed(0, 0);
    s.inserted(0, 0, by);
    CHECK(s.victim(0, 0b11) == 0); // as the other one: far
    streams();
    s.inserted(0, 0, by);
    s.used(0, 1, {});
    CHECK(s.victim(0, 0b11) == 0);
}

TEST_CASE("ship: what it costs, and its parameters") {
    core_shape shape;
    shape.l1_lines = 128;
    CHECK(ship::hardware_cost(shape).total_bits() == 128 * (2 + 14 + 1) + 3 * 16384);
    CHECK(parameters_of<ship_of<>>()[0].standard == "14");
    CHECK(parameters_of<ship_of<ship_signature::memory>>()[1].standard == "memory");
    CHECK_THROWS_WITH(policy_with<ship_of<>>("ship:bits=17"), Catch::EndsWith("give 1 to 16"));
}
