#pragma once
/// \file
/// The shape that every order over warps has, in the issue seat (warp/) and in the fetch seat (fetch/) alike.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include <concepts>

namespace warpkit {

/// Which of a scheduler's candidates would issue what. A host computes it only for policies that ask.
struct issue_classes {
    warp_set loads;   ///< a global, local, texture or parameter load
    warp_set stores;  ///< a global or local store
    warp_set atomics; ///< a global atomic

    /// Any instruction for the load/store unit's path to memory.
    constexpr warp_set memory() const noexcept { return loads | stores | atomics; }
};

/// P chooses by the candidates alone.
template <class P>
concept picks_plainly = requires(P const& p, warp_set c) {
    { p.pick(c) } -> std::same_as<warp_slot>;
};

/// P wants to know what the candidates would issue.
template <class P>
concept asks_classes = requires(P const& p, warp_set c, issue_classes const& k) {
    { p.pick(c, k) } -> std::same_as<warp_slot>;
};

/// Contract: `pick` answers with one of the candidates, or with none when there is none (or when it denies all of
/// them, which it then also tells through `eligible`). It is const: being picked is not being issued, the host may
/// find the unit busy; all state changes come from events, through `on(event const&)`. It may be asked any number of
/// times between two events. A policy with both forms of `pick` is asked with the classes.
template <class P>
concept warp_picker = picks_plainly<P> || asks_classes<P>;

/// P knows only when it is made whether it goes by the classes: one of several.
template <class P>
concept tells_whether_it_asks = requires(P const& p) {
    { p.wants_classes() } -> std::same_as<bool>;
};

/// Asks `p`. `classes` is a function that makes the class masks; it is called only for a policy that wants them.
template <warp_picker P, std::invocable F>
constexpr warp_slot pick_warp(P const& p, warp_set candidates, F&& classes) noexcept {
    if constexpr (asks_classes<P> && tells_whether_it_asks<P>)
        return p.pick(candidates, p.wants_classes() ? classes() : issue_classes{});
    else if constexpr (asks_classes<P>)
        return p.pick(candidates, classes());
    else
        return p.pick(candidates);
}

/// Asks `p`, handing on class masks that are at hand.
template <warp_picker P>
constexpr warp_slot pick_warp(P const& p, warp_set candidates, issue_classes const& classes) noexcept {
    if constexpr (asks_classes<P>)
        return p.pick(candidates, classes);
    else
        return p.pick(candidates);
}

} // namespace warpkit
