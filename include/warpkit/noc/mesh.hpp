#pragma once
/// \file
/// A two-dimensional mesh of routers: one network, for requests or for replies.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/noc/arbitration.hpp>
#include <warpkit/noc/counters.hpp>
#include <warpkit/noc/fwd.hpp>
#include <warpkit/noc/network.hpp>
#include <warpkit/noc/packet.hpp>
#include <warpkit/noc/parameters.hpp>
#include <warpkit/noc/port_set.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::noc {

/// A mesh of input-buffered routers with virtual channels, wormhole switching and credits. Packets go along their row,
/// then along their column (dimension order), so channels cannot wait for each other in a circle.
///
/// In a cycle a router's input moves one flit, and an output, or a channel, takes one. Each input offers the flit of
/// one of its virtual channels that could go, and each output takes one of the offers: of the packet that goes first,
/// as Arbitration says, in turn unless told otherwise. A packet's first flit takes a free virtual channel of the next
/// router, the lowest that has room, and its last gives it free. A flit is ready `router_cycles` after it has come, and
/// a place in a buffer can be used again `channel_cycles` after its flit has left. An output puts packets together, one
/// for each virtual channel; send() is told when the last flit has come.
///
/// Source: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, chapters 8, 13, 16 and 18;
/// OWL, ASPLOS 2013, table 1, for the shape.
/// Differs from intersim2: virtual channel and switch are allocated in the same cycle (there one after the other, as
/// its routing delays say), and an input has one queue in place of virtual channels.
template <class Payload, arbitration Arbitration>
class mesh {
public:
    using packet_type = packet<Payload>;

    mesh() = default;
    /// Throws `warpkit::error` on an impossible shape.
    explicit mesh(mesh_parameters const& p)
        : numbers_((p.check(), p)),
          per_node_(directions_ * p.virtual_channels + 1),
          port_of_(per_node_),
          queue_(std::size_t{p.nodes()} * per_node_),
          place_(queue_.size() * p.buffer_flits),
          input_at_(p.nodes(), none_),
          source_(p.inputs.size(), source(p.input_flits)),
          router_(p.nodes()),
          wake_(p.nodes(), never) {
        for (std::uint32_t k = 0; k < per_node_; ++k)
            port_of_[k] = static_cast<std::uint8_t>(k / p.virtual_channels);
        for (std::size_t i = 0; i < p.inputs.size(); ++i)
            input_at_[p.inputs[i]] = static_cast<std::uint16_t>(i);
        for (std::uint32_t n = 0; n < p.nodes(); ++n) {
            router_[n].column = static_cast<std::uint16_t>(n % p.columns);
            router_[n].row = static_cast<std::uint16_t>(n / p.columns);
            for (std::uint32_t d = 0; d < directions_; ++d) {
                auto const next = neighbour(n, d);
                router_[n].next[d] = next;
                router_[n].beyond[d] = next * per_node_ + (d ^ 1) * p.virtual_channels;
            }
        }
    }

