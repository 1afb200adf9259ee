#pragma once
/// \file
/// The numbers of the machines from Hopper on, of documents and microbenchmarks.

#include <warpkit/config/preset.hpp>
#include <warpkit/config/preset_rows.hpp>
#include <warpkit/dram/standards.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::preset_numbers {

namespace detail {

/// Sources of the machines from Hopper on. [UPC]: Huerta et al., MICRO 2025.
inline constexpr char const* flash_h100 = "FlashGPU-Sim (MICRO 2026), configs/SM90_H100";
inline constexpr char const* flash_5090 = "FlashGPU-Sim (MICRO 2026), configs/SM120_RTX5090";
inline constexpr char const* flash_b200 = "FlashGPU-Sim (MICRO 2026), configs/SM100_B200";
inline constexpr char const* hopper_paper = "NVIDIA H100 Tensor Core GPU Architecture (2022), H100 SXM5";
inline constexpr char const* guide = "CUDA C++ Programming Guide, compute capabilities 9.0 and 10.0";
inline constexpr char const* mma_h100 =
    "Johnsonms/NVIDIA-Hopper-Benchmark, mma on an H100 SXM5: docs/model/issue.md#tensor-cores";

/// A standard's table at another data rate: what is a time keeps it, rounded up to whole cycles of the slower or faster
/// command clock, and what is a number of cycles stays. The names live as long as the program.
template <std::size_t N>
[[gnu::cold]] void append_dram_at(std::vector<preset_number>& to, dram::timing_number const (&table)[N],
                                  std::uint64_t table_khz, std::uint64_t khz, char const* source) {
    constexpr std::string_view times[] = {"rcd",  "rcdwr", "ras", "rp",    "cl",    "wl",
                                          "cdlr", "cdlrl", "wr",  "rtp",   "rtw",   "rrd",
                                          "rrdl", "faw",   "rfc", "rfcpb", "rrefd", "rfm"};
    std::uint64_t ras = 0, rp = 0;
    auto const at_rate = [&](std::string_view name, std::uint64_t cycles) {
        for (auto const t : times)
            if (t == name) return (cycles * khz + table_khz - 1) / table_khz;
        return cycles;
    };
    for (auto const& row : table) {
        if (std::string_view(row.name) == "ras") ras = at_rate("ras", row.value);
        if (std::string_view(row.name) == "rp") rp = at_rate("rp", row.value);
    }
    for (auto const& row : table)
        if (auto const* const f = find_field(machine_numbers(), std::string("dram.") + row.name))
            to.emplace_back(f->name.c_str(),
                            std::string_view(row.name) == "rc"
                                ? std::max((row.value * khz + table_khz - 1) / table_khz, ras + rp)
                                : at_rate(row.name, row.value),
                            estimated, source);
}

/// What the cores from Hopper on have in common: no operand collectors but bypassed operands, and results that are
/// there after what microbenchmarks measured.
[[gnu::cold]] inline void append_bypassing_core(std::vector<preset_number>& n) {
    char const* const upc =
        "[UPC] 5: Huerta et al., Dissecting and Modeling the Architecture of Modern GPU Cores";
    char const* const both = "FlashGPU-Sim (MICRO 2026): the same in SM90_H100, SM100_B200 and SM120_RTX5090";
    char const* const perfect = "FlashGPU-Sim: -gpgpu_perfect_inst_const_cache 1; for who makes it larger";
    char const* const mesh = "for experiments with use::network<mesh_network>; this machine has a crossbar";
    char const* const run = "a run's choice: 0 here, 5000 and more in FlashGPU-Sim's configurations";
    append_since_volta(n,
                       {both, perfect, "CUDA C++ Programming Guide, compute capabilities 9.0 to 12.0", upc});
    append_rows(n, documented,
                {{"core.instruction_buffer", 3, upc},
                 {"core.first_fetch", 0, "warps take turns from the first on"},
                 {"core.perfect_branches", 0, upc},
                 {"core.kernel_launch_cycles", 0, run},
                 {"core.uniform_units", 4, upc},
                 {"core.operand_cycles", 0, upc},
                 {"core.writeback_cycles", 0, upc},
                 {"core.blocking_loads", 0, upc},
                 {"core.blocking_atomics", 0, upc},
                 {"core.max_registers_per_thread", 255,
                  "CUDA C++ Programming Guide, compute capability 3.5 and later"},
                 {"l1i.mshr_entries", 32, perfect},
                 {"l1i.mshr_merges", 32, perfect},
                 {"l1i.miss_queue", 32, perfect},
                 {"l1d.mshr_entries", 384, both},
                 {"l1d.mshr_merges", 48, both},
                 {"l1d.miss_queue", 32, both},
                 {"lsu.writeback_port", 0, "of cores with operand collectors"},
                 {"lsu.queue", 20, "[UPC] 5.4: in each sub-core a queue of 4 and a place in front of it"},
                 {"memory.dram_queue", 128, both},
                 {"memory.dram_return_queue", 384, both},
                 {"dram.groups_by_low_bits", 0, "the address map's G letters number the bank groups"}});
    append_rows(n, estimated,
                {{"core.fetch_bytes", 48, "so that a fetch can fill the instruction buffer"},
                 {"lsu.constant_latency", 4, "a constant that is an operand takes what an instruction does"},
                 {"l1d.write_ratio", 0,
                  "stores go through, so that no line has anything to keep back; 25 in FlashGPU-Sim's"},
                 {"network.columns", 24, mesh},
                 {"network.rows", 24, mesh},
                 {"memory.far_latency", 0,
                  "hardware keeps copies in the nearer half, which the model has not: "
                  "docs/model/l2_partition.md#halves"}});
    append_collectors(n, {}, documented, "[UPC] 5.3: current cores have none");
    append_code_order(n);
    append_translation(n);
    append_times(n, 4, 1, {"fp_add", "fp_max", "fp_mul", "fp_mad"}, measured,
                 "Johnsonms/NVIDIA-Hopper-Benchmark: 4.07 cycles on an H100; 32 lanes in each sub-core");
    append_times(n, 39, 2, {"fp_div"}, documented, both);
    append_times(n, 21, 2, {"int_div"}, documented, both);
    append_times(n, 14, 4, {"shuffle"}, documented, both);
    append_times(n, 2, 1, {"branch"}, documented, "the simulator of [UPC]");
    append_times(n, 2, 2, {"uniform"}, documented, "the simulator of [UPC]");
    append_times(n, 1, 1, {"barrier", "fence", "exit", "load", "store", "atomic"}, documented,
                 "GPGPU-Sim: 1 for what its table does not name");
}

/// HBM3 of two pseudo-channels of 32 banks: the L2 slice above 256 bytes, rows of 1 KB.
inline constexpr char const* hbm3_mapping = "skew:dramid@8;low:S5 C3 B1 P1 C2 G3 B1 R14";
inline constexpr char const* hbm3e_mapping = "skew:dramid@8;low:S5 C3 B1 P1 C2 G3 B1 R15";

} // namespace detail

