#pragma once
/// \file
/// Who passes a crossbar switch, and when: its rules, without the queues at its two sides.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/noc/counters.hpp>
#include <warpkit/noc/packet.hpp>
#include <warpkit/noc/port_set.hpp>

#include <cstdint>

namespace warpkit::noc {

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
        at_most("inputs", inputs, port_set::capacity);
        at_most("outputs", outputs, port_set::capacity);
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

/// The rules of a crossbar (crossbar.hpp says which). It knows of each input the packet in front, and of each output how
/// many flits wait behind the switch; the packets themselves, and those behind them, are where its user has them.
///
/// Contract of `Sides`, the user's queues, as tick() calls them:
///   - `can_send(o, flits)`: whether the receiver behind output o has room.
///   - `pass(i, o)`: the packet in front of input i leaves through output o, at once.
///   - `keep(i, o)`: it goes to the end of the queue behind the switch at output o.
///   - both are followed by what comes next at input i: offer(), now or, when it comes, between two ticks.
///   - `kept_flits(o)`: of the packet in front of that queue. `send_kept(o)`: it leaves.
class crossbar_arbiter {
public:
    crossbar_arbiter() = default;
    /// Throws `warpkit::error` on an impossible shape.
    explicit crossbar_arbiter(crossbar_parameters const& p)
        : numbers_((p.check(), p)),
          input_(p.inputs),
          output_(p.outputs) {}

    crossbar_parameters const& numbers() const noexcept { return numbers_; }

    /// No packet is in front of input i.
    bool vacant(std::uint32_t i) const noexcept { return input_[i].flits == 0; }
    /// The packet in front of input i, to be sent as soon as possible. Precondition: vacant(i).
    void offer(std::uint32_t i, std::uint16_t destination, std::uint32_t flits) noexcept {
        auto& in = input_[i];
        in.flits = static_cast<std::uint16_t>(flits);
        in.destination = destination;
        waiting_.insert(i);
    }
    /// The same for a packet that is there from cycle `from` on.
    void offer(std::uint32_t i, std::uint16_t destination, std::uint32_t flits, cycle from) noexcept {
        offer(i, destination, flits);
        if (auto const slot = from * numbers_.internal_speedup; slot > input_[i].ask) input_[i].ask = slot;
    }

    /// Cycle `now`, later than that of every earlier tick.
    template <class Sides>
    void tick(cycle now, Sides&& sides) {
        bool const small = numbers_.inputs <= 64 && numbers_.outputs <= 64;
        if (numbers_.output_flits == 0)
            small ? run<1, false>(now, sides) : run<port_set::words, false>(now, sides);
        else
            small ? run<1, true>(now, sides) : run<port_set::words, true>(now, sides);
    }
    /// No packet in front of an input, nor behind the switch.
    bool idle() const noexcept { return waiting_.empty() && wanted_.empty() && backed_.empty(); }
    /// The earliest cycle after `now` at which a tick could do anything; `never` if idle.
    cycle next_event(cycle now) const noexcept {
        auto slot = never; // so that one division does for all
        auto const at = [&slot](cycle s) { slot = s < slot ? s : slot; };
        auto const link_at = [&](std::uint32_t o) { at(output_[o].link_free * numbers_.internal_speedup); };
        waiting_.for_each([&](std::uint32_t i) { at(input_[i].ask); });
        wanted_.for_each(
            [&](std::uint32_t o) { numbers_.output_flits == 0 ? link_at(o) : at(output_[o].switch_free); });
        backed_.for_each(link_at);
        if (slot == never) return never;
        auto const next = slot / numbers_.internal_speedup;
        return next > now ? next : now + 1;
    }
    network_counters const& counters() const noexcept { return counters_; }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(numbers_, input_, output_, waiting_, wanted_, backed_, busy_until_, counters_);
    }
    friend bool operator==(crossbar_arbiter const&, crossbar_arbiter const&) = default;

private:
    /// Times at the switch are in slots: cycles times internal_speedup.
    struct input_port {
        cycle ask = 0;                 ///< its packet asks for its output from this slot on
        std::uint16_t destination = 0; ///< of the packet
        std::uint16_t flits = 0;       ///< likewise; 0: there is none
        template <class F>
        constexpr void each_member(F&& f) const {
            f(ask, destination, flits);
        }
        friend bool operator==(input_port const&, input_port const&) = default;
    };
    struct output_port {
        cycle switch_free = 0;
        cycle link_free = 0;       ///< in cycles
        std::uint32_t flits = 0;   ///< behind the switch
        std::uint32_t turn = 0;    ///< the input asked first
        std::uint32_t asking = 0;  ///< inputs in `request`
        std::uint32_t on_link = 0; ///< flits of the packet that took the link last
        port_set request;          ///< inputs whose packet asks for it
        template <class F>
        constexpr void each_member(F&& f) const {
            f(switch_free, link_free, flits, turn, asking, on_link, request);
        }
        friend bool operator==(output_port const&, output_port const&) = default;
    };
    /// What one tick has sent.
    struct tally {
        std::uint64_t packets = 0;
        std::uint64_t flits = 0;
        std::uint32_t longest = 0;
    };

