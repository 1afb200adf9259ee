#pragma once
/// \file
/// A crossbar switch: one network, for requests or for replies.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/noc/counters.hpp>
#include <warpkit/noc/network.hpp>
#include <warpkit/noc/packet.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace warpkit::noc {

namespace detail {

/// A set of ports, one bit each.
class port_set {
public:
    static constexpr std::uint32_t capacity = 256;

    port_set() = default;
    /// For ports 0 to `ports` - 1.
    explicit port_set(std::uint32_t ports) noexcept : words_((ports + 63) / 64) {}

    void insert(std::uint32_t i) noexcept { word_[i / 64] |= std::uint64_t{1} << (i % 64); }
    void erase(std::uint32_t i) noexcept { word_[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
    /// The first member at or behind `i`, circularly; precondition: not empty.
    std::uint32_t first_from(std::uint32_t i) const noexcept {
        auto k = i / 64;
        auto bits = word_[k] & (~std::uint64_t{0} << (i % 64));
        while (bits == 0) {
            k = k + 1 == words_ ? 0 : k + 1;
            bits = word_[k];
        }
        return k * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    /// Calls f for each member; f may erase it.
    template <class F>
    void for_each(F&& f) const {
        for (auto rest = word_[0]; rest != 0; rest &= rest - 1)
            f(static_cast<std::uint32_t>(std::countr_zero(rest)));
        for (std::uint32_t k = 1; k < words_; ++k)
            for (auto rest = word_[k]; rest != 0; rest &= rest - 1)
                f(k * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
    /// Calls f for each member until it returns false; whether it never did.
    template <class F>
    bool each_while(F&& f) const {
        for (std::uint32_t k = 0; k < words_; ++k)
            for (auto rest = word_[k]; rest != 0; rest &= rest - 1)
                if (!f(k * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)))) return false;
        return true;
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(word_);
    }
    friend bool operator==(port_set const&, port_set const&) = default;

private:
    std::array<std::uint64_t, capacity / 64> word_{};
    std::uint32_t words_ = 0;
};

} // namespace detail

/// Shape of a crossbar. The defaults are those of GPGPU-Sim's GeForce GTX 480 (4.x, intersim2 fly), request side.
struct crossbar_parameters {
    std::uint32_t inputs = 15;
    std::uint32_t outputs = 12;
    std::uint32_t input_flits = 64; ///< buffer per input
    std::uint32_t output_flits =
        64; ///< buffer per output, between switch and link; 0: none, link and switch are one
    std::uint32_t internal_speedup = 2; ///< flits per cycle that an input or output moves inside the switch
    std::uint32_t allocation =
        1; ///< slots (cycles / internal_speedup) in which a packet holds input and output before
           ///< its first flit moves: the virtual channel's allocation, where a port has one
    std::uint32_t flit_bytes = 40; ///< 40 in GPGPU-Sim 4.x, 32 in 3.x; 0: every packet is one flit, as in
                                   ///< GPGPU-Sim's local crossbar

    /// Flits of a packet of `bytes` bytes.
    constexpr std::uint16_t flits(std::uint32_t bytes) const noexcept {
        return flit_bytes == 0 ? std::uint16_t{1} : flits_for(bytes, flit_bytes);
    }
    /// Throws `warpkit::error` on an impossible shape, or one that a packet of `largest_packet_bytes` could never pass.
    void check(std::uint32_t largest_packet_bytes = 0) const {
        at_least("inputs", inputs, 1, "");
        at_least("outputs", outputs, 1, "");
        at_most("inputs", inputs, detail::port_set::capacity);
        at_most("outputs", outputs, detail::port_set::capacity);
        at_least("internal_speedup", internal_speedup, 1, "");
        auto const largest = largest_packet_bytes == 0 ? 1U : std::uint32_t{flits(largest_packet_bytes)};
        at_least("input_flits", input_flits, largest, " (the largest packet)");
        if (output_flits != 0) at_least("output_flits", output_flits, largest, " (the largest packet)");
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(inputs, outputs, input_flits, output_flits, internal_speedup, allocation, flit_bytes);
    }
    friend bool operator==(crossbar_parameters const&, crossbar_parameters const&) = default;

private:
    static void at_most(char const* field, std::uint32_t value, std::uint32_t high) {
        if (value > high)
            throw error(std::string("crossbar: ") + field + " = " + std::to_string(value) + " is above " +
                        std::to_string(high) + "; nearest legal value: " + std::to_string(high));
    }
    static void at_least(char const* field, std::uint32_t value, std::uint32_t low, char const* why) {
        if (value < low)
            throw error(std::string("crossbar: ") + field + " = " + std::to_string(value) + " is below " +
                        std::to_string(low) + why + "; nearest legal value: " + std::to_string(low));
    }
};

/// An input-buffered crossbar with virtual cut-through: input FIFO -> switch -> output FIFO -> link.
///
/// A packet of f flits takes its input and its output of the switch for (allocation + f) / internal_speedup cycles, its
/// output's link for f cycles, and is sent on as soon as it has the link: unloaded, in the very cycle in which it was pushed. Each
/// output grants its requesting inputs in turn; the turn moves past the granted input (iSLIP with one request per
/// input). A packet's room in a buffer is free again once it is granted the next stage. Without an output buffer a
/// packet takes input, switch and link together, for f cycles.
///
/// Source: McKeown, The iSLIP scheduling algorithm, 1999, for the turns; GPGPU-Sim's intersim2 (fly, one stage) for the
/// buffers, the speed-up, and the allocation of the one virtual channel of a port, which begins when the tail of the last
/// packet has left and takes a turn of its own (vc_alloc_delay); its local crossbar for packets of one slot (SPEC 5).
/// Differs from intersim2: packets, not flits, are arbitrated, so that flits of two packets never mix on a link; pipeline
/// and wire delays belong to the ports.
template <class Payload>
class crossbar {
public:
    using packet_type = packet<Payload>;

    crossbar() = default;
    /// Throws `warpkit::error` on an impossible shape.
    explicit crossbar(crossbar_parameters const& p) : numbers_((p.check(), p)) {
        input_.resize(p.inputs, input_port(p.input_flits));
        output_.resize(p.outputs, output_port(p.output_flits, p.inputs));
        waiting_ = port_set(p.inputs);
        wanted_ = port_set(p.outputs);
        backed_ = port_set(p.outputs);
    }

    crossbar_parameters const& numbers() const noexcept { return numbers_; }
    static constexpr bool keeps_order() noexcept { return true; }
    /// Flits that input `i` can take.
    std::uint32_t input_room(std::uint32_t i) const noexcept {
        return numbers_.input_flits - input_[i].flits;
    }
    /// Precondition: input_room(i) is at least p.flits, and p.destination is an output.
    void push(std::uint32_t i, packet_type const& p) noexcept {
        auto& in = input_[i];
        if (in.queue.empty()) waiting_.insert(i);
        in.queue.push(p);
        in.flits += p.flits;
        if (p.flits > largest_) largest_ = p.flits;
        ++inside_;
    }

    /// Lets a packet that comes to input `i` before tick(now) leave at once, if nothing is in its way: true, and all is as if
    /// it had been pushed and sent by that tick. False, and nothing done, if it is to be pushed. Precondition: input_room(i)
    /// is at least p.flits, and no packet for the same output comes to another input before tick(now).
    template <class CanSend>
    bool pass(std::uint32_t i, packet_type const& p, cycle now, CanSend&& can_send) {
        auto& in = input_[i];
        auto& out = output_[p.destination];
        auto const slot = now * numbers_.internal_speedup;
        if (numbers_.output_flits == 0 || !in.queue.empty() || in.switch_free > slot || out.asking != 0 ||
            out.switch_free > slot || !waiting_.each_while([&](std::uint32_t k) {
                return input_[k].queue.front().destination != p.destination;
            }))
            return false;
        if (p.flits > largest_) largest_ = p.flits;
        if (!passes_at_once(out, p.flits, now, can_send, p.destination)) return false;
        out.turn = i + 1 == numbers_.inputs ? 0 : i + 1;
        in.switch_free = out.switch_free = slot + numbers_.allocation + p.flits;
        count(out, p.flits, now);
        return true;
    }

    /// See network.hpp. `can_send(output, flits)` tells whether the receiver has room, `send(output, packet)` hands over.
    /// `freed(input, flits)` hears of room that a packet has left behind in its input's buffer.
    template <class CanSend, class Send, class Freed = detail::freed_unheard>
    void tick(cycle now, CanSend&& can_send, Send&& send, Freed&& freed = {}) {
        if (inside_ == 0) return;
        auto const first = now * numbers_.internal_speedup;
        for (cycle slot = first; slot != first + numbers_.internal_speedup; ++slot) {
            request_outputs(slot);
            wanted_.for_each(
                [&](std::uint32_t o) { grant(o, slot, slot == first, now, can_send, send, freed); });
        }
        backed_.for_each([&](std::uint32_t o) {
            auto& out = output_[o];
            auto const& p = out.queue.front();
            if (out.link_free > now || !receiver_has_room(o, p.flits, can_send)) return;
            transmit(o, p, now, send);
            out.flits -= p.flits;
            out.queue.pop();
            if (out.queue.empty()) backed_.erase(o);
        });
    }

    /// No packet inside.
    bool idle() const noexcept { return inside_ == 0; }
    /// See network.hpp.
    cycle next_event(cycle now) const noexcept {
        if (inside_ == 0) return never;
        auto const next = now + 1;
        // In slots, so that one division does for all.
        auto e = never;
        auto const soon = (next + 1) * numbers_.internal_speedup; // the first slot after the next cycle
        auto const at = [&](cycle slot) {
            e = slot < e ? slot : e;
            return e >= soon;
        };
        auto const link_at = [&](std::uint32_t o) {
            return at(output_[o].link_free * numbers_.internal_speedup);
        };
        bool const none_soon = backed_.each_while(link_at) && waiting_.each_while([&](std::uint32_t i) {
            return at(input_[i].switch_free);
        }) && wanted_.each_while([&](std::uint32_t o) {
            return numbers_.output_flits == 0 ? link_at(o) : at(output_[o].switch_free);
        });
        return none_soon ? e / numbers_.internal_speedup : next;
    }

    network_counters const& counters() const noexcept { return counters_; }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(numbers_, input_, output_, waiting_, wanted_, backed_, largest_, inside_, busy_until_, counters_);
    }
    friend bool operator==(crossbar const&, crossbar const&) = default;

private:
    using port_set = detail::port_set;

    /// Switch times are in slots: cycles times internal_speedup.
    struct input_port {
        input_port() = default;
        explicit input_port(std::uint32_t capacity) : queue(capacity) {}
        ring<packet_type> queue;
        std::uint32_t flits = 0; ///< in the queue
        cycle switch_free = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(queue, flits, switch_free);
        }
        friend bool operator==(input_port const&, input_port const&) = default;
    };
    struct output_port {
        output_port() = default;
        output_port(std::uint32_t capacity, std::uint32_t inputs) : queue(capacity), request(inputs) {}
        ring<packet_type> queue;
        std::uint32_t flits = 0;  ///< in the queue
        std::uint32_t turn = 0;   ///< the input asked first
        std::uint32_t asking = 0; ///< inputs in `request`
        port_set request;         ///< inputs whose head asks for it
        cycle switch_free = 0;
        cycle link_free = 0; ///< in cycles
        template <class F>
        constexpr void each_member(F&& f) const {
            f(queue, flits, turn, asking, request, switch_free, link_free);
        }
        friend bool operator==(output_port const&, output_port const&) = default;
    };

