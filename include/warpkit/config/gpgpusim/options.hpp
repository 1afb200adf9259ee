#pragma once
/// \file
/// Every option that GPGPU-Sim 3.x, GPGPU-Sim 4.x and Accel-Sim register, and what becomes of each: data that import,
/// its tests and its page read.
/// Sources: `option_parser_register` in their sources, the GPGPU-Sim 3.x manual.

#include <warpkit/config/settings.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::gpgpusim {

/// What becomes of an option.
enum class fate : std::uint8_t {
    mapped,  ///< it makes numbers or policies of the machine
    ignored, ///< it does not describe the machine
    not_modelled, ///< it describes something that the machine here has not; told, unless its value asks for nothing
    refused, ///< with it there is no machine, unless its value is the plain one
    renamed  ///< an earlier name of another option
};
constexpr char const* to_string(fate f) noexcept {
    constexpr char const* names[] = {"mapped", "ignored", "not modelled", "refused", "renamed"};
    return names[static_cast<unsigned>(f)];
}

/// One option.
struct simulator_option {
    char const* name;     ///< with its dash; '#' is a digit from 1 to 8
    char const* since;    ///< the first version that has it
    char const* until;    ///< the last one; empty: it is still there
    char const* standard; ///< its value where it is not given; null: none
    fate what;
    /// Of an option that is not modelled or refused: the values that ask for nothing, with bars between; empty: none
    /// does.
    char const* plain;
    char const* meaning;
    /// Mapped: the numbers and policies that it makes. Ignored: why. Not modelled: the effect. Refused: why, and the
    /// remedy. Renamed: the option that it is.
    char const* text;
};

