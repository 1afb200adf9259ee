#pragma once
/// \file
/// Ranks of groups: which group comes first? Position 0 of a rank is the group `first(groups)`, the others follow in
/// the order of their numbers, circularly.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/fwd.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// R ranks groups.
///
/// Contract: `first(groups)` is below `groups`, which is at least 1. State is regular and changes through events.
template <class R>
concept group_rank = requires(R const& r, unsigned groups) {
    { r.first(groups) } -> std::same_as<unsigned>;
};

/// A rank of groups: group 0 is first, the others follow in the order of their numbers.
class by_number {
public:
    static constexpr char const* name() noexcept { return "by_number"; }
    constexpr unsigned first(unsigned) const noexcept { return 0; }
    friend bool operator==(by_number const&, by_number const&) = default;
};
static_assert(group_rank<by_number>);

/// A rank of groups: core c begins with group c modulo the number of groups, so that neighbouring cores, which hold
/// neighbouring CTAs, are not all at work on CTAs that share DRAM rows.
/// Source: OWL, Algorithm 1, CTA-Aware-Locality-BLP: priority (group - core) mod groups; cores count from 0
/// (docs/model/warp_scheduling.md#owl).
/// Hardware cost: none, the core's number is wired.
class rotated_by_core {
public:
    static constexpr char const* name() noexcept { return "rotated_by_core"; }
    constexpr unsigned first(unsigned groups) const noexcept { return core_ % groups; }
    constexpr void on(kernel_began const& e) { core_ = e.core; }
    friend bool operator==(rotated_by_core const&, rotated_by_core const&) = default;

private:
    unsigned core_ = 0;
};
static_assert(group_rank<rotated_by_core> && hears<rotated_by_core, kernel_began>);

namespace detail {
struct rotated_every_text {
    static constexpr char const* name() noexcept { return "rotated_every"; }
};
} // namespace detail

/// A rank of groups whose first group changes to the next one every Interval core cycles, counted from the kernel's
/// begin; Rank says where it begins. Interval is fixed by the template argument or given to the constructor; at least
/// 1.
/// Source: the fair version of CTA-Aware-Locality that OWL, section 4.2, leaves to future work. The host tells of every
/// cycle through cycles_spent, as for strict_round_robin. Hardware cost: a counter of cycles and the first group's
/// number, once for the core.
template <std::uint64_t Interval, class Rank>
class rotated_every {
    static_assert(group_rank<Rank>);
    static_assert(Interval > 0,
                  "warpkit: rotated_every<0> would never stay with any group: give at least 1 cycle");

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        if constexpr (Interval == run_time)
            return composed_name<detail::rotated_every_text, Rank>::name();
        else if constexpr (std::same_as<Rank, by_number>)
            return composed_name<detail::rotated_every_text, number_in_name<Interval>>::name();
        else
            return composed_name<detail::rotated_every_text, number_in_name<Interval>, Rank>::name();
    }

    constexpr rotated_every() = default;
    /// An interval known at run time; 0 is read as 1.
    constexpr explicit rotated_every(cycle interval) noexcept requires(Interval == run_time)
        : interval_(interval == 0 ? 1 : interval) {}

    constexpr unsigned first(unsigned groups) const noexcept {
        return static_cast<unsigned>((turn_ + rank_.first(groups)) % groups);
    }

    constexpr void on(kernel_began const& e) {
        turn_ = 0;
        elapsed_ = 0;
        notify(e, rank_);
    }
    constexpr void on(cycles_spent const& e) noexcept {
        elapsed_ += e.count;
        if (elapsed_ < interval_.get()) return;
        turn_ += elapsed_ / interval_.get();
        elapsed_ %= interval_.get();
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const groups = bits_for(shape.groups());
        return hardware_cost_list{}.add("group interval",
                                        (Interval == run_time ? 32 : bits_for(Interval)) + groups);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"interval", "core cycles for which a group comes first", 1}, self.interval_);
        each_parameter_of(f, self.rank_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(turn_, elapsed_, interval_.get(), rank_);
    }
    friend bool operator==(rotated_every const&, rotated_every const&) = default;

private:
    std::uint64_t turn_ = 0;
    cycle elapsed_ = 0;
    [[no_unique_address]] number<cycle, Interval> interval_{Interval == run_time ? 4096 : Interval};
    [[no_unique_address]] Rank rank_;
};

} // namespace warpkit
