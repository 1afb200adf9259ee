#pragma once

#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

namespace warpkit {

namespace detail {
struct first_with_candidate_text {
    static constexpr char const* name() noexcept { return "first_with_candidate"; }
};
} // namespace detail

/// A rank of groups: group 0 is first, the others follow in the order of their numbers.
class by_number {
public:
    static constexpr char const* name() noexcept { return "by_number"; }
    constexpr unsigned first(unsigned) const noexcept { return 0; }
    friend bool operator==(by_number const&, by_number const&) = default;
};

/// Preemptive: always the first group, in Rank's order, that has a candidate. Rank says with `unsigned first(unsigned
/// groups) const` which group ranks highest; the others follow circularly.
/// Source: OWL's CTA-Aware-Locality (SPEC 1.10).
/// Hardware cost: none.
template <class Rank>
class first_with_candidate {
    static_assert(
        requires(Rank const& r, unsigned n) {
            { r.first(n) } -> std::same_as<unsigned>;
        },
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

    template <class G>
    constexpr unsigned front(G const& g, warp_set candidates) const noexcept {
        if (!candidates) return no_group;
        auto group = rank_.first(g.groups());
        for (auto tried = g.groups(); tried != 0; --tried) {
            if (candidates & g.members(group)) return group;
            group = group + 1 < g.groups() ? group + 1 : 0;
        }
        return no_group;
    }

    template <class E>
    requires hears<Rank, E>
    constexpr void on(E const& e) noexcept { rank_.on(e); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(rank_);
    }
    friend bool operator==(first_with_candidate const&, first_with_candidate const&) = default;

private:
    [[no_unique_address]] Rank rank_;
};

} // namespace warpkit
