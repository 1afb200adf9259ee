#pragma once
/// \file
/// One network between its links: requests from cores to L2 slices, or replies the other way.
///
/// In the reference: `crossbar` (reference/network.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/machine/network_parameters.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/noc/arbitration.hpp>
#include <warpkit/noc/crossbar_arbiter.hpp>

#include <cstdint>
#include <type_traits>

namespace warpkit {

/// A crossbar with its ports, under an Arbitration. `towards_memory` says which way packets go and so how large they
/// are.
template <noc::arbitration Arbitration>
class crossbar_interconnect {
public:
    /// With up to so many ports, inputs and outputs, it takes less time than to tell other host threads what it does:
    /// each simulates it for itself (gpu/threads/thread_set.hpp). Measured with 27 ports, where that gains, and 144,
    /// where it loses.
    static constexpr unsigned few_ports = 64;

    crossbar_interconnect() = default;
    /// Throws `error` on an impossible crossbar.
    crossbar_interconnect(gpu_parameters const& p, clock_domain clock, bool towards_memory)
        : crossbar_interconnect(crossbar_parameters_of(p, towards_memory), clock, towards_memory,
                                2 * p.network.link_cycles) {}
    /// A window has at most `cycles` cycles.
    [[gnu::cold]] crossbar_interconnect(noc::crossbar_parameters const& p, clock_domain clock,
                                        bool towards_memory, std::uint32_t cycles)
        : clock_(clock),
          destination_(towards_memory ? &packet::slice : &packet::core),
          window_(cycles),
          arbiter_(p, cycles),
          kept_(heap_array<ring<packet>>::of(p.outputs,
                                             [&](std::size_t) { return ring<packet>(p.output_flits); })) {}

    /// Simulates all cycles before tick `end`; whether any but idle ones. `in` has one link per input, `out` one per
    /// output; the credits of `in` count flits, those of `out` packets.
    [[gnu::always_inline]] bool advance(tick end, heap_array<link<packet>>& in,
                                        heap_array<link<packet>>& out) {
        if (!arbiter_.idle()) return advance_awake(end, in, out, 0);
        for (auto const& l : in)
            if (!l.empty() && l.first().at < end)
                return advance_awake(end, in, out, static_cast<std::uint32_t>(&l - in.data()));
        if (auto const last = clock_.first_at_or_after(end); now_ < last) now_ = last;
        return false;
    }
    /// Nothing was to be done before tick `t`.
    void skip_to(tick t) noexcept {
        if (auto const next = clock_.first_at_or_after(t); now_ < next) now_ = next;
    }
    /// The tick before which there is nothing to do.
    tick next_event(heap_array<link<packet>> const& in) const noexcept {
        auto next = clock_.at(arbiter_.next_event(now_ == 0 ? 0 : now_ - 1));
        auto const now = clock_.at(now_);
        for (std::uint32_t i = 0; i < in.size(); ++i)
            if (auto const t = in[i].next_arrival(); t < next && arbiter_.vacant(i)) next = t;
        return next < now ? now : next;
    }
    bool idle() const noexcept { return arbiter_.idle(); }
    noc::network_counters const& counters() const noexcept { return arbiter_.counters(); }

    friend bool operator==(crossbar_interconnect const& a, crossbar_interconnect const& b) {
        return a.arbiter_ == b.arbiter_ && a.kept_ == b.kept_;
    }
    WARPKIT_STORED_MEMBERS(7)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(arbiter_, kept_);
    }

private:
    /// Nothing comes to inputs before `first`.
    [[gnu::flatten]] bool advance_awake(tick end, heap_array<link<packet>>& in, heap_array<link<packet>>& out,
                                        std::uint32_t first) {
        auto last = now_ + window_;
        if (clock_.at(last) != end) {
            last = clock_.first_at_or_after(end);
            if (now_ >= last) return false;
            if (last - now_ > window_) now_ = last - window_;
        }
        sides s{*this, in.data(), out.data(), destination_, first, end, clock_.of(now_), 0};
        arbiter_.template run<Arbitration>(now_, last, s);
        now_ = last;
        return true;
    }

