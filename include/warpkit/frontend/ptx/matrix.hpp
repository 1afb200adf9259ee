#pragma once
/// \file
/// Products of matrices that a warp holds, and their way between registers and memory: mma, wmma, ldmatrix, stmatrix,
/// movmatrix. Which lane has which element: matrix_shapes.hpp.
/// Source: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions". What it leaves open is chosen in
/// docs/model/ptx.md#matrices.

#include <warpkit/frontend/ptx/half.hpp>
#include <warpkit/frontend/ptx/matrix_shapes.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/real.hpp>
#include <warpkit/frontend/ptx/soft_float.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics {

namespace matrices {

/// .sync.aligned: all lanes execute the instruction together; what happens otherwise is undefined, and here an error.
inline void require_all_lanes(warp_context const& c, operation const& o, lane_mask mask) {
    if (mask != all_lanes) [[unlikely]]
        c.stop(c, o, mask, "expected all 32 lanes of the warp to execute this .aligned instruction together");
}

/// A binary floating-point number of few bits, exactly; all ones of the exponent are infinity and NaN.
template <unsigned Fraction, unsigned Exponent>
double small_real(std::uint64_t b) noexcept {
    constexpr unsigned bias = (1U << (Exponent - 1)) - 1;
    auto const sign = (b >> (Fraction + Exponent) & 1) << 63;
    auto const exponent = b >> Fraction & ((1U << Exponent) - 1);
    auto const fraction = b & ((1U << Fraction) - 1);
    if (exponent == 0) { // subnormal: an integer times the least power of two
        auto const magnitude = static_cast<double>(fraction) *
                               std::bit_cast<double>(std::uint64_t{1023 - (bias + Fraction - 1)} << 52);
        return sign != 0 ? -magnitude : magnitude;
    }
    auto const wide = exponent == (1U << Exponent) - 1 ? std::uint64_t{2047} : exponent + (1023 - bias);
    return std::bit_cast<double>(sign | wide << 52 | fraction << (52 - Fraction));
}
/// The same where all exponents are those of numbers.
template <unsigned Fraction, unsigned Exponent>
double finite_real(std::uint64_t b) noexcept {
    constexpr unsigned bias = (1U << (Exponent - 1)) - 1;
    auto const exponent = b >> Fraction & ((1U << Exponent) - 1);
    auto const fraction = b & ((1U << Fraction) - 1);
    auto const significand = static_cast<double>(exponent == 0 ? fraction : fraction | 1U << Fraction);
    auto const unit = (exponent == 0 ? 1 : exponent) + (1023 - bias - Fraction);
    auto const magnitude = significand * std::bit_cast<double>(unit << 52);
    return (b >> (Fraction + Exponent) & 1) != 0 ? -magnitude : magnitude;
}
inline constexpr double nan_element = std::bit_cast<double>(std::uint64_t{0x7ff8} << 48);
inline double real_element(scalar t, std::uint64_t b) noexcept {
    switch (t) {
    case scalar::f16:
        return small_real<10, 5>(b);
    case scalar::bf16:
        return std::bit_cast<float>(static_cast<std::uint32_t>(b << 16));
    case scalar::tf32: // its lowest 13 bits do not count
        return std::bit_cast<float>(static_cast<std::uint32_t>(b & 0xffffe000));
    case scalar::f32:
        return std::bit_cast<float>(static_cast<std::uint32_t>(b));
    case scalar::e5m2: // the upper half of an .f16
        return small_real<10, 5>(b << 8);
    case scalar::e4m3:
        return (b & 0x7f) == 0x7f ? nan_element : finite_real<3, 4>(b);
    case scalar::e2m3:
        return finite_real<3, 2>(b);
    case scalar::e3m2:
        return finite_real<2, 3>(b);
    case scalar::e2m1: // in the middle of its byte
        return finite_real<1, 2>(b >> 2);
    case scalar::packed_e2m1:
        return finite_real<1, 2>(b);
    default:
        return std::bit_cast<double>(b);
    }
}
/// A scale factor: .ue8m0 or .ue4m3, the top bit of which does not count. Source: OCP Microscaling Formats (MX)
/// Specification 1.0; PTX ISA, "Alternate Floating-Point Data Formats".
inline double scale_factor(bool power_of_two, std::uint32_t b) noexcept {
    if (!power_of_two) return real_element(scalar::e4m3, b & 0x7f);
    auto const exponent = b & 0xff;
    return exponent == 0xff ? nan_element : std::bit_cast<double>(std::uint64_t{exponent + 1023 - 127} << 52);
}
inline std::int32_t integer_element(scalar t, std::uint64_t b) noexcept {
    switch (t) {
    case scalar::s8:
        return static_cast<std::int8_t>(b);
    case scalar::s4:
        return static_cast<std::int32_t>(b ^ 8) - 8;
    default:
        return static_cast<std::int32_t>(b);
    }
}

/// Sums of .f16 and .f32: each product is exact in double precision, in which they are added to C, in the order of k;
/// the sum is rounded once more, to D.
struct reals {
    using value = double;
    using sum = double;
    static constexpr unsigned most_factors = 512;
    static value element(scalar t, std::uint64_t b) noexcept { return real_element(t, b); }
    static sum add(operation const&, value a, value b, sum s) noexcept { return s + a * b; }
    static std::uint64_t result(operation const& o, scalar t, sum s) noexcept {
        bool const limited = o.modifiers->has(modifier::satfinite); // of early wmma: NaN is +0
        if (limited && s != s) return 0;
        if (t == scalar::f16) {
            auto const h = half::from(s, rounding::rn);
            return limited ? half::bound(h) : h;
        }
        auto const f = static_cast<float>(s);
        if (f != f) return 0x7fffffff;
        auto const b = std::bit_cast<std::uint32_t>(f);
        return limited && (b & 0x7fffffff) == 0x7f800000 ? b - 1 : b;
    }
};
/// Of .f64: a fused multiply-add for each k, in order, each rounded as the form says.
struct doubles {
    using value = double;
    using sum = double;
    static constexpr unsigned most_factors = 256;
    static value element(scalar, std::uint64_t b) noexcept { return std::bit_cast<double>(b); }
    static sum add(operation const& o, value a, value b, sum s) noexcept {
        return o.rounding == rounding::none || o.rounding == rounding::rn ? std::fma(a, b, s)
                                                                          : soft::fused(a, b, s, o.rounding);
    }
    static std::uint64_t result(operation const&, scalar, sum s) noexcept {
        return std::bit_cast<std::uint64_t>(s == s ? s : canonical_nan<double>());
    }
};
/// Of integers: exact; then cut to 32 bits, or with .satfinite limited to them.
struct integers {
    using value = std::int32_t;
    using sum = std::int64_t;
    static constexpr unsigned most_factors = 1024;
    static value element(scalar t, std::uint64_t b) noexcept { return integer_element(t, b); }
    static sum add(operation const&, value a, value b, sum s) noexcept { return s + a * b; }
    static std::uint64_t result(operation const& o, scalar, sum s) noexcept {
        if (o.modifiers->has(modifier::satfinite))
            s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
        return static_cast<std::uint32_t>(s);
    }
};
/// Of single bits: how many are set in a and b, or in one of them.
struct single_bits : integers {
    static constexpr unsigned most_factors = 4096;
    static sum add(operation const& o, value a, value b, sum s) noexcept {
        return s + (o.modifiers->get(modifier::boolean) == 1 ? a & b : a ^ b);
    }
};

/// What lane `lane` has in the register of this slot.
inline std::uint64_t word_of(warp_context const& c, std::uint32_t slot, scalar type, unsigned lane) {
    return size_of(type) == 8 ? c.lanes_of<std::uint64_t>(slot)[lane] : c.lanes_of<std::uint32_t>(slot)[lane];
}
/// Calls `visit(lane, register, element, place)` for each element that a fragment's registers hold.
template <class Visit>
void each_element(matrix_fragment const& f, unsigned registers, Visit&& visit) {
    auto const per = f.per_register();
    for (unsigned r = 0; r < registers; ++r)
        for (unsigned lane = 0; lane < lanes; ++lane)
            for (unsigned e = 0; e < per; ++e) visit(lane, r, e, f.at(lane, r % f.distinct, e));
}
/// Matrix `f`, of which the registers lie from `slots` on, by products, rows and columns.
template <class N, class T>
void gather(warp_context const& c, matrix_fragment const& f, std::uint32_t const* slots, T* to) {
    auto const bits = f.bits();
    auto const ones = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    each_element(f, f.distinct, [&](unsigned lane, unsigned r, unsigned e, matrix_fragment::place p) {
        auto const b = word_of(c, slots[r], f.type, lane) >> (e * bits) & ones;
        to[(p.product * f.rows + p.row) * f.columns + p.column] = static_cast<T>(N::element(f.element, b));
    });
}
/// Fills registers of a fragment with elements: `bits_of(place)`.
template <class Bits>
void scatter(warp_context const& c, matrix_fragment const& f, std::uint32_t const* slots, Bits&& bits_of) {
    for (unsigned r = 0; r < f.registers; ++r) {
        std::uint64_t word[lanes]{};
        auto const per = f.per_register();
        for (unsigned lane = 0; lane < lanes; ++lane)
            for (unsigned e = 0; e < per; ++e)
                word[lane] |= bits_of(f.at(lane, r % f.distinct, e)) << (e * f.bits());
        c.write_sized(slots[r], word, size_of(f.type), all_lanes);
    }
}

/// The operands of a product that a warp holds, gathered: rows of A, of B and of C, and how D goes back. `Most`
/// elements of A, and of B, have room.
template <class N, unsigned Most>
struct gathered_product {
    matrix_product shape;
    matrix_fragment d;
    std::uint32_t const* slots; // D, A, B, C
    typename N::value left[Most];
    typename N::value right[Most];
    typename N::sum sums[256];

