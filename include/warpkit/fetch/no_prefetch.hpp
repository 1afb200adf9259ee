#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/fetch/concepts.hpp>

namespace warpkit::fetch {

/// Code is fetched for warps, and never ahead of them.
class no_prefetch {
public:
    static constexpr char const* name() noexcept { return "no_prefetch"; }
    constexpr bool wants(fetched const&, unsigned) const noexcept { return false; }
    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    friend bool operator==(no_prefetch const&, no_prefetch const&) = default;
};
static_assert(instruction_prefetch<no_prefetch>);

} // namespace warpkit::fetch
