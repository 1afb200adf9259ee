#pragma once
/// \file
/// Clusters of CTAs: which core of its group each CTA of a cluster goes to (docs/model/clusters.md#placement).

#include <warpkit/base/check.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/cta/events.hpp>

#include <concepts>
#include <type_traits>

namespace warpkit {

/// A group of cores that a cluster goes to, when the next of its CTAs wants a place there. Views of the host's tables,
/// by the core's number in its group.
struct cluster_on_group {
    core_rooms rooms;                ///< for how many further CTAs each has room
    unsigned const* given = nullptr; ///< CTAs of this cluster that each has got
    unsigned first = 0;              ///< the number of the group's first core in the machine
    unsigned rank = 0;               ///< of the CTA in its cluster
    unsigned ctas = 1;               ///< of the cluster

    constexpr unsigned size() const noexcept { return rooms.size(); }
};

/// Which core of the group gets the next CTA of a cluster?
///
/// Contract: `place(group)` is const and names a core of the group, by its number there, that has room. All CTAs of a
/// cluster are placed in one cycle, in the order of their ranks; as many have room as there are. State is regular and
/// changes through grid_began (as good as new), cta_dispatched and cta_retired, which tell of CTAs and cores.
template <class P>
concept places_clusters = requires(P const& p, cluster_on_group const& group) {
    { p.place(group) } -> std::same_as<unsigned>;
};
template <class P>
concept cluster_placement = regular_state<P> && places_clusters<P>;

/// Refuses, with one message that tells the remedy, a type that is no placement of clusters.
template <class P>
constexpr bool check_cluster_placement() {
    if constexpr (!std::is_polymorphic_v<P> && !places_clusters<P>) {
        static_assert(detail::acceptable<P>,
                      "warpkit: a placement of clusters needs `unsigned place(cluster_on_group const&) const "
                      "noexcept` (cta/cluster_placement.hpp)");
    } else if constexpr (check_value<P>()) {
        detail::check_handlers<P>(cta_choice_events{});
    }
    return cluster_placement<P>;
}

} // namespace warpkit
