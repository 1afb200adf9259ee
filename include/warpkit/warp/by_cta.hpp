#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/group_rank.hpp>

#include <cstdint>
#include <type_traits>

namespace warpkit {

namespace detail {
struct min_warps_text {
    static constexpr char const* name() noexcept { return "min_warps"; }
};
struct rank_last_text {
    static constexpr char const* name() noexcept { return "rank_last"; }
};
struct by_cta_text {
    static constexpr char const* name() noexcept { return "by_cta"; }
};
} // namespace detail

/// The least number of warps that a group should have, fixed by the template argument or given to the constructor.
template <std::uint64_t Warps>
struct min_warps {
    static_assert(Warps == run_time || (Warps > 0 && Warps <= warp_set::width),
                  "warpkit: min_warps<Warps> needs a number from 1 to 64 warps");
    static constexpr unsigned standard = Warps == run_time ? 8 : static_cast<unsigned>(Warps);
    /// The least number that any such group has.
    static constexpr unsigned least = Warps == run_time ? 1 : standard;
    [[no_unique_address]] number<unsigned, Warps> warps{standard};
    static constexpr char const* name() noexcept {
        return composed_name<detail::min_warps_text, number_in_name<Warps>>::name();
    }
    static constexpr char const* name() noexcept requires(Warps == run_time) {
        return detail::min_warps_text::name();
    }

    constexpr min_warps() = default;
    /// A number known at run time; 0 is read as 1.
    constexpr explicit min_warps(unsigned n) noexcept requires(Warps == run_time) : warps(n == 0 ? 1 : n) {}
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"min_warps", "the least number of warps in a group of CTAs", 1, warp_set::width},
          self.warps);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(warps.get());
    }
    friend bool operator==(min_warps const&, min_warps const&) = default;
};

/// A CTA that takes the place of a finished one is in the group of its slot, for ever.
struct inherit_slot {
    static constexpr char const* name() noexcept { return "inherit_slot"; }
};

/// Groups are ranked, at first by Rank. When the last warp of a group has exited, the group moves to the end of the
/// rank. A CTA that takes the place of a finished one joins the group that ranks last.
template <class Rank>
struct rank_last {
    static_assert(group_rank<Rank>, "warpkit: the rank of rank_last<> needs `unsigned first(unsigned groups) "
                                    "const noexcept`");
    static constexpr char const* name() noexcept {
        if constexpr (std::is_same_v<Rank, by_number>)
            return detail::rank_last_text::name();
        else
            return composed_name<detail::rank_last_text, Rank>::name();
    }
};

namespace detail {

template <class Refill>
struct rank_of_refill {
    using type = void;
};
template <class Rank>
struct rank_of_refill<rank_last<Rank>> {
    using type = Rank;
};

/// A list of all groups, the first one first, and the slots that have been in use.
template <unsigned Groups, class Rank>
class ranking {
public:
    constexpr unsigned operator[](unsigned position) const noexcept { return group_[position]; }
    constexpr unsigned last() const noexcept { return group_[groups_ - 1]; }
    constexpr void begin(kernel_began const& e, unsigned groups) {
        auto const rank = rank_;
        *this = {};
        rank_ = rank;
        notify(e, rank_);
        groups_ = groups;
        auto group = rank_.first(groups);
        for (unsigned i = 0; i < groups; ++i) {
            group_[i] = static_cast<slot_number>(group);
            group = group + 1 < groups ? group + 1 : 0;
        }
    }
    constexpr void move_to_end(unsigned group) noexcept {
        unsigned i = 0;
        while (group_[i] != group) ++i;
        for (; i + 1 < groups_; ++i) group_[i] = group_[i + 1];
        group_[i] = static_cast<slot_number>(group);
    }
    /// Whether these slots are in use for the first time.
    constexpr bool first_use(warp_set warps) noexcept {
        bool const first = !(used_ & warps);
        used_ |= warps;
        return first;
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.rank_);
    }
    constexpr void parameters_set() { tell_parameters_set(rank_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(group_, groups_, used_, rank_);
    }
    friend bool operator==(ranking const&, ranking const&) = default;

private:
    warp_set used_;
    unsigned groups_ = 1;
    slot_number group_[Groups]{};
    [[no_unique_address]] Rank rank_;
};
struct unranked {
    friend bool operator==(unranked const&, unranked const&) = default;
};

} // namespace detail

