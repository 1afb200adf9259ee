// Round-robin, loose and strict (docs/model/warp_scheduling.md#loose-round-robin).
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/strict_round_robin.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

using namespace scenario;

TEST_CASE("loose round-robin: the next slot after the last issuer, circularly, ending with it") {
    told<lrr> s;
    s.launch(warp_set::first_n(6));
    CHECK(s.step(warps({0, 1, 2, 5})) == 0);
    CHECK(s.step(warps({0, 1, 2, 5})) == 1);
    CHECK(s.step(warps({0, 1, 2, 5})) == 2);
    CHECK(s.step(warps({0, 1, 2, 5})) == 5);
    CHECK(s.step(warps({0, 1, 2, 5})) == 0);
    CHECK(s.step(warps({0})) == 0);
    CHECK(s.pick(warps({})) == -1);
}

TEST_CASE("loose round-robin: a cycle with no issue does not move the pointer") {
    told<lrr> s;
    s.issue(3);
    CHECK(s.pick(warps({2, 4})) == 4);
    CHECK(s.pick(warps({2, 4})) == 4); // picked, but the unit was busy
    s.cycles(5);
    CHECK(s.pick(warps({2, 4})) == 4);
    CHECK(s.step(warps({2})) == 2);
    CHECK(s.pick(warps({2, 3, 4})) == 3);
}

TEST_CASE("strict round-robin moves on every cycle") {
    told<strict_round_robin> s;
    s.launch(warp_set::first_n(4));
    auto const all = warp_set::first_n(4);
    CHECK(s.pick(all) == 0);
    s.cycles();
    CHECK(s.pick(all) == 1); // nothing was issued, the turn has passed
    s.issue(3);              // who issues makes no difference
    s.cycles();
    CHECK(s.pick(all) == 2);
    CHECK(s.pick(warps({0, 1, 3})) == 3); // warp 2 cannot: its slot goes to the next
    s.cycles();
    CHECK(s.pick(all) == 3);
    s.cycles();
    CHECK(s.pick(all) == 0);
    s.cycles(9); // idle cycles may be told at once
    CHECK(s.pick(all) == 1);
    s.cycles(4'000'000'000'000);
    CHECK(s.pick(all) == 1);
}

TEST_CASE("strict round-robin gives no turn to warps of others, or to those that have exited") {
    told<strict_round_robin> s;
    s.owns(1, 2);
    s.launch(warp_set::first_n(8)); // owned: 1, 3, 5, 7
    auto const own = warps({1, 3, 5, 7});
    CHECK(s.pick(own) == 1);
    s.cycles();
    CHECK(s.pick(own) == 3);
    s.exit(5);
    s.cycles();
    CHECK(s.pick(warps({1, 3, 7})) == 7);
    s.cycles();
    CHECK(s.pick(warps({1, 3, 7})) == 1);
}

TEST_CASE("strict round-robin: no turn passes where no cycle has gone by, or where none of its warps lives") {
    told<strict_round_robin> s;
    s.cycles(7); // before the first CTA
    s.launch(warp_set::first_n(3));
    auto const all = warp_set::first_n(3);
    s.cycles(0);
    CHECK(s.pick(all) == 0);
    s.cycles(); // the turn is warp 0's, and passes
    s.cycles(0);
    CHECK(s.pick(all) == 1);
    s.cycles(2);
    CHECK(s.pick(all) == 0); // warp 2's turn has gone by
    for (unsigned w = 0; w < 3; ++w) s.exit(w);
    s.cycles(5);
    s.launch(warp_set::first_n(4));
    CHECK(s.pick(warp_set::first_n(4)) == 3); // it comes behind who had the last turn
    s.cycles();
    CHECK(s.pick(warp_set::first_n(4)) == 0);
}

TEST_CASE(
    "strict round-robin: which warps are its own may be told while some live, and a kernel begins anew") {
    told<strict_round_robin> s;
    s.launch(warp_set::first_n(6));
    s.cycles(2); // warp 1 has had its turn
    s.owns(0, 2);
    CHECK(s.pick(warps({0, 2, 4})) == 2);
    s.cycles();
    CHECK(s.pick(warps({0, 2, 4})) == 4);
    s.cycles(3); // 4, 0, 2
    CHECK(s.pick(warps({0, 2, 4})) == 4);
    notify(kernel_began{}, s.policy);
    CHECK(s.policy == strict_round_robin{});
}