namespace detail {
inline constexpr char const* function = "the functional simulation is this library's own";
inline constexpr char const* print = "tells the simulator what to print, count or check";
inline constexpr char const* power = "the machine's timing does not depend on the power model";
inline constexpr char const* host = "a limit of the CUDA runtime, not of the machine's timing";
inline constexpr char const* part = "runs a part of a program; lab fork and lab run --sample do that here";
inline constexpr char const* ways_out = "a set of operand collectors has as many ways out as in";
inline constexpr char const* carve = "no choice of shared memory by the host program: the standard one holds";
inline constexpr char const* second =
    "of GPGPU-Sim 2.x, whose machine is another one; configure a 3.x or later";
inline constexpr char const* demo = "an example of the option parser";
inline constexpr char const* cdp = "no launches from the device";
inline constexpr char const* host_pages =
    "no pages that move between host and device: all memory is the device's";
inline constexpr char const* of_unified = "-gddr_size tells what unified memory is worth";
inline constexpr char const* mixed = "one kernel at a time";
inline constexpr char const* halves = "the L2 is one: a core is as far from all its slices";
inline constexpr char const* of_mbarrier = "no mbarrier: instructions that try it are of class other";

inline constexpr simulator_option options[] = {
    // The machine as a whole
    {"-gpgpu_n_clusters", "3.0", "", "10", fate::mapped, "", "clusters of cores", "core.count"},
    {"-gpgpu_n_cores_per_cluster", "3.0", "", "3", fate::mapped, "", "cores of a cluster", "core.count"},
    {"-gpgpu_clock_domains", "3.0", "", "500.0:2000.0:2000.0:2000.0", fate::mapped, "",
     "MHz of cores, network, L2 and DRAM", "clock.core clock.interconnect clock.l2 clock.dram"},
    {"-gpgpu_compute_capability_major", "4.0", "", "7", fate::mapped, "", "generation",
     "core.max_registers_per_thread"},
    {"-gpgpu_compute_capability_minor", "4.0", "", "0", fate::mapped, "", "its step",
     "core.max_registers_per_thread"},
    {"-gpgpu_ptx_force_max_capability", "3.0", "", "0", fate::mapped, "", "generation that PTX is taken for",
     "core.max_registers_per_thread"},

    // Cores
    {"-gpgpu_shader_core_pipeline", "3.0", "", "1024:32", fate::mapped, "",
     "threads of a core and lanes of a warp", "core.threads"},
    {"-gpgpu_shader_registers", "3.0", "", "8192", fate::mapped, "", "registers of a core", "core.registers"},
    {"-gpgpu_shader_cta", "3.0", "", "32", fate::mapped, "", "CTAs of a core", "core.ctas"},
    {"-gpgpu_num_sched_per_core", "3.1", "", "1", fate::mapped, "", "warp schedulers of a core",
     "core.schedulers"},
    {"-gpgpu_scheduler", "3.2", "", "gto", fate::mapped, "", "warp scheduler", "warp_scheduler"},
    {"-gpgpu_num_sp_units", "3.1", "", "1", fate::mapped, "", "single-precision units", "core.sp_units"},
    {"-gpgpu_num_sfu_units", "3.1", "", "1", fate::mapped, "", "special-function units", "core.sfu_units"},
    {"-gpgpu_num_dp_units", "4.0", "", "0", fate::mapped, "", "double-precision units", "core.dp_units"},
    {"-gpgpu_num_int_units", "4.0", "", "0", fate::mapped, "", "integer units of their own",
     "core.int_units"},
    {"-gpgpu_num_tensor_core_units", "4.0", "", "0", fate::mapped, "", "tensor cores", "core.tensor_units"},
    {"-gpgpu_tensor_core_avail", "4.0", "", "0", fate::ignored, "", "whether there are tensor cores",
     "-gpgpu_num_tensor_core_units says it too"},
    {"-specialized_unit_#", "4.0", "", "0,4,4,4,4,BRA", fate::mapped, "", "a special unit of traces",
     "core.branch_units core.tensor_units core.uniform_units"},
    {"-ptx_opcode_latency_int", "3.1", "", "1,1,19,25,145,32", fate::mapped, "",
     "integer add, max, mul, mad, div and shuffle, in cycles",
     "core.latency.int_add core.latency.int_max core.latency.int_mul core.latency.int_mad "
     "core.latency.int_div "
     "core.latency.shuffle"},
    {"-ptx_opcode_initiation_int", "3.1", "", "1,1,4,4,32,4", fate::mapped, "", "likewise between two starts",
     "core.initiation.int_add core.initiation.int_max core.initiation.int_mul core.initiation.int_mad "
     "core.initiation.int_div core.initiation.shuffle"},
    {"-ptx_opcode_latency_fp", "3.1", "", "1,1,1,1,30", fate::mapped, "",
     "single-precision add, max, mul, mad, div",
     "core.latency.fp_add core.latency.fp_max core.latency.fp_mul core.latency.fp_mad core.latency.fp_div"},
    {"-ptx_opcode_initiation_fp", "3.1", "", "1,1,1,1,5", fate::mapped, "", "likewise between two starts",
     "core.initiation.fp_add core.initiation.fp_max core.initiation.fp_mul core.initiation.fp_mad "
     "core.initiation.fp_div"},
    {"-ptx_opcode_latency_dp", "3.1", "", "8,8,8,8,335", fate::mapped, "",
     "double-precision add, max, mul, mad, div",
     "core.latency.dp_add core.latency.dp_max core.latency.dp_mul core.latency.dp_mad core.latency.dp_div"},
    {"-ptx_opcode_initiation_dp", "3.1", "", "8,8,8,8,130", fate::mapped, "", "likewise between two starts",
     "core.initiation.dp_add core.initiation.dp_max core.initiation.dp_mul core.initiation.dp_mad "
     "core.initiation.dp_div"},
    {"-ptx_opcode_latency_sfu", "4.0", "", "8", fate::mapped, "", "special functions",
     "core.latency.special"},
    {"-opcode_latency_sfu", "4.0", "4.0", nullptr, fate::renamed, "", "", "-ptx_opcode_latency_sfu"},
    {"-ptx_opcode_initiation_sfu", "4.0", "", "8", fate::mapped, "", "likewise between two starts",
     "core.initiation.special"},
    {"-ptx_opcode_latency_tesnor", "4.0", "", "64", fate::mapped, "",
     "matrix instructions (spelled so there)", "core.latency.tensor"},
    {"-ptx_opcode_initiation_tensor", "4.0", "", "64", fate::mapped, "", "likewise between two starts",
     "core.initiation.tensor"},
    {"-trace_opcode_latency_initiation_int", "Accel-Sim 1.0", "", "4,1", fate::mapped, "",
     "integer instructions of a trace: cycles, and between two starts",
     "core.latency.int_add core.initiation.int_add lsu.constant_latency"},
    {"-trace_opcode_latency_initiation_sp", "Accel-Sim 1.0", "", "4,1", fate::mapped, "",
     "single-precision ones", "core.latency.fp_add core.initiation.fp_add"},
    {"-trace_opcode_latency_initiation_dp", "Accel-Sim 1.0", "", "4,1", fate::mapped, "",
     "double-precision ones", "core.latency.dp_add core.initiation.dp_add"},
    {"-trace_opcode_latency_initiation_sfu", "Accel-Sim 1.0", "", "4,1", fate::mapped, "",
     "special functions", "core.latency.special core.initiation.special"},
    {"-trace_opcode_latency_initiation_tensor", "Accel-Sim 1.0", "", "4,1", fate::mapped, "",
     "matrix instructions", "core.latency.tensor core.initiation.tensor"},
    {"-trace_opcode_latency_initiation_spec_op_#", "Accel-Sim 1.0", "", "4,4", fate::mapped, "",
     "instructions of a special unit",
     "core.latency.branch core.initiation.branch core.latency.tensor core.initiation.tensor "
     "core.latency.uniform "
     "core.initiation.uniform"},
    {"-gpgpu_pipeline_widths", "3.1", "", "1,1,1,1,1,1,1,1,1,1,1,1,1", fate::mapped, "",
     "instructions between two stages of the pipeline", "lsu.queue core.result_buses"},
    {"-gpgpu_max_insn_issue_per_warp", "3.1", "", "2", fate::mapped, "",
     "instructions of one warp issued in a cycle", "core.issue_width"},
    {"-gpgpu_dual_issue_diff_exec_units", "4.0", "", "1", fate::mapped, "",
     "whether two such go to different units", "core.issue_to_different"},
    {"-gpgpu_sub_core_model", "4.0", "", "0", fate::mapped, "",
     "each scheduler has its own registers and units", "core.sub_cores"},
    {"-sub_core_model", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_sub_core_model"},
    {"-gpgpu_inst_fetch_throughput", "4.0", "", "1", fate::mapped, "",
     "fetches of a core in a cycle, of two instructions each", "core.fetches"},
    {"-inst_fetch_throughput", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_inst_fetch_throughput"},
    {"-gpgpu_simd_model", "3.0", "", "1", fate::refused, "1", "how warps diverge",
     "other models than the stack of post-dominators are of GPGPU-Sim 2.x; set it to 1"},
    {"-gpgpu_num_cta_barriers", "3.2", "", "16", fate::ignored, "", "named barriers of a CTA",
     "there are 16"},
    {"-gpgpu_ignore_resources_limitation", "4.0", "", "0", fate::not_modelled, "0",
     "run CTAs that do not fit on a core", "a kernel whose CTA does not fit is refused"},
    {"-gpgpu_registers_per_block", "4.0", "", "8192", fate::ignored, "", "registers of a CTA", host},
    {"-gpgpu_shmem_per_block", "4.0", "", "49152", fate::ignored, "", "shared memory of a CTA", host},
    {"-gpgpu_occupancy_sm_number", "4.0", "", "0", fate::ignored, "", "generation for ptxas", function},
    {"-gpgpu_kernel_launch_latency", "4.0", "", "0", fate::mapped, "", "cycles from launch to start",
     "core.kernel_launch_cycles"},
    {"-gpgpu_TB_launch_latency", "4.0", "", "0", fate::mapped, "", "cycles for the launch of a CTA",
     "core.cta_launch_cycles"},
    {"-gpgpu_max_concurrent_kernel", "3.0", "", "32", fate::mapped, "", "kernels at once", "core.kernels"},
    {"-gpgpu_concurrent_kernel_sm", "4.0", "", "0", fate::mapped, "", "kernels at once on a core",
     "core.kernels kernel_dispatch"},
    {"-gpgpu_concurrent_mig", "CRISP", "", "0", fate::not_modelled, "0", "kernels on cores and slices apart",
     mixed},
    {"-gpgpu_concurrent_finegrain", "CRISP", "", "0", fate::not_modelled, "0", "kernels at once on a core",
     mixed},
    {"-gpgpu_slicer", "CRISP", "", "0", fate::not_modelled, "0", "warped slicer", mixed},
    {"-gpgpu_utility", "CRISP", "", "0", fate::not_modelled, "0", "utility-based cache partitioning", mixed},
    {"-gpgpu_graphics_sm_count", "CRISP", "", "8", fate::ignored, "", "cores for one of two kernels", mixed},
    {"-gpgpu_dynamic_sm_count", "CRISP", "", "4", fate::ignored, "", "cores for either of two kernels",
     mixed},
    {"-gpgpu_mps_sm_count", "CRISP", "", "12", fate::ignored, "", "cores for one of two kernels", mixed},
    {"-enable_max_cta_per_kernel", "CRISP", "", "0", fate::not_modelled, "0",
     "fewer CTAs of a kernel on a core", "as many as fit; lab run --limit static sets fewer"},
    {"-max_cta_per_kernel", "CRISP", "", "1", fate::ignored, "", "how many",
     "-enable_max_cta_per_kernel tells what it is worth"},
    {"-gpgpu_trywait_max_retries", "Accel-Sim 2.0", "", "5", fate::ignored, "", "tries of an mbarrier",
     of_mbarrier},
    {"-gpgpu_trywait_retry_cycles", "Accel-Sim 2.0", "", "200", fate::ignored, "", "cycles between them",
     of_mbarrier},
    {"-gpgpu_simt_core_sim_order", "3.1", "", "1", fate::ignored, "", "in which order cores are simulated",
     "results do not depend on it here"},
    {"-gpgpu_num_mem_units", "3.1", "", "1", fate::ignored, "", "load/store units", "without effect there"},

    // Operands
    {"-gpgpu_num_reg_banks", "3.0", "", "8", fate::mapped, "", "register banks", "core.register_banks"},
    {"-gpgpu_reg_bank_use_warp_id", "3.0", "", "0", fate::ignored, "", "banks differ by warp",
     "GPGPU-Sim 4.x does so whatever it says"},
    {"-gpgpu_reg_file_port_throughput", "4.0", "", "1", fate::mapped, "", "reads of a bank in a cycle",
     "core.operand_cycles core.writeback_cycles core.bank_accesses"},
    {"-gpgpu_enable_specialized_operand_collector", "4.0", "", "1", fate::mapped, "",
     "collectors by kind of unit", "core.collectors.sp"},
    {"-enable_specialized_operand_collector", "4.0", "4.0", nullptr, fate::renamed, "", "",
     "-gpgpu_enable_specialized_operand_collector"},
    {"-gpgpu_operand_collector_num_units_mem", "3.0", "", "2", fate::mapped, "", "collectors",
     "core.collectors.load_store lsu.queue"},
    {"-gpgpu_operand_collector_num_units_gen", "3.0", "", "0", fate::mapped, "", "collectors",
     "core.collectors.any lsu.queue"},
    {"-gpgpu_operand_collector_num_units_sp", "3.0", "", "4", fate::mapped, "", "collectors",
     "core.collectors.sp"},
    {"-gpgpu_operand_collector_num_units_dp", "4.0", "", "0", fate::mapped, "", "collectors",
     "core.collectors.dp"},
    {"-gpgpu_operand_collector_num_units_sfu", "3.0", "", "4", fate::mapped, "", "collectors",
     "core.collectors.sfu"},
    {"-gpgpu_operand_collector_num_units_int", "4.0", "", "0", fate::mapped, "", "collectors",
     "core.collectors.integer"},
    {"-gpgpu_operand_collector_num_units_tensor_core", "4.0", "", "4", fate::mapped, "", "collectors",
     "core.collectors.tensor"},
    {"-gpgpu_operand_collector_num_in_ports_sp", "3.0", "", "1", fate::mapped, "", "ports of collectors",
     "core.collector_ports.sp"},
    {"-gpgpu_operand_collector_num_in_ports_dp", "4.0", "", "0", fate::mapped, "", "ports of collectors",
     "core.collector_ports.dp"},
    {"-gpgpu_operand_collector_num_in_ports_sfu", "3.0", "", "1", fate::mapped, "", "ports of collectors",
     "core.collector_ports.sfu"},
    {"-gpgpu_operand_collector_num_in_ports_int", "4.0", "", "0", fate::mapped, "", "ports of collectors",
     "core.collector_ports.integer"},
    {"-gpgpu_operand_collector_num_in_ports_tensor_core", "4.0", "", "1", fate::mapped, "",
     "ports of collectors", "core.collector_ports.tensor"},
    {"-gpgpu_operand_collector_num_in_ports_mem", "3.0", "", "1", fate::mapped, "", "ports of collectors",
     "core.collector_ports.load_store"},
    {"-gpgpu_operand_collector_num_in_ports_gen", "3.0", "", "0", fate::mapped, "", "ports of collectors",
     "core.collector_ports.any"},
    {"-gpgpu_operand_collector_num_out_ports_sp", "3.0", "", "1", fate::not_modelled, "", "their ports",
     ways_out},
    {"-gpgpu_operand_collector_num_out_ports_dp", "4.0", "", "0", fate::not_modelled, "", "their ports",
     ways_out},
    {"-gpgpu_operand_collector_num_out_ports_sfu", "3.0", "", "1", fate::not_modelled, "", "their ports",
     ways_out},
    {"-gpgpu_operand_collector_num_out_ports_int", "4.0", "", "0", fate::not_modelled, "", "their ports",
     ways_out},
    {"-gpgpu_operand_collector_num_out_ports_tensor_core", "4.0", "", "1", fate::not_modelled, "",
     "their ports", ways_out},
    {"-gpgpu_operand_collector_num_out_ports_mem", "3.0", "", "1", fate::not_modelled, "", "their ports",
     ways_out},
    {"-gpgpu_operand_collector_num_out_ports_gen", "3.0", "", "0", fate::not_modelled, "", "their ports",
     ways_out},

    {"-gpgpu_opndcoll_model", "Accel-Sim 2.0", "", "0", fate::not_modelled, "0",
     "1: collectors without banks", "collectors read register banks"},

    // Caches of a core, shared memory
    {"-gpgpu_cache:il1", "3.0", "", "4:256:4,L:R:f:N,A:2:32,4", fate::mapped, "", "L1 instruction cache",
     "l1i.size l1i.ways l1i.line l1i.sector l1i.mshr_entries l1i.mshr_merges l1i.miss_queue"},
    {"-gpgpu_cache:dl1", "3.0", "", "none", fate::mapped, "", "L1 data cache",
     "l1d.size l1d.ways l1d.line l1d.sector l1d.mshr_entries l1d.mshr_merges l1d.miss_queue l1d"},
    {"-gpgpu_const_cache:l1", "3.0", "", "64:64:2,L:R:f:N,A:2:32,4", fate::mapped, "", "L1 constant cache",
     "l1c.size l1c.ways l1c.line l1c.sector l1c.mshr_entries l1c.mshr_merges l1c.miss_queue"},
    {"-gpgpu_tex_cache:l1", "3.0", "", "8:128:5,L:R:m:N,F:128:4,128:2", fate::mapped, "", "L1 texture cache",
     "l1t.size l1t.ways l1t.line l1t.sector l1t.mshr_entries l1t.mshr_merges l1t.miss_queue"},
    {"-gpgpu_perfect_inst_const_cache", "4.0", "", "0", fate::mapped, "", "constants and code always hit",
     "l1c.size l1i.size"},
    {"-perfect_inst_const_cache", "4.0", "4.0", nullptr, fate::renamed, "", "",
     "-gpgpu_perfect_inst_const_cache"},
    {"-gpgpu_perfect_mem", "3.0", "", "0", fate::mapped, "", "data always hits", "l1d"},
    {"-gpgpu_l1_latency", "4.0", "", "1", fate::mapped, "", "cycles to the L1 data cache", "lsu.l1_latency"},
    {"-l1_latency", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_l1_latency"},
    {"-gpgpu_l1_cache_write_ratio", "4.2", "", "0", fate::mapped, "", "per cent of lines with stores",
     "l1d.write_ratio"},
    {"-gpgpu_cache_write_ratio", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_l1_cache_write_ratio"},
    {"-gpgpu_perfect_l1", "CRISP", "", "0", fate::mapped, "", "the L1 data cache always hits", "l1d"},
    {"-ideal_mem_divergency", "4.0", "4.0", nullptr, fate::not_modelled, "0", "one transaction for each warp",
     "a warp makes as many transactions as its lanes need"},
    {"-bypass_policy", "4.0", "4.0", nullptr, fate::not_modelled, "0", "go past the L1 on set conflicts",
     "loads wait for a place in the L1; its policies by lab list caches"},
    {"-gpgpu_gmem_skip_L1D", "4.0", "", "0", fate::mapped, "", "global memory goes past the L1", "l1d.size"},
    {"-gmem_skip_L1D", "3.2", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_gmem_skip_L1D"},
    {"-gpgpu_adaptive_cache_config", "4.0", "", "0", fate::mapped, "",
     "the L1 is what a kernel leaves of the unified memory", "core.unified_bytes l1d.size"},
    {"-adaptive_cache_config", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_adaptive_cache_config"},
    {"-adaptive_volta_cache_config", "4.0", "4.0", nullptr, fate::renamed, "", "",
     "-gpgpu_adaptive_cache_config"},
    {"-adpative_volta_cache_config", "4.0", "4.0", nullptr, fate::renamed, "", "",
     "-gpgpu_adaptive_cache_config"},
    {"-gpgpu_unified_l1d_size", "4.2", "", "0", fate::mapped, "", "KiB of L1 and shared memory together",
     "core.unified_bytes l1d.size"},
    {"-gpgpu_shmem_option", "4.2", "", "0", fate::mapped, "", "KiB that shared memory can be", "l1d.size"},
    {"-gpgpu_l1_banks", "4.0", "", "1", fate::mapped, "", "banks of the L1", "lsu.l1_banks"},
    {"-l1_banks", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_l1_banks"},
    {"-gpgpu_l1_banks_byte_interleaving", "4.0", "", "32", fate::not_modelled, "32", "bytes of a bank",
     "banks of the L1 are sectors of 32 bytes"},
    {"-gpgpu_l1_banks_hashing_function", "4.0", "", "0", fate::not_modelled, "0", "the bank of an address",
     "the bank of the L1 is that of the sector's number, not hashed"},
    {"-gpgpu_mem_unit_ports", "4.0", "", "1", fate::not_modelled, "1",
     "transactions to the memory in a cycle", "the load/store unit sends one transaction in a cycle"},
    {"-mem_unit_ports", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_mem_unit_ports"},
    {"-gpgpu_n_ldst_response_buffer_size", "3.0", "", "2", fate::not_modelled, "2",
     "replies that a core holds", "replies wait in the network's ejection buffer"},
    {"-gpgpu_coalesce_arch", "3.0", "", "13", fate::mapped, "", "generation of coalescing", "coalescer"},
    {"-gpgpu_L1_warp_parts_cached", "4.0", "4.0", nullptr, fate::not_modelled, "", "parts of a warp",
     "a warp is coalesced as a whole"},
    {"-gpgpu_cache:dl1PrefL1", "3.2", "", "none", fate::ignored, "",
     "the L1 if the program asks for a large one", carve},
    {"-gpgpu_cache:dl1PrefShared", "4.0", "", "none", fate::ignored, "",
     "the L1 if it asks for shared memory", carve},
    {"-gpgpu_cache:dl1PreShared", "3.2", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_cache:dl1PrefShared"},
    {"-gpgpu_flush_l1_cache", "3.2", "", "0", fate::not_modelled, "1", "the L1 is emptied after each kernel",
     "it is emptied all the same"},
    {"-gpgpu_shmem_size", "3.0", "", "16384", fate::mapped, "", "shared memory of a core",
     "core.shared_bytes"},
    {"-gpgpu_shmem_sizeDefault", "4.0", "", "16384", fate::ignored, "", "the same for the CUDA runtime",
     host},
    {"-gpgpu_shmem_size_PrefL1", "3.2", "", "16384", fate::ignored, "", "if the program asks for a large L1",
     carve},
    {"-gpgpu_shmem_size_PrefShared", "3.2", "", "16384", fate::ignored, "", "if it asks for shared memory",
     carve},
    {"-gpgpu_smem_latency", "4.0", "", "3", fate::mapped, "", "cycles of shared memory",
     "lsu.shared_latency"},
    {"-smem_latency", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_smem_latency"},
    {"-gpgpu_shmem_num_banks", "3.1", "", "16", fate::mapped, "", "banks of shared memory",
     "lsu.shared_banks"},
    {"-gpgpu_shmem_limited_broadcast", "3.1", "", "1", fate::not_modelled, "0", "one broadcast in a cycle",
     "any number of words is broadcast at once"},
    {"-gpgpu_shmem_atomic_warp_parts", "4.2", "4.2", nullptr, fate::not_modelled, "1", "likewise for atomics",
     "conflicts are counted over whole warps"},
    {"-gpgpu_shmem_warp_parts", "3.0", "", "2", fate::not_modelled, "1", "parts of a warp for bank conflicts",
     "conflicts are counted over whole warps"},

    // Network
    {"-network_mode", "3.0", "", "1", fate::mapped, "", "1: intersim, 2: a crossbar of its own",
     "network.flit network.input_flits network.outputs_in_turn"},
    {"-inter_config_file", "3.0", "", "mesh", fate::mapped, "", "intersim's configuration",
     "network.flit network.speedup network.allocation network.input_flits network.output_flits"},
    {"-icnt_flit_size", "4.0", "", "32", fate::ignored, "", "bytes of a flit, for statistics",
     "the network's own file has it; the other crossbar moves whole packets"},
    {"-icnt_in_buffer_limit", "4.0", "", "64", fate::mapped, "", "packets before the crossbar",
     "network.input_flits"},
    {"-inct_in_buffer_limit", "4.0", "4.0", nullptr, fate::renamed, "", "", "-icnt_in_buffer_limit"},
    {"-icnt_out_buffer_limit", "4.0", "", "64", fate::mapped, "", "packets behind it",
     "network.output_flits"},
    {"-inct_out_buffer_limit", "4.0", "4.0", nullptr, fate::renamed, "", "", "-icnt_out_buffer_limit"},
    {"-icnt_subnets", "4.0", "", "2", fate::not_modelled, "2", "networks",
     "requests and replies have a network each"},
    {"-inct_subnets", "4.0", "4.0", nullptr, fate::renamed, "", "", "-icnt_subnets"},
    {"-icnt_arbiter_algo", "4.0", "", "1", fate::mapped, "", "0: round robin, 1: iSLIP",
     "network.outputs_in_turn"},
    {"-arbiter_algo", "4.0", "4.0", nullptr, fate::renamed, "", "", "-icnt_arbiter_algo"},
    {"-icnt_grant_cycles", "4.0", "", "1", fate::not_modelled, "1", "cycles that a grant lasts",
     "a grant lasts one packet"},
    {"-inct_grant_cycles", "4.0", "4.0", nullptr, fate::renamed, "", "", "-icnt_grant_cycles"},
    {"-icnt_verbose", "4.0", "", "0", fate::ignored, "", "messages", print},
    {"-inct_verbose", "4.0", "4.0", nullptr, fate::renamed, "", "", "-icnt_verbose"},
    {"-gpgpu_n_cluster_ejection_buffer_size", "3.0", "", "8", fate::mapped, "",
     "packets that a cluster holds", "network.ejection"},

    // L2 and memory partitions
    {"-gpgpu_n_mem", "3.0", "", "8", fate::mapped, "", "memory controllers", "memory.channels"},
    {"-gpgpu_n_sub_partition_per_mchannel", "3.2", "", "1", fate::mapped, "", "L2 slices of one",
     "memory.slices"},
    {"-gpgpu_cache:dl2", "3.0", "", "64:128:8,L:B:m:N,A:16:4,4", fate::mapped, "", "one L2 slice",
     "l2.size l2.ways l2.line l2.sector l2.mshr_entries l2.mshr_merges l2.miss_queue l2"},
    {"-gpgpu_cache:dl2_texture_only", "3.0", "", "1", fate::mapped, "", "the L2 serves textures alone",
     "l2.size"},
    {"-l2_ideal", "3.0", "", "0", fate::mapped, "", "the L2 always hits", "l2"},
    {"-gpgpu_perfect_l2", "CRISP", "", "0", fate::mapped, "", "the L2 always hits", "l2"},
    {"-gpgpu_skip_l2", "CRISP", "", "0", fate::mapped, "", "there is no L2", "l2.size"},
    {"-gpgpu_invalidate_l2", "CRISP", "", "0", fate::not_modelled, "0", "the L2 is emptied when CTAs end",
     "it keeps its lines"},
    {"-gpgpu_lrc_enabled", "Accel-Sim 2.0", "", "0", fate::not_modelled, "0",
     "a coalescer of requests to the L2", "requests of several cores for one line reach the L2 one by one"},
    {"-gpgpu_lrc_max_entries", "Accel-Sim 2.0", "", "256", fate::ignored, "", "its entries",
     "-gpgpu_lrc_enabled tells what it is worth"},
    {"-gpgpu_lrc_max_merged", "Accel-Sim 2.0", "", "32", fate::ignored, "", "requests of one",
     "-gpgpu_lrc_enabled tells what it is worth"},
    {"-gpgpu_n_chiplet_partition", "Accel-Sim 2.0", "", "1", fate::not_modelled, "1", "parts of the L2",
     halves},
    {"-gpgpu_chiplet_interleave", "Accel-Sim 2.0", "", "0", fate::ignored, "", "which cores are near which",
     halves},
    {"-chiplet_mem_stride", "Accel-Sim 2.0", "", "8192", fate::ignored, "", "which addresses", halves},
    {"-chiplet_partition_stride", "Accel-Sim 2.0", "", "8192", fate::ignored, "", "which addresses", halves},
    {"-inter_chiplet_queue_size", "Accel-Sim 2.0", "", "128", fate::ignored, "", "the queue between them",
     halves},
    {"-inter_chiplet_queue_latency", "Accel-Sim 2.0", "", "100", fate::ignored, "", "its cycles", halves},
    {"-gpgpu_flush_l2_cache", "3.2", "", "0", fate::not_modelled, "0", "the L2 is emptied after each kernel",
     "it keeps its lines"},
    {"-gpgpu_flush_cache", "3.0", "3.0", nullptr, fate::not_modelled, "0",
     "caches are emptied after each kernel", "the L1 data cache is, the L2 keeps its lines"},
    {"-gpgpu_dram_partition_queues", "3.0", "", "8:8:8:8", fate::mapped, "", "queues around the L2",
     "memory.l2_input_queue memory.l2_to_dram_queue memory.dram_to_l2_queue memory.l2_output_queue"},
    {"-gpgpu_l2_rop_latency", "4.0", "", "85", fate::mapped, "", "cycles from the network to the L2",
     "memory.rop_latency"},
    {"-rop_latency", "3.2", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_l2_rop_latency"},
    {"-dram_latency", "3.2", "", "30", fate::mapped, "", "cycles from the L2 to the DRAM queue",
     "memory.dram_latency"},
    {"-gpgpu_memory_partition_indexing", "4.0", "", "0", fate::mapped, "", "hash of the partition",
     "address_mapping"},
    {"-memory_partition_indexing", "4.0", "4.0", nullptr, fate::renamed, "", "",
     "-gpgpu_memory_partition_indexing"},
    {"-gpgpu_perf_sim_memcpy", "4.0", "", "1", fate::ignored, "", "copies to the device fill the L2",
     "a property of the run: lab run --copies"},
    {"-perf_sim_memcpy", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_perf_sim_memcpy"},

    // DRAM
    {"-gpgpu_dram_scheduler", "3.0", "", "1", fate::mapped, "", "0: in order, 1: FR-FCFS", "dram_scheduler"},
    {"-gpgpu_frfcfs_dram_sched_queue_size", "3.2", "", "0", fate::mapped, "", "requests it chooses among",
     "memory.dram_queue"},
    {"-gpgpu_dram_sched_queue_size", "3.0", "3.0", nullptr, fate::renamed, "", "",
     "-gpgpu_frfcfs_dram_sched_queue_size"},
    {"-gpgpu_dram_return_queue_size", "3.2", "", "0", fate::mapped, "", "requests whose data return",
     "memory.dram_return_queue"},
    {"-gpgpu_n_mem_per_ctrlr", "3.0", "", "1", fate::mapped, "", "chips of a controller", "dram.bus_bytes"},
    {"-gpgpu_dram_buswidth", "3.0", "", "4", fate::mapped, "", "bytes of a chip's bus", "dram.bus_bytes"},
    {"-gpgpu_dram_burst_length", "3.0", "", "4", fate::mapped, "", "beats of a burst", "dram.burst_length"},
    {"-dram_data_command_freq_ratio", "3.2", "", "2", fate::mapped, "", "beats of a command cycle",
     "dram.data_rate"},
    {"-gpgpu_dram_timing_opt", "3.0", "", "4:2:8:12:21:13:34:9:4:5:13:1:0:0", fate::mapped, "", "timings",
     "dram.banks dram.ccd dram.rrd dram.rcd dram.rcdwr dram.ras dram.rp dram.rc dram.cl dram.wl dram.cdlr "
     "dram.wr "
     "dram.bank_groups dram.ccdl dram.rtpl dram.rtp"},
    {"-gpgpu_mem_addr_mapping", "3.0", "", nullptr, fate::mapped, "", "address bits", "address_mapping"},
    {"-gpgpu_mem_address_mask", "3.0", "", "0", fate::mapped, "", "address bits where these are not given",
     "address_mapping"},
    {"-dram_bnk_indexing_policy", "4.0", "", "0", fate::mapped, "", "hash of the bank", "address_mapping"},
    {"-dram_bnkgrp_indexing_policy", "4.0", "", "0", fate::mapped, "", "which bits of the bank are its group",
     "dram.groups_by_low_bits"},
    {"-dram_dual_bus_interface", "4.0", "", "0", fate::mapped, "",
     "a bus for row and one for column commands", "memory.dual_command_bus"},
    {"-dual_bus_interface", "4.0", "4.0", nullptr, fate::renamed, "", "", "-dram_dual_bus_interface"},
    {"-dram_seperate_write_queue_enable", "4.0", "", "0", fate::not_modelled, "0",
     "a queue for writes (spelled so there)", "reads and writes share memory.dram_queue"},
    {"-Seperate_Write_Queue_Enable", "4.0", "4.0", nullptr, fate::renamed, "", "",
     "-dram_seperate_write_queue_enable"},
    {"-dram_write_queue_size", "4.0", "", "32:28:16", fate::ignored, "", "its size and marks",
     "-dram_seperate_write_queue_enable tells what it is worth"},
    {"-Write_Queue_Size", "4.0", "4.0", nullptr, fate::renamed, "", "", "-dram_write_queue_size"},
    {"-dram_elimnate_rw_turnaround", "4.0", "", "0", fate::not_modelled, "0",
     "no time between reads and writes (spelled so there)", "the bus is turned around as the timings say"},
    {"-Elimnate_rw_turnaround", "4.0", "4.0", nullptr, fate::renamed, "", "", "-dram_elimnate_rw_turnaround"},
    {"-gpgpu_simple_dram_model", "4.0", "", "0", fate::not_modelled, "0", "DRAM of one latency and bandwidth",
     "DRAM has all its timings"},
    {"-simple_dram_model", "4.0", "4.0", nullptr, fate::renamed, "", "", "-gpgpu_simple_dram_model"},

    {"-gpgpu_simple_dram_clock_multiplier", "Accel-Sim 2.0", "", "1", fate::ignored, "", "how fast that is",
     "-gpgpu_simple_dram_model tells what it is worth"},

    // Unified memory (the simulator's branch for it)
    {"-gddr_size", "UVM", "", "1GB", fate::not_modelled, "", "memory of the device", host_pages},
    {"-page_size", "UVM", "", "4KB", fate::ignored, "", "its pages", of_unified},
    {"-tlb_size", "UVM", "", "4096", fate::ignored, "", "TLB entries of a core", of_unified},
    {"-page_table_walk_latency", "UVM", "", "100", fate::ignored, "", "cycles of a page walk", of_unified},
    {"-page_fault_latency", "UVM", "", "66645", fate::ignored, "", "cycles of a fault", of_unified},
    {"-pcie_bandwidth", "UVM", "", "16.0GB/s", fate::ignored, "", "between host and device", of_unified},
    {"-eviction_policy", "UVM", "", "0", fate::ignored, "", "which page leaves", of_unified},
    {"-invalidate_clean", "UVM", "", "0", fate::ignored, "", "how clean pages leave", of_unified},
    {"-reserve_accessed_page_percent", "UVM", "", "0.0", fate::ignored, "", "pages that stay", of_unified},
    {"-percentage_of_free_page_buffer", "UVM", "", "0.0", fate::ignored, "", "when pages leave", of_unified},
    {"-hardware_prefetch", "UVM", "", "1", fate::ignored, "", "prefetch of pages", of_unified},
    {"-hwprefetch_oversub", "UVM", "", "0", fate::ignored, "", "the same where memory is full", of_unified},
    {"-enable_dma", "UVM", "", "0", fate::ignored, "", "access to the host's memory", of_unified},
    {"-migrate_threshold", "UVM", "", "10", fate::ignored, "", "accesses before a page moves", of_unified},
    {"-multiply_dma_penalty", "UVM", "", "0", fate::ignored, "", "the same where memory is full", of_unified},
    {"-enable_smart_runtime", "UVM", "", "0", fate::ignored, "", "patterns that choose among these",
     of_unified},
    {"-enable_accurate_simulation", "UVM", "", "0", fate::ignored, "", "functional page faults", of_unified},
    {"-skip_cycles_enable", "UVM", "", "0", fate::ignored, "", "how fast the simulator is", of_unified},
    {"-sim_prof_enable", "UVM", "", "0", fate::ignored, "", "a profile", print},

    // What a program does
    {"-SST_mode", "Accel-Sim 2.0", "", "0", fate::refused, "0", "the memory of another simulator",
     "there is no SST behind the cores; set it to 0"},
    {"-gpgpu_ptx_sim_mode", "3.0", "", "0", fate::refused, "0", "functional simulation without timing",
     "a machine without timing is none; set it to 0"},
    {"-gpgpu_ptx_convert_to_ptxplus", "3.0", "", "0", fate::ignored, "", "run PTXPlus", function},
    {"-gpgpu_ptx_save_converted_ptxplus", "3.0", "", "0", fate::ignored, "", "keep it", function},
    {"-gpgpu_ptx_use_cuobjdump", "3.1", "", "1", fate::ignored, "", "where code comes from", function},
    {"-gpgpu_experimental_lib_support", "3.1", "", "0", fate::ignored, "", "where code comes from", function},
    {"-gpgpu_ptx_instruction_classification", "3.0", "", "0", fate::ignored, "", "statistics", print},
    {"-gpgpu_ptx_inst_debug_to_file", "3.0", "", "0", fate::ignored, "", "messages", print},
    {"-gpgpu_ptx_inst_debug_file", "3.0", "", "inst_debug.txt", fate::ignored, "", "their file", print},
    {"-gpgpu_ptx_inst_debug_thread_uid", "3.0", "", "1", fate::ignored, "", "of which thread", print},
    {"-save_embedded_ptx", "3.0", "", "0", fate::ignored, "", "keep the code", function},
    {"-keep", "3.0", "", "0", fate::ignored, "", "keep files between", function},
    {"-gpgpu_local_mem_map", "3.0", "", "1", fate::ignored, "", "where local memory lies",
     "local memory is interleaved by thread, as is the standard there"},
    {"-fast_execution_mode", "4.0", "4.0", nullptr, fate::ignored, "", "how fast the simulator is", function},
    {"-gpgpu_stack_size_limit", "4.0", "", "1024", fate::ignored, "", "stack of a thread", host},
    {"-gpgpu_heap_size_limit", "4.0", "", "8388608", fate::ignored, "", "heap of the device", host},
    {"-gpgpu_runtime_sync_depth_limit", "4.0", "", "2", fate::ignored, "", "launches from the device", host},
    {"-gpgpu_runtime_pending_launch_count_limit", "4.0", "", "2048", fate::ignored, "", "launches that wait",
     host},
    {"-gpgpu_cdp_enabled", "4.0", "", "0", fate::not_modelled, "0", "launches from the device", cdp},
    {"-cdp_latency", "4.0", "", "7200,8000,100,12000,1600", fate::ignored, "", "their time",
     "-gpgpu_cdp_enabled tells what they are worth"},
    {"-trace", "Accel-Sim 1.0", "", "./traces/kernelslist.g", fate::ignored, "", "the traces to run",
     "a property of the run: lab run --trace"},
    {"-trace_driven_mode", "4.0", "4.0", nullptr, fate::ignored, "", "run traces",
     "a property of the run: lab run --trace"},
    {"-trace_skip_first_kernel", "4.0", "4.0", nullptr, fate::ignored, "", "leave the first kernel out",
     part},
    {"-gpgpu_max_cycle", "3.0", "", "0", fate::not_modelled, "0", "stop after so many cycles", part},
    {"-gpgpu_max_insn", "3.0", "", "0", fate::not_modelled, "0", "stop after so many instructions", part},
    {"-gpgpu_max_cta", "3.0", "", "0", fate::not_modelled, "0", "stop after so many CTAs", part},
    {"-gpgpu_max_completed_cta", "4.0", "", "0", fate::not_modelled, "0", "stop after so many CTAs", part},
    {"-checkpoint_option", "4.0", "", "0", fate::not_modelled, "0", "checkpoints", part},
    {"-checkpoint_kernel", "4.0", "", "1", fate::ignored, "", "checkpoints", part},
    {"-checkpoint_CTA", "4.0", "", "0", fate::ignored, "", "checkpoints", part},
    {"-checkpoint_CTA_t", "4.0", "", "0", fate::ignored, "", "checkpoints", part},
    {"-checkpoint_insn_Y", "4.0", "", "0", fate::ignored, "", "checkpoints", part},
    {"-resume_option", "4.0", "", "0", fate::not_modelled, "0", "checkpoints", part},
    {"-resume_kernel", "4.0", "", "0", fate::ignored, "", "checkpoints", part},
    {"-resume_CTA", "4.0", "", "0", fate::ignored, "", "checkpoints", part},

    // Messages, statistics, power
    {"-gpgpu_runtime_stat", "3.0", "", "10000:0", fate::ignored, "", "statistics", print},
    {"-gpgpu_memlatency_stat", "3.0", "", "0", fate::ignored, "", "statistics", print},
    {"-gpgpu_warpdistro_shader", "3.0", "", "-1", fate::ignored, "", "statistics", print},
    {"-gpgpu_warp_issue_shader", "3.2", "", "0", fate::ignored, "", "statistics", print},
    {"-gpgpu_cflog_interval", "3.0", "", "0", fate::ignored, "", "statistics", print},
    {"-enable_ptx_file_line_stats", "3.0", "", "1", fate::ignored, "", "statistics", print},
    {"-ptx_line_stats_filename", "3.0", "", "gpgpu_inst_stats.txt", fate::ignored, "", "statistics", print},
    {"-gpgpu_deadlock_detect", "3.0", "", "1", fate::ignored, "", "stop where nothing moves", print},
    {"-liveness_message_freq", "3.2", "", "1", fate::ignored, "", "messages", print},
    {"-gpgpu_mem_addr_test", "3.2", "", "0", fate::ignored, "", "a check of the address map", print},
    {"-visualizer_enabled", "3.0", "", "1", fate::ignored, "", "a log", print},
    {"-visualizer_outputfile", "3.0", "", nullptr, fate::ignored, "", "its file", print},
    {"-visualizer_zlevel", "3.0", "", "6", fate::ignored, "", "its compression", print},
    {"-trace_enabled", "3.2", "", "0", fate::ignored, "", "messages", print},
    {"-trace_components", "3.2", "", "none", fate::ignored, "", "which", print},
    {"-trace_sampling_core", "3.2", "", "0", fate::ignored, "", "of which core", print},
    {"-trace_sampling_memory_partition", "3.2", "", "-1", fate::ignored, "", "of which partition", print},
    {"-power_simulation_enabled", "3.2", "", "0", fate::ignored, "", "power", power},
    {"-power_simulation_mode", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-gpuwattch_xml_file", "3.2", "4.0", nullptr, fate::ignored, "", "power", power},
    {"-mcpat_xml_file", "3.2", "3.2", nullptr, fate::ignored, "", "power", power},
    {"-accelwattch_xml_file", "4.2", "", "accelwattch_sass_sim.xml", fate::ignored, "", "power", power},
    {"-hw_perf_file_name", "4.2", "", "hw_perf.csv", fate::ignored, "", "power", power},
    {"-hw_perf_bench_name", "4.2", "", "", fate::ignored, "", "power", power},
    {"-dvfs_enabled", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-aggregate_power_stats", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-power_per_cycle_dump", "3.2", "", "0", fate::ignored, "", "power", power},
    {"-power_trace_enabled", "3.2", "", "0", fate::ignored, "", "power", power},
    {"-power_trace_zlevel", "3.2", "", "6", fate::ignored, "", "power", power},
    {"-steady_power_levels_enabled", "3.2", "", "0", fate::ignored, "", "power", power},
    {"-steady_state_definition", "3.2", "", "8:4", fate::ignored, "", "power", power},
    {"-gpgpu_clock_gated_reg_file", "3.2", "", "0", fate::ignored, "", "power", power},
    {"-gpgpu_clock_gated_lanes", "3.2", "", "0", fate::ignored, "", "power", power},
    {"-n_regfile_gating_group", "3.2", "", "4", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L1_RH", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L1_RM", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L1_WH", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L1_WM", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L2_RH", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L2_RM", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L2_WH", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_L2_WM", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_CC_ACC", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_SHARED_ACC", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_DRAM_RD", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_DRAM_WR", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_NOC", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_PIPE_DUTY", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_NUM_SM_IDLE", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_CYCLES", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-accelwattch_hybrid_perfsim_VOLTAGE", "4.2", "", "0", fate::ignored, "", "power", power},
    {"-idata", "3.0", "", "-456", fate::ignored, "", "", demo},
    {"-fdata", "3.0", "", "0.001", fate::ignored, "", "", demo},
    {"-sdata", "3.0", "", "hellow", fate::ignored, "", "", demo},
    {"-ulldata", "3.0", "", "0x123456789abcdef1", fate::ignored, "", "", demo},
    {"-someflag", "3.0", "", "0", fate::ignored, "", "", demo},
    {"-otherflag", "3.0", "", "1", fate::ignored, "", "", demo},
    {"-coption", "3.0", "", nullptr, fate::ignored, "", "", demo},

    // GPGPU-Sim 2.x
    {"-gpgpu_n_shader", "2.1", "2.1", nullptr, fate::refused, "", "cores", second},
    {"-gpu_concentration", "2.1", "2.1", nullptr, fate::refused, "", "cores of a port", second},
    {"-gpgpu_pdom_sched_type", "2.1", "2.1", nullptr, fate::refused, "", "warp scheduler", second},
    {"-gpgpu_no_dl1", "2.1", "2.1", nullptr, fate::refused, "", "no L1", second},
    {"-gpu_n_mshr_per_shader", "2.1", "2.1", nullptr, fate::refused, "", "MSHRs of a core", second},
    {"-gpgpu_interwarp_mshr_merge", "2.1", "2.1", nullptr, fate::refused, "", "merging", second},
    {"-gpgpu_L2_queue", "2.1", "2.1", nullptr, fate::refused, "", "queues of the L2", second},
    {"-gpgpu_l2_readoverwrite", "2.1", "2.1", nullptr, fate::refused, "", "reads before writes", second},
    {"-gpgpu_cache_wt_through", "2.1", "2.1", nullptr, fate::refused, "", "write-through L1", second},
    {"-gpgpu_cache_bkconflict", "2.1", "2.1", nullptr, fate::refused, "", "bank conflicts", second},
    {"-gpgpu_n_cache_bank", "2.1", "2.1", nullptr, fate::refused, "", "banks", second},
    {"-gpgpu_cache_port_per_bank", "2.1", "2.1", nullptr, fate::refused, "", "ports", second},
    {"-gpgpu_const_port_per_bank", "2.1", "2.1", nullptr, fate::refused, "", "ports", second},
    {"-gpgpu_shmem_bkconflict", "2.1", "2.1", nullptr, fate::refused, "", "bank conflicts", second},
    {"-gpgpu_shmem_pipe_speedup", "2.1", "2.1", nullptr, fate::refused, "", "parts of a warp", second},
    {"-gpgpu_shmem_port_per_bank", "2.1", "2.1", nullptr, fate::refused, "", "ports", second},
    {"-gpgpu_reg_bankconflict", "2.1", "2.1", nullptr, fate::refused, "", "register banks", second},
    {"-gpgpu_reg_bank_conflict_model", "2.1", "2.1", nullptr, fate::refused, "", "register banks", second},
    {"-gpgpu_operand_collector", "2.1", "2.1", nullptr, fate::refused, "", "operand collector", second},
    {"-gpgpu_operand_collector_num_units", "2.1", "2.1", nullptr, fate::refused, "", "operand collector",
     second},
    {"-gpgpu_pre_mem_stages", "2.1", "2.1", nullptr, fate::refused, "", "pipeline stages", second},
    {"-gpgpu_strict_simd_wrbk", "2.1", "2.1", nullptr, fate::refused, "", "write-back", second},
    {"-gpgpu_no_divg_load", "2.1", "2.1", nullptr, fate::refused, "", "divergent loads", second},
    {"-gpgpu_partial_write_mask", "2.1", "2.1", nullptr, fate::refused, "", "partial writes", second},
    {"-gpgpu_thread_swizzling", "2.1", "2.1", nullptr, fate::refused, "", "swizzling", second},
    {"-gpgpu_spread_blocks_across_cores", "2.1", "2.1", nullptr, fate::refused, "", "dispatch of CTAs",
     second},
    {"-gpgpu_stall_on_use", "2.1", "2.1", nullptr, fate::refused, "", "stalls", second},
    {"-gpgpu_sm_uarch", "2.1", "2.1", nullptr, fate::refused, "", "model of a core", second},
    {"-gpgpu_cuda_sim", "2.1", "2.1", nullptr, fate::refused, "", "PTX", second},
    {"-gpgpu_dwf_heuristic", "2.1", "2.1", nullptr, fate::refused, "", "dynamic warp formation", second},
    {"-gpgpu_dwf_hw", "2.1", "2.1", nullptr, fate::refused, "", "dynamic warp formation", second},
    {"-gpgpu_dwf_regbk", "2.1", "2.1", nullptr, fate::refused, "", "dynamic warp formation", second},
};

/// Whether `name` is what `pattern` stands for: '#' is a digit from 1 to 8.
constexpr bool is_called(std::string_view pattern, std::string_view name) noexcept {
    if (pattern.size() != name.size()) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
        if (pattern[i] == '#' ? name[i] < '1' || name[i] > '8' : pattern[i] != name[i]) return false;
    return true;
}
} // namespace detail

/// All options, in groups.
inline std::span<simulator_option const> simulator_options() noexcept { return detail::options; }

/// The option of that name, or null; renamed ones are not followed.
inline simulator_option const* find_option(std::string_view name) noexcept {
    for (auto const& o : detail::options)
        if (detail::is_called(o.name, name)) return &o;
    return nullptr;
}

/// Whether a value of an option that is not modelled, or refused, asks for nothing.
inline bool is_plain(simulator_option const& o, std::string_view value) noexcept {
    std::string_view left = o.plain;
    while (!left.empty()) {
        auto const bar = left.find('|');
        if (left.substr(0, bar) == value) return true;
        left = bar == left.npos ? std::string_view() : left.substr(bar + 1);
    }
    return false;
}

/// All names, for the nearest one.
inline std::vector<std::string> option_names() {
    std::vector<std::string> names;
    for (auto const& o : detail::options) names.emplace_back(o.name);
    return names;
}

} // namespace warpkit::gpgpusim
