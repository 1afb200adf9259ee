#pragma once
/// \file
/// One network between its links: requests from cores to L2 slices, or replies the other way.

#include <warpkit/base/clock.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/packet.hpp>
#include <warpkit/noc/crossbar.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// A crossbar with its ports. `towards_memory` says which way packets go and so how large they are.
class interconnect {
public:
    interconnect() = default;
    interconnect(noc::crossbar_parameters const& p, clock_domain clock, bool towards_memory)
        : clock_(clock),
          towards_memory_(towards_memory),
          crossbar_(p) {}

    /// Simulates all cycles before tick `end`; whether any but idle ones. `in` has one link per input, `out` one per
    /// output; the credits of `in` count flits, those of `out` packets.
    bool advance(tick end, std::vector<link<packet>>& in, std::vector<link<packet>>& out) {
        auto const last = clock_.first_at_or_after(end);
        bool any = false;
        while (true) {
            auto const next = next_cycle(in, out);
            if (next >= last) break;
            now_ = next;
            step(clock_.at(now_), in, out);
            ++now_;
            any = true;
        }
        if (now_ < last) now_ = last;
        return any;
    }
    /// The tick before which there is nothing to do.
    tick next_event(std::vector<link<packet>> const& in,
                    std::vector<link<packet>> const& out) const noexcept {
        auto const next = next_cycle(in, out);
        return next == never ? never : clock_.at(next);
    }
    bool idle() const noexcept { return crossbar_.idle(); }
    noc::crossbar_counters const& counters() const noexcept { return crossbar_.counters(); }

    friend bool operator==(interconnect const&, interconnect const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(crossbar_, inside_, now_);
    }

private:
    void step(tick now, std::vector<link<packet>>& in, std::vector<link<packet>>& out) {
        auto* const inputs = in.data();
        auto* const outputs = out.data();
        auto const count = crossbar_.numbers().inputs;
        for (std::uint32_t i = 0; i < count; ++i)
            for (; inputs[i].has_arrived(now); inputs[i].pop_keeping_credits()) {
                auto const& p = inputs[i].front();
                noc::packet<std::uint32_t> q;
                q.destination = towards_memory_ ? p.slice : p.core;
                q.flits = p.flits;
                q.payload = keep(p);
                crossbar_.push(i, q);
            }
        crossbar_.tick(
            now_, [&](std::uint32_t o, std::uint32_t) { return outputs[o].credits(now) != 0; },
            [&](std::uint32_t o, noc::packet<std::uint32_t> const& q) {
                outputs[o].send(now, inside_[q.payload], 1);
                free_.push_back(q.payload);
            },
            [&](std::uint32_t i, std::uint32_t flits) { inputs[i].give_back(now, flits); });
    }
    std::uint32_t keep(packet const& p) {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint32_t>(inside_.size()));
            inside_.emplace_back();
        }
        auto const place = free_.back();
        free_.pop_back();
        inside_[place] = p;
        return place;
    }
    cycle next_cycle(std::vector<link<packet>> const& in,
                     std::vector<link<packet>> const& out) const noexcept {
        auto const inside = crossbar_.next_event(now_ == 0 ? 0 : now_ - 1);
        if (inside <= now_) return now_;
        auto next = never;
        for (auto const& l : in)
            if (l.next_arrival() < next) next = l.next_arrival();
        if (!crossbar_.idle())
            for (auto const& l : out)
                if (l.next_credit() < next) next = l.next_credit();
        auto c = next == never ? never : clock_.first_at_or_after(next);
        if (inside < c) c = inside;
        return c < now_ ? now_ : c;
    }

    clock_domain clock_;
    bool towards_memory_ = true;
    noc::crossbar<std::uint32_t> crossbar_; ///< carries places in inside_
    std::vector<packet> inside_;
    std::vector<std::uint32_t> free_;
    cycle now_ = 0;
};

} // namespace warpkit
