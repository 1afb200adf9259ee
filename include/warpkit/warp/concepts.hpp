#pragma once
/// \file
/// The warp-scheduler algebra: every scheduler of the literature answers the same four questions, and is a composition
/// of four kinds of parts (docs/explanation/design.md#algebra).
///
///   eligibility    who may compete now?                               throttled<Eligibility, Scheduler>
///   grouping       into which priority classes do the warps fall?     grouped<Grouping, GroupOrder, Order>
///   group order    which group is in front, and when does it change?
///   order within   which warp of those that remain?                   lrr, oldest, greedy_then<oldest>, ...
///
/// Contract, common to all parts: a part is a regular value (copied, compared, hashed). It changes only through
/// events, heard by `on(event const&)` (base/listen.hpp), and a combinator hands each event on to those of its parts
/// that hear it. kernel_began is the first event of a part's life and makes it as good as new.
///
/// Contract, who hears what: a core's schedulers hear *all* events of their core, with two exceptions that go only to
/// the scheduler concerned: `issued`, which the owner of the warp hears, and `cycles_spent`, which the scheduler whose
/// cycles they are hears. So a last issuer is always the scheduler's own, and what must be judged core-wide (is the
/// whole group blocked?) can be. A part with a per-scheduler limit learns from `scheduler_began` which slots
/// are its own; candidates are always the scheduler's own.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_picker.hpp>
#include <warpkit/warp/events.hpp>
#include <warpkit/warp/fwd.hpp>

#include <concepts>

namespace warpkit {

/// Chooses the warp that issues next.
///
/// Contract: see warp_picker for `pick`. `pick` may take the candidates alone, or also what they would issue
/// (`issue_classes`). A scheduler that may refuse candidates also has `warp_set eligible(warp_set candidates) const`
/// (with the classes as second argument if it asks for them): the candidates it would not refuse, so that a throttled
/// cycle can be told from an idle one. State is regular. Optional: `static constexpr char const* name()` and
/// `constexpr hardware_cost_list hardware_cost(core_shape const&)`, const where its parameters count, else static.
/// check_warp_scheduler (warp/check.hpp) explains what is wrong with a type that is none.
template <class P>
concept warp_scheduler = warp_picker<P> && regular_state<P>;

/// P refuses candidates by what it knows itself.
template <class P>
concept narrows_plainly = requires(P const& p, warp_set c) {
    { p.eligible(c) } -> std::same_as<warp_set>;
};
/// P refuses candidates by what they would issue.
template <class P>
concept narrows_by_class = requires(P const& p, warp_set c, issue_classes const& k) {
    { p.eligible(c, k) } -> std::same_as<warp_set>;
};
/// P may refuse candidates.
template <class P>
concept narrows = narrows_plainly<P> || narrows_by_class<P>;

/// First question: who may compete now?
///
/// Contract: `warp_set eligible(warp_set candidates) const noexcept`, or with `issue_classes const&` as second argument
/// (CCWS denies loads only); a subset of the candidates. It must not leave the core without hope: when all candidates
/// are denied for ever, no event comes to change that.
template <class P>
concept eligibility = narrows<P> && regular_state<P>;

/// No group: what a group order answers when no group has a candidate.
inline constexpr unsigned no_group = ~0U;

/// Second question: into which groups do the warps fall?
///
/// Contract: `groups()` is the number of groups now, from 1 to `max_groups`. `members(g)` are the slots of group g <
/// groups(), whether or not a live warp is in them; groups do not overlap, and each live warp is in one of them.
/// `group_of(w)` is the group of slot w.
template <class P>
concept grouping = regular_state<P> && requires(P const& p, unsigned g, warp_slot w) {
    { P::max_groups } -> std::convertible_to<unsigned>;
    { p.groups() } -> std::same_as<unsigned>;
    { p.members(g) } -> std::same_as<warp_set>;
    { p.group_of(w) } -> std::same_as<unsigned>;
};

/// Third question: which group is in front? P is the group order, G the grouping that it orders.
///
/// Contract: `front(grouping, candidates)` is the group to issue from, no_group if there is none. It is const, as
/// `pick` is. After each event that the grouping or the group order heard, `settle(grouping)` is called, if it exists:
/// the place to move the front. An order that keeps groups waiting although they have candidates also has
/// `warp_set eligible(grouping, candidates) const`.
template <class P, class G>
concept group_order_of = regular_state<P> && requires(P const& p, G const& g, warp_set c) {
    { p.front(g, c) } -> std::same_as<unsigned>;
};

/// Fourth question: which warp of those that remain? A scheduler that refuses nobody.
///
/// Contract: as warp_scheduler, without `eligible`. An order whose state is a place in a rotation says
/// `static constexpr bool per_group = true`, and is then kept once for each group.
template <class P>
concept warp_order = warp_scheduler<P> && !narrows<P>;

/// Each group has an order of its own.
template <class P>
concept ordered_per_group = requires {
    requires P::per_group;
};

/// The candidates that `p` does not refuse; all of them if it refuses nobody.
template <class P>
constexpr warp_set eligible_warps(P const& p, warp_set candidates, issue_classes const& classes) noexcept {
    if constexpr (narrows_by_class<P>)
        return p.eligible(candidates, classes);
    else if constexpr (narrows_plainly<P>)
        return p.eligible(candidates);
    else
        return candidates;
}

/// The same for a policy that does not look at classes.
template <class P>
requires(!narrows_by_class<P>) constexpr warp_set eligible_warps(P const& p, warp_set candidates) noexcept {
    if constexpr (narrows_plainly<P>)
        return p.eligible(candidates);
    else
        return candidates;
}

} // namespace warpkit
