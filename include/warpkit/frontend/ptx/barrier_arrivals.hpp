#pragma once
/// \file
/// Lanes at the barriers of their CTA and of its cluster: who is there, who waits, who goes on, and what stands of it
/// in the stream. Barriers are met by threads; timing counts warps.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/ptx/barriers.hpp>
#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/execution.hpp>
#include <warpkit/frontend/ptx/lane_progress.hpp>
#include <warpkit/frontend/ptx/resident_cta.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

namespace warpkit::ptx::turns {

/// Puts what a warp executed at a barrier into its stream. Timing counts warps there: of several instructions of a
/// warp, one arrives, and of warps that are not whole, as many as the barrier still expects.
inline void tell_arrival(execution& x, std::uint32_t w, std::uint32_t id, waiting_lanes const& there,
                         bool whole) {
    auto& b = x.now->barriers[id];
    for (unsigned i = 0; i < there.count; ++i) {
        bool const seen = whole ? i + 1 == there.count : b.in_stream < b.expected;
        b.in_stream += seen ? 1 : 0;
        x.put_barrier(w, there.at[i].pc, seen ? there.at[i].mask : 0, id, b.expected);
    }
}

/// The last lane of a warp is at the barrier; those that have exited count as if they were.
inline void arrive_whole(execution& x, std::uint32_t w, std::uint32_t id, waiting_lanes const& there) {
    auto& b = x.now->barriers[id];
    b.arrived += lanes - count_lanes(there.mask);
    ++b.whole;
    tell_arrival(x, w, id, there, true);
}

/// All expected threads are there: they go on.
inline void complete(execution& x, std::uint32_t id) {
    auto* const saved = x.context.bank[0];
    auto const b = x.now->barriers[id];
    for (std::uint32_t w = 0; w < x.warps; ++w) {
        auto& s = x.now->warps[w];
        auto const there = x.lanes_at_barrier(w, id);
        if (there.count == 0) continue;
        if (there.mask != s.groups.alive()) tell_arrival(x, w, id, there, false);
        s.status = warp_status::ready;
        x.context.bank[0] = x.registers_of(w);
        for (unsigned i = 0; i < there.count; ++i) {
            write_reduction(x.context, x.kernel->operations()[there.at[i].pc], b, there.at[i].mask);
            s.groups.unite(there.at[i].mask, there.at[i].pc + 1);
        }
    }
    x.context.bank[0] = saved;
    x.now->barriers[id] = {};
}

/// Opens every barrier that all expected threads have reached. Those that have exited are not waited for.
inline void release_barriers(execution& x) {
    for (std::uint32_t id = 0; id < x.now->barriers.size(); ++id) {
        if (x.now->barriers[id].is_met(x.now->unfinished)) complete(x, id);
    }
}

/// Lanes of a warp reach a barrier. Returns whether the warp must wait, or has been released at once and ends its turn.
/// A barrier instruction's sources: its number, and where the form has it the count of threads; bar.red also a
/// predicate. o.option: 0 sync, 1 arrive, 2 red.
inline bool arrive(execution& x, std::uint32_t w, operation const& o, lane_mask mask) {
    auto& c = x.context;
    auto const lane = static_cast<unsigned>(std::countr_zero(mask));
    bool const reduces = o.option == 2;
    auto const data = o.source_count - (reduces ? 1U : 0U);
    auto const id = data > 0 ? c.source<std::uint32_t>(o, 0)[lane] : 0;
    auto const where = [&] { return x.names.kernel() + "barrier at " + x.kernel->place(o.index) + ": "; };
    if (id >= x.now->barriers.size())
        throw error(where() + "expected a barrier number below 16, found " + std::to_string(id));
    auto const threads = data > 1 ? c.source<std::uint32_t>(o, 1)[lane] : 0;
    if (data > 1 && (threads == 0 || threads % lanes != 0))
        throw error(where() + "expected a thread count that is a multiple of 32, found " +
                    std::to_string(threads));
    auto& b = x.now->barriers[id];
    if (b.arrived != 0 && b.expected != threads / lanes)
        throw error(where() + "warp " + std::to_string(w) + " expects " + std::to_string(threads) +
                    " threads, earlier warps expect " + std::to_string(b.expected * lanes) + " (0: all)");
    b.expected = threads / lanes;
    auto const here = count_lanes(mask);
    auto& s = x.now->warps[w];
    if (o.option == 1) {
        b.arrived += mask == s.groups.alive() ? lanes : here;
        bool const seen = b.arrived / lanes > b.in_stream;
        b.in_stream += seen ? 1 : 0;
        x.uncount();
        x.put_barrier(w, o.index, seen ? mask : 0, id, b.expected);
        ++s.groups.current().pc;
        release_barriers(x);
        return false;
    }
    if (reduces) {
        b.count += static_cast<std::uint32_t>(std::popcount(c.predicate(o, data) & mask));
        b.threads += here;
    }
    x.uncount();
    if (mask != s.groups.current().mask)
        s.groups.part(o.index + 1, false, {{{o.index, mask}}}, 1); // the others go on
    s.groups.block(lane_group::wait::barrier, 0, static_cast<std::uint8_t>(id));
    b.arrived += here;
    auto const there = x.lanes_at_barrier(w, id);
    if (there.mask != s.groups.alive()) {
        release_barriers(x);
        return !go_on(x, w);
    }
    arrive_whole(x, w, id, there);
    s.status = warp_status::waiting;
    release_barriers(x);
    return true;
}

// Of a cluster ------------------------------------------------------------------------------------------------------
inline bool all_in_cluster_arrived(execution const& x) {
    auto const has_arrived = [](resident_cta const& c) {
        for (auto const& w : c.warps)
            if (w.status != warp_status::exited && (w.groups.alive() & ~w.arrived) != 0) return false;
        return true;
    };
    if (x.cluster.size() == 1) return has_arrived(*x.now);
    return std::all_of(x.cluster.begin(), x.cluster.end(), has_arrived);
}

/// barrier.cluster.arrive: not twice in a phase. Timing counts warps there: the stream has an arrival's lanes where
/// they are the last of their warp.
inline lane_mask arrive_in_cluster(execution& x, warp_state& s, operation const& o, lane_mask mask) {
    if (auto const twice = mask & (s.arrived | s.passed); twice != 0)
        x.context.stop(x.context, o, twice,
                       "expected a barrier.cluster.wait between two barrier.cluster.arrive of a thread");
    s.arrived |= mask;
    return (s.groups.alive() & ~s.arrived) == 0 ? mask : 0;
}

/// barrier.cluster.wait: threads that have exited are not waited for.
inline bool may_pass(execution& x, warp_state& s, operation const& o, lane_mask mask) {
    if (auto const missing = mask & ~(s.arrived | s.passed); missing != 0)
        x.context.stop(x.context, o, missing,
                       "expected a barrier.cluster.arrive before barrier.cluster.wait");
    auto const pass = [](resident_cta& c) {
        for (auto& w : c.warps) {
            w.passed |= w.arrived;
            w.arrived = 0;
        }
    };
    if ((mask & ~s.passed) != 0 && all_in_cluster_arrived(x)) {
        ++x.phases_in_cluster;
        if (x.cluster.size() == 1)
            pass(*x.now);
        else
            for (auto& c : x.cluster) pass(c);
    }
    if ((mask & ~s.passed) != 0) return false;
    s.passed &= ~mask;
    return true;
}

} // namespace warpkit::ptx::turns
