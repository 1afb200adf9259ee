#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

namespace warpkit {

namespace detail {
struct memory_first_text {
    static constexpr char const* name() noexcept { return "memory_first"; }
};
} // namespace detail

/// Order, among the candidates that would issue a load, a store or an atomic; if there are none, among all.
/// Source: the favour that Mascar shows to memory instructions (docs/model/warp_scheduling.md#memory-ownership).
/// Hardware cost: Order's.
template <class Order>
class memory_first {
    static_assert(check_warp_scheduler<Order>());
    static_assert(!narrows<Order>, "warpkit: throttle outside, not inside: write "
                                   "throttled<Eligibility, memory_first<Order>>");

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::memory_first_text, Order>::name();
    }

    constexpr warp_slot pick(warp_set candidates, issue_classes const& classes) const noexcept {
        auto const memory = candidates & classes.memory();
        return pick_warp(order_, memory ? memory : candidates, classes);
    }
    template <class E>
    requires hears<Order, E>
    constexpr void on(E const& e) noexcept(tells_without_error<E>) { order_.on(e); }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_of(order_, shape);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.order_);
    }
    constexpr void parameters_set() { tell_parameters_set(order_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(order_);
    }
    friend bool operator==(memory_first const&, memory_first const&) = default;

private:
    [[no_unique_address]] Order order_;
};

} // namespace warpkit
