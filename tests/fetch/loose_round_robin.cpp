// docs/model/front_end.md#fetch-round-robin: round-robin from the warp that was fetched for last.
#include <warpkit/fetch/loose_round_robin.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/gto.hpp>

#include "catch.hpp"

#include <vector>

using namespace warpkit;

TEST_CASE("the next warp behind the one fetched for last, circularly") {
    fetch::loose_round_robin order;
    auto const all = warp_set::first_n(4);
    CHECK(order.pick(all) == warp_slot{0});
    notify(fetched{warp_slot{2}}, order);
    CHECK(order.pick(all) == warp_slot{3});
    CHECK(order.pick(warp_set::first_n(3)) == warp_slot{0});
    CHECK(order.pick(warp_set{warp_slot{2}}) == warp_slot{2});
    CHECK(order.pick({}) == no_warp);
}

TEST_CASE("issues do not move the fetch order, a new kernel starts it afresh") {
    fetch::loose_round_robin order;
    notify(fetched{warp_slot{2}}, order);
    notify(issued{warp_slot{0}}, order);
    CHECK(order.pick(warp_set::first_n(4)) == warp_slot{3});
    notify(kernel_began{}, order);
    CHECK(order.pick(warp_set::first_n(4)) == warp_slot{0});
}

TEST_CASE("a kernel begins at the slot that the machine says") {
    fetch::loose_round_robin order;
    kernel_began e;
    e.first_fetch = 1;
    notify(e, order);
    CHECK(order.pick(warp_set::first_n(4)) == warp_slot{1});
    CHECK(order.pick(warp_set{warp_slot{0}}) == warp_slot{0});
}

TEST_CASE("an issue priority is a fetch order, too") {
    static_assert(check_fetch_order<gto>() && check_fetch_order<fetch::loose_round_robin>());
}

TEST_CASE("200,000 fetches agree with a walk over a list") {
    testing::random_numbers random(3);
    fetch::loose_round_robin order;
    unsigned next = 0;
    for (unsigned n = 0; n < 200'000; ++n) {
        auto const candidates = warp_set::from_bits(random.next() & random.next() & random.next());
        auto expected = no_warp;
        for (unsigned i = 0; i < 64 && !expected; ++i)
            if (candidates.contains(warp_slot{(next + i) % 64})) expected = warp_slot{(next + i) % 64};
        REQUIRE(order.pick(candidates) == expected);
        if (expected && random.chance(80)) {
            notify(fetched{expected}, order);
            next = (expected.index() + 1) % 64;
        }
    }
}
