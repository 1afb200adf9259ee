#pragma once
/// \file
/// The numbers of a machine. Policies are types; these are values, so that a sweep over them needs no recompile.
/// Presets (config/presets.hpp) fill them, each with its provenance; by themselves they are zero, which is no machine.
/// Fields are named as `--set group.field=value` names them; sizes are in bytes, latencies in cycles of the clock that
/// the group's comment names.

#include <warpkit/cache/geometry.hpp>
#include <warpkit/dram/timing.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/issue_class.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace warpkit {

/// Where constants, kernel parameters, code and local memory lie in the address space behind the caches, as GPGPU-Sim
/// has it for code; below all global memory, or above.
inline constexpr std::uint64_t constant_base = 0xA0000000;
inline constexpr std::uint64_t parameter_base = 0xB0000000;
inline constexpr std::uint64_t code_base = 0xF0000000;
inline constexpr std::uint64_t local_base = 1ULL << 36;

/// Clock frequencies in kHz (docs/model/time.md#clocks).
struct clock_numbers {
    std::uint64_t core = 0;
    std::uint64_t interconnect = 0;
    std::uint64_t l2 = 0;
    std::uint64_t dram = 0;
    friend bool operator==(clock_numbers const&, clock_numbers const&) = default;
};

/// The sets of operand collectors: one that serves any instruction, and one for each kind of unit.
inline constexpr unsigned collector_set_count = unit_kind_count + 1;
inline constexpr char const* collector_set_names[collector_set_count] = {
    "any", "sp", "sfu", "dp", "load_store", "integer", "tensor", "branch", "uniform"};
/// By unit_kind.
inline constexpr char const* const* unit_kind_names = collector_set_names + 1;

/// One core (SM). Latencies in core cycles.
struct core_numbers {
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)

    std::uint32_t count = 0;        ///< cores in the machine
    std::uint32_t threads = 0;      ///< resident threads per core, a multiple of 32, at most 2048
    std::uint32_t ctas = 0;         ///< resident CTAs per core
    std::uint32_t registers = 0;    ///< 32-bit registers per core
    std::uint32_t shared_bytes = 0; ///< shared memory per core
    std::uint32_t unified_bytes =
        0; ///< L1 data cache and shared memory together; 0: the L1 is as large as l1d.size says
    std::uint32_t schedulers = 0; ///< warp schedulers, 1 to 4; slot w belongs to scheduler w mod schedulers
    std::uint32_t instruction_buffer = 0;   ///< decoded instructions per warp
    std::uint32_t fetch_bytes = 0;          ///< one fetch, clipped at the end of its line
    std::uint32_t instruction_bytes = 0;    ///< size of an instruction in memory
    std::uint32_t fetches = 0;              ///< in a cycle, each behind a decode
    std::uint32_t l1i_cycles = 1;           ///< from the L1 instruction cache to an L0
    std::uint32_t l15i_cycles = 1;          ///< from the L1.5 instruction cache to the L1
    std::uint32_t first_fetch = 0;          ///< warp slot at which fetching in turn begins in each kernel
    std::uint32_t fetch_into_room = 0;      ///< 1: while the instruction buffer has room; 0: when it is empty
    std::uint32_t perfect_branches = 0;     ///< 1: fetch and decode follow the warp's own path
    std::uint32_t kernel_launch_cycles = 0; ///< from the beginning of a kernel to its first CTA
    std::uint32_t cta_launch_cycles = 0;    ///< more of them for each CTA of its grid
    std::uint32_t kernels = 0;              ///< on the machine at once, where streams let them
    std::uint32_t issue_width = 0;          ///< instructions of one warp that a scheduler issues in a cycle
    std::uint32_t issue_to_different = 0;   ///< 1: several in a cycle go to units of different kinds
    std::uint32_t sub_cores = 0;      ///< parts of the core, each with its share of schedulers and units
    std::uint32_t sp_units = 0;       ///< single-precision units; these and the next: all sub-cores together
    std::uint32_t int_units = 0;      ///< integer units; 0: the sp_units do it
    std::uint32_t sfu_units = 0;      ///< special-function units
    std::uint32_t dp_units = 0;       ///< double-precision units; 0: the sfu_units do it
    std::uint32_t tensor_units = 0;   ///< tensor cores; 0: the sp_units do it
    std::uint32_t branch_units = 0;   ///< 0: what does integers does branches
    std::uint32_t uniform_units = 0;  ///< 0: what does integers does uniform instructions
    std::uint32_t operand_cycles = 0; ///< issue to execution: operand collection, where register_banks is 0
    std::uint32_t register_banks =
        0;                           ///< behind operand collectors, all sub-cores together; 0: there are none
    std::uint32_t bank_accesses = 0; ///< of each register bank in a cycle
    std::uint32_t read_window =
        0; ///< cycles in which an instruction reads its operands: fixed read stages; 0: operand collectors
    std::uint32_t register_cache =
        0; ///< with read stages: operands of an instruction that each bank's entry of the register cache is for
    std::uint32_t control_bits =
        0; ///< 1: kernels without control bits have those that a compiler would give them
    std::uint32_t result_buses = 0; ///< results of units written in a cycle; 0: any number; with collectors
    std::array<std::uint32_t, collector_set_count>
        collectors{}; ///< these and the next: by set, all sub-cores
    std::array<std::uint32_t, collector_set_count> collector_ports{}; ///< into a set, and out of it
    std::array<std::uint32_t, unit_kind_count>
        latches{};                      ///< by kind of unit: before its collectors, and behind
    std::uint32_t writeback_cycles = 0; ///< result to dependent issue
    std::uint32_t blocking_loads = 0;   ///< 1: a warp waits for each of its loads before it goes on
    std::uint32_t blocking_atomics = 0; ///< 1: the same of atomics, which may write no register
    std::uint32_t max_registers_per_thread =
        0; ///< what the compiler of this generation may use before it spills
    std::uint32_t scheduled_code =
        0; ///< 1: the instructions of PTX stand in the order of a compiler for this core
    std::array<std::uint32_t, op_class_count> latency{}; ///< execution, by op_class
    std::array<std::uint32_t, op_class_count>
        initiation{}; ///< cycles between two starts in one unit, by op_class
    std::array<std::uint32_t, matrix_element_count>
        tensor_rate{}; ///< multiply-adds of a tensor core in a cycle, by type of the factors' elements (f16 first);
                       ///< 0: latency and initiation are those of op_class::tensor, whatever the shape
    std::uint32_t tensor_start =
        0; ///< with a rate: cycles of the initiation beyond those of the multiply-adds
    std::uint32_t tensor_pipeline = 0; ///< with a rate: cycles of the latency whatever the shape
    std::uint32_t tensor_passes = 0;   ///< with a rate: cycles of the latency for each of the multiply-adds
    friend bool operator==(core_numbers const&, core_numbers const&) = default;
};

