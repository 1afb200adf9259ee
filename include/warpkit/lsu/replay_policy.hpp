#pragma once
/// \file
/// The seat of the replay queue: what becomes of requests that the L1 does not take.
///
/// A host presents one request at a time, in the order of the load/store unit, and keeps what belongs to an entry (its
/// address, its lanes) itself, by the entry's number.
///
/// Contract:
///   - `route(w, k)` says where a request of warp w goes: to the L1 now, into the queue untried, or nowhere yet: the
///     unit must wait and ask again in a later cycle. It never says `enter` when the queue is full.
///   - `takes_refused()`: whether a request that was sent to the L1 and refused can enter the queue; if not, the unit
///     keeps it.
///   - `push(w, k, refused)` puts a request into the queue and returns its entry, below `capacity()`. `refused` says
///     that it has just been tried.
///   - `pick(unit_idle)` is the entry to try in this cycle, or `no_replay_entry`. The host asks only if the port of the
///     L1 is free in this cycle; `unit_idle` says that the unit presents no request, or one that must wait.
///   - The host tries that entry and says `accepted(entry)`, which removes it, or `refused(entry)`.
///   - `room_changed()` says that what was refused might be taken now (a fill, a request that left the miss queue).
///     Before it, an entry that was refused is not picked again.
///   - `bypasses_full_sets()`: a load that is refused because all ways of its set wait for data is sent on past the L1.
///   - Requests of different warps may be taken in any order; of one warp, in an order that every later request of its
///     kind allows (each policy says which).
///   - `queues()` is false for the policy under which nothing ever enters; `empty()` tells that nothing waits.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/slot.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// Where a request goes.
enum class replay_route : std::uint8_t {
    access, ///< to the L1, in this cycle
    enter,  ///< into the queue, untried
    wait    ///< stays in the unit
};

inline constexpr std::uint32_t no_replay_entry = 0xffffffff;

template <class Q>
concept replay_policy = regular_state<Q> &&
    requires(Q& q, Q const& c, warp_slot w, access_kind k, std::uint32_t entry) {
    { c.queues() } -> std::same_as<bool>;
    { c.route(w, k) } -> std::same_as<replay_route>;
    { c.takes_refused() } -> std::same_as<bool>;
    { q.push(w, k, true) } -> std::same_as<std::uint32_t>;
    { c.pick(true) } -> std::same_as<std::uint32_t>;
    q.accepted(entry);
    q.refused(entry);
    q.room_changed();
    { c.bypasses_full_sets() } -> std::same_as<bool>;
    { c.empty() } -> std::same_as<bool>;
    { c.capacity() } -> std::same_as<std::uint32_t>;
};

} // namespace warpkit
