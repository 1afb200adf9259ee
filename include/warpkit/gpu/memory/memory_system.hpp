#pragma once
/// \file
/// Everything behind the cores' ports: two networks, the memory partitions, and the links between them all.
///
/// It knows nothing of warps, so that one memory system serves machines with any scheduler. A program with many
/// machines compiles it once: `extern template class memory_system<...>;` in the translation units that use it, the
/// same without `extern` in one.
///
/// In the reference: networks, partitions and links of `gpu` (reference/gpu.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/fresh_memory.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/common/memory_ports.hpp>
#include <warpkit/gpu/memory/interconnect.hpp>
#include <warpkit/gpu/memory/mesh_interconnect.hpp>
#include <warpkit/gpu/memory/partition_array.hpp>
#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/state_archive.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// One network, with all links into it and out of it.
template <class Interconnect>
struct network_way {
    Interconnect network;
    heap_array<link<packet>> in;
    heap_array<link<packet>> out;

    /// Advances the network to tick `end`; whether it was busy.
    bool advance(tick end) { return network.advance(end, in, out); }
    tick next_event() const noexcept { return network.next_event(in); }
    /// Links become the same as those of `o`, of which this was a copy.
    void mirror_links(network_way const& o) noexcept {
        for (std::size_t i = 0; i < in.size(); ++i) in[i].mirror(o.in[i]);
        for (std::size_t i = 0; i < out.size(); ++i) out[i].mirror(o.out[i]);
    }
};

/// P is a memory_policies. Its components are the network for requests, the one for replies, and the partitions.
template <class P>
class memory_system {
public:
    using way =
        network_way<typename interconnect_of<typename P::network, typename P::network_arbitration>::type>;

    memory_system() = default;
    /// `rate` is the number of ticks in which the clock of 1 kHz ticks once. Throws `error` when numbers contradict
    /// each other.
    [[gnu::cold]] memory_system(gpu_parameters const& p, std::uint64_t rate);

    /// Of every link, in ticks.
    tick latency() const noexcept { return latency_; }
    dram::address_mapping const& map() const noexcept { return map_; }
    /// The cores' ends, a link for each core: they send requests and take replies.
    link<packet> const* from_cores() const noexcept { return requests_.in.data(); }
    link<packet> const* to_cores() const noexcept { return replies_.out.data(); }
    /// From cores to slices, and back.
    way& requests() noexcept { return requests_; }
    way& replies() noexcept { return replies_; }
    /// The ends of all that is around the networks.
    memory_ports ports() noexcept {
        return {requests_.in.data(), requests_.out.data(), replies_.in.data(), replies_.out.data()};
    }
    unsigned slices_per_partition() const noexcept { return slices_per_partition_; }

    unsigned channels() const noexcept { return channels_; }
    unsigned components() const noexcept { return 2 + channels_; }
    /// Advances one component to tick `end`; touches nothing but that component and its ends of its links, of which a
    /// partition has those at `ports`. Whether any but idle cycles passed.
    bool advance(unsigned component, tick end, memory_ports const& ports);
    /// The tick before which no component has anything to do; between windows, after look().
    tick next_event() const noexcept;
    /// Between windows: both ends of all links learn of all that is under way, whenever it comes.
    void look() noexcept;
    /// Advances all partitions to tick `end`, one after the other; how many were busy.
    unsigned advance_partitions(tick end);
    /// And the networks, from tick `begin` on. As a whole, memory sleeps through windows in which nothing can happen to
    /// any of its components.
    unsigned advance_networks(tick begin, tick end);
    /// A window begins in which components are advanced one by one.
    void wake(tick begin) noexcept {
        if (slept_) {
            requests_.network.skip_to(begin);
            replies_.network.skip_to(begin);
        }
        slept_ = false;
        due_ = 0;
    }
    /// Nothing under way for any core.
    bool idle() const noexcept;
    /// A kernel begins.
    void kernel_began() noexcept {
        partitions_.with([](auto& all) {
            for (auto& m : all) m.kernel_began();
        });
    }
    /// The host has copied these bytes to the device, which has no effect on time, but leaves them in the L2
    /// (GPGPU-Sim's gpgpu_perf_sim_memcpy). Between two kernels.
    void copied_from_host(std::uint64_t address, std::uint64_t bytes);
    /// What hears the L2 slices of a channel.
    typename P::l2_observer const& l2_observer(unsigned channel) const noexcept {
        return partitions_.with([=](auto const& all) -> auto& { return all[channel].l2_observer(); });
    }
    /// What hears its DRAM commands.
    typename P::dram_observer const& dram_observer(unsigned channel) const noexcept {
        return partitions_.with([=](auto const& all) -> auto& { return all[channel].dram_observer(); });
    }
    /// Calls `f(channel, l2_observer, dram_observer)` for each partition.
    template <class F>
    void each_observer(F&& f) {
        partitions_.with([&f](auto& all) {
            unsigned channel = 0;
            for (auto& m : all) f(channel++, m.l2_observer(), m.dram_observer());
        });
    }
    /// Adds what was counted here. Throws `error` where a DRAM protocol checker that listens has found a broken rule.
    [[gnu::cold]] void add_to(run_counters& t, tick now) const;
    /// Whether all that went into a link, a network, a slice or a DRAM bus has come out, or is still there. The cores
    /// have sent so much, and received so many bytes, since the machine was made.
    [[gnu::cold]] conservation conserved(traffic const& sent, std::uint64_t received) const;
    /// Adds the rows that its DRAM observers have seen shared, since the machine was made; none if they do not look at
    /// that.
    void add_to(dram::row_sharing& sum) const {
        partitions_.with([&sum](auto const& all) {
            for (auto const& m : all) m.add_to(sum);
        });
    }

