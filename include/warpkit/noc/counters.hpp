#pragma once
/// \file
/// What a network counts.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit::noc {

/// Of one network. Link utilisation = flits / (outputs * cycles).
struct network_counters {
    std::uint64_t packets = 0;     ///< packets sent
    std::uint64_t flits = 0;       ///< flits sent: each takes its output link for one cycle
    std::uint64_t busy_cycles = 0; ///< cycles in which at least one link or channel carries a flit
    std::uint64_t conflicts = 0;   ///< requests that lost their output to another input, summed over grants
    std::uint64_t refused_cycles =
        0;                  ///< output cycles in which a packet was ready but the receiver had no room
    std::uint64_t hops = 0; ///< flits over channels between routers, each counted; a crossbar has none

    template <class F>
    constexpr void each_member(F&& f) const {
        f(packets, flits, busy_cycles, conflicts, refused_cycles, hops);
    }
    constexpr network_counters& operator+=(network_counters const& o) noexcept {
        packets += o.packets;
        flits += o.flits;
        busy_cycles += o.busy_cycles;
        conflicts += o.conflicts;
        refused_cycles += o.refused_cycles;
        hops += o.hops;
        return *this;
    }
    friend bool operator==(network_counters const&, network_counters const&) = default;
};

} // namespace warpkit::noc
