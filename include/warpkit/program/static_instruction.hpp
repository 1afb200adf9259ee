#pragma once
/// \file
/// One instruction of the static program. Light: a policy header may include it to read kernel_began::code.

#include <warpkit/base/memory_space.hpp>
#include <warpkit/program/control_bits.hpp>

#include <cstdint>

namespace warpkit {

/// What an instruction is, as fine as published latency tables distinguish it (docs/model/machines.md#latency-classes:
/// int, fp and dp latencies for add, max, mul, mad, div and shuffle).
enum class op_class : std::uint8_t {
    int_add, ///< also moves, logic, shifts, compares, selects and conversions
    int_max, ///< also min
    int_mul,
    int_mad,
    int_div, ///< also remainder
    shuffle, ///< also votes
    fp_add,
    fp_max,
    fp_mul,
    fp_mad,
    fp_div, ///< also correctly rounded reciprocal and square root
    dp_add,
    dp_max,
    dp_mul,
    dp_mad,
    dp_div,
    special, ///< approximate sine, cosine, logarithm, power, reciprocal (square root)
    branch,  ///< also call and return
    barrier,
    fence,
    exit,
    load,
    store,
    atomic,
    tensor,  ///< multiplies matrices that a warp holds
    uniform, ///< once for the warp, on its uniform registers
    other    ///< counted, never dropped
};
inline constexpr unsigned op_class_count = 27;
/// By class.
inline constexpr char const* op_class_names[op_class_count] = {
    "int_add", "int_max", "int_mul", "int_mad", "int_div", "shuffle", "fp_add", "fp_max",  "fp_mul",
    "fp_mad",  "fp_div",  "dp_add",  "dp_max",  "dp_mul",  "dp_mad",  "dp_div", "special", "branch",
    "barrier", "fence",   "exit",    "load",    "store",   "atomic",  "tensor", "uniform", "other"};
static_assert(static_cast<unsigned>(op_class::other) + 1 == op_class_count);

/// The kind of execution unit that an instruction occupies.
enum class unit_kind : std::uint8_t { sp, sfu, dp, load_store, integer, tensor, branch, uniform };
inline constexpr unsigned unit_kind_count = 8;

/// What an instruction does with asynchronous copies from global to shared memory (PTX: cp.async; LDGSTS, LDGDEPBAR and
/// DEPBAR of Ampere and later), or with the units that work beside a core's warps (docs/model/asynchronous.md).
enum class async_role : std::uint8_t {
    none,
    copy,   ///< a load that makes one
    commit, ///< makes a group of the copies since the last one
    wait,   ///< until at most so many of the last groups are under way

    arrive,         ///< arrives at mbarriers (PTX: mbarrier.arrive); whose phases stand in the stream
    await_phase,    ///< waits for mbarriers (PTX: mbarrier.try_wait); whose phases stand in the stream
    bulk_copy,      ///< PTX: cp.async.bulk; what it moves stands in the stream
    bulk_commit,    ///< makes a group of the bulk copies since the last one
    bulk_wait,      ///< as `wait`, for groups of bulk copies
    bulk_wait_read, ///< the same, until they have read what they store
    product,        ///< of a warpgroup (PTX: wgmma.mma_async)
    product_commit, ///< makes a group of the products since the last one
    product_wait,   ///< as `wait`, for groups of products

