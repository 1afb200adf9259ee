#pragma once
/// \file
/// The networks between cores and memory: a crossbar and a mesh (docs/model/network.md). The credits of the links into
/// a network count flits, those of the links out of it packets.

#include <warpkit/base/cycle.hpp>
#include <warpkit/machine/network_parameters.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/noc/arbitration.hpp>
#include <warpkit/noc/counters.hpp>
#include <warpkit/noc/port_set.hpp>
#include <warpkit/reference/link.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace warpkit::reference {

using packet_links = std::vector<link<packet>>;

/// An input-buffered crossbar: link -> switch -> queue -> link. A packet holds its input and its output of the switch
/// for `allocation` + its flits slots, of which a cycle has `internal_speedup`, and then the link for as many cycles
/// as it has flits; it goes on as soon as it is granted the next one. An output grants one of the inputs that ask for
/// it, as Arbitration says; where outputs choose in turn, an input whose packet has taken one slot asks those behind
/// with its next. Without queues switch and link are one.
template <class Arbitration>
class crossbar {
public:
    crossbar() = default;
    crossbar(gpu_parameters const& p, warpkit::tick period, bool towards_memory)
        : p_(crossbar_parameters_of(p, towards_memory)),
          period_(period),
          destination_(towards_memory ? &packet::slice : &packet::core),
          input_free_(p_.inputs),
          output_(p_.outputs) {
        for (auto& o : output_) o.last = p_.inputs - 1;
    }

    void tick(warpkit::tick now, packet_links& in, packet_links& out) {
        if (now % period_ != 0) return;
        now_ = now / period_;
        for (std::uint32_t round = 0; round < p_.internal_speedup; ++round)
            switch_packets(now, now_ * p_.internal_speedup + round, in, out);
        for (std::uint32_t o = 0; o < p_.outputs; ++o) {
            auto& queue = output_[o].queue;
            if (queue.empty() || !can_send(now, o, out)) continue;
            send(now, o, out, queue.front());
            queue.pop_front();
        }
    }
    bool idle() const {
        return std::all_of(output_.begin(), output_.end(), [](auto const& o) { return o.queue.empty(); });
    }
    noc::network_counters const& counters() const { return counters_; }

private:
    struct output_port {
        cycle free_slot = 0; ///< of the switch
        cycle link_free = 0;
        std::uint32_t last = 0;   ///< the input that was granted it last
        fifo_queue<packet> queue; ///< behind the switch
    };

    /// A slot of the switch: each output that is free grants one of the inputs that ask for it.
    void switch_packets(warpkit::tick now, cycle slot, packet_links& in, packet_links& out) {
        std::vector<noc::port_set> asking(p_.outputs);
        auto const ask = [&](std::uint32_t i) {
            if (in[i].has_arrived(now) && input_free_[i] <= slot)
                asking[in[i].front().*destination_].insert(i);
        };
        for (std::uint32_t i = 0; i < p_.inputs; ++i) ask(i);
        for (std::uint32_t o = 0; o < p_.outputs; ++o) {
            auto& output = output_[o];
            if (asking[o].empty() || output.free_slot > slot) continue;
            auto const born = [&](std::uint32_t k) { return in[k].front().born; };
            auto const i = Arbitration{}.pick(asking[o], output.last, born).first();
            auto const flits = in[i].front().flits;
            if (p_.output_flits == 0) {
                if (slot % p_.internal_speedup != 0 || !can_send(now, o, out)) continue;
                send(now, o, out, in[i].take(now));
                output.free_slot = slot + cycle{flits} * p_.internal_speedup;
            } else {
                std::uint32_t queued = 0;
                for (auto const& p : output.queue) queued += p.flits;
                if (queued + flits > p_.output_flits) continue;
                output.queue.push_back(in[i].take(now));
                output.free_slot = slot + p_.allocation + flits;
            }
            bool const again = p_.outputs_in_turn != 0 && output.free_slot == slot + 1;
            input_free_[i] = again ? slot : output.free_slot;
            if (again) ask(i); // an output that has had its turn will not hear it
            output.last = i;
            counters_.conflicts += asking[o].size() - 1;
        }
    }
    /// Whether the link of output o is free, and its receiver has room.
    bool can_send(warpkit::tick now, std::uint32_t o, packet_links& out) {
        if (output_[o].link_free > now_) return false;
        bool const may = out[o].can_send(now);
        counters_.refused_cycles += !may;
        return may;
    }
    void send(warpkit::tick now, std::uint32_t o, packet_links& out, packet const& p) {
        out[o].send(now, p);
        auto const end = output_[o].link_free = now_ + p.flits;
        ++counters_.packets;
        counters_.flits += p.flits;
        counters_.busy_cycles += end > busy_until_ ? end - std::max(busy_until_, now_) : 0;
        busy_until_ = std::max(busy_until_, end);
    }

