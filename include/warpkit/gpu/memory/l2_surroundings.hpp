#pragma once
/// \file
/// What an L2 slice needs of its memory partition: numbers, and who listens.
///
/// In the reference: what `l2_slice` is made of and `l2_slice::tick` is given (reference/l2_partition.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/gpu/memory/packet_parts.hpp>
#include <warpkit/machine/l2_listeners.hpp>

#include <cstdint>

namespace warpkit {

/// What the slices of a partition have in common.
struct l2_numbers {
    part_numbers parts;
    clock_domain clock;
    bool enabled = true;
    std::uint32_t miss_queue = 1; ///< of a slice
    std::uint32_t line_shift = 7;
    std::uint32_t mshr_entries = 1;
    friend bool operator==(l2_numbers const&, l2_numbers const&) = default;
};

/// What the slices of a partition want from the DRAM.
struct l2_demands {
    std::uint32_t kernel = ~std::uint32_t{0}; ///< that runs, counted from 0, where the DRAM scheduler asks
    std::uint32_t count = 0;                  ///< demands in their ports
    bool more = false;                        ///< there is one more since the DRAM has looked
    friend bool operator==(l2_demands const&, l2_demands const&) = default;
};

/// These as a slice is handed them for a cycle, and who listens. P is a memory_policies.
template <class P>
struct l2_surroundings : l2_listeners<P> {
    l2_numbers const& numbers;
    l2_demands& asking;

    /// The L2 cycle at a tick, for who listens.
    cycle heard_at(tick t) const noexcept {
        return l2_listeners<P>::told() ? numbers.clock.first_at_or_after(t) : 0;
    }
};

} // namespace warpkit
