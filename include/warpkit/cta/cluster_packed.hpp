#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/cluster_placement.hpp>

namespace warpkit {

/// Each CTA of a cluster to a core that has got some of it, the lowest with room; else to the core with most room, the
/// lowest of several. So a cluster is on as few cores as it meets with, and shared memory of each other near.
/// Source: ours; the opposite of cluster_spread.
class cluster_packed {
public:
    static constexpr char const* name() noexcept { return "cluster_packed"; }
    static constexpr char const* summary() noexcept {
        return "a cluster's CTAs fill one core before the next";
    }

    constexpr unsigned place(cluster_on_group const& group) const noexcept {
        auto best = group.size();
        for (unsigned c = 0; c < group.size(); ++c) {
            if (group.rooms[c] == 0) continue;
            if (group.given[c] != 0) return c;
            if (best == group.size() || group.rooms[c] > group.rooms[best]) best = c;
        }
        return best;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    template <class F>
    constexpr void each_member(F&&) const {}
    friend bool operator==(cluster_packed const&, cluster_packed const&) = default;
};
static_assert(cluster_placement<cluster_packed>);

} // namespace warpkit
