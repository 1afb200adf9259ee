#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

/// Strict round-robin: the turn passes to the next of the scheduler's live warps with every cycle, whether or not
/// anything issues. A warp whose turn it is and that cannot issue loses it; the slot goes to the next candidate.
/// Source: docs/model/warp_scheduling.md#strict-round-robin, the strict variant of loose round-robin.
/// Differs from GPGPU-Sim's `rrr`, where the turn stays with a warp until it issues and nobody else may.
/// The host tells of every cycle, several at once if it likes, through cycles_spent before the next pick.
/// Its warps stand in a row in the order of their slots, and cycles, one or many, move a place in it: what the row
/// costs is due when warps come and go.
/// Hardware cost: a pointer per scheduler.
class strict_round_robin {
public:
    static constexpr char const* name() noexcept { return "strict_round_robin"; }

    /// turn_ had its turn in the cycle before; candidates are live, so the next candidate behind it is the same as the
    /// next candidate from the turn's holder on.
    constexpr warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(turn_); }

    constexpr void on(cycles_spent const& e) noexcept {
        auto const place = place_ + e.count;
        if (size_ == 0 || place == 0) return;
        place_ = place <= size_ ? place : (place - 1) % size_ + 1;
        turn_ = warp_slot{row_[place_ - 1]};
    }
    constexpr void on(cta_launched const& e) noexcept {
        auto const mine = e.warps & owned_;
        if (mine) stand(mine_ | mine);
    }
    constexpr void on(warp_exited const& e) noexcept {
        if (mine_.contains(e.warp)) stand(mine_ - warp_set{e.warp});
    }
    constexpr void on(kernel_began const&) noexcept { *this = {}; }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        stand(mine_ & owned_);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("turn", shape.schedulers * bits_for(shape.warps_per_scheduler()));
    }
    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(mine_, owned_, turn_, place_);
    }
    friend bool operator==(strict_round_robin const&, strict_round_robin const&) = default;

private:
    /// These are the row.
    constexpr void stand(warp_set warps) noexcept {
        mine_ = warps;
        size_ = 0;
        place_ = 0;
        warps.for_each([this](warp_slot w) {
            row_[size_++] = static_cast<slot_number>(w.index());
            if (turn_ && !(turn_ < w)) place_ = size_;
        });
        for (auto rest = size_; rest < warp_set::width && row_[rest] != 0; ++rest) row_[rest] = 0;
    }

    warp_set mine_; ///< its own live warps
    warp_set owned_ = ~warp_set{};
    cycle size_ = 0;                     ///< of mine_
    cycle place_ = 0;                    ///< how many of mine_ have turn_'s slot or a lower one
    slot_number row_[warp_set::width]{}; ///< mine_'s slots, the lowest first; nothing from size_ on
    warp_slot turn_;                     ///< who had the last turn
};
static_assert(warp_order<strict_round_robin> && hears<strict_round_robin, cycles_spent>);

} // namespace warpkit