/// The H100 SXM5 (Hopper, GH100): 132 cores, 50 MiB of L2 and five stacks of HBM3.
inline preset const& h100() {
    using namespace detail;
    auto const numbers = [] {
        char const* const same = "as the cores; FlashGPU-Sim has 1700 MHz where its cores have 1500";
        std::vector<preset_number> n = {
            {"clock.core", 1'980'000, documented,
             "NVIDIA H100 Tensor Core GPU Architecture: boost clock but for matrices, with which it is 1830 "
             "MHz"},
            {"clock.interconnect", 1'980'000, estimated, same},
            {"clock.l2", 1'980'000, estimated, same},
            {"clock.dram", 1'309'500, documented,
             "NVIDIA H100 data sheet: 3.35 TB/s over 5120 bits; 5.238 Gbit/s a pin, four in a cycle"},
            {"core.count", 132, documented, hopper_paper},
            {"core.threads", 2048, documented, guide},
            {"core.ctas", 32, documented, guide},
            {"core.shared_bytes", 233472, documented, guide},
            {"core.unified_bytes", 262144, documented, hopper_paper},
            {"l1d.size", 262144, documented, "the same, as a kernel without shared memory finds it"},
            {"l1d.ways", 512, documented, "the same: its lines in 4 sets, as FlashGPU-Sim has them"},
            {"lsu.l1_latency", 32, measured,
             "what makes 39.6 cycles of a hop of markdewing/AI_kernels' chase on an H100 SXM5"},
            {"lsu.shared_latency", 20, measured,
             "what makes 29.0 cycles of a hop: Johnsonms/NVIDIA-Hopper-Benchmark on an H100 SXM5, and Luo et "
             "al."},
            {"l2.size", 327680, documented, "NVIDIA H100 Tensor Core GPU Architecture: 50 MB, in 160 slices"},
            {"l2.ways", 20, documented, flash_h100},
            {"l2.mshr_entries", 512, documented, flash_h100},
            {"l2.mshr_merges", 96, documented, flash_h100},
            {"memory.channels", 80, documented, "five stacks of HBM3 with 16 channels of 64 bits each"},
            {"memory.slices", 2, documented, flash_h100},
            {"memory.rop_latency", 245, measured,
             "what makes 291 cycles of an L2 hit: markdewing/AI_kernels, pointer chase on an H100 SXM5"},
            {"memory.dram_latency", 328, measured,
             "what makes 700 cycles of an access to the DRAM: markdewing/AI_kernels, pointer chase on an "
             "H100 SXM5"},
            {"memory.dual_command_bus", 1, documented, "HBM has a row and a column bus"},
            {"core.tensor_start", 2, measured, mma_h100},
            {"core.tensor_pipeline", 8, measured, mma_h100},
            {"core.tensor_passes", 4, measured, mma_h100},
            {"cluster.cores", 16, estimated, "8 GPCs for 132 cores: eight groups hold a cluster of 16 each"},
            {"cluster.latency", 78, measured,
             "FlashGPU-Sim, configs/SM90_H200_CLUSTER132: each way; 181 to 207 cycles there and back in the "
             "logs of "
             "HPMLL/NVIDIA-Hopper-Benchmark"},
            {"cluster.bandwidth", 32, documented,
             "FlashGPU-Sim, configs/SM90_H200_CLUSTER132: a flit's payload"},
            {"cluster.barrier_latency", 156, estimated, "there and back; no source has it"},
            {"async.wait_latency", 32, documented, flash_h100},
            {"async.copy_queue", 48, documented,
             "FlashGPU-Sim (MICRO 2026), configs/SM90_H100: -gpgpu_tma_tx_quota"},
            {"async.copy_hold", 32, documented, flash_h100},
            {"async.copy_setup", 105, estimated,
             "HPMLL/NVIDIA-Hopper-Benchmark on an H800: a bulk copy of what the L2 has takes 104.6 cycles "
             "more than a "
             "load; its mbarrier takes what the L1 does"},
            {"async.tensor_setup", 0, estimated,
             "the tensor map is in the unit's cache; no source tells the two apart"},
            {"async.copy_request", 128, documented, flash_h100},
            {"async.copy_interval", 1, documented, flash_h100},
            {"async.copy_requests", 384, documented, flash_h100},
            {"network.speedup", 2, measured,
             "arXiv 2402.13499, Table V: 3942 bytes of the L2 in a cycle for the 114 cores of an H800 "
             "(ladders)"},
            {"network.outputs_in_turn", 0, estimated, "GPGPU-Sim's is of one packet in a cycle"},
            {"async.product_columns", 2, documented,
             "NVIDIA H100 Tensor Core GPU Architecture: 512 multiply-adds of f16 in a cycle and tensor core"},
            {"async.product_latency", 43, measured,
             "FlashGPU-Sim, configs/SM90_H200_CLUSTER132: a wait for m64nNk16 of f16 takes 43 + N / 2 "
             "cycles"},
        };
        append_no_tensor_memory(n);
        append_bypassing_core(n);
        append_times(n, 4, 2, {"int_add", "int_max", "int_mul", "int_mad", "other"}, measured,
                     "Johnsonms/NVIDIA-Hopper-Benchmark: 4.12 cycles on an H100, 63 lanes' work in a cycle");
        append_times(n, 8, 2, {"dp_add", "dp_max", "dp_mul", "dp_mad"}, measured,
                     "Johnsonms/NVIDIA-Hopper-Benchmark: 8.04 cycles on an H100, 63 lanes' work in a cycle");
        append_times(n, 110, 8, {"dp_div"}, measured, "FlashGPU-Sim (MICRO 2026), configs/SM90_H200");
        append_times(n, 19, 8, {"special"}, measured,
                     "FlashGPU-Sim (MICRO 2026), configs/SM90_H100: 18.91 cycles in a chain of ex2; 4 lanes");
        append_times(n, 24, 6, {"tensor"}, measured, mma_h100);
        append_classes(n, "core.tensor_rate", {"f16", "bf16"}, 512, measured, mma_h100);
        append_classes(n, "core.tensor_rate", {"tf32"}, 256, measured, mma_h100);
        append_classes(n, "core.tensor_rate", {"s8"}, 1024, measured, mma_h100);
        append_classes(n, "core.tensor_rate", {"b1"}, 8192, measured, mma_h100);
        append_classes(n, "core.tensor_rate", {"f8"}, 1024, documented, hopper_paper);
        append_classes(n, "core.tensor_rate", {"f64"}, 32, documented, hopper_paper);
        append_classes(
            n, "core.tensor_rate", {"s4"}, 27, measured,
            "Johnsonms/NVIDIA-Hopper-Benchmark: 107 multiply-adds in a cycle and core, made of other "
            "instructions");
        append_dram(n, dram::hbm3_lacks);
        append_dram_at(n, dram::hbm3_ramulator_numbers, 1'600'000, 1'309'500,
                       "Ramulator 2.1 HBM3_6400Mbps, HBM3_16Gb_8hi, at 5.238 Gbit/s: its times kept");
        return n;
    };
    static preset const p{
        "h100",       "H100 SXM5 (Hopper) by data sheets and microbenchmarks",
        nullptr,      numbers,
        hbm3_mapping, "estimated: the slice above 256 bytes, skewed by a hash; no map is published"};
    return p;
}

