#pragma once

#include <warpkit/warp/concepts.hpp>

namespace warpkit {

/// All warps are in one group: no grouping.
class one_group {
public:
    static constexpr char const* name() noexcept { return "one_group"; }
    static constexpr unsigned max_groups = 1;

    constexpr unsigned groups() const noexcept { return 1; }
    constexpr warp_set members(unsigned) const noexcept { return ~warp_set{}; }
    constexpr unsigned group_of(warp_slot) const noexcept { return 0; }

    friend bool operator==(one_group const&, one_group const&) = default;
};
static_assert(grouping<one_group>);

} // namespace warpkit
