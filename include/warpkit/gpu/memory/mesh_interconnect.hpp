#pragma once
/// \file
/// A mesh between its links, in the place of the crossbar of gpu/memory/interconnect.hpp.
///
/// In the reference: `mesh` (reference/network.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/memory/interconnect.hpp>
#include <warpkit/gpu/memory/window_arrivals.hpp>
#include <warpkit/machine/network_parameters.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/noc/mesh.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// A mesh with its ports; the same to its neighbours as a crossbar (gpu/memory/interconnect.hpp). (A template, so that
/// only a machine that has one costs a compiler what it takes.)
template <class Packet, noc::arbitration Arbitration = noc::round_robin_arbitration>
class mesh_interconnect {
public:
    mesh_interconnect() = default;
    /// Throws `error` on an impossible mesh.
    mesh_interconnect(gpu_parameters const& p, clock_domain clock, bool towards_memory)
        : clock_(clock),
          towards_memory_(towards_memory),
          mesh_(mesh_parameters_of(p, towards_memory)),
          inside_(mesh_.numbers().inputs.size()) {}

    /// Simulates all cycles before tick `end`; whether any but idle ones. `in` has one link per input, `out` one per
    /// output; the credits of `in` count flits, those of `out` packets.
    bool advance(tick end, heap_array<link<Packet>>& in, heap_array<link<Packet>>& out) {
        auto const last = clock_.first_at_or_after(end);
        if (now_ >= last) return false;
        for (auto& l : in) l.look(end);
        arrivals_.sort(clock_, now_, last, end, in, inside_);
        auto const first = now_;
        bool any = false;
        for (; now_ < last; ++now_) {
            auto& arrivals = arrivals_.in_cycle(now_ - first);
            if (arrivals.empty() && mesh_.next_event(now_ == 0 ? 0 : now_ - 1) > now_) continue;
            step(clock_.at(now_), arrivals, in.data(), out.data());
            arrivals.clear();
            any = true;
        }
        return any;
    }
    /// Nothing was to be done before tick `t`.
    void skip_to(tick t) noexcept {
        if (auto const next = clock_.first_at_or_after(t); now_ < next) now_ = next;
    }
    /// The tick before which there is nothing to do.
    tick next_event(heap_array<link<Packet>> const& in) const noexcept {
        auto next = mesh_.next_event(now_ == 0 ? 0 : now_ - 1);
        if (auto const c = clock_.first_at_or_after(window_arrivals::next(in, inside_)); c < next) next = c;
        return next == never ? never : clock_.at(next < now_ ? now_ : next);
    }
    bool idle() const noexcept { return mesh_.idle(); }
    noc::network_counters const& counters() const noexcept { return mesh_.counters(); }

    friend bool operator==(mesh_interconnect const& a, mesh_interconnect const& b) {
        return a.mesh_ == b.mesh_ && a.inside_ == b.inside_;
    }
    WARPKIT_STORED_MEMBERS(7)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(mesh_, inside_);
    }

private:
    void step(tick now, std::vector<std::uint16_t> const& arrivals, link<Packet>* in, link<Packet>* out) {
        for (auto const i : arrivals) {
            auto const& p = in[i][inside_[i]++];
            mesh_.push(i, {towards_memory_ ? p.slice : p.core, p.flits, p});
        }
        mesh_.tick(
            now_, [&](std::uint32_t o, std::uint32_t) { return out[o].can_send(now, 1); },
            [&](std::uint32_t o, noc::packet<Packet> const& p) { out[o].send(now, p.payload, 1); },
            [&](std::uint32_t i, std::uint32_t flits) {
                in[i].pop(now, flits);
                --inside_[i];
            });
    }

    clock_domain clock_;
    bool towards_memory_ = true;
    noc::mesh<Packet, Arbitration> mesh_;
    std::vector<std::uint32_t>
        inside_;               ///< by input: packets in front of their router, still held by the link
    window_arrivals arrivals_; ///< empty between windows
    cycle now_ = 0;            ///< the next one; may lag behind while there is nothing to do, and is no state
    host_gap gap_;
};

template <class Arbitration>
struct interconnect_of<mesh_network, Arbitration> {
    using type = mesh_interconnect<packet, Arbitration>;
};

} // namespace warpkit
