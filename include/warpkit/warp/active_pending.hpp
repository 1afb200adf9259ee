#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/oldest.hpp>
#include <warpkit/warp/waiting_warps.hpp>

#include <cstdint>

namespace warpkit {

namespace detail {
struct active_pending_text {
    static constexpr char const* name() noexcept { return "active_pending"; }
};
} // namespace detail

/// Eligible are the warps of a small active set; all others are pending. A warp leaves the set when it waits for long
/// (for memory, at a barrier, at a fence) or exits. A place that is free is taken by a pending warp that waits for
/// nothing long, at once; Promotion, an order over warps, says by which of them. While there is none, the place
/// stays empty. The set is per scheduler, of at most Size warps (at least 1), fixed by the template argument or given
/// to the constructor; 8 if it is not.
///
/// A Promotion that chooses by who is active already has `pick(warp_set pending, warp_set active)`.
/// Source: the two-level scheduler of Gebhart et al., ISCA 2011: 8 active warps of 32; the locality-aware scheduler
/// keeps such a set, too (docs/model/warp_scheduling.md#active-set, docs/model/warp_scheduling.md#locality).
/// Differs from the paper: its text was not at hand. That barriers and fences demote, and that the oldest is promoted,
/// are our readings.
/// Hardware cost: masks of the active warps and of those that wait for long, and Promotion's.
template <std::uint64_t Size, class Promotion>
class active_pending {
    static_assert(Size > 0, "warpkit: active_pending<0> would let no warp run: give at least 1");
    static constexpr bool by_active_ = requires(Promotion const& p, warp_set s) {
        { p.pick(s, s) } -> std::same_as<warp_slot>;
    };
    static_assert(by_active_ || picks_plainly<Promotion>,
                  "warpkit: the promotion of active_pending<> needs `warp_slot pick(warp_set pending) const "
                  "noexcept` or `warp_slot pick(warp_set pending, warp_set active) const noexcept`");
    static_assert(detail::check_warp_listener<Promotion>());

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::active_pending_text, number_in_name<Size>, Promotion>::name();
    }
    static constexpr char const* name() noexcept requires(Size == run_time) {
        return composed_name<detail::active_pending_text, Promotion>::name();
    }

    constexpr active_pending() = default;
    /// A size known at run time; 0 is read as 1.
    constexpr explicit active_pending(unsigned size) noexcept requires(Size == run_time)
        : size_(size == 0 ? 1 : size) {}

    constexpr warp_set eligible(warp_set candidates) const noexcept { return candidates & active_; }

    constexpr void on(kernel_began const& e) {
        auto const size = size_;
        *this = {};
        size_ = size;
        notify(e, promotion_);
    }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        notify(e, promotion_);
        update();
    }
    template <class E>
    requires(hears<waiting_warps, E> || hears<Promotion, E>) constexpr void on(E const& e) noexcept {
        notify(e, warps_, promotion_);
        if constexpr (hears<waiting_warps, E>) update();
    }

    /// The warps that may compete now.
    constexpr warp_set active() const noexcept { return active_; }
    constexpr unsigned size() const noexcept { return size_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("active warps", shape.schedulers * std::uint64_t{shape.warps_per_scheduler()})
            .add("live and waiting warps", 2 * std::uint64_t{shape.warp_slots})
            .add(hardware_cost_of<Promotion>(shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"active", "warps of each scheduler that may issue", 1, warp_set::width}, self.size_);
        each_parameter_of(f, self.promotion_);
    }
    constexpr void parameters_set() { tell_parameters_set(promotion_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(promotion_, warps_, owned_, active_, active_count_, size_.get());
    }
    friend bool operator==(active_pending const&, active_pending const&) = default;

private:
    constexpr void update() noexcept {
        auto const going = warps_.going() & owned_;
        for (auto gone = active_ - going; gone; gone.erase(gone.first())) --active_count_;
        active_ &= going;
        auto pending = going - active_;
        while (pending && active_count_ < size_.get()) {
            auto const w = promoted(pending);
            if (!w) return;
            active_.insert(w);
            pending.erase(w);
            ++active_count_;
        }
    }
    constexpr warp_slot promoted(warp_set pending) const noexcept {
        if constexpr (by_active_)
            return promotion_.pick(pending, active_);
        else
            return promotion_.pick(pending);
    }

    [[no_unique_address]] Promotion promotion_;
    waiting_warps warps_;
    warp_set owned_ = ~warp_set{};
    warp_set active_;
    unsigned active_count_ = 0;
    [[no_unique_address]] number<unsigned, Size> size_{Size == run_time ? 8 : static_cast<unsigned>(Size)};
};
static_assert(eligibility<active_pending<>> && hears<active_pending<>, blocked>);

} // namespace warpkit
