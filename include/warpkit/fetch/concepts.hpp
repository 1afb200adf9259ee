#pragma once
/// \file
/// Which warp's instructions are fetched next? An order over the same warps as the issue order (DESIGN 3).

#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_picker.hpp>

namespace warpkit {

/// Chooses the warp to fetch for.
///
/// Contract: `warp_slot pick(warp_set candidates) const noexcept` as of warp_picker; the host decides who is a candidate
/// (SPEC 3: not finished, no instruction miss pending, instruction buffer empty). State is regular. One instance per
/// core; it hears all events of the core, issues of all its schedulers included, and `fetched`. So an issue priority
/// can serve as fetch order unchanged, as ELF's does.
template <class P>
concept fetch_order = picks_plainly<P> && regular_state<P>;

/// Refuses, with one message that tells the remedy, a type that is no fetch order.
template <class P>
constexpr bool check_fetch_order() {
    if constexpr (!picks_plainly<P>)
        static_assert(picks_plainly<P>,
                      "warpkit: a fetch order needs `warp_slot pick(warp_set candidates) const noexcept`");
    else if constexpr (!regular_state<P>)
        static_assert(regular_state<P>,
                      "warpkit: a fetch order must be a regular value: copyable, `friend bool "
                      "operator==(P const&, P const&) = default;`, and hashable (base/hash.hpp)");
    return check_listener<P>();
}

} // namespace warpkit
