#pragma once
/// \file
/// The numbers of a machine, reflected: each has a name for `--set name=value`, a unit and a meaning.

#include <warpkit/config/reflect.hpp>
#include <warpkit/machine/parameters.hpp>

// clang-format off
WARPKIT_REFLECT(warpkit::clock_numbers, core, interconnect, l2, dram);
WARPKIT_REFLECT(warpkit::core_numbers, count, threads, ctas, registers, shared_bytes, unified_bytes, schedulers,
    instruction_buffer, fetch_bytes, instruction_bytes, fetches, l1i_cycles, l15i_cycles, first_fetch, fetch_into_room,
    perfect_branches,
    kernel_launch_cycles, cta_launch_cycles, kernels, issue_width, issue_to_different, sub_cores,
    sp_units, int_units, sfu_units, dp_units, tensor_units, branch_units, uniform_units,
    operand_cycles, register_banks, bank_accesses, read_window, register_cache, control_bits, result_buses, collectors,
    collector_ports, latches,
    writeback_cycles, blocking_loads, blocking_atomics, max_registers_per_thread, scheduled_code, latency, initiation,
    tensor_rate, tensor_start, tensor_pipeline, tensor_passes);
WARPKIT_REFLECT(warpkit::cache_numbers, size, ways, line, sector, mshr_entries, mshr_merges, miss_queue,
    write_ratio);
WARPKIT_REFLECT(warpkit::load_store_numbers, l1_latency, l1_banks, shared_latency, shared_banks,
    constant_latency, writeback_port, queue);
WARPKIT_REFLECT(warpkit::translation_numbers, l1_entries, l1_ways, l1_mshrs, l2_entries, l2_ways, l2_ports,
    l2_latency, walkers, walk_levels, walk_latency, walk_cache, page);
WARPKIT_REFLECT(warpkit::asynchronous_numbers, wait_latency, copy_queue, copy_hold, copy_setup, tensor_setup,
    copy_request, copy_interval, copy_requests, product_columns, product_latency, tensor_memory,
    tensor_columns, tensor_latency, tensor_access);
WARPKIT_REFLECT(warpkit::cluster_numbers, cores, latency, bandwidth, barrier_latency);
WARPKIT_REFLECT(warpkit::network_numbers, flit, link_cycles, speedup, allocation, outputs_in_turn, input_flits,
    output_flits, ejection, columns, rows, virtual_channels, channel_flits, router_cycles, channel_cycles);
WARPKIT_REFLECT(warpkit::memory_numbers, channels, slices, rop_latency, far_latency, dram_latency, l2_input_queue,
    l2_to_dram_queue, dram_to_l2_queue, l2_output_queue, dram_queue, dram_return_queue, dual_command_bus,
    prefetch_lower, prefetch_higher, prefetch_threshold, prefetch_shift, prefetch_skips_resident);
WARPKIT_REFLECT(warpkit::dram::timing, banks, bank_groups, groups_by_low_bits, pseudo_channels, ranks, stacks,
    bus_bytes, burst_length, data_rate, ccd, ccdl, rrd, rcd, rcdwr, ras, rp, rc, cl, wl, cdlr, wr, rtp, rtpl, rrdl, faw,
    aw32, rtw, cdlrl, ppd, rtpa, act_cycles, column_cycles, ccdlwr, ccdr, rtrs, refi, rfc, refipb, rfcpb, rrefd,
    same_bank, rfm);
WARPKIT_REFLECT(warpkit::gpu_parameters, name, clock, core, l0i, l1i, l15i, l1d, l1c, l1t, lsu, tlb, async, cluster,
    network, l2, memory, dram, address_mapping, memory_nodes, l1d_variant, l2_variant, dram_checker, row_sharing,
    policy_parameters);
// clang-format on

