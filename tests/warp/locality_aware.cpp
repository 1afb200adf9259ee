// The locality-aware two-level scheduler (thesis 2016, section 3.4; docs/model/warp_scheduling.md#locality).
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/locality_aware.hpp>

#include "catch.hpp"
#include "warp/million.hpp"
#include "warp/scenario.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

using namespace scenario;

namespace {

/// One array: this region, these sub-regions.
warp_footprint touches(std::uint16_t region, std::uint16_t mask) {
    warp_footprint f;
    f.region[0] = region;
    f.touched[0] = mask;
    return f;
}

/// Keeps everything that was told and works out the rest from it, every time.
struct twin {
    struct warp {
        bool live = false;
        bool waits[4] = {}; // by block_reason
        std::optional<warp_footprint> footprint;
        std::uint64_t cta = 0, born = 0;
    };
    unsigned limit;
    std::vector<warp> warps{warp_set::width};
    std::vector<unsigned> active;
    int last = -1;
    unsigned schedulers = 1, scheduler = 0;
    std::uint64_t n = 1, ctas = 0, births = 0;

    explicit twin(unsigned active_warps = 8) : limit(active_warps) {}

    unsigned degree(unsigned a, unsigned b) const {
        auto const& x = warps[a].footprint;
        auto const& y = warps[b].footprint;
        return a != b && x && y ? shared_subregions(*x, *y) : 0;
    }
    bool own(unsigned w) const { return w % schedulers == scheduler; }
    bool is_active(unsigned w) const { return std::find(active.begin(), active.end(), w) != active.end(); }
    bool going(unsigned w) const {
        auto const& v = warps[w];
        return v.live && !v.waits[static_cast<unsigned>(block_reason::memory)] &&
               !v.waits[static_cast<unsigned>(block_reason::barrier)] &&
               !v.waits[static_cast<unsigned>(block_reason::fence)];
    }
    bool starves(unsigned w) const { return warps[w].live && ctas - 1 - warps[w].cta > 2 * n; }
    template <class Value>
    int best(std::vector<unsigned> const& among, Value value) const {
        int found = -1;
        for (auto const w : among) {
            auto const f = static_cast<unsigned>(found);
            if (found < 0 || value(w) > value(f) || (value(w) == value(f) && warps[w].born < warps[f].born))
                found = static_cast<int>(w);
        }
        return found;
    }
    std::vector<unsigned> starving_if_any(std::vector<unsigned> const& among) const {
        std::vector<unsigned> some;
        for (auto const w : among)
            if (starves(w)) some.push_back(w);
        return some.empty() ? among : some;
    }
    void settle() {
        active.erase(std::remove_if(active.begin(), active.end(), [&](unsigned w) { return !going(w); }),
                     active.end());
        while (active.size() < limit) {
            std::vector<unsigned> ready;
            for (unsigned w = 0; w < warp_set::width; ++w)
                if (own(w) && going(w) && !is_active(w)) ready.push_back(w);
            if (ready.empty()) return;
            active.push_back(static_cast<unsigned>(best(starving_if_any(ready), [&](unsigned w) {
                unsigned sum = 0;
                for (auto const a : active) sum += degree(a, w);
                return sum;
            })));
        }
    }
    warp_slot pick(warp_set candidates) const {
        std::vector<unsigned> may;
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (candidates.contains(warp_slot{w}) && (is_active(w) || starves(w))) may.push_back(w);
        if (may.empty()) return no_warp;
        may = starving_if_any(may);
        if (last >= 0 && std::find(may.begin(), may.end(), last) != may.end())
            return warp_slot{static_cast<unsigned>(last)};
        return warp_slot{static_cast<unsigned>(
            best(may, [&](unsigned w) { return last < 0 ? 0 : degree(static_cast<unsigned>(last), w); }))};
    }

