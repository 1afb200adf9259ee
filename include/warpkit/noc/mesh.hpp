#pragma once
/// \file
/// A two-dimensional mesh of routers: one network, for requests or for replies.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
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
          queue_(std::size_t{p.nodes()} * per_node_),
          place_(queue_.size() * p.buffer_flits),
          input_at_(p.nodes(), none_),
          source_(p.inputs.size(), source(p.input_flits)),
          router_(p.nodes()),
          arriving_(under_way(p, std::uint64_t{p.channel_cycles} + p.router_cycles)),
          returning_(under_way(p, p.channel_cycles)),
          entering_(p.inputs.size() * p.input_flits),
          active_((p.nodes() + 63) / 64) {
        for (std::size_t i = 0; i < p.inputs.size(); ++i)
            input_at_[p.inputs[i]] = static_cast<std::uint16_t>(i);
        for (std::uint32_t n = 0; n < p.nodes(); ++n) {
            auto& r = router_[n];
            r.column = static_cast<std::uint16_t>(n % p.columns);
            r.row = static_cast<std::uint16_t>(n / p.columns);
            for (std::uint32_t d = 0; d < directions_; ++d)
                r.next[d] = static_cast<std::uint16_t>(neighbour(n, d));
            for (std::uint32_t out = 0; out < ports_; ++out) {
                r.input_last[out] = r.output_last[out] =
                    few_ports::capacity - 1; // so that number 0 is in front
                r.room[out] = static_cast<std::uint8_t>((1U << p.virtual_channels) - 1);
                for (auto& credits : r.credits[out]) credits = static_cast<std::uint16_t>(p.buffer_flits);
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
        fresh_.push_back(static_cast<std::uint16_t>(i));
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
        for (; !arriving_.empty() && arriving_.front().at <= now; arriving_.pop()) arrive(arriving_.front());
        for (; !returning_.empty() && returning_.front().at <= now; returning_.pop())
            take_back(returning_.front());
        for (; !entering_.empty() && entering_.front().at <= now; entering_.pop())
            enter(entering_.front().port);
        for (auto const i : fresh_) entering_.push({now + numbers_.router_cycles, i});
        fresh_.clear();
        bool moved = false;
        std::uint64_t any = 0;
        for (std::size_t w = 0; w < active_.size(); ++w) {
            for (auto rest = active_[w]; rest != 0; rest &= rest - 1)
                moved |=
                    work(static_cast<std::uint32_t>(w * 64 + static_cast<unsigned>(std::countr_zero(rest))),
                         now, can_send, send, freed);
            any |= active_[w];
        }
        counters_.busy_cycles += moved;
        next_ = any != 0 ? now + 1 : next_arrival();
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
    WARPKIT_STORED_MEMBERS(18)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(numbers_, queue_, place_, source_, router_, arriving_, returning_, entering_, active_, travelling_,
          free_, fresh_, next_, blocked_, inside_, counters_);
    }

private:
    enum direction : std::uint8_t { east, west, south, north, here };
    static constexpr std::uint32_t directions_ = 4;
    static constexpr std::uint32_t ports_ = 5;
    static constexpr std::uint16_t none_ = 0xffff;

    using few_ports = basic_port_set<1>;

    /// A packet inside.
    struct traveller {
        packet_type content{};
        std::uint16_t column = 0, row = 0; ///< where it is going
        template <class F>
        constexpr void each_member(F&& f) const {
            f(content, column, row);
        }
        friend bool operator==(traveller const&, traveller const&) = default;
    };
    /// What waits at a router: flits in a virtual channel, which is a ring in `place_`, or the packets of an input.
    struct queue {
        std::uint32_t id = 0;    ///< the packet in front
        std::uint16_t left = 0;  ///< its flits that have not left; 0: the next flit is another packet's first
        std::uint16_t first = 0; ///< in the ring
        std::uint16_t count = 0; ///< there; of an input's, packets that have passed the pipeline
        std::uint8_t out = 0;    ///< where that packet goes
        std::uint8_t channel = 0; ///< and in which virtual channel, once its first flit has gone
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
    /// A flit on its way to a queue, through a channel and the pipeline behind it.
    struct flit {
        cycle at = 0;
        std::uint32_t id = 0;
        std::uint16_t node = 0;
        std::uint16_t queue = 0; ///< of that node
        friend bool operator==(flit const&, flit const&) = default;
    };
    /// A free place in the queue behind an output, which its router hears of.
    struct credit {
        cycle at = 0;
        std::uint16_t node = 0;
        std::uint8_t out = 0;
        std::uint8_t channel = 0;
        std::uint32_t unused = 0; ///< keeps the type free of padding
        friend bool operator==(credit const&, credit const&) = default;
    };
    /// A packet in the pipeline of its first router.
    struct entry {
        cycle at = 0;
        std::uint64_t port = 0; ///< of the network
        friend bool operator==(entry const&, entry const&) = default;
    };
    /// Its sets have a bit for each queue. What can move is found with them alone, without branches, which nobody could
    /// predict; who waits for room in the next router costs nothing.
    struct router {
        std::uint64_t ready = 0;              ///< has a flit
        std::uint64_t heads = 0;              ///< which is the first of its packet,
        std::uint64_t continuing = 0;         ///< or another, with room where it goes
        std::uint64_t towards[ports_] = {};   ///< by output: whose packet in front goes there
        std::uint16_t next[directions_] = {}; ///< the router that a channel leads to, where there is one
        std::uint16_t credits[ports_][mesh_parameters::most_virtual_channels] = {}; ///< all of them at `here`
        std::uint8_t owner[ports_][mesh_parameters::most_virtual_channels] =
            {}; ///< whose packet has the channel
        std::uint16_t column = 0;
        std::uint16_t row = 0;
        std::uint8_t taken[ports_] = {};  ///< by output: virtual channels that belong to a packet
        std::uint8_t room[ports_] = {};   ///< by output: those with a credit
        std::uint8_t input_last[ports_];  ///< by input: the virtual channel that was granted last
        std::uint8_t output_last[ports_]; ///< by output: the input that was
        /// The virtual channels of an output that a packet may take.
        unsigned open(unsigned out) const noexcept { return room[out] & ~unsigned{taken[out]}; }
        friend bool operator==(router const&, router const&) = default;
    };

    /// So many flits or credits can be under way for `cycles`: a channel takes one in a cycle, if there is a place.
    static std::size_t under_way(mesh_parameters const& p, std::uint64_t cycles) {
        auto const places = std::uint64_t{p.virtual_channels} * p.buffer_flits;
        return static_cast<std::size_t>((cycles < places ? cycles : places) * directions_ * p.nodes());
    }
    static constexpr direction route(router const& at, std::uint16_t column, std::uint16_t row) noexcept {
        constexpr direction by_sign[] = {west, west, west, north, here, south, east, east, east};
        auto const sign = [](int a, int b) { return (a > b) - (a < b); };
        return by_sign[3 * sign(column, at.column) + sign(row, at.row) + 4];
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
    static std::uint64_t bit(unsigned k) noexcept { return std::uint64_t{1} << k; }
    std::uint32_t& place_of(std::size_t index, std::uint32_t i) noexcept {
        auto const at = i < numbers_.buffer_flits ? i : i - numbers_.buffer_flits;
        return place_[index * numbers_.buffer_flits + at];
    }
    /// Node `n` has something new to look at.
    void wake(std::uint32_t n) noexcept {
        auto& word = active_[n / 64];
        blocked_ -= static_cast<std::uint32_t>(~word >> n % 64 & std::uint64_t{router_[n].ready != 0});
        word |= bit(n % 64);
    }
    /// A packet of which the first flit has come to the front of queue `k` finds out where to go.
    void look_ahead(router& r, unsigned k, queue& q, std::uint32_t id) noexcept {
        auto const& t = travelling_[id];
        r.towards[q.out] &= ~bit(k);
        q.id = id;
        q.left = t.content.flits;
        q.out = route(r, t.column, t.row);
        r.towards[q.out] |= bit(k);
        r.heads |= bit(k);
    }
    void arrive(flit const& f) noexcept {
        auto const index = std::size_t{f.node} * per_node_ + f.queue;
        auto& q = queue_[index];
        place_of(index, std::uint32_t{q.first} + q.count) = f.id;
        auto& r = router_[f.node];
        if (q.count == 0) {
            wake(f.node);
            if (q.left == 0) look_ahead(r, f.queue, q, f.id);
        }
        ++q.count;
        r.ready |= bit(f.queue);
    }
    void take_back(credit const& c) noexcept {
        auto& r = router_[c.node];
        if (r.credits[c.out][c.channel]++ != 0) return;
        r.room[c.out] = static_cast<std::uint8_t>(r.room[c.out] | 1U << c.channel);
        if ((r.taken[c.out] >> c.channel & 1) != 0) r.continuing |= bit(r.owner[c.out][c.channel]);
        if (r.ready != 0) wake(c.node);
    }
    void enter(std::size_t port) noexcept {
        auto const n = numbers_.inputs[port];
        auto const k = per_node_ - 1;
        auto& q = queue_[std::size_t{n} * per_node_ + k];
        if (q.count++ != 0) return;
        wake(n);
        look_ahead(router_[n], k, q, source_[port].queue.front());
        router_[n].ready |= bit(k);
    }
    /// When something can happen if no router can do anything.
    cycle next_arrival() const noexcept {
        auto next = arriving_.empty() ? never : arriving_.front().at;
        if (!entering_.empty() && entering_.front().at < next) next = entering_.front().at;
        if (blocked_ != 0 && !returning_.empty() && returning_.front().at < next)
            next = returning_.front().at;
        return next;
    }

    /// One cycle of one router; whether a flit left it.
    template <class CanSend, class Send, class Freed>
    bool work(std::uint32_t n, cycle now, CanSend& can_send, Send& send, Freed& freed) {
        auto& r = router_[n];
        auto const channels = numbers_.virtual_channels;
        auto* const queues = &queue_[std::size_t{n} * per_node_];
        auto const heads = [&](direction out) {
            return r.towards[out] & (0 - std::uint64_t{r.open(out) != 0});
        };
        auto const free = heads(east) | heads(west) | heads(south) | heads(north) | heads(here);
        auto const can = r.ready & ((r.heads & free) | r.continuing);
        if (can == 0) {
            active_[n / 64] &= ~bit(n % 64);
            ++blocked_;
            return false;
        }
        auto const of_port = [&](unsigned port) {
            return static_cast<std::uint32_t>(can >> port * channels) & ((1U << channels) - 1);
        };
        std::uint32_t inputs = 0;
        for (unsigned port = 0; port < ports_; ++port) inputs |= std::uint32_t{of_port(port) != 0} << port;
        std::uint8_t offered[ports_];     // by input: its queue
        std::uint8_t asking[ports_] = {}; // by output: inputs
        std::uint32_t asked = 0;          // outputs
        std::uint32_t refused = 0;        // offers that no output has taken
        for (; inputs != 0; inputs &= inputs - 1) {
            auto const port = static_cast<unsigned>(std::countr_zero(inputs));
            auto* const mine = queues + port * channels;
            auto left = few_ports::of(of_port(port));
            do {
                auto const v = first_of(left, r.input_last[port], [&](auto i) { return born(mine[i]); });
                auto const& q = mine[v];
                left.erase(v);
                if (((q.out == here) & (q.left == 1)) != 0 && !has_room(q, can_send)) continue;
                offered[port] = static_cast<std::uint8_t>(v);
                asking[q.out] |= static_cast<std::uint8_t>(1U << port);
                asked |= 1U << q.out;
                ++refused;
                break;
            } while (!left.empty());
        }
        bool const moved = asked != 0;
        for (; asked != 0; asked &= asked - 1) {
            auto const out = static_cast<unsigned>(std::countr_zero(asked));
            auto const port = first_of(few_ports::of(asking[out]), r.output_last[out],
                                       [&](auto i) { return born(queues[i * channels + offered[i]]); });
            --refused;
            r.output_last[out] = static_cast<std::uint8_t>(port);
            r.input_last[port] = offered[port];
            leave(n, port, offered[port], now, send, freed);
        }
        counters_.conflicts += refused;
        active_[n / 64] &= ~(std::uint64_t{r.ready == 0} << n % 64);
        return moved;
    }
    /// For the last flit of a packet, which leaves the network.
    template <class CanSend>
    bool has_room(queue const& q, CanSend& can_send) {
        auto const& p = travelling_[q.id].content;
        bool const yes = can_send(std::uint32_t{p.destination}, std::uint32_t{p.flits});
        counters_.refused_cycles += !yes;
        return yes;
    }
    /// Who goes first of those that ask, where `last` was granted last.
    template <class Born>
    static std::uint32_t first_of(few_ports const& asking, std::uint32_t last, Born const& born) noexcept {
        return Arbitration{}.pick(asking, last, born).first();
    }
    std::uint32_t born(queue const& q) const noexcept { return born_of(travelling_[q.id].content.payload); }
    /// The flit in front of virtual channel `from` of input `port`, which can go, does so. What holds for some flits
    /// only, the first and the last of a packet, is done without branches.
    template <class Send, class Freed>
    void leave(std::uint32_t n, unsigned port, unsigned from, cycle now, Send& send, Freed& freed) {
        auto& r = router_[n];
        auto const k = port * numbers_.virtual_channels + from;
        auto const index = std::size_t{n} * per_node_ + k;
        auto& q = queue_[index];
        auto const id = q.id;
        unsigned const out = q.out;
        bool const first = (r.heads >> k & 1) != 0;
        bool const last = --q.left == 0;
        // The first takes the lowest virtual channel that it may.
        auto const lowest = static_cast<unsigned>(std::countr_zero(r.open(out)));
        unsigned const channel = (lowest & (0U - first)) | (q.channel & (unsigned{first} - 1));
        q.channel = static_cast<std::uint8_t>(channel);
        r.owner[out][channel] = static_cast<std::uint8_t>(k);
        r.taken[out] =
            static_cast<std::uint8_t>((r.taken[out] & ~(1U << channel)) | unsigned{!last} << channel);
        auto const credits = r.credits[out][channel] =
            static_cast<std::uint16_t>(r.credits[out][channel] - (out != here));
        r.room[out] = static_cast<std::uint8_t>(r.room[out] & ~(unsigned{credits == 0} << channel));
        r.heads &= ~bit(k);
        r.continuing &= ~bit(k);
        r.continuing |= std::uint64_t{!last && credits != 0} << k;

        if (port == here) {
            if (last) {
                auto const i = input_at_[n];
                auto& s = source_[i];
                std::uint32_t const flits = travelling_[id].content.flits;
                s.queue.pop();
                s.flits -= flits;
                freed(std::uint32_t{i}, flits);
                if (--q.count != 0) look_ahead(r, k, q, s.queue.front());
            }
        } else {
            returning_.push({now + numbers_.channel_cycles, r.next[port], static_cast<std::uint8_t>(port ^ 1),
                             static_cast<std::uint8_t>(from), 0});
            q.first = static_cast<std::uint16_t>(q.first + 1U == numbers_.buffer_flits ? 0 : q.first + 1);
            --q.count;
            if (last && q.count != 0) look_ahead(r, k, q, place_of(index, q.first));
        }
        r.ready &= ~(std::uint64_t{q.count == 0} << k);

        if (out != here) {
            ++counters_.hops;
            arriving_.push({now + numbers_.channel_cycles + numbers_.router_cycles, id, r.next[out],
                            static_cast<std::uint16_t>((out ^ 1) * numbers_.virtual_channels + channel)});
            return;
        }
        ++counters_.flits;
        if (!last) return;
        ++counters_.packets;
        --inside_;
        auto const& p = travelling_[id].content;
        send(std::uint32_t{p.destination}, p);
        free_.push_back(id);
    }

    mesh_parameters numbers_;
    std::uint32_t per_node_ =
        0;                     ///< queues: virtual channels by input, then the packets of the network's input
    std::vector<queue> queue_; ///< by node
    std::vector<std::uint32_t> place_;    ///< by queue: the packets of its flits
    std::vector<std::uint16_t> input_at_; ///< by node
    std::vector<source> source_;          ///< by input
    std::vector<router> router_;          ///< by node
    ring<flit> arriving_;                 ///< by time, as the next two
    ring<credit> returning_;
    ring<entry> entering_;
    std::vector<std::uint64_t> active_; ///< bits: nodes in which something may move
    std::vector<traveller> travelling_; ///< by id
    std::vector<std::uint32_t> free_;   ///< ids
    std::vector<std::uint16_t> fresh_;  ///< inputs of packets pushed since the last tick
    cycle next_ = never;                ///< nothing can happen before
    std::uint32_t blocked_ = 0;         ///< nodes that have flits and are not active
    std::uint32_t inside_ = 0;
    network_counters counters_;
};

} // namespace warpkit::noc