    noc::crossbar_parameters p_;
    warpkit::tick period_ = 1;
    std::uint16_t packet::*destination_ = &packet::slice;
    cycle now_ = 0;
    std::vector<cycle> input_free_; ///< slot from which an input may ask again
    std::vector<output_port> output_;
    cycle busy_until_ = 0; ///< some link carries a flit
    noc::network_counters counters_;
};

/// A mesh of input-buffered routers with virtual channels, wormhole switching and credits. Packets go along their row,
/// then along their column. In a cycle each router input offers one flit that could go, of one of its virtual channels,
/// and each output takes one of the offers, both as Arbitration says. The first flit of a packet takes the lowest
/// virtual channel of the next router that is free and has room, the last gives it back.
template <class Arbitration>
class mesh {
public:
    mesh() = default;
    mesh(gpu_parameters const& p, warpkit::tick period, bool towards_memory)
        : p_(mesh_parameters_of(p, towards_memory)),
          period_(period),
          destination_(towards_memory ? &packet::slice : &packet::core),
          entered_(p_.inputs.size()),
          router_(p_.nodes()) {
        for (auto& r : router_)
            for (unsigned d = 0; d < ports; ++d) {
                r.output_last[d] = ports - 1;
                r.input[d].resize(d == here ? 1 : p_.virtual_channels);
                r.credits[d].resize(p_.virtual_channels, p_.buffer_flits);
                r.taken[d].resize(p_.virtual_channels);
                r.input_last[d] = static_cast<std::uint32_t>(r.input[d].size()) - 1;
            }
    }

    void tick(warpkit::tick now, packet_links& in, packet_links& out) {
        if (now % period_ != 0) return;
        auto const cycle = now / period_;
        for (std::size_t i = 0; i < in.size(); ++i)
            for (; in[i].has_arrived(now, entered_[i]); ++entered_[i])
                for (std::uint32_t k = 0; k < in[i][entered_[i]].flits; ++k)
                    router_[p_.inputs[i]].input[here][0].flits.push_back(
                        {in[i][entered_[i]], k, cycle + p_.router_cycles});
        std::vector<move> moves;
        for (std::uint32_t n = 0; n < router_.size(); ++n) choose(n, cycle, now, out, moves);
        for (auto const& m : moves) go(m, cycle, now, in, out);
        counters_.busy_cycles += !moves.empty();
    }
    bool idle() const {
        for (auto const& r : router_)
            for (auto const& channels : r.input)
                for (auto const& c : channels)
                    if (!c.flits.empty()) return false;
        return true;
    }
    noc::network_counters const& counters() const { return counters_; }

private:
    enum direction : unsigned { east, west, south, north, here, ports };
    static unsigned opposite(unsigned d) { return d ^ 1; }
    struct flit {
        packet content;
        std::uint32_t number = 0; ///< in its packet
        cycle ready = 0;          ///< when it has passed the pipeline of the router
        bool first() const { return number == 0; }
        bool last() const { return number + 1 == content.flits; }
    };
    struct virtual_channel {
        fifo_queue<flit> flits;
        unsigned to = here;           ///< where the packet in front goes, once its first flit has gone
        std::uint32_t to_channel = 0; ///< and in which virtual channel
    };
    struct credit {
        cycle at = 0;
        unsigned output = 0;
        std::uint32_t channel = 0;
    };
    struct router {
        std::vector<virtual_channel> input[ports]; ///< one at `here`, where the network's input is
        std::vector<std::uint32_t> credits[ports]; ///< by output: free places in the next router's channels
        std::vector<bool> taken[ports];            ///< by output: virtual channels that belong to a packet
        std::uint32_t input_last[ports] = {};      ///< the virtual channel of each input that has gone last
        unsigned output_last[ports] = {};          ///< the input that each output has taken from last
        fifo_queue<credit> returning;
    };
    struct move {
        std::uint32_t node = 0;
        unsigned from = 0;
        std::uint32_t channel = 0; ///< of the input
        unsigned to = 0;
        std::uint32_t to_channel = 0;
    };