    void on(kernel_began const& e) {
        *this = twin(limit);
        n = e.ctas_per_core;
    }
    void on(scheduler_began const& e) {
        schedulers = e.schedulers;
        scheduler = e.scheduler;
    }
    void on(cta_launched const& e) {
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (e.warps.contains(warp_slot{w})) {
                warps[w] = {};
                warps[w].live = true;
                warps[w].cta = ctas;
                warps[w].born = births++;
                if (last == static_cast<int>(w)) last = -1;
            }
        ++ctas;
        settle();
    }
    void on(footprint_known const& e) { warps[e.warp.index()].footprint = e.footprint; }
    void on(warp_exited const& e) {
        warps[e.warp.index()].live = false;
        settle();
    }
    void on(blocked const& e) {
        warps[e.warp.index()].waits[static_cast<unsigned>(e.reason)] = true;
        settle();
    }
    void on(unblocked const& e) {
        warps[e.warp.index()].waits[static_cast<unsigned>(e.reason)] = false;
        settle();
    }
    void on(barrier_arrived const& e) {
        if (e.waits) on(blocked{e.warp, block_reason::barrier});
    }
    void on(barrier_released const& e) {
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (e.warps.contains(warp_slot{w}))
                warps[w].waits[static_cast<unsigned>(block_reason::barrier)] = false;
        settle();
    }
    void on(issued const& e) { last = static_cast<int>(e.warp.index()); }
};

} // namespace

TEST_CASE("locality of two warps: common ones of the sub-regions, in the same region") {
    // Figure 3.14: warps 0 and 1 have the same region and two ones in common; warp 2 is elsewhere.
    CHECK(shared_subregions(touches(11, 0b1001), touches(11, 0b1101)) == 2);
    CHECK(shared_subregions(touches(11, 0b1001), touches(10, 0b1001)) == 0);
    auto a = touches(3, 0xffff);
    for (unsigned i = 1; i < 5; ++i) a.touched[i] = 0xffff;
    CHECK(shared_subregions(a, a) == 80); // the most there is: it fits the table's 8 bits
    CHECK(shared_subregions({}, a) == 0);
}

TEST_CASE(
    "locality-aware: greedy, then on a short stall the active warp that shares most with the last issuer") {
    told<locality_aware> s;
    s.launch(warps({0, 1, 2, 3}));
    notify(footprint_known{warp_slot{0}, touches(1, 0b0011)}, s.policy);
    notify(footprint_known{warp_slot{1}, touches(1, 0b1000)}, s.policy);
    notify(footprint_known{warp_slot{2}, touches(1, 0b0111)}, s.policy);
    notify(footprint_known{warp_slot{3}, touches(1, 0b0110)}, s.policy);
    auto const all = warp_set::first_n(4);
    CHECK(s.step(all) == 0); // nobody issued yet: the oldest
    CHECK(s.step(all) == 0);
    s.block(0, block_reason::dependency);
    CHECK(s.pick(all - warps({0})) == 2); // shares 2, warp 3 shares 1, warp 1 none
    CHECK(s.pick(warps({1, 3})) == 3);
    CHECK(s.step(warps({1})) == 1);
    CHECK(s.pick(warps({0, 2, 3})) == 0); // nobody shares anything with warp 1: the oldest
}

