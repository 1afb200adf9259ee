#pragma once
// The seat `l2_observer`: nothing: it hears what the L2 slices of a partition do. The contract is in
// warpkit/machine/l2_events.hpp.
#include <warpkit/machine/l2_events.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Counts the lines that leave the L2.
struct my_l2_observer {
    std::uint64_t lines = 0;
    void on(l2_evicted const&) noexcept { ++lines; }
    friend bool operator==(my_l2_observer const&, my_l2_observer const&) = default;
};

} // namespace seats_of_mine
