#pragma once
/// \file
/// What CTAs allocate of tensor memory, its way to and from registers, and who hears of products (PTX: tcgen05.alloc,
/// .dealloc, .ld, .st, .commit). What multiplies into it: tensor_product.hpp.
/// Source: PTX ISA, "TensorCore 5th Generation Family Instructions"; what is chosen and what is refused:
/// docs/model/ptx.md#tensor-memory.

#include <warpkit/frontend/ptx/bulk_copy.hpp>
#include <warpkit/frontend/ptx/matrix.hpp>
#include <warpkit/frontend/ptx/matrix_shapes.hpp>
#include <warpkit/frontend/ptx/tensor_memory.hpp>
#include <warpkit/frontend/ptx/tensor_pair.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics {

namespace tensors {

/// An address in tensor memory: 16 bits of the lane, 16 of the column.
struct tensor_address {
    unsigned row = 0;
    unsigned column = 0;
    static constexpr tensor_address of(std::uint64_t a) noexcept {
        return {static_cast<unsigned>(a >> 16 & 0xffff), static_cast<unsigned>(a & 0xffff)};
    }
};

/// The one value that all lanes of `mask` have; `what` it is.
template <class T>
T same_in_all(warp_context const& c, operation const& o, lane_mask mask, T const* values, char const* what) {
    auto const first = static_cast<unsigned>(std::countr_zero(mask));
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        if (values[l] != values[first])
            c.stop(c, o, lane_mask{1} << l,
                   std::string("expected one ") + what + " in all lanes of the warp");
    }
    return values[first];
}
/// Columns from `column` on must be there, `count` of them.
inline void require_columns(warp_context const& c, operation const& o, lane_mask mask, unsigned column,
                            unsigned count) {
    for (auto at = column; at < column + count; ++at)
        if (!c.memory.tensor->holds(at))
            c.stop(c, o, mask,
                   "expected columns of tensor memory that the CTA has allocated, found column " +
                       std::to_string(at));
}
/// The lane that executes what one thread does for its CTA.
inline unsigned only_lane(warp_context const& c, operation const& o, lane_mask mask) {
    if (!std::has_single_bit(mask))
        c.stop(c, o, mask,
               "expected one thread to execute this instruction, found " +
                   std::to_string(std::popcount(mask)));
    return static_cast<unsigned>(std::countr_zero(mask));
}
inline unsigned count_of_columns(warp_context const& c, operation const& o, lane_mask mask, unsigned source) {
    auto const count = same_in_all(c, o, mask, c.source<std::uint32_t>(o, source), "number of columns");
    if (!std::has_single_bit(count) || count < tensor_memory::unit || count > tensor_memory::columns)
        c.stop(c, o, mask,
               "expected a number of columns that is a power of two from 32 to 512, found " +
                   std::to_string(count));
    return count;
}

/// What a shift is of: 32 bytes of 32 lanes, each of which but the last gets what the next has.
inline constexpr unsigned shifted_columns = 8;
inline void shift_lanes(tensor_memory& t, unsigned first, unsigned column) {
    for (unsigned row = first; row < first + 31; ++row)
        for (unsigned i = column; i < column + shifted_columns; ++i) t.at(row, i) = t.at(row + 1, i);
}

} // namespace tensors

namespace tensors {

/// How many columns a warp may ask for.
inline unsigned asked_columns(warp_context const& c, operation const& o, lane_mask mask) {
    matrices::require_all_lanes(c, o, mask);
    if (c.memory.tensor->relinquished)
        c.stop(c, o, mask, "expected no tcgen05.alloc behind the CTA's tcgen05.relinquish_alloc_permit");
    return count_of_columns(c, o, mask, 0);
}
/// Where the columns begin is stored, and timing hears how many they are.
inline void give_columns(warp_context& c, operation const& o, lane_mask mask, unsigned first,
                         unsigned count) {
    if (first == tensor_memory::columns)
        c.stop(c, o, mask,
               "expected " + std::to_string(count) + " free columns of tensor memory side by side, found " +
                   std::to_string(c.memory.tensor->in_use()) + " of 512 allocated by this CTA");
    std::uint64_t to[lanes];
    for (unsigned l = 0; l < lanes; ++l) to[l] = listed_operands(c, o, l).address();
    auto const address = same_in_all(c, o, mask, to, "address for the address of tensor memory");
    std::memcpy(bulk::place(c, o, 0, space_of_form(*o.modifiers), address, 4, 4), &first, 4);
    c.record->begin_instruction();
    c.record->number(count);
}

} // namespace tensors

