// Static wavefront limiting (docs/model/warp_scheduling.md#static-limit).
#include <warpkit/warp/static_wavefront_limit.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

using namespace scenario;

TEST_CASE("the N oldest may compete, and no other") {
    told<static_wavefront_limit<2>> s;
    s.launch(warps({3, 4, 5}));
    s.launch(warps({0, 1, 2}));
    CHECK(s.policy.eligible(warp_set::first_n(6)) == warps({3, 4}));
    CHECK(s.step(warp_set::first_n(6)) == 3);
    CHECK(s.step(warps({0, 1, 4, 5})) == 4);
    CHECK(s.pick(warps({0, 1, 5})) == -1); // throttled
    s.exit(3);
    CHECK(s.policy.eligible(warp_set::first_n(6)) == warps({4, 5}));
}

TEST_CASE("the greedy warp must be one of them") {
    told<static_wavefront_limit<1>> s;
    s.launch(warps({3, 4}));
    s.issue(4); // a greedy warp that is not the oldest
    CHECK(s.pick(warps({4})) == -1);
    CHECK(s.pick(warps({3, 4})) == 3);
}

TEST_CASE("if the last admitted warp is stuck at a barrier or fence, one more is admitted") {
    told<static_wavefront_limit<2>> s;
    s.launch(warp_set::first_n(4));
    notify(barrier_arrived{warp_slot{1}, false}, s.policy); // it only arrives, and goes on
    CHECK(s.policy.limit().admitted() == warps({0, 1}));
    s.block(0, block_reason::barrier);
    CHECK(s.policy.limit().admitted() == warps({0, 1})); // the last one, 1, goes on
    s.block(1, block_reason::barrier);
    CHECK(s.policy.limit().admitted() == warps({0, 1, 2}));
    s.block(2, block_reason::fence);
    CHECK(s.policy.limit().admitted() == warps({0, 1, 2, 3}));
    s.unblock(2, block_reason::fence);
    CHECK(s.policy.limit().admitted() == warps({0, 1, 2}));
    notify(barrier_released{warps({0, 1})}, s.policy);
    CHECK(s.policy.limit().admitted() == warps({0, 1}));
}

TEST_CASE("waiting for memory admits nobody") {
    told<static_wavefront_limit<2>> s;
    s.launch(warp_set::first_n(4));
    s.block(0, block_reason::memory);
    s.block(1, block_reason::memory);
    CHECK(s.policy.limit().admitted() == warps({0, 1}));
}

TEST_CASE("the limit applies per scheduler") {
    told<static_wavefront_limit<2>> s;
    s.owns(1, 2);
    s.launch(warp_set::first_n(8));
    CHECK(s.policy.limit().admitted() == warps({1, 3}));
}

TEST_CASE("a limit given at run time does the same, and survives the next kernel") {
    told<static_wavefront_limit<>> s(static_wavefront_limit<>{oldest_n<>{2}});
    s.launch(warp_set::first_n(4));
    CHECK(s.policy.limit().admitted() == warps({0, 1}));
    notify(kernel_began{}, s.policy);
    s.launch(warp_set::first_n(4));
    CHECK(s.policy.limit().admitted() == warps({0, 1}));
    CHECK(oldest_n<>{}.limit() == 64); // at first, no limit
    CHECK(oldest_n<>{0}.limit() == 1);
}
