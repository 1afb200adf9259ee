#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

namespace warpkit {

namespace detail {
struct throttled_text {
    static constexpr char const* name() noexcept { return "throttled"; }
};
} // namespace detail

/// Scheduler, choosing among those candidates that Eligibility lets compete. A cycle in which there are candidates and
/// none of them is eligible is a throttled one. Several throttles are nested: throttled<A, throttled<B, gto>>.
/// Hardware cost: the parts'.
template <class Eligibility, class Scheduler>
class throttled {
    static_assert(
        eligibility<Eligibility>,
        "warpkit: the first argument of throttled<> must have `warp_set eligible(warp_set candidates) const "
        "noexcept`, compare with == and be hashable");
    static_assert(check_warp_scheduler<Scheduler>());
    static_assert(detail::check_warp_listener<Eligibility>());
    static constexpr bool by_class_ = narrows_by_class<Eligibility> || narrows_by_class<Scheduler>;

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::throttled_text, Eligibility, Scheduler>::name();
    }

    constexpr throttled() = default;
    constexpr explicit throttled(Eligibility const& limit, Scheduler const& scheduler = Scheduler{})
        : eligibility_(limit),
          scheduler_(scheduler) {}

    constexpr warp_set eligible(warp_set candidates) const noexcept requires(!by_class_) {
        return eligible_warps(scheduler_, eligible_warps(eligibility_, candidates));
    }
    constexpr warp_set eligible(warp_set candidates,
                                issue_classes const& classes) const noexcept requires by_class_ {
        return eligible_warps(scheduler_, eligible_warps(eligibility_, candidates, classes), classes);
    }
    constexpr warp_slot pick(warp_set candidates) const noexcept
        requires(!narrows_by_class<Eligibility> && !asks_classes<Scheduler>) {
        return scheduler_.pick(eligibility_.eligible(candidates));
    }
    constexpr warp_slot pick(warp_set candidates, issue_classes const& classes) const noexcept
        requires(narrows_by_class<Eligibility> || asks_classes<Scheduler>) {
        return pick_warp(scheduler_, eligible_warps(eligibility_, candidates, classes), classes);
    }

    template <class E>
    requires(hears<Eligibility, E> ||
             hears<Scheduler, E>) constexpr void on(E const& e) noexcept(tells_without_error<E>) {
        notify(e, eligibility_, scheduler_);
    }

    constexpr Eligibility const& limit() const noexcept { return eligibility_; }
    constexpr Scheduler const& scheduler() const noexcept { return scheduler_; }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}
            .add(hardware_cost_of(eligibility_, shape))
            .add(hardware_cost_of(scheduler_, shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.eligibility_, self.scheduler_);
    }
    constexpr void parameters_set() { tell_parameters_set(eligibility_, scheduler_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(eligibility_, scheduler_);
    }
    friend bool operator==(throttled const&, throttled const&) = default;

private:
    [[no_unique_address]] Eligibility eligibility_;
    [[no_unique_address]] Scheduler scheduler_;
};

} // namespace warpkit
