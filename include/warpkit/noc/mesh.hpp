#pragma once
/// \file
/// A two-dimensional mesh of routers: one network, for requests or for replies.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/noc/counters.hpp>
#include <warpkit/noc/network.hpp>
#include <warpkit/noc/packet.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpkit::noc {

/// Shape of a mesh. Node n lies in column n mod columns, row n div columns. The defaults are what SPEC 5 recommends for
/// OWL's mesh, whose router the paper does not describe.
struct mesh_parameters {
    std::uint32_t columns = 6;
    std::uint32_t rows = 6;
    std::vector<std::uint16_t> inputs;  ///< by input: its node; at most one at each
    std::vector<std::uint16_t> outputs; ///< by output: its node; at most one at each
    std::uint32_t input_flits = 8;      ///< buffer between an input and its router
    std::uint32_t virtual_channels = 2;
    std::uint32_t buffer_flits = 8;   ///< buffer of each virtual channel at each router input
    std::uint32_t router_cycles = 2;  ///< from the buffer of a router to its channel
    std::uint32_t channel_cycles = 1; ///< from router to router; a credit takes as long on its way back
    std::uint32_t flit_bytes = 32;    ///< width of a channel

    static constexpr std::uint32_t most_nodes = 1024;
    static constexpr std::uint32_t most_virtual_channels = 8;

    constexpr std::uint32_t nodes() const noexcept { return columns * rows; }
    /// Flits of a packet of `bytes` bytes.
    constexpr std::uint16_t flits(std::uint32_t bytes) const noexcept { return flits_for(bytes, flit_bytes); }
    /// Channels on the way from input `i` to output `o`.
    std::uint32_t hops(std::uint32_t i, std::uint32_t o) const noexcept {
        auto const apart = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
        return apart(inputs[i] % columns, outputs[o] % columns) +
               apart(inputs[i] / columns, outputs[o] / columns);
    }
    /// Cycles from push to send of a packet that meets nobody.
    std::uint32_t zero_load(std::uint32_t i, std::uint32_t o, std::uint32_t flits) const noexcept {
        auto const h = hops(i, o);
        return (h + 1) * router_cycles + h * channel_cycles + flits - 1;
    }
    /// Throws `warpkit::error` on an impossible shape, or one that a packet of `largest_packet_bytes` could never pass.
    void check(std::uint32_t largest_packet_bytes = 0) const {
        at_least("columns", columns, 1);
        at_least("rows", rows, 1);
        if (columns > most_nodes || rows > most_nodes / columns)
            throw error("mesh: " + std::to_string(columns) + " columns of " + std::to_string(rows) +
                        " rows are above " + std::to_string(most_nodes) +
                        " nodes; nearest legal value: rows = " +
                        std::to_string(columns > most_nodes ? 1 : most_nodes / columns));
        at_least("virtual_channels", virtual_channels, 1);
        if (virtual_channels > most_virtual_channels)
            throw error("mesh: virtual_channels = " + std::to_string(virtual_channels) + " is above " +
                        std::to_string(most_virtual_channels) +
                        "; nearest legal value: " + std::to_string(most_virtual_channels));
        at_least("buffer_flits", buffer_flits, 1);
        at_least("router_cycles", router_cycles, 1);
        at_least("channel_cycles", channel_cycles, 1);
        at_least("flit_bytes", flit_bytes, 1);
        at_least("input_flits", input_flits,
                 largest_packet_bytes == 0 ? 1 : std::uint32_t{flits(largest_packet_bytes)});
        check_ports("inputs", inputs);
        check_ports("outputs", outputs);
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(columns, rows, inputs, outputs, input_flits, virtual_channels, buffer_flits, router_cycles,
          channel_cycles, flit_bytes);
    }
    friend bool operator==(mesh_parameters const&, mesh_parameters const&) = default;

private:
    static void at_least(char const* field, std::uint32_t value, std::uint32_t low) {
        if (value < low)
            throw error(std::string("mesh: ") + field + " = " + std::to_string(value) + " is below " +
                        std::to_string(low) + "; nearest legal value: " + std::to_string(low));
    }
    void check_ports(char const* which, std::vector<std::uint16_t> const& ports) const {
        if (ports.empty()) throw error(std::string("mesh: no ") + which + "; nearest legal value: one");
        if (ports.size() > nodes())
            throw error("mesh: " + std::to_string(ports.size()) + ' ' + which + " at " +
                        std::to_string(nodes()) + " nodes; nearest legal value: " + std::to_string(nodes()) +
                        ", one at each");
        std::vector<bool> taken(nodes());
        for (std::size_t p = 0; p < ports.size(); ++p) {
            auto const n = ports[p];
            if (n < nodes() && !taken[n]) {
                taken[n] = true;
                continue;
            }
            std::uint32_t free = 0;
            while (taken[free]) ++free;
            throw error(std::string("mesh: ") + which + '[' + std::to_string(p) + "] = " + std::to_string(n) +
                        (n < nodes() ? " names a node twice" : " is no node") +
                        "; nearest legal value: " + std::to_string(free));
        }
    }
};

