#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/fetch/concepts.hpp>

#include <concepts>

namespace warpkit::fetch {

/// Order can tell who is ahead of a warp without being asked warp by warp.
template <class Order>
concept tells_who_is_ahead = requires(Order const& o, warp_slot w, warp_set among) {
    { o.ahead_of(w, among) } -> std::same_as<warp_set>;
};

/// The issue orders of a core's schedulers as one fetch order: the first warp of scheduler 0, the first of scheduler 1,
/// ..., the second of scheduler 0, ... The first candidate in that list is fetched for.
///
/// The list is over all live warps: a warp that needs no fetch keeps its place, so that a scheduler whose front warps
/// wait for instructions goes ahead of one whose front warps have some.
/// Order is the schedulers' own; it is kept once for each scheduler and hears what that scheduler's would: of a warp
/// only if it is its own. An order that refuses nobody, such as `elf`.
/// Source: ELF, Park, Park and Mahlke, SC 2015, section 3.3.
/// Hardware cost: none of its own; it reads the schedulers' priorities.
template <class Order>
class interleaved {
    static_assert(check_fetch_order<Order>());
    struct text {
        static constexpr char const* name() noexcept { return "interleaved"; }
    };

public:
    static constexpr bool forwards_events = true;
    static constexpr unsigned max_schedulers = 4;
    static constexpr char const* name() noexcept { return composed_name<text, Order>::name(); }

    constexpr warp_slot pick(warp_set candidates) const noexcept {
        warp_slot best;
        unsigned best_rank = warp_set::width;
        for (unsigned s = 0; s < schedulers_; ++s) {
            auto const own = candidates & owned_[s];
            if (!own) continue;
            auto const w = order_[s].pick(own);
            auto const rank = rank_of(order_[s], w, live_ & owned_[s]);
            if (rank < best_rank) {
                best_rank = rank;
                best = w;
            }
        }
        return best;
    }

    template <class E>
    requires(std::same_as<E, kernel_began> || std::same_as<E, cta_launched> || std::same_as<E, warp_exited> ||
             hears<Order, E>) constexpr void on(E const& e) noexcept(tells_without_error<E>) {
        if constexpr (std::same_as<E, kernel_began>) {
            live_ = {};
            unsigned const told = e.schedulers;
            schedulers_ = told < 1 ? 1 : told > max_schedulers ? max_schedulers : told;
            for (unsigned s = 0; s < schedulers_; ++s) owned_[s] = warp_set::every(schedulers_, s);
        } else if constexpr (std::same_as<E, cta_launched>) {
            live_ |= e.warps;
        } else if constexpr (std::same_as<E, warp_exited>) {
            live_.erase(e.warp);
        }
        if constexpr (hears<Order, E>) {
            if constexpr (requires { warp_slot{e.warp}; })
                order_[e.warp ? e.warp.index() % schedulers_ : 0].on(e);
            else
                for (unsigned s = 0; s < schedulers_; ++s) order_[s].on(e);
        }
    }

    /// The order of one scheduler.
    constexpr Order const& order(unsigned scheduler) const noexcept { return order_[scheduler]; }

    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        for (auto& order : self.order_) each_parameter_of(f, order);
    }
    constexpr void parameters_set() {
        for (auto& order : order_) tell_parameters_set(order);
    }
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        for (auto const& o : order_) f(o);
        for (auto const& o : owned_) f(o);
        f(live_, schedulers_);
    }
    friend bool operator==(interleaved const&, interleaved const&) = default;

private:
    // How many of `among` go ahead of `w`.
    static constexpr unsigned rank_of(Order const& order, warp_slot w, warp_set among) noexcept {
        if constexpr (tells_who_is_ahead<Order>) return order.ahead_of(w, among).size();
        unsigned rank = 0;
        for (auto first = order.pick(among); first && first != w; first = order.pick(among)) {
            among.erase(first);
            ++rank;
        }
        return rank;
    }

    Order order_[max_schedulers]{};
    warp_set owned_[max_schedulers]{~warp_set{}};
    warp_set live_;
    unsigned schedulers_ = 1;
};

} // namespace warpkit::fetch