    mesh_parameters const& numbers() const noexcept { return numbers_; }
    /// Whether packets from one input to one output always stay in order: those in different virtual channels may pass
    /// each other.
    bool keeps_order() const noexcept { return numbers_.virtual_channels == 1; }
    /// Flits that input `i` can take.
    std::uint32_t input_room(std::uint32_t i) const noexcept {
        return numbers_.input_flits - source_[i].flits;
    }
    /// Precondition: input_room(i) is at least p.flits, and p.destination is an output. To be followed by a tick in the
    /// same cycle.
    void push(std::uint32_t i, packet_type const& p) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(travelling_.size()));
            travelling_.emplace_back();
        }
        auto const id = free_.back();
        free_.pop_back();
        auto& t = travelling_[id];
        auto const& to = router_[numbers_.outputs[p.destination]];
        t.content = p;
        t.column = to.column;
        t.row = to.row;
        fresh_.push_back({id, i});
        auto& s = source_[i];
        s.queue.push(id);
        s.flits += p.flits;
        next_ = 0;
        ++inside_;
    }

    /// See network.hpp. `can_send(output, flits)` tells whether the receiver has room, `send(output, packet)` hands
    /// over. `freed(input, flits)` hears of room that a packet has left behind in its input's buffer.
    template <class CanSend, class Send, class Freed = detail::freed_unheard>
    void tick(cycle now, CanSend&& can_send, Send&& send, Freed&& freed = {}) {
        if (next_ > now) return;
        if (!fresh_.empty()) take_fresh(now);
        next_ = never;
        bool moved = false;
        auto const count = static_cast<std::uint32_t>(wake_.size());
        for (std::uint32_t n = 0; n < count; ++n) {
            if (wake_[n] <= now) moved = work(n, now, can_send, send, freed) || moved;
            if (wake_[n] < next_) next_ = wake_[n];
        }
        counters_.busy_cycles += moved;
    }

    /// Where a packet for output `o` goes from node `n`: the next node, or `n` itself once it is there.
    std::uint32_t next_node(std::uint32_t n, std::uint32_t o) const noexcept {
        auto const& to = router_[numbers_.outputs[o]];
        auto const towards = route(router_[n], to.column, to.row);
        return towards == here ? n : neighbour(n, towards);
    }

    /// No packet inside.
    bool idle() const noexcept { return inside_ == 0; }
    /// See network.hpp.
    cycle next_event(cycle now) const noexcept { return next_ == never || next_ > now ? next_ : now + 1; }

    network_counters const& counters() const noexcept { return counters_; }

    friend bool operator==(mesh const&, mesh const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(numbers_, queue_, place_, source_, router_, wake_, travelling_, free_, fresh_, next_, inside_,
          counters_);
    }

