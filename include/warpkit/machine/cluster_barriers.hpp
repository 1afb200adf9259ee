#pragma once
/// \file
/// The barriers of clusters of CTAs (docs/model/clusters.md#barrier), in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/machine/cluster.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Who of a cluster's warps has arrived in the phase under way. It is over when all have that have instructions left.
/// Source: PTX ISA, "barrier.cluster": threads that have exited are not waited for.
class cluster_barriers {
public:
    struct barrier {
        cta_cluster cluster;       ///< of one of its CTAs
        std::uint32_t live = 0;    ///< warps with instructions left
        std::uint32_t arrived = 0; ///< of them, in this phase
        std::uint32_t phases = 0;  ///< that are over
        friend bool operator==(barrier const&, barrier const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(cluster, live, arrived, phases);
        }
    };

    /// A CTA has been sent that has so many warps with instructions. All of a cluster come before any arrives, and
    /// clusters in the order of their numbers.
    void joined(cta_cluster const& c, std::uint32_t live) {
        if (!barrier_.empty() && barrier_.back().cluster.id != c.id && barrier_.back().live == 0)
            barrier_.pop_back(); // one without instructions
        if (barrier_.empty() || barrier_.back().cluster.id != c.id) barrier_.push_back({c, 0, 0, 0});
        barrier_.back().live += live;
    }
    /// Of each cluster in the order of cycles. Calls `open(barrier)` where the phase is over with that.
    template <class Open>
    void take(cluster_arrival const& a, Open&& open) {
        auto const b = std::lower_bound(barrier_.begin(), barrier_.end(), a.cluster,
                                        [](barrier const& x, std::uint64_t id) { return x.cluster.id < id; });
        if (!a.exited) {
            ++b->arrived;
        } else {
            --b->live;
            b->arrived -= a.phases > b->phases;
        }
        if (b->live == 0) {
            barrier_.erase(b);
        } else if (b->arrived == b->live) {
            ++b->phases;
            b->arrived = 0;
            open(*b);
        }
    }
    template <class F>
    void each(F&& f) const {
        for (auto const& b : barrier_) f(b);
    }
    /// Whether no warp of any cluster has instructions left.
    bool empty() const noexcept {
        for (auto const& b : barrier_)
            if (b.live != 0) return false;
        return true;
    }

    friend bool operator==(cluster_barriers const&, cluster_barriers const&) = default;
    WARPKIT_STORED_MEMBERS(1)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(barrier_);
    }

private:
    std::vector<barrier> barrier_; ///< by number
};

} // namespace warpkit
