#pragma once
/// \file
/// What a warp scheduler hears beyond the common vocabulary, and the rule on who hears what.

#include <warpkit/base/events.hpp>

namespace warpkit {

/// Tells a scheduler which warp slots are its own. Delivered once, directly after kernel_began; a scheduler that never
/// hears it owns all slots of its core.
struct scheduler_began {
    unsigned scheduler = 0;  ///< this scheduler's number in its core
    unsigned schedulers = 1; ///< schedulers in the core
    warp_set owned = ~warp_set{};
};

namespace detail {
template <class List, class... More>
struct extend_events;
template <class... E, class... More>
struct extend_events<event_list<E...>, More...> {
    using type = event_list<E..., More...>;
};
} // namespace detail

/// Everything that a warp scheduler can hear.
using warp_scheduler_events = detail::extend_events<all_events, scheduler_began>::type;

} // namespace warpkit