/// The H200 (Hopper, GH100): the cores of h100, six stacks of HBM3E, and the L2 that goes with them.
inline preset const& h200() {
    using namespace detail;
    auto const numbers = [] {
        char const* const sheet = "NVIDIA H200 data sheet: 4.8 TB/s over six stacks, 6144 bits";
        std::vector<preset_number> n = {
            {"clock.dram", 1'562'500, documented, sheet},
            {"memory.channels", 96, documented, sheet},
            {"l2.size", 327680, documented,
             "FlashGPU-Sim (MICRO 2026), configs/SM90_H200: the driver reports near 60 MiB, here 192 slices"},
            {"core.shared_bytes", 233472, documented, guide},
        };
        append_dram_at(
            n, dram::hbm3_ramulator_numbers, 1'600'000, 1'562'500,
            "HBM3E: JEDEC publishes no table of it; HBM3's rules (Ramulator 2.1 HBM3_6400Mbps) at the "
            "published data rate of 6.25 Gbit/s, its times kept");
        return n;
    };
    static preset const p{"h200",        "H200 (Hopper) by data sheets and the microbenchmarks of the H100",
                          &h100(),       numbers,
                          hbm3e_mapping, "estimated: as h100"};
    return p;
}

/// The GeForce RTX 5090 (Blackwell, GB202).
inline preset const& rtx5090() {
    using namespace detail;
    auto const numbers = [] {
        char const* const paper = "NVIDIA RTX Blackwell GPU Architecture (2025), GeForce RTX 5090";
        char const* const guide_12 = "CUDA C++ Programming Guide, compute capability 12.0";
        char const* const rate =
            "NVIDIA RTX Blackwell GPU Architecture: TFLOPS with 32-bit sums over cores and clock";
        char const* const none = "PTX ISA: wgmma needs sm_90a";
        std::vector<preset_number> n = {
            {"clock.core", 2'580'000, documented, flash_5090},
            {"clock.interconnect", 2'580'000, documented, flash_5090},
            {"clock.l2", 2'317'000, documented, flash_5090},
            {"clock.dram", 1'750'000, documented,
             "NVIDIA RTX Blackwell GPU Architecture: 28 Gbit/s a pin, 16 in a cycle"},
            {"core.count", 170, documented, paper},
            {"core.threads", 1536, documented, guide_12},
            {"core.ctas", 24, documented, guide_12},
            {"core.shared_bytes", 102400, documented, guide_12},
            {"core.unified_bytes", 131072, documented, paper},
            {"l1d.size", 131072, documented, "the same, as a kernel without shared memory finds it"},
            {"l1d.ways", 256, documented, "the same: its lines in 4 sets, as FlashGPU-Sim has them"},
            {"lsu.l1_latency", 36, measured,
             "what makes 44.1 cycles of a hop of markdewing/AI_kernels' chase on an RTX 5090"},
            {"lsu.shared_latency", 20, measured,
             "FlashGPU-Sim: 29 cycles of a hop on an RTX 5090, as on the H100"},
            {"l2.size", 786432, documented, "NVIDIA RTX Blackwell GPU Architecture: 96 MiB, in 128 slices"},
            {"l2.ways", 24, documented, flash_5090},
            {"l2.mshr_entries", 192, documented, flash_5090},
            {"l2.mshr_merges", 96, documented, flash_5090},
            {"memory.channels", 64, documented,
             "NVIDIA RTX Blackwell GPU Architecture: 512 bits, 8 to a channel of GDDR7"},
            {"memory.slices", 2, documented, "FlashGPU-Sim, configs/SM120_RTX5090: 128 slices of 768 KiB"},
            {"memory.rop_latency", 278, measured,
             "what makes 360 cycles of an L2 hit: markdewing/AI_kernels, pointer chase on an RTX 5090"},
            {"memory.dram_latency", 465, measured,
             "what makes 936 cycles of an access to the DRAM: markdewing/AI_kernels, pointer chase on an RTX "
             "5090"},
            {"memory.dual_command_bus", 0, documented, "GDDR7 has one command bus"},
            {"core.tensor_start", 0, measured, flash_5090},
            {"core.tensor_pipeline", 2, measured, flash_5090},
            {"core.tensor_passes", 1, measured,
             "the same, and Sun et al. of another GeForce, the RTX 3070 Ti"},
            {"cluster.cores", 16, documented,
             "NVIDIA RTX Blackwell GPU Architecture: a GPC has up to 16 cores"},
            {"async.wait_latency", 34, measured, flash_5090},
            {"async.copy_queue", 16, documented, flash_5090},
            {"async.copy_hold", 168, measured, flash_5090},
            {"async.copy_requests", 1024, documented, flash_5090},
            {"network.speedup", 1, estimated,
             "its L2's bandwidth is not published; an RTX 4090's is 13 bytes a core"},
            {"network.outputs_in_turn", 1, estimated, "GPGPU-Sim 4.x source: xbar_router::iSLIP_Advance"},
            {"async.product_columns", 0, documented, none},
            {"async.product_latency", 0, documented, none},
        };
        append_times(n, 4, 1, {"int_add", "int_max", "int_mul", "int_mad", "other"}, documented,
                     "FlashGPU-Sim, configs/SM120_RTX5090; all 32 lanes of a sub-core do integers, too");
        append_times(n, 64, 64, {"dp_add", "dp_max", "dp_mul", "dp_mad"}, documented, flash_5090);
        append_times(n, 330, 130, {"dp_div"}, documented, flash_5090);
        append_times(n, 18, 8, {"special"}, measured, "FlashGPU-Sim: 18 cycles in a chain of ex2; 4 lanes");
        append_times(n, 34, 32, {"tensor"}, measured, flash_5090);
        append_classes(n, "core.tensor_rate", {"f16", "bf16"}, 64, documented, rate);
        append_classes(n, "core.tensor_rate", {"tf32"}, 32, documented, rate);
        append_classes(n, "core.tensor_rate", {"f8"}, 128, documented, rate);
        append_classes(n, "core.tensor_rate", {"s8"}, 256, documented, rate);
        append_classes(n, "core.tensor_rate", {"f64", "s4", "b1"}, 1, estimated,
                       "no tensor core multiplies them; what does is slow, and nobody has measured it");
        for (auto const* const name : {"stacks", "pseudo_channels", "ccdr", "rrdl", "faw"})
            n.emplace_back(
                find_field(machine_numbers(), std::string("dram.") + name)->name.c_str(),
                std::string_view(name) == "stacks" || std::string_view(name) == "pseudo_channels" ? 1 : 0,
                documented, "of HBM alone, or without such a rule in Ramulator 2.1's GDDR7");
        append_dram(n, dram::gddr7_ramulator_numbers);
        return n;
    };
    static preset const p{"rtx5090",
                          "GeForce RTX 5090 (Blackwell) by data sheets and microbenchmarks",
                          &h100(),
                          numbers,
                          "skew:dramid@8;low:S5 C3 B1 C2 B3 R15",
                          "estimated: as h100"};
    return p;
}

