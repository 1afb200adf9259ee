#pragma once
/// \file
/// Who passes a crossbar switch, and when: its rules, without the queues at its two sides.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/noc/arbitration.hpp>
#include <warpkit/noc/counters.hpp>
#include <warpkit/noc/parameters.hpp>
#include <warpkit/noc/port_set.hpp>

#include <cstdint>

namespace warpkit::noc {

/// The rules of a crossbar (crossbar.hpp says which). It knows of each input the packet in front, and of each output
/// how many flits wait behind the switch; the packets themselves, and those behind them, are where its user has them.
///
/// Contract of `Sides`, the user's queues, as run() calls them. Packets that are known to come within the run are told
/// before they do: `delay` cycles before.
///   - `expected(waiting, tell)`: the run begins; calls `tell(i, destination, flits, delay)` for each input to which a
///     packet comes and that has none, which is not in `waiting`.
///   - `begin(now)`: that cycle begins; not called for cycles in which nothing is to be done.
///   - `can_send(o, flits)`: whether the receiver behind output o has room.
///   - `pass(i, o, next)`: the packet in front of input i leaves through output o, at once. The next, if it is there or
///     known to come, is told by `next(destination, flits, delay, there)`, where `delay` is in cycles behind the next.
///     Whether it was.
///   - `keep(i, o, next)`: it goes to the end of the queue behind the switch at output o. The same.
///   - `born(i)`: when the packet in front of input i set out, of an arbitration that asks (arbitration.hpp).
///   - `kept_flits(o)`: of the packet in front of that queue. `send_kept(o)`: it leaves.
class crossbar_arbiter {
public:
    crossbar_arbiter() = default;
    /// A run has at most so many cycles. Throws `warpkit::error` on an impossible shape.
    [[gnu::cold]] explicit crossbar_arbiter(crossbar_parameters const& p, std::uint32_t cycles = 1)
        : numbers_((p.check(), p)),
          input_(p.inputs),
          output_(p.outputs),
          narrow_(p.inputs <= 64 && p.outputs <= 64 ? p.outputs : 0, p.inputs - 1, cycles),
          wide_(narrow_.empty() ? p.outputs : 0, p.inputs - 1, cycles) {}

    crossbar_parameters const& numbers() const noexcept { return numbers_; }

    /// No packet is in front of input i.
    bool vacant(std::uint32_t i) const noexcept { return input_[i].flits == 0; }
    /// The packet in front of input i, to be sent as soon as possible. Between two runs. Precondition: vacant(i).
    void offer(std::uint32_t i, std::uint16_t destination, std::uint32_t flits) noexcept {
        input_[i].flits = flits;
        input_[i].destination = destination;
        in_sets([&](auto& s) {
            s.turn[destination].asking.insert(i);
            s.waiting.insert(i);
        });
    }

    /// The cycles from `now`, later than all before, until `last`.
    template <class Arbitration = round_robin_arbitration, class Sides>
    void run(cycle now, cycle last, Sides&& sides) {
        wide_.empty() ? run<Arbitration>(now, last, sides, narrow_)
                      : run<Arbitration>(now, last, sides, wide_);
    }
    /// No packet in front of an input, nor behind the switch.
    bool idle() const noexcept { return wide_.empty() ? narrow_.idle() : wide_.idle(); }
    /// The earliest cycle after `now` at which anything could be done, if nothing comes; `never` if idle.
    cycle next_event(cycle now) const noexcept {
        auto slot = never; // so that one division does for all
        auto const at = [&slot](cycle s) { slot = s < slot ? s : slot; };
        in_sets([&](auto const& s) {
            s.waiting.for_each([&](std::uint32_t i) {
                auto const asked = input_[i].ask;
                auto const free = output_[input_[i].destination].switch_free;
                at(asked > free ? asked : free);
            });
            s.backed.for_each([&](std::uint32_t o) { at(output_[o].link_free * numbers_.internal_speedup); });
        });
        if (slot == never) return never;
        auto const next = slot / numbers_.internal_speedup;
        return next > now ? next : now + 1;
    }
    network_counters const& counters() const noexcept { return counters_; }

