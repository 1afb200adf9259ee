#pragma once
/// \file
/// tcgen05.mma: products of matrices into tensor memory, which one thread orders for its CTA. They are there at once,
/// as they may be; so nobody waits for them.
/// Source: PTX ISA, "tcgen05.mma", "Instruction descriptor", "Data Path Layout Organization", "Block Scaling for
/// tcgen05.mma.sync"; docs/model/ptx.md#tensor-memory, #scaled-products.

#include <warpkit/frontend/ptx/tensor_factors.hpp>
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
    unsigned factors = 0;       ///< by which a row of A, and a column of B, is scaled; 0: it is not
    unsigned first_of_a = 0;    ///< which byte of a word of tensor memory has the first of them
    unsigned first_of_b = 0;    ///< likewise
    bool powers_of_two = false; ///< these are

    unsigned depth() const noexcept { return 256 / element_bits(a); }
};

inline scalar factor_type(product_kind kind, unsigned code) noexcept {
    switch (kind) {
    case product_kind::f16:
        return code == 0 ? scalar::f16 : code == 1 ? scalar::bf16 : scalar::none;
    case product_kind::tf32:
        return code == 2 ? scalar::tf32 : scalar::none;
    case product_kind::f8f6f4:
    case product_kind::mxf8f6f4: {
        constexpr scalar types[8]{scalar::e4m3, scalar::e5m2, scalar::none, scalar::e2m3,
                                  scalar::e3m2, scalar::e2m1, scalar::none, scalar::none};
        return types[code];
    }
    case product_kind::mxf4:
    case product_kind::mxf4nvf4:
        return code == 1 ? scalar::packed_e2m1 : scalar::none;
    default:
        return code == 0 ? scalar::u8 : code == 1 ? scalar::s8 : scalar::none;
    }
}
inline scalar sum_type(product_kind kind, unsigned code) noexcept {
    if (kind == product_kind::i8) return code == 2 ? scalar::s32 : scalar::none;
    if (code == 1) return scalar::f32;
    return code == 0 && kind != product_kind::tf32 ? scalar::f16 : scalar::none;
}

/// What the descriptor says of scale factors; stops with what cannot be.
template <class Stop>
void read_scales(product_shape& p, std::uint32_t bits, Stop const& stop) {
    p.first_of_a = bits >> 29 & 3;
    p.first_of_b = bits >> 4 & 3;
    p.powers_of_two = (bits >> 23 & 1) != 0;
    if (bits >> 31 != 0) stop("an instruction descriptor with K of 64: 96 is not supported");
    if (p.first_of_a % p.factors != 0 || p.first_of_b % p.factors != 0)
        stop("scale factors from a byte on that is a multiple of how many they are, " +
             std::to_string(p.factors) + ", found " + std::to_string(p.first_of_a) + " and " +
             std::to_string(p.first_of_b));
    if (!p.powers_of_two && p.factors != 4)
        stop(
            "scale factors of type .ue8m0, unless each row has four: 1 in bit 23 of the descriptor, found 0");
}
/// Takes a descriptor apart; stops with what cannot be.
inline product_shape shape_of(warp_context const& c, operation const& o, lane_mask mask, std::uint32_t bits) {
    auto const kind = kind_of(*o.modifiers);
    auto const stop = [&](std::string const& what) { c.stop(c, o, mask, "expected " + what); };
    product_shape p;
    p.factors = scale_factors_of(*o.modifiers);
    p.saturates = (bits >> 3 & 1) != 0;
    p.d = p.factors != 0 ? scalar::f32 : sum_type(kind, bits >> 4 & 3);
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
             std::to_string(bits >> 4 & 3));
    if ((p.a_by_columns && code_bits(p.a) < 8) || (p.b_by_columns && code_bits(p.b) < 8))
        stop("an instruction descriptor that transposes no matrix of elements of 6 or 4 bits");
    if (p.factors != 0) read_scales(p, bits, stop);
    if (o.modifiers->has(modifier::shifted) && p.m != 128)
        stop("M of 128 with .ashift, found " + std::to_string(p.m));
    bool const few = kind == product_kind::i8 && p.n <= 32;
    if ((p.m != 128 && (p.m != 64 || p.factors != 0)) || p.n == 0 || p.n > 256 ||
        (p.m == 128 && !few && p.factors == 0 && p.n % 16 != 0) ||
        (kind == product_kind::i8 && !few && p.n % 16 != 0))
        stop("a shape that tcgen05.mma with .cta_group::1 has, found " + std::to_string(p.m) + " x " +
             std::to_string(p.n));
    return p;
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

