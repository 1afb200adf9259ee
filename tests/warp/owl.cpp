// OWL (Jog et al., ASPLOS 2013; docs/model/warp_scheduling.md#cta-groups, with its readings): group formation, ranks,
// refill, the worked figures, the twins.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/owl.hpp>

#include "catch.hpp"
#include "warp/million.hpp"
#include "warp/scenario.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace scenario;

namespace {

// ---- what is told

kernel_began kernel(unsigned ctas, unsigned warps_per_cta, unsigned core = 0) {
    return {nullptr, core, 28, 64, ctas, warps_per_cta};
}
/// The numbers of CTAs in each group.
template <class Groups>
std::vector<unsigned> sizes(unsigned ctas, unsigned warps_per_cta) {
    Groups g;
    notify(kernel(ctas, warps_per_cta), g);
    std::vector<unsigned> n(g.groups());
    for (unsigned c = 0; c < ctas; ++c) {
        auto const warps = warp_set::range(c * warps_per_cta, (c + 1) * warps_per_cta);
        notify(cta_launched{cta_slot{c}, c, warps, 0}, g);
        ++n[g.group_of(warps.first())];
    }
    return n;
}
/// A core full of CTAs of one kernel; CTA c has the slots from c * k on.
template <class P>
struct full_core {
    P policy{};
    unsigned k;
    std::uint64_t next = 0;

    full_core(unsigned ctas, unsigned warps_per_cta, unsigned core = 0) : k(warps_per_cta) {
        tell(kernel(ctas, warps_per_cta, core));
        for (unsigned c = 0; c < ctas; ++c) launch(c);
    }
    template <class E>
    void tell(E const& e) {
        notify(e, policy);
    }
    warp_set warps(unsigned cta) const { return warp_set::range(cta * k, (cta + 1) * k); }
    void launch(unsigned cta) { tell(cta_launched{cta_slot{cta}, next++, warps(cta), 0}); }
    void exit(unsigned cta) {
        warps(cta).for_each([&](warp_slot w) { tell(warp_exited{w}); });
    }
    void replace(unsigned cta) {
        exit(cta);
        launch(cta);
    }
    void block(unsigned cta, block_reason why = block_reason::memory) {
        warps(cta).for_each([&](warp_slot w) { tell(blocked{w, why}); });
    }
    void unblock(unsigned cta) {
        warps(cta).for_each([&](warp_slot w) { tell(unblocked{w, block_reason::memory}); });
    }
    /// The CTA from which the next warp comes, if these CTAs have candidates.
    unsigned from(std::initializer_list<unsigned> ctas) const {
        warp_set candidates;
        for (auto const c : ctas) candidates |= warps(c);
        auto const w = policy.pick(candidates);
        REQUIRE(w);
        return w.index() / k;
    }
};

// ---- the twins: everything that happened to each warp, and a list of groups

enum class change : std::uint8_t { when_blocked, preemptive };

/// Ranked says that a finished group goes to the end of the list, By_core that core c begins with group c.
template <change How, bool Ranked, bool By_core = false, unsigned Interval = 0>
struct owl_twin {
    struct warp {
        bool used = false, live = false;
        bool waits[4] = {}; // by block_reason
        unsigned group = 0;
    };
    std::vector<warp> warps{warp_set::width};
    std::vector<unsigned> rank{0}; // groups, first to last
    std::vector<int> last_in{-1};  // by group: who issued last
    unsigned n = 1, front = 0;
    std::uint64_t now = 0;

    void on(kernel_began const& e) {
        *this = {};
        while (n * e.warps_per_cta < 8) ++n;
        auto const groups = std::max(1U, e.ctas_per_core / n);
        rank.clear();
        for (unsigned g = 0; g < groups; ++g) rank.push_back(g);
        if (By_core) std::rotate(rank.begin(), rank.begin() + e.core % groups, rank.end());
        last_in.assign(groups, -1);
    }
    void on(cta_launched const& e) {
        auto g = std::min<unsigned>(e.cta.index() / n, static_cast<unsigned>(rank.size()) - 1);
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (Ranked && e.warps.contains(warp_slot{w}) && warps[w].used) g = rank.back();
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (e.warps.contains(warp_slot{w})) {
                warps[w] = {};
                warps[w].used = warps[w].live = true;
                warps[w].group = g;
            }
        move_on();
    }
    void on(warp_exited const& e) {
        auto& w = warps[e.warp.index()];
        w.live = false;
        if (Ranked && none([&](warp const& v) { return v.live && v.group == w.group; })) {
            rank.erase(std::find(rank.begin(), rank.end(), w.group));
            rank.push_back(w.group);
        }
        move_on();
    }
    void on(blocked const& e) {
        warps[e.warp.index()].waits[static_cast<unsigned>(e.reason)] = true;
        move_on();
    }
    void on(unblocked const& e) {
        warps[e.warp.index()].waits[static_cast<unsigned>(e.reason)] = false;
        move_on();
    }
    void on(barrier_released const& e) {
        for (unsigned w = 0; w < warp_set::width; ++w)
            if (e.warps.contains(warp_slot{w})) on(unblocked{warp_slot{w}, block_reason::barrier});
    }
    void on(issued const& e) { last_in[warps[e.warp.index()].group] = static_cast<int>(e.warp.index()); }
    void on(cycles_spent const& e) { now += e.count; }