    WARPKIT_STORED_MEMBERS(7)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(numbers_, input_, output_, narrow_, wide_, busy_until_, counters_);
    }
    friend bool operator==(crossbar_arbiter const&, crossbar_arbiter const&) = default;

private:
    /// Times at the switch are in slots: cycles times internal_speedup.
    struct input_port {
        cycle ask = 0;           ///< its packet asks for its output from this slot on
        std::uint32_t flits = 0; ///< of the packet; 0: there is none
        std::uint16_t destination = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(ask, flits, destination);
        }
        friend bool operator==(input_port const&, input_port const&) = default;
    };
    struct output_port {
        cycle switch_free = 0;
        cycle link_free = 0;       ///< in cycles
        std::uint32_t flits = 0;   ///< behind the switch
        std::uint32_t on_link = 0; ///< flits of the packet that took the link last
        template <class F>
        constexpr void each_member(F&& f) const {
            f(switch_free, link_free, flits, on_link);
        }
        friend bool operator==(output_port const&, output_port const&) = default;

        /// Whether a packet that is granted it in this cycle would leave the buffer behind the switch at once.
        bool is_open(cycle now) const noexcept { return flits == 0 && link_free <= now; }
        /// Whether the buffer has room. Flits that have passed it in this cycle without a stop take their room until
        /// the cycle ends; they are less than internal_speedup if another packet can follow.
        bool fits(std::uint32_t more, cycle now, std::uint32_t room) const noexcept {
            return flits + more + (link_free == now + on_link ? on_link : 0) <= room;
        }
        void take_link(cycle now, std::uint32_t sent) noexcept {
            link_free = now + sent;
            on_link = sent;
        }
    };

    /// The sets of a switch whose ports they hold.
    template <std::uint32_t Words>
    struct port_sets {
        using set = basic_port_set<Words>;
        /// Whose turn it is at an output.
        struct turns {
            set asking;             ///< inputs with a packet for it, or to which one comes
            std::uint32_t last = 0; ///< the input granted last: those behind it are asked first
            template <class F>
            constexpr void each_member(F&& f) const {
                f(asking, last);
            }
            friend bool operator==(turns const&, turns const&) = default;
        };
        heap_array<turns> turn; ///< by output; none where the sets are of another size
        set waiting;            ///< inputs with a packet
        set backed;             ///< outputs with packets behind the switch
        // No state: who is not so any more is taken out when next looked at.
        set late; ///< inputs that do not ask at the first slot of the next stride
        set held; ///< outputs where switch, buffer or link are taken when it begins
        heap_array<set>
            coming; ///< inputs to which a packet comes, by cycle of a run, and behind it; none between runs

        port_sets() = default;
        port_sets(std::uint32_t outputs, std::uint32_t last_input, std::uint32_t cycles)
            : turn(outputs, turns{set(), last_input}),
              coming(outputs == 0 ? 0 : cycles + 1) {}
        bool empty() const noexcept { return turn.empty(); }
        bool idle() const noexcept { return (waiting | backed).empty(); }
        WARPKIT_STORED_MEMBERS(6)
        template <class F>
        constexpr void each_member(F&& f) const {
            f(turn, waiting, backed);
        }
        friend bool operator==(port_sets const& a, port_sets const& b) {
            return a.turn == b.turn && a.waiting == b.waiting && a.backed == b.backed;
        }
    };
    template <class F>
    void in_sets(F&& f) {
        wide_.empty() ? f(narrow_) : f(wide_);
    }
    template <class F>
    void in_sets(F&& f) const {
        wide_.empty() ? f(narrow_) : f(wide_);
    }

    /// A run under way.
    ///
    /// Who is granted an output takes input and output for `allocation` slots and at least one flit's, and neither has
    /// to do with anything else meanwhile. So within a stride of that length what happens to one output does not depend
    /// on any other, it grants once at most, and all of that is worked out at one look.
    template <std::uint32_t Words, class Sides, class Arbitration>
    class under_way {
        using set = basic_port_set<Words>;
        using turns = typename port_sets<Words>::turns;

    public:
        [[gnu::always_inline]] under_way(crossbar_arbiter& x, port_sets<Words>& sets, cycle now) noexcept
            : x_(x),
              sets_(sets),
              input_(x.input_.data()),
              output_(x.output_.data()),
              turn_(sets.turn.data()),
              coming_(sets.coming.data()),
              speedup_(x.numbers_.internal_speedup),
              allocation_(x.numbers_.allocation),
              buffered_(x.numbers_.output_flits != 0),
              brief_(!buffered_ || allocation_ + 1 == speedup_ ? 1 : 0),
              stride_(!buffered_ || allocation_ >= speedup_ ? speedup_ : allocation_ + 1),
              one_stride_(stride_ == speedup_),
              in_turn_(x.numbers_.outputs_in_turn != 0),
              now_(now) {}
        under_way(under_way const&) = delete;
        under_way& operator=(under_way const&) = delete;

        /// The cycles until `last`.
        [[gnu::always_inline]] void until(cycle last, Sides& sides) {
            sides.expected(
                set(sets_.waiting), [&](std::uint32_t i, std::uint16_t destination, std::uint32_t flits,
                                        std::uint32_t delay) __attribute__((always_inline)) {
                    auto const only_i = set::only(i);
                    offer(i, only_i, destination, flits);
                    expect(only_i, delay);
                });
            auto* coming = coming_;
            for (auto now = now_; now != last; ++now) {
                meet(*coming++);
                if (sets_.waiting.empty() && sets_.backed.empty()) continue;
                sides.begin(now);
                now_ = now;
                coming_ = coming;
                auto const before = left_ + quick_;
                first_ = now_ * speedup_;
                if (in_turn_) [[unlikely]]
                    grant_in_turn(sides);
                else
                    grant_all(sides);
                if (!one_stride_) grant_later(sides);
                if (!sets_.backed.empty()) send_backed(sides);
                if (left_ + quick_ != before && x_.busy_until_ <= now_) {
                    ++x_.counters_.busy_cycles;
                    x_.busy_until_ = now_ + 1;
                }
            }
            meet(*coming); // what comes behind the last cycle is there when the next run begins
            x_.counters_.packets += left_ + quick_;
            x_.counters_.flits += left_ + quick_ + more_flits_;
            x_.counters_.conflicts += conflicts_ - quick_;
        }

    private:
        void expect(set const& only_i, std::uint32_t delay) noexcept { coming_[delay] |= only_i; }
        void meet(set& coming) noexcept {
            sets_.waiting |= coming;
            coming = set();
        }
        [[gnu::always_inline]] void offer(std::uint32_t i, set const& only_i, std::uint16_t destination,
                                          std::uint32_t flits) noexcept {
            input_[i].flits = flits;
            input_[i].destination = destination;
            turn_[destination].asking |= only_i;
        }
        /// The cycle's strides behind the first.
        [[gnu::noinline, gnu::flatten]] void grant_later(Sides& sides) {
            for (auto const end = first_ + speedup_; (first_ += stride_) < end;) grant_all(sides);
        }
        /// The stride that begins with slot `first_`.
        [[gnu::always_inline]] void grant_all(Sides& sides) {
            auto asking = sets_.waiting;
            if (!(sets_.late | sets_.held).empty()) asking = grant_unclear(sides);
            // Nothing is held where these ask, and nobody begins to ask within the stride.
            conflicts_ += asking.size();
            while (!asking.empty()) {
                std::uint32_t const o = input_[asking.first()].destination;
                auto const rivals = turn_[o].asking & asking;
                asking ^= rivals;
                auto const only_i = first_of(rivals, o, sides);
                auto const i = only_i.first();
                if (input_[i].flits == brief_ && sides.can_send(o, brief_)) {
                    take_turn(o, i, only_i);
                    ++quick_;
                    pass(o, i, only_i, sides);
                } else {
                    grant_at_length(o, i, rivals, sides);
                }
            }
        }
        /// The same where outputs choose one behind the other: a cycle has one slot then.
        [[gnu::noinline, gnu::flatten]] void grant_in_turn(Sides& sides) {
            set asked; // outputs
            sets_.waiting.for_each([&](std::uint32_t i) __attribute__((always_inline)) {
                if (input_[i].ask <= first_) asked.insert(input_[i].destination);
            });
            while (!asked.empty()) {
                auto const o = asked.first();
                asked.erase(o);
                auto const& out = output_[o];
                if (out.switch_free > first_) continue;
                auto asking = turn_[o].asking & sets_.waiting;
                (asking & sets_.late).for_each([&](std::uint32_t i) __attribute__((always_inline)) {
                    if (input_[i].ask > first_) asking.erase(i);
                });
                auto const only_i = first_of(asking, o, sides);
                auto const i = only_i.first();
                auto const open = out.is_open(now_);
                if (buffered_ && !open && !out.fits(input_[i].flits, now_, x_.numbers_.output_flits))
                    continue;
                if (!receiver_allows(o, i, sides)) continue;
                conflicts_ += asking.size() - 1;
                grant(o, i, only_i, first_, open, sides);
                if (sets_.waiting.has(i) && input_[i].ask <= first_ && input_[i].destination > o)
                    asked.insert(input_[i].destination);
            }
        }
        /// Of inputs that ask for output o, the one that is granted it.
        [[gnu::always_inline]] set first_of(set const& asking, std::uint32_t o, Sides& sides) const noexcept {
            return Arbitration{}.pick(asking, turn_[o].last, [&](auto i) { return sides.born(i); });
        }
        /// A packet that leaves something busy, or may not leave.
        [[gnu::noinline, gnu::flatten]] void grant_at_length(std::uint32_t o, std::uint32_t i,
                                                             set const& rivals, Sides& sides) {
            if (receiver_allows(o, i, sides)) {
                --conflicts_;
                grant(o, i, set::only(i), first_, true, sides);
            } else {
                conflicts_ -= rivals.size();
            }
        }
        [[gnu::always_inline]] void take_turn(std::uint32_t o, std::uint32_t i, set const& only_i) noexcept {
            turn_[o].last = i;
            turn_[o].asking ^= only_i;
        }
        [[gnu::always_inline]] void pass(std::uint32_t o, std::uint32_t i, set const& only_i, Sides& sides) {
            bool const more = sides.pass(
                i, o,
                [&](std::uint16_t destination, std::uint32_t flits, std::uint32_t delay, bool there)
                    __attribute__((always_inline)) { follow(i, only_i, destination, flits, delay, there); });
            if (!more) leave(i, only_i);
        }
        /// An input's packet has left; the next is known. Mostly it waits on: nobody asks again before the next cycle,
        /// by which it is there, but where outputs choose in turn.
        [[gnu::always_inline]] void follow(std::uint32_t i, set const& only_i, std::uint16_t destination,
                                           std::uint32_t flits, std::uint32_t delay, bool there) noexcept {
            offer(i, only_i, destination, flits);
            if (delay == 0 && (there || (one_stride_ && !in_turn_))) return;
            sets_.waiting ^= only_i;
            expect(only_i, delay); // coming_ is at the next cycle already
        }
        /// ... and none is.
        void leave(std::uint32_t i, set const& only_i) noexcept {
            input_[i].flits = 0;
            sets_.waiting ^= only_i;
        }
        /// The same for outputs that are held, or that an input begins to ask within the stride. The inputs that ask
        /// others.
        [[gnu::noinline, gnu::flatten]] set grant_unclear(Sides& sides) {
            // Without a buffer the link is taken with the switch: as a cycle begins.
            auto const end = buffered_ ? (now_ + 1) * speedup_ : first_ + 1;
            reach_ = end - first_ < stride_ ? end : first_ + stride_;
            set unclear;
            sets_.late.for_each([&](std::uint32_t i) __attribute__((always_inline)) {
                auto const& in = input_[i];
                if (in.ask <= first_)
                    sets_.late.erase(i);
                else if (sets_.waiting.has(i) && may_grant_at(in.ask))
                    unclear.insert(in.destination);
            });
            auto others = sets_.waiting - sets_.late;
            sets_.held.for_each([&](std::uint32_t o) __attribute__((always_inline)) {
                auto const& out = output_[o];
                if (out.switch_free <= first_ && out.is_open(now_)) {
                    sets_.held.erase(o);
                    return;
                }
                auto const asking = turn_[o].asking & sets_.waiting;
                if (asking.empty()) return;
                others -= asking;
                if (may_grant_at(out.switch_free)) unclear.insert(o);
            });
            unclear.for_each([&](std::uint32_t o)
                                 __attribute__((always_inline)) { others -= turn_[o].asking; });
            set granted;
            unclear.for_each([&](std::uint32_t o)
                                 __attribute__((always_inline)) { grant_slot_by_slot(o, granted, sides); });
            return others;
        }
        /// Whether slot `s` is one of this stride at which there can be a grant.
        bool may_grant_at(cycle s) const noexcept { return s < reach_; }
        [[gnu::always_inline]] void grant_slot_by_slot(std::uint32_t o, set& granted, Sides& sides) {
            auto const& out = output_[o];
            for (auto slot = out.switch_free > first_ ? out.switch_free : first_; may_grant_at(slot);
                 ++slot) {
                auto const here = turn_[o].asking & sets_.waiting;
                auto asking = here - sets_.late - granted;
                (here & sets_.late).for_each([&](std::uint32_t i) __attribute__((always_inline)) {
                    if (input_[i].ask <= slot) asking.insert(i);
                });
                if (asking.empty()) continue;
                auto const only_i = first_of(asking, o, sides);
                auto const i = only_i.first();
                auto const open = out.is_open(now_);
                if (buffered_ && !open && !out.fits(input_[i].flits, now_, x_.numbers_.output_flits))
                    continue;
                if (!receiver_allows(o, i, sides)) continue;
                conflicts_ += asking.size() - 1;
                granted |= only_i;
                grant(o, i, only_i, slot, open, sides);
                return;
            }
        }
        /// Without a buffer nothing is granted that cannot leave.
        [[gnu::always_inline]] bool receiver_allows(std::uint32_t o, std::uint32_t i, Sides& sides) {
            if (buffered_ || sides.can_send(o, input_[i].flits)) return true;
            ++x_.counters_.refused_cycles;
            return false;
        }
        /// Output o, and its link if that is `open`, is granted to input i.
        [[gnu::noinline, gnu::flatten]] void grant(std::uint32_t o, std::uint32_t i, set const& only_i,
                                                   cycle slot, bool open, Sides& sides) {
            auto& in = input_[i];
            auto const flits = in.flits;
            bool const brief = flits == brief_ && slot == first_;
            take_turn(o, i, only_i);
            if (!brief) {
                in.ask = output_[o].switch_free = slot + (buffered_ ? allocation_ + flits : flits * speedup_);
                sets_.late |= only_i;
                sets_.held.insert(o);
            }
            if (!buffered_ || (open && sides.can_send(o, flits))) {
                ++left_;
                if (!brief) take_link(output_[o], flits);
                pass(o, i, only_i, sides);
                return;
            }
            auto& out = output_[o];
            if (out.flits == 0) {
                sets_.backed.insert(o);
                sets_.held.insert(o);
            }
            out.flits += flits;
            bool const more = sides.keep(
                i, o,
                [&](std::uint16_t destination, std::uint32_t next_flits, std::uint32_t delay, bool there)
                    __attribute__((always_inline)) {
                        follow(i, only_i, destination, next_flits, delay, there);
                    });
            if (!more) leave(i, only_i);
        }
        [[gnu::noinline, gnu::flatten]] void send_backed(Sides& sides) {
            sets_.backed.for_each([&](std::uint32_t o) __attribute__((always_inline)) {
                auto& out = output_[o];
                if (out.link_free > now_) return;
                auto const flits = sides.kept_flits(o);
                if (!sides.can_send(o, flits)) {
                    ++x_.counters_.refused_cycles;
                    return;
                }
                sides.send_kept(o);
                ++left_;
                take_link(out, flits);
                out.flits -= flits;
                if (out.flits == 0) sets_.backed.erase(o);
            });
        }
        void take_link(output_port& out, std::uint32_t flits) noexcept {
            out.take_link(now_, flits);
            more_flits_ += flits - 1;
            busy(flits);
        }
        /// Links are, for so many cycles.
        void busy(std::uint32_t cycles) noexcept {
            auto const end = now_ + cycles;
            if (end <= x_.busy_until_) return;
            x_.counters_.busy_cycles += end - (x_.busy_until_ > now_ ? x_.busy_until_ : now_);
            x_.busy_until_ = end;
        }

        crossbar_arbiter& x_;
        port_sets<Words>& sets_;
        input_port* input_;
        output_port* output_;
        turns* turn_;
        set* coming_; ///< in the next cycle, and behind it
        std::uint64_t speedup_;
        std::uint64_t allocation_;
        bool buffered_; ///< there are queues behind the switch
        /// A packet of so many flits, granted as a cycle begins, leaves nothing busy when the next does.
        std::uint32_t brief_;
        std::uint64_t stride_;
        bool one_stride_; ///< a cycle's
        bool in_turn_;    ///< outputs choose one behind the other
        cycle now_;
        cycle first_ = 0; ///< slot of the stride
        cycle reach_ = 0; ///< the slot behind it, where it is not clear whom to grant what
        // In this run:
        std::uint64_t quick_ = 0; ///< packets that left as soon as they were granted, and leave nothing busy
        std::uint64_t left_ = 0;  ///< others
        std::uint64_t more_flits_ = 0; ///< of both than one each
        std::uint64_t conflicts_ = 0;  ///< and grants of quick packets
    };
    template <class Arbitration, std::uint32_t Words, class Sides>
    void run(cycle now, cycle last, Sides& sides, port_sets<Words>& sets) {
        under_way<Words, Sides, Arbitration>(*this, sets, now).until(last, sides);
    }

    crossbar_parameters numbers_;
    heap_array<input_port> input_;
    heap_array<output_port> output_;
    port_sets<1> narrow_; ///< of a switch whose ports a word can hold
    port_sets<port_set::capacity / 64> wide_;
    cycle busy_until_ = 0;
    network_counters counters_;
};

} // namespace warpkit::noc
