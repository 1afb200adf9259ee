#pragma once
/// \file
/// What a choice of block hears: it sits outside the cores and sees whole CTAs.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>

#include <cstdint>

namespace warpkit {

/// A kernel's grid is to be dispatched from now on.
struct grid_began {
    static_program const* program = nullptr; ///< alive until the grid is done; null in tests that need none
    std::uint64_t grid_x = 1;
    std::uint64_t grid_y = 1;
    std::uint64_t grid_z = 1;
    unsigned cores = 1;
    unsigned ctas_per_core = 1; ///< most CTAs of this grid that fit a core at once

    constexpr std::uint64_t ctas() const noexcept { return grid_x * grid_y * grid_z; }
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

} // namespace warpkit
