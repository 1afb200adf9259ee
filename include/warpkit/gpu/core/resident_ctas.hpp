#pragma once
/// \file
/// CTAs on one core: they come, meet at barriers, and leave.
///
/// In the reference: `core::admit`, `arrive`, `exit`, `finish` and `retire` (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/gpu/core/hosts.hpp>
#include <warpkit/gpu/core/warp_table.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/cta_notices.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// What is resident stands in the core's warp_table; here is how it comes in, waits for each other and goes.
class resident_ctas {
    /// A CTA on its way from the dispatcher.
    struct launch_order {
        cycle at = 0;
        std::uint64_t linear_id = 0;
        cta_stream stream;
        cta_cluster cluster;
        friend bool operator==(launch_order const&, launch_order const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(at, linear_id);
        }
    };

public:
    resident_ctas() = default;
    explicit resident_ctas(unsigned core) : core_(core) {}

    /// Room for the streams of the next CTA; hand it back filled with order().
    cta_stream take_stream() {
        if (spare_.of.empty()) return {};
        auto s = std::move(spare_.of.back());
        spare_.of.pop_back();
        return s;
    }
    /// That CTA comes at `at`, not before those that were ordered earlier.
    void order(cycle at, std::uint64_t linear_id, cta_stream&& stream, cta_cluster const& cluster) {
        if (at < next_order_) next_order_ = at;
        orders_.push_back({at, linear_id, std::move(stream), cluster});
    }
    /// When the next CTA comes, or what the core was told to expect; `never` if nothing is on its way.
    cycle next_order() const noexcept { return next_order_; }
    /// Whether a CTA has come.
    bool has_come(cycle now) const noexcept { return !orders_.empty() && orders_.front().at <= now; }
    /// Something else comes, from other cores of a cluster.
    void expect(cycle at) noexcept {
        if (at < next_order_) next_order_ = at;
    }
    /// Nothing else does any more.
    void expect_nothing() noexcept { next_order_ = orders_.empty() ? never : orders_.front().at; }
    /// Whether no CTA is resident.
    bool none() const noexcept { return resident_ == 0; }
    /// The number of CTAs that have left.
    std::uint64_t retired() const noexcept { return retired_; }
    /// Those that left since somebody emptied this list.
    std::vector<finished_cta>& finished() noexcept { return finished_; }

    /// CTAs that are due take their slots.
    template <cta_host Host>
    void admit(cycle now, warp_table& t, Host& host) {
        auto o = orders_.begin();
        for (; o != orders_.end() && o->at <= now; ++o) admit(now, *o, t, host);
        orders_.erase(orders_.begin(), o);
    }
    /// `w` has no instructions left.
    template <cta_host Host>
    void warp_ends(cycle now, warp_slot w, warp_table& t, Host& host) {
        auto& warp = t.warp[w.index()];
        auto& cta = t.cta[warp.cta];
        t.live.erase(w);
        cta.live.erase(w);
        host.exited(w);
        if (!in_cluster_.empty()) exits_from_cluster(now, w, t);
        if (cta.live & t.waiting)
            cta.barriers.exited(cta.live.size(), [&](warp_set const& free) { release(free, t, host); });
        if (warp.outstanding == 0) warp_is_done(now, w, t, host);
    }
    /// The last outstanding operation of `w` has ended; whether the warp could go on now where it could not before.
    template <cta_host Host>
    bool operations_ended(cycle now, warp_slot w, warp_table& t, Host& host) {
        bool const fencing = t.fencing.contains(w);
        if (fencing) {
            t.fencing.erase(w);
            t.waiting.erase(w);
            host.tell_all(unblocked{w, block_reason::fence});
            host.let_go(warp_set::range(w.index(), w.index() + 1));
        }
        if (!t.live.contains(w)) warp_is_done(now, w, t, host);
        return fencing;
    }
    /// `w` waits until its outstanding operations, of which it has some, have ended.
    template <cta_host Host>
    void fence(warp_slot w, warp_table& t, Host& host) {
        t.waiting.insert(w);
        t.fencing.insert(w);
        host.tell_all(blocked{w, block_reason::fence});
    }
    /// `w` is at barrier `barrier`, which opens for `warps` arrivals, 0 for all warps; and waits there, or not.
    template <cta_host Host>
    void arrive(warp_slot w, unsigned barrier, std::uint8_t warps, bool waits, warp_table& t, Host& host) {
        auto& cta = t.cta[t.warp[w.index()].cta];
        host.tell_all(barrier_arrived{w, waits});
        cta.barriers.arrive(w, barrier, warps, waits);
        if (waits) {
            t.waiting.insert(w);
            host.tell_all(blocked{w, block_reason::barrier});
        }
        cta.barriers.try_open(barrier, cta.live.size(),
                              [&](warp_set const& free) { release(free, t, host); });
    }

