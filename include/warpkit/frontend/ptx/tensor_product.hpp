#pragma once
/// \file
/// tcgen05.mma: products of matrices into tensor memory, which one thread orders for its CTA, or for both of a pair.
/// They are there at once, as they may be; so nobody waits for them.
/// Source: PTX ISA, "tcgen05.mma", "Instruction descriptor", "Data Path Layout Organization", "Block Scaling for
/// tcgen05.mma.sync"; docs/model/ptx.md#tensor-memory, #stationary-products,
/// #sparse-products, #pairs, #scaled-products.

#include <warpkit/frontend/ptx/tensor_factors.hpp>
#include <warpkit/program/async_words.hpp>

#include <algorithm>
#include <bit>
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
    unsigned ctas = 1;       ///< that work on it
    bool stationary = false; ///< .ws
    bool sparse = false;     ///< .sp
    unsigned selector = 0;   ///< of its metadata: which of two columns
    unsigned most_shift = 0; ///< of its columns
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

    /// Elements of a row of A that are stored, and of a column of B.
    unsigned depth() const noexcept { return 256 / element_bits(a); }
    unsigned depth_of_b() const noexcept { return sparse ? 2 * depth() : depth(); }
    /// Rows of A and D that each CTA has.
    unsigned rows() const noexcept { return m / ctas; }
    /// Parts of D's columns that lie above each other: as many as fill the lanes, of a pair and with .ws. Precondition:
    /// has_shape().
    unsigned parts() const noexcept { return ctas == 2 || stationary ? 128 / rows() : 1; }
    /// Whether each CTA has two halves of D's columns above each other, from lane 0 and lane 64 on.
    bool has_halves() const noexcept { return ctas == 2 && m == 128; }
    /// Of D, in tensor memory.
    unsigned columns() const noexcept { return n / parts(); }
    /// Whether rows lie in half of each quarter of the lanes, in its lower or its upper one.
    bool in_half_quarters() const noexcept { return m == 64 && !stationary; }
    /// The lane in which a CTA's row lies, from the address on.
    unsigned lane_of_row(unsigned row) const noexcept {
        return in_half_quarters() ? row / 16 * 32 + row % 16 : row;
    }
    /// Where an element of D lies, likewise.
    tensor_address place(unsigned row, unsigned column) const noexcept {
        return {column / columns() * rows() + lane_of_row(row), column % columns()};
    }
};

