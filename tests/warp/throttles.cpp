// Throttles that listen to memory. SPEC 1.6: cache-conscious wavefront scheduling.
#include <warpkit/warp/ccws.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

using namespace scenario;

namespace {

std::uint64_t line(unsigned n) { return std::uint64_t{n} * 128; }

/// CCWS on a core of 48 slots, with `n` warps.
struct cache_conscious : told<ccws> {
    explicit cache_conscious(unsigned n) { launch(warp_set::first_n(n)); }
    void access(unsigned w, unsigned n, cache_outcome how, access_kind kind = access_kind::load) {
        notify(l1_accessed{warp_slot{w}, 0, line(n), kind, how}, policy);
    }
    void evict(unsigned owner, unsigned n, bool by_store = false) {
        notify(l1_evicted{line(n), warp_slot{owner}, by_store}, policy);
    }
    /// `w` loses a line and misses it.
    void lose(unsigned w, unsigned n) {
        evict(w, n);
        access(w, n, cache_outcome::miss);
    }
    lost_locality<> const& locality() const { return policy.limit(); }
    std::uint64_t score(unsigned w) const { return locality().score(warp_slot{w}); }
};

} // namespace

TEST_CASE("CCWS: without lost locality the scores add up to the cutoff, and nobody is excluded (SPEC 11.2)") {
    cache_conscious s(32);
    CHECK(s.locality().admitted() == warp_set::first_n(32));
    for (unsigned w = 0; w < 32; ++w) {
        s.issue(w);
        s.evict(w, 100 + w);
        s.access(w, 200 + w, cache_outcome::miss); // another line: nothing is lost
        s.access(w, 100 + w, cache_outcome::hit);  // no miss
    }
    s.cycles(1000);
    CHECK(s.locality().admitted() == warp_set::first_n(32));
}

TEST_CASE("CCWS: one of 32 warps at 500 leaves room for 27 others below 3200 (SPEC 11.2)") {
    cache_conscious s(32);
    for (unsigned n = 0; n < 256; ++n) s.issue(n % 32);
    for (unsigned n = 0; n < 5; ++n) s.lose(7, n);
    CHECK(s.score(7) == 500); // 5 / 256 * 8 * 3200
    CHECK(s.locality().admitted() == warp_set::first_n(28));
    s.cycles();
    CHECK(s.score(7) == 499); // 499 + 27 * 100 is short of 3200 by one: one more warp
    CHECK(s.locality().admitted() == warp_set::first_n(29));
    s.cycles(299);
    CHECK(s.locality().admitted() == warp_set::first_n(31));
    s.cycles();
    CHECK(s.locality().admitted() == warp_set::first_n(32));
    s.cycles(1000);
    CHECK(s.score(7) == 100);
}

TEST_CASE("CCWS: the warps that lost most come first, and may use up the cutoff alone") {
    cache_conscious s(10);
    for (unsigned n = 0; n < 100; ++n) s.issue(n % 10);
    for (unsigned n = 0; n < 5; ++n) s.lose(8, n); // 5 / 100 * 8 * 1000
    CHECK(s.score(8) == 400);
    CHECK(s.locality().admitted() == warps({0, 1, 2, 3, 4, 5, 8}));
    for (unsigned n = 0; n < 5; ++n) s.lose(9, n);
    CHECK(s.score(9) == 800);
    CHECK(s.locality().admitted() == warps({8, 9})); // 800, and the 400 that cross the line of 1000
    for (unsigned n = 5; n < 10; ++n) s.lose(9, n);
    CHECK(s.score(9) == 1200);
    CHECK(s.locality().admitted() == warps({9}));
    s.cycles(200);
    CHECK(s.locality().admitted() == warps({9})); // 1000 still reaches it
    s.cycles();
    CHECK(s.locality().admitted() == warps({8, 9}));
}

TEST_CASE("CCWS: of equal scores the lower slot goes first, whoever was raised first") {
    for (unsigned second : {3U, 9U}) {
        cache_conscious s(10);
        for (unsigned n = 0; n < 100; ++n) s.issue(n % 10);
        for (unsigned n = 0; n < 15; ++n) s.lose(8, n);
        CHECK(s.score(8) == 1200);
        s.cycles(200);
        for (unsigned n = 0; n < 28; ++n) s.issue(n % 10);
        s.lose(second, 50); // 16 / 128 * 8 * 1000
        CHECK(s.score(8) == 1000);
        CHECK(s.score(second) == 1000);
        CHECK(s.locality().admitted() == warps({second == 3U ? 3U : 8U}));
    }
}

