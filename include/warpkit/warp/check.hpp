#pragma once
/// \file
/// Explains, in one message each, what is wrong with a type that wants to be a warp scheduler. Whoever plugs a
/// scheduler in calls it before anything else is instantiated.

#include <warpkit/base/check.hpp>
#include <warpkit/warp/concepts.hpp>

#include <concepts>
#include <type_traits>

namespace warpkit {

namespace detail {

/// Whether a class has any member called `pick`, accessible or not: such a name makes the lookup below ambiguous.
struct has_pick {
    void pick();
};
template <class P>
struct with_pick : P, has_pick {};
template <class P>
concept names_pick = std::is_final_v<P> ||(std::is_class_v<P> && !requires { &with_pick<P>::pick; });

template <class P>
concept picks_mutably = !requires(P const& p, warp_set c) {
    p.pick(c);
}
&&requires(P& p, warp_set c) { p.pick(c); };
template <class P>
concept picks_mutably_by_class = !requires(P const& p, warp_set c, issue_classes k) {
    p.pick(c, k);
}
&&requires(P& p, warp_set c, issue_classes k) { p.pick(c, k); };
template <class P>
concept picks_something = requires(P const& p, warp_set c) {
    p.pick(c);
}
|| requires(P const& p, warp_set c, issue_classes k) { p.pick(c, k); };

/// One failed assertion at most, the one to mend first.
template <class P>
constexpr bool check_pick() {
    if constexpr (!warp_picker<P>) {
        if constexpr (!names_pick<P>)
            static_assert(acceptable<P>, "warpkit: this warp scheduler has no pick: write "
                                         "`warp_slot pick(warp_set candidates) const noexcept`");
        else if constexpr (picks_mutably<P> || picks_mutably_by_class<P>)
            static_assert(acceptable<P>,
                          "warpkit: pick must be const, because being picked is not being issued: write "
                          "`warp_slot pick(warp_set candidates) const noexcept` and change state in "
                          "`void on(issued const&)`");
        else if constexpr (picks_something<P>)
            static_assert(
                acceptable<P>,
                "warpkit: pick must return a warp_slot, no_warp when there is nothing to pick: write "
                "`warp_slot pick(warp_set candidates) const noexcept`");
        else
            static_assert(
                acceptable<P>,
                "warpkit: pick is private, or cannot be called with the candidates: write in the public part "
                "`warp_slot pick(warp_set candidates) const noexcept`");
        return false;
    }
    return true;
}

template <class P>
constexpr bool check_warp_listener() {
    check_handlers<P>(warp_scheduler_events{});
    return true;
}

} // namespace detail

/// Refuses, with one message that tells the remedy, a type that is no warp scheduler. Use:
/// `static_assert(check_warp_scheduler<P>());` ahead of everything that uses P.
template <class P>
constexpr bool check_warp_scheduler() {
    static_assert(std::is_class_v<P>, "warpkit: a warp scheduler is a class");
    if constexpr (std::is_polymorphic_v<P>)
        return check_value<P>();
    else if constexpr (detail::check_pick<P>())
        if constexpr (check_value<P>()) return detail::check_warp_listener<P>();
    return false;
}

} // namespace warpkit
