#pragma once
/// \file
/// The networks of a machine: the numbers of its crossbars or meshes, from those of the machine.

#include <warpkit/base/error.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/noc/parameters.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
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
    x.outputs_in_turn = p.network.outputs_in_turn;
    x.flit_bytes = p.network.flit;
    x.check(packet_header + longest_line(p));
    return x;
}

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

} // namespace warpkit