/// The most multiply-adds that the tensor cores make of one instruction (PTX: mma m16n8k256 of .b1).
inline constexpr std::uint32_t largest_product = 16 * 8 * 256;

/// What an instruction takes in its unit.
struct execution_time {
    std::uint32_t latency = 1;    ///< cycles from its start to its result
    std::uint32_t initiation = 1; ///< cycles to the next start in this unit
    friend bool operator==(execution_time const&, execution_time const&) = default;
};
/// By class, and of matrix products by shape and type where the tensor cores have a rate for it
/// (docs/model/issue.md#tensor-cores).
inline execution_time execution_time_of(core_numbers const& n, static_instruction const& i) noexcept {
    auto const kind = static_cast<unsigned>(i.kind);
    execution_time t{n.latency[kind], n.initiation[kind]};
    if (i.kind != op_class::tensor || i.matrix == matrix_type::none || i.matrix == matrix_type::rows)
        return t;
    auto const rate = n.tensor_rate[static_cast<unsigned>(i.matrix) - 1];
    if (rate == 0) return t;
    auto const all = std::uint64_t{i.matrix_rows} * i.matrix_columns * i.matrix_depth;
    auto const products = all < largest_product ? static_cast<std::uint32_t>(all) : largest_product;
    auto const work = products == 0 ? 1 : (products + rate - 1) / rate;
    t.initiation = n.tensor_start + work;
    t.latency = n.tensor_pipeline + n.tensor_passes * work;
    return t;
}
/// The longest latency that an instruction can have.
inline std::uint32_t longest_latency(core_numbers const& n) noexcept {
    std::uint32_t longest = 0;
    for (auto const l : n.latency) longest = l > longest ? l : longest;
    for (auto const rate : n.tensor_rate)
        if (auto const l =
                rate == 0 ? 0 : n.tensor_pipeline + n.tensor_passes * ((largest_product + rate - 1) / rate);
            l > longest)
            longest = l;
    return longest;
}

