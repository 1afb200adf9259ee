#pragma once
/// \file
/// The least that each concept allows: whoever is generic over policies must work with these, and so asks no more of a
/// policy than its concept says. They have no names, no costs, no more events than they need and no spare operators.

#include <warpkit/base/events.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cta/cluster_placement.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit::testing {

/// A warp scheduler, an order and a fetch order: the lowest candidate.
struct warp_scheduler_archetype {
    warp_slot pick(warp_set candidates) const { return candidates.first(); }
    bool operator==(warp_scheduler_archetype const&) const { return true; }
};
/// One that asks what the candidates would issue: loads first.
struct asking_scheduler_archetype {
    warp_slot pick(warp_set candidates, issue_classes const& classes) const {
        return classes.loads ? classes.loads.first() : candidates.first();
    }
    bool operator==(asking_scheduler_archetype const&) const { return true; }
};
/// One that refuses candidates: after an issue, the next slot above has to wait a cycle.
struct throttling_scheduler_archetype {
    warp_set eligible(warp_set candidates) const { return candidates - resting_; }
    warp_slot pick(warp_set candidates) const { return eligible(candidates).first(); }
    void on(issued const& e) { resting_ = warp_set::range(e.warp.index() + 1, e.warp.index() + 2); }
    void on(cycles_spent const& e) {
        if (e.cause != cycle_cause::issued) resting_ = {};
    }
    void on(kernel_began const&) { resting_ = {}; }
    bool operator==(throttling_scheduler_archetype const& other) const { return resting_ == other.resting_; }
    warp_set resting_;
};
/// An eligibility: everybody.
struct eligibility_archetype {
    warp_set eligible(warp_set candidates) const { return candidates; }
    bool operator==(eligibility_archetype const&) const { return true; }
};
/// An eligibility by class: no store beside a load.
struct asking_eligibility_archetype {
    warp_set eligible(warp_set candidates, issue_classes const& classes) const {
        return candidates & classes.loads ? candidates - classes.stores : candidates;
    }
    bool operator==(asking_eligibility_archetype const&) const { return true; }
};
/// A grouping: the lower and the upper half of the slots.
struct grouping_archetype {
    static constexpr unsigned max_groups = 2;
    static constexpr unsigned half = warp_set::width / 2;
    unsigned groups() const { return 2; }
    warp_set members(unsigned group) const { return warp_set::part(half, group); }
    unsigned group_of(warp_slot w) const { return w.index() / half; }
    bool operator==(grouping_archetype const&) const { return true; }
};
/// A group order: the first group with a candidate.
struct group_order_archetype {
    template <class G>
    unsigned front(G const& g, warp_set candidates) const {
        for (unsigned group = 0; group < g.groups(); ++group)
            if (candidates & g.members(group)) return group;
        return no_group;
    }
    bool operator==(group_order_archetype const&) const { return true; }
};
/// A fetch order that hears nothing of its own.
using fetch_order_archetype = warp_scheduler_archetype;

/// A choice of block: the lowest core with room.
struct cta_choice_archetype {
    cta_assignment choose(core_rooms rooms) const {
        for (unsigned core = 0; core < rooms.size() && next < end; ++core)
            if (rooms[core] != 0) return {core, next, 1};
        return {};
    }
    void on(grid_began const& e) {
        next = 0;
        end = e.ctas();
    }
    void on(cta_dispatched const&) { ++next; }
    bool operator==(cta_choice_archetype const& other) const {
        return next == other.next && end == other.end;
    }
    std::uint64_t next = 0;
    std::uint64_t end = 0;
};
/// An occupancy limit: one CTA.
struct occupancy_limit_archetype {
    unsigned limit(unsigned) const { return 1; }
    bool operator==(occupancy_limit_archetype const&) const { return true; }
};
/// A kernel dispatch: the first that may be served.
struct kernel_dispatch_archetype {
    unsigned pick(kernels_on_core const& core) const {
        for (unsigned i = 0; i < core.size(); ++i)
            if (core.may(i)) return i;
        return no_kernel;
    }
    bool operator==(kernel_dispatch_archetype const&) const { return true; }
};
/// A placement of clusters: the first core with room.
struct cluster_placement_archetype {
    unsigned place(cluster_on_group const& group) const {
        unsigned c = 0;
        while (group.rooms[c] == 0) ++c;
        return c;
    }
    bool operator==(cluster_placement_archetype const&) const { return true; }
};
/// One that gives whole cores: all to everybody.
struct core_parting_archetype {
    unsigned share(unsigned, unsigned, unsigned cores) const { return cores; }
    bool operator==(core_parting_archetype const&) const { return true; }
};

static_assert(warp_scheduler<warp_scheduler_archetype> && warp_order<warp_scheduler_archetype>);
static_assert(warp_scheduler<asking_scheduler_archetype> && asks_classes<asking_scheduler_archetype>);
static_assert(warp_scheduler<throttling_scheduler_archetype> && narrows<throttling_scheduler_archetype>);
static_assert(eligibility<eligibility_archetype> && eligibility<asking_eligibility_archetype>);
static_assert(grouping<grouping_archetype> && group_order_of<group_order_archetype, grouping_archetype>);
static_assert(fetch_order<fetch_order_archetype>);
static_assert(kernel_dispatch<kernel_dispatch_archetype> && kernel_dispatch<core_parting_archetype>);
static_assert(cluster_placement<cluster_placement_archetype>);
static_assert(cta_choice<cta_choice_archetype> && occupancy_limit<occupancy_limit_archetype>);

} // namespace warpkit::testing
