#pragma once
/// \file
/// Network arbitration: which of the packets that ask for an output of a switch, or of the virtual channels of a
/// router's input, goes first.
///
/// Contract: an arbitration is a value that remembers nothing of packets.
///   - `pick(asking, last, born)` is the set of the one port of `asking`, a basic_port_set that is not empty, that goes
///     first. `last` is the port that was let go last, or one that puts port 0 in front. `born(port)` is the low 32
///     bits of the cycle in which the packet there, or the request that it answers, set out: of cycles of one clock,
///     none of which lie 2^31 cycles apart.
///   - `static constexpr char const* name() noexcept`.

#include <warpkit/noc/port_set.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit::noc {

namespace detail {
struct any_birth {
    constexpr std::uint32_t operator()(std::uint32_t) const noexcept { return 0; }
};
} // namespace detail

template <class A>
concept arbitration = std::regular<A> &&
    requires(A const& a, basic_port_set<1> const& few, port_set const& many, detail::any_birth born) {
    { a.pick(few, 0U, born) } -> std::same_as<basic_port_set<1>>;
    { a.pick(many, 0U, born) } -> std::same_as<port_set>;
    { A::name() } -> std::convertible_to<char const*>;
};

/// The first behind the one that was let go last. Source: McKeown, "The iSLIP Scheduling Algorithm for Input-Queued
/// Switches", IEEE/ACM Transactions on Networking 7(2), 1999; GPGPU-Sim.
struct round_robin_arbitration {
    static constexpr char const* name() noexcept { return "round_robin"; }
    template <class Ports, class Born>
    [[gnu::always_inline]] constexpr Ports pick(Ports const& asking, std::uint32_t last,
                                                Born const&) const noexcept {
        return asking.first_behind(last);
    }
    friend bool operator==(round_robin_arbitration const&, round_robin_arbitration const&) = default;
};

/// The oldest packet; of those that set out in the same cycle, the first behind the port that was let go last. A
/// reply is as old as its request. So who has a longer way, or was passed often, is not passed for ever, and what a
/// warp waits for longest comes first.
/// Source: Abts and Weisser, "Age-Based Packet Arbitration in Large-Radix k-ary n-Cubes", SC 2007; Dally and Towles,
/// Principles and Practices of Interconnection Networks, 2004, chapter 18.
/// Differs from the source: ages are exact (there they are carried in a few bits, and saturate) and go on in the
/// memory.
struct age_based_arbitration {
    static constexpr char const* name() noexcept { return "age_based"; }
    template <class Ports, class Born>
    constexpr Ports pick(Ports const& asking, std::uint32_t last, Born const& born) const noexcept {
        Ports oldest;
        std::uint32_t first = 0;
        asking.for_each([&](std::uint32_t i) {
            auto const mine = born(i);
            if (oldest.empty() || static_cast<std::int32_t>(mine - first) < 0) {
                oldest = Ports::only(i);
                first = mine;
            } else if (mine == first) {
                oldest.insert(i);
            }
        });
        return oldest.first_behind(last);
    }
    friend bool operator==(age_based_arbitration const&, age_based_arbitration const&) = default;
};

static_assert(arbitration<round_robin_arbitration> && arbitration<age_based_arbitration>);

/// When a payload set out, where it says so.
template <class Payload>
constexpr std::uint32_t born_of(Payload const& p) noexcept {
    if constexpr (requires { p.born; })
        return p.born;
    else
        return 0;
}

} // namespace warpkit::noc