    template <class F>
    bool none(F f) const {
        return std::none_of(warps.begin(), warps.end(), f);
    }
    static bool stuck(warp const& w) {
        return w.waits[static_cast<unsigned>(block_reason::memory)] ||
               w.waits[static_cast<unsigned>(block_reason::barrier)] ||
               w.waits[static_cast<unsigned>(block_reason::fence)];
    }
    void move_on() {
        if (How == change::preemptive) return;
        for (unsigned i = 0; i < rank.size(); ++i) {
            auto const g = static_cast<unsigned>((front + i) % rank.size());
            if (none([&](warp const& w) { return w.live && w.group == g && !stuck(w); })) continue;
            front = g;
            return;
        }
    }
    warp_slot pick(warp_set candidates) const {
        auto const start = How == change::when_blocked ? front : Interval == 0 ? 0 : now / Interval;
        for (unsigned i = 0; i < rank.size(); ++i) {
            auto const g = rank[(start + i) % rank.size()];
            for (unsigned k = 1; k <= warp_set::width; ++k) {
                auto const w = (static_cast<unsigned>(last_in[g]) + k) % warp_set::width;
                if (candidates.contains(warp_slot{w}) && warps[w].group == g) return warp_slot{w};
            }
        }
        return no_warp;
    }
};

template <class Policy, class Twin>
void agrees(unsigned streams = million) {
    using namespace warpkit::testing;
    require_agreement<Policy, Twin>({.seed = 20130316, .streams = streams, .decisions_per_stream = 10000});
    require_warp_scheduler_laws<Policy>({.seed = 4, .streams = 6});
}

} // namespace

TEST_CASE("OWL, section 4.1 and Algorithm 1: groups of whole CTAs") {
    using five = by_cta<min_warps<5>>;
    using eight = by_cta<min_warps<8>>;
    using list = std::vector<unsigned>;
    CHECK(sizes<five>(10, 2) == list{3, 3, 4}); // the paper's worked example
    CHECK(sizes<eight>(8, 6) == list{2, 2, 2, 2});
    CHECK(sizes<eight>(3, 2) == list{3});
    CHECK(sizes<eight>(5, 8) == list{1, 1, 1, 1, 1});
    CHECK(sizes<eight>(8, 8) == list(8, 1));
    CHECK(sizes<eight>(1, 6) == list{1}); // WP, section 4.2: six warps, one group, nothing to gain
    CHECK(sizes<eight>(2, 32) == list{1, 1});
    CHECK(sizes<by_cta<min_warps<8>, inherit_slot>>(7, 3) == list{3, 4});
    for (unsigned k = 1; k <= 64; ++k)
        for (unsigned n = 1; n * k <= 64; ++n) {
            auto const groups = sizes<eight>(n, k);
            unsigned sum = 0;
            bool enough = true;
            for (auto const g : groups) {
                sum += g;
                enough = enough && (groups.size() == 1 || g * k >= 8);
            }
            if (sum != n || !enough) FAIL("N = " << n << ", k = " << k);
        }
}

TEST_CASE("OWL, Algorithm 1: BLP's priorities are (group - core) mod groups") {
    by_cta<min_warps<8>, rank_last<rotated_by_core>> g;
    for (unsigned core = 0; core < 28; ++core) {
        notify(kernel(4, 8, core), g);
        std::vector<unsigned> priority(4);
        for (unsigned p = 0; p < 4; ++p) priority[g.ranked(p)] = p;
        for (int group = 0; group < 4; ++group)
            if (priority[static_cast<unsigned>(group)] !=
                static_cast<unsigned>(((group - static_cast<int>(core)) % 4 + 4) % 4))
                FAIL("core " << core << ", group " << group);
        if (core == 1) CHECK(priority == std::vector<unsigned>{3, 0, 1, 2});
    }
}

// Figure 4: CTAs 1, 3, 5, 7 on core 1, one in each group: here the slots 0, 1, 2, 3 with 8 warps each.
TEST_CASE("OWL, figure 4 (A): CTA-Aware goes on to CTAs 5 and 7 though CTA 1's data have come") {
    full_core<cta_aware> core(4, 8);
    CHECK(core.from({0, 1, 2, 3}) == 0);
    core.block(0);
    CHECK(core.from({1, 2, 3}) == 1);
    core.block(1);
    CHECK(core.from({2, 3}) == 2);
    core.unblock(0); // the data of CTA 1 arrive while CTA 5 executes
    CHECK(core.from({0, 2, 3}) == 2);
    core.block(2);
    CHECK(core.from({0, 3}) == 3);
    core.block(3);
    CHECK(core.from({0}) == 0); // four CTAs have used the cache before it is CTA 1's turn again
}

