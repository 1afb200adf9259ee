#pragma once
/// \file
/// A mesh between its links, in the place of the crossbar of gpu/interconnect.hpp.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/gpu/interconnect.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/window_arrivals.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/noc/mesh.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warpkit {

/// The nodes of a mesh at which L2 slices sit, slice by slice: those that `memory_nodes` names, or, where it is empty,
/// spread evenly over all. Throws `error` where the text names no nodes, or not one for each slice.
inline std::vector<std::uint16_t> memory_nodes_of(gpu_parameters const& p) {
    auto const slices = p.memory.channels * p.memory.slices;
    auto const nodes = std::uint64_t{p.network.columns} * p.network.rows;
    std::vector<std::uint16_t> at;
    if (p.memory_nodes.empty()) {
        for (std::uint64_t s = 0; s < slices; ++s)
            at.push_back(static_cast<std::uint16_t>((2 * s + 1) * nodes / (2 * slices)));
        return at;
    }
    auto const refuse = [&p](std::initializer_list<message_part> why) {
        throw error({"memory_nodes = ", p.memory_nodes, ": ", joined(why)});
    };
    std::uint32_t number = 0;
    bool digits = false;
    for (char const c : p.memory_nodes + ' ') {
        if (c >= '0' && c <= '9') {
            number = number * 10 + static_cast<std::uint32_t>(c - '0');
            digits = true;
            if (number >= nodes)
                refuse(
                    {"node ", number, " is not in a mesh of ", nodes, "; nearest legal value: ", nodes - 1});
        } else if (c != ' ' && c != ',') {
            refuse({"write the numbers of nodes, as in 3 7 10 12"});
        } else if (digits) {
            at.push_back(static_cast<std::uint16_t>(number));
            number = 0;
            digits = false;
        }
    }
    if (at.size() != slices)
        refuse({"names ", at.size(), " nodes for ", slices, " L2 slices; nearest legal value: ", slices,
                " nodes, or none"});
    return at;
}

/// The mesh for requests, or the one for replies. Cores sit at the nodes that the L2 slices leave free, in order.
inline noc::mesh_parameters mesh_parameters_of(gpu_parameters const& p, bool towards_memory) {
    auto const& n = p.network;
    auto const wanted = p.core.count + p.memory.channels * p.memory.slices;
    if (std::uint64_t{n.columns} * n.rows < wanted)
        throw error({"network: ", wanted, " cores and L2 slices do not fit into ", n.columns, " columns of ",
                     n.rows, " rows; nearest legal value: network.rows = ",
                     n.columns == 0 ? wanted : (wanted + n.columns - 1) / n.columns});
    noc::mesh_parameters m;
    m.columns = n.columns;
    m.rows = n.rows;
    m.outputs = memory_nodes_of(p);
    for (std::uint32_t node = 0; m.inputs.size() < p.core.count; ++node) {
        bool taken = false;
        for (auto const t : m.outputs) taken = taken || t == node;
        if (!taken) m.inputs.push_back(static_cast<std::uint16_t>(node));
    }
    if (!towards_memory) m.inputs.swap(m.outputs);
    m.input_flits = n.input_flits;
    m.virtual_channels = n.virtual_channels;
    m.buffer_flits = n.channel_flits;
    m.router_cycles = n.router_cycles;
    m.channel_cycles = n.channel_cycles;
    m.flit_bytes = n.flit;
    m.check(packet_header + longest_line(p));
    return m;
}

/// A mesh with its ports; the same to its neighbours as a crossbar (gpu/interconnect.hpp). (A template, so that only a machine that
/// has one costs a compiler what it takes.)
template <class Packet>
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
    noc::mesh<Packet> mesh_;
    std::vector<std::uint32_t>
        inside_;               ///< by input: packets in front of their router, still held by the link
    window_arrivals arrivals_; ///< empty between windows
    cycle now_ = 0;            ///< the next one; may lag behind while there is nothing to do, and is no state
    host_gap gap_;
};

template <>
struct interconnect_of<mesh_network> {
    using type = mesh_interconnect<packet>;
};

} // namespace warpkit
