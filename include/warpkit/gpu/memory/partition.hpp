#pragma once
/// \file
/// One memory partition: its L2 slices and its DRAM channel (docs/model/l2_partition.md#path).
///
///   network -> ROP delay -> L2 queue -> L2 -> (miss) fixed DRAM latency -> DRAM scheduler -> fill -> reply -> network
///
/// The parts: gpu/memory/l2_side.hpp, which are the slices (gpu/memory/l2_slice.hpp) with their ports
/// (gpu/memory/l2_ports.hpp), and gpu/memory/dram_side.hpp. Here is how the two share time, and what they tell of
/// themselves.
///
/// In the reference: `l2_partition` (reference/l2_partition.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/memory/dram_side.hpp>
#include <warpkit/gpu/memory/l2_side.hpp>
#include <warpkit/gpu/memory/l2_slice.hpp>
#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/memory_parts.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace warpkit {

/// The clocks that a partition runs on.
struct partition_clocks {
    clock_domain core;
    clock_domain l2;
    clock_domain dram;
    friend bool operator==(partition_clocks const&, partition_clocks const&) = default;
};

/// P is a memory_policies.
template <class P>
class partition {
    using slice = l2_slice<P>;
    static constexpr bool prefetches =
        !std::is_same_v<typename P::memory_prefetcher, dram::no_memory_prefetch>;

public:
    partition() = default;
    [[gnu::cold]] partition(unsigned channel, gpu_parameters const& p, partition_clocks const& clocks)
        : l2_(channel, p, clocks.l2),
          dram_(p, clocks.core, clocks.dram) {}

    /// Simulates all L2 and DRAM cycles before tick `end`; whether any but idle ones. `requests` and `replies` have one
    /// link per slice.
    [[gnu::always_inline]] bool advance(tick end, dram::address_mapping const& map, link<packet>* requests,
                                        link<packet>* replies) {
        return (dram_.due() < end || l2_.due() < end || l2_.disturbed(end, requests)) &&
               advance_awake(end, map, requests, replies);
    }
    /// The tick before which this partition has nothing to do.
    tick next_event(link<packet> const* requests, link<packet> const* replies) const noexcept {
        auto const next = l2_.next_event(requests, replies);
        return dram_.due() < next ? dram_.due() : next;
    }