    template <std::uint32_t Words, bool Buffered, class Sides>
    void run(cycle now, Sides& sides) {
        tally sent;
        auto const first = now * numbers_.internal_speedup;
        auto const last = first + numbers_.internal_speedup;
        for (auto slot = first; slot != last; ++slot) {
            waiting_.for_each<Words>([&](std::uint32_t i) {
                auto const& in = input_[i];
                if (in.ask > slot) return;
                waiting_.erase(i);
                auto& out = output_[in.destination];
                ++out.asking;
                out.request.insert(i);
                wanted_.insert(in.destination);
            });
            wanted_.for_each<Words>([&](std::uint32_t o) {
                if (output_[o].switch_free > slot) return;
                if constexpr (Buffered)
                    grant<Words>(o, slot, now, sides, sent);
                else if (slot == first)
                    grant_unbuffered<Words>(o, slot, now, sides, sent);
            });
        }
        if constexpr (Buffered)
            backed_.for_each<Words>([&](std::uint32_t o) {
                auto& out = output_[o];
                if (out.link_free > now) return;
                auto const flits = sides.kept_flits(o);
                if (!receiver_has_room(o, flits, sides)) return;
                sides.send_kept(o);
                take_link(out, flits, now, sent);
                out.flits -= flits;
                if (out.flits == 0) backed_.erase(o);
            });
        count(now, sent);
    }
    template <std::uint32_t Words, class Sides>
    void grant(std::uint32_t o, cycle slot, cycle now, Sides& sides, tally& sent) {
        auto& out = output_[o];
        auto const i = out.request.first_from<Words>(out.turn);
        auto& in = input_[i];
        std::uint32_t const flits = in.flits;
        if (out.flits + flits + numbers_.internal_speedup > numbers_.output_flits &&
            out.flits + flits + passed_in(out, now) > numbers_.output_flits)
            return;
        take_switch(o, i, slot + numbers_.allocation + flits);
        if (out.flits == 0 && out.link_free <= now && sides.can_send(o, flits)) {
            // It would leave the buffer in this very cycle.
            take_link(out, flits, now, sent);
            sides.pass(i, o);
        } else {
            if (out.flits == 0) backed_.insert(o);
            out.flits += flits;
            sides.keep(i, o);
        }
    }
    template <std::uint32_t Words, class Sides>
    void grant_unbuffered(std::uint32_t o, cycle slot, cycle now, Sides& sides, tally& sent) {
        auto& out = output_[o];
        if (out.link_free > now) return;
        auto const i = out.request.first_from<Words>(out.turn);
        std::uint32_t const flits = input_[i].flits;
        if (!receiver_has_room(o, flits, sides)) return;
        take_switch(o, i, slot + flits * numbers_.internal_speedup);
        take_link(out, flits, now, sent);
        sides.pass(i, o);
    }
    /// Flits that have passed the buffer of an output in this cycle without a stop, but take its room until the cycle
    /// ends. Less than internal_speedup if another packet can follow.
    static std::uint32_t passed_in(output_port const& out, cycle now) noexcept {
        return out.link_free == now + out.on_link ? out.on_link : 0;
    }
    /// Output `o` is granted to input `i` until slot `done`.
    void take_switch(std::uint32_t o, std::uint32_t i, cycle done) noexcept {
        auto& out = output_[o];
        out.request.erase(i);
        counters_.conflicts += --out.asking;
        if (out.asking == 0) wanted_.erase(o);
        out.turn = i + 1 == numbers_.inputs ? 0 : i + 1;
        out.switch_free = done;
        input_[i].ask = done;
        input_[i].flits = 0;
    }
    template <class Sides>
    bool receiver_has_room(std::uint32_t o, std::uint32_t flits, Sides& sides) {
        if (sides.can_send(o, flits)) return true;
        ++counters_.refused_cycles;
        return false;
    }
    static void take_link(output_port& out, std::uint32_t flits, cycle now, tally& sent) noexcept {
        out.link_free = now + flits;
        out.on_link = flits;
        ++sent.packets;
        sent.flits += flits;
        if (flits > sent.longest) sent.longest = flits;
    }
    void count(cycle now, tally const& sent) noexcept {
        counters_.packets += sent.packets;
        counters_.flits += sent.flits;
        if (auto const end = now + sent.longest; sent.longest != 0 && end > busy_until_) {
            counters_.busy_cycles += end - (busy_until_ > now ? busy_until_ : now);
            busy_until_ = end;
        }
    }

    crossbar_parameters numbers_;
    heap_array<input_port> input_;
    heap_array<output_port> output_;
    port_set waiting_; ///< inputs with a packet that does not ask yet
    port_set wanted_;  ///< outputs that an input asks for
    port_set backed_;  ///< outputs with packets behind the switch
    cycle busy_until_ = 0;
    network_counters counters_;
};

} // namespace warpkit::noc