namespace warpkit {

template <>
struct member_notes<clock_numbers> {
    static constexpr member_note rows[] = {
        {"core", "kHz", "clock of the cores; a warp of 32 lanes starts in one cycle"},
        {"interconnect", "kHz", "clock of the networks"},
        {"l2", "kHz", "clock of the L2 slices"},
        {"dram", "kHz", "command clock of the DRAM"},
    };
};

template <>
struct member_notes<core_numbers> {
    static constexpr member_note rows[] = {
        {"count", "", "cores (SMs) in the machine"},
        {"threads", "", "resident threads per core"},
        {"ctas", "", "resident CTAs per core"},
        {"registers", "", "32-bit registers per core"},
        {"shared_bytes", "bytes", "shared memory per core"},
        {"unified_bytes", "bytes",
         "L1 data cache and shared memory together: the L1 is what a kernel leaves, at most l1d.size; 0: "
         "always "
         "that"},
        {"schedulers", "", "warp schedulers per core; slot w belongs to scheduler w mod schedulers"},
        {"instruction_buffer", "", "decoded instructions held per warp"},
        {"fetch_bytes", "bytes", "one instruction fetch, clipped at the end of its line"},
        {"instruction_bytes", "bytes", "size of an instruction in memory"},
        {"fetches", "", "fetches in a cycle, each behind a decode"},
        {"l1i_cycles", "cycles", "from the L1 instruction cache to an L0"},
        {"l15i_cycles", "cycles", "from the L1.5 instruction cache to the L1"},
        {"first_fetch", "", "warp slot at which fetching in turn begins in each kernel"},
        {"fetch_into_room", "",
         "1: a warp is fetched for while its instruction buffer has room; 0: when it is empty"},
        {"perfect_branches", "", "1: fetch and decode follow the warp's own path, whatever the branches"},
        {"kernel_launch_cycles", "cycles", "from the beginning of a kernel to its first CTA"},
        {"cta_launch_cycles", "cycles", "more of them for each CTA of its grid"},
        {"kernels", "", "kernels at once, where streams let them; 1: one after the other"},
        {"issue_width", "", "instructions of one warp that a scheduler issues in a cycle"},
        {"issue_to_different", "", "1: several in a cycle go to units of different kinds"},
        {"sub_cores", "",
         "parts of the core, each with its share of schedulers and units; 1: they share all"},
        {"sp_units", "", "single-precision units per core"},
        {"int_units", "", "integer units per core; 0: the sp_units execute integer instructions"},
        {"sfu_units", "", "special-function units per core"},
        {"dp_units", "", "double-precision units per core; 0: the sfu_units execute its instructions"},
        {"tensor_units", "", "tensor cores per core; 0: the sp_units execute matrix instructions"},
        {"branch_units", "", "branch units per core; 0: those for integers execute branches"},
        {"uniform_units", "", "uniform units per core; 0: those for integers execute uniform instructions"},
        {"operand_cycles", "cycles", "issue to execution: operand collection, where register_banks is 0"},
        {"register_banks", "",
         "register banks behind operand collectors or read stages, all sub-cores together; 0: neither"},
        {"bank_accesses", "", "accesses to each register bank in a cycle"},
        {"read_window", "cycles",
         "fixed read stages: in which an instruction reads its operands; 0: operand collectors"},
        {"register_cache", "",
         "with read stages: operands of an instruction that a bank's entry of the register cache is for"},
        {"control_bits", "", "1: kernels without control bits have those that a compiler would give them"},
        {"result_buses", "", "with collectors: results of units that are written in a cycle; 0: any number"},
        {"collectors", "", "operand collectors of this set, all sub-cores together", collector_set_names},
        {"collector_ports", "", "instructions that enter this set of collectors at once, and leave it",
         collector_set_names},
        {"latches",
         "",
         "instructions that wait before the collectors for this kind of unit, and behind them",
         {unit_kind_names, unit_kind_count}},
        {"writeback_cycles", "cycles", "result to dependent issue"},
        {"blocking_loads", "",
         "1: a warp issues nothing while it waits for a load, whether it needs it or not"},
        {"blocking_atomics", "", "1: a warp issues nothing while an atomic of it is under way"},
        {"max_registers_per_thread", "",
         "registers that the compiler of this generation may use before it spills"},
        {"scheduled_code", "",
         "1: the instructions of PTX stand in the order of list scheduling, block by block; 0: as in the "
         "text"},
        {"latency", "cycles", "execution latency of this class of instruction", op_class_names},
        {"initiation", "cycles", "between two starts of this class in one unit", op_class_names},
        {"tensor_rate",
         "",
         "multiply-adds of a tensor core in a cycle, with factors of this type; 0: latency.tensor and "
         "initiation.tensor, whatever the shape",
         {matrix_element_names, matrix_element_count}},
        {"tensor_start", "cycles",
         "with a tensor_rate: of the initiation, beyond those of the multiply-adds"},
        {"tensor_pipeline", "cycles", "with a tensor_rate: of the latency, whatever the shape"},
        {"tensor_passes", "", "with a tensor_rate: cycles of the latency for each of the multiply-adds"},
    };
};

template <>
struct member_notes<cache_numbers> {
    static constexpr member_note rows[] = {
        {"size", "bytes", "capacity; 0 switches the cache off, and makes an instruction cache perfect"},
        {"ways", "", "associativity"},
        {"line", "bytes", "line size"},
        {"sector", "bytes", "sector size; equals the line size when the cache is not sectored"},
        {"mshr_entries", "", "lines that may be outstanding"},
        {"mshr_merges", "", "accesses that may wait for one line, the first included"},
        {"miss_queue", "", "requests on their way to the next level"},
        {"write_ratio", "",
         "percent of the lines; as long as fewer have been stored to, those that have are not replaced"},
    };
};

template <>
struct member_notes<load_store_numbers> {
    static constexpr member_note rows[] = {
        {"l1_latency", "cycles", "from the load/store unit to the look-up in the L1 data cache"},
        {"l1_banks", "",
         "banks of the L1 data cache, by sectors of 32 bytes; each takes a transaction a cycle"},
        {"shared_latency", "cycles", "shared-memory load without bank conflict"},
        {"shared_banks", "", "4-byte banks of the shared memory"},
        {"constant_latency", "cycles",
         "hit in the constant cache; every constant or parameter load without one"},
        {"writeback_port", "",
         "1: one answer of memory is written in a cycle, a hit of the L1D at once; with register_banks"},
        {"queue", "", "memory instructions between issue and the load/store unit"},
    };
};

template <>
struct member_notes<translation_numbers> {
    static constexpr member_note rows[] = {
        {"l1_entries", "", "pages in the TLB of each core; 0: addresses are not translated"},
        {"l1_ways", "", "its associativity"},
        {"l1_mshrs", "", "pages that a core waits for at once"},
        {"l2_entries", "", "pages in the TLB that all cores share; 0: each miss is a page walk"},
        {"l2_ways", "", "its associativity"},
        {"l2_ports", "", "look-ups of it in a cycle"},
        {"l2_latency", "cycles", "from its look-up to the answer, or to the walkers"},
        {"walkers", "", "page walks at once"},
        {"walk_levels", "", "levels of the page table: accesses of a walk that finds nothing kept"},
        {"walk_latency", "cycles", "each access of a walk to the page table"},
        {"walk_cache", "", "entries of upper levels that are kept for walks; 0: none"},
        {"page", "bytes", "page size"},
    };
};

template <>
struct member_notes<asynchronous_numbers> {
    static constexpr member_note rows[] = {
        {"wait_latency", "cycles",
         "from mbarrier.test_wait or .try_wait to the warp's next instruction, when the phase is over"},
        {"copy_queue", "", "bulk copies (TMA) that a core's unit holds; 0: there is no such unit"},
        {"copy_hold", "cycles", "from the issue of a bulk copy to the warp's next instruction"},
        {"copy_setup", "cycles", "from the unit's queue to a copy's first request"},
        {"tensor_setup", "cycles", "more of them where a tensor map is read"},
        {"copy_request", "bytes", "a request of a bulk copy at most"},
        {"copy_interval", "cycles", "between two requests of bulk copies"},
        {"copy_requests", "", "requests of bulk copies under way"},
        {"product_columns", "",
         "columns of a wgmma's result that a sub-core's tensor cores finish in a cycle; 0: there are none"},
        {"product_latency", "cycles", "of a wgmma, behind the cycles in which it takes the tensor cores"},
        {"tensor_memory", "", "columns of tensor memory (tcgen05) of a core; 0: there is none"},
        {"tensor_columns", "",
         "columns of a tcgen05.mma's result that a core's tensor cores finish in a cycle"},
        {"tensor_latency", "cycles",
         "of a tcgen05.mma, behind the cycles in which it takes the tensor cores"},
        {"tensor_access", "cycles", "of tcgen05.ld and .st, behind a cycle for each register"},
    };
};

template <>
struct member_notes<cluster_numbers> {
    static constexpr member_note rows[] = {
        {"cores", "", "cores of a group (GPC), which holds whole clusters of CTAs; 0: there are no clusters"},
        {"latency", "cycles", "from core to core of a group, on each way; at least that of a network link"},
        {"bandwidth", "bytes", "that a core sends to others of its group in a cycle, and receives"},
        {"barrier_latency", "cycles",
         "from the last arrival at a cluster's barrier to the release; at least that of a network link"},
    };
};

template <>
struct member_notes<network_numbers> {
    static constexpr member_note rows[] = {
        {"flit", "bytes", "what a port moves at once"},
        {"link_cycles", "cycles", "interconnect cycles from a node into the network, and again out of it"},
        {"speedup", "", "flits that a port moves per interconnect cycle"},
        {"allocation", "",
         "of a crossbar: flits that a port could have moved while a packet is given its way"},
        {"outputs_in_turn", "",
         "of a crossbar: 1: outputs choose one behind the other, so that an input may serve several in a "
         "cycle; with speedup 1 and allocation 0"},
        {"input_flits", "", "flits buffered per input"},
        {"output_flits", "", "flits buffered per output, between switch and link"},
        {"ejection", "", "packets buffered at a receiving node"},
        {"columns", "", "of a mesh: its columns; node n lies in column n mod columns"},
        {"rows", "", "of a mesh: its rows"},
        {"virtual_channels", "", "of a mesh: buffers of each router input"},
        {"channel_flits", "", "of a mesh: flits in each of these buffers"},
        {"router_cycles", "cycles", "of a mesh: from the buffer of a router to its channel"},
        {"channel_cycles", "cycles", "of a mesh: from router to router"},
    };
};

template <>
struct member_notes<memory_numbers> {
    static constexpr member_note rows[] = {
        {"channels", "", "memory controllers"},
        {"slices", "", "L2 slices per memory controller"},
        {"rop_latency", "cycles", "L2 cycles from the network to the L2 queue"},
        {"far_latency", "cycles",
         "more of them from a core in one half of the machine, by number, to a slice in the other; 0: there "
         "are no halves"},
        {"dram_latency", "cycles", "core cycles from the L2 to the DRAM queue"},
        {"l2_input_queue", "", "requests between network and L2"},
        {"l2_to_dram_queue", "", "requests between L2 and DRAM"},
        {"dram_to_l2_queue", "", "replies between DRAM and L2"},
        {"l2_output_queue", "", "replies between L2 and network"},
        {"dram_queue", "", "requests that the DRAM scheduler chooses among"},
        {"dram_return_queue", "", "requests that may wait for their data to return"},
        {"dual_command_bus", "", "1: a row and a column command in one DRAM cycle, as HBM has it"},
        {"prefetch_lower", "", "lines that a memory prefetcher reads of each opened row in any case"},
        {"prefetch_higher", "", "the same while fewer requests wait than prefetch_threshold"},
        {"prefetch_threshold", "", "requests that wait; 0: their running mean"},
        {"prefetch_shift", "", "of the running mean: each new value weighs 2^-shift"},
        {"prefetch_skips_resident", "", "1: lines that the L2 has, or has asked for, are not prefetched"},
    };
};

template <>
struct member_notes<dram::timing> {
    static constexpr member_note rows[] = {
        {"banks", "", "banks per channel"},
        {"bank_groups", "", "bank groups of a rank; divides its banks"},
        {"groups_by_low_bits", "", "1: the group of bank b is b mod groups; 0: b div (banks / groups)"},
        {"pseudo_channels", "", "pseudo-channels, each with its own data bus; divides banks"},
        {"ranks", "", "ranks of a pseudo-channel; divides its banks"},
        {"stacks", "", "stack identifiers of a rank; divides its bank groups"},
        {"bus_bytes", "bytes", "per beat: bus width times chips"},
        {"burst_length", "", "beats per column command"},
        {"data_rate", "", "beats per command cycle"},
        {"ccd", "cycles", "column command to column command"},
        {"ccdl", "cycles", "column command to column command within a bank group"},
        {"rrd", "cycles", "activate to activate, any two banks"},
        {"rcd", "cycles", "activate to read"},
        {"rcdwr", "cycles", "activate to write"},
        {"ras", "cycles", "activate to precharge"},
        {"rp", "cycles", "precharge to activate"},
        {"rc", "cycles", "activate to activate, same bank"},
        {"cl", "cycles", "read command to data"},
        {"wl", "cycles", "write command to data"},
        {"cdlr", "cycles", "end of write data to read command"},
        {"wr", "cycles", "end of write data to precharge"},
        {"rtp", "cycles", "read to precharge, same bank"},
        {"rtpl", "cycles", "read to precharge, same bank group"},
        {"rrdl", "cycles", "activate to activate within a bank group; 0: as rrd"},
        {"faw", "cycles", "window of at most 4 activates; 0: none"},
        {"aw32", "cycles", "window of at most 32 activates; 0: none"},
        {"rtw", "cycles", "read to write command; 0: cl + burst + 2 - wl"},
        {"cdlrl", "cycles", "end of write data to read command in the same bank group; 0: as cdlr"},
        {"ppd", "cycles", "precharge to precharge, any two banks"},
        {"rtpa", "cycles", "read with auto-precharge to its precharge; 0: as rtp"},
        {"act_cycles", "cycles", "for which an activate holds the row bus"},
        {"column_cycles", "cycles", "for which a read or write holds its bus"},
        {"ccdlwr", "cycles", "write command to write command within a bank group; 0: as ccdl"},
        {"ccdr", "cycles", "read command to read command of another stack; 0: as ccd"},
        {"rtrs", "cycles", "between the bursts of two ranks, unless both write"},
        {"refi", "cycles", "all-bank refresh to the next; 0: none"},
        {"rfc", "cycles", "all-bank refresh to activate"},
        {"refipb", "cycles", "per-bank refresh to the next; 0: none"},
        {"rfcpb", "cycles", "per-bank refresh to activate, same bank"},
        {"rrefd", "cycles", "per-bank refresh to activate, other bank"},
        {"same_bank", "", "1: a per-bank refresh takes that bank of every bank group"},
        {"rfm", "cycles", "refresh management command to activate; 0: there is none"},
    };
};

template <>
struct member_notes<gpu_parameters> {
    static constexpr member_note rows[] = {
        {"name", "text", "what the machine is called"},
        {"clock", "", "clock frequencies"},
        {"core", "", "one core; core cycles"},
        {"l0i", "", "L0 instruction cache of each sub-core, in front of the L1; size 0: none"},
        {"l1i", "", "L1 instruction cache; core cycles"},
        {"l15i", "", "L1.5 instruction cache of each core, behind the L1; size 0: none"},
        {"l1d", "", "L1 data cache; core cycles"},
        {"l1c", "", "L1 constant cache, for constants and kernel parameters; core cycles"},
        {"l1t", "", "L1 texture cache; mshr_entries is its reorder buffer, mshr_merges its fragment FIFO"},
        {"lsu", "", "load/store path; core cycles"},
        {"tlb", "", "translation of addresses: TLBs and page walks; core cycles"},
        {"async", "",
         "units beside the warps: mbarriers, bulk copies, products of warpgroups, tensor memory; core "
         "cycles"},
        {"cluster", "", "clusters of CTAs: groups of cores and what joins these; core cycles"},
        {"network", "", "request and reply network; interconnect cycles"},
        {"l2", "", "one L2 slice; L2 cycles"},
        {"memory", "", "memory partitions"},
        {"dram", "", "one DRAM channel; DRAM command cycles"},
        {"address_mapping", "text", "address bits to channel, bank, row and column, in GPGPU-Sim's notation"},
        {"memory_nodes", "text", "of a mesh: the nodes of the L2 slices; empty: spread evenly"},
        {"l1d_variant", "text",
         "index, replacement, perfect: of an L1 data cache that has alternatives (the lab's)"},
        {"l2_variant", "text", "likewise of the L2"},
        {"dram_checker", "text",
         "on: a protocol checker that can be switched (the lab's) hears every command"},
        {"row_sharing", "text", "on: a DRAM observer that can be switched notes which CTAs share rows"},
        {"policy_parameters", "text", "of policies that are made from these numbers, by seat"},
    };
};

static_assert(fully_reflected<clock_numbers>() && fully_reflected<core_numbers>() &&
                  fully_reflected<cache_numbers>() && fully_reflected<load_store_numbers>() &&
                  fully_reflected<translation_numbers>() && fully_reflected<asynchronous_numbers>() &&
                  fully_reflected<cluster_numbers>() && fully_reflected<network_numbers>() &&
                  fully_reflected<memory_numbers>() && fully_reflected<dram::timing>() &&
                  fully_reflected<gpu_parameters>(),
              "warpkit: config/numbers.hpp does not describe every number of machine/parameters.hpp");

/// All numbers of a machine in the order of gpu_parameters.
inline std::vector<field> const& machine_numbers() {
    static auto const fields = fields_of<gpu_parameters>();
    return fields;
}

} // namespace warpkit
