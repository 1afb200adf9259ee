// Replacement by age, type and hits: what goes first, and how far back a use may lie.
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/rlr.hpp>

#include "catch.hpp"

#include <cstdint>

using namespace warpkit;

static_assert(replacement_policy<rlr> && hears_users<rlr> && hears_removals<rlr>);

namespace {
line_use const demand{0, 0, warp_slot{0}};
line_use const ahead{0, no_pc, {}, true};

/// Four lines, brought in by demand.
rlr four_lines() {
    rlr r(1, 4);
    for (std::uint32_t way = 0; way < 4; ++way) r.inserted(0, way, demand);
    return r;
}
} // namespace

TEST_CASE("rlr: of lines alike the youngest, of these the lowest way; what has been used stays") {
    auto r = four_lines();
    CHECK(r.victim(0, 0b1111) == 0);
    r.used(0, 0, demand);
    CHECK(r.victim(0, 0b1111) == 1);
    for (std::uint32_t way = 1; way < 4; ++way) r.used(0, way, demand);
    CHECK(r.victim(0, 0b1111) == 0);
    CHECK(r.victim(0, 0b1100) == 2);
}

TEST_CASE("rlr: what was read ahead goes before what was asked for, until it is") {
    auto r = four_lines();
    r.inserted(0, 2, ahead);
    CHECK(r.victim(0, 0b1111) == 2);
    r.used(0, 2, ahead); // one more, but still ahead
    CHECK(r.victim(0, 0b0101) == 0);
    r.used(0, 2, demand);
    CHECK(r.victim(0, 0b1111) == 0);
}

TEST_CASE("rlr: what is older than twice the mean age of uses goes first, though it has been used") {
    auto r = four_lines();
    r.used(0, 3, demand);
    CHECK(r.reuse_distance() == 0);
    for (unsigned i = 0; i < 4; ++i) r.inserted(0, 0, demand); // eight misses: all are a step older
    CHECK(r.victim(0, 0b1111) == 1);                           // 1 and 2 are old and unused, 3 is old and used
    CHECK(r.victim(0, 0b1001) == 3);
    CHECK(r.victim(0, 0b0001) == 0);
    // 32 uses: the first found age 0, the second 2, all others 1.
    for (unsigned i = 0; i < 31; ++i) {
        for (unsigned n = 0; n < 8; ++n) r.inserted(0, 0, demand);
        r.used(0, 3, demand);
    }
    CHECK(r.reuse_distance() == 2);
    r.removed(0, 3);
    CHECK(r.victim(0, 0b1001) == 3); // nobody asked for what is not there
}

TEST_CASE("rlr: four bits a line") {
    core_shape shape;
    shape.l1_lines = 256;
    CHECK(rlr::hardware_cost(shape).begin()->bits == 1024);
}
