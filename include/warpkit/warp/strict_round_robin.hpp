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

    /// The turn's holder had its turn in the cycle before; candidates are live, so the next candidate behind it is the
    /// same as the next candidate from the turn's holder on.
    constexpr warp_slot pick(warp_set candidates) const noexcept {
        return candidates.next_after(passed_ == 0 ? turn_ : holder());
    }

    /// Cycles in which nothing happens add up; where the turn is, is looked for when somebody asks.
    constexpr void on(cycles_spent const& e) noexcept {
        if (e.count != 1) {
            passed_ += e.count;
            return;
        }
        if (passed_ != 0) settle();
        auto const warps = live_ & owned_;
        if (warps) turn_ = warps.next_after(turn_);
    }
    constexpr void on(cta_launched const& e) noexcept {
        settle();
        live_ |= e.warps;
    }
    constexpr void on(warp_exited const& e) noexcept {
        settle();
        live_.erase(e.warp);
    }
    constexpr void on(kernel_began const&) noexcept { *this = {}; }
    constexpr void on(scheduler_began const& e) noexcept {
        settle();
        owned_ = e.owned;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("turn", shape.schedulers * bits_for(shape.warps_per_scheduler()));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(live_, owned_, turn_, passed_);
    }
    friend bool operator==(strict_round_robin const&, strict_round_robin const&) = default;

private:
    /// Who had the last turn.
    [[gnu::noinline]] constexpr warp_slot holder() const noexcept {
        if (passed_ == 0) return turn_;
        auto const warps = live_ & owned_;
        auto const size = warps.size();
        if (size == 0) return turn_;
        auto const up_to_turn = turn_ ? (warps & warp_set::range(0, turn_.index() + 1)).size() : 0;
        return warps.nth(static_cast<unsigned>((up_to_turn + passed_ - 1) % size));
    }
    constexpr void settle() noexcept {
        turn_ = holder();
        passed_ = 0;
    }

    warp_set live_;
    warp_set owned_ = ~warp_set{};
    warp_slot turn_;
    cycle passed_ = 0; ///< cycles since turn_ had it
};
static_assert(warp_order<strict_round_robin> && hears<strict_round_robin, cycles_spent>);

} // namespace warpkit
