#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

/// The candidate that was launched last: the order behind greedy-then-youngest.
/// Source: the second half of what current NVIDIA cores do (docs/model/warp_scheduling.md#greedy-then-youngest). Of one
/// CTA the highest slot is youngest.
/// Hardware cost: one bit per pair of a scheduler's warps.
class youngest {
public:
    static constexpr char const* name() noexcept { return "youngest"; }

    constexpr warp_slot pick(warp_set candidates) const noexcept { return order_.first_of(candidates); }

    constexpr void on(cta_launched const& e) noexcept { order_.launch(e.warps); }
    constexpr void on(kernel_began const&) noexcept { order_.reset(); }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}.add("age matrix", shape.schedulers * (n * (n - 1) / 2));
    }
    friend bool operator==(youngest const&, youngest const&) = default;

private:
    detail::launch_order<true> order_;
};
static_assert(warp_order<youngest> && hears<youngest, cta_launched> && hears<youngest, kernel_began>);

} // namespace warpkit
