#pragma once
// The seat `network`: how packets come from cores to L2 slices, and back. The contract is in
// warpkit/gpu/memory/interconnect.hpp.
#include <warpkit/gpu/memory/interconnect.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Passes each packet on in the last tick of a window as soon as its receiver has room: a network without conflicts.
struct my_network {
    static constexpr char const* name() noexcept { return "my_network"; }
    using interconnect = my_network;
    my_network() = default;
    my_network(gpu_parameters const&, clock_domain, bool towards_memory) : to_memory(towards_memory) {}
    bool advance(tick end, heap_array<warpkit::link<packet>>& in, heap_array<warpkit::link<packet>>& out) {
        for (auto& from : in)
            for (; from.has_arrived(end - 1); from.pop(end - 1, from.front().flits)) {
                auto& to = out[to_memory ? from.front().slice : from.front().core];
                if (!to.can_send(end - 1, 1)) break;
                to.send(end - 1, from.front(), 1);
                ++counted.packets;
                counted.flits += from.front().flits;
            }
        return true;
    }
    static void skip_to(tick) noexcept {}
    static tick next_event(heap_array<warpkit::link<packet>> const&) noexcept { return 0; }
    static bool idle() noexcept { return true; }
    noc::network_counters const& counters() const noexcept { return counted; }
    void each_member(auto&& f) const { f(counted); }
    friend bool operator==(my_network const&, my_network const&) = default;
    bool to_memory = true;
    noc::network_counters counted;
};

} // namespace seats_of_mine
