// The combinators: what is forwarded to whom, class masks, names, costs.
#include <warpkit/testing/archetypes.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catch.hpp"
#include "warp/scenario.hpp"

#include <string>

using namespace scenario;

namespace {

/// Denies loads to all but the oldest two slots, as a throttle on loads does.
struct few_loads {
    warp_set eligible(warp_set candidates, issue_classes const& classes) const {
        return candidates - (classes.loads - warp_set::first_n(2));
    }
    bool operator==(few_loads const&) const { return true; }
};
/// Ranks the groups from the core's number on.
struct from_core {
    unsigned core = 0;
    unsigned first(unsigned groups) const { return core % groups; }
    void on(kernel_began const& e) { core = e.core; }
    bool operator==(from_core const&) const = default;
};

} // namespace

TEST_CASE("a throttle by class hears what the candidates would issue") {
    throttled<few_loads, gto> s;
    static_assert(asks_classes<throttled<few_loads, gto>> && !picks_plainly<throttled<few_loads, gto>>);
    issue_classes const classes{warp_set::range(2, 4), {}, {}};
    CHECK(s.eligible(warp_set::first_n(6), classes) == warps({0, 1, 4, 5}));
    CHECK(s.pick(warps({2, 3, 5}), classes) == warp_slot{5});
    CHECK(s.pick(warps({2, 3}), classes) == no_warp);
    throttled<oldest_n<1>, throttled<few_loads, gto>> both;
    notify(cta_launched{cta_slot{0}, 0, warp_set::range(2, 4), 0}, both);
    CHECK(both.eligible(warp_set::first_n(4), {}) == warps({2}));
    CHECK(both.eligible(warp_set::first_n(4), classes).empty());
}

TEST_CASE("an order that asks for classes gets them through every combinator") {
    using asking = testing::asking_scheduler_archetype;
    issue_classes const classes{warps({9}), {}, {}};
    auto const all = warp_set::first_n(16);
    CHECK(greedy_then<asking>{}.pick(all, classes) == warp_slot{9});
    CHECK(grouped<one_group, first_with_candidate<>, asking>{}.pick(all, classes) == warp_slot{9});
    CHECK(throttled<testing::eligibility_archetype, asking>{}.pick(all, classes) == warp_slot{9});
    bool asked = false;
    auto const masks = [&] {
        asked = true;
        return classes;
    };
    CHECK(pick_warp(lrr{}, all, masks) == warp_slot{0});
    CHECK_FALSE(asked); // made only for those who ask
    CHECK(pick_warp(asking{}, all, masks) == warp_slot{9});
    CHECK(asked);
}

TEST_CASE("group ranks can be rotated by core, as OWL's bank-level parallelism wants") {
    grouped<by_slot<8>, first_with_candidate<from_core>, lrr> s;
    auto const all = warp_set::first_n(32);
    notify(kernel_began{nullptr, 1, 4, 32, 4, 8}, s);
    CHECK(s.pick(all) == warp_slot{8}); // core 1 of 4 groups: priorities 3, 0, 1, 2
    CHECK(s.pick(all - warp_set::range(8, 16)) == warp_slot{16});
    CHECK(s.pick(warp_set::range(0, 8)) == warp_slot{0});
}

TEST_CASE("preemptive groups: the first with a candidate, whoever issued last") {
    grouped<by_slot<8>, first_with_candidate<>, lrr> s;
    auto const all = warp_set::first_n(16);
    CHECK(s.pick(all - warp_set::first_n(8)) == warp_slot{8});
    notify(issued{warp_slot{8}}, s);
    CHECK(s.pick(all) == warp_slot{0});
    CHECK(s.pick(warp_set{}) == no_warp);
}

TEST_CASE("the combinators work with the least that their parts' concepts ask") {
    using namespace warpkit::testing;
    using mine =
        throttled<eligibility_archetype,
                  grouped<grouping_archetype, group_order_archetype, greedy_then<warp_scheduler_archetype>>>;
    static_assert(check_warp_scheduler<mine>());
    CHECK(mine{}.pick(warps({40, 33})) == warp_slot{33});
    CHECK(std::string(mine::name()) ==
          "throttled<eligibility_archetype, grouped<grouping_archetype, group_order_archetype, "
          "greedy_then<warp_scheduler_archetype>>>");
}

TEST_CASE("a composition's name reads like its type; the literature's name stands beside") {
    CHECK(std::string(gto::name()) == "greedy_then<oldest>");
    CHECK(std::string(common_name<gto>) == "gto");
    CHECK(std::string(common_name<gty>) == "gty");
    CHECK(std::string(common_name<two_level>) == "two_level");
    CHECK(std::string(common_name<lrr>) == "lrr");
    CHECK(std::string(two_level::name()) == "grouped<by_slot<8>, rotate_when_blocked, lrr>");
    CHECK(std::string(static_wavefront_limit<12>::name()) == "throttled<oldest_n<12>, greedy_then<oldest>>");
    CHECK(std::string(static_wavefront_limit<>::name()) == "throttled<oldest_n, greedy_then<oldest>>");
}

TEST_CASE("hardware cost of a GTX480 core: 48 warps, 2 schedulers of 24") {
    core_shape const core;
    CHECK(hardware_cost_of<lrr>(core).total_bits() == 2 * 5);
    CHECK(hardware_cost_of<oldest>(core).total_bits() == 2 * (24 * 23 / 2));
    CHECK(hardware_cost_of<gto>(core).total_bits() == 2 * (5 + 24 * 23 / 2));
    CHECK(hardware_cost_of<gto>(core).size() == 2);
    CHECK(std::string(hardware_cost_of<gto>(core).begin()->structure) == "greedy warp");
    // The throttle's matrix and two masks, then gto's own.
    CHECK(hardware_cost_of<static_wavefront_limit<4>>(core).total_bits() ==
          2 * (276 + 24 + 24) + 2 * (5 + 276));
    // Front group of 6 per scheduler, two masks over the core, six round-robins over 8 slots' four warps each.
    CHECK(hardware_cost_of<two_level>(core).total_bits() == 2 * 3 + 2 * 48 + 6 * 2 * 2);
    CHECK(bits_for(1) == 0);
    CHECK(bits_for(2) == 1);
    CHECK(bits_for(48) == 6);
    CHECK(bits_for(64) == 6);
    CHECK(bits_for(65) == 7);
}

TEST_CASE("a list of costs that is full still adds up") {
    hardware_cost_list list;
    for (unsigned i = 0; i < 40; ++i) list.add("structure", 3);
    CHECK(list.size() == hardware_cost_list::capacity);
    CHECK(list.total_bits() == 120);
}