/// Which columns of B a product with .ws takes for zeros, and from which column on it takes B: from the zero-column
/// mask descriptor.
struct zero_columns {
    std::uint64_t bits = 0;
    unsigned shift() const noexcept { return bits >> 56 & 63; }
    /// Column `column` of the `in_part` ones of part `part`: so many columns are used and so many are not, in turn.
    bool has(unsigned part, unsigned column) const noexcept {
        if ((bits >> 39 & 1) == 0) return false;
        unsigned const zeros = (bits >> 40 & 255) + 1, used = (bits >> 48 & 255) + 1;
        bool const zeros_first = (bits >> (32 + part) & 1) != 0;
        auto const at = (column + (bits >> 8 * part & 255)) % (zeros + used);
        return zeros_first ? at < zeros : at >= used;
    }
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
/// Whether there are products of this shape.
inline bool has_shape(product_kind kind, product_shape const& p) noexcept {
    bool const integers = kind == product_kind::i8;
    if (p.n == 0 || p.n > 256) return false;
    if (p.stationary) return (p.m == 32 || p.m == 64 || p.m == 128) && p.n >= 64 && std::has_single_bit(p.n);
    if (p.ctas == 2) return (p.m == 128 || p.m == 256) && p.n % (integers ? 32 : 16) == 0;
    bool const few = integers && p.n <= 32;
    return (p.m == 128 || (p.m == 64 && p.factors == 0)) &&
           (p.m != 128 || few || p.factors != 0 || p.n % 16 == 0) && (!integers || few || p.n % 16 == 0);
}
/// Takes a descriptor apart; stops with what cannot be.
inline product_shape shape_of(warp_context const& c, operation const& o, lane_mask mask, std::uint32_t bits) {
    auto const kind = kind_of(*o.modifiers);
    auto const stop = [&](std::string const& what) { c.stop(c, o, mask, "expected " + what); };
    product_shape p;
    p.ctas = is_of_pair(*o.modifiers) ? 2 : 1;
    p.stationary = o.modifiers->has(modifier::stationary);
    p.sparse = o.modifiers->has(modifier::sparse);
    p.selector = bits & 3;
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
    if (p.stationary && bits >> 30 != 0) p.most_shift = 4U << (bits >> 30);
    if (((bits >> 2 & 1) != 0) != p.sparse)
        stop(p.sparse ? "an instruction descriptor of sparse matrices"
                      : "an instruction descriptor of dense matrices");
    if (p.a == scalar::none || p.b == scalar::none || p.d == scalar::none)
        stop("an instruction descriptor whose types go with the kind, found " +
             std::to_string(bits >> 7 & 7) + ", " + std::to_string(bits >> 10 & 7) + " and " +
             std::to_string(bits >> 4 & 3));
    if ((p.a_by_columns && code_bits(p.a) < 8) || (p.b_by_columns && code_bits(p.b) < 8))
        stop("an instruction descriptor that transposes no matrix of elements of 6 or 4 bits");
    if (p.factors != 0) read_scales(p, bits, stop);
    if (o.modifiers->has(modifier::shifted) && p.rows() != 128 && !p.has_halves())
        stop("M of 128 with .ashift, found " + std::to_string(p.m));
    if (p.has_halves() && p.factors != 0)
        stop("M of 256: scale factors of M = 128 with .cta_group::2 are not supported");
    if (p.sparse && p.rows() != 128)
        stop("M of 128, or of 256 with .cta_group::2: .sp of fewer rows is not supported, found " +
             std::to_string(p.m));
    if (p.sparse && p.selector > (element_bits(p.a) > 8 ? 1U : 0U))
        stop("a sparsity selector of 0, or of 1 for elements of 16 or 32 bits, found " +
             std::to_string(p.selector));
    if (!has_shape(kind, p))
        stop("a shape that tcgen05.mma with .cta_group::" + std::to_string(p.ctas) +
             (p.stationary ? " and .ws" : "") + " has, found " + std::to_string(p.m) + " x " +
             std::to_string(p.n));
    return p;
}

inline tensor_address require_place(warp_context const& c, operation const& o, lane_mask mask,
                                    std::uint64_t address, unsigned columns, bool in_half_quarters = false) {
    auto const at = tensor_address::of(address);
    if (at.row != 0 && (!in_half_quarters || at.row != 16))
        c.stop(c, o, mask,
               "expected a matrix in tensor memory from lane 0 on" +
                   std::string(in_half_quarters ? ", or 16" : "") + ", found lane " + std::to_string(at.row));
    require_columns(c, o, mask, at.column, columns);
    return at;
}

/// Multiplies rows of A, or columns of B, by their scale factors in tensor memory: row r has its own in lane r mod 32,
/// column r / 32 from the address on, and so in all four quarters of the lanes.
inline void scale_rows(warp_context const& c, operation const& o, lane_mask mask, product_shape const& p,
                       std::uint64_t address, unsigned first, unsigned rows, unsigned depth, double* values) {
    // CUTLASS's addresses have in the two bits on top which byte is the first; what counts is the descriptor.
    auto const column = require_place(c, o, mask, address & 0x3fffffff, (rows + 31) / 32).column;
    auto const block = depth / p.factors; // of A, half of a block may be stored
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
        for (unsigned i = 0; i < depth; ++i)
            *values++ *= matrices::scale_factor(p.powers_of_two, factors >> 8 * (i / block));
    }
}

/// A CTA's rows of A in its tensor memory; where D has halves above each other, both have A beside them.
template <class N>
void read_rows(warp_context const& c, operation const& o, lane_mask mask, product_shape const& p,
               std::uint64_t address, typename N::value* values) {
    auto const a = require_place(c, o, mask, address, 8, p.in_half_quarters());
    auto const bits = element_bits(p.a);
    auto const below = bits == 8 ? bits_below(code_bits(p.a)) : 0;
    auto const ones = static_cast<std::uint32_t>((std::uint64_t{1} << code_bits(p.a)) - 1);
    auto const word_of = [&](unsigned lane, unsigned i) {
        return c.memory.tensor->at(a.row + lane, a.column + i * bits / 32);
    };
    for (unsigned row = 0; row < p.rows(); ++row)
        for (unsigned i = 0; i < p.depth(); ++i) {
            auto const word = word_of(p.lane_of_row(row), i);
            if (p.has_halves() && word_of(64 + row, i) != word)
                c.stop(c, o, mask,
                       "expected the same of A in both halves of tensor memory's lanes, as M = 128 with "
                       ".cta_group::2 has it, found other bits in lane " +
                           std::to_string(64 + row) + " than in lane " + std::to_string(row) + " of column " +
                           std::to_string(a.column + i * bits / 32));
            *values++ = value_of_code<N>(p.a, word >> (i * bits % 32 + below) & ones);
        }
}

