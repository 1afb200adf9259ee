#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

#include <concepts>

namespace warpkit {

namespace detail {
struct greedy_then_text {
    static constexpr char const* name() noexcept { return "greedy_then"; }
};
} // namespace detail

/// The warp that issued last for as long as it can; otherwise, Order's choice, which is then the new greedy warp.
///
/// "As long as it can" ends with *any* cycle in which the greedy warp is no candidate and another warp issues, even a
/// one-cycle unit conflict; the previous greedy warp keeps no privilege. A cycle in which nothing issues changes
/// nothing. Before the first issue nobody is greedy.
/// Source: greedy-then-oldest of Rogers, O'Connor and Aamodt, MICRO 2012, as GPGPU-Sim and the CCWS code have it
/// (docs/model/warp_scheduling.md#greedy-then-oldest).
/// As in GPGPU-Sim, greed belongs to the slot: a warp launched into the greedy warp's slot inherits it, if nothing was
/// issued in between.
/// Hardware cost: a pointer to the last issuer per scheduler, and Order's.
template <class Order>
class greedy_then {
    static_assert(check_warp_scheduler<Order>());
    static_assert(!narrows<Order>, "warpkit: throttle outside, not inside: write "
                                   "throttled<Eligibility, greedy_then<Order>>");

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::greedy_then_text, Order>::name();
    }

    constexpr greedy_then() = default;
    constexpr explicit greedy_then(Order const& order) : order_(order) {}

    constexpr warp_slot pick(warp_set candidates) const noexcept requires picks_plainly<Order> {
        return candidates.contains(greedy_) ? greedy_ : order_.pick(candidates);
    }
    constexpr warp_slot pick(warp_set candidates,
                             issue_classes const& classes) const noexcept requires asks_classes<Order> {
        return candidates.contains(greedy_) ? greedy_ : order_.pick(candidates, classes);
    }

    template <class E>
    requires(std::same_as<E, issued> || std::same_as<E, kernel_began> ||
             hears<Order, E>) constexpr void on(E const& e) noexcept(tells_without_error<E>) {
        if constexpr (std::same_as<E, issued>)
            greedy_ = e.warp;
        else if constexpr (std::same_as<E, kernel_began>)
            greedy_ = no_warp;
        notify(e, order_);
    }

    /// The warp that issued last, or none.
    constexpr warp_slot greedy() const noexcept { return greedy_; }
    constexpr Order const& order() const noexcept { return order_; }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}
            .add("greedy warp", shape.schedulers * bits_for(shape.warps_per_scheduler()))
            .add(hardware_cost_of(order_, shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.order_);
    }
    constexpr void parameters_set() { tell_parameters_set(order_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(greedy_, order_);
    }
    friend bool operator==(greedy_then const&, greedy_then const&) = default;

private:
    [[no_unique_address]] Order order_;
    warp_slot greedy_;
};

} // namespace warpkit
