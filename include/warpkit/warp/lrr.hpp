#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

/// Loose round-robin: the next candidate after the warp that issued last, circularly, ending with that warp itself. A
/// cycle without an issue does not move the pointer.
/// Source: the baseline of every paper; behaviour of GPGPU-Sim's `lrr`
/// (docs/model/warp_scheduling.md#loose-round-robin), OWL's "RR among ready warps".
/// Hardware cost: a pointer to the last issuer per scheduler.
class lrr {
public:
    static constexpr char const* name() noexcept { return "lrr"; }
    /// A place in a rotation: a scheduler with groups keeps one for each group.
    static constexpr bool per_group = true;
    /// Nobody is passed over more often in a row than there are other warps.
    static constexpr unsigned starvation_bound = warp_set::width - 1;

    constexpr warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }

    constexpr void on(issued const& e) noexcept { last_ = e.warp; }
    constexpr void on(kernel_began const&) noexcept { last_ = no_warp; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("last issuer",
                                        shape.schedulers * bits_for(shape.warps_per_scheduler()));
    }
    friend bool operator==(lrr const&, lrr const&) = default;

private:
    warp_slot last_;
};
static_assert(warp_order<lrr> && hears<lrr, issued> && hears<lrr, kernel_began>);

} // namespace warpkit