private:
    enum direction : std::uint8_t { east, west, south, north, here };
    static constexpr std::uint32_t directions_ = 4;
    static constexpr std::uint32_t ports_ = 5;
    static constexpr std::uint16_t none_ = 0xffff;

    /// A packet inside.
    struct traveller {
        packet_type content{};
        cycle ready = 0; ///< when its first flit has passed the pipeline of its first router
        std::uint16_t column = 0, row = 0; ///< where it is going
        template <class F>
        constexpr void each_member(F&& f) const {
            f(content, ready, column, row);
        }
        friend bool operator==(traveller const&, traveller const&) = default;
    };
    /// A place for a flit.
    struct place {
        cycle at = 0; ///< taken: when the flit is ready; free: from when on it may be taken
        std::uint32_t id = 0;
        std::uint32_t unused = 0; ///< keeps the type free of padding
        friend bool operator==(place const&, place const&) = default;
    };
    /// What waits at a router: a virtual channel, which is a ring in `place_`, or the packets of an input.
    struct queue {
        cycle at = 0;            ///< when the flit in front is ready
        std::uint32_t id = 0;    ///< its packet
        std::uint16_t first = 0; ///< in the ring
        std::uint16_t count = 0;
        std::uint16_t left = 0;   ///< flits of that packet to come; 0: its first has not left yet
        std::uint8_t out = 0;     ///< where it is going
        std::uint8_t channel = 0; ///< and in which virtual channel
        std::uint32_t unused = 0; ///< keeps the type free of padding
        friend bool operator==(queue const&, queue const&) = default;
    };
    /// An input of the network: packets in front of their router.
    struct source {
        source() = default;
        explicit source(std::uint32_t capacity) : queue(capacity) {}
        ring<std::uint32_t> queue;
        std::uint32_t flits = 0; ///< in the queue, the front's all counted
        template <class F>
        constexpr void each_member(F&& f) const {
            f(queue, flits);
        }
        friend bool operator==(source const&, source const&) = default;
    };
    struct arrival {
        std::uint32_t id = 0;
        std::uint32_t input = 0;
        friend bool operator==(arrival const&, arrival const&) = default;
    };
    struct router {
        std::uint64_t waiting = 0;              ///< bit k: a flit is in its queue k
        std::uint32_t next[directions_] = {};   ///< the router that a channel leads to, where there is one
        std::uint32_t beyond[directions_] = {}; ///< the first queue of the input that it leads to
        std::uint16_t column = 0;
        std::uint16_t row = 0;
        std::uint8_t taken[ports_] = {};       ///< by output: virtual channels that belong to a packet
        std::uint8_t input_turn[ports_] = {};  ///< by input: the virtual channel asked first
        std::uint8_t output_turn[ports_] = {}; ///< by output: the input asked first
        std::uint8_t unused[5] = {};           ///< keeps the type free of padding
        friend bool operator==(router const&, router const&) = default;
    };

    static constexpr direction route(router const& at, std::uint16_t column, std::uint16_t row) noexcept {
        if (column != at.column) return column > at.column ? east : west;
        if (row != at.row) return row > at.row ? south : north;
        return here;
    }
    std::uint32_t neighbour(std::uint32_t n, std::uint32_t towards) const noexcept {
        switch (towards) {
        case east:
            return n + 1;
        case west:
            return n - 1;
        case south:
            return n + numbers_.columns;
        default:
            return n - numbers_.columns;
        }
    }
    place& place_of(std::size_t index, std::uint32_t i) noexcept {
        auto const at = i < numbers_.buffer_flits ? i : i - numbers_.buffer_flits;
        return place_[index * numbers_.buffer_flits + at];
    }
    /// Whether a flit may be sent into a virtual channel in this cycle.
    bool has_room(std::size_t index, cycle now) noexcept {
        auto const& q = queue_[index];
        // No more places than that can have a credit under way.
        if (q.count + numbers_.channel_cycles < numbers_.buffer_flits) return true;
        return q.count < numbers_.buffer_flits && place_of(index, std::uint32_t{q.first} + q.count).at <= now;
    }
    /// The packet of which the first flit has come to the front of a queue finds out where to go.
    void look_ahead(router const& r, queue& q) noexcept {
        auto const& t = travelling_[q.id];
        q.out = route(r, t.column, t.row);
    }
    void not_before(std::uint32_t n, cycle at) noexcept {
        if (at < wake_[n]) wake_[n] = at;
        if (at < next_) next_ = at;
    }
    /// The packets that have been pushed since the last tick pass the pipeline of their first router.
    void take_fresh(cycle now) noexcept {
        for (auto const& f : fresh_) {
            travelling_[f.id].ready = now + numbers_.router_cycles;
            auto const n = numbers_.inputs[f.input];
            auto const bit = std::uint64_t{1} << (per_node_ - 1);
            if ((router_[n].waiting & bit) != 0) continue;
            router_[n].waiting |= bit;
            next_packet(n, f.input);
        }
        fresh_.clear();
    }
    /// The packet in front of an input becomes the one that its router sees.
    void next_packet(std::uint32_t n, std::size_t input) noexcept {
        auto& q = queue_[std::size_t{n + 1} * per_node_ - 1];
        q.id = source_[input].queue.front();
        q.at = travelling_[q.id].ready;
        look_ahead(router_[n], q);
        if (q.at < wake_[n]) wake_[n] = q.at;
    }

    /// Whether the flit in front of a queue of router `n` could leave; the first of its packet chooses a virtual
    /// channel.
    template <class CanSend>
    bool can_go(std::uint32_t n, queue& q, cycle now, CanSend& can_send) {
        auto const channels = numbers_.virtual_channels;
        if (q.out == here) {
            auto const& p = travelling_[q.id].content;
            auto const left = q.left == 0 ? p.flits : q.left;
            if (q.left == 0) {
                auto const free = static_cast<std::uint32_t>(std::countr_one(router_[n].taken[here]));
                if (free >= channels) return false;
                q.channel = static_cast<std::uint8_t>(free);
            }
            if (left != 1 || can_send(std::uint32_t{p.destination}, std::uint32_t{p.flits})) return true;
            ++counters_.refused_cycles;
            return false;
        }
        std::size_t const first = router_[n].beyond[q.out];
        if (q.left != 0) return has_room(first + q.channel, now);
        std::uint32_t const taken = router_[n].taken[q.out];
        for (std::uint32_t v = 0; v < channels; ++v)
            if ((taken >> v & 1) == 0 && has_room(first + v, now)) {
                q.channel = static_cast<std::uint8_t>(v);
                return true;
            }
        return false;
    }

    /// One cycle of one router; whether a flit left it.
    template <class CanSend, class Send, class Freed>
    bool work(std::uint32_t n, cycle now, CanSend& can_send, Send& send, Freed& freed) {
        auto& r = router_[n];
        auto const channels = numbers_.virtual_channels;
        auto* const queues = &queue_[std::size_t{n} * per_node_];
        auto wake = never;
        std::uint64_t ready = 0;
        for (auto rest = r.waiting; rest != 0; rest &= rest - 1) {
            auto const at = queues[std::countr_zero(rest)].at;
            if (at <= now)
                ready |= rest & (~rest + 1);
            else if (at < wake)
                wake = at;
        }
        wake_[n] = wake;
        if (ready == 0) return false;
        if ((ready & (ready - 1)) == 0) { // a lone flit, as most are
            auto const k = static_cast<std::uint32_t>(std::countr_zero(ready));
            auto& q = queues[k];
            if (!can_go(n, q, now, can_send)) {
                wake_[n] = now + 1;
                return false;
            }
            auto const port = port_of_[k];
            take_turns(r, q.out, port, k - port * channels);
            leave(n, k, now, send, freed);
            return true;
        }
        wake_[n] = now + 1;
        std::uint8_t offered[ports_];     // by input: its queue
        std::uint8_t asking[ports_] = {}; // by output: inputs
        std::uint32_t asked = 0;          // outputs
        for (std::uint32_t port = 0; port < ports_; ++port) {
            auto const its = static_cast<std::uint32_t>(ready >> port * channels) &
                             ((1U << (port == here ? 1 : channels)) - 1);
            if (its == 0) continue;
            auto* const mine = queues + port * channels;
            for (auto left = few_ports::of(its); !left.empty();) {
                auto const v = first_of(left, r.input_turn[port], [&](auto i) { return born(mine[i]); });
                left.erase(v);
                auto& q = mine[v];
                if (!can_go(n, q, now, can_send)) continue;
                offered[port] = static_cast<std::uint8_t>(v);
                asking[q.out] |= static_cast<std::uint8_t>(1U << port);
                asked |= 1U << q.out;
                break;
            }
        }
        for (auto rest = asked; rest != 0; rest &= rest - 1) {
            auto const out = static_cast<std::uint32_t>(std::countr_zero(rest));
            auto const port = first_of(few_ports::of(asking[out]), r.output_turn[out],
                                       [&](auto i) { return born(queues[i * channels + offered[i]]); });
            counters_.conflicts += static_cast<unsigned>(std::popcount(asking[out])) - 1;
            take_turns(r, out, port, offered[port]);
            leave(n, port * channels + offered[port], now, send, freed);
        }
        return asked != 0;
    }
    using few_ports = basic_port_set<1>;
    /// Who goes first of those that ask, where `turn` is asked first if they go in turn.
    template <class Born>
    static std::uint32_t first_of(few_ports const& asking, std::uint32_t turn, Born const& born) noexcept {
        return Arbitration{}.pick(asking, turn == 0 ? few_ports::capacity - 1 : turn - 1, born).first();
    }
    std::uint32_t born(queue const& q) const noexcept { return born_of(travelling_[q.id].content.payload); }
    /// The turns move past an input that is granted an output, and past its virtual channel.
    void take_turns(router& r, std::uint32_t out, std::uint32_t port, std::uint32_t channel) const noexcept {
        r.output_turn[out] = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
        r.input_turn[port] = static_cast<std::uint8_t>(
            port == here || channel + 1 == numbers_.virtual_channels ? 0 : channel + 1);
    }
    /// The flit in front of a queue goes where it can.
    template <class Send, class Freed>
    void leave(std::uint32_t n, std::uint32_t k, cycle now, Send& send, Freed& freed) {
        auto& r = router_[n];
        auto const index = std::size_t{n} * per_node_ + k;
        auto& q = queue_[index];
        auto const id = q.id;
        std::uint32_t const out = q.out;
        std::uint32_t const channel = q.channel;
        if (q.left == 0) {
            q.left = travelling_[id].content.flits;
            r.taken[out] = static_cast<std::uint8_t>(r.taken[out] | 1U << channel);
        }
        bool const last = --q.left == 0;
        if (last) r.taken[out] = static_cast<std::uint8_t>(r.taken[out] & ~(1U << channel));

        if (k + 1 == per_node_) {
            if (last) {
                auto const i = input_at_[n];
                auto& s = source_[i];
                std::uint32_t const flits = travelling_[id].content.flits;
                s.queue.pop();
                s.flits -= flits;
                freed(std::uint32_t{i}, flits);
                if (s.queue.empty())
                    r.waiting &= ~(std::uint64_t{1} << k);
                else
                    next_packet(n, i);
            } else {
                wake_[n] = now + 1;
            }
        } else {
            place_of(index, q.first).at = now + numbers_.channel_cycles;
            q.first = static_cast<std::uint16_t>(q.first + 1u == numbers_.buffer_flits ? 0 : q.first + 1);
            if (--q.count == 0) {
                r.waiting &= ~(std::uint64_t{1} << k);
            } else {
                auto const& front = place_of(index, q.first);
                q.at = front.at;
                q.id = front.id;
                if (last) look_ahead(r, q);
                auto const at = q.at > now ? q.at : now + 1;
                if (at < wake_[n]) wake_[n] = at;
            }
        }

        if (out == here) {
            ++counters_.flits;
            if (!last) return;
            ++counters_.packets;
            --inside_;
            auto const& p = travelling_[id].content;
            send(std::uint32_t{p.destination}, p);
            free_.push_back(id);
            return;
        }
        ++counters_.hops;
        auto const next = r.next[out];
        std::size_t const at = r.beyond[out] + channel;
        auto& to = queue_[at];
        auto const ready = now + numbers_.channel_cycles + numbers_.router_cycles;
        place_of(at, std::uint32_t{to.first} + to.count) = {ready, id, 0};
        if (to.count++ != 0) return; // it waits behind another one
        to.at = ready;
        to.id = id;
        if (to.left == 0) look_ahead(router_[next], to);
        router_[next].waiting |= std::uint64_t{1} << (at - std::size_t{next} * per_node_);
        not_before(next, ready);
    }

    mesh_parameters numbers_;
    std::uint32_t per_node_ =
        0; ///< queues: virtual channels by input, then the packets of the network's input
    std::vector<std::uint8_t> port_of_;   ///< by queue of a node
    std::vector<queue> queue_;            ///< by node
    std::vector<place> place_;            ///< by queue
    std::vector<std::uint16_t> input_at_; ///< by node
    std::vector<source> source_;          ///< by input
    std::vector<router> router_;          ///< by node
    std::vector<cycle> wake_;             ///< by node: nothing can leave it before
    std::vector<traveller> travelling_;   ///< by id
    std::vector<std::uint32_t> free_;     ///< ids
    std::vector<arrival> fresh_;          ///< pushed since the last tick
    cycle next_ = never;                  ///< the earliest of wake_
    std::uint32_t inside_ = 0;
    network_counters counters_;
};

} // namespace warpkit::noc
