// SPEC 1.3: fetch groups.
#include <warpkit/warp/two_level.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

using namespace scenario;

namespace {
auto const group_0 = warp_set::range(0, 8);
auto const group_1 = warp_set::range(8, 16);
auto const all = warp_set::first_n(24);

template <class P>
told<P> with_three_groups() {
    told<P> s(P{}, 24);
    s.launch(warp_set::range(0, 12));
    s.launch(warp_set::range(12, 24));
    return s;
}
} // namespace

TEST_CASE("two-level: round-robin within the front group, and short stalls do not move the front") {
    auto s = with_three_groups<two_level>();
    CHECK(s.step(all) == 0);
    CHECK(s.step(all) == 1);
    for (unsigned w = 0; w < 8; ++w) s.block(w, block_reason::dependency);
    CHECK(s.step(all - group_0) == 8); // an idle slot is filled from the next group ...
    CHECK(s.step(all) == 2);           // ... and the front group goes on where it was
}

TEST_CASE("two-level: the front moves when all warps of the group wait for memory") {
    auto s = with_three_groups<two_level>();
    for (unsigned w = 0; w < 7; ++w) s.block(w, block_reason::memory);
    CHECK(s.pick(all) == 0); // one is left: the front stays (who may issue is the candidates' business)
    s.block(7, block_reason::memory);
    CHECK(s.pick(all) == 8);
    for (unsigned w = 0; w < 8; ++w) s.unblock(w, block_reason::memory);
    CHECK(s.pick(all) == 8); // it has had its turn; no return before the others had theirs
    for (unsigned w = 8; w < 16; ++w) s.block(w, block_reason::memory);
    CHECK(s.pick(all) == 16);
    for (unsigned w = 16; w < 24; ++w) s.block(w, block_reason::barrier); // a barrier counts as blocked
    CHECK(s.pick(all) == 0);
}

TEST_CASE("two-level: warps that exited do not hold the front") {
    auto s = with_three_groups<two_level>();
    for (unsigned w = 0; w < 8; ++w) s.exit(w);
    CHECK(s.pick(all - group_0) == 8);
    CHECK(s.policy.group_order().front(s.policy.groups(), all) == 1);
}

TEST_CASE("two-level: when everybody waits, the first group to go on has the front") {
    auto s = with_three_groups<two_level>();
    for (unsigned w = 0; w < 24; ++w) s.block(w, block_reason::memory);
    s.unblock(20, block_reason::memory);
    s.unblock(9, block_reason::memory);
    CHECK(s.pick(all) == 16); // group 2, by its warp 20; its round-robin begins at its lowest slot
    CHECK(s.pick(warps({9, 20})) == 20);
}

TEST_CASE("two-level without filling: the front group's idle slots are lost, and told as throttled") {
    auto s = with_three_groups<grouped<by_slot<8>, rotate_when_blocked_only, lrr>>();
    CHECK(s.pick(all - group_0) == -1);
    CHECK(s.policy.eligible(all - group_0).empty());
    CHECK(s.policy.eligible(all) == group_0);
}

TEST_CASE("two-level of the CCWS authors: the last issuer's group first, any stall falls through") {
    auto s = with_three_groups<grouped<by_slot<8>, rotate_on_any_stall, lrr>>();
    CHECK(s.step(all) == 0);
    CHECK(s.step(all - group_0) == 8);
    CHECK(s.step(all) == 9); // the front moved with the issue
    CHECK(s.step(all - group_1) == 16);
    CHECK(s.step(group_0) == 1);
}

TEST_CASE("the groups of a core with another number of slots") {
    by_slot<8> g;
    notify(kernel_began{nullptr, 0, 1, 48, 8, 6}, g);
    CHECK(g.groups() == 6);
    notify(kernel_began{nullptr, 0, 1, 44, 8, 6}, g);
    CHECK(g.groups() == 6);
    CHECK(g.members(5) == warp_set::range(40, 48));
    CHECK(g.group_of(warp_slot{39}) == 4);
    static_assert(by_slot<5>::max_groups == 13);
    CHECK(by_slot<5>{}.members(12) == warp_set::range(60, 64));
}