    /// The flits that router n sends in this cycle.
    void choose(std::uint32_t n, cycle cycle, warpkit::tick now, packet_links& out,
                std::vector<move>& moves) {
        auto& r = router_[n];
        for (; !r.returning.empty() && r.returning.front().at <= cycle; r.returning.pop_front())
            ++r.credits[r.returning.front().output][r.returning.front().channel];
        noc::port_set asking[ports]; // by output: inputs
        move offers[ports];          // by input
        for (unsigned from = 0; from < ports; ++from) {
            noc::port_set ready;
            for (std::uint32_t k = 0; k < r.input[from].size(); ++k)
                if (auto const& c = r.input[from][k]; !c.flits.empty() && c.flits.front().ready <= cycle)
                    ready.insert(k);
            auto const born = [&](std::uint32_t k) { return r.input[from][k].flits.front().content.born; };
            while (!ready.empty()) {
                move m{n, from, Arbitration{}.pick(ready, r.input_last[from], born).first(), here, 0};
                ready.erase(m.channel);
                if (!can_go(m, now, out)) continue;
                offers[from] = m;
                asking[m.to].insert(from);
                break;
            }
        }
        auto const born = [&](std::uint32_t from) {
            return r.input[from][offers[from].channel].flits.front().content.born;
        };
        for (unsigned to = 0; to < ports; ++to) {
            if (asking[to].empty()) continue;
            auto const& m = offers[Arbitration{}.pick(asking[to], r.output_last[to], born).first()];
            r.output_last[m.to] = m.from;
            r.input_last[m.from] = m.channel;
            counters_.conflicts += asking[to].size() - 1;
            moves.push_back(m);
        }
    }
    /// Whether the flit in front of a virtual channel can go, and where.
    bool can_go(move& m, warpkit::tick now, packet_links& out) {
        auto& r = router_[m.node];
        auto const& c = r.input[m.from][m.channel];
        auto const& f = c.flits.front();
        auto const has_room = [&](std::uint32_t v) { return m.to == here || r.credits[m.to][v] > 0; };
        if (f.first()) {
            m.to = way(m.node, p_.outputs[f.content.*destination_]);
            while (m.to_channel < p_.virtual_channels &&
                   (r.taken[m.to][m.to_channel] || !has_room(m.to_channel)))
                ++m.to_channel;
            if (m.to_channel == p_.virtual_channels) return false;
        } else {
            m.to = c.to;
            m.to_channel = c.to_channel;
            if (!has_room(m.to_channel)) return false;
        }
        if (m.to != here || !f.last() || out[f.content.*destination_].can_send(now)) return true;
        ++counters_.refused_cycles;
        return false;
    }
    void go(move const& m, cycle cycle, warpkit::tick now, packet_links& in, packet_links& out) {
        auto& r = router_[m.node];
        auto& c = r.input[m.from][m.channel];
        auto f = c.flits.front();
        c.flits.pop_front();
        c.to = m.to;
        c.to_channel = m.to_channel;
        r.taken[m.to][m.to_channel] = !f.last();
        if (m.from != here) {
            router_[beyond(m.node, m.from)].returning.push_back(
                {cycle + p_.channel_cycles, opposite(m.from), m.channel});
        } else if (f.last()) {
            auto const i = std::find(p_.inputs.begin(), p_.inputs.end(), m.node) - p_.inputs.begin();
            in[static_cast<std::size_t>(i)].take(now);
            --entered_[static_cast<std::size_t>(i)];
        }
        if (m.to != here) {
            --r.credits[m.to][m.to_channel];
            ++counters_.hops;
            f.ready = cycle + p_.channel_cycles + p_.router_cycles;
            router_[beyond(m.node, m.to)].input[opposite(m.to)][m.to_channel].flits.push_back(f);
            return;
        }
        ++counters_.flits;
        if (!f.last()) return;
        ++counters_.packets;
        out[f.content.*destination_].send(now, f.content);
    }
    std::uint32_t beyond(std::uint32_t n, unsigned d) const {
        return d == east ? n + 1 : d == west ? n - 1 : d == south ? n + p_.columns : n - p_.columns;
    }
    unsigned way(std::uint32_t from, std::uint32_t to) const {
        if (from % p_.columns != to % p_.columns) return to % p_.columns > from % p_.columns ? east : west;
        return to == from ? here : to > from ? south : north;
    }

    noc::mesh_parameters p_;
    warpkit::tick period_ = 1;
    std::uint16_t packet::*destination_ = &packet::slice;
    std::vector<std::size_t> entered_; ///< by input: packets at the router, which its link still holds
    std::vector<router> router_;       ///< by node
    noc::network_counters counters_;
};

/// The reference's model of a machine's network.
template <class Network, class Arbitration>
using network_of =
    std::conditional_t<std::is_same_v<Network, mesh_network>, mesh<Arbitration>, crossbar<Arbitration>>;

} // namespace warpkit::reference