/// A mesh of input-buffered routers with virtual channels, wormhole switching and credits. Packets go along their row,
/// then along their column (dimension order), so channels cannot wait for each other in a circle.
///
/// In a cycle a router's input moves one flit, and an output, or a channel, takes one. Each input offers the flit of one
/// of its virtual channels that could go, in turn; each output takes one of the offers, in turn. A packet's first flit
/// takes a free virtual channel of the next router, the lowest that has room, and its last gives it free. A flit is
/// ready `router_cycles` after it has come, and a place in a buffer can be used again `channel_cycles` after its flit has
/// left. An output puts packets together, one for each virtual channel; send() is told when the last flit has come.
///
/// Source: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, chapters 8, 13, 16 and 18;
/// OWL, ASPLOS 2013, table 1, for the shape.
/// Differs from intersim2: virtual channel and switch are allocated in the same cycle (there one after the other, as
/// its routing delays say), and an input has one queue in place of virtual channels.
template <class Payload>
class mesh {
public:
    using packet_type = packet<Payload>;

    mesh() = default;
    /// Throws `warpkit::error` on an impossible shape.
    explicit mesh(mesh_parameters const& p)
        : numbers_((p.check(), p)),
          buffer_(std::size_t{p.nodes()} * directions_ * p.virtual_channels),
          place_(buffer_.size() * p.buffer_flits),
          input_at_(p.nodes(), none_),
          source_(p.inputs.size(), source(p.input_flits)),
          router_(p.nodes()),
          wake_(p.nodes(), never) {
        for (std::size_t i = 0; i < p.inputs.size(); ++i)
            input_at_[p.inputs[i]] = static_cast<std::uint16_t>(i);
        for (std::uint32_t n = 0; n < p.nodes(); ++n) {
            router_[n].column = static_cast<std::uint16_t>(n % p.columns);
            router_[n].row = static_cast<std::uint16_t>(n / p.columns);
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
        travelling_[id] = {p, never};
        fresh_.push_back(id);
        auto& s = source_[i];
        s.queue.push(id);
        s.flits += p.flits;
        wake_[numbers_.inputs[i]] = 0;
        next_ = 0;
        ++inside_;
    }

    /// See network.hpp. `can_send(output, flits)` tells whether the receiver has room, `send(output, packet)` hands over.
    /// `freed(input, flits)` hears of room that a packet has left behind in its input's buffer.
    template <class CanSend, class Send, class Freed = detail::freed_unheard>
    void tick(cycle now, CanSend&& can_send, Send&& send, Freed&& freed = {}) {
        if (!fresh_.empty()) {
            for (auto const id : fresh_) travelling_[id].ready = now + numbers_.router_cycles;
            fresh_.clear();
        }
        if (next_ > now) return;
        bool moved = false;
        next_ = never;
        auto const count = static_cast<std::uint32_t>(wake_.size());
        for (std::uint32_t n = 0; n < count; ++n)
            if (wake_[n] <= now) {
                wake_[n] = never;
                moved = work(n, now, can_send, send, freed) || moved;
            }
        for (auto const w : wake_)
            if (w < next_) next_ = w;
        counters_.busy_cycles += moved;
    }

    /// Where a packet for output `o` goes from node `n`: the next node, or `n` itself once it is there.
    std::uint32_t next_node(std::uint32_t n, std::uint32_t o) const noexcept {
        auto const towards = route(router_[n], o);
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
        f(numbers_, buffer_, place_, source_, router_, wake_, travelling_, free_, fresh_, next_, inside_,
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
        cycle ready = never; ///< when its first flit has passed the pipeline of its first router
        template <class F>
        constexpr void each_member(F&& f) const {
            f(content, ready);
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
    /// Where the packet in front of a queue is going.
    struct course {
        std::uint16_t left = 0; ///< flits to come; 0: its first flit has not left yet
        std::uint8_t out = 0;
        std::uint8_t channel = 0; ///< its virtual channel there
        friend bool operator==(course const&, course const&) = default;
    };
    /// A virtual channel of a router's input: a ring in `place_`.
    struct virtual_channel {
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        course front;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(first, count, front);
        }
        friend bool operator==(virtual_channel const&, virtual_channel const&) = default;
    };
    /// An input of the network: packets in front of their router.
    struct source {
        source() = default;
        explicit source(std::uint32_t capacity) : queue(capacity) {}
        ring<std::uint32_t> queue;
        std::uint32_t flits = 0; ///< in the queue, the front's all counted
        course front;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(queue, flits, front);
        }
        friend bool operator==(source const&, source const&) = default;
    };
    struct router {
        std::uint32_t waiting = 0; ///< bit port * virtual_channels + channel: a flit is there
        std::uint16_t column = 0;
        std::uint16_t row = 0;
        std::uint8_t taken[ports_] = {};       ///< by output: virtual channels that belong to a packet
        std::uint8_t input_turn[ports_] = {};  ///< by input: the virtual channel asked first
        std::uint8_t output_turn[ports_] = {}; ///< by output: the input asked first
        std::uint8_t unused = 0;               ///< keeps the type free of padding
        friend bool operator==(router const&, router const&) = default;
    };
    /// What an input offers in this cycle.
    struct offer {
        std::uint8_t channel = 0;
        std::uint8_t out = 0;
        std::uint8_t next_channel = 0;
    };

    std::size_t buffer_index(std::uint32_t n, std::uint32_t port, std::uint32_t channel) const noexcept {
        return (std::size_t{n} * directions_ + port) * numbers_.virtual_channels + channel;
    }
    place& place_of(std::size_t buffer, std::uint32_t i) noexcept {
        auto const at = i < numbers_.buffer_flits ? i : i - numbers_.buffer_flits;
        return place_[buffer * numbers_.buffer_flits + at];
    }
    direction route(router const& at, std::uint32_t output) const noexcept {
        auto const& to = router_[numbers_.outputs[output]];
        if (to.column != at.column) return to.column > at.column ? east : west;
        if (to.row != at.row) return to.row > at.row ? south : north;
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
    /// The input of the next router that a channel of this direction leads to.
    static constexpr std::uint32_t arrives_at(std::uint32_t towards) noexcept { return towards ^ 1; }

    /// Whether a flit may be sent into a virtual channel in this cycle.
    bool has_room(std::size_t buffer, cycle now) noexcept {
        auto const& b = buffer_[buffer];
        return b.count < numbers_.buffer_flits && place_of(buffer, b.first + b.count).at <= now;
    }
    /// Whether the flit in front could leave; if it is the first of its packet, says where to.
    template <class CanSend>
    bool can_go(std::uint32_t n, course& c, std::uint32_t id, cycle now, CanSend& can_send) {
        auto const& p = travelling_[id].content;
        auto& r = router_[n];
        bool const first = c.left == 0;
        if (first) c.out = route(r, p.destination);
        if (c.out == here) {
            if (first) {
                std::uint32_t free = 0;
                while ((r.taken[here] >> free & 1) != 0) ++free;
                if (free >= numbers_.virtual_channels) return false;
                c.channel = static_cast<std::uint8_t>(free);
            }
            bool const last = first ? p.flits == 1 : c.left == 1;
            if (!last || can_send(std::uint32_t{p.destination}, std::uint32_t{p.flits})) return true;
            ++counters_.refused_cycles;
            return false;
        }
        auto const next = neighbour(n, c.out);
        auto const port = arrives_at(c.out);
        if (!first) return has_room(buffer_index(next, port, c.channel), now);
        for (std::uint32_t v = 0; v < numbers_.virtual_channels; ++v)
            if ((r.taken[c.out] >> v & 1) == 0 && has_room(buffer_index(next, port, v), now)) {
                c.channel = static_cast<std::uint8_t>(v);
                return true;
            }
        return false;
    }

    /// One cycle of one router; whether a flit left it.
    template <class CanSend, class Send, class Freed>
    bool work(std::uint32_t n, cycle now, CanSend& can_send, Send& send, Freed& freed) {
        auto& r = router_[n];
        auto const channels = numbers_.virtual_channels;
        offer offers[ports_];
        std::uint8_t asking[ports_] = {}; // by output: inputs
        std::uint32_t asked = 0;          // outputs
        auto sooner = [this, n](cycle t) {
            if (t < wake_[n]) wake_[n] = t;
        };

        for (std::uint32_t port = 0; port < directions_; ++port) {
            auto const waiting = r.waiting >> port * channels & ((1U << channels) - 1);
            if (waiting == 0) continue;
            std::uint32_t v = r.input_turn[port];
            for (std::uint32_t i = 0; i < channels; ++i, v = v + 1 == channels ? 0 : v + 1) {
                if ((waiting >> v & 1) == 0) continue;
                auto const index = buffer_index(n, port, v);
                auto& b = buffer_[index];
                auto const& front = place_of(index, b.first);
                if (front.at > now) {
                    sooner(front.at);
                    continue;
                }
                sooner(now + 1); // if it does not leave, or another stands behind it
                if (!can_go(n, b.front, front.id, now, can_send)) continue;
                offers[port] = {static_cast<std::uint8_t>(v), b.front.out,
                                static_cast<std::uint8_t>(v + 1 == channels ? 0 : v + 1)};
                asking[b.front.out] |= static_cast<std::uint8_t>(1U << port);
                asked |= 1U << b.front.out;
                break;
            }
        }
        if (input_at_[n] != none_) {
            auto& s = source_[input_at_[n]];
            if (!s.queue.empty()) {
                auto const id = s.queue.front();
                if (auto const ready = travelling_[id].ready; ready > now) {
                    sooner(ready);
                } else {
                    sooner(now + 1);
                    if (can_go(n, s.front, id, now, can_send)) {
                        offers[here] = {0, s.front.out, 0};
                        asking[s.front.out] |= static_cast<std::uint8_t>(1U << here);
                        asked |= 1U << s.front.out;
                    }
                }
            }
        }

        for (auto rest = asked; rest != 0; rest &= rest - 1) {
            auto const out = static_cast<std::uint32_t>(std::countr_zero(rest));
            auto port = std::uint32_t{r.output_turn[out]};
            while ((asking[out] >> port & 1) == 0) port = port + 1 == ports_ ? 0 : port + 1;
            counters_.conflicts += static_cast<unsigned>(std::popcount(asking[out])) - 1;
            r.output_turn[out] = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
            r.input_turn[port] = offers[port].next_channel;
            leave(n, port, offers[port].channel, now, send, freed);
        }
        return asked != 0;
    }
    /// The flit in front of an input's virtual channel goes where its course says.
    template <class Send, class Freed>
    void leave(std::uint32_t n, std::uint32_t port, std::uint32_t v, cycle now, Send& send, Freed& freed) {
        auto& r = router_[n];
        std::uint32_t id = 0;
        course* c = nullptr;
        if (port == here) {
            auto& s = source_[input_at_[n]];
            id = s.queue.front();
            c = &s.front;
        } else {
            auto const index = buffer_index(n, port, v);
            auto& b = buffer_[index];
            auto& front = place_of(index, b.first);
            id = front.id;
            c = &b.front;
            front.at = now + numbers_.channel_cycles;
            b.first = b.first + 1 == numbers_.buffer_flits ? 0 : b.first + 1;
            if (--b.count == 0) r.waiting &= ~(1U << (port * numbers_.virtual_channels + v));
        }
        auto& t = travelling_[id];
        auto const mine = static_cast<std::uint8_t>(1U << c->channel);
        auto& taken = r.taken[c->out];
        if (c->left == 0) {
            c->left = t.content.flits;
            taken |= mine;
        }
        bool const last = --c->left == 0;
        if (last) taken = static_cast<std::uint8_t>(taken & ~mine);
        if (port == here && last) {
            auto const i = input_at_[n];
            source_[i].queue.pop();
            source_[i].flits -= t.content.flits;
            freed(std::uint32_t{i}, std::uint32_t{t.content.flits});
        }
        if (c->out == here) {
            ++counters_.flits;
            if (!last) return;
            ++counters_.packets;
            --inside_;
            send(std::uint32_t{t.content.destination}, t.content);
            free_.push_back(id);
            return;
        }
        ++counters_.hops;
        auto const next = neighbour(n, c->out);
        auto const to = arrives_at(c->out);
        auto const index = buffer_index(next, to, c->channel);
        auto& b = buffer_[index];
        auto const ready = now + numbers_.channel_cycles + numbers_.router_cycles;
        place_of(index, b.first + b.count++) = {ready, id, 0};
        router_[next].waiting |= 1U << (to * numbers_.virtual_channels + c->channel);
        if (ready < wake_[next]) wake_[next] = ready;
    }

    mesh_parameters numbers_;
    std::vector<virtual_channel> buffer_; ///< by node, input, virtual channel
    std::vector<place> place_;            ///< by buffer
    std::vector<std::uint16_t> input_at_; ///< by node
    std::vector<source> source_;          ///< by input
    std::vector<router> router_;          ///< by node
    std::vector<cycle> wake_;             ///< by node: nothing can leave it before
    std::vector<traveller> travelling_;   ///< by id
    std::vector<std::uint32_t> free_;     ///< ids
    std::vector<std::uint32_t> fresh_;    ///< ids pushed since the last tick
    cycle next_ = never;                  ///< the earliest of wake_
    std::uint32_t inside_ = 0;
    network_counters counters_;
};

} // namespace warpkit::noc
