#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/group_rank.hpp>

namespace warpkit {

namespace detail {
struct first_with_candidate_text {
    static constexpr char const* name() noexcept { return "first_with_candidate"; }
};
/// The group at a position of the grouping's own rank; its number where the grouping does not rank.
template <class G>
constexpr unsigned ranked_group(G const& g, unsigned position) noexcept {
    if constexpr (requires {
                      { g.ranked(position) } -> std::same_as<unsigned>;
                  })
        return g.ranked(position);
    else
        return position;
}
} // namespace detail

/// Preemptive: always the first group, in Rank's order, that has a candidate. A grouping that ranks its groups itself
/// (`unsigned ranked(unsigned position) const`, as by_cta with rank_last) does so by position instead of by number.
/// Source: OWL's CTA-Aware-Locality (docs/model/warp_scheduling.md#owl).
/// Hardware cost: the rank's.
template <class Rank>
class first_with_candidate {
    static_assert(
        group_rank<Rank>,
        "warpkit: the rank of first_with_candidate<> needs `unsigned first(unsigned groups) const noexcept`");
    static_assert(detail::check_warp_listener<Rank>());

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        if constexpr (std::same_as<Rank, by_number>)
            return detail::first_with_candidate_text::name();
        else
            return composed_name<detail::first_with_candidate_text, Rank>::name();
    }

    constexpr first_with_candidate() = default;
    constexpr explicit first_with_candidate(Rank const& rank) : rank_(rank) {}

    template <class G>
    constexpr unsigned front(G const& g, warp_set candidates) const noexcept {
        if (!candidates) return no_group;
        auto position = rank_.first(g.groups());
        for (auto tried = g.groups(); tried != 0; --tried) {
            auto const group = detail::ranked_group(g, position);
            if (candidates & g.members(group)) return group;
            position = position + 1 < g.groups() ? position + 1 : 0;
        }
        return no_group;
    }

    constexpr Rank const& rank() const noexcept { return rank_; }

    template <class E>
    requires hears<Rank, E>
    constexpr void on(E const& e) noexcept(tells_without_error<E>) { rank_.on(e); }
    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_of(rank_, shape);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.rank_);
    }
    constexpr void parameters_set() { tell_parameters_set(rank_); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(rank_);
    }
    friend bool operator==(first_with_candidate const&, first_with_candidate const&) = default;

private:
    [[no_unique_address]] Rank rank_;
};

} // namespace warpkit
