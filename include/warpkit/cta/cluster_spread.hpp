#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/cluster_placement.hpp>

namespace warpkit {

/// Each CTA of a cluster to the core that has got fewest of it; of these to the one with most room, and of these to the
/// lowest. So a cluster has the load/store units and the shared memory of as many cores as it can.
/// Source: ours; NVIDIA tells only that a cluster's CTAs are on one GPC (CUDA C++ Programming Guide, "Thread Block
/// Clusters").
class cluster_spread {
public:
    static constexpr char const* name() noexcept { return "cluster_spread"; }
    static constexpr char const* summary() noexcept { return "a cluster's CTAs on as many cores as can be"; }

    constexpr unsigned place(cluster_on_group const& group) const noexcept {
        auto best = group.size();
        for (unsigned c = 0; c < group.size(); ++c) {
            if (group.rooms[c] == 0) continue;
            if (best == group.size() || group.given[c] < group.given[best] ||
                (group.given[c] == group.given[best] && group.rooms[c] > group.rooms[best]))
                best = c;
        }
        return best;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    template <class F>
    constexpr void each_member(F&&) const {}
    friend bool operator==(cluster_spread const&, cluster_spread const&) = default;
};
static_assert(cluster_placement<cluster_spread>);

} // namespace warpkit
