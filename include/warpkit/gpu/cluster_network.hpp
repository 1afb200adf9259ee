#pragma once
/// \file
/// What joins the cores of a group (docs/model/clusters.md#network).
///
/// In the reference: `cluster_network` (reference/cluster_network.hpp), cycle by cycle.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Messages are handed over where two windows of the cores meet: as they are on their way for a window's time at least,
/// all that come in the next one are known. When an end is free again is known as soon as it takes a message, so no
/// cycle is looked at.
class cluster_network {
public:
    cluster_network() = default;
    [[gnu::cold]] explicit cluster_network(gpu_parameters const& p)
        : latency_(p.cluster.latency),
          bandwidth_(p.cluster.bandwidth) {
        if (p.cluster.cores == 0) return;
        sends_from_ = heap_array<cycle>(p.core.count, 0);
        end_ = heap_array<receiving_end>::of(p.core.count, [](std::size_t) { return receiving_end(); });
    }

    /// Core m.from has sent this in cycle `at` of the window; told in the order of its cycles.
    /// Abbreviates `cluster_network::tick`, for ends that send.
    void send(cycle at, cluster_message const& m) {
        auto& free = sends_from_[m.from];
        auto const leaves = at < free ? free : at;
        free = leaves + cycles_of(m, bandwidth_);
        auto& coming = end_[m.to].coming;
        message const comes{leaves + latency_, m};
        auto before = coming.end();
        while (before != coming.begin() && comes.is_before(*(before - 1))) --before;
        coming.insert(before, comes);
        ++under_way_;
    }
    /// The window before cycle `end` is over. Calls `deliver(cycle, message)` for what is known to come.
    /// Abbreviates `cluster_network::tick`, for ends that receive.
    template <class Deliver>
    void run(cycle end, Deliver&& deliver) {
        if (under_way_ == 0) return;
        for (auto& e : end_) {
            auto m = e.coming.begin();
            for (; m != e.coming.end() && m->at < end + latency_; ++m) {
                auto const from = m->at < e.free ? e.free : m->at;
                e.free = from + cycles_of(m->what, bandwidth_);
                deliver(e.free - 1, m->what);
                --under_way_;
            }
            e.coming.erase(e.coming.begin(), m);
        }
    }
    /// The cycle whose window must be looked at, so that nothing comes before it is known; `never` if nothing is under
    /// way.
    cycle next() const noexcept {
        auto next = never;
        if (under_way_ == 0) return next;
        for (auto const& e : end_)
            if (!e.coming.empty() && e.coming.front().at - latency_ < next)
                next = e.coming.front().at - latency_;
        return next;
    }
    /// Messages that have not been delivered.
    std::size_t under_way() const noexcept { return under_way_; }

    WARPKIT_STORED_MEMBERS(5)
    friend bool operator==(cluster_network const&, cluster_network const&) = default;

private:
    struct message {
        cycle at = 0; ///< it begins to come
        cluster_message what;
        friend bool operator==(message const&, message const&) = default;
        bool is_before(message const& o) const noexcept {
            return at < o.at || (at == o.at && what.from < o.what.from);
        }
    };
    struct receiving_end {
        cycle free = 0; ///< from then on
        std::vector<message> coming;
        friend bool operator==(receiving_end const&, receiving_end const&) = default;
    };

    cycle latency_ = 0;
    std::uint32_t bandwidth_ = 0;
    std::size_t under_way_ = 0;
    heap_array<cycle> sends_from_; ///< by core: when its end is free
    heap_array<receiving_end> end_;
};

} // namespace warpkit