/// Multiplies rows of A, or columns of B, by their scale factors in tensor memory: row r has its own in lane r mod 32,
/// column r / 32 from the address on, and so in all four quarters of the lanes.
inline void scale_rows(warp_context const& c, operation const& o, lane_mask mask, product_shape const& p,
                       std::uint64_t address, unsigned first, unsigned rows, double* values) {
    // CUTLASS's addresses have in the two bits on top which byte is the first; what counts is the descriptor.
    auto const column = require_place(c, o, mask, address & 0x3fffffff, 128, (rows + 31) / 32).column;
    auto const block = p.depth() / p.factors;
    auto const used = static_cast<std::uint32_t>((std::uint64_t{1} << 8 * p.factors) - 1);
    for (unsigned row = 0; row < rows; ++row) {
        auto const in_quarter = [&](unsigned quarter) {
            return c.memory.tensor->at(32 * quarter + row % 32, column + row / 32) >> 8 * first & used;
        };
        auto const factors = in_quarter(0);
        for (unsigned quarter = 1; quarter < 4; ++quarter)
            if (in_quarter(quarter) != factors)
                c.stop(
                    c, o, mask,
                    "expected the same scale factors in all four quarters of tensor memory's lanes, found " +
                        std::to_string(factors) + " in lane " + std::to_string(row % 32) + " and " +
                        std::to_string(in_quarter(quarter)) + " in lane " +
                        std::to_string(32 * quarter + row % 32) + " of column " +
                        std::to_string(column + row / 32));
        for (unsigned i = 0; i < p.depth(); ++i)
            *values++ *= matrices::scale_factor(p.powers_of_two, factors >> 8 * (i / block));
    }
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
        read_factor<N>(c, o, a, p.a, p.m, depth, !p.a_by_columns, left.data());
    } else {
        auto const a = require_place(c, o, mask, listed.address(), p.m, 8);
        auto const bits = element_bits(p.a);
        auto const below = bits == 8 ? bits_below(code_bits(p.a)) : 0;
        auto const ones = static_cast<std::uint32_t>((std::uint64_t{1} << code_bits(p.a)) - 1);
        for (unsigned row = 0; row < p.m; ++row)
            for (unsigned i = 0; i < depth; ++i) {
                auto const word = tensor.at(a.row + lane_of_row(p.m, row), a.column + i * bits / 32);
                left[row * depth + i] = value_of_code<N>(p.a, word >> (i * bits % 32 + below) & ones);
            }
    }
    auto const b = shared_factor(c, o, mask, c.source<std::uint64_t>(o, next++)[lane]);
    read_factor<N>(c, o, b, p.b, p.n, depth, !p.b_by_columns, right.data());
    if constexpr (std::is_floating_point_v<value>)
        if (p.factors != 0) {
            scale_rows(c, o, mask, p, listed.address(), p.first_of_a, p.m, left.data());
            scale_rows(c, o, mask, p, listed.address(), p.first_of_b, p.n, right.data());
        }
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

/// tcgen05.mma. `Masked`: with lanes of D that stay as they are. With .ashift, A is shifted behind the product.
template <bool FromShared, bool Masked>
void multiply_tensors(warp_context& c, operation const& o, lane_mask mask) {
    auto const lane = tensors::only_lane(c, o, mask);
    auto const p = tensors::shape_of(c, o, mask, c.source<std::uint32_t>(o, FromShared ? 2 : 1)[lane]);
    if (p.d == scalar::s32)
        tensors::multiply<matrices::integers>(c, o, mask, p, FromShared, Masked);
    else
        tensors::multiply<matrices::reals>(c, o, mask, p, FromShared, Masked);
    if (!FromShared && o.modifiers->has(modifier::shifted)) {
        listed_operands listed(c, o, lane);
        listed.address();
        auto const a = tensors::tensor_address::of(listed.address());
        for (unsigned first = 0; first < tensor_memory::rows; first += 32)
            tensors::shift_lanes(*c.memory.tensor, first, a.column);
    }
    c.record->begin_instruction();
    c.record->number(tensor_product_words{p.n, 32 * (p.n + (FromShared ? p.m : 0))}.word());
}
/// A from tensor memory; null for .ashift of what the collector keeps.
template <bool Masked>
execute_function products_from_tensors(form const& f) {
    auto const collector = f.get(modifier::collector);
    bool const keeps = collector == 3 || collector == 4; // fill, use
    return f.has(modifier::shifted) && keeps ? nullptr : &multiply_tensors<false, Masked>;
}
/// With .block_scale; null for factors that do not go with the kind.
template <bool FromShared>
execute_function scaled_tensor_products(form const& f) {
    return scale_factors_of(f) == 0 ? nullptr : &multiply_tensors<FromShared, false>;
}

} // namespace warpkit::ptx::semantics