/// The B200 (Blackwell, two dies of GB100), as one machine.
inline preset const& b200() {
    using namespace detail;
    auto const numbers = [] {
        char const* const b300 =
            "twice the A100's rate, an eighth of tcgen05's; a public survey of a B300 has m16n8k16 "
            "of f16 every 8.2 cycles, after 20.8";
        char const* const wgmma = "PTX ISA: wgmma is of sm_90a alone";
        std::vector<preset_number> n = {
            {"clock.core", 1'930'000, documented,
             "FlashGPU-Sim (MICRO 2026), configs/SM100_B200, its high clocks"},
            {"clock.interconnect", 1'930'000, documented, "the same"},
            {"clock.l2", 1'964'000, documented, "the same"},
            {"clock.dram", 1'998'000, documented,
             "FlashGPU-Sim (MICRO 2026), configs/SM100_B200: 3996 MHz twice a cycle, here four times"},
            {"core.count", 148, documented,
             "NVIDIA Blackwell: two dies of 74 cores; Chips and Cheese, Nvidia's B200"},
            {"l2.size", 557056, estimated,
             "126.5 MiB (markdewing/AI_kernels) in 240 slices, to a whole number of ways: 127.5 MiB"},
            {"l2.ways", 17, estimated, "see l2.size; 256 sets"},
            {"l2.mshr_entries", 768, documented, flash_b200},
            {"l2.mshr_merges", 128, documented, flash_b200},
            {"lsu.l1_latency", 32, measured,
             "what makes 39.6 cycles of a hop of markdewing/AI_kernels' chase"},
            {"lsu.shared_latency", 20, estimated, "as the H100's, of whose L1 its has the latency"},
            {"memory.channels", 120, documented,
             "FlashGPU-Sim (MICRO 2026), configs/SM100_B200: 7.67 TB/s, 64 bits of 3996 MHz to a channel"},
            {"memory.rop_latency", 252, measured,
             "what makes 294 cycles of an L2 hit: markdewing/AI_kernels, pointer chase on a B200"},
            {"memory.dram_latency", 496, measured,
             "what makes 859 cycles of an access to the DRAM: markdewing/AI_kernels, pointer chase on a "
             "B200"},
            {"core.tensor_start", 0, estimated, b300},
            {"core.tensor_pipeline", 5, estimated, b300},
            {"core.tensor_passes", 2, estimated, b300},
            {"cluster.cores", 18, estimated, "8 GPCs for 148 cores"},
            {"async.copy_requests", 3200, documented, flash_b200},
            {"async.copy_request", 32, documented, flash_b200},
            {"async.product_columns", 0, documented, wgmma},
            {"async.product_latency", 0, documented, wgmma},
            {"async.tensor_memory", 512, documented, "PTX ISA, Tensor Memory: 512 columns of 128 lanes"},
            {"async.tensor_columns", 2, documented,
             "data sheet: 2.25 PFLOP/s of f16, 8192 operations in a cycle and core: m128n256k16 in 128"},
            {"async.tensor_latency", 43, estimated, "as the H100's wgmma, behind as many columns in a cycle"},
            {"async.tensor_access", 20, estimated,
             "as a load from shared memory; a register of 32 lanes in a cycle"},
        };
        append_times(n, 18, 8, {"special"}, documented, "FlashGPU-Sim (MICRO 2026), configs/SM100_B200: ex2");
        append_times(n, 21, 8, {"tensor"}, estimated, b300);
        append_classes(n, "core.tensor_rate", {"f16", "bf16"}, 256, estimated, b300);
        append_classes(n, "core.tensor_rate", {"tf32"}, 128, estimated, b300);
        append_classes(n, "core.tensor_rate", {"f8", "s8"}, 512, estimated, b300);
        append_classes(n, "core.tensor_rate", {"b1"}, 4096, estimated, b300);
        append_dram_at(
            n, dram::hbm3_ramulator_numbers, 1'600'000, 1'998'000,
            "HBM3E: JEDEC publishes no table of it; HBM3's rules (Ramulator 2.1 HBM3_6400Mbps) at the "
            "published data rate of 7.99 Gbit/s, its times kept");
        return n;
    };
    static preset const p{"b200",        "B200 (Blackwell) by data sheets and microbenchmarks",
                          &h100(),       numbers,
                          hbm3e_mapping, "estimated: as h100"};
    return p;
}

} // namespace warpkit::preset_numbers
