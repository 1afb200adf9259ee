#pragma once
/// \file
/// Barriers of a CTA: who is there, and what bar.red leaves behind.

#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <cstdint>

namespace warpkit::ptx {

/// A barrier of a CTA, met by threads.
struct barrier_state {
    std::uint32_t arrived = 0;   ///< threads; those missing in a warp that is there count
    std::uint32_t whole = 0;     ///< warps of which all lanes wait
    std::uint32_t in_stream = 0; ///< arrivals that timing will see
    std::uint32_t expected = 0;  ///< warps; 0: all that have not exited
    std::uint32_t count = 0;     ///< bar.red: threads whose predicate holds
    std::uint32_t threads = 0;   ///< bar.red: threads in all

    /// Whether all that must come have, where `warps` have not exited.
    bool is_met(std::uint32_t warps) const noexcept {
        return arrived != 0 && (expected != 0 ? arrived >= expected * lanes : whole >= warps);
    }
};

inline bool is_at_barrier(lane_group const& g, std::uint32_t id) noexcept {
    return g.waits == lane_group::wait::barrier && g.barrier == id;
}
inline waiting_lanes lanes_at_barrier(lane_groups const& groups, std::uint32_t id) {
    return lanes_that(groups, [id](lane_group const& g) { return is_at_barrier(g, id); });
}

/// What bar.red leaves in the registers of the lanes of `mask`.
inline void write_reduction(warp_context& c, operation const& o, barrier_state const& b, lane_mask mask) {
    if (o.option != 2) return;
    switch (o.modifiers->get(modifier::reduce)) {
    case 1: {
        std::array<std::uint32_t, lanes> r;
        r.fill(b.count);
        c.write<std::uint32_t>(o.destination[0], r.data(), mask);
        break;
    }
    case 2:
        c.write_predicate(o.destination[0], b.count == b.threads ? all_lanes : 0, mask);
        break;
    default:
        c.write_predicate(o.destination[0], b.count != 0 ? all_lanes : 0, mask);
        break;
    }
}

} // namespace warpkit::ptx
