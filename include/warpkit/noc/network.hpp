#pragma once
/// \file
/// The concept of a network: it carries packets from inputs to outputs and loses, doubles and invents none.
///
/// Contract:
///   - `input_room(i)` is the number of flits that input i can take now; `push(i, p)` takes a packet of at most that
///     many, for an output in range.
///   - `tick(now, can_send, send)` advances to cycle `now`, later than that of every earlier tick. A packet may leave
///     only if `can_send(output, flits)` says that the receiver has room for it; then `send(output, packet)` is called
///     once, in the cycle in which its first flit leaves (a crossbar), or its last (a mesh). Where `keeps_order()`,
///     packets from one input to one output stay in order.
///   - `tick` takes a fourth argument: `freed(input, flits)` hears of room that a packet has left behind.
///   - `idle()` tells that no packet is inside. `next_event(now)` is the earliest cycle after `now` at which a tick
///     could do anything if nothing is pushed and receivers do not change their minds; `never` if idle. Cycles before
///     it need no tick.
///   - The time on the wire is the caller's: its ports add it (docs/model/time.md#links).
///   - Regular values: copy, compare, hash.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/noc/packet.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit::noc {

namespace detail {
struct always_room {
    constexpr bool operator()(std::uint32_t, std::uint32_t) const noexcept { return true; }
};
struct freed_unheard {
    constexpr void operator()(std::uint32_t, std::uint32_t) const noexcept {}
};
struct send_nowhere {
    template <class Packet>
    constexpr void operator()(std::uint32_t, Packet const&) const noexcept {}
};
} // namespace detail

template <class N, class Payload>
concept network = regular_state<N> &&
    requires(N& n, N const& c, std::uint32_t port, packet<Payload> const& p, cycle now) {
    { c.input_room(port) } -> std::same_as<std::uint32_t>;
    n.push(port, p);
    n.tick(now, detail::always_room{}, detail::send_nowhere{});
    n.tick(now, detail::always_room{}, detail::send_nowhere{}, detail::freed_unheard{});
    { c.keeps_order() } -> std::same_as<bool>;
    { c.idle() } -> std::same_as<bool>;
    { c.next_event(now) } -> std::same_as<cycle>;
};

} // namespace warpkit::noc
