#pragma once
/// \file
/// Whether a machine's numbers can be one machine's. What cannot be is refused with the reason and the nearest legal
/// value.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/config/numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/machine/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpkit {

namespace detail {

[[noreturn]] inline void refuse_number(std::string const& name, std::uint64_t value, std::string const& why,
                                       std::uint64_t legal) {
    auto const* const f = find_field(machine_numbers(), name);
    std::string_view const unit = f != nullptr ? f->unit : "";
    throw error(name + " = " + format_number(value, unit) + ' ' + why +
                "; nearest legal value: " + format_number(legal, unit));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_range(std::string const& name, std::uint64_t value,
                                                                std::uint64_t low, std::uint64_t high) {
    auto const* const f = find_field(machine_numbers(), name);
    std::string_view const unit = f != nullptr ? f->unit : "";
    if (value < low) refuse_number(name, value, "is below " + format_number(low, unit), low);
    refuse_number(name, value, "is above " + format_number(high, unit), high);
}
/// The number's name is that of a group, and of a member if that follows.
inline void check_range(std::string_view group, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                        std::string_view member = {}) {
    if (value < low || value > high) refuse_range(std::string(group).append(member), value, low, high);
}

inline void check_multiple(std::string const& name, std::uint64_t value, std::uint64_t of,
                           std::string const& what) {
    if (value % of == 0) return;
    auto const below = value / of * of;
    auto const legal = below == 0 || value - below > below + of - value ? below + of : below;
    refuse_number(name, value, "is not a multiple of " + what, legal);
}

/// What all `copies` of a part take together is too much for any host.
inline void check_total(std::string_view group, std::uint64_t value, std::uint64_t copies, std::uint64_t most,
                        std::string_view member = {}) {
    if (value > most / copies)
        refuse_number(std::string(group).append(member), value,
                      "is too much for " + std::to_string(copies) + " of them in one machine", most / copies);
}

/// `copies` is how many of it the machine has.
inline void check_cache(std::string const& name, cache_numbers const& n, std::uint64_t copies) {
    check_range(name, n.ways, 1, most_ways, ".ways");
    try {
        check(cache_geometry{1, n.ways, n.line, n.sector});
        check(cache_parameters{{1, n.ways, n.line, n.sector}, n.mshr_entries, n.mshr_merges, n.miss_queue});
    } catch (error const& e) {
        throw error(name + ": " + e.what());
    }
    check_range(name, n.write_ratio, 0, 100, ".write_ratio");
    if (n.size % (std::uint64_t{n.ways} * n.line) != 0)
        check_multiple(name + ".size", n.size, std::uint64_t{n.ways} * n.line,
                       std::to_string(n.ways) + " ways of " + std::to_string(n.line) + "-byte lines (" +
                           std::to_string(n.ways * n.line) + " B)");
    auto const sets = (std::uint64_t{1} << 24) / copies / n.ways; // 16 Mi lines in all
    check_total(name, n.size, copies, sets * n.ways * n.line * copies, ".size");
}

/// Of a core that has register banks.
inline void check_banks(core_numbers const& c) {
    check_range("core.register_banks", c.register_banks, 1, 256);
    check_multiple("core.register_banks", c.register_banks, c.sub_cores, "core.sub_cores");
    check_range("core.bank_accesses", c.bank_accesses, 1, 16);
}

/// Latches, or places of a queue.
inline void check_latches(core_numbers const& c, unit_kind k) {
    auto const name = std::string("core.latches.") + unit_kind_names[static_cast<unsigned>(k)];
    check_range(name, c.latches[static_cast<unsigned>(k)], 1, 64);
    check_multiple(name, c.latches[static_cast<unsigned>(k)], c.sub_cores, "core.sub_cores");
}

/// Of a core that has them: each instruction finds a way through latches, collectors and ports.
inline void check_collectors(core_numbers const& c) {
    auto const of = [](char const* what, char const* which) {
        return std::string("core.").append(what).append(which);
    };
    check_range("core.result_buses", c.result_buses, 0, 64);
    std::uint32_t all = 0;
    for (unsigned set = 0; set < collector_set_count; ++set) {
        auto const name = of("collectors.", collector_set_names[set]);
        check_range(name, c.collectors[set], 0, 64);
        check_multiple(name, c.collectors[set], c.sub_cores, "core.sub_cores");
        check_range(of("collector_ports.", collector_set_names[set]), c.collector_ports[set],
                    c.collectors[set] != 0 ? 1 : 0, 64);
        all += c.collectors[set];
    }
    if (all > 64) refuse_number("core.collectors.any", c.collectors[0], "makes more than 64 collectors", 1);
    for (unsigned k = 0; k < unit_kind_count; ++k) {
        if (units_of(c, static_cast<unit_kind>(k)) == 0) continue;
        check_latches(c, static_cast<unit_kind>(k));
        if (c.collectors[0] + c.collectors[k + 1] == 0)
            refuse_number("core.collectors.any", 0,
                          std::string("leaves instructions for ") + unit_kind_names[k] +
                              " units without a collector",
                          c.sub_cores);
    }
}

/// Of a machine that has them.
inline void check_translation(translation_numbers const& n) {
    struct buffer {
        std::string name;
        std::uint32_t entries, ways;
    };
    for (buffer const& b : {buffer{"tlb.l1", n.l1_entries, n.l1_ways}, {"tlb.l2", n.l2_entries, n.l2_ways}}) {
        check_range(b.name, b.ways, 1, most_ways, "_ways");
        check_range(b.name, b.entries, 0, 65536, "_entries");
        check_multiple(b.name + "_entries", b.entries, b.ways, b.name + "_ways");
    }
    check_range("tlb.l1_mshrs", n.l1_mshrs, 1, 1024);
    check_range("tlb.l2_ports", n.l2_ports, 1, 64);
    check_range("tlb.l2_latency", n.l2_latency, 0, 100'000);
    check_range("tlb.walkers", n.walkers, 1, 1024);
    check_range("tlb.walk_levels", n.walk_levels, 1, 6);
    check_range("tlb.walk_latency", n.walk_latency, 1, 100'000);
    check_range("tlb.walk_cache", n.walk_cache, 0, 4096);
    check_range("tlb.page", n.page, 4096, 1U << 30);
    if (!std::has_single_bit(n.page))
        refuse_number("tlb.page", n.page, "is not a power of two", std::bit_floor(n.page));
}

/// Of a machine that copies in bulk. A request lies in `line` bytes, which are on one slice of the L2.
inline void check_bulk_copies(asynchronous_numbers const& n, std::uint32_t line) {
    check_range("async.copy_queue", n.copy_queue, 1, 1024);
    check_range("async.copy_hold", n.copy_hold, 0, 100'000);
    check_range("async.copy_setup", n.copy_setup, 0, 100'000);
    check_range("async.tensor_setup", n.tensor_setup, 0, 100'000);
    check_range("async.copy_request", n.copy_request, 32, std::min<std::uint32_t>(line, 128));
    if (!std::has_single_bit(n.copy_request))
        refuse_number("async.copy_request", n.copy_request, "is not a power of two",
                      std::bit_floor(n.copy_request));
    check_range("async.copy_interval", n.copy_interval, 1, 1000);
    check_range("async.copy_requests", n.copy_requests, 1, 65536);
}

/// Of a machine that has them. Nobody hears from another core sooner than a link's time later.
inline void check_clusters(gpu_parameters const& g) {
    auto const& n = g.cluster;
    auto const link = static_cast<std::uint32_t>(std::min<cycle>(cycles_of_link(g), 100'000));
    check_range("cluster.cores", n.cores, 1, 65536); // the last group may have fewer
    check_range("cluster.latency", n.latency, link, 100'000);
    check_range("cluster.bandwidth", n.bandwidth, 1, 65536);
    check_range("cluster.barrier_latency", n.barrier_latency, link, 100'000);
}

/// A template of one instance, so that it can be instantiated explicitly.
template <int Instance>
void check_numbers(gpu_parameters const& g) {
    std::uint64_t const clocks[] = {g.clock.core, g.clock.interconnect, g.clock.l2, g.clock.dram};
    char const* const clock_names[] = {"clock.core", "clock.interconnect", "clock.l2", "clock.dram"};
    for (unsigned i = 0; i < 4; ++i) check_range(clock_names[i], clocks[i], 1'000, 100'000'000);
    std::uint64_t rate = 1; // the common tick rate; 2^48 kHz leave a minute of simulated time in 64 bits
    bool countable = true;
    for (auto const clock : clocks) {
        auto const factor = clock / greatest_common_divisor(rate, clock);
        countable = countable && factor <= (std::uint64_t{1} << 48) / rate;
        if (countable) rate *= factor;
    }
    for (std::uint64_t const round : {1'000U, 25'000U})
        for (unsigned i = 0; i < 4 && !countable; ++i)
            if (clocks[i] % round != 0)
                refuse_number(clock_names[i], clocks[i],
                              "has no common time unit with the other clocks that could be counted in",
                              std::max(round, (clocks[i] + round / 2) / round * round));

    auto const& m = g.memory;
    g.dram.check();
    check_range("memory.channels", m.channels, 1, 256);
    check_range("memory.slices", m.slices, 1, g.dram.banks);
    auto const slices = std::uint64_t{m.channels} * m.slices;

    auto const& c = g.core;
    check_range("core.count", c.count, 1, 4096);
    check_range("core.threads", c.threads, lanes, lanes * warp_set::width);
    check_multiple("core.threads", c.threads, lanes,
                   lanes == 32 ? "32, the threads of a warp" : "64, the threads of a warp");
    check_range("core.ctas", c.ctas, 1, 64);
    check_range("core.registers", c.registers, 1, 1U << 24);
    check_range("core.shared_bytes", c.shared_bytes, 0, 1U << 24);
    check_range("core.schedulers", c.schedulers, 1, 4);
    check_range("core.instruction_buffer", c.instruction_buffer, 1, 64);
    check_range("core.instruction_bytes", c.instruction_bytes, 1, 128);
    check_range("core.fetch_bytes", c.fetch_bytes, c.instruction_bytes, 4096);
    check_range("core.fetches", c.fetches, 1, 16);
    check_range("core.first_fetch", c.first_fetch, 0, c.threads / lanes - 1);
    check_range("core.perfect_branches", c.perfect_branches, 0, 1);
    check_range("core.fetch_into_room", c.fetch_into_room, 0, 1);
    if (c.fetch_into_room != 0 && c.perfect_branches != 0)
        refuse_number("core.fetch_into_room", c.fetch_into_room,
                      "fetches along the code, core.perfect_branches = 1 along the warp's own path", 0);
    check_range("core.kernel_launch_cycles", c.kernel_launch_cycles, 0, 1'000'000);
    check_range("core.cta_launch_cycles", c.cta_launch_cycles, 0, 1000);
    check_range("core.kernels", c.kernels, 1, 128);
    check_range("core.issue_width", c.issue_width, 1, 4);
    check_range("core.issue_to_different", c.issue_to_different, 0, 1);
    check_range("core.sub_cores", c.sub_cores, 1, c.schedulers);
    if (c.schedulers % c.sub_cores != 0)
        refuse_number("core.sub_cores", c.sub_cores,
                      "does not divide the " + std::to_string(c.schedulers) + " schedulers", 1);
    struct unit_number {
        char const* name;
        std::uint32_t value, least;
    };
    for (unit_number const& u : {unit_number{"core.sp_units", c.sp_units, 1},
                                 {"core.int_units", c.int_units, 0},
                                 {"core.sfu_units", c.sfu_units, 1},
                                 {"core.dp_units", c.dp_units, 0},
                                 {"core.tensor_units", c.tensor_units, 0},
                                 {"core.branch_units", c.branch_units, 0},
                                 {"core.uniform_units", c.uniform_units, 0}}) {
        check_range(u.name, u.value, u.least, 64);
        if (u.value != 0) check_multiple(u.name, u.value, c.sub_cores, "core.sub_cores");
    }
    check_range("core.operand_cycles", c.operand_cycles, 0, 1000);
    check_range("core.writeback_cycles", c.writeback_cycles, 0, 1000);
    check_range("core.blocking_loads", c.blocking_loads, 0, 1);
    check_range("core.blocking_atomics", c.blocking_atomics, 0, 1);
    if (c.register_banks != 0) check_banks(c);
    if (has_collectors(c)) check_collectors(c);
    check_range("core.read_window", c.read_window, 0, 64);
    check_range("core.register_cache", c.register_cache, 0, 4);
    if (has_read_stages(c) && c.register_banks == 0)
        refuse_number("core.read_window", c.read_window, "has no core.register_banks to read", 0);
    if (c.register_cache != 0 && !has_read_stages(c))
        refuse_number("core.register_cache", c.register_cache, "is for cores with a core.read_window", 0);
    for (unsigned k = 0; has_read_stages(c) && k < unit_kind_count; ++k)
        if (auto const kind = static_cast<unit_kind>(k); !has_fixed_latency(kind) && units_of(c, kind) != 0)
            check_latches(c, kind);
    check_range("core.control_bits", c.control_bits, 0, 1);
    check_range("core.max_registers_per_thread", c.max_registers_per_thread, 1, 4096);
    check_range("core.scheduled_code", c.scheduled_code, 0, 1);
    for (unsigned i = 0; i < op_class_count; ++i) {
        check_range("core.latency.", c.latency[i], 1, 100'000, op_class_names[i]);
        check_range("core.initiation.", c.initiation[i], 1, 100'000, op_class_names[i]);
    }
    bool any_rate = false;
    for (unsigned i = 0; i < matrix_element_count; ++i) {
        check_range("core.tensor_rate.", c.tensor_rate[i], 0, 1'000'000, matrix_element_names[i]);
        any_rate |= c.tensor_rate[i] != 0;
    }
    check_range("core.tensor_start", c.tensor_start, 0, 100'000);
    check_range("core.tensor_passes", c.tensor_passes, 0, 64);
    check_range("core.tensor_pipeline", c.tensor_pipeline, any_rate && c.tensor_passes == 0 ? 1 : 0, 100'000);

    check_cache("l1i", g.l1i, c.count);
    check_cache("l0i", g.l0i, std::uint64_t{c.count} * c.sub_cores);
    check_cache("l15i", g.l15i, c.count);
    for (auto const& [name, level] :
         {std::pair<char const*, cache_numbers const&>{"l0i", g.l0i}, {"l15i", g.l15i}}) {
        if (level.size == 0) continue;
        auto const of = [name = std::string(name)](char const* what) { return name + what; };
        check_range(of(".line"), level.line, g.l1i.line, g.l1i.line);
        check_range(of(".sector"), level.sector, level.line, level.line);
        check_range("l1i.sector", g.l1i.sector, g.l1i.line, g.l1i.line);
    }
    check_range("core.l1i_cycles", c.l1i_cycles, 1, 1000);
    check_range("core.l15i_cycles", c.l15i_cycles, 1, 1000);
    check_cache("l1d", g.l1d, c.count);
    if (c.unified_bytes != 0) {
        check_range("core.unified_bytes", c.unified_bytes, c.shared_bytes + std::uint64_t{g.l1d.line},
                    1U << 24);
        if (g.l1d.size > c.unified_bytes)
            refuse_number("l1d.size", g.l1d.size,
                          "is more than core.unified_bytes; with core.unified_bytes = 0 the L1 has it all",
                          c.unified_bytes);
    }
    check_cache("l1c", g.l1c, c.count);
    check_cache("l1t", g.l1t, c.count);
    check_range("l1c.line", g.l1c.line, 32, 128); // what a warp's constant or texture access is coalesced to
    check_range("l1t.line", g.l1t.line, 32, 128);
    check_cache("l2", g.l2, slices);

    check_range("lsu.l1_latency", g.lsu.l1_latency, 1, 100'000);
    check_range("lsu.l1_banks", g.lsu.l1_banks, 1, 32);
    check_range("lsu.shared_latency", g.lsu.shared_latency, 1, 100'000);
    check_range("lsu.shared_banks", g.lsu.shared_banks, 1, 1024);
    check_range("lsu.constant_latency", g.lsu.constant_latency, 1, 100'000);
    check_range("lsu.writeback_port", g.lsu.writeback_port, 0, c.register_banks != 0 ? 1 : 0);
    check_range("lsu.queue", g.lsu.queue, 1, 1024);

    if (g.tlb.l1_entries != 0) check_translation(g.tlb);
    check_range("async.wait_latency", g.async.wait_latency, 0, 100'000);
    if (has_bulk_copies(g.async)) check_bulk_copies(g.async, longest_line(g));
    check_range("async.product_columns", g.async.product_columns, 0, 256);
    check_range("async.product_latency", g.async.product_latency, 0, 100'000);
    check_range("async.tensor_memory", g.async.tensor_memory, 0, 1 << 16);
    check_range("async.tensor_columns", g.async.tensor_columns, has_tensor_memory(g.async) ? 1 : 0, 256);
    check_range("async.tensor_latency", g.async.tensor_latency, 0, 100'000);
    check_range("async.tensor_access", g.async.tensor_access, 0, 100'000);

    auto const& n = g.network;
    check_range("network.flit", n.flit, 1, 4096);
    check_range("network.link_cycles", n.link_cycles, 1, 100'000);
    if (g.cluster.cores != 0) check_clusters(g);
    check_range("network.speedup", n.speedup, 1, 64);
    check_range("network.allocation", n.allocation, 0, 64);
    check_range("network.outputs_in_turn", n.outputs_in_turn, 0, n.speedup == 1 && n.allocation == 0 ? 1 : 0);
    auto const largest =
        8 + std::max({g.l1i.line, g.l1d.line, g.l1c.line, g.l1t.line, g.l2.line}); // a header and a line
    auto const whole = (largest + n.flit - 1) / n.flit;
    check_range("network.input_flits", n.input_flits, whole, 65536);
    check_range("network.output_flits", n.output_flits, whole, 65536);
    check_range("network.ejection", n.ejection, 1, 65536);
    check_range("network.columns", n.columns, 1, 1024);
    check_range("network.rows", n.rows, 1, 1024);
    check_range("network.virtual_channels", n.virtual_channels, 1, 8);
    check_range("network.channel_flits", n.channel_flits, 1, 65535);
    auto const ends = c.count + slices;
    check_total("network.input_flits", n.input_flits, ends, 1U << 23);
    check_total("network.output_flits", n.output_flits, ends, 1U << 23);
    check_total("network.ejection", n.ejection, ends, 1U << 23);
    check_total("network.rows", n.rows, n.columns, 65536);
    check_total("network.channel_flits", n.channel_flits,
                std::uint64_t{n.columns} * n.rows * n.virtual_channels, 1U << 23);
    check_range("network.router_cycles", n.router_cycles, 1, 1000);
    check_range("network.channel_cycles", n.channel_cycles, 1, 1000);

    check_range("memory.rop_latency", m.rop_latency, 0, 1'000'000);
    check_range("memory.far_latency", m.far_latency, 0, 1'000'000);
    check_range("memory.dram_latency", m.dram_latency, 0, 1'000'000);
    check_range("memory.l2_input_queue", m.l2_input_queue, 1, 65536);
    check_range("memory.l2_to_dram_queue", m.l2_to_dram_queue, 1, 65536);
    check_range("memory.dram_to_l2_queue", m.dram_to_l2_queue, 1, 65536);
    check_range("memory.l2_output_queue", m.l2_output_queue, 1, 65536);
    check_range("memory.dram_queue", m.dram_queue, 1, 65535);
    check_range("memory.dram_return_queue", m.dram_return_queue, 1, 65536);
    check_range("memory.dual_command_bus", m.dual_command_bus, 0, 1);
    check_range("memory.prefetch_higher", m.prefetch_higher, m.prefetch_lower, 65536);
    check_range("memory.prefetch_threshold", m.prefetch_threshold, 0, 65536);
    check_range("memory.prefetch_shift", m.prefetch_shift, 0, 20);
    check_range("memory.prefetch_skips_resident", m.prefetch_skips_resident, 0, 1);

    dram::address_mapping(g.address_mapping.c_str(), m.channels, m.slices).check(g.dram, longest_line(g));
}
#ifdef WARPKIT_COMPILED
extern template void check_numbers<0>(gpu_parameters const&);
#endif

} // namespace detail

/// Throws `error` naming the first number that cannot be.
inline void check(gpu_parameters const& g) { detail::check_numbers<0>(g); }

} // namespace warpkit