    friend bool operator==(memory_system const& a, memory_system const& b) {
        return a.partitions_ == b.partitions_ && a.requests_.network == b.requests_.network &&
               a.replies_.network == b.replies_.network && a.requests_.in == b.requests_.in &&
               a.requests_.out == b.requests_.out && a.replies_.in == b.replies_.in &&
               a.replies_.out == b.replies_.out;
    }
    [[gnu::cold]] void each_stored(state_archive& a);
    template <class F>
    constexpr void each_member(F&& f) const {
        f(partitions_, requests_.network, replies_.network, requests_.in, requests_.out, replies_.in,
          replies_.out);
    }

private:
    /// Whether anything is on its way from a core.
    bool asked() const noexcept {
        for (auto const& l : requests_.in)
            if (!l.empty()) return true;
        return false;
    }

    dram::address_mapping map_;
    std::uint32_t slices_per_partition_ = 1;
    std::uint32_t sector_ = 32;
    std::uint64_t l2_bytes_ = 0; ///< of all slices
    tick latency_ = 1;
    unsigned channels_ = 0;
    partition_array<P> partitions_;
    way requests_;
    way replies_;
    tick due_ = 0;       ///< unless a core asks, there is nothing to do before: a hint, no state
    bool slept_ = false; ///< through the last window
    bool quiet_ = false; ///< nothing happened in the partitions lately
};

template <class P>
memory_system<P>::memory_system(gpu_parameters const& p, std::uint64_t rate)
    : map_(p.address_mapping.c_str(), p.memory.channels, p.memory.slices),
      slices_per_partition_(p.memory.slices),
      sector_(p.l2.sector),
      l2_bytes_(std::uint64_t{p.l2.size} * p.memory.slices * p.memory.channels) {
    clock_domain const network_clock(rate / p.clock.interconnect);
    partition_clocks const clocks{clock_domain(rate / p.clock.core), clock_domain(rate / p.clock.l2),
                                  clock_domain(rate / p.clock.dram)};
    map_.check(p.dram, longest_line(p));

    auto const slices = p.memory.channels * p.memory.slices;
    latency_ = network_clock.at(p.network.link_cycles);
    requests_.network = {p, network_clock, true};
    replies_.network = {p, network_clock, false};
    auto const make_links = [this](unsigned count, std::uint32_t credits) {
        return heap_array<link<packet>>::of(count,
                                            [&](std::size_t) { return link<packet>(latency_, credits); });
    };
    requests_.in = make_links(p.core.count, p.network.input_flits);
    requests_.out = make_links(slices, p.network.ejection);
    replies_.in = make_links(slices, p.network.input_flits);
    replies_.out = make_links(p.core.count, p.network.ejection);
    channels_ = p.memory.channels;
    partitions_ = partition_array<P>(p, [&]<class Partition>(unsigned m) {
        fresh_memory::begin_component();
        return Partition(m, p, clocks);
    });
}

template <class P>
void memory_system<P>::copied_from_host(std::uint64_t address, std::uint64_t bytes) {
    if (!idle()) return; // a prefetch may still be under way
    due_ = 0;
    auto const end = address + bytes;
    auto const last = 16 * l2_bytes_; // what comes before does not stay
    auto first = address / sector_ * sector_;
    if (bytes > last) first = (end - last) / sector_ * sector_;
    for (auto a = first; a < end; a += sector_) {
        auto const slice = map_.sub_partition(a);
        partitions_.with([&](auto& all) {
            all[slice / slices_per_partition_].copied(slice % slices_per_partition_, map_.local(a), map_);
        });
    }
}

template <class P>
bool memory_system<P>::advance(unsigned component, tick end, memory_ports const& ports) {
    if (component == 0) return requests_.advance(end);
    if (component == 1) return replies_.advance(end);
    auto const m = component - 2;
    auto const first = m * slices_per_partition_;
    return partitions_.with([&](auto& all) {
        return all[m].advance(end, map_, ports.to_slice + first, ports.from_slice + first);
    });
}

