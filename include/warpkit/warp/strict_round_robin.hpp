#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

/// Strict round-robin: the turn passes to the next of the scheduler's live warps with every cycle, whether or not
/// anything issues. A warp whose turn it is and that cannot issue loses it; the slot goes to the next candidate.
/// Source: docs/model/warp_scheduling.md#strict-round-robin, the strict variant of loose round-robin.
/// Differs from GPGPU-Sim's `rrr`, where the turn stays with a warp until it issues and nobody else may.
/// The host tells of every cycle, several at once if it likes, through cycles_spent before the next pick.
/// Hardware cost: a pointer per scheduler.
class strict_round_robin {
public:
    static constexpr char const* name() noexcept { return "strict_round_robin"; }

    /// turn_ had its turn in the cycle before; candidates are live, so the next candidate behind it is the same as the
    /// next candidate from the turn's holder on.
    constexpr warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(turn_); }

    constexpr void on(cycles_spent const& e) noexcept {
        if (size_ == 0) return;
        if (e.count != 1) return pass(e.count);
        turn_ = mine_.next_after(turn_);
        up_to_turn_ = up_to_turn_ < size_ ? up_to_turn_ + 1 : 1;
    }
    constexpr void on(cta_launched const& e) noexcept {
        mine_ |= e.warps & owned_;
        count();
    }
    constexpr void on(warp_exited const& e) noexcept {
        if (!mine_.contains(e.warp)) return;
        mine_.erase(e.warp);
        --size_;
        if (turn_ && !(turn_ < e.warp)) --up_to_turn_;
    }
    constexpr void on(kernel_began const&) noexcept { *this = {}; }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        mine_ &= owned_;
        count();
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("turn", shape.schedulers * bits_for(shape.warps_per_scheduler()));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(mine_, owned_, turn_, size_, up_to_turn_);
    }
    friend bool operator==(strict_round_robin const&, strict_round_robin const&) = default;

private:
    /// Several cycles at once: so many places on among the members, going round.
    constexpr void pass(cycle cycles) noexcept {
        if (cycles == 0) return;
        auto const place = static_cast<unsigned>((up_to_turn_ + cycles - 1) % size_);
        turn_ = mine_.nth(place);
        up_to_turn_ = place + 1;
    }
    constexpr void count() noexcept {
        size_ = mine_.size();
        up_to_turn_ = turn_ ? (mine_ & warp_set::range(0, turn_.index() + 1)).size() : 0;
    }

    warp_set mine_; ///< its own live warps
    warp_set owned_ = ~warp_set{};
    warp_slot turn_;          ///< who had the last turn
    unsigned size_ = 0;       ///< of mine_
    unsigned up_to_turn_ = 0; ///< how many of mine_ have turn_'s slot or a lower one
};
static_assert(warp_order<strict_round_robin> && hears<strict_round_robin, cycles_spent>);

} // namespace warpkit
