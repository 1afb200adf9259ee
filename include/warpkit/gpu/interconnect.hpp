#pragma once
/// \file
/// One network between its links: requests from cores to L2 slices, or replies the other way.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/packet.hpp>
#include <warpkit/gpu/parameters.hpp>
#include <warpkit/gpu/window_arrivals.hpp>
#include <warpkit/noc/crossbar.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// The crossbar for requests, or the one for replies.
inline noc::crossbar_parameters crossbar_parameters_of(gpu_parameters const& p, bool towards_memory) {
    auto const slices = p.memory.channels * p.memory.slices;
    noc::crossbar_parameters x;
    x.inputs = towards_memory ? p.core.count : slices;
    x.outputs = towards_memory ? slices : p.core.count;
    x.input_flits = p.network.input_flits;
    x.output_flits = p.network.output_flits;
    x.internal_speedup = p.network.speedup;
    x.allocation = p.network.allocation;
    x.flit_bytes = p.network.flit;
    x.check(8 + longest_line(p));
    return x;
}

/// A crossbar with its ports. `towards_memory` says which way packets go and so how large they are.
class interconnect {
public:
    interconnect() = default;
    /// Throws `error` on an impossible crossbar.
    interconnect(gpu_parameters const& p, clock_domain clock, bool towards_memory)
        : interconnect(crossbar_parameters_of(p, towards_memory), clock, towards_memory) {}
    interconnect(noc::crossbar_parameters const& p, clock_domain clock, bool towards_memory)
        : clock_(clock),
          towards_memory_(towards_memory),
          crossbar_(p),
          inside_(p.inputs),
          backed_(p.outputs, ring<packet>(p.output_flits)),
          coming_(p.outputs) {}

    /// Simulates all cycles before tick `end`; whether any but idle ones. `in` has one link per input, `out` one per
    /// output; the credits of `in` count flits, those of `out` packets.
    [[gnu::flatten]] bool advance(tick end, std::vector<link<packet>>& in, std::vector<link<packet>>& out) {
        auto const last = clock_.first_at_or_after(end);
        if (now_ >= last) return false;
        arrivals_.sort(clock_, now_, last, end, in, inside_);
        auto const first = now_;
        bool any = false;
        for (; now_ < last; ++now_) {
            auto& arrivals = arrivals_.in_cycle(now_ - first);
            if (arrivals.empty() && crossbar_.next_event(now_ == 0 ? 0 : now_ - 1) > now_) continue;
            step(clock_.at(now_), arrivals, in.data(), out.data());
            arrivals.clear();
            any = true;
        }
        return any;
    }
    /// The tick before which there is nothing to do.
    tick next_event(std::vector<link<packet>> const& in) const noexcept {
        auto next = crossbar_.next_event(now_ == 0 ? 0 : now_ - 1);
        if (auto const c = clock_.first_at_or_after(window_arrivals::next(in, inside_)); c < next) next = c;
        return next == never ? never : clock_.at(next < now_ ? now_ : next);
    }
    bool idle() const noexcept { return crossbar_.idle(); }
    noc::network_counters const& counters() const noexcept { return crossbar_.counters(); }

    friend bool operator==(interconnect const& a, interconnect const& b) {
        return a.crossbar_ == b.crossbar_ && a.inside_ == b.inside_ && a.backed_ == b.backed_ &&
               a.now_ == b.now_;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(crossbar_, inside_, backed_, now_);
    }

private:
    /// A packet stays in its link until the switch has let it pass; only one that must wait behind the switch is copied.
    void step(tick now, std::vector<std::uint16_t> const& arrivals, link<packet>* in, link<packet>* out) {
        auto const can_send = [&](std::uint32_t o, std::uint32_t) { return out[o].credits(now) != 0; };
        for (auto const i : arrivals) ++coming_[destination(in[i][inside_[i]])];
        for (auto const i : arrivals) {
            auto const& p = in[i][inside_[i]];
            noc::packet<std::uint16_t> q;
            q.destination = destination(p);
            q.flits = p.flits;
            q.payload = i;
            bool const alone = coming_[q.destination] == 1;
            coming_[q.destination] = 0; // the others of it find themselves not alone either
            if (alone && crossbar_.pass(i, q, now_, can_send)) {
                out[q.destination].send(now, p, 1);
                in[i].pop(now, q.flits);
            } else {
                crossbar_.push(i, q);
                ++inside_[i];
            }
        }
        bool passed = false;
        crossbar_.tick(
            now_, can_send,
            [&](std::uint32_t o, noc::packet<std::uint16_t> const& q) {
                auto& waiting = backed_[o];
                if (waiting.empty()) {
                    out[o].send(now, in[q.payload].front(), 1);
                    passed = true;
                } else {
                    out[o].send(now, waiting.front(), 1);
                    waiting.pop();
                }
            },
            [&](std::uint32_t i, std::uint32_t flits) { // after send, if it passed at once
                auto const& p = in[i].front();
                if (!passed) backed_[destination(p)].push(p);
                passed = false;
                in[i].pop(now, flits);
                --inside_[i];
            });
    }
    std::uint16_t destination(packet const& p) const noexcept { return towards_memory_ ? p.slice : p.core; }

    clock_domain clock_;
    bool towards_memory_ = true;
    noc::crossbar<std::uint16_t> crossbar_; ///< its payload: the input
    std::vector<std::uint32_t> inside_;     ///< by input: packets that wait at the switch
    std::vector<ring<packet>> backed_;      ///< by output: packets that wait behind the switch
    std::vector<std::uint16_t> coming_;     ///< by output: packets for it that come in a cycle; else zero
    window_arrivals arrivals_;              ///< empty between windows
    cycle now_ = 0;
};

/// The crossbar as a policy of a machine (use::network).
struct crossbar_network {
    static constexpr char const* name = "crossbar";
    using interconnect = warpkit::interconnect;
};

} // namespace warpkit
