#pragma once
// The seat `occupancy_limit`: how many CTAs a core holds. The contract is in warpkit/cta/concepts.hpp.
#include <warpkit/cta/concepts.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Lets a core hold half of what fits.
class my_occupancy_limit {
public:
    static constexpr char const* name() noexcept { return "my_occupancy_limit"; }
    unsigned limit(unsigned fit) const noexcept { return fit / 2 > 0 ? fit / 2 : 1; }
    friend bool operator==(my_occupancy_limit const&, my_occupancy_limit const&) = default;
};

} // namespace seats_of_mine