/// How many units of a kind a core has; of load/store units it has one.
inline std::uint32_t units_of(core_numbers const& n, unit_kind k) noexcept {
    std::uint32_t const by_kind[unit_kind_count] = {
        n.sp_units, n.sfu_units, n.dp_units, 1, n.int_units, n.tensor_units, n.branch_units, n.uniform_units};
    return by_kind[static_cast<unsigned>(k)];
}
/// The unit that executes instructions of a class: the class's own kind, or what does its work on a core without it.
inline unit_kind unit_for(core_numbers const& n, op_class c) noexcept {
    auto k = unit_of(c);
    if ((k == unit_kind::branch || k == unit_kind::uniform) && units_of(n, k) == 0) k = unit_kind::integer;
    if ((k == unit_kind::integer || k == unit_kind::tensor) && units_of(n, k) == 0) return unit_kind::sp;
    return k == unit_kind::dp && n.dp_units == 0 ? unit_kind::sfu : k;
}
/// What is between issue and units: operand collectors, fixed read stages, or time alone.
inline bool has_collectors(core_numbers const& n) noexcept {
    return n.register_banks != 0 && n.read_window == 0;
}
inline bool has_read_stages(core_numbers const& n) noexcept { return n.read_window != 0; }
/// Whether it is known when an instruction issues how long its unit will take, as of what goes to the load/store,
/// special-function and double-precision units it is not.
constexpr bool has_fixed_latency(unit_kind k) noexcept {
    return k != unit_kind::load_store && k != unit_kind::sfu && k != unit_kind::dp;
}

/// How many instructions a fetch at this address brings: so much of its line, of `line` bytes, as a fetch may be long
/// and the instruction buffer holds, of the `left` that the code has; one at least. On the warp's own path lines and
/// the end of the code are no bounds.
inline std::uint32_t fetched_together(core_numbers const& n, std::uint32_t line, std::uint64_t address,
                                      std::uint64_t left) noexcept {
    bool const own_path = n.perfect_branches != 0;
    auto const in_line = own_path ? n.fetch_bytes : static_cast<std::uint32_t>(line - address % line);
    auto count = (n.fetch_bytes < in_line ? n.fetch_bytes : in_line) / n.instruction_bytes;
    if (count == 0) count = 1;
    if (count > n.instruction_buffer) count = n.instruction_buffer;
    return count > left && !own_path ? static_cast<std::uint32_t>(left) : count;
}

/// A cache: one of a core's L1s, or one L2 slice.
struct cache_numbers {
    std::uint32_t size =
        0; ///< bytes; 0 switches the cache off: every access goes to the next level, but of the
           ///< instruction cache, which is perfect then: every fetch hits
    std::uint32_t ways = 0;
    std::uint32_t line = 0;
    std::uint32_t sector = 0; ///< equals line when the cache is not sectored
    std::uint32_t mshr_entries = 0;
    std::uint32_t mshr_merges = 0; ///< accesses that may wait on one entry, the first included
    std::uint32_t miss_queue = 0;
    std::uint32_t write_ratio = 0; ///< percent; see cache_parameters
    friend bool operator==(cache_numbers const&, cache_numbers const&) = default;
};

/// The same numbers as the cache takes them. A cache that is switched off becomes the smallest one; nobody asks it.
inline cache_parameters parameters_of(cache_numbers const& n) {
    auto const bytes = std::uint64_t{n.ways} * n.line;
    cache_parameters p;
    p.geometry = {n.size == 0 || bytes == 0 ? 1 : static_cast<std::uint32_t>(n.size / bytes), n.ways, n.line,
                  n.sector};
    p.mshr_entries = n.mshr_entries;
    p.mshr_merges = n.mshr_merges;
    p.miss_queue = n.miss_queue;
    p.write_ratio = n.write_ratio;
    return p;
}

/// The load/store path of a core. Latencies in core cycles.
struct load_store_numbers {
    std::uint32_t l1_latency = 0; ///< from the load/store unit to the look-up in the L1 data cache
    std::uint32_t l1_banks = 1;   ///< of the L1 data cache: so many transactions a cycle, one in each
    std::uint32_t shared_latency = 0;
    std::uint32_t shared_banks = 0;
    std::uint32_t constant_latency =
        0; ///< a hit in the constant cache; every parameter and constant load where it is switched off
    std::uint32_t writeback_port =
        0; ///< 1: answers of memory are written one in a cycle, hits of the L1D at once; with collectors
    std::uint32_t queue = 0; ///< instructions between issue and the load/store unit: latches and collectors
    friend bool operator==(load_store_numbers const&, load_store_numbers const&) = default;
};