template <class P>
tick memory_system<P>::next_event() const noexcept {
    auto next = requests_.next_event();
    auto const sooner = [&next](tick t) {
        if (t < next) next = t;
    };
    sooner(replies_.next_event());
    partitions_.with([&](auto const& all) {
        for (unsigned m = 0; m < channels_; ++m) {
            auto const first = m * slices_per_partition_;
            sooner(all[m].next_event(&requests_.out[first], &replies_.in[first]));
        }
    });
    return next;
}

template <class P>
void memory_system<P>::look() noexcept {
    for (auto* links : {&requests_.in, &requests_.out, &replies_.in, &replies_.out})
        for (auto& l : *links) l.look();
}

template <class P>
unsigned memory_system<P>::advance_partitions(tick end) {
    quiet_ = true;
    if (due_ >= end) return 0;
    unsigned busy = 0;
    auto* to = requests_.out.data();
    auto* from = replies_.in.data();
    partitions_.with([&](auto& all) {
        for (auto& m : all) {
            busy += m.advance(end, map_, to, from);
            to += slices_per_partition_;
            from += slices_per_partition_;
        }
    });
    quiet_ = busy == 0;
    return busy;
}

template <class P>
unsigned memory_system<P>::advance_networks(tick begin, tick end) {
    if (due_ >= end && !asked()) {
        slept_ = true;
        return 0;
    }
    wake(begin);
    unsigned const busy_requests = requests_.advance(end);
    auto const busy = busy_requests + replies_.advance(end);
    if (quiet_ && busy == 0 && !asked()) {
        look();
        due_ = next_event();
    }
    return busy;
}

template <class P>
bool memory_system<P>::idle() const noexcept {
    for (auto const* links : {&requests_.in, &requests_.out, &replies_.in, &replies_.out})
        for (auto const& l : *links)
            if (!l.empty()) return false;
    bool const rest = partitions_.with([](auto const& all) {
        for (auto const& m : all)
            if (!m.idle()) return false;
        return true;
    });
    return rest && requests_.network.idle() && replies_.network.idle();
}

template <class P>
conservation memory_system<P>::conserved(traffic const& sent, std::uint64_t received) const {
    conservation b;
    bool const done = idle();
    struct passage {
        std::uint64_t sent = 0;
        std::uint64_t taken = 0;
    };
    auto const along = [&b](char const* what, heap_array<link<packet>> const& links) {
        passage w;
        for (auto const& l : links) {
            w.sent += l.sent();
            w.taken += l.taken();
            if (l.empty()) b.same(what, static_cast<std::uint64_t>(l.credits_out()), 0);
        }
        return w;
    };
    auto const requests = along("credits of a link from a core", requests_.in);
    auto const to_slices = along("credits of a link to a slice", requests_.out);
    auto const replies = along("credits of a link from a slice", replies_.in);
    auto const to_cores = along("credits of a link to a core", replies_.out);
    std::uint64_t in = 0;
    traffic out;
    partitions_.with([&](auto const& all) {
        for (unsigned m = 0; m < channels_; ++m) {
            in += all[m].received();
            out += all[m].sent();
            b.part(joined({"partition ", m}), all[m].conserved());
        }
    });
    auto const through = [&](char const* what, passage const& from, passage const& to,
                             noc::network_counters const& n, traffic const& before, std::uint64_t behind) {
        conservation w;
        w.flow("packets from links to the network", from.taken, n.packets, done);
        w.flow("packets from the network to links", n.packets, to.sent, done);
        w.flow("packets from end to end", from.sent, to.taken, done);
        w.flow("flits into the network", before.flits, n.flits, done);
        w.flow("bytes from end to end", before.bytes, behind, done);
        b.part(what, w);
    };
    through("requests", requests, to_slices, requests_.network.counters(), sent, in);
    through("replies", replies, to_cores, replies_.network.counters(), out, received);
    return b;
}

template <class P>
void memory_system<P>::each_stored(state_archive& a) {
    a.template require_members<typename P::l2_observer>();
    a.template require_members<typename P::dram_observer>();
    auto& [WARPKIT_NAMED_12] = *this;
    a(WARPKIT_NAMED_12);
}

template <class P>
void memory_system<P>::add_to(run_counters& t, tick now) const {
    partitions_.with([&](auto const& all) {
        for (auto const& m : all) {
            t.l2 += m.l2_counters(now);
            t.dram += m.dram_counters(now);
            m.check_dram();
        }
    });
    t.request_network += requests_.network.counters();
    t.reply_network += replies_.network.counters();
}

} // namespace warpkit