TEST_CASE("CCWS: a score that has fallen to the base is one of many, and stacked by its slot") {
    cache_conscious s(10);
    for (unsigned n = 0; n < 100; ++n) s.issue(n % 10);
    for (unsigned n = 0; n < 5; ++n) s.lose(8, n);
    for (unsigned n = 0; n < 336; ++n) s.issue(n % 10);
    s.lose(9, 50); // 6 / 436 * 8 * 1000
    CHECK(s.score(8) == 400);
    CHECK(s.score(9) == 110);
    CHECK(s.locality().admitted() == warps({0, 1, 2, 3, 4, 8, 9}));
    s.cycles(9);
    CHECK(s.locality().admitted() == warps({0, 1, 2, 3, 4, 5, 8, 9}));
    s.cycles();
    CHECK(s.locality().admitted() == warps({0, 1, 2, 3, 4, 5, 6, 8}));
}

TEST_CASE("CCWS: loads are denied, and nothing else; the order is greedy-then-oldest") {
    cache_conscious s(10);
    for (unsigned n = 0; n < 100; ++n) s.issue(n % 10);
    for (unsigned n = 0; n < 15; ++n) s.lose(9, n);
    REQUIRE(s.locality().admitted() == warps({9}));
    auto const all = warp_set::first_n(10);
    issue_classes classes;
    classes.loads = all - warps({4});
    classes.stores = warps({4});
    CHECK(s.policy.eligible(all, classes) == warps({4, 9}));
    CHECK(s.policy.pick(all, classes) == warp_slot{9}); // it issued last
    CHECK(s.policy.pick(all - warps({9}), classes) == warp_slot{4});
    CHECK(s.policy.pick(all - warps({4, 9}), classes) == no_warp); // throttled
}

TEST_CASE("CCWS: victim tags are two sets of eight, first in, first out; stores empty places") {
    cache_conscious s(2);
    for (unsigned n = 0; n < 100; ++n) s.issue(0);
    for (unsigned n = 0; n < 9; ++n) s.evict(0, 2 * n); // all in one set: line 0 has gone
    s.access(0, 0, cache_outcome::miss);
    CHECK(s.score(0) == 100);
    s.access(1, 2, cache_outcome::miss); // another warp's line
    CHECK(s.score(1) == 100);
    s.access(1, 2, cache_outcome::hit,
             access_kind::store); // warp 1 stores to it: it is nobody's victim any more
    s.access(0, 2, cache_outcome::miss);
    CHECK(s.score(0) == 100);
    s.evict(0, 20, true); // a store removed the line from the L1
    s.access(0, 20, cache_outcome::miss);
    CHECK(s.score(0) == 100);
    for (unsigned n = 0; n < 8; ++n) s.access(0, 4, cache_outcome::miss);
    CHECK(s.score(0) == 128); // 8 / 100 * 8 * 200: the tag stays, and each miss counts
}

TEST_CASE(
    "CCWS: a warp that exits takes its share of hits and instructions along; a new one starts at the base") {
    cache_conscious s(10);
    for (unsigned n = 0; n < 100; ++n) s.issue(n % 10);
    for (unsigned n = 0; n < 15; ++n) s.lose(9, n);
    s.exit(9);
    CHECK(s.locality().admitted() == warp_set::first_n(9));
    s.lose(8, 50); // 1 / 90 * 8 * 900
    CHECK(s.score(8) == 100);
    s.lose(8, 51);
    CHECK(s.score(8) == 160);
    s.launch(warps({9}));
    CHECK(s.score(9) == 100);
    s.access(9, 3, cache_outcome::miss); // its slot's former warp had lost this line
    CHECK(s.score(9) == 100);
}

TEST_CASE("CCWS: of a core's schedulers, each cares for its own warps") {
    told<ccws> s;
    s.owns(1, 2);
    s.launch(warp_set::first_n(8));
    CHECK(s.policy.limit().admitted() == warps({1, 3, 5, 7}));
    s.issue(1);
    notify(l1_evicted{line(1), warp_slot{2}, false}, s.policy);
    notify(l1_accessed{warp_slot{2}, 0, line(1), access_kind::load, cache_outcome::miss}, s.policy);
    CHECK(s.policy.limit().admitted() == warps({1, 3, 5, 7}));
}

TEST_CASE("CCWS: the victim tags of the paper's core are 2.5 KB") {
    core_shape shape;
    shape.warp_slots = 32;
    shape.schedulers = 1;
    CHECK(ccws::hardware_cost(shape).begin()->bits == 32 * 16 * 40);
}
