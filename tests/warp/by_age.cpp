// Greedy-then-oldest and its relatives (docs/model/warp_scheduling.md#greedy-then-oldest).
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/gty.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

using namespace scenario;

TEST_CASE("oldest: age is taken at CTA launch, in warp order; a reused slot is young again") {
    told<oldest> s;
    s.launch(warps({4, 5}));
    s.launch(warps({0, 1}));
    s.launch(warps({2, 3}));
    auto const all = warp_set::first_n(6);
    CHECK(s.pick(all) == 4);
    CHECK(s.pick(all - warps({4})) == 5);
    CHECK(s.pick(warps({0, 1, 2, 3})) == 0);
    CHECK(s.pick(warps({2, 1, 3})) == 1);
    s.exit(4);
    s.exit(5);
    s.launch(warps({4, 5}));
    CHECK(s.pick(all) == 0);
    CHECK(s.pick(warps({3, 4, 5})) == 3);
    CHECK(s.pick(warps({4, 5})) == 4);
}

TEST_CASE("youngest: the same from the other end") {
    told<youngest> s;
    s.launch(warps({4, 5}));
    s.launch(warps({0, 1}));
    CHECK(s.pick(warps({0, 1, 4, 5})) == 1);
    CHECK(s.pick(warps({0, 4, 5})) == 0);
    CHECK(s.pick(warps({4, 5})) == 5);
    CHECK(s.pick(warps({})) == -1);
}

TEST_CASE("gto: greedy first, then the remaining warps from the oldest on") {
    told<gto> s;
    s.launch(warps({4, 5, 6, 7}));
    s.launch(warps({0, 1, 2, 3}));
    auto const all = warp_set::first_n(8);
    CHECK(s.step(all) == 4); // nobody is greedy yet: the oldest
    CHECK(s.step(all) == 4);
    CHECK(s.step(all - warps({4})) == 5);
    CHECK(s.step(all) == 5); // the previous greedy warp has no privilege, though it is older
    CHECK(s.step(warps({2, 3})) == 2);
    CHECK(s.step(all) == 2);
}

TEST_CASE("gto: the greedy warp loses one cycle to a unit conflict, and greed moves") {
    told<gto> s;
    s.launch(warp_set::first_n(4));
    s.issue(2);
    CHECK(s.pick(warp_set::first_n(4)) == 2);
    CHECK(s.step(warps({0, 1, 3})) == 0); // warp 2's unit is busy in this one cycle
    CHECK(s.pick(warp_set::first_n(4)) == 0);
}

TEST_CASE("gto: if nothing issues, greed does not move") {
    told<gto> s;
    s.launch(warp_set::first_n(4));
    s.issue(2);
    CHECK(s.pick(warps({})) == -1);
    CHECK(s.pick(warps({1, 3})) == 1); // picked, but not issued
    s.cycles(100);
    CHECK(s.pick(warps({1, 2, 3})) == 2);
}

TEST_CASE("gto: a kernel begins without a greedy warp, whatever ran before") {
    told<gto> s;
    s.launch(warp_set::first_n(4));
    s.issue(3);
    notify(kernel_began{}, s.policy);
    s.launch(warp_set::first_n(4));
    CHECK(s.pick(warp_set::first_n(4)) == 0);
    CHECK(s.policy.greedy() == no_warp);
}

TEST_CASE("gty: the greedy warp, then the youngest") {
    told<gty> s;
    s.launch(warp_set::first_n(4));
    CHECK(s.step(warp_set::first_n(4)) == 3);
    CHECK(s.step(warp_set::first_n(3)) == 2);
    CHECK(s.step(warp_set::first_n(4)) == 2);
}