/// Translation of addresses (docs/model/translation.md). Latencies in core cycles.
struct translation_numbers {
    std::uint32_t l1_entries = 0; ///< of the TLB of each core; 0: addresses are not translated
    std::uint32_t l1_ways = 0;
    std::uint32_t l1_mshrs = 0;   ///< pages that a core waits for at once
    std::uint32_t l2_entries = 0; ///< of the TLB that all cores share; 0: each miss is a page walk
    std::uint32_t l2_ways = 0;
    std::uint32_t l2_ports = 0;     ///< look-ups in a cycle
    std::uint32_t l2_latency = 0;   ///< from look-up to answer, or to the walkers
    std::uint32_t walkers = 0;      ///< page walks at once
    std::uint32_t walk_levels = 0;  ///< of the page table
    std::uint32_t walk_latency = 0; ///< of each access of a walk to the page table
    std::uint32_t walk_cache = 0;   ///< entries of upper levels that are kept for walks; 0: none
    std::uint32_t page = 0;         ///< bytes
    friend bool operator==(translation_numbers const&, translation_numbers const&) = default;
};

/// The units that work beside a core's warps (docs/model/asynchronous.md): for mbarriers, bulk copies (TMA) and
/// products of warpgroups (wgmma) and into tensor memory (tcgen05). Latencies in core cycles. Where a unit's first
/// number is 0 the machine has none, and refuses kernels that need it; mbarriers need none.
struct asynchronous_numbers {
    std::uint32_t wait_latency =
        0; ///< from mbarrier.test_wait or .try_wait to the warp's next instruction, when the phase is over
    std::uint32_t copy_queue =
        0; ///< bulk copies that the unit holds; behind them a warp waits to hand over its own
    std::uint32_t copy_hold = 0;     ///< from the issue of a bulk copy to the warp's next instruction
    std::uint32_t copy_setup = 0;    ///< from the queue to the first request
    std::uint32_t tensor_setup = 0;  ///< more of them where a tensor map is read
    std::uint32_t copy_request = 0;  ///< bytes of a request at most: a power of two from 32 to the L2's line
    std::uint32_t copy_interval = 0; ///< between two requests
    std::uint32_t copy_requests = 0; ///< under way at most
    std::uint32_t product_columns =
        0; ///< of a wgmma's result that the tensor cores of a sub-core finish in a cycle
    std::uint32_t product_latency = 0; ///< of a wgmma, behind the cycles in which it takes the tensor cores
    std::uint32_t tensor_memory = 0;   ///< columns of tensor memory, of 32 bits in each of 128 lanes
    std::uint32_t tensor_columns =
        0; ///< of a tcgen05.mma's result that the tensor cores of a core finish in a cycle
    std::uint32_t tensor_latency =
        0; ///< of a tcgen05.mma, behind the cycles in which it takes the tensor cores
    std::uint32_t tensor_access = 0; ///< of tcgen05.ld and .st, behind a cycle for each register
    friend bool operator==(asynchronous_numbers const&, asynchronous_numbers const&) = default;
};
inline bool has_bulk_copies(asynchronous_numbers const& n) noexcept { return n.copy_queue != 0; }
inline bool has_group_products(asynchronous_numbers const& n) noexcept { return n.product_columns != 0; }
inline bool has_tensor_memory(asynchronous_numbers const& n) noexcept { return n.tensor_memory != 0; }

/// Clusters of CTAs (docs/model/clusters.md): the groups of cores that they lie on, and what joins these. Latencies in
/// core cycles.
struct cluster_numbers {
    std::uint32_t cores = 0; ///< of a group (a GPC), which holds whole clusters; 0: kernels have no clusters
    std::uint32_t latency = 0; ///< from core to core of a group; no less than that of a link of the networks
    std::uint32_t bandwidth = 0; ///< bytes that a core sends in a cycle, and receives
    std::uint32_t barrier_latency =
        0; ///< from the last arrival at a cluster's barrier until waiting warps go on; no less than that of a link
    friend bool operator==(cluster_numbers const&, cluster_numbers const&) = default;
};

