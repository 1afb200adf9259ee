#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/lsu/data_prefetch.hpp>

namespace warpkit {

/// The L1 data cache is asked by warps, and never ahead of them.
class no_data_prefetch {
public:
    static constexpr char const* name() noexcept { return "no_data_prefetch"; }
    template <class Ask>
    constexpr void seen(load_seen const&, prefetch_record const&, Ask const&) const noexcept {}
    constexpr std::uint32_t queue() const noexcept { return 0; }
    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    friend bool operator==(no_data_prefetch const&, no_data_prefetch const&) = default;
};
static_assert(data_prefetch<no_data_prefetch>);

} // namespace warpkit
