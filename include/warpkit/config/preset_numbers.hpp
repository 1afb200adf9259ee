#pragma once
/// \file
/// The numbers of the published machines. Each number stands here (or, for DRAM, in dram/standards.hpp) once.

#include <warpkit/config/preset.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/standards.hpp>

#include <cstddef>
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
    struct row {
        char const* name;
        std::uint64_t value;
    };
    for (row const& r : {row{"tlb.l1_ways", 32},
                         {"tlb.l1_mshrs", 32},
                         {"tlb.l2_entries", 512},
                         {"tlb.l2_ways", 16},
                         {"tlb.l2_ports", 2},
                         {"tlb.l2_latency", 10},
                         {"tlb.walk_levels", 4},
                         {"tlb.walk_latency", 100},
                         {"tlb.walk_cache", 64}})
        to.emplace_back(r.name, r.value, estimated, ours);
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
    struct row {
        char const* name;
        std::uint64_t value;
        char const* source;
    };
    for (row const& r : {row{"l0i.ways", 32, l0},
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
                         {"core.l15i_cycles", 78, ours}})
        to.emplace_back(r.name, r.value, estimated, r.source);
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

} // namespace detail

/// The GeForce GTX 480 as GPGPU-Sim 4.x models it.
inline preset const& gtx480() {
    using namespace detail;
    auto const numbers = [] {
        char const* const config = "GPGPU-Sim 4.x, tested-cfgs/SM2_GTX480/gpgpusim.config";
        char const* const network = "GPGPU-Sim 4.x, tested-cfgs/SM2_GTX480/config_fermi_islip.icnt";
        char const* const mesh =
            "for experiments with use::network<mesh_network>; this machine has a crossbar";
        std::vector<preset_number> n = {
            {"clock.core", 700'000, documented,
             "GPGPU-Sim 4.x, SM2_GTX480: the 1400 MHz hot clock, halved for 32 lanes a cycle"},
            {"clock.interconnect", 700'000, documented, config},
            {"clock.l2", 700'000, documented, config},
            {"clock.dram", 924'000, documented, config},

            {"core.count", 15, documented, config},
            {"core.threads", 1536, documented, config},
            {"core.ctas", 8, documented, config},
            {"core.registers", 32768, documented, config},
            {"core.shared_bytes", 49152, documented, config},
            {"core.schedulers", 2, documented, config},
            {"core.instruction_buffer", 2, documented, "GPGPU-Sim 4.x source: IBUFFER_SIZE"},
            {"core.fetch_bytes", 16, documented, "GPGPU-Sim 4.x source: shader_core_ctx::fetch"},
            {"core.instruction_bytes", 8, documented, "GPGPU-Sim 4.x source: size of a PTX instruction"},
            {"core.sp_units", 2, documented, config},
            {"core.sfu_units", 1, documented, config},
            {"core.dp_units", 1, estimated,
             "the configuration has none and runs double precision on the special-function unit; here it is "
             "one of its own"},
            {"core.operand_cycles", 3, measured,
             "half of the 6 cycles from issue to dependent issue that Accel-Sim 1.2 takes beyond the "
             "execution latency"},
            {"core.writeback_cycles", 3, measured, "the other half; see core.operand_cycles"},
            {"core.blocking_loads", 0, documented, "GPGPU-Sim source: a scoreboard, register by register"},
            {"core.max_registers_per_thread", 63, documented,
             "CUDA C Programming Guide, compute capability 2.x"},

            {"l1i.size", 2048, documented, config},
            {"l1i.ways", 4, documented, config},
            {"l1i.line", 128, documented, config},
            {"l1i.sector", 128, documented, "GPGPU-Sim 4.x, SM2_GTX480: not sectored"},
            {"l1i.mshr_entries", 2, documented, config},
            {"l1i.mshr_merges", 32, documented, config},
            {"l1i.miss_queue", 4, documented, config},

            {"l1d.size", 16384, documented, config},
            {"l1d.ways", 4, documented, config},
            {"l1d.line", 128, documented, config},
            {"l1d.sector", 128, documented, "GPGPU-Sim 4.x, SM2_GTX480: not sectored"},
            {"l1d.mshr_entries", 64, documented, config},
            {"l1d.mshr_merges", 8, documented, config},
            {"l1d.miss_queue", 8, documented, config},
            {"l1d.write_ratio", 0, documented, "GPGPU-Sim 4.x: default of -gpgpu_l1_cache_write_ratio"},
            {"lsu.l1_latency", 35, documented, config},

            {"l1c.size", 8192, documented, config},
            {"l1c.ways", 2, documented, config},
            {"l1c.line", 64, documented, config},
            {"l1c.sector", 64, documented, "GPGPU-Sim 4.x, SM2_GTX480: not sectored"},
            {"l1c.mshr_entries", 2, documented, config},
            {"l1c.mshr_merges", 32, documented, config},
            {"l1c.miss_queue", 4, documented, config},

            {"l1t.size", 12288, documented, config},
            {"l1t.ways", 24, documented, config},
            {"l1t.line", 128, documented, config},
            {"l1t.sector", 128, documented, "GPGPU-Sim 4.x, SM2_GTX480: not sectored"},
            {"l1t.mshr_entries", 128, documented, config},
            {"l1t.mshr_merges", 128, documented, config},
            {"l1t.miss_queue", 4, documented, config},

            {"lsu.l1_banks", 1, documented, "GPGPU-Sim 4.x: default of -gpgpu_l1_banks"},
            {"lsu.writeback_port", 0, documented, "of cores with operand collectors"},
            {"lsu.shared_latency", 26, documented, config},
            {"lsu.shared_banks", 32, documented, config},
            {"lsu.constant_latency", 8, estimated,
             "a hit in the constant cache and the way back; no source gives it"},
            {"lsu.queue", 4, documented,
             "GPGPU-Sim 4.x source: issue latch, two operand collectors, dispatch register"},

            {"network.flit", 40, documented, network},
            {"network.link_cycles", 4, measured,
             "with it an L2 hit takes 181 cycles where an idle Accel-Sim 1.2 takes 182; of these a reply "
             "spends 7 "
             "between L2 slice and core, two links and the switch"},
            {"network.speedup", 2, documented, network},
            {"network.allocation", 1, documented,
             "GPGPU-Sim 4.x, the same file: vc_alloc_delay = 1 with num_vcs = 1"},
            {"network.outputs_in_turn", 0, documented, "GPGPU-Sim 4.x source: of its local crossbar alone"},
            {"network.input_flits", 64, documented, network},
            {"network.output_flits", 64, estimated, "as many as per input; intersim2 sets no limit"},
            {"network.ejection", 32, documented, config},
            {"network.columns", 6, estimated, mesh},
            {"network.rows", 5, estimated, mesh},
            {"network.virtual_channels", 2, estimated, mesh},
            {"network.channel_flits", 8, estimated, mesh},
            {"network.router_cycles", 2, estimated, mesh},
            {"network.channel_cycles", 1, estimated, mesh},

            {"l2.size", 65536, documented, config},
            {"l2.ways", 8, documented, config},
            {"l2.line", 128, documented, config},
            {"l2.sector", 32, documented, "GPGPU-Sim 4.x, SM2_GTX480: sectored; GPGPU-Sim's SECTOR_SIZE"},
            {"l2.mshr_entries", 256, documented, config},
            {"l2.mshr_merges", 4, documented, config},
            {"l2.miss_queue", 4, documented, config},

            {"memory.channels", 6, documented, config},
            {"memory.slices", 2, documented, config},
            {"memory.rop_latency", 120, documented, config},
            {"memory.dram_latency", 100, documented, config},
            {"memory.l2_input_queue", 64, documented, config},
            {"memory.l2_to_dram_queue", 64, documented, config},
            {"memory.dram_to_l2_queue", 64, documented, config},
            {"memory.l2_output_queue", 64, documented, config},
            {"memory.dram_queue", 64, documented, config},
            {"memory.dram_return_queue", 116, documented, config},
            {"memory.dual_command_bus", 0, documented, "GPGPU-Sim 4.x: default of -dram_dual_bus_interface"},
            {"memory.prefetch_lower", 8, documented, prefetch},
            {"memory.prefetch_higher", 16, documented, prefetch},
            {"memory.prefetch_threshold", 0, documented, prefetch},
            {"memory.prefetch_shift", 7, estimated, mean},
            {"memory.prefetch_skips_resident", 1, estimated, skips},

            {"dram.groups_by_low_bits", 1, documented, config},
        };
        append_translation(n);
        append_no_write_ratio(n, {"l1i", "l1c", "l1t", "l2"},
                              "GPGPU-Sim 4.x source: cache_config has 0, and an option for the L1D alone");
        append_ptx_latencies(n,
                             {{4, 13, 4, 5, 145},
                              {1, 2, 2, 1, 8},
                              {4, 13, 4, 5, 39},
                              {1, 2, 1, 1, 4},
                              {8, 19, 8, 8, 330},
                              {8, 16, 8, 8, 130}},
                             config);
        append_classes(n, "core.latency", {"shuffle"}, 32, documented, config);
        append_classes(n, "core.initiation", {"shuffle"}, 4, documented, config);
        append_classes(n, "core.latency", {"special"}, 8, documented,
                       "GPGPU-Sim 4.x: default of -ptx_opcode_latency_sfu");
        append_classes(n, "core.initiation", {"special"}, 8, documented,
                       "GPGPU-Sim 4.x: default of -ptx_opcode_initiation_sfu");
        append_unified_core(n);
        append_code_caches(n, 128);
        append_dram(n, dram::gddr5_gtx480_numbers);
        append_dram(n, dram::gpgpusim_lacks);
        return n;
    };
    static preset const p{"gtx480",
                          "GeForce GTX 480 (Fermi) with the values of GPGPU-Sim 4.x",
                          nullptr,
                          numbers,
                          dram::gtx480_mapping,
                          "documented: GPGPU-Sim 4.x, tested-cfgs/SM2_GTX480/gpgpusim.config"};
    return p;
}

/// The same machine with the values of GPGPU-Sim 3.2.x, which the theses and ELF ran.
inline preset const& gtx480_v3() {
    using namespace detail;
    auto const numbers = [] {
        char const* const config = "GPGPU-Sim 3.2.x, GTX480/gpgpusim.config";
        char const* const network = "GPGPU-Sim 3.2.x, GTX480/config_fermi_islip.icnt";
        std::vector<preset_number> n = {
            {"l1d.mshr_entries", 32, documented, config},
            {"lsu.l1_latency", 1, documented, "GPGPU-Sim 3.2.x has no separate L1 latency"},
            {"lsu.shared_latency", 3, documented, "GPGPU-Sim: default of smem_latency, fixed in 3.2.x"},
            {"network.flit", 32, documented, network},
            {"network.speedup", 1, documented, network},
            {"network.allocation", 1, documented,
             "GPGPU-Sim 3.2.x, the same file: vc_alloc_delay = 1 with num_vcs = 1"},
            {"network.input_flits", 8, documented, network},
            {"network.output_flits", 8, estimated, "as many as per input; intersim2 sets no limit"},
            {"network.ejection", 8, documented,
             "GPGPU-Sim: default of -gpgpu_n_cluster_ejection_buffer_size"},
            {"l2.sector", 128, documented, "GPGPU-Sim 3.2.x, GTX480: not sectored"},
            {"l2.mshr_entries", 32, documented, config},
            {"memory.l2_input_queue", 8, documented, "GPGPU-Sim: default of -gpgpu_dram_partition_queues"},
            {"memory.l2_to_dram_queue", 8, documented, "GPGPU-Sim: default of -gpgpu_dram_partition_queues"},
            {"memory.dram_to_l2_queue", 8, documented, "GPGPU-Sim: default of -gpgpu_dram_partition_queues"},
            {"memory.l2_output_queue", 8, documented, "GPGPU-Sim: default of -gpgpu_dram_partition_queues"},
            {"memory.dram_queue", 16, documented, config},
            {"dram.groups_by_low_bits", 0, documented,
             "GPGPU-Sim 3.2.x source, dram.cc: bkgrpindex = bank / (nbk / nbkgrp); 4.x has an option for it"},
        };
        return n;
    };
    static preset const p{"gtx480_v3",
                          "GeForce GTX 480 (Fermi) with the values of GPGPU-Sim 3.2.x, as the papers ran it",
                          &gtx480(), numbers};
    return p;
}

/// gtx480 as Accel-Sim was set up beside it (docs/model/peers.md#accel-sim): a trace of Volta instructions on the 4.x
/// machine.
inline preset const& gtx480_accelsim() {
    using namespace detail;
    auto const numbers = [] {
        char const* const trace = "Accel-Sim 1.2 as it was run beside this machine: int and sp latency 4, "
                                  "initiation 1 for all their instructions";
        std::vector<preset_number> n = {
            {"core.instruction_bytes", 16, measured,
             "its traces hold Volta code, with 16 bytes an instruction"},
            {"core.fetch_bytes", 32, measured,
             "its front end decodes two instructions a fetch, whatever their size"},
            {"l1c.size", 0, documented,
             "Accel-Sim: LDC of a trace is an ALU operation that never looks into the constant cache"},
            {"lsu.constant_latency", 4, documented, "as long as an integer operation"},
        };
        std::vector<std::string_view> const classes = {"int_add", "int_max", "int_mul", "int_mad", "int_div",
                                                       "shuffle", "branch",  "fp_add",  "fp_max",  "fp_mul",
                                                       "fp_mad",  "fp_div",  "uniform"};
        append_classes(n, "core.latency", classes, 4, documented, trace);
        append_classes(n, "core.initiation", classes, 1, documented, trace);
        char const* const untold =
            "Accel-Sim: defaults of -trace_opcode_latency_initiation_dp, _sfu and _tensor";
        std::vector<std::string_view> const others = {"dp_add", "dp_max",  "dp_mul", "dp_mad",
                                                      "dp_div", "special", "tensor"};
        append_classes(n, "core.latency", others, 4, documented, untold);
        append_classes(n, "core.initiation", others, 1, documented, untold);
        return n;
    };
    static preset const p{"gtx480_accelsim", "gtx480 as Accel-Sim ran it on traces", &gtx480(), numbers};
    return p;
}

/// The machine of ELF (SC 2015, table 1), which ran GPGPU-Sim 3.2.2: its GTX480 with another instruction cache and L2.
inline preset const& elf() {
    using namespace detail;
    auto const numbers = [] {
        std::vector<preset_number> n = {
            {"l1i.mshr_entries", 8, documented, "ELF, table 1"},
            {"l2.ways", 16, documented, "ELF, table 1"},
        };
        return n;
    };
    static preset const p{"elf", "ELF's machine (SC 2015): gtx480_v3 but for L1I and L2", &gtx480_v3(),
                          numbers};
    return p;
}

/// The 28-core machine of OWL (ASPLOS 2013, table 1).
inline preset const& owl() {
    using namespace detail;
    auto const numbers = [] {
        char const* const table = "OWL, table 1";
        char const* const fx5800 = "GPGPU-Sim, QuadroFX5800/gpgpusim.config, the machine of OWL's simulator";
        char const* const as_v3 =
            "as in GPGPU-Sim 3.2.x's GTX480; OWL and its simulator's configuration are silent";
        char const* const miss_92_ns =
            "with the rest of the way to the next node makes OWL's minimum L2 miss latency of 120 cycles at "
            "1300 MHz (92 ns); OWL does not say how they are spent";
        char const* const router = "OWL does not describe its router (docs/model/network.md)";
        std::vector<preset_number> n = {
            {"clock.core", 325'000, documented, "OWL, table 1: 1300 MHz with 8 lanes is 325 MHz with 32"},
            {"clock.interconnect", 650'000, documented, table},
            {"clock.l2", 650'000, documented, fx5800},
            {"clock.dram", 800'000, documented, table},

            {"core.count", 28, documented, table},
            {"core.threads", 1024, documented, table},
            {"core.ctas", 8, documented, fx5800},
            {"core.registers", 32768, documented, "OWL, table 1, which prints 32684"},
            {"core.shared_bytes", 32768, documented, table},
            {"core.schedulers", 1, documented, table},
            {"core.instruction_buffer", 2, documented, "GPGPU-Sim source: IBUFFER_SIZE"},
            {"core.fetch_bytes", 16, documented, "GPGPU-Sim source: shader_core_ctx::fetch"},
            {"core.instruction_bytes", 8, documented, "GPGPU-Sim source: size of a PTX instruction"},
            {"core.sp_units", 1, documented, fx5800},
            {"core.sfu_units", 1, documented, fx5800},
            {"core.dp_units", 1, estimated,
             "this generation has one per core; its simulator runs double precision on the special-function "
             "unit"},
            {"core.operand_cycles", 3, estimated, "as in gtx480"},
            {"core.writeback_cycles", 3, estimated, "as in gtx480"},
            {"core.blocking_loads", 0, estimated, "as in gtx480; OWL is silent"},
            {"core.max_registers_per_thread", 128, documented,
             "CUDA C Programming Guide, compute capability 1.x"},

            {"l1i.size", 4096, documented, fx5800},
            {"l1i.ways", 4, documented, fx5800},
            {"l1i.line", 256, documented, fx5800},
            {"l1i.sector", 256, documented, "GPGPU-Sim, QuadroFX5800: not sectored"},
            {"l1i.mshr_entries", 2, documented, fx5800},
            {"l1i.mshr_merges", 32, documented, fx5800},
            {"l1i.miss_queue", 4, documented, fx5800},

            {"l1d.size", 32768, documented, table},
            {"l1d.ways", 8, documented, table},
            {"l1d.line", 64, documented, table},
            {"l1d.sector", 64, documented, "OWL, table 1: not sectored"},
            {"l1d.mshr_entries", 32, documented, table},
            {"l1d.mshr_merges", 8, estimated, as_v3},
            {"l1d.miss_queue", 8, estimated, as_v3},
            {"lsu.l1_latency", 1, estimated, as_v3},

            {"l1c.size", 8192, documented, table},
            {"l1c.ways", 4, documented, table},
            {"l1c.line", 64, documented, table},
            {"l1c.sector", 64, documented, "OWL, table 1: not sectored"},
            {"l1c.mshr_entries", 2, documented, fx5800},
            {"l1c.mshr_merges", 32, documented, fx5800},
            {"l1c.miss_queue", 4, documented, fx5800},

            {"l1t.size", 8192, documented, table},
            {"l1t.ways", 4, documented, table},
            {"l1t.line", 64, documented, table},
            {"l1t.sector", 64, documented, "OWL, table 1: not sectored"},
            {"l1t.mshr_entries", 128, documented, fx5800},
            {"l1t.mshr_merges", 128, documented, fx5800},
            {"l1t.miss_queue", 4, documented, fx5800},

            {"lsu.l1_banks", 1, documented, "GPGPU-Sim: one access to the L1 data cache a cycle"},
            {"lsu.writeback_port", 0, documented, "of cores with operand collectors"},
            {"lsu.shared_latency", 3, documented, "GPGPU-Sim: default of smem_latency"},
            {"lsu.shared_banks", 16, documented, "GPGPU-Sim: default of -gpgpu_shmem_num_banks"},
            {"lsu.constant_latency", 4, estimated,
             "a hit in the constant cache and the way back; no source gives it"},
            {"lsu.queue", 4, documented,
             "GPGPU-Sim source: issue latch, two operand collectors, dispatch register"},

            {"network.flit", 32, documented, table},
            {"network.link_cycles", 4, estimated, "interface and wire of a node, as in gtx480"},
            {"network.speedup", 1, estimated, "of a crossbar in the mesh's place"},
            {"network.allocation", 0, estimated, "of a crossbar in the mesh's place"},
            {"network.outputs_in_turn", 0, estimated, "of a crossbar in the mesh's place"},
            {"network.input_flits", 16, estimated, "room for a line of instructions, 256 bytes"},
            {"network.output_flits", 16, estimated, "of a crossbar in the mesh's place"},
            {"network.ejection", 8, estimated, as_v3},
            {"network.columns", 6, documented, table},
            {"network.rows", 6, documented, table},
            {"network.virtual_channels", 2, estimated, router},
            {"network.channel_flits", 8, estimated, router},
            {"network.router_cycles", 2, estimated, router},
            {"network.channel_cycles", 1, estimated, router},

            {"l2.size", 524288, documented, table},
            {"l2.ways", 16, documented, table},
            {"l2.line", 64, documented, table},
            {"l2.sector", 64, documented, "OWL, table 1: not sectored"},
            {"l2.mshr_entries", 32, estimated, as_v3},
            {"l2.mshr_merges", 4, estimated, as_v3},
            {"l2.miss_queue", 4, estimated, as_v3},

            {"memory.channels", 8, documented, table},
            {"memory.slices", 1, documented, table},
            {"memory.rop_latency", 6, estimated, miss_92_ns},
            {"memory.dram_latency", 3, estimated, miss_92_ns},
            {"memory.l2_input_queue", 8, estimated, as_v3},
            {"memory.l2_to_dram_queue", 8, estimated, as_v3},
            {"memory.dram_to_l2_queue", 8, estimated, as_v3},
            {"memory.l2_output_queue", 8, estimated, as_v3},
            {"memory.dram_queue", 128, documented, table},
            {"memory.dram_return_queue", 58, documented, fx5800},
            {"memory.dual_command_bus", 0, documented, "GDDR3 has one command bus"},
            {"memory.prefetch_lower", 8, documented, prefetch},
            {"memory.prefetch_higher", 16, documented, prefetch},
            {"memory.prefetch_threshold", 0, documented, prefetch},
            {"memory.prefetch_shift", 7, estimated, mean},
            {"memory.prefetch_skips_resident", 1, estimated, skips},

            {"dram.groups_by_low_bits", 1, documented, "without effect: GDDR3 has no bank groups"},
        };
        append_translation(n);
        append_no_write_ratio(n, {"l1i", "l1d", "l1c", "l1t", "l2"}, "GPGPU-Sim 3.2.x knows none");
        append_ptx_latencies(n,
                             {{1, 1, 19, 25, 145},
                              {1, 1, 4, 4, 32},
                              {1, 1, 1, 1, 30},
                              {1, 1, 1, 1, 5},
                              {8, 8, 8, 8, 335},
                              {8, 8, 8, 8, 130}},
                             fx5800);
        append_classes(n, "core.latency", {"shuffle"}, 1, estimated, "this generation has no shuffles");
        append_classes(n, "core.initiation", {"shuffle"}, 1, estimated, "this generation has no shuffles");
        append_classes(n, "core.latency", {"special"}, 8, documented,
                       "GPGPU-Sim: default of -ptx_opcode_latency_sfu");
        append_classes(n, "core.initiation", {"special"}, 8, documented,
                       "GPGPU-Sim: default of -ptx_opcode_initiation_sfu");
        append_unified_core(n);
        append_code_caches(n, 256);
        append_dram(n, dram::gddr3_owl_numbers);
        append_dram(n, dram::gpgpusim_lacks);
        return n;
    };
    static preset const p{
        "owl",
        "OWL's 28-core machine (ASPLOS 2013)",
        nullptr,
        numbers,
        dram::owl_mapping,
        "estimated: GPGPU-Sim's QuadroFX5800 map, for rows of 2 KB over 4 banks, then the channel",
        "3 7 10 12 23 25 28 32",
        "estimated: intersim2's memory nodes for 36 nodes; OWL does not say where they are"};
    return p;
}

namespace detail {

/// Cycles of a class of a trace's instructions, and between two starts in one unit, as Accel-Sim's trace.config has
/// them.
struct trace_latency {
    std::uint64_t latency, initiation;
};
struct trace_latencies {
    trace_latency integer, single, twice, special, tensor, branch, uniform;
};
[[gnu::cold]] inline void append_trace_latencies(std::vector<preset_number>& to, trace_latencies const& l,
                                                 char const* source) {
    auto const put = [&](trace_latency const& t, std::vector<std::string_view> const& classes,
                         char const* from) {
        append_classes(to, "core.latency", classes, t.latency, documented, from);
        append_classes(to, "core.initiation", classes, t.initiation, documented, from);
    };
    put(l.integer, {"int_add", "int_max", "int_mul", "int_mad", "int_div", "shuffle", "other"}, source);
    put(l.single, {"fp_add", "fp_max", "fp_mul", "fp_mad", "fp_div"}, source);
    put(l.twice, {"dp_add", "dp_max", "dp_mul", "dp_mad", "dp_div"}, source);
    put(l.special, {"special"}, source);
    put(l.tensor, {"tensor"}, source);
    put(l.branch, {"branch"}, source);
    put(l.uniform, {"uniform"}, source);
    put({1, 1}, {"barrier", "fence", "exit", "load", "store", "atomic"},
        "Accel-Sim's trace_config::set_latency: 1 for what its table does not name");
    to.emplace_back("lsu.constant_latency", l.integer.latency, documented,
                    "Accel-Sim: LDC of a trace is an integer instruction");
}

/// What Accel-Sim's tested machines from Volta to Ampere have in common.
[[gnu::cold]] inline void append_accelsim_core(std::vector<preset_number>& n, std::uint64_t banks) {
    char const* const config =
        "Accel-Sim 1.2: the same in SM7_QV100, SM7_TITANV, SM75_RTX2060 and SM86_RTX3070";
    char const* const perfect = "Accel-Sim 1.2: -gpgpu_perfect_inst_const_cache 1; for who makes it larger";
    char const* const crossbar =
        "GPGPU-Sim 4.x source: local_crossbar, of -network_mode 2, moves whole packets";
    char const* const mesh = "for experiments with use::network<mesh_network>; this machine has a crossbar";
    struct row {
        char const* name;
        std::uint64_t value;
        char const* source;
    };
    for (row const& r :
         {row{"core.registers", 65536, config},
          {"core.schedulers", 4, config},
          {"core.instruction_buffer", 2, "GPGPU-Sim 4.x source: IBUFFER_SIZE"},
          {"core.fetch_bytes", 32, "Accel-Sim: decodes two instructions a fetch, whatever their size"},
          {"core.instruction_bytes", 16, "size of an instruction from Volta on"},
          {"core.fetches", 4, config},
          {"core.first_fetch", 1, "GPGPU-Sim 4.x source: m_last_warp_fetched is 0 at first"},
          {"core.perfect_branches", 1,
           "Accel-Sim: decodes the next instructions of the trace, whatever the branches"},
          {"core.kernel_launch_cycles", 0,
           "a run's choice: 0 here, 5000 in Accel-Sim's configurations (-gpgpu_kernel_launch_latency)"},
          {"core.cta_launch_cycles", 0, config},
          {"core.issue_width", 1, config},
          {"core.issue_to_different", 1, config},
          {"core.sub_cores", 4, config},
          {"core.sp_units", 4, config},
          {"core.int_units", 4, config},
          {"core.sfu_units", 4, config},
          {"core.dp_units", 4, config},
          {"core.tensor_units", 4, config},
          {"core.branch_units", 4, config},
          {"core.operand_cycles", 3,
           "GPGPU-Sim 4.x source: latch, collector, dispatch and unit of an instruction with one "
           "source register or two, at -gpgpu_reg_file_port_throughput 2"},
          {"core.writeback_cycles", 2, "GPGPU-Sim 4.x source: result port and scoreboard"},
          {"core.blocking_loads", 0, "GPGPU-Sim source: a scoreboard, register by register"},
          {"core.max_registers_per_thread", 255,
           "CUDA C Programming Guide, compute capability 3.5 and later"},
          {"l1i.size", 0, perfect},
          {"l1i.ways", 16, perfect},
          {"l1i.line", 128, perfect},
          {"l1i.sector", 128, perfect},
          {"l1i.mshr_entries", 2, perfect},
          {"l1i.mshr_merges", 48, perfect},
          {"l1i.miss_queue", 4, perfect},
          {"l1c.size", 0, perfect},
          {"l1c.ways", 8, perfect},
          {"l1c.line", 64, perfect},
          {"l1c.sector", 64, perfect},
          {"l1c.mshr_entries", 2, perfect},
          {"l1c.mshr_merges", 64, perfect},
          {"l1c.miss_queue", 4, perfect},
          {"l1t.size", 131072, config},
          {"l1t.ways", 256, config},
          {"l1t.line", 128, config},
          {"l1t.sector", 128, config},
          {"l1t.mshr_entries", 128, config},
          {"l1t.mshr_merges", 512, config},
          {"l1t.miss_queue", 8, config},
          {"l1d.line", 128, config},
          {"l1d.sector", 32, config},
          {"l1d.miss_queue", 16, config},
          {"l1d.write_ratio", 25, config},
          {"lsu.shared_banks", 32, config},
          {"lsu.l1_banks", 4, config},
          {"lsu.writeback_port", 1, "GPGPU-Sim 4.x source: ldst_unit::writeback"},
          {"lsu.queue", 16, "Accel-Sim 1.2: 4 issue latches, 8 operand collectors and 4 dispatch registers"},
          {"network.flit", 136, crossbar},
          {"network.link_cycles", 1, crossbar},
          {"network.speedup", 1, crossbar},
          {"network.allocation", 0, crossbar},
          {"network.outputs_in_turn", 1, "GPGPU-Sim 4.x source: xbar_router::iSLIP_Advance"},
          {"network.input_flits", 512, config},
          {"network.output_flits", 512, config},
          {"network.ejection", 32, config},
          {"l2.line", 128, config},
          {"l2.sector", 32, config},
          {"l2.mshr_entries", 192, config},
          {"l2.mshr_merges", 4, config},
          {"l2.miss_queue", 32, config},
          {"memory.slices", 2, config},
          {"memory.l2_input_queue", 64, config},
          {"memory.l2_to_dram_queue", 64, config},
          {"memory.dram_to_l2_queue", 64, config},
          {"memory.l2_output_queue", 64, config},
          {"memory.dram_queue", 64, config},
          {"memory.dram_return_queue", 192, config},
          {"memory.prefetch_lower", 8, prefetch},
          {"memory.prefetch_higher", 16, prefetch},
          {"memory.prefetch_threshold", 0, prefetch},
          {"dram.groups_by_low_bits", 1, config}})
        n.emplace_back(r.name, r.value, documented, r.source);
    for (row const& r : {row{"network.columns", 12, mesh},
                         {"network.rows", 12, mesh},
                         {"network.virtual_channels", 2, mesh},
                         {"network.channel_flits", 8, mesh},
                         {"network.router_cycles", 2, mesh},
                         {"network.channel_cycles", 1, mesh},
                         {"memory.prefetch_shift", 7, mean},
                         {"memory.prefetch_skips_resident", 1, skips}})
        n.emplace_back(r.name, r.value, estimated, r.source);
    append_collectors(n, {banks, 2, 8, 8, 8, 4}, documented, config);
    append_kernels(n);
    n.emplace_back("core.blocking_atomics", 1, documented, "GPGPU-Sim source: shd_warp_t::waiting");
    append_code_caches(n, 128);
    append_translation(n);
    append_no_write_ratio(n, {"l1i", "l1c", "l1t", "l2"},
                          "GPGPU-Sim 4.x source: cache_config has 0, and an option for the L1D alone");
    append_dram(n, dram::gpgpusim_lacks);
}

inline constexpr char const* hbm2_mapping =
    "ipoly:dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS";
inline constexpr char const* gddr6_mapping =
    "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";
inline constexpr char const* gddr6_ipoly_mapping =
    "ipoly:dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS";

} // namespace detail

/// The Quadro GV100 (Volta) as Accel-Sim 1.2 models it on traces.
inline preset const& qv100() {
    using namespace detail;
    auto const numbers = [] {
        char const* const config = "Accel-Sim 1.2, tested-cfgs/SM7_QV100/gpgpusim.config";
        std::vector<preset_number> n = {
            {"clock.core", 1'447'000, documented, config},
            {"clock.interconnect", 1'447'000, documented, config},
            {"clock.l2", 1'447'000, documented, config},
            {"clock.dram", 850'000, documented, config},
            {"core.count", 80, documented, config},
            {"core.threads", 2048, documented, config},
            {"core.ctas", 32, documented, config},
            {"core.shared_bytes", 98304, documented, config},
            {"core.unified_bytes", 131072, documented, config},
            {"core.uniform_units", 0, documented, "Volta has no uniform data path"},
            {"l1d.size", 131072, documented,
             "the same: -gpgpu_unified_l1d_size, as a kernel without shared memory finds it"},
            {"l1d.ways", 256, documented, "the same: its lines in 4 sets"},
            {"l1d.mshr_entries", 512, documented, config},
            {"l1d.mshr_merges", 8, documented, config},
            {"lsu.l1_latency", 20, documented, config},
            {"lsu.shared_latency", 20, documented, config},
            {"l2.size", 98304, documented, config},
            {"l2.ways", 24, documented, config},
            {"memory.channels", 32, documented, config},
            {"memory.rop_latency", 160, documented, config},
            {"memory.dram_latency", 100, documented, config},
            {"memory.dual_command_bus", 1, documented, config},
        };
        append_accelsim_core(n, 16);
        append_trace_latencies(n, {{2, 2}, {2, 2}, {8, 4}, {20, 8}, {2, 2}, {4, 4}, {2, 2}},
                               "Accel-Sim 1.2, tested-cfgs/SM7_QV100/trace.config");
        append_dram(n, dram::hbm2_qv100_numbers);
        return n;
    };
    static preset const p{"qv100",      "Quadro GV100 (Volta) with the values of Accel-Sim",
                          nullptr,      numbers,
                          hbm2_mapping, "documented: Accel-Sim 1.2, tested-cfgs/SM7_QV100/gpgpusim.config"};
    return p;
}

/// The TITAN V (Volta) as Accel-Sim 1.2 models it: qv100 with slower clocks and 24 of its 32 channels.
inline preset const& titan_v() {
    using namespace detail;
    auto const numbers = [] {
        char const* const config = "Accel-Sim 1.2, tested-cfgs/SM7_TITANV/gpgpusim.config";
        char const* const trace = "Accel-Sim 1.2, tested-cfgs/SM7_TITANV/trace.config";
        std::vector<preset_number> n = {
            {"clock.core", 1'200'000, documented, config},
            {"clock.interconnect", 1'200'000, documented, config},
            {"clock.l2", 1'200'000, documented, config},
            {"core.register_banks", 8, documented, config},
            {"memory.channels", 24, documented, config},
        };
        append_classes(n, "core.latency", {"tensor"}, 8, documented, trace);
        append_classes(n, "core.initiation", {"tensor"}, 4, documented, trace);
        return n;
    };
    static preset const p{
        "titan_v",
        "TITAN V (Volta) with the values of Accel-Sim",
        &qv100(),
        numbers,
        "ipoly:bank_xor:dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS",
        "documented: Accel-Sim 1.2, tested-cfgs/SM7_TITANV/gpgpusim.config"};
    return p;
}

/// The GeForce RTX 3070 (Ampere) as Accel-Sim 1.2 models it on traces.
inline preset const& rtx3070() {
    using namespace detail;
    auto const numbers = [] {
        char const* const config = "Accel-Sim 1.2, tested-cfgs/SM86_RTX3070/gpgpusim.config";
        std::vector<preset_number> n = {
            {"clock.core", 1'132'000, documented, config},
            {"clock.interconnect", 1'132'000, documented, config},
            {"clock.l2", 1'132'000, documented, config},
            {"clock.dram", 3'500'500, documented, config},
            {"core.count", 46, documented, config},
            {"core.threads", 1536, documented, config},
            {"core.ctas", 32, documented, config},
            {"core.shared_bytes", 102400, documented, config},
            {"core.unified_bytes", 131072, documented, config},
            {"core.uniform_units", 4, documented, "Accel-Sim 1.2, tested-cfgs/SM86_RTX3070/trace.config"},
            {"l1d.size", 131072, documented,
             "the same: -gpgpu_unified_l1d_size, as a kernel without shared memory finds it"},
            {"l1d.ways", 256, documented, "the same: its lines in 4 sets"},
            {"l1d.mshr_entries", 384, documented, config},
            {"l1d.mshr_merges", 48, documented, config},
            {"lsu.l1_latency", 39, documented, config},
            {"lsu.shared_latency", 29, documented, config},
            {"l2.size", 131072, documented, config},
            {"l2.ways", 16, documented, config},
            {"memory.channels", 16, documented, config},
            {"memory.rop_latency", 187, documented, config},
            {"memory.dram_latency", 254, documented, config},
            {"memory.dual_command_bus", 0, documented, config},
        };
        append_accelsim_core(n, 8);
        append_trace_latencies(n, {{2, 2}, {2, 1}, {64, 64}, {21, 8}, {32, 32}, {4, 4}, {4, 1}},
                               "Accel-Sim 1.2, tested-cfgs/SM86_RTX3070/trace.config");
        append_dram(n, dram::gddr6_rtx3070_numbers);
        return n;
    };
    static preset const p{"rtx3070",
                          "GeForce RTX 3070 (Ampere) with the values of Accel-Sim",
                          nullptr,
                          numbers,
                          gddr6_ipoly_mapping,
                          "documented: Accel-Sim 1.2, tested-cfgs/SM86_RTX3070/gpgpusim.config"};
    return p;
}

/// The GeForce RTX 2060 (Turing) as Accel-Sim 1.2 models it: what of it differs from rtx3070.
inline preset const& rtx2060() {
    using namespace detail;
    auto const numbers = [] {
        char const* const config = "Accel-Sim 1.2, tested-cfgs/SM75_RTX2060/gpgpusim.config";
        char const* const trace = "Accel-Sim 1.2, tested-cfgs/SM75_RTX2060/trace.config";
        std::vector<preset_number> n = {
            {"clock.core", 1'365'000, documented, config},
            {"clock.interconnect", 1'365'000, documented, config},
            {"clock.l2", 1'365'000, documented, config},
            {"core.count", 30, documented, config},
            {"core.threads", 1024, documented, config},
            {"core.ctas", 16, documented, config},
            {"core.shared_bytes", 65536, documented, config},
            {"core.unified_bytes", 98304, documented, config},
            {"l1d.size", 65536, documented,
             "the same: -gpgpu_unified_l1d_size less the 32 KB that shared memory has at least"},
            {"l1d.ways", 128, documented, "the same: its lines in 4 sets"},
            {"l1d.mshr_entries", 256, documented, config},
            {"l1d.mshr_merges", 32, documented, config},
            {"lsu.l1_latency", 32, documented, config},
            {"lsu.shared_latency", 30, documented, config},
            {"memory.channels", 12, documented, config},
            {"memory.rop_latency", 194, documented, config},
            {"memory.dram_latency", 96, documented, config},
        };
        append_classes(n, "core.initiation", {"fp_add", "fp_max", "fp_mul", "fp_mad", "fp_div"}, 2,
                       documented, trace);
        append_classes(n, "core.latency", {"tensor"}, 16, documented, trace);
        append_classes(n, "core.initiation", {"tensor"}, 16, documented, trace);
        return n;
    };
    static preset const p{
        "rtx2060",     "GeForce RTX 2060 (Turing) with the values of Accel-Sim",
        &rtx3070(),    numbers,
        gddr6_mapping, "documented: Accel-Sim 1.2, tested-cfgs/SM75_RTX2060/gpgpusim.config"};
    return p;
}

/// The A100 (Ampere, GA100, 80 GB PCIe) as a configuration that was proposed to Accel-Sim has it; no release has one.
inline preset const& a100() {
    using namespace detail;
    auto const numbers = [] {
        char const* const config = "Accel-Sim, proposed tested-cfgs/NVIDIA_A100_80GB_PCIe/gpgpusim.config";
        std::vector<preset_number> n = {
            {"clock.core", 1'410'000, documented, config},
            {"clock.interconnect", 1'410'000, documented, config},
            {"clock.l2", 1'410'000, documented, config},
            {"clock.dram", 1'512'000, documented, config},
            {"core.count", 108, documented, config},
            {"core.shared_bytes", 167936, documented, config},
            {"core.unified_bytes", 196608, documented, config},
            {"core.uniform_units", 4, documented, "Accel-Sim, proposed tested-cfgs/SM80_A100/trace.config"},
            {"core.register_banks", 32, documented, config},
            {"l1d.size", 196608, documented,
             "the same: -gpgpu_unified_l1d_size, as a kernel without shared memory finds it"},
            {"l1d.ways", 384, documented, "the same: its lines in 4 sets"},
            {"l1d.mshr_merges", 64, documented, config},
            {"lsu.l1_latency", 37, documented, config},
            {"lsu.shared_latency", 29, documented, config},
            {"l2.size", 524288, documented, config},
            {"l2.ways", 16, documented, config},
            {"network.columns", 14, estimated, "room for its cores and slices, for experiments with a mesh"},
            {"network.rows", 14, estimated, "room for its cores and slices, for experiments with a mesh"},
            {"memory.channels", 40, documented, config},
            {"memory.rop_latency", 224, documented, config},
            {"memory.dram_latency", 198, documented, config},
            {"dram.rrd", 7, documented, config},
            {"dram.rcd", 22, documented, config},
            {"dram.rcdwr", 17, documented, "the same, as GPGPU-Sim's source derives it: RCD - (WL + 1)"},
            {"dram.ras", 50, documented, config},
            {"dram.rp", 22, documented, config},
            {"dram.rc", 72, documented, config},
            {"dram.cl", 22, documented, config},
            {"dram.wl", 4, documented, config},
            {"dram.cdlr", 5, documented, config},
            {"dram.wr", 19, documented, config},
            {"dram.ccdl", 4, documented, config},
            {"dram.rtpl", 7, documented, config},
        };
        append_trace_latencies(n, {{4, 2}, {4, 2}, {6, 4}, {23, 8}, {12, 8}, {4, 4}, {4, 1}},
                               "Accel-Sim, proposed tested-cfgs/SM80_A100/trace.config");
        return n;
    };
    static preset const p{
        "a100",
        "A100 80 GB PCIe (Ampere) with values proposed for Accel-Sim",
        &qv100(),
        numbers,
        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS",
        "documented: Accel-Sim, proposed tested-cfgs/NVIDIA_A100_80GB_PCIe/gpgpusim.config"};
    return p;
}

/// All of them.
inline std::vector<preset const*> all() {
    return {&gtx480(), &gtx480_v3(), &gtx480_accelsim(), &elf(),     &owl(),
            &qv100(),  &titan_v(),   &rtx2060(),         &rtx3070(), &a100()};
}

} // namespace warpkit::preset_numbers
