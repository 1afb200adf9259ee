#pragma once
/// \file
/// Matrices in shared memory as sm_100's descriptors say, of elements of any width, for tcgen05.mma and .cp.
/// Source: PTX ISA, "Shared memory descriptor", "Packing formats of elements in Tensor and Shared memory";
/// docs/model/ptx.md#narrow-elements.

#include <warpkit/frontend/ptx/group_matrix.hpp>
#include <warpkit/frontend/ptx/tensor_moves.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics::tensors {

/// A matrix in shared memory, from its descriptor. `by_rows`: elements of a row lie side by side ("K major").
inline matrices::shared_matrix shared_factor(warp_context const& c, operation const& o, lane_mask mask,
                                             std::uint64_t descriptor, bool by_rows) {
    auto const field = [&](unsigned at) { return (descriptor >> at & 0x3fff) << 4; };
    auto const swizzle = static_cast<unsigned>(descriptor >> 61);
    if ((descriptor >> 46 & 7) != 1)
        c.stop(c, o, mask,
               "expected 1 in bits 46 to 48 of a matrix descriptor, found " +
                   std::to_string(descriptor >> 46 & 7));
    bool const by_32 = swizzle == 1; // atoms of 32 bytes in rows of 128
    if ((!by_32 && (swizzle & 1) != 0) || (descriptor >> 52 & 1) != 0)
        c.stop(c, o, mask,
               "expected a matrix descriptor without swizzle or with one of 32, 64 or 128 bytes, and "
               "distances that "
               "are relative; others are not supported");
    if (by_32 && by_rows)
        c.stop(c, o, mask,
               "expected a matrix whose columns' elements lie side by side where the swizzle has atoms of 32 "
               "bytes");
    constexpr unsigned pieces[] = {1, 8, 8, 0, 4, 0, 2};
    return {field(0),        field(16),      field(32), static_cast<unsigned>(descriptor >> 49 & 7),
            pieces[swizzle], by_32 ? 5U : 4U};
}

/// Sixteen bytes, which a swizzle leaves together: number `piece` of row `row`, whose elements lie side by side.
struct shared_piece {
    static constexpr unsigned bytes = 16;
    std::uint64_t words[2]{};

    shared_piece(warp_context const& c, operation const& o, matrices::shared_matrix const& m, unsigned row,
                 unsigned piece) {
        auto const address = m.at(row, piece * bytes, 1, true);
        if (address + bytes > c.memory.shared_bytes)
            c.fault(c, o, "out-of-range", 0, address, bytes, memory_space::shared);
        std::memcpy(words, c.memory.shared + address, bytes);
    }
    /// Of codes of `bits` bits one behind the other, from the first bit on.
    unsigned code(unsigned index, unsigned bits) const noexcept {
        auto const at = index * bits;
        auto code = words[at / 64] >> at % 64;
        if (at % 64 + bits > 64) code |= words[1] << (64 - at % 64);
        return static_cast<unsigned>(code) & ((1U << bits) - 1);
    }
};

/// Bits of an element's code in shared memory, which are fewer than the element takes where it is padded.
constexpr unsigned code_bits(scalar t) noexcept {
    switch (t) {
    case scalar::e2m1:
        return 4;
    case scalar::e2m3:
    case scalar::e3m2:
        return 6;
    default:
        return element_bits(t);
    }
}
/// Above how many bits of its byte in tensor memory a code of `bits` bits lies: in the middle.
constexpr unsigned bits_below(unsigned bits) noexcept { return (8 - bits) / 2; }
/// The value of a code.
template <class N>
typename N::value value_of_code(scalar t, std::uint64_t code) noexcept {
    return N::element(t == scalar::e2m1 ? scalar::packed_e2m1 : t, code);
}

/// `rows` rows of a matrix in shared memory; of narrow elements, sixteen have 16 bytes, of which the last are padding,
/// or 32 have them.
template <class N, class T>
void read_factor(warp_context const& c, operation const& o, matrices::shared_matrix const& m, scalar element,
                 unsigned rows, unsigned depth, bool by_rows, T* to) {
    auto const bits = code_bits(element);
    if (bits >= 8) return matrices::read_shared<N>(c, o, m, element, 0, rows, depth, by_rows, to);
    auto const in_piece = 8 * shared_piece::bytes / element_bits(element);
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned i = 0; i < depth; i += in_piece) {
            shared_piece const piece(c, o, m, row, i / in_piece);
            for (unsigned e = 0; e < in_piece; ++e)
                *to++ = static_cast<T>(value_of_code<N>(element, piece.code(e, bits)));
        }
}

} // namespace warpkit::ptx::semantics::tensors