TEST_CASE("OWL, figure 4 (B): CTA-Aware-Locality returns to CTA 1 at once") {
    full_core<cta_aware_locality> core(4, 8);
    CHECK(core.from({0, 1, 2, 3}) == 0);
    core.block(0);
    CHECK(core.from({1, 2, 3}) == 1);
    core.block(1);
    CHECK(core.from({2, 3}) == 2);
    core.unblock(0);
    CHECK(core.from({0, 2, 3}) == 0); // three CTAs share the cache in this time, not four
    core.exit(0);
    CHECK(core.from({2, 3}) == 2); // CTA 3 is still blocked
    core.unblock(1);
    CHECK(core.from({1, 2, 3}) == 1); // section 4.2: the next group is now the one that is always prioritised
}

// Figure 5: cores 1 and 2 (0 and 1 here) hold CTAs {1, 3} and {2, 4}.
TEST_CASE("OWL, figure 5: with BLP, the two cores prioritise CTAs 1 and 4 instead of 1 and 2") {
    full_core<cta_aware_locality> const locality_0(2, 8, 0), locality_1(2, 8, 1);
    CHECK(locality_0.from({0, 1}) == 0); // CTA 1
    CHECK(locality_1.from({0, 1}) == 0); // CTA 2
    full_core<cta_aware_locality_blp> const blp_0(2, 8, 0), blp_1(2, 8, 1);
    CHECK(blp_0.from({0, 1}) == 0); // CTA 1
    CHECK(blp_1.from({0, 1}) == 1); // CTA 4
}

TEST_CASE("OWL: round-robin inside a group, each group with its own place") {
    full_core<cta_aware_locality> core(2, 8);
    auto const all = warp_set::first_n(16);
    auto const step = [&](warp_set c) {
        auto const w = core.policy.pick(c);
        core.tell(issued{w});
        return w.index();
    };
    CHECK(step(all) == 0);
    CHECK(step(all) == 1);
    CHECK(step(warp_set::range(8, 16)) == 8);
    CHECK(step(all) == 2);
    CHECK(step(warp_set::range(8, 16)) == 9);
}

TEST_CASE("OWL: CTA-Aware counts barriers as blocked, and short dependencies not") {
    full_core<cta_aware> core(3, 8);
    core.block(0, block_reason::dependency);
    CHECK(core.from({1, 2}) == 1);    // fills the slot ...
    CHECK(core.from({0, 1, 2}) == 0); // ... without moving the front
    core.block(0, block_reason::barrier);
    CHECK(core.from({0, 1, 2}) == 1);
    full_core<grouped<by_cta<min_warps<8>, inherit_slot>, rotate_when_blocked_only, lrr>> idle(3, 8);
    CHECK_FALSE(idle.policy.pick(idle.warps(1))); // the paper's own reading leaves the slot idle
}

TEST_CASE("OWL: whether a group is blocked is judged over all schedulers of the core") {
    full_core<cta_aware> core(2, 8);
    core.tell(scheduler_began{0, 2, warp_set::every(2, 0)}); // its warps are the even ones
    auto const even = warp_set::every(2, 0);
    core.tell(blocked{warp_slot{7}, block_reason::memory});
    (core.warps(0) & even).for_each([&](warp_slot w) { core.tell(blocked{w, block_reason::memory}); });
    CHECK(core.policy.group_order().front(core.policy.groups(), core.warps(0)) == 0); // 1, 3 and 5 go on
    for (auto const w : {1U, 3U, 5U}) core.tell(blocked{warp_slot{w}, block_reason::memory});
    CHECK(core.policy.pick(warp_set::first_n(16) & even) == warp_slot{8});
}

TEST_CASE("OWL: refill by rank_last, as section 4.2's \"the next group is chosen\" wants") {
    full_core<cta_aware_locality> core(6, 4); // groups of two CTAs: {0, 1}, {2, 3}, {4, 5}
    CHECK(core.from({0, 1, 2, 3, 4, 5}) == 0);
    core.replace(0); // group 0 is not over: the newcomer joins the group that ranks last
    CHECK(core.from({0, 2}) == 2);
    CHECK(core.policy.groups().group_of(warp_slot{0}) == 2);
    CHECK(core.from({0, 1}) == 1);
    core.replace(1); // group 0 is over, ranks last, and is formed anew from now on
    CHECK(core.policy.groups().group_of(warp_slot{4}) == 0);
    CHECK(core.from({0, 1, 2, 4}) == 2);
    CHECK(core.from({1, 4}) == 4);
    core.exit(2);
    core.exit(3); // group 1 is over, too
    CHECK(core.from({0, 1, 4, 5}) == 0);
    core.launch(3);
    CHECK(core.from({1, 3}) == 1); // behind group 0
}