    gathered_product(warp_context& c, operation const& o, lane_mask mask)
        : shape(product_of(*o.modifiers)),
          d(fragment_of(shape, 'D')),
          slots(c.fragments + o.target) {
        require_all_lanes(c, o, mask);
        auto const a = fragment_of(shape, 'A');
        auto const b = fragment_of(shape, 'B');
        gather<N>(c, a, slots + d.registers, left);
        gather<N>(c, b, slots + d.registers + a.registers, right);
        gather<N>(c, fragment_of(shape, 'C'), slots + d.registers + a.registers + b.registers, sums);
    }
    /// Adds row `k` of B, times `x`, to row `row` of C: both counted over all products.
    void add(operation const& o, unsigned row, typename N::value x, unsigned k) {
        auto const n = shape.n;
        auto* const sum = sums + row * n;
        auto const* const y = right + k * n;
        for (unsigned column = 0; column < n; ++column) sum[column] = N::add(o, x, y[column], sum[column]);
    }
    void multiply(operation const& o) {
        auto const k = shape.k;
        for (unsigned q = 0; q < shape.products(); ++q)
            for (unsigned row = q * shape.m; row < (q + 1) * shape.m; ++row)
                for (unsigned i = 0; i < k; ++i) add(o, row, left[row * k + i], q * k + i);
    }
    void write(warp_context& c, operation const& o) const {
        scatter(c, d, slots, [&](matrix_fragment::place p) {
            return N::result(o, d.element, sums[(p.product * shape.m + p.row) * shape.n + p.column]);
        });
    }
};

} // namespace matrices

