#pragma once
/// \file
/// The numbers of the machines before Volta: Fermi as GPGPU-Sim has it, and the machines of the papers.

#include <warpkit/config/preset.hpp>
#include <warpkit/config/preset_rows.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/standards.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpkit::preset_numbers {

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
        append_before_hopper(n, "GPGPU-Sim: one latency for all matrix instructions, one L2");
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
        append_before_hopper(n, "GPGPU-Sim: one latency for all matrix instructions, one L2");
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

} // namespace warpkit::preset_numbers
