#pragma once
/// \file
/// What fills tensor memory beside products, for one thread that orders it for its CTA, or for both of a pair:
/// tcgen05.cp from shared memory, and tcgen05.shift within it. Both are over at once, as they may be.
/// Source: PTX ISA, "tcgen05.cp", "Optional Decompression", "tcgen05.shift"; what their figures show: CUTLASS,
/// copy_traits_sm100.hpp; docs/model/ptx.md#tensor-copies.

#include <warpkit/frontend/ptx/tensor_factors.hpp>
#include <warpkit/program/async_words.hpp>

#include <cstdint>
#include <string>

namespace warpkit::ptx::semantics {

namespace tensors {

/// What a tcgen05.cp copies.
struct copied_shape {
    enum : unsigned { all_lanes_256 = 1, all_lanes_128, half_128, quarter_128, four_lanes_256 };
    unsigned is = all_lanes_256;
    bool halves_alternate = false; ///< .warpx2::02_13
    unsigned code_bits = 8;        ///< of what becomes a byte

    static constexpr copied_shape of(form const& f) noexcept {
        constexpr unsigned bits[] = {8, 4, 6};
        return {f.get(modifier::copied), f.get(modifier::copied_to) == 1, bits[f.get(modifier::padded)]};
    }
    /// Of the source.
    constexpr unsigned rows() const noexcept {
        constexpr unsigned rows[] = {0, 128, 128, 64, 32, 4};
        return rows[is];
    }
    /// Pieces of 16 bytes in a row.
    constexpr unsigned pieces() const noexcept { return is == all_lanes_256 || is == four_lanes_256 ? 2 : 1; }
    constexpr unsigned copies() const noexcept { return is == half_128 ? 2 : is == quarter_128 ? 4 : 1; }
    /// The lane to which a row goes, from the address on.
    constexpr unsigned lane(unsigned row, unsigned copy) const noexcept {
        if (is == four_lanes_256) return 32 * row;
        if (is == half_128 && !halves_alternate) return row / 32 * 64 + copy * 32 + row % 32;
        return copy * rows() + row;
    }
};

/// To timing it is a product of no columns that reads so many bytes of shared memory.
inline void record_fill(warp_context& c, operation const& o, std::uint32_t shared_bytes) {
    record_product(c, o, {0, shared_bytes});
}
/// From a CTA's shared memory to its tensor memory.
inline void copy_shape(warp_context const& c, operation const& o, lane_mask mask, copied_shape const& s,
                       tensor_address to, std::uint64_t descriptor) {
    require_columns(c, o, mask, to.column, 4 * s.pieces());
    auto const from = shared_factor(c, o, mask, descriptor, true);
    for (unsigned row = 0; row < s.rows(); ++row)
        for (unsigned p = 0; p < s.pieces(); ++p) {
            shared_piece const piece(c, o, from, row, p);
            for (unsigned w = 0; w < 4; ++w) {
                std::uint32_t word = 0;
                for (unsigned e = 0; e < 4; ++e)
                    word |= piece.code(4 * w + e, s.code_bits) << (8 * e + bits_below(s.code_bits));
                for (unsigned copy = 0; copy < s.copies(); ++copy)
                    c.memory.tensor->at(to.row + s.lane(row, copy), to.column + 4 * p + w) = word;
            }
        }
}

} // namespace tensors

/// tcgen05.cp
template <int = 0>
void copy_to_tensor_memory(warp_context& c, operation const& o, lane_mask mask) {
    auto const lane = tensors::only_lane(c, o, mask);
    auto const s = tensors::copied_shape::of(*o.modifiers);
    auto const to = tensors::tensor_address::of(listed_operands(c, o, lane).address());
    unsigned const last = s.is == tensors::copied_shape::four_lanes_256 ? 31 : 0;
    if (to.row > last)
        c.stop(c, o, mask,
               "expected a copy to tensor memory from lane " + std::string(last == 0 ? "0" : "0 to 31") +
                   " on, found lane " + std::to_string(to.row));
    for (auto const* const cta : tensors::concerned_ctas(c, o, mask))
        tensors::copy_shape(*cta, o, mask, s, to, c.source<std::uint64_t>(o, 0)[lane]);
    tensors::record_fill(c, o, s.rows() * s.pieces() * tensors::shared_piece::bytes);
}

/// tcgen05.shift.down
template <int = 0>
void shift_tensor_memory(warp_context& c, operation const& o, lane_mask mask) {
    auto const lane = tensors::only_lane(c, o, mask);
    auto const at = tensors::tensor_address::of(listed_operands(c, o, lane).address());
    if (at.row % 32 != 0 || at.row >= tensor_memory::rows)
        c.stop(c, o, mask,
               "expected a lane of tensor memory that is a multiple of 32, found " + std::to_string(at.row));
    for (auto const* const cta : tensors::concerned_ctas(c, o, mask)) {
        tensors::require_columns(*cta, o, mask, at.column, tensors::shifted_columns);
        tensors::shift_lanes(*cta->memory.tensor, at.row, at.column);
    }
    tensors::record_fill(c, o, 0);
}

} // namespace warpkit::ptx::semantics
