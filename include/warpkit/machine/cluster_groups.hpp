#pragma once
/// \file
/// The groups of cores that clusters of CTAs go to, and which clusters are there (docs/model/clusters.md#dispatch). In
/// both engines.

#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cta/cluster_placement.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A grid of clusters; of one CTA each unless something else is said.
struct clustered_grid {
    dim3 grid;           ///< CTAs
    dim3 cluster;        ///< CTAs of each
    unsigned group = 1;  ///< cores
    bool in_use = false; ///< CTAs are told of their clusters

    constexpr unsigned size() const noexcept { return static_cast<unsigned>(cluster.count()); }
};
/// That of a launch on a machine.
inline clustered_grid clusters_on(gpu_parameters const& p, kernel_launch const& l) {
    return {l.grid, l.cluster, p.cluster.cores, uses_clusters(l)};
}

/// Cores by number, as many as a group has one behind the other; the last group may have fewer.
class cluster_groups {
public:
    void begin(clustered_grid const& g, unsigned cores) {
        shape_ = g;
        size_ = g.size();
        cores_ = cores;
        running_.clear();
        if (size() == 1) return;
        rooms_ = heap_array<unsigned>((cores + g.group - 1) / g.group, 0);
        given_ = heap_array<unsigned>(g.group, 0);
    }
    /// CTAs of a cluster.
    unsigned size() const noexcept { return size_; }
    bool in_use() const noexcept { return shape_.in_use; }
    unsigned groups() const noexcept { return static_cast<unsigned>(rooms_.size()); }
    template <class F>
    void each_core(unsigned group, F&& f) const {
        for (auto c = first(group); c < first(group) + cores_of(group); ++c) f(c);
    }
    /// Whether the CTAs of each cluster follow each other.
    bool are_consecutive() const noexcept { return shape_.cluster.y == 1 && shape_.cluster.z == 1; }
    /// The number of a cluster's CTA in the grid.
    std::uint64_t cta(std::uint64_t cluster, unsigned rank) const noexcept {
        auto const& c = shape_.cluster;
        std::uint64_t const columns = shape_.grid.x / c.x, rows = shape_.grid.y / c.y;
        auto const x = cluster % columns * c.x + rank % c.x;
        auto const y = cluster / columns % rows * c.y + rank / c.x % c.y;
        auto const z = cluster / columns / rows * c.z + rank / c.x / c.y;
        return (z * shape_.grid.y + y) * shape_.grid.x + x;
    }
    /// The cluster that a CTA is in.
    std::uint64_t of(std::uint64_t cta) const noexcept {
        auto const& g = shape_.grid;
        auto const& c = shape_.cluster;
        auto const x = cta % g.x / c.x, y = cta / g.x % g.y / c.y, z = cta / g.x / g.y / c.z;
        return (z * (g.y / c.y) + y) * (g.x / c.x) + x;
    }
    /// For how many clusters each group has room where cores have it for so many CTAs.
    core_rooms rooms(heap_array<unsigned> const& of_cores) noexcept {
        for (unsigned g = 0; g < groups(); ++g) {
            unsigned room = 0;
            each_core(g, [&](unsigned c) { room += of_cores[c]; });
            rooms_[g] = room / size();
        }
        return {rooms_.data(), groups()};
    }
    /// It takes nothing more.
    void close(unsigned group) noexcept { rooms_[group] = 0; }
    /// Where the CTAs of a cluster go, which take their room. Throws `error` where the policy names a core without.
    template <class Placement>
    cta_cluster place(unsigned group, Placement const& policy, heap_array<unsigned>& room) {
        cta_cluster c;
        c.ctas = static_cast<std::uint16_t>(size());
        for (auto& n : given_) n = 0;
        for (unsigned rank = 0; rank < size(); ++rank) {
            auto const at = policy.place(
                {{room.data() + first(group), cores_of(group)}, given_.data(), first(group), rank, size()});
            if (at >= cores_of(group) || room[first(group) + at] == 0)
                throw error({"the placement of clusters ", policy_name<Placement>(), " gives CTA ", rank,
                             " of a cluster to core ", at, " of group ", group,
                             ", which has no room or is not there; name one with room"});
            --room[first(group) + at];
            ++given_[at];
            c.core[rank] = static_cast<std::uint16_t>(first(group) + at);
        }
        return c;
    }
    void sent(std::uint64_t cluster, unsigned group) { running_.push_back({cluster, group, size()}); }
    /// One of its CTAs has finished: whether that was the last; then in which group.
    bool finished(std::uint64_t cluster, unsigned& group) {
        std::size_t i = 0;
        while (running_[i].cluster != cluster) ++i;
        if (--running_[i].left != 0) return false;
        group = running_[i].group;
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    }

    friend bool operator==(cluster_groups const& a, cluster_groups const& b) {
        return a.running_ == b.running_;
    }
    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(running_);
    }

private:
    /// A cluster that has not finished.
    struct running {
        std::uint64_t cluster = 0;
        unsigned group = 0;
        unsigned left = 0; ///< CTAs
        friend bool operator==(running const&, running const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(cluster, group, left);
        }
    };
    unsigned first(unsigned group) const noexcept { return group * shape_.group; }
    unsigned cores_of(unsigned group) const noexcept {
        auto const left = cores_ - first(group);
        return left < shape_.group ? left : shape_.group;
    }

    clustered_grid shape_;
    unsigned size_ = 1;
    unsigned cores_ = 0;
    heap_array<unsigned> rooms_; ///< for clusters, by group
    heap_array<unsigned> given_; ///< CTAs of a cluster that is placed, by core of its group
    std::vector<running> running_;
};

} // namespace warpkit