/// Which elements of K those are that are stored of a CTA's rows of A, from the metadata in its tensor memory: four
/// bits for each chunk of two elements of 32 bits, of which one is stored, or of four, of which two are, or of four
/// pairs of 4 bits, of which two pairs are. For 16 and 32 bits eight lanes have the first half of K of eight rows, and
/// above them of those eight rows further, and the next eight lanes the other half; for fewer bits a lane has its
/// row's, in two columns. `a`: what is stored.
template <class Value>
std::vector<std::uint16_t> stored_elements(warp_context const& c, operation const& o, lane_mask mask,
                                           product_shape const& p, std::uint64_t address, Value const* a) {
    auto const bits = element_bits(p.a);
    unsigned const together = bits == 4 ? 2 : 1;
    unsigned const in_chunk = bits == 32 ? 2 : 4 * together, stored = in_chunk / 2,
                   chunks = p.depth() / stored;
    auto const at = require_place(c, o, mask, address, 2);
    if (at.column % 2 != 0)
        c.stop(c, o, mask,
               "expected metadata from an even column of tensor memory on, found column " +
                   std::to_string(at.column));
    std::vector<std::uint16_t> elements;
    for (unsigned row = 0; row < p.rows(); ++row)
        for (unsigned chunk = 0; chunk < chunks; ++chunk) {
            auto const code = (bits > 8 ? c.memory.tensor->at(row % 8 + chunk / 4 * 8 + row / 16 * 16,
                                                              at.column + p.selector) >>
                                              (row / 8 % 2 * 16 + chunk % 4 * 4)
                                        : c.memory.tensor->at(row, at.column + chunk / 8) >> chunk % 8 * 4) &
                              15;
            unsigned const first = code & 3, second = code >> 2;
            bool const valid =
                bits == 32 ? code == 0b1110 || code == 0b0100 : first < second || code == 0b0110;
            auto const* const values = a + std::size_t{row} * p.depth() + std::size_t{chunk} * stored;
            if (!valid && !is_chunk_of_zeros(code, values, stored))
                c.stop(c, o, mask,
                       "expected valid metadata of row " + std::to_string(row) + ", chunk " +
                           std::to_string(chunk) + ", found " + std::to_string(code));
            auto const add = [&](unsigned element) {
                elements.push_back(static_cast<std::uint16_t>(in_chunk * chunk + element));
            };
            if (bits == 32)
                add(first / 2);
            else
                for (auto const index : {first, second})
                    for (unsigned k = 0; k < together; ++k) add(together * index + k);
        }
    return elements;
}

/// The lanes of tensor memory in which D stays as it is, by the rank of a CTA in its pair.
struct disabled_lanes {
    std::uint32_t words[8]{};
    bool has(unsigned cta, unsigned lane) const noexcept {
        return (words[4 * cta + lane / 32] >> lane % 32 & 1) != 0;
    }
};

/// The zero-column mask descriptor, source `source` of a product with .ws, if it has one.
inline zero_columns zero_columns_of(warp_context const& c, operation const& o, lane_mask mask,
                                    product_shape const& p, unsigned source) {
    if (!p.stationary || source >= o.source_count) return {};
    zero_columns const z{c.source<std::uint64_t>(o, source)[static_cast<unsigned>(std::countr_zero(mask))]};
    auto const most = p.m == 32 ? std::min(p.most_shift, 16U) : p.most_shift;
    if (z.shift() > most)
        c.stop(c, o, mask,
               "expected a shift of at most " + std::to_string(most) +
                   " columns, as the instruction descriptor and M say, found " + std::to_string(z.shift()));
    return z;
}

