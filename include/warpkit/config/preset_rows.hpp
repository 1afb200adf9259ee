#pragma once
/// \file
/// What the published machines' numbers are written with: rows that several machines share, each with its provenance.

#include <warpkit/config/preset.hpp>
#include <warpkit/dram/standards.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::preset_numbers {

namespace detail {

inline constexpr auto documented = provenance::documented;
inline constexpr auto measured = provenance::measured;
inline constexpr auto estimated = provenance::estimated;

/// "dram.<name>" for each row of a standard's table; the names live as long as the program.
template <std::size_t N>
[[gnu::cold]] void append_dram(std::vector<preset_number>& to, dram::timing_number const (&table)[N]) {
    for (auto const& row : table)
        if (auto const* const f = find_field(machine_numbers(), std::string("dram.") + row.name))
            to.emplace_back(f->name.c_str(), row.value, row.source);
}

/// Numbers of one provenance.
struct sourced_value {
    char const* name;
    std::uint64_t value;
    char const* source;
};
[[gnu::cold]] inline void append_rows(std::vector<preset_number>& to, provenance kind,
                                      std::initializer_list<sourced_value> rows) {
    for (auto const& r : rows) to.emplace_back(r.name, r.value, kind, r.source);
}

/// One value for several classes of instruction; the names live as long as the program.
[[gnu::cold]] inline void append_classes(std::vector<preset_number>& to, std::string_view group,
                                         std::vector<std::string_view> const& classes, std::uint64_t value,
                                         provenance kind, char const* source) {
    for (auto const c : classes)
        to.emplace_back(
            find_field(machine_numbers(), std::string(group).append(1, '.').append(c))->name.c_str(), value,
            kind, source);
}

/// Caches that replace lines whether they have been stored to or not.
[[gnu::cold]] inline void append_no_write_ratio(std::vector<preset_number>& to,
                                                std::vector<std::string> const& caches, char const* source) {
    for (auto const& c : caches)
        to.emplace_back(find_field(machine_numbers(), c + ".write_ratio")->name.c_str(), 0, documented,
                        source);
}

/// Translation of addresses, which no preset has, nor GPGPU-Sim: what one would begin with.
[[gnu::cold]] inline void append_translation(std::vector<preset_number>& to) {
    char const* const none = "GPGPU-Sim and Accel-Sim translate no addresses";
    char const* const power = "Power, Hill and Wood, HPCA 2014, section 8: for who sets tlb.l1_entries";
    char const* const ours = "for who sets tlb.l1_entries";
    to.emplace_back("tlb.l1_entries", 0, documented, none);
    to.emplace_back("tlb.walkers", 32, documented, power);
    to.emplace_back("tlb.page", 4096, documented, power);
    append_rows(to, estimated,
                {{"tlb.l1_ways", 32, ours},
                 {"tlb.l1_mshrs", 32, ours},
                 {"tlb.l2_entries", 512, ours},
                 {"tlb.l2_ways", 16, ours},
                 {"tlb.l2_ports", 2, ours},
                 {"tlb.l2_latency", 10, ours},
                 {"tlb.walk_levels", 4, ours},
                 {"tlb.walk_latency", 100, ours},
                 {"tlb.walk_cache", 64, ours}});
}

/// The order of PTX's instructions: the text's.
[[gnu::cold]] inline void append_code_order(std::vector<preset_number>& to) {
    to.emplace_back("core.scheduled_code", 0, documented,
                    "GPGPU-Sim runs PTX as it stands, and traces have their compiler's order");
}

/// Tensor memory, which came with Blackwell's larger chips: what a machine without it has.
[[gnu::cold]] inline void append_no_tensor_memory(std::vector<preset_number>& to) {
    for (auto const* const name :
         {"async.tensor_memory", "async.tensor_columns", "async.tensor_latency", "async.tensor_access"})
        to.emplace_back(name, 0, documented, "PTX ISA: tcgen05 needs sm_100a");
}
/// Units beside the warps, which came with Hopper: what a machine without them has.
[[gnu::cold]] inline void append_no_asynchronous_units(std::vector<preset_number>& to) {
    for (auto const* const name :
         {"async.wait_latency", "async.copy_queue", "async.copy_hold", "async.copy_setup",
          "async.tensor_setup", "async.copy_request", "async.copy_interval", "async.copy_requests",
          "async.product_columns", "async.product_latency"})
        to.emplace_back(name, 0, documented, "PTX ISA: cp.async.bulk and wgmma need sm_90");
    append_no_tensor_memory(to);
}

/// Tensor cores with one latency whatever is multiplied, and an L2 that is one: machines as GPGPU-Sim has them.
[[gnu::cold]] inline void append_no_shapes_no_halves(std::vector<preset_number>& to, char const* source) {
    std::vector<std::string_view> const types(matrix_element_names,
                                              matrix_element_names + matrix_element_count);
    append_classes(to, "core.tensor_rate", types, 0, documented, source);
    for (auto const* const n :
         {"core.tensor_start", "core.tensor_pipeline", "core.tensor_passes", "memory.far_latency"})
        to.emplace_back(n, 0, documented, source);
}

/// Clusters of CTAs, which came with Hopper, too.
[[gnu::cold]] inline void append_no_clusters(std::vector<preset_number>& to) {
    for (auto const* const name :
         {"cluster.cores", "cluster.latency", "cluster.bandwidth", "cluster.barrier_latency"})
        to.emplace_back(name, 0, documented, "PTX ISA: clusters need sm_90");
}

/// What machines before Hopper have not; `one_latency` is the source of the tensor cores' and the L2's.
[[gnu::cold]] inline void append_before_hopper(std::vector<preset_number>& to, char const* one_latency) {
    append_translation(to);
    append_code_order(to);
    append_no_asynchronous_units(to);
    append_no_shapes_no_halves(to, one_latency);
    append_no_clusters(to);
}

/// Of memory prefetchers, which no preset has: what the baseline of OWL's section 4.4 would be.
inline constexpr char const* prefetch = "OWL, section 4.4, for use::memory_prefetcher";
inline constexpr char const* mean =
    "the width of OWL's register for the mean, section 4.5; it does not say its weight";
inline constexpr char const* skips =
    "OWL does not say; without it most of what is read is there already (docs/reference/dram.md)";

/// Execution latencies and initiation intervals as GPGPU-Sim's PTX mode has them: {add, max, mul, mad, div}.
struct ptx_latencies {
    std::vector<std::uint64_t> int_latency, int_initiation, fp_latency, fp_initiation, dp_latency,
        dp_initiation;
};
[[gnu::cold]] inline void append_ptx_latencies(std::vector<preset_number>& to, ptx_latencies const& l,
                                               char const* source) {
    auto const group = [&](char const* prefix, std::vector<std::uint64_t> const& latency,
                           std::vector<std::uint64_t> const& initiation) {
        char const* const op[] = {"add", "max", "mul", "mad", "div"};
        for (std::size_t i = 0; i < 5; ++i) {
            auto const name = std::string(prefix) + op[i];
            append_classes(to, "core.latency", {name}, latency[i], documented, source);
            append_classes(to, "core.initiation", {name}, initiation[i], documented, source);
        }
    };
    group("int_", l.int_latency, l.int_initiation);
    group("fp_", l.fp_latency, l.fp_initiation);
    group("dp_", l.dp_latency, l.dp_initiation);
    char const* const default_of_one =
        "GPGPU-Sim's ptx_instruction::set_opcode_and_latency: 1 for what its table does not name";
    for (auto const* const table : {"core.latency", "core.initiation"})
        append_classes(to, table,
                       {"branch", "barrier", "fence", "exit", "load", "store", "atomic", "uniform", "other"},
                       1, documented, default_of_one);
    append_classes(to, "core.latency", {"tensor"}, 64, documented,
                   "GPGPU-Sim 4.x: default of -ptx_opcode_latency_tesnor");
    append_classes(to, "core.initiation", {"tensor"}, 64, documented,
                   "GPGPU-Sim 4.x: default of -ptx_opcode_initiation_tensor");
}

/// What lies between issue and units: latches of each kind, and so many collectors for all, which so many enter and
/// leave at once. All 0: nothing but time.
struct collector_numbers {
    std::uint64_t banks, accesses, buses, collectors, ports, latches;
};
[[gnu::cold]] inline void append_collectors(std::vector<preset_number>& to, collector_numbers const& c,
                                            provenance p, char const* source) {
    to.emplace_back("core.register_banks", c.banks, p, source);
    to.emplace_back("core.bank_accesses", c.accesses, p, source);
    for (auto const* const n : {"core.read_window", "core.register_cache", "core.control_bits"})
        to.emplace_back(n, 0, documented, "GPGPU-Sim: operand collectors, or their time, and a scoreboard");
    to.emplace_back("core.result_buses", c.buses, p, source);
    std::vector<std::string_view> const sets(collector_set_names + 1,
                                             collector_set_names + collector_set_count);
    append_classes(to, "core.collectors", {"any"}, c.collectors, p, source);
    append_classes(to, "core.collectors", sets, 0, p, source);
    append_classes(to, "core.collector_ports", {"any"}, c.ports, p, source);
    append_classes(to, "core.collector_ports", sets, 0, p, source);
    append_classes(to, "core.latches", sets, c.latches, p, source);
}

/// Whose kernels run one after the other.
[[gnu::cold]] inline void append_kernels(std::vector<preset_number>& to) {
    to.emplace_back("core.kernels", 1, estimated, "a run's choice: hardware has room for 16 to 128");
}

/// L0 and L1.5 instruction caches, which none of GPGPU-Sim's machines has. The other numbers are for who makes them
/// larger than 0; the L0's are those of the simulator of Huerta et al.
[[gnu::cold]] inline void append_code_caches(std::vector<preset_number>& to, std::uint64_t line) {
    char const* const none = "GPGPU-Sim: an L1 instruction cache alone";
    char const* const l0 =
        "for who has one: -gpgpu_cache:il0, -latency_L0_to_L1 and _L1_to_L0 of Huerta et al.'s simulator";
    char const* const ours = "for who has one: none is published";
    for (auto const* const n : {"l0i.size", "l15i.size"}) to.emplace_back(n, 0, documented, none);
    to.emplace_back("core.fetch_into_room", 0, documented,
                    "GPGPU-Sim source: fetches for warps whose buffer is empty");
    append_rows(to, estimated,
                {{"l0i.ways", 32, l0},
                 {"l0i.line", line, l0},
                 {"l0i.sector", line, l0},
                 {"l0i.mshr_entries", 32, l0},
                 {"l0i.mshr_merges", 16, l0},
                 {"l0i.miss_queue", 8, l0},
                 {"core.l1i_cycles", 78, l0},
                 {"l15i.ways", 16, ours},
                 {"l15i.line", line, ours},
                 {"l15i.sector", line, ours},
                 {"l15i.mshr_entries", 32, ours},
                 {"l15i.mshr_merges", 32, ours},
                 {"l15i.miss_queue", 32, ours},
                 {"core.l15i_cycles", 78, ours}});
    append_no_write_ratio(to, {"l0i", "l15i"}, "code is never stored to");
}

/// A core as before Volta: its schedulers share all units, of which some do the work of several kinds.
[[gnu::cold]] inline void append_unified_core(std::vector<preset_number>& to) {
    char const* const shared = "before Volta: integers, single precision and branches share the SPs";
    char const* const single = "GPGPU-Sim 4.x source: one fetch in a cycle; schedulers share what a core has";
    for (auto const* const n :
         {"core.int_units", "core.tensor_units", "core.branch_units", "core.uniform_units"})
        to.emplace_back(n, 0, documented, shared);
    for (auto const* const n : {"core.fetches", "core.sub_cores"}) to.emplace_back(n, 1, documented, single);
    to.emplace_back("core.unified_bytes", 0, documented,
                    "the host program, not the kernel, parts the memory");
    to.emplace_back("core.first_fetch", 0, documented, "warps take turns from the first on");
    to.emplace_back("core.perfect_branches", 0, documented, "a warp fetches again behind each branch");
    for (auto const* const n : {"core.kernel_launch_cycles", "core.cta_launch_cycles"})
        to.emplace_back(n, 0, documented, "GPGPU-Sim 3.x, and the default of 4.x: kernels begin at once");
    append_kernels(to);
    to.emplace_back("core.issue_width", 1, documented,
                    "-gpgpu_max_insn_issue_per_warp of its configuration, which these machines never exceed");
    to.emplace_back("core.issue_to_different", 1, documented,
                    "GPGPU-Sim 4.x: default of -gpgpu_dual_issue_diff_exec_units");
    append_collectors(to, {}, estimated, "operands take core.operand_cycles here: deviations.md#p1");
    to.emplace_back("core.blocking_atomics", 0, estimated, "deviations.md#p14");
}

/// One latency and initiation for several classes.
[[gnu::cold]] inline void append_times(std::vector<preset_number>& n, std::uint64_t latency,
                                       std::uint64_t initiation, std::vector<std::string_view> const& classes,
                                       provenance kind, char const* source) {
    append_classes(n, "core.latency", classes, latency, kind, source);
    append_classes(n, "core.initiation", classes, initiation, kind, source);
}

/// Ports of GPGPU-Sim's crossbar of whole packets.
[[gnu::cold]] inline void append_ports_of_one_packet(std::vector<preset_number>& n) {
    append_rows(n, documented,
                {{"network.speedup", 1, "GPGPU-Sim 4.x source: local_crossbar moves a packet in a cycle"},
                 {"network.outputs_in_turn", 1, "GPGPU-Sim 4.x source: xbar_router::iSLIP_Advance"}});
}

/// Where a generation from Volta on has its numbers from.
struct generation_sources {
    char const* config;    ///< the simulator's files, the same for all its machines
    char const* perfect;   ///< of the caches that are perfect in them
    char const* registers; ///< of a core
    char const* front_end; ///< how a sub-core fetches and branches
};
/// What the machines from Volta on have in common: four sub-cores with units of their own, caches with lines of 128
/// bytes, a crossbar that moves whole packets, and the L2's queues.
[[gnu::cold]] inline void append_since_volta(std::vector<preset_number>& n, generation_sources const& from) {
    char const* const crossbar =
        "GPGPU-Sim 4.x source: local_crossbar, of -network_mode 2, moves whole packets";
    char const* const mesh = "for experiments with use::network<mesh_network>; this machine has a crossbar";
    append_rows(n, documented,
                {{"core.registers", 65536, from.registers},
                 {"core.schedulers", 4, from.config},
                 {"core.instruction_bytes", 16, "size of an instruction from Volta on"},
                 {"core.fetches", 4, from.front_end},
                 {"core.cta_launch_cycles", 0, from.config},
                 {"core.issue_width", 1, from.config},
                 {"core.issue_to_different", 1, from.config},
                 {"core.sub_cores", 4, from.config},
                 {"core.sp_units", 4, from.config},
                 {"core.int_units", 4, from.config},
                 {"core.sfu_units", 4, from.config},
                 {"core.dp_units", 4, from.config},
                 {"core.tensor_units", 4, from.config},
                 {"core.branch_units", 4, from.front_end},
                 {"l1i.size", 0, from.perfect},
                 {"l1i.ways", 16, from.perfect},
                 {"l1i.line", 128, from.perfect},
                 {"l1i.sector", 128, from.perfect},
                 {"l1c.size", 0, from.perfect},
                 {"l1c.ways", 8, from.perfect},
                 {"l1c.line", 64, from.perfect},
                 {"l1c.sector", 64, from.perfect},
                 {"l1c.mshr_entries", 2, from.perfect},
                 {"l1c.mshr_merges", 64, from.perfect},
                 {"l1c.miss_queue", 4, from.perfect},
                 {"l1t.size", 131072, from.config},
                 {"l1t.ways", 256, from.config},
                 {"l1t.line", 128, from.config},
                 {"l1t.sector", 128, from.config},
                 {"l1t.mshr_entries", 128, from.config},
                 {"l1t.mshr_merges", 512, from.config},
                 {"l1t.miss_queue", 8, from.config},
                 {"l1d.line", 128, from.config},
                 {"l1d.sector", 32, from.config},
                 {"lsu.shared_banks", 32, from.config},
                 {"lsu.l1_banks", 4, from.config},
                 {"network.flit", 136, crossbar},
                 {"network.link_cycles", 1, crossbar},
                 {"network.allocation", 0, crossbar},
                 {"network.input_flits", 512, from.config},
                 {"network.output_flits", 512, from.config},
                 {"network.ejection", 32, from.config},
                 {"l2.line", 128, from.config},
                 {"l2.sector", 32, from.config},
                 {"l2.miss_queue", 32, from.config},
                 {"memory.l2_input_queue", 64, from.config},
                 {"memory.l2_to_dram_queue", 64, from.config},
                 {"memory.dram_to_l2_queue", 64, from.config},
                 {"memory.l2_output_queue", 64, from.config},
                 {"memory.prefetch_lower", 8, prefetch},
                 {"memory.prefetch_higher", 16, prefetch},
                 {"memory.prefetch_threshold", 0, prefetch}});
    append_rows(n, estimated,
                {{"network.virtual_channels", 2, mesh},
                 {"network.channel_flits", 8, mesh},
                 {"network.router_cycles", 2, mesh},
                 {"network.channel_cycles", 1, mesh},
                 {"memory.prefetch_shift", 7, mean},
                 {"memory.prefetch_skips_resident", 1, skips}});
    append_kernels(n);
    append_code_caches(n, 128);
    append_no_write_ratio(n, {"l1i", "l1c", "l1t", "l2"},
                          "GPGPU-Sim 4.x source: cache_config has 0, and an option for the L1D alone");
}

} // namespace detail

} // namespace warpkit::preset_numbers
