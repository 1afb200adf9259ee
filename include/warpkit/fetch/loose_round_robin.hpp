#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/fetch/concepts.hpp>

namespace warpkit::fetch {

/// The next candidate behind the warp that was fetched for last, whether that fetch hit, missed or was refused.
/// Source: GPGPU-Sim's fetch stage (docs/model/front_end.md#fetch-round-robin). Differs from it: each kernel begins at
/// the same warp; there a core goes on behind the last one of the kernel before.
/// Hardware cost: a pointer per core.
class loose_round_robin {
public:
    static constexpr char const* name() noexcept { return "loose_round_robin"; }

    constexpr warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }

    constexpr void on(fetched const& e) noexcept { last_ = e.warp; }
    constexpr void on(kernel_began const& e) noexcept {
        last_ = e.first_fetch == 0 ? no_warp : warp_slot{e.first_fetch - 1};
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("last fetched warp", bits_for(shape.warp_slots));
    }
    friend bool operator==(loose_round_robin const&, loose_round_robin const&) = default;

private:
    warp_slot last_;
};
static_assert(fetch_order<loose_round_robin> && hears<loose_round_robin, fetched>);

} // namespace warpkit::fetch
