#pragma once
/// \file
/// The numbers of networks, and the refusal of impossible ones.

#include <warpkit/base/error.hpp>
#include <warpkit/noc/packet.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

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
    std::uint32_t outputs_in_turn =
        0; ///< 1: outputs choose one behind the other in a slot, and see what those before have left (crossbar.hpp)
    std::uint32_t flit_bytes = 40; ///< 40 in GPGPU-Sim 4.x, 32 in 3.x; 0: every packet is one flit, as in
                                   ///< GPGPU-Sim's local crossbar

    static constexpr std::uint32_t most_ports = 256; ///< at either side

    /// Flits of a packet of `bytes` bytes.
    constexpr std::uint16_t flits(std::uint32_t bytes) const noexcept {
        return flit_bytes == 0 ? std::uint16_t{1} : flits_for(bytes, flit_bytes);
    }
    /// Throws `warpkit::error` on an impossible shape, or one that a packet of `largest_packet_bytes` could never pass.
    void check(std::uint32_t largest_packet_bytes = 0) const {
        at_least("inputs", inputs, 1, "");
        at_least("outputs", outputs, 1, "");
        at_most("inputs", inputs, most_ports);
        at_most("outputs", outputs, most_ports);
        at_least("internal_speedup", internal_speedup, 1, "");
        at_most("outputs_in_turn", outputs_in_turn, internal_speedup == 1 && allocation == 0 ? 1 : 0);
        auto const largest = largest_packet_bytes == 0 ? 1U : std::uint32_t{flits(largest_packet_bytes)};
        at_least("input_flits", input_flits, largest, " (the largest packet)");
        if (output_flits != 0) at_least("output_flits", output_flits, largest, " (the largest packet)");
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(inputs, outputs, input_flits, output_flits, internal_speedup, allocation, outputs_in_turn,
          flit_bytes);
    }
    friend bool operator==(crossbar_parameters const&, crossbar_parameters const&) = default;

private:
    [[gnu::cold]] static void at_most(char const* field, std::uint32_t value, std::uint32_t high) {
        if (value > high)
            raise_error(error(
                {"crossbar: ", field, " = ", value, " is above ", high, "; nearest legal value: ", high}));
    }
    [[gnu::cold]] static void at_least(char const* field, std::uint32_t value, std::uint32_t low,
                                       char const* why) {
        if (value < low)
            raise_error(error(
                {"crossbar: ", field, " = ", value, " is below ", low, why, "; nearest legal value: ", low}));
    }
};

/// Shape of a mesh. Node n lies in column n mod columns, row n div columns. The defaults are what
/// docs/model/network.md#packets recommends for OWL's mesh, whose router the paper does not describe.
struct mesh_parameters {
    std::uint32_t columns = 6;
    std::uint32_t rows = 6;
    std::vector<std::uint16_t> inputs;  ///< by input: its node; at most one at each
    std::vector<std::uint16_t> outputs; ///< by output: its node; at most one at each
    std::uint32_t input_flits = 8;      ///< buffer between an input and its router
    std::uint32_t virtual_channels = 2;
    std::uint32_t buffer_flits = 8;   ///< buffer of each virtual channel at each router input
    std::uint32_t router_cycles = 2;  ///< from the buffer of a router to its channel
    std::uint32_t channel_cycles = 1; ///< from router to router; a credit takes as long on its way back
    std::uint32_t flit_bytes = 32;    ///< width of a channel

    static constexpr std::uint32_t most_nodes = 1024;
    static constexpr std::uint32_t most_virtual_channels = 8;

    constexpr std::uint32_t nodes() const noexcept { return columns * rows; }
    /// Flits of a packet of `bytes` bytes.
    constexpr std::uint16_t flits(std::uint32_t bytes) const noexcept { return flits_for(bytes, flit_bytes); }
    /// Channels on the way from input `i` to output `o`.
    std::uint32_t hops(std::uint32_t i, std::uint32_t o) const noexcept {
        auto const apart = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
        return apart(inputs[i] % columns, outputs[o] % columns) +
               apart(inputs[i] / columns, outputs[o] / columns);
    }
    /// Cycles from push to send of a packet that meets nobody.
    std::uint32_t zero_load(std::uint32_t i, std::uint32_t o, std::uint32_t flits) const noexcept {
        auto const h = hops(i, o);
        return (h + 1) * router_cycles + h * channel_cycles + flits - 1;
    }
    /// Throws `warpkit::error` on an impossible shape, or one that a packet of `largest_packet_bytes` could never pass.
    void check(std::uint32_t largest_packet_bytes = 0) const {
        at_least("columns", columns, 1);
        at_least("rows", rows, 1);
        if (columns > most_nodes || rows > most_nodes / columns)
            raise_error(error(
                {"mesh: ", columns, " columns of ", rows, " rows are above ", most_nodes,
                 " nodes; nearest legal value: rows = ", columns > most_nodes ? 1 : most_nodes / columns}));
        at_least("virtual_channels", virtual_channels, 1);
        at_most("virtual_channels", virtual_channels, most_virtual_channels);
        at_least("buffer_flits", buffer_flits, 1);
        at_most("buffer_flits", buffer_flits, 65535);
        at_least("router_cycles", router_cycles, 1);
        at_least("channel_cycles", channel_cycles, 1);
        at_least("flit_bytes", flit_bytes, 1);
        at_least("input_flits", input_flits,
                 largest_packet_bytes == 0 ? 1 : std::uint32_t{flits(largest_packet_bytes)});
        check_ports("inputs", inputs);
        check_ports("outputs", outputs);
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(columns, rows, inputs, outputs, input_flits, virtual_channels, buffer_flits, router_cycles,
          channel_cycles, flit_bytes);
    }
    friend bool operator==(mesh_parameters const&, mesh_parameters const&) = default;

private:
    static void at_least(char const* field, std::uint32_t value, std::uint32_t low) {
        if (value < low)
            raise_error(
                error({"mesh: ", field, " = ", value, " is below ", low, "; nearest legal value: ", low}));
    }
    static void at_most(char const* field, std::uint32_t value, std::uint32_t high) {
        if (value > high)
            raise_error(
                error({"mesh: ", field, " = ", value, " is above ", high, "; nearest legal value: ", high}));
    }
    void check_ports(char const* which, std::vector<std::uint16_t> const& ports) const {
        if (ports.empty()) raise_error(error({"mesh: no ", which, "; nearest legal value: one"}));
        if (ports.size() > nodes())
            raise_error(error({"mesh: ", ports.size(), " ", which, " at ", nodes(),
                               " nodes; nearest legal value: ", nodes(), ", one at each"}));
        std::vector<bool> taken(nodes());
        for (std::size_t p = 0; p < ports.size(); ++p) {
            auto const n = ports[p];
            if (n < nodes() && !taken[n]) {
                taken[n] = true;
                continue;
            }
            std::uint32_t free = 0;
            while (taken[free]) ++free;
            raise_error(error({"mesh: ", which, "[", p, "] = ", n,
                               n < nodes() ? " names a node twice" : " is no node",
                               "; nearest legal value: ", free}));
        }
    }
};

} // namespace warpkit::noc