/// tcgen05.alloc. Nobody waits for columns: the CTA's own alone can lack here, which nobody may free meanwhile.
template <int = 0>
void allocate_tensor_memory(warp_context& c, operation const& o, lane_mask mask) {
    auto const count = tensors::asked_columns(c, o, mask);
    tensors::give_columns(c, o, mask, c.memory.tensor->allocate(count), count);
}
/// The same with .cta_group::2: waits for a warp of the other CTA, and both get the same columns.
template <int = 0>
void allocate_for_pair(warp_context& c, operation const& o, lane_mask mask) {
    auto& mine = c.memory.tensor->pair;
    if (mine.warp == pair_allocation::none) {
        auto const count = tensors::asked_columns(c, o, mask);
        auto& peer = *c.memory.tensors[tensors::peer_of(c, o, mask)];
        mine.warp = c.warp;
        mine.columns = count;
        if (!peer.pair.waits()) return;
        if (peer.pair.columns != count)
            c.stop(c, o, mask,
                   "expected as many columns as the pair's other CTA asks for, " +
                       std::to_string(peer.pair.columns) + ", found " + std::to_string(count));
        mine.first = peer.pair.first = c.memory.tensor->allocate_with(peer, count);
    }
    if (mine.warp != c.warp)
        c.stop(c, o, mask,
               "expected one warp of the CTA at a time at tcgen05.alloc with .cta_group::2: warp " +
                   std::to_string(mine.warp) + " waits there for the pair's other CTA");
    if (mine.first == pair_allocation::none) {
        static_cast<void>(tensors::peer_of(c, o, mask));
        return;
    }
    tensors::give_columns(c, o, mask, mine.first, mine.columns);
    c.record->number(phase_name{c.memory.rank ^ 1, pair_order::of_allocation().number()}.word());
    mine = {};
    c.accessed = mask;
}
inline execute_function tensor_allocations(form const& f) {
    return is_of_pair(f) ? &allocate_for_pair<> : &allocate_tensor_memory<>;
}
/// tcgen05.dealloc. With .cta_group::2 each CTA's columns are free once its own warp says so: nobody waits, as may be.
template <int = 0>
void free_tensor_memory(warp_context& c, operation const& o, lane_mask mask) {
    matrices::require_all_lanes(c, o, mask);
    auto const at = tensors::tensor_address::of(
        tensors::same_in_all(c, o, mask, c.source<std::uint32_t>(o, 0), "address of tensor memory"));
    auto const count = tensors::count_of_columns(c, o, mask, 1);
    if (at.row != 0 || !c.memory.tensor->free(at.column, count))
        c.stop(c, o, mask,
               "expected what tcgen05.alloc gave, found " + std::to_string(count) + " columns at lane " +
                   std::to_string(at.row) + ", column " + std::to_string(at.column));
    c.record->begin_instruction();
    c.record->number(count);
}
/// tcgen05.relinquish_alloc_permit
template <int = 0>
void relinquish_tensor_memory(warp_context& c, operation const& o, lane_mask mask) {
    matrices::require_all_lanes(c, o, mask);
    c.memory.tensor->relinquished = true;
}

/// tcgen05.ld and .st: `Load` or not. Each warp of a warpgroup has a quarter of the lanes.
template <bool Load>
void move_tensor(warp_context& c, operation const& o, lane_mask mask) {
    using shape = tensor_fragment::shape;
    matrices::require_all_lanes(c, o, mask);
    auto const f = tensor_fragment::of(*o.modifiers);
    auto const* const listed = c.fragments + o.target;
    auto const* const slots = Load ? listed : listed + 3; // registers; an address is three numbers
    std::uint64_t from[lanes];
    for (unsigned l = 0; l < lanes; ++l)
        from[l] = listed_operands(c, o, l, Load ? f.registers() : 0).address() & 0xffffffff;
    auto const at =
        tensors::tensor_address::of(tensors::same_in_all(c, o, mask, from, "address of tensor memory"));
    auto const quarter = c.warp % 4 * 32;
    if (at.row != quarter && (f.is == shape::all_lanes || at.row != quarter + 16))
        c.stop(c, o, mask,
               "expected lanes of tensor memory from " + std::to_string(quarter) +
                   " on, which this warp of its warpgroup can reach, found " + std::to_string(at.row));
    auto const second_half = f.is == shape::two_halves ? c.source<std::uint32_t>(o, 0)[0] : 0;
    unsigned const wide = f.packed ? 2 : 1;
    auto& t = *c.memory.tensor;
    for (unsigned r = 0; r < f.registers(); ++r) {
        std::uint32_t word[lanes]{};
        auto const* const given = c.lanes_of<std::uint32_t>(slots[r]);
        for (unsigned l = 0; l < lanes; ++l) {
            auto const p = f.at(l, r);
            auto const column = at.column + wide * p.column + (p.second ? second_half : 0);
            for (unsigned e = 0; e < wide; ++e) {
                if (!t.holds(column + e)) tensors::require_columns(c, o, lane_mask{1} << l, column + e, 1);
                auto& cell = t.at(at.row + p.lane, column + e);
                if (Load)
                    word[l] |= f.packed ? (cell & 0xffff) << 16 * e : cell;
                else
                    cell = f.packed ? given[l] >> 16 * e & 0xffff : given[l];
            }
        }
        if constexpr (Load) c.write<std::uint32_t>(slots[r], word, all_lanes);
    }
}
/// Null for more than 128 registers.
template <bool Load>
execute_function tensor_moves(form const& f) {
    return tensor_fragment::of(f).registers() > 128 ? nullptr : &move_tensor<Load>;
}

/// tcgen05.commit: an arrival at an mbarrier, of this CTA or of those of a mask, when the products of this thread are
/// over.
template <bool Many>
void commit_tensor_products(warp_context& c, operation const& o, lane_mask mask) {
    auto const space = space_of_form(*o.modifiers);
    c.record->begin_instruction();
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto const address = listed_operands(c, o, l).address();
        if constexpr (Many)
            bulk::each_cta(c, o, l, c.source<std::uint16_t>(o, 0)[l], [&](std::uint32_t rank) {
                bulk::arrive(c, o, l, memory_space::shared, cluster_address(address, rank));
            });
        else
            bulk::arrive(c, o, l, space, address);
    }
}

} // namespace warpkit::ptx::semantics
