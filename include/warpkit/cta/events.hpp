#pragma once
/// \file
/// What a choice of block hears: it sits outside the cores and sees whole CTAs. What an occupancy limit hears beside
/// the events of its core, and what a kernel dispatch hears.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>

#include <cstdint>

namespace warpkit {

/// A kernel's grid is to be dispatched from now on. As of kernel_began, what has no default must be told to who reads
/// it.
struct grid_began {
    /// Alive until the grid is done; null if there is none.
    static_program const* program = nullptr;
    told_fact<std::uint64_t, "grid_began::grid_x"> grid_x = {};
    std::uint64_t grid_y = 1;
    std::uint64_t grid_z = 1;
    told_fact<unsigned, "grid_began::cores"> cores = {};
    /// Most CTAs of this grid that fit a core at once.
    told_fact<unsigned, "grid_began::ctas_per_core"> ctas_per_core = {};
    /// What it will touch, alive until the grid is done; null if that is not known.
    predicted_addresses const* addresses = nullptr;
    /// Of the L1 data cache, in bytes; a power of two.
    told_fact<std::uint32_t, "grid_began::line"> line = {};

    constexpr std::uint64_t ctas() const { return grid_x * grid_y * grid_z; }
};
/// A CTA was sent to a core.
struct cta_dispatched {
    unsigned core = 0;
    std::uint64_t linear_id = 0; ///< x + nx * (y + ny * z)
    cycle at = 0;
};
/// A core told that a CTA has finished.
struct cta_retired {
    unsigned core = 0;
    std::uint64_t linear_id = 0;
    cycle at = 0;
};

/// Everything that a choice of block can hear.
using cta_choice_events = event_list<grid_began, cta_dispatched, cta_retired>;

/// What a core has counted since the kernel began: its performance counters, as an occupancy limit reads them.
struct core_sampled {
    cycle at = 0; ///< now
    std::uint64_t warp_instructions = 0;
    std::uint64_t idle_cycles =
        0; ///< scheduler cycles with nothing to issue, but not for want of data: causes drained,
           ///< sync, control and fetch; divided by the number of schedulers
    std::uint64_t memory_block_cycles = 0; ///< core cycles in which all live warps waited for memory
    std::uint64_t latency_sum =
        0; ///< core cycles from request to reply, of all `latencies` reads that left the core
    std::uint64_t latencies = 0;
};
/// The limit of some core has decided on a number of CTAs for all cores.
struct degree_chosen {
    unsigned ctas = 1;
};

/// What an occupancy limit can hear that is no event of the core's.
using occupancy_limit_events = event_list<core_sampled, degree_chosen>;

/// Kernels that may be on a machine at once are to begin; policies are as good as new.
struct group_began {
    unsigned cores = 1;
};
/// A core was sent a CTA of the kernel of this number.
struct kernel_served {
    unsigned core = 0;
    unsigned kernel = 0;
    cycle at = 0;
};
/// A CTA of that kernel has ended there, as the dispatcher knows now.
struct kernel_cta_retired {
    unsigned core = 0;
    unsigned kernel = 0;
    cycle at = 0;
};
/// Everything that a kernel dispatch can hear.
using kernel_dispatch_events = event_list<group_began, kernel_served, kernel_cta_retired>;

} // namespace warpkit