/// mma and wmma.mma
template <class N>
void multiply_matrices(warp_context& c, operation const& o, lane_mask mask) {
    matrices::gathered_product<N, N::most_factors> p(c, o, mask);
    p.multiply(o);
    p.write(c, o);
}

namespace matrices {

/// The scale factors of A or of B, of which the registers stand at `slots`: data, and which bytes of which threads of a
/// quad count. Of A two neighbouring threads have rows g and g + 8, of B one has column g.
/// Source: PTX ISA, "Block Scaling for mma.sync"; CUTLASS, mma_traits_sm120.hpp, has the layouts.
struct held_factors {
    ptx::detail::lane<std::uint32_t>::type const* words = nullptr; ///< of the lanes
    unsigned byte = 0;
    unsigned thread = 0;
    bool powers_of_two = true;

    held_factors(warp_context const& c, operation const& o, std::uint32_t const* slots, unsigned threads)
        : powers_of_two(o.modifiers->get(modifier::scale_type) == 1) {
        auto const selector = [&](std::uint32_t slot) {
            auto const* const all = c.lanes_of<std::uint16_t>(slot);
            for (unsigned l = 1; l < lanes; ++l)
                if (all[l] != all[0])
                    c.stop(c, o, lane_mask{1} << l,
                           "expected one selector of scale factors in all lanes of the warp");
            return unsigned{all[0]};
        };
        words = c.lanes_of<std::uint32_t>(slots[0]);
        byte = selector(slots[1]);
        thread = selector(slots[2]);
        auto const count = scale_factors_of(*o.modifiers);
        if (byte % count != 0 || byte >= 4 || thread * threads >= 4)
            c.stop(c, o, all_lanes,
                   "expected the number of a byte and of a thread that have scale factors, found " +
                       std::to_string(byte) + " and " + std::to_string(thread));
        thread *= threads;
    }
    double at(unsigned index, unsigned factor) const noexcept {
        auto const lane = index % 8 * 4 + thread + index / 8;
        return scale_factor(powers_of_two, words[lane] >> 8 * (byte + factor));
    }
};

} // namespace matrices