TEST_CASE("OWL: refill by inherit_slot: the first group never ends") {
    full_core<grouped<by_cta<min_warps<8>, inherit_slot>, first_with_candidate<rotated_by_core>, lrr>> core(
        4, 8);
    for (unsigned i = 0; i < 10; ++i) {
        core.replace(0);
        CHECK(core.from({0, 1, 2, 3}) == 0);
    }
    core.tell(kernel(4, 8, 6)); // and on core 6 it is group 6 mod 4
    for (unsigned c = 0; c < 4; ++c) core.launch(c);
    CHECK(core.from({0, 1, 2, 3}) == 2);
    CHECK(core.from({0, 1}) == 0);
}

TEST_CASE("OWL: the fair version's front moves on after a fixed interval (section 4.2, future work)") {
    full_core<cta_aware_locality_fair> core(3, 8);
    CHECK(core.from({0, 1, 2}) == 0);
    core.tell(cycles_spent{0, cycle_cause::issued, 0, 4095});
    CHECK(core.from({0, 1, 2}) == 0);
    core.tell(cycles_spent{0, cycle_cause::issued, 4095, 1});
    CHECK(core.from({0, 1, 2}) == 1);
    CHECK(core.from({0, 2}) == 2); // all ranks have moved
    core.tell(cycles_spent{0, cycle_cause::raw_memory, 4096, 8192});
    CHECK(core.from({0, 1, 2}) == 0);
    grouped<by_cta<min_warps<8>, inherit_slot>, first_with_candidate<rotated_every<run_time>>, lrr> swept{
        {}, first_with_candidate<rotated_every<run_time>>{rotated_every<run_time>{100}}};
    notify(kernel(3, 8), swept);
    notify(cycles_spent{0, cycle_cause::issued, 0, 250}, swept);
    CHECK(swept.group_order().rank().first(3) == 2);
}

TEST_CASE("OWL: a CTA slot beyond those announced, and fewer CTAs than slots, do no harm") {
    cta_aware_locality s;
    CHECK_FALSE(s.pick(warp_set{}));
    notify(kernel(0, 0), s);
    notify(cta_launched{cta_slot{5}, 0, warp_set::range(40, 48), 0}, s);
    CHECK(s.pick(warp_set::range(40, 48)) == warp_slot{40});
    notify(kernel(8, 6), s); // N of the kernel, though only one CTA comes
    notify(cta_launched{cta_slot{0}, 0, warp_set::range(0, 6), 0}, s);
    CHECK(s.groups().groups() == 4);
    CHECK(s.pick(warp_set::range(0, 6)) == warp_slot{0});
}

TEST_CASE("OWL: names, and the storage of a GTX480 core") {
    CHECK(std::string(cta_aware_locality_blp::name()) ==
          "grouped<by_cta<min_warps<8>, rank_last<rotated_by_core>>, first_with_candidate, lrr>");
    CHECK(std::string(common_name<cta_aware>) == "cta_aware");
    // Six groups of 8: a number per warp; for CTA-Aware the front and two masks, ranked the order and the used slots;
    // a round-robin in each group and scheduler.
    core_shape const core;
    CHECK(hardware_cost_of<cta_aware>(core).total_bits() == 48 * 3 + (2 * 3 + 2 * 48) + 6 * 2 * 2);
    CHECK(hardware_cost_of<cta_aware_locality>(core).total_bits() == 48 * 3 + 6 * 3 + 8 + 6 * 2 * 2);
    // Groups of twice as many warps: half as many of them.
    auto const coarse = policy_with<cta_aware_of<run_time>>("cta_aware:min_warps=16");
    CHECK(hardware_cost_of(coarse, core).total_bits() == 48 * 2 + (2 * 2 + 2 * 48) + 3 * 2 * 3);
}

TEST_CASE("OWL: a million random decisions each agree with the naive twin, and the laws hold") {
    CHECK_NOTHROW(agrees<cta_aware, owl_twin<change::when_blocked, false>>());
    CHECK_NOTHROW(agrees<cta_aware_locality, owl_twin<change::preemptive, true>>());
    CHECK_NOTHROW(agrees<cta_aware_locality_blp, owl_twin<change::preemptive, true, true>>());
    CHECK_NOTHROW(agrees<cta_aware_locality_fair, owl_twin<change::preemptive, false, false, 4096>>());
    CHECK_NOTHROW(agrees<cta_aware_locality_fair_every<700>, owl_twin<change::preemptive, false, false, 700>>(
        million / 5));
}