/// Groups of whole CTAs with at least MinWarps warps each, core-wide. With k warps per CTA, a group takes the fewest
/// consecutive CTA slots that have so many warps, and the last group also takes the slots left over; all slots are one
/// group where they are too few for one. N and k are the kernel's (the most CTAs that fit), not those of the moment.
///
/// Source: OWL, section 4.1 and Algorithm 1 (docs/model/warp_scheduling.md#cta-groups). The paper's results are for at
/// least 8 warps.
/// Differs from the paper: it does not say what becomes of the groups when CTAs are replaced. Refill chooses between
/// `rank_last`, under which a group ends, as the paper's section 4.2 has it ("the next group is chosen"), and
/// `inherit_slot`, under which no group ever does. Initially, and for slots not yet used, a CTA's group is its slot's.
/// Hardware cost: each warp's group, and with rank_last the order of the groups and who was in use.
template <class MinWarps, class Refill>
class by_cta {
    using rank = typename detail::rank_of_refill<Refill>::type;
    static constexpr bool ranks_ = !std::is_void_v<rank>;
    static_assert(ranks_ || std::is_same_v<Refill, inherit_slot>,
                  "warpkit: the second argument of by_cta<> is inherit_slot or rank_last<Rank>");

public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::by_cta_text, MinWarps, Refill>::name();
    }
    static constexpr unsigned max_groups = warp_set::width / MinWarps::least;

    constexpr by_cta() = default;
    constexpr explicit by_cta(MinWarps const& least) noexcept : least_(least) {}

    constexpr unsigned groups() const noexcept { return groups_; }
    /// Warps of a group, the least, for hardware costs.
    constexpr unsigned group_warps() const noexcept { return least_.warps.get(); }
    /// The live warps of this group.
    constexpr warp_set members(unsigned group) const noexcept { return members_[group]; }
    constexpr unsigned group_of(warp_slot w) const noexcept { return group_of_[w.index()]; }
    /// The group that ranks at this position, 0 the first; its own number where groups are not ranked.
    constexpr unsigned ranked(unsigned position) const noexcept {
        if constexpr (ranks_)
            return ranking_[position];
        else
            return position;
    }
    /// CTA slots per group; the last group may have more.
    constexpr unsigned ctas_per_group() const noexcept { return ctas_per_group_; }

    constexpr void on(kernel_began const& e) {
        auto const ranking = ranking_;
        *this = by_cta(least_);
        ranking_ = ranking;
        unsigned const told = e.warps_per_cta;
        auto const k = told == 0 ? 1 : told;
        ctas_per_group_ = (least_.warps.get() + k - 1) / k;
        groups_ = e.ctas_per_core / ctas_per_group_;
        if (groups_ == 0) groups_ = 1;
        if (groups_ > max_groups) groups_ = max_groups;
        if constexpr (ranks_) ranking_.begin(e, groups_);
    }
    constexpr void on(cta_launched const& e) noexcept {
        auto const group = group_for(e);
        for (auto& m : members_) m -= e.warps;
        members_[group] |= e.warps;
        e.warps.for_each([&](warp_slot w) { group_of_[w.index()] = static_cast<slot_number>(group); });
    }
    constexpr void on(warp_exited const& e) noexcept {
        auto const group = group_of(e.warp);
        if (!members_[group].contains(e.warp)) return;
        members_[group].erase(e.warp);
        if constexpr (ranks_)
            if (!members_[group]) ranking_.move_to_end(group);
    }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        auto const groups = shape.warp_slots / group_warps();
        hardware_cost_list cost;
        cost.add("group of each warp", shape.warp_slots * bits_for(groups));
        if (ranks_) cost.add("order of groups", groups * bits_for(groups)).add("slots used", shape.cta_slots);
        return cost;
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.least_, self.ranking_);
    }
    constexpr void parameters_set() { tell_parameters_set(least_, ranking_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(members_, group_of_, groups_, ctas_per_group_, least_, ranking_);
    }
    friend bool operator==(by_cta const&, by_cta const&) = default;

private:
    constexpr unsigned group_for(cta_launched const& e) noexcept {
        if constexpr (ranks_)
            if (!ranking_.first_use(e.warps)) return ranking_.last();
        auto const group = e.cta.index() / ctas_per_group_;
        return group < groups_ ? group : groups_ - 1;
    }

    warp_set members_[max_groups]{};
    slot_number group_of_[warp_set::width]{};
    unsigned groups_ = 1;
    unsigned ctas_per_group_ = 1;
    [[no_unique_address]] MinWarps least_;
    [[no_unique_address]] std::conditional_t<ranks_, detail::ranking<max_groups, rank>, detail::unranked>
        ranking_;
};
static_assert(grouping<by_cta<min_warps<8>, inherit_slot>> && grouping<by_cta<min_warps<8>, rank_last<>>>);
static_assert(hears<by_cta<min_warps<8>>, kernel_began> && hears<by_cta<min_warps<8>>, cta_launched> &&
              hears<by_cta<min_warps<8>>, warp_exited>);

} // namespace warpkit