    /// The heads of inputs that the switch has become free for ask for their outputs.
    void request_outputs(cycle slot) noexcept {
        waiting_.for_each([&](std::uint32_t i) {
            auto const& in = input_[i];
            if (in.switch_free > slot) return;
            auto const o = in.queue.front().destination;
            auto& out = output_[o];
            out.request.insert(i);
            if (out.asking++ == 0) wanted_.insert(o);
            waiting_.erase(i);
        });
    }
    template <class CanSend>
    bool receiver_has_room(std::uint32_t o, std::uint32_t flits, CanSend& can_send) {
        if (can_send(o, flits)) return true;
        ++counters_.refused_cycles;
        return false;
    }

    /// `first`: in the first slot of the cycle.
    template <class CanSend, class Send, class Freed>
    void grant(std::uint32_t o, cycle slot, bool first, cycle now, CanSend& can_send, Send& send,
               Freed& freed) {
        auto& out = output_[o];
        bool const buffered = numbers_.output_flits != 0;
        if (out.switch_free > slot) return;
        if (!buffered && (out.link_free > now || !first)) return;
        auto const i = out.request.first_from(out.turn);
        auto& in = input_[i];
        auto const& p = in.queue.front();
        std::uint32_t const flits = p.flits;
        if (buffered ? out.flits + flits > numbers_.output_flits : !receiver_has_room(o, flits, can_send))
            return;

        out.request.erase(i);
        counters_.conflicts += --out.asking;
        if (out.asking == 0) wanted_.erase(o);
        out.turn = i + 1 == numbers_.inputs ? 0 : i + 1;
        auto const done = slot + (buffered ? numbers_.allocation + flits : flits * numbers_.internal_speedup);
        in.switch_free = done;
        out.switch_free = done;
        if (!buffered || passes_at_once(out, flits, now, can_send, o)) {
            transmit(o, p, now, send);
        } else {
            if (out.queue.empty()) backed_.insert(o);
            out.queue.push(p);
            out.flits += flits;
        }
        in.flits -= flits;
        freed(i, flits);
        in.queue.pop();
        if (!in.queue.empty()) waiting_.insert(i);
    }
    /// Whether a packet can skip the output's buffer: it would leave it in this cycle, and nobody can notice that it has
    /// not been there.
    template <class CanSend>
    bool passes_at_once(output_port const& out, std::uint32_t flits, cycle now, CanSend& can_send,
                        std::uint32_t o) const {
        return out.queue.empty() && out.link_free <= now && flits + largest_ <= numbers_.output_flits &&
               can_send(o, flits);
    }
    template <class Send>
    void transmit(std::uint32_t o, packet_type const& p, cycle now, Send& send) {
        count(output_[o], p.flits, now);
        --inside_;
        send(o, p);
    }
    /// So many flits of a packet take their output's link from `now` on.
    void count(output_port& out, std::uint32_t flits, cycle now) noexcept {
        auto const end = now + flits;
        out.link_free = end;
        if (end > busy_until_) {
            counters_.busy_cycles += end - (busy_until_ > now ? busy_until_ : now);
            busy_until_ = end;
        }
        ++counters_.packets;
        counters_.flits += flits;
    }

    crossbar_parameters numbers_;
    std::vector<input_port> input_;
    std::vector<output_port> output_;
    port_set waiting_;          ///< inputs with packets whose head does not ask yet
    port_set wanted_;           ///< outputs that an input asks for
    port_set backed_;           ///< outputs with packets in their buffer
    std::uint32_t largest_ = 0; ///< flits of the largest packet so far
    std::uint64_t inside_ = 0;
    cycle busy_until_ = 0;
    network_counters counters_;
};

static_assert(network<crossbar<std::uint32_t>, std::uint32_t>);

} // namespace warpkit::noc
