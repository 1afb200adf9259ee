#pragma once
/// \file
/// Import: intersim's network, or GPGPU-Sim's own crossbar.

#include <warpkit/base/error.hpp>
#include <warpkit/config/gpgpusim/cache_mapping.hpp>
#include <warpkit/config/gpgpusim/network_file.hpp>
#include <warpkit/config/gpgpusim/values.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::gpgpusim::detail {

/// -network_mode, and the file of -inter_config_file.
class network_mapping : protected cache_mapping {
protected:
    using cache_mapping::cache_mapping;

    bool network_is_mesh() {
        auto const mode = option("-network_mode");
        auto const n = whole(mode);
        if (n != 1 && n != 2)
            throw error(mode.where + ": " + mode.name + ' ' + mode.value +
                        ": there is 1, intersim, and 2, GPGPU-Sim's own crossbar");
        if (n != 1) return false;
        auto const f = option("-inter_config_file");
        auto const path = f.given ? beside(f.where.substr(0, f.where.rfind(':')), f.value) : f.value;
        try {
            if (!f.given) throw error("no -inter_config_file is given");
            network_values_ = read_network_file((*read_)(path), path);
        } catch (error const& e) {
            if (f.given && std::string_view(e.what()).substr(0, path.size() + 1) == path + ':') throw;
            note(f, std::string(e.what()) + "; the network is that of the base");
            no_network_ = true;
            return false;
        }
        auto const* const topology = network("topology");
        return topology != nullptr && topology->value == "mesh" && network_number("n", 2) == 2;
    }
    void map_network() {
        auto const ejection = option("-gpgpu_n_cluster_ejection_buffer_size");
        put_within("network.ejection", whole(ejection), 1, 65536, ejection, "its bounds");
        auto const mode = option("-network_mode");
        auto const largest = largest_packet();
        if (whole(mode) == 2) {
            put("network.flit", largest,
                "documented: GPGPU-Sim source: its own crossbar moves whole packets; the largest "
                "here has that many bytes");
            put("network.link_cycles", 1,
                "documented: GPGPU-Sim source: a packet is in the crossbar the cycle after it came; " +
                    mode.from);
            put("network.speedup", 1, "documented: GPGPU-Sim source: one packet for each port and cycle");
            put("network.allocation", 0, "documented: GPGPU-Sim source: the way is given in the same cycle");
            auto const arbiter = option("-icnt_arbiter_algo");
            put("network.outputs_in_turn", whole(arbiter) == 1 ? 1 : 0,
                "documented: GPGPU-Sim source: xbar_router::iSLIP_Advance; " + arbiter.from);
            auto const in = option("-icnt_in_buffer_limit");
            auto const out = option("-icnt_out_buffer_limit");
            put_within("network.input_flits", whole(in), 1, 65536, in, "its bounds");
            put_within("network.output_flits", whole(out), 1, 65536, out, "its bounds");
            return;
        }
        if (no_network_) return;
        auto const flit = network_number("flit_size", 32);
        put("network.flit", std::clamp<std::uint64_t>(flit, 1, 4096), network_source("flit_size", 32));
        auto const mesh = out_.machine.base == "owl";
        auto const channels = network_number("num_vcs", 16);
        auto const buffer = network_number("vc_buf_size", 8);
        auto const whole_packet = (largest + flit - 1) / std::max<std::uint64_t>(flit, 1);
        if (mesh) {
            auto const k = network_number("k", 8);
            put("network.columns", k, network_source("k", 8));
            put("network.rows", k, network_source("k", 8));
            put("network.virtual_channels", std::clamp<std::uint64_t>(channels, 1, 8),
                network_source("num_vcs", 16));
            put("network.channel_flits", std::clamp<std::uint64_t>(buffer, 1, 65535),
                network_source("vc_buf_size", 8));
            auto const router = network_number("routing_delay", 1) + network_number("vc_alloc_delay", 1) +
                                network_number("sw_alloc_delay", 1);
            put("network.router_cycles", std::clamp<std::uint64_t>(router, 1, 1000),
                "documented: routing_delay + vc_alloc_delay + sw_alloc_delay of the same file");
        } else {
            auto const* const topology = network("topology");
            if (topology != nullptr && (topology->value != "fly" || network_number("n", 1) != 1))
                out_.notes.push_back({false,
                                      "topology",
                                      topology->value,
                                      topology->where.text(),
                                      "one crossbar for requests and one for replies",
                                      {}});
            auto const speedup = network_number("internal_speedup", 1);
            put("network.speedup", std::clamp<std::uint64_t>(speedup, 1, 64),
                network_source("internal_speedup", 1));
            bool const waits = channels == 1 && network_number("vc_alloc_delay", 1) != 0;
            put("network.outputs_in_turn", 0, "documented: GPGPU-Sim source: of its own crossbar alone");
            put("network.allocation", waits ? 1 : 0,
                "documented: a packet waits for its way where vc_alloc_delay is not 0 and num_vcs is 1; " +
                    network_source("num_vcs", 16).substr(12));
            auto flits = channels * buffer;
            if (flits < whole_packet) {
                auto const* const v = network("vc_buf_size");
                note_changed("vc_buf_size", std::to_string(buffer),
                             v != nullptr ? v->where.text() : "default",
                             "network.input_flits = " + std::to_string(whole_packet) +
                                 ": room for the largest packet");
                flits = whole_packet;
            }
            put("network.input_flits", std::clamp<std::uint64_t>(flits, 1, 65536),
                network_source("vc_buf_size", 8));
            put("network.output_flits", std::clamp<std::uint64_t>(flits, 1, 65536),
                "estimated: as many as per input; intersim sets no limit");
        }
        static constexpr std::string_view read[] = {
            "flit_size",      "num_vcs",        "vc_buf_size",     "k", "n", "topology", "routing_delay",
            "vc_alloc_delay", "sw_alloc_delay", "internal_speedup"};
        // What tells the same for all networks there are, or nothing of the machine.
        static constexpr std::string_view plain[] = {"use_map=0",
                                                     "network_count=2",
                                                     "routing_function=dest_tag",
                                                     "routing_function=dim_order",
                                                     "routing_function=dor",
                                                     "wait_for_tail_credit=0",
                                                     "vc_allocator=islip",
                                                     "sw_allocator=islip",
                                                     "alloc_iters=1",
                                                     "credit_delay=0",
                                                     "input_speedup=1",
                                                     "output_speedup=1",
                                                     "traffic=",
                                                     "packet_size=",
                                                     "packet_size_rate=",
                                                     "sim_type=",
                                                     "injection_rate=",
                                                     "subnets=2",
                                                     "use_read_write=",
                                                     "read_request_subnet=0",
                                                     "read_reply_subnet=1",
                                                     "write_request_subnet=0",
                                                     "write_reply_subnet=1",
                                                     "read_request_begin_vc=",
                                                     "read_request_end_vc=",
                                                     "write_request_begin_vc=",
                                                     "write_request_end_vc=",
                                                     "read_reply_begin_vc=",
                                                     "read_reply_end_vc=",
                                                     "write_reply_begin_vc=",
                                                     "write_reply_end_vc=",
                                                     "input_buffer_size=",
                                                     "ejection_buffer_size=",
                                                     "boundary_buffer_size=",
                                                     "enable_link_stats=",
                                                     "MATLAB_OUTPUT=",
                                                     "DISPLAY_LAT_DIST=",
                                                     "DISPLAY_HOP_DIST=",
                                                     "DISPLAY_PAIR_LATENCY=",
                                                     "watch_out="};
        for (auto const& v : network_values_) {
            if (std::find(std::begin(read), std::end(read), v.name) != std::end(read)) continue;
            auto const known = std::any_of(std::begin(plain), std::end(plain), [&](std::string_view p) {
                return p == v.name + '=' + v.value ||
                       (p.back() == '=' && p.substr(0, p.size() - 1) == v.name);
            });
            if (!known)
                out_.notes.push_back(
                    {false, v.name, v.value, v.where.text(), "the network has no such number or policy", {}});
        }
    }

private:
    network_value const* network(std::string const& name) const {
        network_value const* last = nullptr; // which holds
        for (auto const& v : network_values_)
            if (v.name == name) last = &v;
        return last;
    }
    std::uint64_t network_number(std::string const& name, std::uint64_t standard) const {
        auto const* const v = network(name);
        if (v == nullptr) return standard;
        value_reader in(v->value, "a whole number");
        try {
            auto const n = in.thousandths(name); // internal_speedup = 2.0
            in.expect_end();
            return n / 1000;
        } catch (error const& e) {
            throw error(v->where.text() + ": " + name + " = " + v->value.substr(0, 60) + ": " + e.what());
        }
    }
    std::string network_source(std::string const& name, std::uint64_t standard) const {
        auto const* const v = network(name);
        return v != nullptr ? "documented: " + short_place(v->where) + ": " + name + " = " + v->value
                            : "documented: intersim's default: " + name + " = " + std::to_string(standard);
    }
    /// Bytes: a header and the longest line.
    std::uint64_t largest_packet() const {
        auto g = parameters(*preset_named(out_.machine.base));
        for (auto const& [name, n] : numbers_)
            if (name.size() > 5 && name.substr(name.size() - 5) == ".line")
                set_number(g, name + '=' + n.value);
        return 8 + std::max({g.l1i.line, g.l1d.line, g.l1c.line, g.l1t.line, g.l2.line});
    }

    std::vector<network_value> network_values_;
    bool no_network_ = false;
};

} // namespace warpkit::gpgpusim::detail