/// mma with .block_scale: each factor is multiplied by its scale, which is exact, before the products are added.
template <int = 0>
void multiply_scaled(warp_context& c, operation const& o, lane_mask mask) {
    matrices::gathered_product<matrices::reals, 1024> p(c, o, mask);
    auto const slot = [&](char which) { return fragment_of(p.shape, which).registers; };
    auto const* const behind = p.slots + slot('D') + slot('A') + slot('B') + slot('C');
    matrices::held_factors const a(c, o, behind, 2);
    matrices::held_factors const b(c, o, behind + 3, 1);
    auto const k = p.shape.k;
    auto const block = k / scale_factors_of(*o.modifiers);
    for (unsigned i = 0; i < k; ++i) {
        for (unsigned row = 0; row < p.shape.m; ++row) p.left[row * k + i] *= a.at(row, i / block);
        for (unsigned n = 0; n < p.shape.n; ++n) p.right[i * p.shape.n + n] *= b.at(n, i / block);
    }
    p.multiply(o);
    p.write(c, o);
}
/// Null where factors, their type and the kind do not go together.
template <int = 0>
execute_function scaled_products(form const& f) {
    auto const count = scale_factors_of(f);
    bool const powers_of_two = f.get(modifier::scale_type) == 1;
    return count == 0 || (!powers_of_two && count != 4) ? nullptr : &multiply_scaled<>;
}

/// Whether a chunk's metadata are those of no elements: 0, as CUTLASS's compressor writes them, and zeros are stored.
template <class Value>
bool is_chunk_of_zeros(unsigned code, Value const* stored, unsigned count) {
    return code == 0 && std::all_of(stored, stored + count, [](Value v) { return v == Value{}; });
}

/// The columns of A in which the elements lie that a sparse product stores, `a`, in the order of k: 16 rows of k / 2,
/// by the metadata and the selector in two sources.
template <class Value>
void sparse_columns(warp_context& c, operation const& o, matrix_product const& p, unsigned metadata,
                    Value const* a, std::uint16_t* to, std::uint8_t* of) {
    auto const m = metadata_of(p);
    auto const* const words = c.source<std::uint32_t>(o, metadata);
    auto const selector = c.source<std::uint32_t>(o, metadata + 1)[0];
    if (selector >= m.selectors())
        c.stop(c, o, all_lanes,
               "expected a sparsity selector below " + std::to_string(m.selectors()) + ", found " +
                   std::to_string(selector));
    bool const ordered = o.modifiers->get(modifier::sparse) == 2;
    auto const held = p.held_columns();
    for (unsigned row = 0; row < p.m; ++row)
        for (unsigned chunk = 0; chunk < held / m.stored; ++chunk) {
            auto const at = m.at(row, chunk, selector);
            auto const bits = words[at.lane] >> at.bit & 15;
            unsigned index[2]{bits & 3, bits >> 2};
            if (m.stored == 1) index[0] = bits == 14 ? 1 : 0; // .tf32
            bool const good = m.stored == 1 ? bits == 14 || bits == 4
                                            : index[0] != index[1] && (!ordered || index[0] < index[1]);
            if (!good && !is_chunk_of_zeros(bits, a + row * held + chunk * m.stored, m.stored))
                c.stop(c, o, lane_mask{1} << at.lane,
                       "expected valid metadata of row " + std::to_string(row) + ", chunk " +
                           std::to_string(chunk) + ", found " + std::to_string(bits));
            auto const first = row * held + chunk * m.stored;
            bool const turned = m.stored != 1 && index[0] > index[1];
            for (unsigned i = 0; i < m.stored; ++i) {
                auto const from = turned ? (i + m.together) % m.stored : i; // of the stored ones
                auto const which = index[m.stored == 1 ? 0 : from / m.together];
                auto const width = m.stored == 1 ? 2 : 4 * m.together;
                to[first + i] =
                    static_cast<std::uint16_t>(chunk * width + which * m.together + from % m.together);
                of[first + i] = static_cast<std::uint8_t>(chunk * m.stored + from);
            }
        }
}
/// mma.sp: only what is stored of A is multiplied.
template <class N>
void multiply_sparse(warp_context& c, operation const& o, lane_mask mask) {
    matrices::gathered_product<N, 1024> p(c, o, mask);
    std::uint16_t columns[1024];
    std::uint8_t stored[1024];
    sparse_columns(c, o, p.shape, 0, p.left, columns, stored);
    auto const held = p.shape.held_columns();
    for (unsigned row = 0; row < p.shape.m; ++row)
        for (unsigned i = row * held; i < (row + 1) * held; ++i)
            p.add(o, row, p.left[row * held + stored[i]], columns[i]);
    p.write(c, o);
}
template <int = 0>
execute_function sparse_products(form const& f) {
    auto const p = product_of(f);
    if (p.a == scalar::s8 || p.a == scalar::u8 || p.a == scalar::s4 || p.a == scalar::u4)
        return &multiply_sparse<matrices::integers>;
    return p.d == p.c ? &multiply_sparse<matrices::reals> : nullptr;
}