    tensor_allocate,   ///< columns of tensor memory (PTX: tcgen05.alloc); how many stands in the stream
    tensor_free,       ///< likewise (PTX: tcgen05.dealloc)
    tensor_product,    ///< into tensor memory (PTX: tcgen05.mma, .cp, .shift); its shape stands in the stream
    tensor_commit,     ///< arrives at mbarriers when the products are over; whose phases stand in the stream
    tensor_load,       ///< from tensor memory to registers
    tensor_store,      ///< from registers to tensor memory
    tensor_wait_loads, ///< until no load of the warp is under way
    tensor_wait_stores
};
/// Whether instructions of this role have words of their own in the stream (warp_stream::append_words).
constexpr bool has_words(async_role r) noexcept {
    return r == async_role::arrive || r == async_role::await_phase || r == async_role::bulk_copy ||
           (r >= async_role::tensor_allocate && r <= async_role::tensor_commit);
}

/// What an instruction does at the barrier of its cluster (PTX: barrier.cluster).
enum class cluster_role : std::uint8_t {
    none,
    arrive, ///< for its warp, where a lane executes it
    wait    ///< until the phase is over whose number, from 1 on, stands in the stream
};

/// What the elements of the matrices are that an instruction multiplies, if it does; or that it moves rows of matrices
/// between shared memory and registers (PTX: ldmatrix and stmatrix).
enum class matrix_type : std::uint8_t { none, f16, bf16, tf32, f64, f8, s8, s4, b1, rows };
inline constexpr char const* matrix_type_names[] = {"none", "f16", "bf16", "tf32", "f64",
                                                    "f8",   "s8",  "s4",   "b1",   "rows"};
/// Those whose elements are multiplied, as the numbers of tensor cores list them: from f16 on.
inline constexpr unsigned matrix_element_count = static_cast<unsigned>(matrix_type::rows) - 1;
inline constexpr char const* const* matrix_element_names = matrix_type_names + 1;

/// A register of a thread, as the scoreboard tells them apart. Predicates are registers too.
using register_id = std::uint16_t;

/// One static instruction. Registers a thread reads include the guard predicate and address registers.
struct static_instruction {
    static constexpr unsigned max_destinations = 8; ///< the widest is a vector of four 64-bit pairs
    static constexpr unsigned max_sources = 12;

    op_class kind = op_class::other;
    memory_space space = memory_space::none; ///< of loads, stores and atomics
    std::uint8_t access_bytes = 0;           ///< bytes per lane, all elements of a vector together
    std::uint8_t destinations = 0;
    std::uint8_t sources = 0;
    bool guarded = false;           ///< runs under a predicate
    std::uint8_t barrier = 0;       ///< of a barrier: which of the CTA's 16
    std::uint8_t barrier_warps = 0; ///< of a barrier: how many warps must arrive; 0: all that have not exited
    bool barrier_waits = true;      ///< of a barrier: false for an arrive that does not wait
    bool barrier_in_stream = false; ///< of a barrier: number and warps stand in the stream, not here
    async_role async = async_role::none;
    std::uint8_t async_groups = 0;             ///< of a wait: groups that it does not wait for
    cluster_role cluster = cluster_role::none; ///< of a barrier
    matrix_type matrix = matrix_type::none;
    std::uint8_t matrix_rows = 0;     ///< of a product: of its sum
    std::uint16_t matrix_depth = 0;   ///< of a product: columns of its first factor that are multiplied
    std::uint16_t matrix_columns = 8; ///< of a product: of its sum; or registers that move to tensor memory
    bool past_l1 = false;             ///< of a load: it goes past the L1 (PTX: .cg)
    bool factor_in_shared = false;    ///< of a warpgroup's product: the first lies in shared memory, too
    std::uint32_t target = no_target; ///< of a branch: index of the instruction it may jump to
    std::uint32_t jump_table = no_target;   ///< of a branch to many places: which of the program's tables
    std::uint32_t source_line = 0;          ///< 1-based line in the source text; 0 if unknown
    control_bits control;                   ///< for cores that obey them
    std::uint16_t further_destinations = 0; ///< as bits: those that are the rest of a wide one; and ...
    std::uint16_t further_sources = 0;      ///< ... sources: register banks see the first of each alone
    register_id destination[max_destinations]{};
    register_id source[max_sources]{};

    static constexpr std::uint32_t no_target = 0xffffffff;

    constexpr bool is_memory() const noexcept {
        return kind == op_class::load || kind == op_class::store || kind == op_class::atomic;
    }
    friend bool operator==(static_instruction const&, static_instruction const&) = default;
};

} // namespace warpkit
