#pragma once
// The seat `network`: how packets come from cores to L2 slices, and back. The contract is in
// warpkit/gpu/memory/interconnect.hpp.
#include <warpkit/base/clock.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/noc/counters.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Passes each packet on in the last tick of a window as soon as its receiver has room: a network without conflicts.
class my_interconnect {
public:
    my_interconnect() = default;
    my_interconnect(gpu_parameters const&, clock_domain, bool towards_memory)
        : towards_memory_(towards_memory) {}
    bool advance(tick end, heap_array<warpkit::link<packet>>& in, heap_array<warpkit::link<packet>>& out) {
        for (auto& from : in)
            for (; from.has_arrived(end - 1); from.pop(end - 1, from.front().flits)) {
                auto& to = out[towards_memory_ ? from.front().slice : from.front().core];
                if (!to.can_send(end - 1, 1)) break;
                to.send(end - 1, from.front(), 1);
                ++counters_.packets;
                counters_.flits += from.front().flits;
            }
        return true;
    }
    static void skip_to(tick) noexcept {}
    static tick next_event(heap_array<warpkit::link<packet>> const&) noexcept { return 0; }
    static bool idle() noexcept { return true; }
    noc::network_counters const& counters() const noexcept { return counters_; }
    template <class F>
    void each_member(F&& f) const {
        f(counters_.packets, counters_.flits);
    }
    friend bool operator==(my_interconnect const&, my_interconnect const&) = default;

private:
    bool towards_memory_ = true;
    noc::network_counters counters_;
};
struct my_network {
    static constexpr char const* name() noexcept { return "my_network"; }
    using interconnect = my_interconnect;
};

} // namespace seats_of_mine
