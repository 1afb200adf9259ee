#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/concepts.hpp>
#include <warpkit/warp/waiting_warps.hpp>

#include <cstdint>
#include <type_traits>

namespace warpkit {

/// When does the front move to another group?
enum class front_moves : std::uint8_t {
    when_blocked, ///< when every live warp of the front group waits for memory, at a barrier or at a fence
    on_any_stall  ///< with each issue, to the group of the warp that issued
};

/// What if the front group has no candidate, and yet keeps the front?
enum class idle_slots : std::uint8_t {
    filled,   ///< the next group that has one may issue; the front does not move for it
    left_idle ///< nobody issues
};

namespace detail {
template <front_moves When, idle_slots Idle>
struct rotation_text {
    static constexpr char const* name() noexcept {
        if (When == front_moves::on_any_stall) return "rotate_on_any_stall";
        return Idle == idle_slots::filled ? "rotate_when_blocked" : "rotate_when_blocked_only";
    }
};
} // namespace detail

/// Groups take turns at the front, in the order of their numbers.
///
/// Whether a group is blocked is judged core-wide, over the warps of all schedulers
/// (docs/model/warp_scheduling.md#owl-schedulers). A group without live warps counts as blocked. The front passes over
/// blocked groups, and stays where it is if all are blocked; so a group does not return to the front before the other
/// groups that could go on had their turn.
/// Source: the two-level scheduler of Narasiman et al., MICRO 2011; `on_any_stall` is the CCWS authors' model of it
/// (docs/model/warp_scheduling.md#fetch-groups), without that model's slip in the group's number; OWL's CTA-Aware
/// changes groups in the same way.
/// Differs from the paper: `filled` is the default, because a pipeline that is not barrel-like would waste slots on
/// short dependencies; `left_idle` is the paper's. With Chosen that is kept with the order, Idle to begin with.
/// Hardware cost: the front group's number per scheduler, and per core the live warps and who of them waits.
template <front_moves When, idle_slots Idle, bool Chosen = false>
class rotate_groups {
public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept { return detail::rotation_text<When, Idle>::name(); }

    template <class G>
    constexpr unsigned front(G const& g, warp_set candidates) const noexcept {
        if (candidates & g.members(front_)) return front_;
        if (leaves_idle()) return no_group;
        return candidates ? next_with(g, candidates) : no_group;
    }
    /// The candidates of the front group, for the order that leaves slots idle.
    template <class G>
    constexpr warp_set eligible(G const& g, warp_set candidates) const noexcept
        requires(Chosen || Idle == idle_slots::left_idle) {
        return leaves_idle() ? candidates & g.members(front_) : candidates;
    }
    template <class G>
    constexpr void settle(G const& g) noexcept {
        if constexpr (When == front_moves::on_any_stall) {
            if (last_) front_ = g.group_of(last_);
        } else {
            auto const going = warps_.going();
            if ((going & g.members(front_)) || !going) return;
            auto const group = next_with(g, going);
            if (group != no_group) front_ = group;
        }
    }

    constexpr void on(kernel_began const&) noexcept {
        auto const idle = idle_;
        *this = {};
        idle_ = idle;
    }
    constexpr void on(issued const& e) noexcept requires(When == front_moves::on_any_stall) {
        last_ = e.warp;
    }
    template <class E>
    requires(When == front_moves::when_blocked && !std::same_as<E, kernel_began> &&
             hears<waiting_warps, E>) constexpr void on(E const& e) noexcept {
        warps_.on(e);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        hardware_cost_list cost;
        cost.add("front group", shape.schedulers * bits_for(shape.groups()));
        if (When == front_moves::when_blocked) cost.add("live and waiting warps", 2 * shape.warp_slots);
        return cost;
    }
    template <class Self, class F>
    static constexpr void each_parameter([[maybe_unused]] Self& self, [[maybe_unused]] F&& f) {
        if constexpr (Chosen)
            f(parameter{"idle_slots",
                        "issue slots that the front group cannot use: filled by another, or left idle"},
              self.idle_, idle_words_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(warps_, front_, last_);
        if constexpr (Chosen) f(idle_);
    }
    friend bool operator==(rotate_groups const&, rotate_groups const&) = default;

private:
    static constexpr parameter_word<idle_slots> idle_words_[] = {{"filled", idle_slots::filled},
                                                                 {"left_idle", idle_slots::left_idle}};
    struct fixed_idle {
        constexpr operator idle_slots() const noexcept { return Idle; }
        friend bool operator==(fixed_idle, fixed_idle) = default;
    };
    constexpr bool leaves_idle() const noexcept { return idle_ == idle_slots::left_idle; }
    static constexpr std::conditional_t<Chosen, idle_slots, fixed_idle> at_first() noexcept {
        if constexpr (Chosen)
            return Idle;
        else
            return {};
    }

    /// The first group behind the front, circularly, with a member in `warps`.
    template <class G>
    constexpr unsigned next_with(G const& g, warp_set warps) const noexcept {
        auto group = front_;
        for (auto rest = g.groups(); rest != 0; --rest) {
            group = group + 1 < g.groups() ? group + 1 : 0;
            if (warps & g.members(group)) return group;
        }
        return no_group;
    }

    waiting_warps warps_;
    unsigned front_ = 0;
    warp_slot last_;
    [[no_unique_address]] std::conditional_t<Chosen, idle_slots, fixed_idle> idle_ = at_first();
};

/// The front moves when the whole front group is blocked; other groups may fill its idle slots.
using rotate_when_blocked = rotate_groups<front_moves::when_blocked, idle_slots::filled>;
/// The front moves when the whole front group is blocked; its idle slots are lost.
using rotate_when_blocked_only = rotate_groups<front_moves::when_blocked, idle_slots::left_idle>;
/// One of the two, as is set by name.
using rotate_when_blocked_chosen = rotate_groups<front_moves::when_blocked, idle_slots::filled, true>;
/// The group of the warp that issued last is in front.
using rotate_on_any_stall = rotate_groups<front_moves::on_any_stall, idle_slots::filled>;

} // namespace warpkit
