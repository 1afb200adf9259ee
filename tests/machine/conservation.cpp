#include <warpkit/machine/conservation.hpp>

#include "catch.hpp"

#include <functional>
#include <string>

using namespace warpkit;

namespace {

/// Counters of two cores with two schedulers for ten cycles each, in which all laws hold.
run_counters sound() {
    run_counters r;
    r.core.cycles = 20;
    r.core.warp_instructions = 12;
    r.core.cause[static_cast<unsigned>(cycle_cause::issued)] = 12;
    r.core.cause[static_cast<unsigned>(cycle_cause::sync)] = 28;
    for (auto* c : {&r.l0i, &r.l1i, &r.l15i, &r.l1d, &r.l1c, &r.l1t, &r.l2}) {
        c->accesses = 10;
        c->hits = 4;
        c->hit_reserved = 3;
        c->misses = 2;
        c->sector_misses = 1;
    }
    r.tlb.l1_misses = 5;
    r.tlb.l2_hits = 3;
    r.tlb.l2_misses = 2;
    r.tlb.walks = 2;
    r.dram.requests_served = 7;
    r.dram.row_hits = 7;
    return r;
}

std::string broken(std::function<void(run_counters&)> const& change) {
    auto r = sound();
    change(r);
    core_numbers n;
    n.schedulers = 2;
    n.issue_width = 1;
    conservation b;
    check_counters(b, r, n);
    return b.broken();
}

} // namespace

TEST_CASE("each law of a kernel's counters is told by name when it is broken") {
    CHECK(broken([](run_counters&) {}) == "");
    auto const issued = static_cast<unsigned>(cycle_cause::issued);
    CHECK_THAT(broken([](run_counters& r) { ++r.core.cycles; }),
               Catch::StartsWith("causes of scheduler cycles"));
    CHECK_THAT(broken([](run_counters& r) { --r.core.warp_instructions; }),
               Catch::StartsWith("scheduler cycles that issued, and warp instructions"));
    CHECK_THAT(broken([](run_counters& r) { ++r.core.warp_instructions; }),
               Catch::StartsWith("warp instructions, and those that could issue"));
    CHECK_THAT(broken([&](run_counters& r) { ++r.core.cause[issued]; }),
               Catch::StartsWith("causes of scheduler cycles"));
    for (auto const cache : {&run_counters::l0i, &run_counters::l1i, &run_counters::l15i, &run_counters::l1d,
                             &run_counters::l1c, &run_counters::l1t, &run_counters::l2})
        CHECK_THAT(broken([&](run_counters& r) { ++(r.*cache).hits; }),
                   Catch::StartsWith("accesses, by their"));
    CHECK_THAT(broken([](run_counters& r) { ++r.tlb.l1_misses; }),
               Catch::StartsWith("pages that cores asked for"));
    CHECK_THAT(broken([](run_counters& r) { ++r.tlb.walks; }), Catch::StartsWith("page walks"));
    CHECK_THAT(broken([](run_counters& r) { ++r.dram.row_hits; }),
               Catch::StartsWith("requests that found their row open"));
}

TEST_CASE("what goes in comes out, or is on its way") {
    conservation b;
    b.flow("packets", 3, 3, true);
    b.flow("packets", 3, 2, false);
    b.flow_but("bytes", 10, 6, 4);
    CHECK(b.broken() == "");
    b.flow_but("bytes", 10, 5, 4);
    CHECK(b.broken() == "bytes: 10 in, 5 out, 4 under way");
    b.flow("packets", 2, 3, false);
    CHECK(b.broken() == "bytes: 10 in, 5 out, 4 under way"); // the first one stays
    conservation whole;
    whole.part("L2", conservation());
    CHECK(whole.broken() == "");
    whole.part("L2", b);
    CHECK(whole.broken() == "L2: bytes: 10 in, 5 out, 4 under way");
    conservation lost;
    lost.flow("packets", 3, 2, true);
    CHECK(lost.broken() == "packets: 3 in, 2 out");
}
