#pragma once
/// \file
/// What is the L1 data cache asked for ahead of all warps?
///
/// Contract of a data prefetcher: the load/store unit calls `seen(load, so_far, ask)` for each load that goes to the
/// L1, when it takes it over. `ask(offset)` asks for the blocks that this load touches, moved by so many bytes; any
/// number of times. They wait in a queue of `queue()` blocks, behind which what is asked for is dropped, and enter
/// the L1 one a cycle in which its port is free and its head of line does not wait: as loads that wake nobody. A
/// block that is there, or on its way, is left out; one that the L1 refuses, for want of an MSHR, a way or a place in
/// its queue, is dropped. State is regular; it hears all events of its core (base/listen.hpp), kernel_began before
/// the first load of a kernel.

#include <warpkit/base/check.hpp>
#include <warpkit/base/cycle.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/slot.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// A load of a warp.
struct load_seen {
    warp_slot warp;
    std::uint32_t pc = 0;      ///< byte address of the instruction
    std::uint64_t address = 0; ///< of the first block that it touches
    cycle at = 0;
};

/// What has become of prefetches, since the machine was made. A block is prefetched when the L1 has taken the
/// request: it is useful once a load hits it, late when a load meets it on its way, useless when it leaves the cache
/// before; else it is there, and not used yet.
struct prefetch_record {
    std::uint64_t issued = 0;
    std::uint64_t useful = 0;
    std::uint64_t late = 0;
    std::uint64_t useless = 0;
    std::uint64_t merges = 0;   ///< accesses of the L1 that found their data on its way
    std::uint64_t requests = 0; ///< accesses of the L1 that did not hit, prefetches included
    friend bool operator==(prefetch_record const&, prefetch_record const&) = default;
};

namespace detail {
struct asks_nothing {
    constexpr void operator()(std::int64_t) const noexcept {}
};
template <class P>
concept sees_loads = requires(P& p, load_seen const& load, prefetch_record const& so_far, asks_nothing ask) {
    p.seen(load, so_far, ask);
};
} // namespace detail

template <class P>
concept data_prefetch = regular_state<P> && detail::sees_loads<P> && requires(P const& p) {
    { p.queue() } -> std::convertible_to<std::uint32_t>;
};

/// Refuses, with one message that names the first member that is missing, a type that is no data prefetcher.
template <class P>
constexpr bool check_data_prefetch() {
    if constexpr (!std::is_polymorphic_v<P> && !detail::sees_loads<P>)
        static_assert(
            detail::acceptable<P>,
            "warpkit: a data prefetcher sees each load: write `template <class Ask> void "
            "seen(load_seen const&, prefetch_record const& so_far, Ask const& ask)`, which may call "
            "`ask(offset)`; the contract is in lsu/data_prefetch.hpp");
    else if constexpr (!std::is_polymorphic_v<P> && !requires(P const& p) {
                           { p.queue() } -> std::convertible_to<std::uint32_t>;
                       })
        static_assert(detail::acceptable<P>,
                      "warpkit: a data prefetcher says how many blocks may wait: write `std::uint32_t "
                      "queue() const noexcept`");
    else if constexpr (check_value<P>())
        return check_listener<P>();
    return data_prefetch<P>;
}

} // namespace warpkit
