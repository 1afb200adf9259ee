#pragma once
/// \file
/// Which warp's instructions are fetched next? An order over the same warps as the issue order. And which
/// code is fetched ahead of any warp?

#include <warpkit/base/check.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_picker.hpp>

namespace warpkit {

/// Chooses the warp to fetch for.
///
/// Contract: `warp_slot pick(warp_set candidates) const noexcept` as of warp_picker; the host decides who is a
/// candidate (docs/model/front_end.md#fetch: not finished, no instruction miss pending, instruction buffer empty).
/// State is regular. One instance per core; it hears all events of the core, issues of all its schedulers included, and
/// `fetched`. So an issue priority can serve as fetch order unchanged, as ELF's does.
template <class P>
concept fetch_order = picks_plainly<P> && regular_state<P>;

/// Refuses, with one message that tells the remedy, a type that is no fetch order.
template <class P>
constexpr bool check_fetch_order() {
    if constexpr (!std::is_polymorphic_v<P> && !picks_plainly<P>)
        static_assert(detail::acceptable<P>,
                      "warpkit: a fetch order needs `warp_slot pick(warp_set candidates) const noexcept`");
    else if constexpr (check_value<P>())
        return check_listener<P>();
    return fetch_order<P>;
}

/// Decides whether the next line of code, or several, are fetched ahead.
///
/// Contract: after each fetch the host asks `bool wants(fetched const&, unsigned occupied) const noexcept`, where
/// `occupied` counts the MSHRs in use in the L1 instruction and L1 data caches together; then it tells `fetched`, and,
/// if it asked the instruction cache for the next line, `prefetched`. A line that is there or on its way, or behind the
/// kernel's end, is not asked for, nor one that the cache has no room for. A prefetcher may say how many lines behind
/// the one of the fetch are asked for, with `unsigned lines() const noexcept`; otherwise it is one. State is regular;
/// it hears all events of its core.
template <class P>
concept wants_code = requires(P const& p, fetched const& e, unsigned occupied) {
    { p.wants(e, occupied) } -> std::same_as<bool>;
};
template <class P>
concept instruction_prefetch = regular_state<P> && wants_code<P>;

/// How many lines it fetches ahead at once.
template <class P>
constexpr unsigned lines_ahead(P const& p) noexcept {
    if constexpr (requires { p.lines(); })
        return p.lines();
    else
        return 1;
}

/// Refuses, with one message, a type that is no instruction prefetcher.
template <class P>
constexpr bool check_instruction_prefetch() {
    if constexpr (!std::is_polymorphic_v<P> && !wants_code<P>)
        static_assert(
            detail::acceptable<P>,
            "warpkit: an instruction prefetcher needs `bool wants(fetched const&, unsigned occupied_mshrs) "
            "const noexcept`: see the contract in fetch/concepts.hpp");
    else if constexpr (check_value<P>())
        return check_listener<P>();
    return instruction_prefetch<P>;
}

} // namespace warpkit