/// The function of a product's form; null for types that do not go together.
template <int = 0>
execute_function matrix_products(form const& f) {
    auto const p = product_of(f);
    switch (p.a) {
    case scalar::f64:
        return &multiply_matrices<matrices::doubles>;
    case scalar::b1:
        return f.get(modifier::boolean) == 2 ? nullptr : &multiply_matrices<matrices::single_bits>;
    case scalar::s8:
    case scalar::u8:
        return &multiply_matrices<matrices::integers>;
    case scalar::s4:
    case scalar::u4:
        return &multiply_matrices<matrices::integers>;
    default: // PTX ISA, mma: m8n8k4 and wmma may narrow C of .f16 or .f32 to D; all others have one type for both
        if (p.d != p.c && !p.opaque && !(p.quad_pairs() && p.d == scalar::f16)) return nullptr;
        return &multiply_matrices<matrices::reals>;
    }
}

/// wmma.load and wmma.store: the matrix is `elements / run` rows or columns, `stride` elements apart. It moves in 32
/// equal pieces, one for each lane, in the order in which it lies in memory.
template <bool Stores>
void move_matrix(warp_context& c, operation const& o, lane_mask mask) {
    matrices::require_all_lanes(c, o, mask);
    auto const& form = *o.modifiers;
    auto const f = fragment_of(product_of(form), "ABCD"[form.get(modifier::matrix) - 1]);
    bool const by_columns = form.get(modifier::a_layout) == 2;
    auto const run = by_columns ? f.rows : f.columns;
    auto const bytes = f.elements() * f.bits() / 8 / lanes;
    std::uint64_t stride = run;
    for (unsigned l = 0; l < lanes; ++l) {
        c.address[l] = address_of(c, o, l);
        if (o.source_count != 0) stride = c.source<std::uint32_t>(o, 0)[l];
        if (c.address[l] != c.address[0] ||
            (l != 0 && o.source_count != 0 && stride != c.source<std::uint32_t>(o, 0)[0]))
            c.stop(c, o, lane_mask{1} << l, "expected one address and one stride in all lanes of the warp");
    }
    auto const run_bytes = run * f.bits() / 8;
    if (stride * f.bits() % (8 * (bytes < 16 ? bytes : 16)) != 0)
        c.stop(c, o, mask,
               "expected a stride of a multiple of " +
                   std::to_string(8 * (bytes < 16 ? bytes : 16) / f.bits()) + " elements, found " +
                   std::to_string(stride));
    auto const base = c.address[0];
    for (unsigned l = 0; l < lanes; ++l)
        c.address[l] = base + l * bytes / run_bytes * (stride * f.bits() / 8) + l * bytes % run_bytes;
    ptx::detail::locate_each(c, o, mask, bytes, o.space, bytes < 16 ? bytes : 16);
    auto const* const slots = c.fragments + o.target;
    std::array<std::byte, 1024> whole{};
    auto const position = [&](matrix_fragment::place p) {
        return (by_columns ? p.column * f.rows + p.row : p.row * f.columns + p.column) * f.bits();
    };
    if constexpr (Stores) {
        matrices::each_element(
            f, f.distinct, [&](unsigned lane, unsigned r, unsigned e, matrix_fragment::place p) {
                auto const word = matrices::word_of(c, slots[r], f.type, lane) >> (e * f.bits());
                std::memcpy(whole.data() + position(p) / 8, &word, f.bits() / 8);
            });
        for (unsigned l = 0; l < lanes; ++l) std::memcpy(c.pointer[l], whole.data() + l * bytes, bytes);
    } else {
        for (unsigned l = 0; l < lanes; ++l) std::memcpy(whole.data() + l * bytes, c.pointer[l], bytes);
        matrices::scatter(c, f, slots, [&](matrix_fragment::place p) {
            auto const at = position(p);
            std::uint64_t word = 0;
            std::memcpy(&word, whole.data() + at / 8, f.bits() < 8 ? 1 : f.bits() / 8);
            return f.bits() < 8 ? word >> at % 8 & ((1U << f.bits()) - 1) : word;
        });
    }
    for (auto& a : c.address) a &= ~std::uint64_t{bytes - 1}; // of a piece that lies across two, the first
}