    // ---- clusters (docs/model/clusters.md#barrier)

    /// A kernel begins, with clusters or without; of one before, barriers may have opened for warps that had gone.
    void begin_kernel(warp_table const& t, bool clusters) {
        in_cluster_.assign(clusters ? t.cta.size() : 0, {});
    }
    /// That of the CTA in this slot.
    cta_cluster const& cluster_of(unsigned c) const noexcept {
        static constexpr cta_cluster none{};
        return in_cluster_.empty() ? none : in_cluster_[c].cluster;
    }
    /// The slot of a cluster's CTA of this rank; the number of slots if it is not here.
    unsigned find(std::uint64_t cluster, unsigned rank, warp_table const& t) const noexcept {
        unsigned c = 0;
        while (c < t.cta.size() &&
               !(t.cta[c].busy && cluster_of(c).id == cluster && cluster_of(c).rank == rank))
            ++c;
        return c;
    }
    /// `w` arrives at the barrier of its cluster; waits until phase number `phase` is over, 0: does not.
    template <cta_host Host>
    void arrive_in_cluster(cycle now, warp_slot w, std::uint32_t phase, warp_table& t, Host& host) {
        auto const& warp = t.warp[w.index()];
        auto& c = in_cluster_[warp.cta];
        auto& phases = c.arrived[warp.in_cta];
        if (phase == 0 || phases < phase) // some lanes have arrived, and the others have gone
            arrivals_.push_back({now, c.cluster.id, false, ++phases});
        bool const waits = c.phases < phase;
        if (waits || phase == 0) host.tell_all(barrier_arrived{w, waits});
        if (!waits) return;
        t.waiting.insert(w);
        c.waiting.insert(w);
        host.tell_all(blocked{w, block_reason::barrier});
    }
    /// A phase of this cluster's barrier is over; whether somebody waited for it.
    template <cta_host Host>
    bool open(std::uint64_t cluster, warp_table& t, Host& host) {
        bool any = false;
        for (unsigned c = 0; c < in_cluster_.size(); ++c) {
            auto& i = in_cluster_[c];
            if (!t.cta[c].busy || i.cluster.id != cluster) continue;
            ++i.phases;
            if (auto const free = std::exchange(i.waiting, {})) {
                release(free, t, host);
                any = true;
            }
        }
        return any;
    }
    /// What warps did to the barriers of clusters, in the order of cycles, since somebody emptied this list.
    std::vector<cluster_arrival>& arrivals() noexcept { return arrivals_; }
    /// For the report of a stuck machine: calls `f(linear id, live warps that have not arrived, those that wait)` for
    /// each CTA of a cluster, of whose barrier so many phases are over.
    template <class F>
    [[gnu::cold]] void each_in_cluster(std::uint64_t cluster, std::uint32_t phases, warp_table const& t,
                                       F&& f) const {
        for (unsigned c = 0; c < in_cluster_.size(); ++c) {
            auto const& i = in_cluster_[c];
            if (!t.cta[c].busy || i.cluster.id != cluster) continue;
            warp_set missing;
            t.cta[c].live.for_each([&](warp_slot w) {
                if (i.arrived[t.warp[w.index()].in_cta] <= phases) missing.insert(w);
            });
            f(t.cta[c].linear_id, missing, i.waiting);
        }
    }

    friend bool operator==(resident_ctas const&, resident_ctas const&) = default;
    WARPKIT_STORED_MEMBERS(9)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(orders_);
    }

