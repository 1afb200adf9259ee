#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

namespace detail {
struct leaders_first_text {
    static constexpr char const* name() noexcept { return "leaders_first"; }
};
} // namespace detail

/// Order, among the candidates that lead; if there are none, among all. Of a scheduler's warps of each CTA every
/// Every-th leads, the first one among them, so that what it loads is there or under way when its neighbours ask for
/// it. While fewer than FreeMshrs miss status registers of the L1 are free, nobody leads: those that are left are for
/// whom Order chooses. Both numbers are fixed by their template arguments or set by name.
/// Source: in the manner of WaSP (Joseph, Aragon, Parcerisa and Gonzalez, "WaSP: Warp Scheduling to Mimic Prefetching
/// in Graphics Workloads", arXiv 2404.06156, 2024), by its abstract: a subset of priority warps is begun early, as far
/// as that does not fill the MSHRs (docs/model/warp_scheduling.md#leaders).
/// Differs from the paper: there the subset is one of a tile's quads, chosen to touch what all of the tile do, and
/// whether a warp would block is predicted; here it is one of so many warps, and room is told by the memory.
/// Hardware cost: a bit a warp and one for the core, and Order's.
template <class Order, std::uint64_t Every = 4, std::uint64_t FreeMshrs = 8>
class leaders_first {
    static_assert(check_warp_scheduler<Order>());
    static_assert(!narrows<Order>, "warpkit: throttle outside, not inside: write "
                                   "throttled<Eligibility, leaders_first<Order>>");
    static_assert((Every == run_time) == (FreeMshrs == run_time),
                  "warpkit: the numbers of leaders_first<> are both fixed, or both known at run time");
    static_assert(Every != 0, "warpkit: leaders_first<Order, Every, FreeMshrs> needs an Every of 1 or more");

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::leaders_first_text, Order, number_in_name<Every>,
                             number_in_name<FreeMshrs>>::name();
    }
    static constexpr char const* name() noexcept requires(Every == run_time) {
        return composed_name<detail::leaders_first_text, Order>::name();
    }

    constexpr warp_slot pick(warp_set candidates) const noexcept requires picks_plainly<Order> {
        return order_.pick(in_front(candidates));
    }
    constexpr warp_slot pick(warp_set candidates,
                             issue_classes const& classes) const noexcept requires asks_classes<Order> {
        return order_.pick(in_front(candidates), classes);
    }
    constexpr warp_set leaders() const noexcept { return leaders_; }

    template <class E>
    requires(std::same_as<E, kernel_began> || std::same_as<E, scheduler_began> ||
             std::same_as<E, cta_launched> || std::same_as<E, memory_pressure> ||
             hears<Order, E>) constexpr void on(E const& e) noexcept(tells_without_error<E>) {
        if constexpr (std::same_as<E, kernel_began>) {
            owned_ = ~warp_set{};
            leaders_ = {};
            full_ = false;
        } else if constexpr (std::same_as<E, scheduler_began>) {
            owned_ = e.owned;
        } else if constexpr (std::same_as<E, cta_launched>) {
            leaders_ -= e.warps;
            unsigned n = 0;
            (e.warps & owned_).for_each([&](warp_slot w) {
                if (n++ % every_.get() == 0) leaders_.insert(w);
            });
        } else if constexpr (std::same_as<E, memory_pressure>) {
            full_ = e.mshrs != 0 && e.free_mshrs < free_mshrs_.get();
        }
        notify(e, order_);
    }
    constexpr Order const& order() const noexcept { return order_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("leaders", shape.warp_slots)
            .add("room for misses", 1)
            .add(hardware_cost_of<Order>(shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"every", "warps of a scheduler and a CTA, one of which leads", 1, 64}, self.every_);
        f(parameter{"free_mshrs", "miss status registers; with fewer free ones nobody leads", 0, 65536},
          self.free_mshrs_);
        each_parameter_of(f, self.order_);
    }
    constexpr void parameters_set() { tell_parameters_set(order_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(order_, owned_, leaders_, full_, every_.get(), free_mshrs_.get());
    }
    friend bool operator==(leaders_first const&, leaders_first const&) = default;

private:
    constexpr warp_set in_front(warp_set candidates) const noexcept {
        auto const first = candidates & leaders_;
        return first && !full_ ? first : candidates;
    }

    [[no_unique_address]] Order order_;
    warp_set owned_ = ~warp_set{};
    warp_set leaders_;
    bool full_ = false;
    [[no_unique_address]] number<unsigned, Every> every_{Every == run_time ? 4
                                                                           : static_cast<unsigned>(Every)};
    [[no_unique_address]] number<unsigned, FreeMshrs> free_mshrs_{
        FreeMshrs == run_time ? 8 : static_cast<unsigned>(FreeMshrs)};
};

} // namespace warpkit