/// ldmatrix and stmatrix: matrices of 8 x 8 elements of 16 bits, of which each lane of a quarter names a row.
template <bool Stores>
void move_rows(warp_context& c, operation const& o, lane_mask mask) {
    matrices::require_all_lanes(c, o, mask);
    auto const count = registers_of(*o.modifiers, 'M').count;
    bool const transposed = o.modifiers->has(modifier::transposed);
    locate(c, o, count == 4 ? all_lanes : (lane_mask{1} << 8 * count) - 1, 16);
    if (c.space != memory_space::shared) c.fault(c, o, "non-shared", 0, c.address[0], 16, c.space);
    for (unsigned i = 0; i < count; ++i) {
        auto const slot = c.fragments[o.target + i];
        std::uint32_t word[lanes];
        if constexpr (Stores) std::memcpy(word, c.lanes_of<std::uint32_t>(slot), sizeof word);
        for (unsigned l = 0; l < lanes; ++l)
            for (unsigned e = 0; e < 2; ++e) {
                auto const row = transposed ? l % 4 * 2 + e : l / 4;
                auto const column = transposed ? l / 4 : l % 4 * 2 + e;
                auto* const at = c.target(8 * i + row) + std::size_t{2} * column;
                auto* const value = reinterpret_cast<std::byte*>(&word[l]) + std::size_t{2} * e;
                Stores ? std::memcpy(at, value, 2) : std::memcpy(value, at, 2);
            }
        if constexpr (!Stores) c.write<std::uint32_t>(slot, word, mask);
    }
}

/// movmatrix: the 8 x 8 elements of 16 bits that the warp holds, transposed.
template <int = 0>
void transpose_matrix(warp_context& c, operation const& o, lane_mask mask) {
    matrices::require_all_lanes(c, o, mask);
    auto const* const from = c.source<std::uint32_t>(o, 0);
    std::uint32_t word[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        word[l] = 0;
        for (unsigned e = 0; e < 2; ++e) {
            auto const row = l % 4 * 2 + e; // of what is read, at column l / 4
            word[l] |= (from[row * 4 + l / 8] >> (16 * (l / 4 % 2)) & 0xffff) << (16 * e);
        }
    }
    c.write<std::uint32_t>(o.destination[0], word, mask);
}

/// Bytes that each lane accesses, by the form.
constexpr unsigned matrix_bytes(form const& f) noexcept {
    if (f.has(modifier::matrices)) return 16;
    return fragment_of(product_of(f), "ABCD"[f.get(modifier::matrix) - 1]).elements() *
           element_bits(f.type[0]) / 8 / lanes;
}

} // namespace warpkit::ptx::semantics