    /// The queues around the switch. In front of it they are the links themselves: a packet stays in its own until the
    /// switch has let it pass, and only one that must wait behind the switch is copied.
    struct sides {
        crossbar_interconnect& x;
        link<packet>* in;
        link<packet>* out;
        std::uint16_t packet::*destination;
        std::uint32_t first; ///< input to which anything comes
        tick end;
        tick now;  ///< when the cycle begins
        tick soon; ///< and the next

        template <class Set, class Tell>
        [[gnu::always_inline]] void expected(Set const& waiting, Tell const& tell) const noexcept {
            auto const holding = Set::where(
                first, x.arbiter_.numbers().inputs, [&](std::uint32_t i) __attribute__((always_inline)) {
                    return !in[i].empty();
                });
            (holding - waiting).for_each([&](std::uint32_t i) __attribute__((always_inline)) {
                auto const& e = in[i].first();
                if (e.at >= end) return;
                // No branch on whether it is there: that is hard to tell.
                auto const ahead = static_cast<std::int64_t>(e.at - now);
                tell(i, e.content.*destination, e.cost, cycles(static_cast<tick>(ahead & ~(ahead >> 63))));
            });
        }
        /// From any cycle to the first that sees what is there so much later.
        [[gnu::always_inline]] std::uint32_t cycles(tick later) const noexcept {
            return static_cast<std::uint32_t>(x.clock_.edges_before(later));
        }
        void begin(cycle c) noexcept {
            now = x.clock_.of(c);
            soon = now + x.clock_.period();
        }
        bool can_send(std::uint32_t o, std::uint32_t) const noexcept {
            return out[o].may_send() || collects_credits(o);
        }
        /// Rarely asked: links look for credits that have come back when they run out.
        [[gnu::noinline]] bool collects_credits(std::uint32_t o) const noexcept {
            return out[o].single_credits(now) != 0;
        }
        template <class Next>
        [[gnu::always_inline]] bool pass(std::uint32_t i, std::uint32_t o, Next const& next) noexcept {
            return in[i].forward(
                now, out[o], 1, [&](link<packet>::element const& e) __attribute__((always_inline)) {
                    return tell(e, next);
                });
        }
        template <class Next>
        [[gnu::always_inline]] bool keep(std::uint32_t i, std::uint32_t o, Next const& next) noexcept {
            auto& l = in[i];
            auto const& e = l.first();
            x.kept_[o].push(e.content);
            l.pop(now, e.cost);
            return !l.empty() && tell(l.first(), next);
        }
        std::uint32_t born(std::uint32_t i) const noexcept { return in[i].first().content.born; }
        std::uint32_t kept_flits(std::uint32_t o) const noexcept { return x.kept_[o].front().flits; }
        void send_kept(std::uint32_t o) noexcept {
            out[o].send(now, x.kept_[o].front(), 1);
            x.kept_[o].pop();
        }
        template <class Next>
        [[gnu::always_inline]] bool tell(link<packet>::element const& e, Next const& next) noexcept {
            if (e.at >= end) return false;
            std::uint32_t delay = 0;
            if (e.at > soon) [[unlikely]]
                delay = cycles(e.at - soon);
            next(e.content.*destination, e.cost, delay, e.at <= now);
            return true;
        }
    };

    clock_domain clock_;
    std::uint16_t packet::*destination_ = &packet::slice; ///< where in a packet its output is
    cycle window_ = 1;                                    ///< cycles of a window, at most
    noc::crossbar_arbiter arbiter_;
    heap_array<ring<packet>> kept_; ///< by output: packets that wait behind the switch
    cycle now_ = 0; ///< the next one; may lag behind while there is nothing to do, and is no state
    host_gap gap_;
};

using interconnect = crossbar_interconnect<noc::round_robin_arbitration>;

/// The class that models a machine's network policy under an arbitration: its own member `interconnect`, if it is a
/// policy of one's own, which then arbitrates as it likes.
template <class Network, class Arbitration>
struct interconnect_of {
    static_assert(std::is_same_v<Arbitration, noc::round_robin_arbitration>,
                  "warpkit: a network of one's own arbitrates by itself: leave out use::network_arbitration");
    using type = typename Network::interconnect;
};
template <class Arbitration>
struct interconnect_of<crossbar_network, Arbitration> {
    using type = crossbar_interconnect<Arbitration>;
};

} // namespace warpkit