/// `FromShared`: A, too, lies in shared memory; otherwise in tensor memory. Of a pair each CTA has half of A's and D's
/// rows and of B's columns.
template <class N>
void multiply(warp_context& c, operation const& o, lane_mask mask, product_shape const& p, bool from_shared,
              bool masked) {
    using value = typename N::value;
    auto const lane = static_cast<unsigned>(std::countr_zero(mask));
    concerned_ctas const ctas(c, o, mask);
    listed_operands listed(c, o, lane);
    auto const to = listed.address();
    tensor_address d;
    for (auto const* const cta : ctas)
        d = require_place(*cta, o, mask, to, p.columns(), p.in_half_quarters());
    auto const depth = p.depth();
    auto const rows = p.rows();
    unsigned next = 0;
    std::vector<value> left(std::size_t{p.m} * depth);
    zero_columns const zeros = zero_columns_of(c, o, mask, p, from_shared ? 4 : 3);
    auto const depth_of_b = p.depth_of_b();
    std::vector<value> right(std::size_t{p.n + zeros.shift()} * depth_of_b);
    if (from_shared) {
        auto const descriptor = c.source<std::uint64_t>(o, next++)[lane];
        for (unsigned k = 0; k < ctas.size(); ++k)
            read_factor<N>(ctas[k], o, shared_factor(c, o, mask, descriptor, !p.a_by_columns), p.a, rows,
                           depth, !p.a_by_columns, left.data() + std::size_t{k} * rows * depth);
    } else {
        if (p.stationary && p.parts() != 1)
            c.stop(c, o, mask,
                   "expected M of 128: A of fewer rows in tensor memory is not supported with .ws");
        auto const from = listed.address();
        for (unsigned k = 0; k < ctas.size(); ++k)
            read_rows<N>(ctas[k], o, mask, p, from, left.data() + std::size_t{k} * rows * depth);
    }
    auto const descriptor = c.source<std::uint64_t>(o, next++)[lane];
    auto const columns = p.n / p.ctas + zeros.shift();
    for (unsigned k = 0; k < ctas.size(); ++k)
        read_factor<N>(ctas[k], o, shared_factor(c, o, mask, descriptor, !p.b_by_columns), p.b, columns,
                       depth_of_b, !p.b_by_columns, right.data() + std::size_t{k} * columns * depth_of_b);
    auto* const first_column = right.data() + std::size_t{zeros.shift()} * depth_of_b;
    for (unsigned column = 0; column < p.n && p.stationary; ++column)
        if (zeros.has(column / p.columns(), column % p.columns()))
            std::fill(first_column + std::size_t{column} * depth,
                      first_column + std::size_t{column + 1} * depth, value{});
    auto const metadata = p.sparse ? listed.address() : 0;
    std::uint64_t factors[2]{};
    if (p.factors != 0)
        for (auto& f : factors) f = listed.address();
    ++next; // the instruction descriptor
    bool const adds = (c.predicate(o, next++) >> lane & 1) != 0;
    auto const scale = next < o.source_count && !p.stationary ? c.source<std::uint32_t>(o, next)[lane] : 0U;
    disabled_lanes disabled;
    if (masked) {
        auto const* const slots =
            c.fragments + o.target + 3 * (1 + !from_shared + p.sparse); // behind addresses
        for (unsigned w = 0; w < 4 * p.ctas; ++w)
            disabled.words[w] = c.lanes_of<std::uint32_t>(slots[w])[lane];
    }
    for (unsigned k = 0; k < ctas.size(); ++k) {
        auto* const a = left.data() + std::size_t{k} * rows * depth;
        auto* b = first_column;
        auto const stored =
            p.sparse ? stored_elements(ctas[k], o, mask, p, metadata, a) : std::vector<std::uint16_t>();
        std::vector<value> scaled;
        if constexpr (std::is_floating_point_v<value>)
            if (p.factors != 0) {
                scaled = right; // by factors that each CTA has
                b = scaled.data();
                scale_rows(ctas[k], o, mask, p, factors[0], p.first_of_a, rows, depth, a);
                scale_rows(ctas[k], o, mask, p, factors[1], p.first_of_b, p.n, depth_of_b, b);
            }
        for (unsigned row = 0; row < rows; ++row)
            for (unsigned column = 0; column < p.n; ++column) {
                auto const at = p.place(row, column);
                if (disabled.has(k, d.row + at.row)) continue;
                auto& cell = ctas[k].memory.tensor->at(d.row + at.row, d.column + at.column);
                typename N::sum sum{};
                if (adds)
                    sum = static_cast<typename N::sum>(
                        N::element(p.d, p.d == scalar::f16 ? cell & 0xffff : cell));
                if constexpr (std::is_floating_point_v<typename N::sum>)
                    sum = std::ldexp(sum, -static_cast<int>(scale));
                for (unsigned i = 0; i < depth && !p.sparse; ++i)
                    sum = N::add(o, static_cast<value>(static_cast<value>(p.sign) * a[row * depth + i]),
                                 b[column * depth + i], sum);
                for (unsigned i = 0; i < depth && p.sparse; ++i)
                    sum = N::add(o, static_cast<value>(static_cast<value>(p.sign) * a[row * depth + i]),
                                 b[column * depth_of_b + stored[row * depth + i]], sum);
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
        for (auto const* const cta : tensors::concerned_ctas(c, o, mask))
            for (unsigned first = 0; first < tensor_memory::rows; first += 32)
                tensors::shift_lanes(*cta->memory.tensor, first, a.column);
    }
    auto const bytes_of_b = p.sparse ? 64U : 32U;
    tensors::record_product(c, o,
                            {p.columns(), bytes_of_b * (p.n / p.ctas) + (FromShared ? 32 * p.rows() : 0)});
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
