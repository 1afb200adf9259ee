#pragma once
/// \file
/// The numbers of the machines from Volta to Ampere, as Accel-Sim has them.

#include <warpkit/config/preset.hpp>
#include <warpkit/config/preset_rows.hpp>
#include <warpkit/dram/standards.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace warpkit::preset_numbers {

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
        append_times(to, t.latency, t.initiation, classes, documented, from);
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
    char const* const mesh = "for experiments with use::network<mesh_network>; this machine has a crossbar";
    append_since_volta(n, {config, perfect, config, config});
    append_ports_of_one_packet(n);
    append_rows(
        n, documented,
        {{"core.instruction_buffer", 2, "GPGPU-Sim 4.x source: IBUFFER_SIZE"},
         {"l1d.write_ratio", 25, config},
         {"core.fetch_bytes", 32, "Accel-Sim: decodes two instructions a fetch, whatever their size"},
         {"core.first_fetch", 1, "GPGPU-Sim 4.x source: m_last_warp_fetched is 0 at first"},
         {"core.perfect_branches", 1,
          "Accel-Sim: decodes the next instructions of the trace, whatever the branches"},
         {"core.kernel_launch_cycles", 0,
          "a run's choice: 0 here, 5000 in Accel-Sim's configurations (-gpgpu_kernel_launch_latency)"},
         {"core.operand_cycles", 3,
          "GPGPU-Sim 4.x source: latch, collector, dispatch and unit of an instruction with one source "
          "register or two, at -gpgpu_reg_file_port_throughput 2"},
         {"core.writeback_cycles", 2, "GPGPU-Sim 4.x source: result port and scoreboard"},
         {"core.blocking_loads", 0, "GPGPU-Sim source: a scoreboard, register by register"},
         {"core.max_registers_per_thread", 255, "CUDA C Programming Guide, compute capability 3.5 and later"},
         {"l1i.mshr_entries", 2, perfect},
         {"l1i.mshr_merges", 48, perfect},
         {"l1i.miss_queue", 4, perfect},
         {"l1d.miss_queue", 16, config},
         {"lsu.writeback_port", 1, "GPGPU-Sim 4.x source: ldst_unit::writeback"},
         {"lsu.queue", 16, "Accel-Sim 1.2: 4 issue latches, 8 operand collectors and 4 dispatch registers"},
         {"l2.mshr_entries", 192, config},
         {"l2.mshr_merges", 4, config},
         {"memory.slices", 2, config},
         {"memory.dram_queue", 64, config},
         {"memory.dram_return_queue", 192, config},
         {"dram.groups_by_low_bits", 1, config}});
    append_rows(n, estimated, {{"network.columns", 12, mesh}, {"network.rows", 12, mesh}});
    append_collectors(n, {banks, 2, 8, 8, 8, 4}, documented, config);
    n.emplace_back("core.blocking_atomics", 1, documented, "GPGPU-Sim source: shd_warp_t::waiting");
    append_before_hopper(n, "Accel-Sim 1.2: one latency for all matrix instructions, one L2");
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

} // namespace warpkit::preset_numbers