private:
    /// Their memory, and no state.
    struct spare_streams {
        static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
        std::vector<cta_stream> of;
        friend bool operator==(spare_streams const&, spare_streams const&) noexcept { return true; }
    };
    /// Of a resident CTA.
    struct cluster_state {
        cta_cluster cluster;
        std::uint32_t phases = 0;           ///< of its barrier that are over
        warp_set waiting;                   ///< there
        std::vector<std::uint32_t> arrived; ///< by warp of the CTA: phases in which it has
        friend bool operator==(cluster_state const&, cluster_state const&) = default;
    };
    [[gnu::noinline]] void exits_from_cluster(cycle now, warp_slot w, warp_table const& t) {
        auto const& warp = t.warp[w.index()];
        auto const& c = in_cluster_[warp.cta];
        arrivals_.push_back({now, c.cluster.id, true, c.arrived[warp.in_cta]});
    }
    /// So many warp slots of no resident CTA.
    static warp_set lowest_free(warp_table const& t, std::size_t count) noexcept {
        auto free = warp_set::first_n(static_cast<unsigned>(t.warp.size()));
        for (auto const& c : t.cta)
            if (c.busy) free -= c.warps;
        auto const behind = free.nth(static_cast<unsigned>(count));
        return behind ? free - free.from(behind.index()) : free;
    }
    template <class Host>
    void admit(cycle now, launch_order& o, warp_table& t, Host& host) {
        unsigned c = 0;
        while (t.cta[c].busy) ++c;
        auto& cta = t.cta[c];
        cta.stream = std::move(o.stream);
        cta.phases = transaction_barriers(std::move(cta.stream.phases));
        cta.linear_id = o.linear_id;
        cta.warps = lowest_free(t, cta.stream.warps.size());
        cta.busy = true;
        cta.live = {};
        cta.unfinished = static_cast<unsigned>(cta.stream.warps.size());
        cta.barriers = {}; // the CTA before may have left without having met
        ++resident_;
        if (!in_cluster_.empty())
            in_cluster_[c] = {o.cluster, 0, {}, std::vector<std::uint32_t>(cta.stream.warps.size())};
        cta.warps.for_each([&, in_cta = std::uint16_t{0}](warp_slot w) mutable {
            auto& warp = t.warp[w.index()];
            t.want(w, unit_kind::sp);
            warp = {};
            warp.cta = static_cast<std::uint16_t>(c);
            warp.in_cta = in_cta++;
            warp.at = stream_cursor(cta.stream.warps[warp.in_cta]);
            if (cta.stream.warps[warp.in_cta].empty())
                --cta.unfinished;
            else
                cta.live.insert(w);
        });
        t.live |= cta.live;
        host.launched(cta_slot{c});
        if (cta.unfinished == 0) retire(now, c, t, host);
    }
    template <class Host>
    void warp_is_done(cycle now, warp_slot w, warp_table& t, Host& host) {
        auto const c = t.warp[w.index()].cta;
        if (--t.cta[c].unfinished == 0) retire(now, c, t, host);
    }
    template <class Host>
    [[gnu::noinline]] void retire(cycle now, unsigned c, warp_table& t, Host& host) {
        host.retiring(resident_ == 1);
        auto& cta = t.cta[c];
        cta.busy = false;
        --resident_;
        ++retired_;
        spare_.of.push_back(std::move(cta.stream));
        cta.stream = {};
        finished_.push_back({cta.linear_id, now, core_});
        host.tell_all(cta_finished{cta_slot{c}, cta.linear_id, now});
    }
    /// The barrier at which they wait has opened.
    template <class Host>
    void release(warp_set const& free, warp_table& t, Host& host) {
        t.waiting -= free;
        host.tell_all(barrier_released{free});
        free.for_each([&](warp_slot w) { host.tell_all(unblocked{w, block_reason::barrier}); });
        host.let_go(free);
    }

    cycle next_order_ = never; ///< when the first of the orders comes
    unsigned resident_ = 0;
    unsigned core_ = 0;
    std::vector<finished_cta> finished_;
    std::vector<launch_order> orders_;
    spare_streams spare_;
    std::uint64_t retired_ = 0;
    std::vector<cluster_state> in_cluster_; ///< by CTA slot; empty where the kernel has no clusters
    std::vector<cluster_arrival> arrivals_;
};

} // namespace warpkit
