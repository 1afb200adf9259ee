#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/cta/cluster_placement.hpp>
#include <warpkit/cta/cluster_spread.hpp>

namespace warpkit {

/// CTAs whose ranks differ in the last bit alone on two cores whose numbers do, so that pairs have a texture processing
/// cluster (TPC) to themselves; pairs on as many of these as can be, of equal ones that with most room, the lowest.
/// Where no two such cores both have room, and where a group ends with half a pair, as cluster_spread.
/// Source: pairs of CTAs of Blackwell's tcgen05, cta_group::2, whose ranks differ in the last bit (PTX ISA 8.6, "CTA
/// Pair", 2024, from memory); that a pair's cores are neighbours is how NVIDIA's slides draw it.
/// Differs: here it is a preference for all kernels, there pairs cannot be elsewhere.
/// Hardware cost: none beside the count of each core's CTAs.
class cluster_paired {
public:
    static constexpr char const* name() noexcept { return "cluster_paired"; }
    static constexpr char const* summary() noexcept {
        return "a cluster's CTAs two by two on neighbouring cores, pairs apart (CTA pairs)";
    }

    constexpr unsigned place(cluster_on_group const& group) const noexcept {
        auto best = group.size();
        for (unsigned c = 0; c < group.size(); ++c) {
            auto const other = partner(group, c);
            if (group.rooms[c] == 0 || other == group.size()) continue;
            if (group.rank % 2 != 0) { // to the core beside that of the rank before
                if (group.given[c] < group.given[other]) return c;
                continue;
            }
            if (other < c || group.rooms[other] == 0) continue;
            auto const given = given_to(group, c), least = best == group.size() ? ~0U : given_to(group, best);
            if (given < least || (given == least && room_of(group, c) > room_of(group, best))) best = c;
        }
        return best != group.size() ? best : cluster_spread{}.place(group);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    template <class F>
    constexpr void each_member(F&&) const {}
    friend bool operator==(cluster_paired const&, cluster_paired const&) = default;

private:
    /// The core beside it, by its number in the machine; size() if that is in another group.
    static constexpr unsigned partner(cluster_on_group const& group, unsigned c) noexcept {
        auto const other = (group.first + c) ^ 1U;
        return other < group.first || other >= group.first + group.size() ? group.size()
                                                                          : other - group.first;
    }
    /// Of a core and its partner.
    static constexpr unsigned given_to(cluster_on_group const& group, unsigned c) noexcept {
        return group.given[c] + group.given[partner(group, c)];
    }
    static constexpr unsigned room_of(cluster_on_group const& group, unsigned c) noexcept {
        return group.rooms[c] + group.rooms[partner(group, c)];
    }
};
static_assert(cluster_placement<cluster_paired>);

} // namespace warpkit