TEST_CASE("locality-aware: a long stall demotes, and the ready pending warp that shares most with all active "
          "is next") {
    told<locality_aware_two_level<2>> s;
    s.launch(warp_set::first_n(6));
    CHECK(s.policy.active() == warps({0, 1}));
    std::uint16_t const masks[] = {0b0000'0011, 0b0000'1100, 0, 0b0000'0011, 0b0000'0110, 0b0000'1111};
    for (unsigned w = 0; w < 6; ++w) notify(footprint_known{warp_slot{w}, touches(0, masks[w])}, s.policy);
    s.block(5, block_reason::memory); // would share 4, but is not ready
    CHECK(s.pick(warps({2, 3, 4, 5})) == -1);
    CHECK(s.policy.eligible(warp_set::first_n(6)) == warps({0, 1}));
    s.block(0, block_reason::memory);
    CHECK(s.policy.active() == warps({1, 4})); // 4 shares one sub-region with 1, 3 none
    s.unblock(0, block_reason::memory);
    s.unblock(5, block_reason::memory);
    CHECK(s.policy.active() == warps({1, 4})); // no room
    s.block(4, block_reason::dependency);      // a short stall: 4 stays
    CHECK(s.policy.active() == warps({1, 4}));
    s.block(4, block_reason::fence);
    CHECK(s.policy.active() == warps({1, 5})); // now 5 shares two
}

TEST_CASE("locality-aware: with no ready pending warp the place stays empty until one wakes") {
    told<locality_aware_two_level<2>> s;
    s.launch(warp_set::first_n(3));
    s.block(2, block_reason::memory);
    s.block(1, block_reason::memory);
    CHECK(s.policy.active() == warps({0}));
    s.unblock(2, block_reason::memory);
    CHECK(s.policy.active() == warps({0, 2}));
    s.exit(0);
    CHECK(s.policy.active() == warps({2}));
}

TEST_CASE("locality-aware: warps at a barrier make room for those that they wait for") {
    told<locality_aware_two_level<2>> s;
    s.launch(warp_set::first_n(4));
    for (unsigned w = 0; w < 2; ++w) {
        notify(barrier_arrived{warp_slot{w}}, s.policy);
        s.block(w, block_reason::barrier);
    }
    CHECK(s.policy.active() == warps({2, 3}));
    notify(barrier_arrived{warp_slot{2}, false}, s.policy); // it only arrives: it stays
    CHECK(s.policy.active() == warps({2, 3}));
    CHECK(s.pick(warps({2})) == 2);
}

TEST_CASE("locality-aware: a CTA that sees more than 2 N others launched comes first (section 3.4.2)") {
    told<locality_aware_two_level<1>> s;
    notify(kernel_began{nullptr, 0, 1, 48, 2, 1}, s.policy); // N = 2
    s.launch(warps({0}));
    s.launch(warps({1}));
    CHECK(s.policy.active() == warps({0}));
    for (unsigned i = 0; i < 3; ++i) { // CTAs come and go in slot 1's neighbours, 4 launches after warp 0's
        s.launch(warps({2}));
        CHECK(s.policy.starving().empty());
        s.exit(2);
    }
    s.launch(warps({2})); // newest - age = 5 > 4 for warp 0, 4 for warp 1
    CHECK(s.policy.starving() == warps({0}));
    s.exit(2);
    s.launch(warps({2}));
    CHECK(s.policy.starving() == warps({0, 1}));
    CHECK(s.pick(warps({1, 2})) == 1); // even though it is pending
    CHECK(s.step(warps({0, 1, 2})) == 0);
    s.exit(0);
    s.exit(1);
    CHECK(s.pick(warps({2})) == 2);
}

TEST_CASE("locality-aware: a slot that is used again has neither greed nor footprint of its last warp") {
    told<locality_aware> s;
    s.launch(warps({0}));
    s.launch(warps({1}));
    for (unsigned w = 0; w < 2; ++w) notify(footprint_known{warp_slot{w}, touches(0, 7)}, s.policy);
    CHECK(s.policy.table().degree(warp_slot{0}, warp_slot{1}) == 3);
    s.issue(0);
    s.exit(0);
    s.launch(warps({0}));
    CHECK(s.policy.table().degree(warp_slot{1}, warp_slot{0}) == 0);
    CHECK(s.pick(warps({0, 1})) == 1);
    notify(footprint_known{warp_slot{0}, touches(0, 3)}, s.policy);
    CHECK(s.policy.table().degree(warp_slot{1}, warp_slot{0}) == 2);
    notify(footprint_known{warp_slot{0}, touches(1, 3)}, s.policy); // better known: the last word counts
    CHECK(s.policy.table().degree(warp_slot{1}, warp_slot{0}) == 0);
}

TEST_CASE("locality-aware: names, and the thesis's table 5.2") {
    CHECK(std::string(locality_aware::name()) == "locality_aware_two_level<8>");
    CHECK(std::string(common_name<locality_aware>) == "locality_aware");
    CHECK(locality_aware_two_level<>{12}.limit() == 12);
    auto const cost = locality_aware::hardware_cost({});
    auto const kilobytes = [&](std::size_t i) {
        return static_cast<double>(cost.begin()[i].bits) / 8 / 1024;
    };
    CHECK(kilobytes(0) == Approx(1.1).margin(0.005)); // locality degree table
    CHECK(kilobytes(1) == Approx(0.75).margin(0.02)); // access ranges: 48 times 16 bytes, printed as 1 kB
    CHECK(cost.begin()[1].bits / 48 == 130); // 16 bytes and 2 bits: five regions of 10 bits are 50, not 48
}

TEST_CASE("locality-aware: a million random decisions agree with the naive twin, and the laws hold") {
    using namespace warpkit::testing;
    CHECK_NOTHROW(require_agreement<locality_aware, twin>(
        {.seed = 2016, .streams = million, .decisions_per_stream = 10000}));
    CHECK_NOTHROW(require_agreement<locality_aware_two_level<>, twin>(
        {.seed = 2017, .streams = million / 5, .decisions_per_stream = 10000}, locality_aware_two_level<>{3},
        twin(3)));
    CHECK_NOTHROW(require_warp_scheduler_laws<locality_aware>({.seed = 5, .streams = 6}));
}
