#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/warp_numbers.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

namespace detail {
struct most_waiting_first_text {
    static constexpr char const* name() noexcept { return "most_waiting_first"; }
};
} // namespace detail

/// Order, among the candidates of those CTAs of which most warps wait at a barrier: whom most wait for goes first.
/// While nobody waits at any barrier that is Order among all.
///
/// Source: most-waiting-first (MWF), one half of barrier-aware warp scheduling: Liu, Yu, Eeckhout, Reddi, Luo, Wang,
/// Wang and Xu, Barrier-Aware Warp Scheduling for Throughput Processors, ICS 2016
/// (docs/model/warp_scheduling.md#barriers). The other half, critical-fetch-first, is this order in the seat of the
/// fetch order: fetch::interleaved<baws>.
/// Differs from the paper, of which the abstract could be read: a scheduler counts its own warps, the only ones that it
/// hears of; which of several equally awaited CTAs, and which warp of a CTA, goes first, is Order's.
/// Hardware cost: for each warp its CTA and whether it waits, for each CTA how many do, and Order's.
template <class Order>
class most_waiting_first {
    static_assert(check_warp_scheduler<Order>());
    static_assert(!narrows<Order>, "warpkit: throttle outside, not inside: write "
                                   "throttled<Eligibility, most_waiting_first<Order>>");

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::most_waiting_first_text, Order>::name();
    }

    constexpr warp_slot pick(warp_set candidates) const noexcept requires picks_plainly<Order> {
        return order_.pick(most_awaited(candidates));
    }
    constexpr warp_slot pick(warp_set candidates,
                             issue_classes const& classes) const noexcept requires asks_classes<Order> {
        return order_.pick(most_awaited(candidates), classes);
    }
    /// Those of the candidates for whom most warps of their CTA wait; all if nobody waits.
    constexpr warp_set most_awaited(warp_set candidates) const noexcept {
        return waiting_ ? awaited_.greatest(candidates) : candidates;
    }

    template <class E>
    requires(std::same_as<E, kernel_began> || std::same_as<E, cta_launched> ||
             std::same_as<E, barrier_arrived> || std::same_as<E, barrier_released> ||
             hears<Order, E>) constexpr void on(E const& e) noexcept(tells_without_error<E>) {
        if constexpr (std::same_as<E, kernel_began>) {
            waiting_ = {};
            awaited_ = {};
            for (auto& warps : cta_) warps = {};
        } else if constexpr (std::same_as<E, cta_launched>) {
            waiting_ -= e.warps;
            e.warps.for_each([&](warp_slot w) { cta_[w.index()] = e.warps; });
            count(e.warps);
        } else if constexpr (std::same_as<E, barrier_arrived>) {
            if (!e.waits) return notify(e, order_);
            waiting_.insert(e.warp);
            count(cta_[e.warp.index()]);
        } else if constexpr (std::same_as<E, barrier_released>) {
            auto rest = e.warps & waiting_;
            waiting_ -= rest;
            while (rest) {
                auto const cta = cta_[rest.first().index()];
                count(cta);
                rest.erase(rest.first());
                rest -= cta;
            }
        }
        notify(e, order_);
    }
    constexpr Order const& order() const noexcept { return order_; }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}
            .add("CTA of each warp", std::uint64_t{shape.warp_slots} * bits_for(shape.cta_slots))
            .add("warps at a barrier", shape.warp_slots)
            .add("waiting warps of each CTA", std::uint64_t{shape.cta_slots} * bits_for(shape.warp_slots + 1))
            .add(hardware_cost_of(order_, shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.order_);
    }
    constexpr void parameters_set() { tell_parameters_set(order_); }
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(order_, waiting_, awaited_);
        for (auto const& warps : cta_) f(warps);
    }
    friend bool operator==(most_waiting_first const&, most_waiting_first const&) = default;

private:
    /// How many warps of this CTA wait.
    constexpr void count(warp_set cta) noexcept {
        auto const n = (cta & waiting_).size();
        cta.for_each([&](warp_slot w) { awaited_.set(w, n); });
    }

    [[no_unique_address]] Order order_;
    warp_set waiting_;
    warp_numbers<bits_for(warp_set::width + 1)> awaited_; ///< by warp: how many of its CTA wait
    warp_set cta_[warp_set::width]{};                     ///< by warp: the warps of its CTA
};

} // namespace warpkit
