#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace warpkit {

namespace detail {
struct grouped_text {
    static constexpr char const* name() noexcept { return "grouped"; }
};

/// One order for each group.
template <class Order, unsigned Groups>
struct orders_by_group {
    Order order[Groups]{};

    constexpr Order& operator[](unsigned group) noexcept { return order[group]; }
    constexpr Order const& operator[](unsigned group) const noexcept { return order[group]; }
    constexpr std::size_t size() const noexcept { return Groups; }
    constexpr Order const* begin() const noexcept { return order; }
    constexpr Order const* end() const noexcept { return order + Groups; }
    friend bool operator==(orders_by_group const&, orders_by_group const&) = default;
};

template <class P, class G>
concept settles = requires(P& p, G const& g) {
    p.settle(g);
};
template <class P, class G>
concept narrows_groups = requires(P const& p, G const& g, warp_set c) {
    { p.eligible(g, c) } -> std::same_as<warp_set>;
};
} // namespace detail

/// Order, within the group that GroupOrder puts in front, among the groups that Grouping makes.
///
/// An order that keeps a place in a rotation (`per_group`, as lrr) is kept once for each group, and hears of a warp
/// only in the warp's own group; any other order is kept once and hears everything. Hardware cost: the parts', a
/// rotation once for each group.
template <class Grouping, class GroupOrder, class Order>
class grouped {
    static_assert(
        grouping<Grouping>,
        "warpkit: the first argument of grouped<> must be a grouping: `static constexpr unsigned "
        "max_groups`, "
        "`unsigned groups() const`, `warp_set members(unsigned group) const`, `unsigned group_of(warp_slot) "
        "const`, comparable and hashable");
    static_assert(
        group_order_of<GroupOrder, Grouping>,
        "warpkit: the second argument of grouped<> must be a group order: `unsigned front(grouping const&, "
        "warp_set candidates) const`, comparable and hashable");
    static_assert(detail::check_warp_listener<Grouping>() && detail::check_warp_listener<GroupOrder>());
    static_assert(check_warp_scheduler<Order>());
    static_assert(!narrows<Order>, "warpkit: throttle outside, not inside: write "
                                   "throttled<Eligibility, grouped<Grouping, GroupOrder, Order>>");

    static constexpr bool per_group_ = ordered_per_group<Order> && Grouping::max_groups != 1;
    using orders =
        std::conditional_t<per_group_, detail::orders_by_group<Order, Grouping::max_groups>, Order>;

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::grouped_text, Grouping, GroupOrder, Order>::name();
    }

    constexpr grouped() = default;
    constexpr explicit grouped(Grouping const& by, GroupOrder const& turns = GroupOrder{})
        : grouping_(by),
          group_order_(turns) {}

    constexpr warp_slot pick(warp_set candidates) const noexcept requires picks_plainly<Order> {
        auto const group = group_order_.front(grouping_, candidates);
        if (group == no_group) return no_warp;
        return order(group).pick(candidates & grouping_.members(group));
    }
    constexpr warp_slot pick(warp_set candidates,
                             issue_classes const& classes) const noexcept requires asks_classes<Order> {
        auto const group = group_order_.front(grouping_, candidates);
        if (group == no_group) return no_warp;
        return order(group).pick(candidates & grouping_.members(group), classes);
    }
    constexpr warp_set
    eligible(warp_set candidates) const noexcept requires detail::narrows_groups<GroupOrder, Grouping> {
        return group_order_.eligible(grouping_, candidates);
    }

    template <class E>
    requires(hears<Grouping, E> || hears<GroupOrder, E> ||
             hears<Order, E>) constexpr void on(E const& e) noexcept(tells_without_error<E>) {
        notify(e, grouping_, group_order_);
        if constexpr (hears<Order, E>) {
            if constexpr (!per_group_)
                orders_.on(e);
            else if constexpr (requires { warp_slot{e.warp}; })
                orders_[grouping_.group_of(e.warp)].on(e);
            else
                for (unsigned g = 0; g < Grouping::max_groups; ++g) orders_[g].on(e);
        }
        if constexpr (detail::settles<GroupOrder, Grouping> && (hears<Grouping, E> || hears<GroupOrder, E>))
            group_order_.settle(grouping_);
    }

    constexpr Grouping const& groups() const noexcept { return grouping_; }
    constexpr GroupOrder const& group_order() const noexcept { return group_order_; }
    /// The order that chooses within this group.
    constexpr Order const& order([[maybe_unused]] unsigned group) const noexcept {
        if constexpr (per_group_)
            return orders_[group];
        else
            return orders_;
    }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        auto all = shape;
        if constexpr (requires { grouping_.group_warps(); })
            all.group_warps = grouping_.group_warps();
        else
            all.group_warps = (warp_set::width + Grouping::max_groups - 1) / Grouping::max_groups;
        hardware_cost_list cost;
        cost.add(hardware_cost_of(grouping_, all)).add(hardware_cost_of(group_order_, all));
        if constexpr (!per_group_) {
            cost.add(hardware_cost_of(orders_, shape));
        } else {
            auto part = shape;
            part.warp_slots = (shape.warp_slots + all.groups() - 1) / all.groups();
            for (auto const& item : hardware_cost_of(orders_.order[0], part))
                cost.add(item.structure, item.bits * all.groups());
        }
        return cost;
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.grouping_, self.group_order_);
        if constexpr (per_group_)
            for (auto& order : self.orders_.order) each_parameter_of(f, order);
        else
            each_parameter_of(f, self.orders_);
    }
    constexpr void parameters_set() {
        tell_parameters_set(grouping_, group_order_);
        if constexpr (per_group_)
            for (auto& order : orders_.order) tell_parameters_set(order);
        else
            tell_parameters_set(orders_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(grouping_, group_order_, orders_);
    }
    friend bool operator==(grouped const&, grouped const&) = default;

private:
    [[no_unique_address]] Grouping grouping_;
    [[no_unique_address]] GroupOrder group_order_;
    [[no_unique_address]] orders orders_;
};

} // namespace warpkit
