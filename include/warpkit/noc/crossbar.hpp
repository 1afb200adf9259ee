#pragma once
/// \file
/// A crossbar switch: one network, for requests or for replies.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/noc/arbitration.hpp>
#include <warpkit/noc/counters.hpp>
#include <warpkit/noc/crossbar_arbiter.hpp>
#include <warpkit/noc/fwd.hpp>
#include <warpkit/noc/network.hpp>
#include <warpkit/noc/packet.hpp>

#include <cstdint>
#include <vector>

namespace warpkit::noc {

/// An input-buffered crossbar with virtual cut-through: input FIFO -> switch -> output FIFO -> link.
///
/// A packet of f flits takes its input and its output of the switch for (allocation + f) / internal_speedup cycles, its
/// output's link for f cycles, and is sent on as soon as it has the link: unloaded, in the very cycle in which it was
/// pushed. Each output grants one of the inputs that ask for it, as Arbitration says: in turn, unless told otherwise
/// (iSLIP with one request per input). A packet's room in a buffer is free again once it is granted the next stage.
/// Without an output buffer a packet takes input, switch and link together, for f cycles.
///
/// Source: McKeown, The iSLIP scheduling algorithm, 1999, for the turns; GPGPU-Sim's intersim2 (fly, one stage) for the
/// buffers, the speed-up, and the allocation of the one virtual channel of a port, which begins when the tail of the
/// last packet has left and takes a turn of its own (vc_alloc_delay); its local crossbar for packets of one slot
/// (docs/model/network.md#crossbar). Differs from intersim2: packets, not flits, are arbitrated, so that flits of two
/// packets never mix on a link; pipeline and wire delays belong to the ports.
template <class Payload, arbitration Arbitration>
class crossbar {
public:
    using packet_type = packet<Payload>;

    crossbar() = default;
    /// Throws `warpkit::error` on an impossible shape.
    explicit crossbar(crossbar_parameters const& p)
        : arbiter_(p),
          input_(p.inputs, input_queue(p.input_flits)),
          kept_(p.outputs, ring<packet_type>(p.output_flits)) {}

    crossbar_parameters const& numbers() const noexcept { return arbiter_.numbers(); }
    static constexpr bool keeps_order() noexcept { return true; }
    /// Flits that input `i` can take.
    std::uint32_t input_room(std::uint32_t i) const noexcept {
        return numbers().input_flits - input_[i].flits;
    }
    /// Precondition: input_room(i) is at least p.flits, and p.destination is an output.
    void push(std::uint32_t i, packet_type const& p) noexcept {
        auto& in = input_[i];
        in.packets.push(p);
        in.flits += p.flits;
        if (arbiter_.vacant(i)) arbiter_.offer(i, p.destination, p.flits);
    }
    /// See network.hpp. `can_send(output, flits)` tells whether the receiver has room, `send(output, packet)` hands
    /// over. `freed(input, flits)` hears of room that a packet has left behind in its input's buffer.
    template <class CanSend, class Send, class Freed = detail::freed_unheard>
    void tick(cycle now, CanSend&& can_send, Send&& send, Freed&& freed = {}) {
        if (!idle())
            arbiter_.template run<Arbitration>(now, now + 1,
                                               sides<CanSend, Send, Freed>{*this, can_send, send, freed});
    }
    /// No packet inside.
    bool idle() const noexcept { return arbiter_.idle(); }
    /// See network.hpp.
    cycle next_event(cycle now) const noexcept { return arbiter_.next_event(now); }

    network_counters const& counters() const noexcept { return arbiter_.counters(); }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(arbiter_, input_, kept_);
    }
    friend bool operator==(crossbar const&, crossbar const&) = default;

private:
    struct input_queue {
        input_queue() = default;
        explicit input_queue(std::uint32_t capacity) : packets(capacity) {}
        ring<packet_type> packets;
        std::uint32_t flits = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(packets, flits);
        }
        friend bool operator==(input_queue const&, input_queue const&) = default;
    };
    template <class CanSend, class Send, class Freed>
    struct sides {
        crossbar& x;
        CanSend& receiver_has_room;
        Send& send;
        Freed& freed;

        template <class Set, class Tell>
        static void expected(Set const&, Tell const&) noexcept {}
        static void begin(cycle) noexcept {}
        bool can_send(std::uint32_t o, std::uint32_t flits) { return receiver_has_room(o, flits); }
        template <class Next>
        bool pass(std::uint32_t i, std::uint32_t o, Next const& tell) {
            send(o, x.input_[i].packets.front());
            return leave(i, tell);
        }
        template <class Next>
        bool keep(std::uint32_t i, std::uint32_t o, Next const& tell) {
            x.kept_[o].push(x.input_[i].packets.front());
            return leave(i, tell);
        }
        std::uint32_t born(std::uint32_t i) const { return born_of(x.input_[i].packets.front().payload); }
        std::uint32_t kept_flits(std::uint32_t o) const { return x.kept_[o].front().flits; }
        void send_kept(std::uint32_t o) {
            send(o, x.kept_[o].front());
            x.kept_[o].pop();
        }
        template <class Next>
        bool leave(std::uint32_t i, Next const& tell) {
            auto& in = x.input_[i];
            std::uint32_t const flits = in.packets.front().flits;
            in.flits -= flits;
            in.packets.pop();
            freed(i, flits);
            if (in.packets.empty()) return false;
            auto const& next = in.packets.front();
            tell(next.destination, next.flits, 0U, true);
            return true;
        }
    };

    crossbar_arbiter arbiter_;
    std::vector<input_queue> input_;
    std::vector<ring<packet_type>> kept_; ///< by output: behind the switch
};

static_assert(network<crossbar<std::uint32_t>, std::uint32_t>);

} // namespace warpkit::noc
