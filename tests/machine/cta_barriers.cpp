/// The barriers of a CTA (docs/model/core.md#barriers; PTX ISA, "bar").

#include <warpkit/machine/cta_barriers.hpp>

#include "catch.hpp"

#include <vector>

using namespace warpkit;

namespace {

/// Four warps, and who was let go.
struct four_warps {
    cta_barriers barriers;
    unsigned live = 4;
    std::vector<warp_set> released;
    void arrive(unsigned warp, unsigned barrier = 0, unsigned warps = 0, bool waits = true) {
        barriers.arrive(warp_slot{warp}, barrier, warps, waits);
        barriers.try_open(barrier, live, [this](warp_set free) { released.push_back(free); });
    }
    void exit() {
        barriers.exited(--live, [this](warp_set free) { released.push_back(free); });
    }
};

} // namespace

TEST_CASE("a barrier opens when all warps have arrived that have not exited", "[machine]") {
    four_warps f;
    for (unsigned round = 0; round < 2; ++round) {
        f.released.clear();
        f.arrive(0);
        f.arrive(2);
        f.arrive(1);
        CHECK(f.released.empty());
        f.arrive(3);
        REQUIRE(f.released.size() == 1);
        CHECK(f.released[0] == warp_set::first_n(4));
    }
    f.released.clear();
    f.arrive(0);
    f.arrive(1);
    f.exit();
    CHECK(f.released.empty());
    f.exit(); // the last one for whom the others wait
    REQUIRE(f.released.size() == 1);
    CHECK(f.released[0] == warp_set::first_n(2));
}

TEST_CASE("a barrier with a count opens for so many arrivals, waiting or not", "[machine]") {
    four_warps f;
    f.arrive(0, 3, 2, false);
    CHECK(f.released.empty());
    f.exit(); // changes nothing: nobody waits, and one more must arrive
    CHECK(f.released.empty());
    f.arrive(1, 3, 2);
    REQUIRE(f.released.size() == 1);
    CHECK(f.released[0] == (warp_set::first_n(2) - warp_set::first_n(1)));
    f.arrive(2, 3, 2); // the count begins anew
    CHECK(f.released.size() == 1);
}

TEST_CASE("barriers do not know of each other", "[machine]") {
    four_warps f;
    f.arrive(0, 0);
    f.arrive(1, 0);
    f.arrive(2, 15);
    f.arrive(3, 15);
    CHECK(f.released.empty());
    f.exit();
    f.exit();
    REQUIRE(f.released.size() == 2); // the lower number first
    CHECK(f.released[0] == warp_set::first_n(2));
    CHECK(f.released[1] == (warp_set::first_n(4) - warp_set::first_n(2)));
}