/// The networks between cores and memory partitions, one for requests and one for replies.
struct network_numbers {
    std::uint32_t flit = 0;        ///< bytes
    std::uint32_t link_cycles = 0; ///< interconnect cycles from a node into the network, and out of it
    std::uint32_t speedup = 0;     ///< flits a port moves per interconnect cycle
    std::uint32_t allocation = 0;  ///< flits that a port could have moved while a packet is given its way
    std::uint32_t outputs_in_turn =
        0; ///< 1: a crossbar's outputs choose one behind the other, so that an input may serve several in a cycle
    std::uint32_t input_flits = 0;  ///< buffer per input
    std::uint32_t output_flits = 0; ///< buffer per output, between switch and link
    std::uint32_t ejection = 0;     ///< packets buffered at a receiving node
    std::uint32_t columns = 0;      ///< these and the next: of a mesh; a crossbar has no use for them
    std::uint32_t rows = 0;
    std::uint32_t virtual_channels = 0;
    std::uint32_t channel_flits = 0;  ///< buffer of each virtual channel
    std::uint32_t router_cycles = 0;  ///< from the buffer of a router to its channel
    std::uint32_t channel_cycles = 0; ///< from router to router
    friend bool operator==(network_numbers const&, network_numbers const&) = default;
};

/// The memory partitions. Queue sizes in requests.
struct memory_numbers {
    std::uint32_t channels = 0;    ///< memory controllers
    std::uint32_t slices = 0;      ///< L2 slices (sub-partitions) per channel
    std::uint32_t rop_latency = 0; ///< L2 cycles from the network to the L2 queue
    std::uint32_t far_latency =
        0; ///< more of them from a core in one half of the machine to a slice in the other
    std::uint32_t dram_latency = 0; ///< core cycles from the L2 to the DRAM queue
    std::uint32_t l2_input_queue = 0;
    std::uint32_t l2_to_dram_queue = 0;
    std::uint32_t dram_to_l2_queue = 0;
    std::uint32_t l2_output_queue = 0;
    std::uint32_t dram_queue = 0; ///< requests the DRAM scheduler chooses among
    std::uint32_t dram_return_queue = 0;
    std::uint32_t dual_command_bus = 0; ///< 1: a row and a column command in one DRAM cycle, as HBM has it
    std::uint32_t prefetch_lower = 0;   ///< these and the next: of a memory prefetcher, see dram/prefetch.hpp
    std::uint32_t prefetch_higher = 0;
    std::uint32_t prefetch_threshold = 0;      ///< requests that wait; 0: their running mean
    std::uint32_t prefetch_shift = 0;          ///< of the running mean
    std::uint32_t prefetch_skips_resident = 0; ///< 1: lines that the L2 has, or has asked for, are not read
    friend bool operator==(memory_numbers const&, memory_numbers const&) = default;
};

/// Of `all` things in a machine, the first half, that in the middle included, lies in the one half of it, the rest in
/// the other.
constexpr bool in_second_half(std::uint32_t number, std::uint32_t all) noexcept {
    return number >= all - all / 2;
}

/// All numbers of a machine.
struct gpu_parameters {
    std::string name = "unnamed";
    clock_numbers clock;
    core_numbers core;
    cache_numbers l0i; ///< in front of the L1I, one of each sub-core; size 0: there is none
    cache_numbers l1i;
    cache_numbers l15i; ///< behind the L1I; size 0: there is none
    cache_numbers l1d;
    cache_numbers l1c; ///< constants and kernel parameters
    cache_numbers l1t; ///< textures; its MSHR numbers are those of texture_cache
    load_store_numbers lsu;
    translation_numbers tlb;
    asynchronous_numbers async;
    cluster_numbers cluster;
    network_numbers network;
    cache_numbers l2; ///< one slice
    memory_numbers memory;
    dram::timing dram;
    std::string address_mapping; ///< GPGPU-Sim's notation, see dram/address_mapping.hpp
    std::string memory_nodes;    ///< of a mesh: where the L2 slices sit; empty: spread evenly
    std::string
        l1d_variant; ///< for caches that have some, see cache/alternatives.hpp; empty: as the preset has it
    std::string l2_variant; ///< likewise
    std::string
        dram_checker; ///< "on": a DRAM observer that can be switched checks (dram/switchable_observer.hpp)
    std::string row_sharing; ///< "on": it notes which CTAs share rows
    /// Parameters of the policies that an engine makes itself from these numbers, by seat, with a space between two:
    /// `page_policy=timeout_page:cycles=500 l1d=preset:bits=3` (machine/policy_parameters.hpp).
    std::string policy_parameters;
    friend bool operator==(gpu_parameters const&, gpu_parameters const&) = default;
};

/// The longest line of a core's caches, in bytes: the most data that a packet carries.
inline std::uint32_t longest_line(gpu_parameters const& p) noexcept {
    std::uint32_t longest = 0;
    for (auto const* c : {&p.l1i, &p.l1d, &p.l1c, &p.l1t})
        if (c->line > longest) longest = c->line;
    return longest;
}

} // namespace warpkit
