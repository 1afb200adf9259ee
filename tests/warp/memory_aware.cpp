// Schedulers that listen to memory and code. Cache-conscious wavefront scheduling:
// docs/model/warp_scheduling.md#lost-locality.
#include <warpkit/warp/baws.hpp>
#include <warpkit/warp/cawa_style.hpp>
#include <warpkit/warp/ccws.hpp>
#include <warpkit/warp/daws_style.hpp>
#include <warpkit/warp/mascar.hpp>

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

TEST_CASE("CCWS: without lost locality the scores add up to the cutoff, and nobody is excluded") {
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

TEST_CASE("CCWS: one of 32 warps at 500 leaves room for 27 others below 3200") {
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
    CHECK(hardware_cost_of<ccws>(shape).begin()->bits == 32 * 16 * 40);
}

// ---- ownership under saturation (docs/model/warp_scheduling.md#memory-ownership)

namespace {
memory_pressure const plenty{32, 32, 8, 8};
memory_pressure const few_mshrs{7, 32, 8, 8};
memory_pressure const full_queue{32, 32, 1, 8};

/// Loads of these warps among candidates that else compute.
issue_classes loads_of(warp_set loads) {
    issue_classes k;
    k.loads = loads;
    return k;
}
void issue_load(told<mascar>& s, unsigned w) {
    notify(issued{warp_slot{w}, 0, issue_class::load, ~0U, 0}, s.policy);
}
} // namespace

TEST_CASE("Mascar: unsaturated, memory instructions go first, all warps alike") {
    told<mascar> s;
    s.launch(warp_set::first_n(6));
    auto const all = warp_set::first_n(6);
    CHECK(s.policy.pick(all, loads_of(warps({3, 5}))) == warp_slot{3});
    issue_load(s, 3);
    CHECK(s.policy.pick(all, loads_of(warps({3, 5}))) == warp_slot{5}); // round-robin among them
    CHECK(s.policy.pick(all, {}) == warp_slot{4});                      // and among the others
    CHECK(s.policy.eligible(all, loads_of(warps({3, 5}))) == all);
}

TEST_CASE("Mascar: saturated, one warp owns the way to memory, and the others compute") {
    for (auto const& pressure : {few_mshrs, full_queue}) {
        told<mascar> s;
        s.launch(warps({4, 5}));
        s.launch(warps({0, 1, 2}));
        auto const all = warps({0, 1, 2, 4, 5});
        auto const loads = loads_of(warps({0, 2, 5}));
        notify(pressure, s.policy);
        CHECK(s.policy.eligible(all, loads) == warps({1, 4, 5})); // the oldest with one may have it
        CHECK(s.policy.pick(all, loads) == warp_slot{5});
        issue_load(s, 5);
        CHECK(s.policy.limit().owner() == warp_slot{5});
        CHECK(s.policy.eligible(all, loads_of(warps({4, 5}))) == warps({0, 1, 2, 5}));
        CHECK(s.policy.eligible(all, loads_of(warps({4}))) == warps({0, 1, 2, 5})); // even if it computes now
        s.block(5, block_reason::dependency);                                       // a short wait
        CHECK(s.policy.limit().owner() == warp_slot{5});
        s.block(5, block_reason::memory); // its next instruction needs what it loaded
        CHECK(s.policy.limit().owner() == no_warp);
        CHECK(s.policy.eligible(all - warps({5}), loads_of(warps({0, 2}))) == warps({0, 1, 4}));
    }
}

TEST_CASE("Mascar: ownership ends with a barrier, with the warp, and with the saturation") {
    told<mascar> s;
    s.launch(warp_set::first_n(4));
    auto const own = [&](unsigned w) {
        notify(few_mshrs, s.policy);
        issue_load(s, w);
        REQUIRE(s.policy.limit().owner() == warp_slot{w});
    };
    own(2);
    notify(barrier_arrived{warp_slot{2}, false}, s.policy); // it goes on
    CHECK(s.policy.limit().owner() == warp_slot{2});
    notify(barrier_arrived{warp_slot{2}}, s.policy);
    CHECK(s.policy.limit().owner() == no_warp);
    own(3);
    s.exit(3);
    CHECK(s.policy.limit().owner() == no_warp);
    own(1);
    notify(plenty, s.policy);
    CHECK(s.policy.limit().owner() == no_warp);
    auto const all = warp_set::first_n(3);
    CHECK(s.policy.eligible(all, loads_of(all)) == all);
    issue_load(s, 0);
    CHECK(s.policy.limit().owner() == no_warp); // nobody owns what is free
}

// ---- footprints in loops (docs/model/warp_scheduling.md#loop-footprints)

namespace {
/// One load before a loop; in the loop two loads, a store and the branch back; then the exit.
struct kernel_with_loop {
    static_instruction code[6];
    kernel_with_loop() {
        for (unsigned i : {0U, 1U, 2U}) code[i].kind = op_class::load;
        code[3].kind = op_class::store;
        for (unsigned i = 0; i < 4; ++i) code[i].space = memory_space::global;
        code[4].kind = op_class::branch;
        code[4].target = 1;
        code[5].kind = op_class::exit;
    }
};
struct in_loops : told<daws_style> {
    kernel_with_loop kernel;
    explicit in_loops(unsigned warps, std::uint32_t lines = 64) : told<daws_style>() {
        kernel_began e;
        e.instruction_bytes = 8;
        e.code = kernel.code;
        e.instructions = 6;
        e.l1_lines = lines; // 64: a budget of 38
        notify(e, policy);
        launch(warp_set::first_n(warps));
    }
    void at(unsigned w, unsigned index, std::uint32_t active = ~0U) {
        auto const load = kernel.code[index].kind == op_class::load;
        notify(issued{warp_slot{w}, 8 * index, load ? issue_class::load : issue_class::arithmetic, active, 0},
               policy);
    }
    void accesses(unsigned w, unsigned index, unsigned lines, cache_outcome how) {
        for (unsigned n = 0; n < lines; ++n)
            notify(l1_accessed{warp_slot{w}, 8 * index, std::uint64_t{n} * 128, access_kind::load, how},
                   policy);
    }
    loop_footprint<> const& loops() const { return policy.limit(); }
    std::uint32_t footprint(unsigned w) const { return loops().footprint(warp_slot{w}); }
};
} // namespace

TEST_CASE(
    "DAWS-style: a footprint is a line per load of the loop, and one per lane of a load that diverges") {
    in_loops s(4);
    s.at(0, 0);
    CHECK(s.footprint(0) == 0); // before the loop
    s.at(0, 1);
    CHECK(s.footprint(0) == 2);
    s.accesses(0, 1, 3, cache_outcome::hit); // three lines of one execution: the load diverges
    CHECK(s.footprint(0) == 33);
    s.at(0, 2, 0xff); // lanes leave
    CHECK(s.footprint(0) == 9);
    s.at(0, 4, 0xff);
    s.at(0, 1, 0xff);
    CHECK(s.footprint(0) == 9);
    s.at(0, 5);
    CHECK(s.footprint(0) == 0); // behind the loop
}

TEST_CASE("DAWS-style: a load that finds nothing in the cache does not repeat itself") {
    in_loops s(4);
    s.at(0, 1);
    s.accesses(0, 1, 31, cache_outcome::miss);
    CHECK(s.footprint(0) == 33);
    s.accesses(0, 1, 1, cache_outcome::miss);
    CHECK(s.footprint(0) == 1);
    s.accesses(0, 1, 16, cache_outcome::hit); // 16 of 48
    CHECK(s.footprint(0) == 33);
}

TEST_CASE("DAWS-style: the oldest warps are admitted while their footprints fit, and only loads in loops are "
          "denied") {
    in_loops s(4);
    for (unsigned w = 0; w < 3; ++w) s.at(w, 1);
    CHECK(s.loops().admitted() == warps({0, 1, 2}));
    s.accesses(0, 1, 10, cache_outcome::hit); // 33 lines each: two do not fit into 38
    CHECK(s.loops().admitted() == warps({0}));
    auto const all = warp_set::first_n(4);
    CHECK(s.policy.eligible(all, loads_of(warps({0, 1, 3}))) ==
          warps({0, 2, 3}));           // 2 computes, 3 is in no loop
    s.block(0, block_reason::barrier); // whom it waits for may come in
    CHECK(s.loops().admitted() == warps({1}));
    s.unblock(0, block_reason::barrier);
    s.at(0, 1, 1); // one lane is left: 2 lines
    CHECK(s.loops().admitted() == warps({0, 1}));
    s.exit(1);
    CHECK(s.loops().admitted() == warps({0, 2}));
}

TEST_CASE(
    "DAWS-style: who waits at a barrier or a fence needs no lines until it goes on, however that is told") {
    in_loops s(3);
    for (unsigned w = 0; w < 3; ++w) s.at(w, 1);
    s.accesses(0, 1, 10, cache_outcome::hit); // 33 lines each: one fits
    REQUIRE(s.loops().admitted() == warps({0}));
    for (auto const why : {block_reason::barrier, block_reason::fence}) {
        s.block(0, why);
        CHECK(s.loops().admitted() == warps({1}));
        s.unblock(0, why);
        CHECK(s.loops().admitted() == warps({0}));
    }
    notify(barrier_arrived{warp_slot{0}}, s.policy);
    CHECK(s.loops().admitted() == warps({1}));
    notify(barrier_released{warps({0})}, s.policy);
    CHECK(s.loops().admitted() == warps({0}));
    for (auto const why :
         {block_reason::memory, block_reason::dependency}) { // its lines are what it waits for
        s.block(0, why);
        CHECK(s.loops().admitted() == warps({0}));
        s.unblock(0, why);
    }
}

// ---- criticality (docs/model/warp_scheduling.md#criticality)

TEST_CASE("CAWA-style: instructions to come at the warp's own pace, and cycles without an issue") {
    told<cawa_style> s;
    kernel_began e;
    e.instruction_bytes = 8;
    e.instructions = 20;
    notify(e, s.policy);
    s.launch(warp_set::first_n(3));
    auto const issue_at = [&](unsigned w, std::uint32_t index, cycle at) {
        notify(issued{warp_slot{w}, 8 * index, issue_class::arithmetic, ~0U, at}, s.policy);
    };
    auto const not_greedy = warps({0, 1});
    auto const branch_to = [&](unsigned w, std::uint32_t from, std::uint32_t to) {
        notify(branched{warp_slot{w}, 8 * from, 8 * to, to != from + 1}, s.policy);
    };
    issue_at(0, 0, 0); // 19 left, 1 cycle each
    issue_at(1, 0, 1); // 19 left, 2 cycles each
    issue_at(2, 0, 2);
    CHECK(s.pick(not_greedy) == 1);
    branch_to(1, 1, 12); // skips 10: 9 left, 2 cycles each
    CHECK(s.pick(not_greedy) == 0);
    branch_to(1, 12, 10); // back by 2: 3 more, 12 at 2 cycles
    CHECK(s.pick(not_greedy) == 1);
    issue_at(1, 10, 2);
    issue_at(0, 1, 9); // 18 left at 5 cycles each, and 8 cycles without an issue
    issue_at(2, 1, 10);
    CHECK(s.pick(not_greedy) == 0);
    CHECK(s.pick(warp_set::first_n(3)) == 2); // greedy first
}

TEST_CASE("CAWA-style: of equally critical warps the oldest") {
    told<cawa_style> s;
    s.launch(warps({3, 4}));
    s.launch(warps({0, 1}));
    CHECK(s.pick(warps({0, 1, 3, 4})) == 3);
}

TEST_CASE("DAWS: a host that says that it has no L1 has nothing to protect; one that says nothing is asked") {
    for (unsigned const lines : {64U, 0U}) {
        in_loops s(8, lines);
        for (unsigned w = 0; w < 8; ++w) {
            s.at(w, 1);
            s.accesses(w, 1, 32, cache_outcome::hit);
            s.at(w, 2);
        }
        CHECK((s.loops().admitted() == warp_set::first_n(8)) == (lines == 0));
    }
    daws_style untold;
    CHECK_THROWS_WITH(notify(kernel_began{}, untold), Catch::Contains("kernel_began::"));
}

// ---- barriers (docs/model/warp_scheduling.md#barriers)

TEST_CASE("BAWS: the CTA of which most warps wait at a barrier goes first, then greedily, the oldest") {
    told<baws> s;
    s.launch(warps({0, 1, 2}));
    s.launch(warps({3, 4, 5}));
    s.issue(4);
    CHECK(s.pick(warp_set::first_n(6)) == 4); // nobody waits: gto
    auto const arrive = [&](unsigned w, bool waits = true) {
        notify(barrier_arrived{warp_slot{w}, waits}, s.policy);
    };
    arrive(2, false); // it goes on
    CHECK(s.pick(warps({0, 1, 2, 4})) == 4);
    arrive(2);
    CHECK(s.pick(warps({0, 1, 4})) == 0);
    CHECK(s.pick(warps({4})) == 4);
    arrive(5);
    CHECK(s.pick(warps({0, 1, 3, 4})) == 4); // as many wait there
    arrive(3);
    CHECK(s.pick(warps({0, 1, 4})) == 4);
    notify(barrier_released{warps({3, 4, 5})}, s.policy);
    CHECK(s.pick(warps({0, 3, 4, 5})) == 0);
    s.launch(warps({0, 1, 2})); // new warps in these slots: nobody waits
    CHECK(s.pick(warps({0, 3, 5})) == 3);
}