    /// A kernel begins, of which a DRAM scheduler may be told by what it asks for.
    void kernel_began() noexcept {
        if constexpr (l2_surroundings<P>::dram_asks) ++dram_.asking().kernel;
    }
    /// The host has copied a sector here: slice `index` holds it at its local address, clean, if it has a line for it.
    /// Precondition: idle(). As in GPGPU-Sim, what is evicted for it never reaches the DRAM.
    void copied(std::uint32_t index, std::uint64_t local, dram::address_mapping const& map) {
        l2_.copied(index, local, map, dram_.observer(), dram_.asking());
    }
    /// Nobody waits for an answer; write-backs may still be on their way to the DRAM.
    bool idle() const noexcept {
        for (auto const& s : l2_.slices())
            if (!s.idle()) return false;
        return true;
    }
    /// Bytes of requests taken from the network, and the replies given to it.
    std::uint64_t received() const noexcept {
        std::uint64_t bytes = 0;
        for (auto const& s : l2_.slices()) bytes += s.requests.received();
        return bytes;
    }
    traffic sent() const noexcept {
        traffic t;
        for (auto const& s : l2_.slices()) t += s.replies.sent();
        return t;
    }
    /// Whether all that came in went out again, or is still here; the bus included.
    [[gnu::cold]] conservation conserved() const {
        conservation b;
        auto fetches = dram_.under_way();
        for (auto const& s : l2_.slices()) fetches += s.l2.requests() + s.dram.from.size();
        for (auto const& s : l2_.slices()) b.part(joined({"slice ", s.node}), s.conserved(fetches));
        b.part("DRAM side", dram_.conserved(l2_));
        auto const& channel = dram_.dram();
        auto const d = channel.counters();
        if (l2_.enabled()) {
            cache_counters l2;
            for (auto const& s : l2_.slices()) l2 += s.l2.counters();
            auto under_way = dram_.under_way();
            std::array<std::uint64_t, 2> dropped{};
            for (auto const& s : l2_.slices()) {
                under_way += s.l2.requests();
                for (std::size_t i = 0; i < 2; ++i) dropped[i] += s.dropped()[i];
            }
            b.flow_but("reads from L2 to DRAM", l2.fetches - dropped[0], d.reads, under_way);
            b.flow_but("writes from L2 to DRAM", l2.write_backs + l2.stores_passed_on - dropped[1], d.writes,
                       under_way);
        }
        // Of requests that are answered from a queue of writes, nothing goes over the bus.
        bool const done = dram_.in_flight() == 0 && !dram_side<P>::answers_at_once;
        b.flow("bursts read", dram_.bursts_asked()[0], d.read_atoms - channel.prefetched_atoms(), done);
        b.flow("bursts written", dram_.bursts_asked()[1], d.write_atoms, done);
        b.same("cycles of the data bus", d.bus_busy_cycles,
               (d.read_atoms + d.write_atoms) * channel.numbers().burst_cycles());
        if constexpr (prefetches) {
            std::uint64_t sectors = 0;
            for (auto const& s : l2_.slices()) sectors += s.prefetched.all(s.l2);
            b.same("prefetched sectors useful, late, useless or still unused", sectors,
                   d.prefetches * (channel.prefetcher().line_bytes() / l2_.sector()));
        }
        return b;
    }
    /// Up to tick `now`, the end of a window.
    cache_counters l2_counters(tick now) const noexcept {
        cache_counters c;
        for (auto const& s : l2_.slices()) c += s.counters(now, l2_.clock());
        return c;
    }
    /// Up to tick `now`, the end of a window.
    dram::channel_counters dram_counters(tick now) const {
        auto c = dram_.counters(now);
        if constexpr (prefetches)
            for (auto const& s : l2_.slices()) s.prefetched.add_to(c, s.l2);
        return c;
    }
    /// Throws `error` if the DRAM observer is a protocol checker and has found something.
    void check_dram() const {
        warpkit::check_dram(dram_observer(),
                            static_cast<unsigned>(l2_.slices()[0].node / l2_.slices().size()));
    }
    /// Adds the rows that its observer has seen shared, if it looks at that.
    void add_to(dram::row_sharing& sum) const {
        if constexpr (requires { dram_observer().add_to(sum); }) dram_observer().add_to(sum);
    }
    /// What hears the L2 slices.
    typename P::l2_observer const& l2_observer() const noexcept { return l2_.observer(); }
    typename P::l2_observer& l2_observer() noexcept { return l2_.observer(); }
    /// What hears the commands of the channel.
    typename P::dram_observer const& dram_observer() const noexcept { return dram_.observer(); }
    typename P::dram_observer& dram_observer() noexcept { return dram_.observer(); }

    friend bool operator==(partition const&, partition const&) = default;
    WARPKIT_STORED_MEMBERS(3)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(l2_, dram_);
    }

private:
    /// (Its steps are many and small: inlined as one they cost a tenth less.)
    [[gnu::flatten]] bool advance_awake(tick end, dram::address_mapping const& map, link<packet>* requests,
                                        link<packet>* replies) {
        bool any = l2_.look(end, requests, replies);
        auto const around = l2_.around(map, dram_.observer(), dram_.asking());
        while (true) {
            if (dram_.due() <= l2_.due()) { // the DRAM goes first in a tick
                if (dram_.due() >= end) break;
                dram_.cycle_due(l2_, map, end);
            } else {
                if (l2_.due() >= end) break;
                l2_cycle(around, requests, replies, end);
            }
            any = true;
        }
        return any;
    }
    void l2_cycle(l2_surroundings<P> const& around, link<packet>* requests, link<packet>* replies, tick end) {
        auto const now = l2_.due();
        auto const alone = dram_.due() < end ? dram_.due() : end;
        l2_.cycle_due(end, alone, around, requests, replies);
        dram_.slices_went_on(now);
    }

    l2_side<P> l2_;
    dram_side<P> dram_;
    host_gap gap_;
};

} // namespace warpkit
