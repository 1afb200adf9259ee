#pragma once
/// \file
/// What is told of one kernel of several that ran at once.

#include <warpkit/base/cycle.hpp>
#include <warpkit/machine/counters.hpp>

#include <cstdint>

namespace warpkit {

/// One launch of a group. Core cycles, from the beginning of the group on.
struct kernel_span {
    cycle began = 0;     ///< it had a place on the machine
    cycle first_cta = 0; ///< went out
    cycle ended = 0;     ///< behind the last cycle of its last CTA
    std::uint64_t ctas = 0;
    std::uint64_t warp_instructions = 0;
    /// What cores and their caches counted while they were its own; `cycles` are those from `began` to `ended`. What is
    /// behind the cores serves all kernels, and has 0 here, as all has of a launch that is alone in its group.
    run_counters counted;
    friend bool operator==(kernel_span const&, kernel_span const&) = default;
};

} // namespace warpkit
