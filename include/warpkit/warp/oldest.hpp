#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

/// The candidate that was launched first. Warps of one CTA are launched in slot order; a reused slot is young again.
/// Source: GPGPU-Sim's `oldest_first` (docs/model/warp_scheduling.md#age: assignment numbers from a core-wide counter
/// at CTA launch).
/// Hardware cost: one bit per pair of a scheduler's warps.
class oldest {
public:
    static constexpr char const* name() noexcept { return "oldest"; }

    constexpr warp_slot pick(warp_set candidates) const noexcept { return age_.oldest_of(candidates); }

    constexpr void on(cta_launched const& e) noexcept { age_.launch(e.warps); }
    constexpr void on(kernel_began const&) noexcept { age_.reset(); }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}.add("age matrix", shape.schedulers * (n * (n - 1) / 2));
    }
    friend bool operator==(oldest const&, oldest const&) = default;

private:
    age_matrix age_;
};
static_assert(warp_order<oldest> && hears<oldest, cta_launched> && hears<oldest, kernel_began>);

} // namespace warpkit
