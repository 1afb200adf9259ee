#pragma once
/// \file
/// tcgen05.mma: products of matrices into tensor memory, which one thread orders for its CTA. They are there at once,
/// as they may be; so nobody waits for them.
/// Source: PTX ISA, "tcgen05.mma", "Instruction descriptor", "Shared memory descriptor", "Data Path Layout
/// Organization"; docs/model/ptx.md#tensor-memory.

#include <warpkit/frontend/ptx/group_matrix.hpp>
#include <warpkit/frontend/ptx/tensor_moves.hpp>
#include <warpkit/program/async_words.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace warpkit::ptx::semantics {

namespace tensors {

enum class product_kind : std::uint8_t { none, f16, tf32, f8f6f4, i8 };

/// What the 32-bit instruction descriptor says.
struct product_shape {
    unsigned m = 0;
    unsigned n = 0;
    scalar a = scalar::none;
    scalar b = scalar::none;
    scalar d = scalar::none;
    int sign = 1; ///< of the products
    bool a_by_columns = false;
    bool b_by_columns = false;
    bool saturates = false;

    unsigned depth() const noexcept { return 256 / element_bits(a); }
};

inline scalar factor_type(product_kind kind, unsigned code) noexcept {
    switch (kind) {
    case product_kind::f16:
        return code == 0 ? scalar::f16 : code == 1 ? scalar::bf16 : scalar::none;
    case product_kind::tf32:
        return code == 2 ? scalar::tf32 : scalar::none;
    case product_kind::f8f6f4:
        return code == 0 ? scalar::e4m3 : code == 1 ? scalar::e5m2 : scalar::none;
    default:
        return code == 0 ? scalar::u8 : code == 1 ? scalar::s8 : scalar::none;
    }
}
inline scalar sum_type(product_kind kind, unsigned code) noexcept {
    if (kind == product_kind::i8) return code == 2 ? scalar::s32 : scalar::none;
    if (code == 1) return scalar::f32;
    return code == 0 && kind != product_kind::tf32 ? scalar::f16 : scalar::none;
}

/// Takes a descriptor apart; stops with what cannot be.
inline product_shape shape_of(warp_context const& c, operation const& o, lane_mask mask, std::uint32_t bits) {
    auto const kind = static_cast<product_kind>(o.modifiers->get(modifier::tensor_kind));
    auto const stop = [&](std::string const& what) { c.stop(c, o, mask, "expected " + what); };
    product_shape p;
    p.saturates = (bits >> 3 & 1) != 0;
    p.d = sum_type(kind, bits >> 4 & 3);
    p.a = factor_type(kind, bits >> 7 & 7);
    p.b = factor_type(kind, bits >> 10 & 7);
    p.sign = ((bits >> 13 ^ bits >> 14) & 1) != 0 ? -1 : 1;
    p.a_by_columns = (bits >> 15 & 1) != 0;
    p.b_by_columns = (bits >> 16 & 1) != 0;
    p.n = (bits >> 17 & 63) * 8;
    p.m = (bits >> 24 & 31) * 16;
    if ((bits >> 2 & 1) != 0)
        stop("an instruction descriptor of dense matrices: sparse ones are not supported");
    if (p.a == scalar::none || p.b == scalar::none || p.d == scalar::none)
        stop("an instruction descriptor whose types go with the kind, found " +
             std::to_string(bits >> 7 & 7) + ", " + std::to_string(bits >> 10 & 7) + " and " +
             std::to_string(bits >> 4 & 3) + " (types of 6 and 4 bits are not supported)");
    bool const few = kind == product_kind::i8 && p.n <= 32;
    if ((p.m != 64 && p.m != 128) || p.n == 0 || p.n > 256 || (p.m == 128 && !few && p.n % 16 != 0) ||
        (kind == product_kind::i8 && !few && p.n % 16 != 0))
        stop("a shape that tcgen05.mma with .cta_group::1 has, found " + std::to_string(p.m) + " x " +
             std::to_string(p.n));
    return p;
}

/// A matrix in shared memory, from sm_100's descriptor.
inline matrices::shared_matrix shared_factor(warp_context const& c, operation const& o, lane_mask mask,
                                             std::uint64_t descriptor) {
    auto const field = [&](unsigned at) { return (descriptor >> at & 0x3fff) << 4; };
    auto const swizzle = static_cast<unsigned>(descriptor >> 61);
    if ((descriptor >> 46 & 7) != 1)
        c.stop(c, o, mask,
               "expected 1 in bits 46 to 48 of a matrix descriptor, found " +
                   std::to_string(descriptor >> 46 & 7));
    if ((swizzle & 1) != 0 || (descriptor >> 52 & 1) != 0)
        c.stop(c, o, mask,
               "expected a matrix descriptor without swizzle or with one of 32, 64 or 128 bytes, and "
               "distances that "
               "are relative; others are not supported");
    constexpr unsigned pieces[] = {1, 8, 4, 2}; // by half the mode
    return {field(0), field(16), field(32), static_cast<unsigned>(descriptor >> 49 & 7), pieces[swizzle / 2]};
}

/// The lane of tensor memory in which row `row` of a product of `m` rows lies, from the address on.
constexpr unsigned lane_of_row(unsigned m, unsigned row) noexcept {
    return m == 64 ? row / 16 * 32 + row % 16 : row;
}
inline tensor_address require_place(warp_context const& c, operation const& o, lane_mask mask,
                                    std::uint64_t address, unsigned m, unsigned columns) {
    auto const at = tensor_address::of(address);
    if (at.row != 0 && (m != 64 || at.row != 16))
        c.stop(c, o, mask,
               "expected a matrix in tensor memory from lane 0 on" + std::string(m == 64 ? ", or 16" : "") +
                   ", found lane " + std::to_string(at.row));
    require_columns(c, o, mask, at.column, columns);
    return at;
}

/// `FromShared`: A, too, lies in shared memory; otherwise in tensor memory.
template <class N>
void multiply(warp_context& c, operation const& o, lane_mask mask, product_shape const& p, bool from_shared,
              bool masked) {
    using value = typename N::value;
    auto const lane = static_cast<unsigned>(std::countr_zero(mask));
    listed_operands listed(c, o, lane);
    auto const d = require_place(c, o, mask, listed.address(), p.m, p.n);
    auto const depth = p.depth();
    auto& tensor = *c.memory.tensor;
    unsigned next = 0;
    std::vector<value> left(std::size_t{p.m} * depth);
    std::vector<value> right(std::size_t{p.n} * depth);
    if (from_shared) {
        auto const a = shared_factor(c, o, mask, c.source<std::uint64_t>(o, next++)[lane]);
        matrices::read_shared<N>(c, o, a, p.a, 0, p.m, depth, !p.a_by_columns, left.data());
    } else {
        auto const a = require_place(c, o, mask, listed.address(), p.m, 8);
        auto const bits = element_bits(p.a);
        for (unsigned row = 0; row < p.m; ++row)
            for (unsigned i = 0; i < depth; ++i) {
                auto const word = tensor.at(a.row + lane_of_row(p.m, row), a.column + i * bits / 32);
                auto const ones = bits == 32 ? ~0U : (1U << bits) - 1;
                left[row * depth + i] = static_cast<value>(N::element(p.a, word >> i * bits % 32 & ones));
            }
    }
    auto const b = shared_factor(c, o, mask, c.source<std::uint64_t>(o, next++)[lane]);
    matrices::read_shared<N>(c, o, b, p.b, 0, p.n, depth, !p.b_by_columns, right.data());
    ++next; // the instruction descriptor
    bool const adds = (c.predicate(o, next++) >> lane & 1) != 0;
    auto const scale = next < o.source_count ? c.source<std::uint32_t>(o, next)[lane] : 0U;
    std::uint32_t disabled[4]{};
    if (masked) {
        auto const* const slots = c.fragments + o.target + (from_shared ? 3 : 6);
        for (unsigned w = 0; w < 4; ++w) disabled[w] = c.lanes_of<std::uint32_t>(slots[w])[lane];
    }
    for (unsigned row = 0; row < p.m; ++row) {
        auto const at = d.row + lane_of_row(p.m, row);
        if ((disabled[at / 32] >> at % 32 & 1) != 0) continue;
        for (unsigned column = 0; column < p.n; ++column) {
            auto& cell = tensor.at(at, d.column + column);
            typename N::sum sum{};
            if (adds)
                sum =
                    static_cast<typename N::sum>(N::element(p.d, p.d == scalar::f16 ? cell & 0xffff : cell));
            if constexpr (std::is_floating_point_v<typename N::sum>)
                sum = std::ldexp(sum, -static_cast<int>(scale));
            for (unsigned i = 0; i < depth; ++i)
                sum = N::add(o, static_cast<value>(static_cast<value>(p.sign) * left[row * depth + i]),
                             right[column * depth + i], sum);
            if constexpr (std::is_integral_v<typename N::sum>)
                if (p.saturates) sum = std::clamp<typename N::sum>(sum, INT32_MIN, INT32_MAX);
            cell = static_cast<std::uint32_t>(N::result(o, p.d, sum));
        }
    }
}

} // namespace tensors

/// tcgen05.mma. `Masked`: with lanes of D that stay as they are.
template <bool FromShared, bool Masked>
void multiply_tensors(warp_context& c, operation const& o, lane_mask mask) {
    auto const lane = tensors::only_lane(c, o, mask);
    auto const p = tensors::shape_of(c, o, mask, c.source<std::uint32_t>(o, FromShared ? 2 : 1)[lane]);
    if (p.d == scalar::s32)
        tensors::multiply<matrices::integers>(c, o, mask, p, FromShared, Masked);
    else
        tensors::multiply<matrices::reals>(c, o, mask, p, FromShared, Masked);
    c.record->begin_instruction();
    c.record->number(tensor_product_words{p.n, 32 * (p.n + (FromShared ? p.m : 0))}.word());
}

} // namespace warpkit::ptx::semantics
