#pragma once
/// \file
/// The matrices of wmma, mma and ldmatrix: their shapes and types by form, and where a lane's registers lie in them.
/// Source: PTX ISA, "Matrix Fragments for mma.m8n8k4" to "mma.m16n8k256"; all shapes but m8n8k4 of .f16 follow one
/// formula. Of wmma's fragments it says that they are opaque: they follow the same formula here, so that those of .f32
/// sums are where mma's are.

#include <warpkit/base/lanes.hpp>
#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/program/static_instruction.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace warpkit::ptx {

/// Bits of an element of a matrix.
constexpr unsigned element_bits(scalar t) noexcept {
    switch (t) {
    case scalar::b1:
        return 1;
    case scalar::s4:
    case scalar::u4:
    case scalar::packed_e2m1:
        return 4;
    case scalar::e4m3:
    case scalar::e5m2:
    case scalar::e2m3:
    case scalar::e3m2:
    case scalar::e2m1:
        return 8;
    case scalar::tf32:
        return 32;
    default:
        return 8 * size_of(t);
    }
}

/// The kind that mma or tcgen05.mma names.
enum class product_kind : std::uint8_t { none, f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
constexpr product_kind kind_of(form const& f) noexcept {
    return static_cast<product_kind>(f.get(modifier::tensor_kind));
}
/// How many scale factors a row of A, and a column of B, has; 0 for a .scale_vec or .block that does not go with the
/// kind. Source: PTX ISA, "Block Scaling for mma.sync", "Valid combinations of scale_vectorsize with types and
/// MMA-Kind".
constexpr unsigned scale_factors_of(form const& f) noexcept {
    enum : unsigned { unsaid, vectors_1, vectors_2, vectors_4, blocks_of_16, blocks_of_32 };
    auto const said = f.get(modifier::scale_vectors);
    switch (kind_of(f)) {
    case product_kind::mxf8f6f4:
        return said == unsaid || said == vectors_1 || said == blocks_of_32 ? 1 : 0;
    case product_kind::mxf4:
        return said == unsaid || said == vectors_2 || said == blocks_of_32 ? 2 : 0;
    case product_kind::mxf4nvf4:
        return said == vectors_2 || said == blocks_of_32   ? 2
               : said == vectors_4 || said == blocks_of_16 ? 4
                                                           : 0;
    default:
        return 0;
    }
}

/// What an instruction multiplies and adds: D = A B + C, A of m x k, B of k x n, C and D of m x n.
struct matrix_product {
    unsigned m = 0;
    unsigned n = 0;
    unsigned k = 0;
    scalar a = scalar::none;
    scalar b = scalar::none;
    scalar c = scalar::none;
    scalar d = scalar::none;
    bool a_by_columns = false;
    bool b_by_columns = false;
    bool opaque = false; ///< of wmma: A and B of .f16 take eight registers, whatever the shape
    bool sparse = false; ///< of mma.sp: A holds k / 2 columns, and metadata say which
    /// m8n8k4 of .f16 is four products, each by the eight lanes of a quad pair.
    constexpr bool quad_pairs() const noexcept { return a == scalar::f16 && k == 4; }
    /// Columns of A that registers hold.
    constexpr unsigned held_columns() const noexcept { return sparse ? k / 2 : k; }
    constexpr unsigned products() const noexcept { return quad_pairs() ? 4 : 1; }
};

namespace detail {
struct matrix_shape {
    unsigned m = 0;
    unsigned n = 0;
    unsigned k = 0;
};
/// From "m16n8k8", by the index of the word in the modifier's list.
inline constexpr auto matrix_shapes = [] {
    std::array<matrix_shape, 16> shapes{};
    auto words = modifiers[static_cast<std::size_t>(modifier::shape)].words;
    for (std::size_t i = 1; !words.empty(); ++i) {
        unsigned number[3]{};
        int at = -1;
        std::size_t end = 0;
        for (; end < words.size() && words[end] != ' '; ++end) {
            if (words[end] < '0' || words[end] > '9')
                ++at;
            else
                number[at] = number[at] * 10 + static_cast<unsigned>(words[end] - '0');
        }
        shapes[i] = {number[0], number[1], number[2]};
        words.remove_prefix(end < words.size() ? end + 1 : end);
    }
    return shapes;
}();
} // namespace detail

/// The product of an mma or wmma form. Of wmma.load and .store the matrix that they move has the form's only type; the
/// others have none.
constexpr matrix_product product_of(form const& f) noexcept {
    auto const& s = detail::matrix_shapes[f.get(modifier::shape)];
    matrix_product p{s.m, s.n, s.k};
    p.sparse = f.has(modifier::sparse);
    p.opaque = s.m == 32 || s.n != 8 || f.has(modifier::matrix);
    p.a_by_columns = f.get(modifier::a_layout) == 2;
    p.b_by_columns = f.get(modifier::b_layout) == 2;
    if (f.types == 4) {
        p.d = f.type[0];
        p.a = f.type[1];
        p.b = f.type[2];
        p.c = f.type[3];
        if (kind_of(f) >= product_kind::mxf4) p.a = p.b = scalar::packed_e2m1;
    } else if (f.types == 2) { // wmma of .f16 names D and C alone
        p.d = f.type[0];
        p.c = f.type[1];
        p.a = p.b = scalar::f16;
    } else {
        switch (f.get(modifier::matrix)) {
        case 1:
            p.a = f.type[0];
            break;
        case 2:
            p.b = f.type[0];
            break;
        case 3:
            p.c = f.type[0];
            break;
        default:
            p.d = f.type[0];
        }
    }
    return p;
}

/// The product of a form of wgmma.mma_async, as one of the four warps sees it: 16 rows of D.
constexpr matrix_product group_product(form const& f) noexcept {
    auto const shape = detail::group_shape::of(f.get(modifier::group_shape));
    matrix_product p{16, shape.n, shape.k};
    p.d = p.c = f.type[0];
    p.a = f.type[1];
    p.b = f.type[2];
    p.sparse = f.has(modifier::sparse);
    return p;
}

/// What timing and traces call it.
constexpr matrix_type type_of(matrix_product const& p) noexcept {
    switch (p.a) {
    case scalar::f16:
        return matrix_type::f16;
    case scalar::bf16:
        return matrix_type::bf16;
    case scalar::tf32:
        return matrix_type::tf32;
    case scalar::f64:
        return matrix_type::f64;
    case scalar::e4m3:
    case scalar::e5m2:
    case scalar::e2m3:
    case scalar::e3m2:
    case scalar::e2m1:
    case scalar::packed_e2m1:
        return matrix_type::f8;
    case scalar::s8:
    case scalar::u8:
        return matrix_type::s8;
    case scalar::b1:
        return matrix_type::b1;
    default:
        return matrix_type::s4;
    }
}

/// One matrix of a product, as it is spread over a warp's registers.
struct matrix_fragment {
    char which = 'D';
    scalar element = scalar::none;
    unsigned rows = 0;
    unsigned columns = 0;
    unsigned registers = 0;    ///< of each lane, as the instruction lists them
    unsigned distinct = 0;     ///< of these; those behind repeat them (wmma's A and B of .f16)
    scalar type = scalar::b32; ///< of the registers
    bool quad_pairs = false;
    bool by_columns = false; ///< of a quad pair's A and B: it decides who has what

    constexpr unsigned bits() const noexcept { return element_bits(element); }
    /// Elements in a register.
    constexpr unsigned per_register() const noexcept { return 8 * size_of(type) / bits(); }
    constexpr unsigned elements() const noexcept { return rows * columns; }

    struct place {
        unsigned product = 0; ///< of the four of quad pairs
        unsigned row = 0;
        unsigned column = 0;
    };
    /// Where element `e` of register `r` of lane `lane` lies. Precondition: r < distinct.
    constexpr place at(unsigned lane, unsigned r, unsigned e) const noexcept {
        auto const t = lane % 4;
        auto const per = per_register();
        auto const i = r * per + e;
        if (quad_pairs) {
            auto const half = lane / 16 * 4;
            auto const q = lane / 4 % 4;
            if (which == 'A') return by_columns ? place{q, i + half, t} : place{q, t + half, i};
            if (which == 'B') return by_columns ? place{q, i, t + half} : place{q, t, i + half};
            if (element == scalar::f16) return {q, t + half, i};
            return {q, (lane & 1) + (i & 2) + half, (i & 4) + (lane & 2) + (i & 1)};
        }
        auto const g = lane / 4;
        auto const down = rows / 8; // bands of eight rows
        if (which == 'A') return {0, g + 8 * (r % down), t * per + e + r / down * 4 * per};
        if (which == 'B') {
            auto const deep = rows / (4 * per);
            return {0, t * per + e + r % deep * 4 * per, g + 8 * (r / deep)};
        }
        auto const pair = i / 2;
        return {0, g + 8 * (pair % down), 2 * t + (i & 1) + 8 * (pair / down)};
    }
};

/// The fragment of matrix `which`: A, B, C or D.
constexpr matrix_fragment fragment_of(matrix_product const& p, char which) noexcept {
    matrix_fragment f;
    f.which = which;
    f.quad_pairs = p.quad_pairs();
    bool const sum = which == 'C' || which == 'D';
    f.element = which == 'A' ? p.a : which == 'B' ? p.b : which == 'C' ? p.c : p.d;
    f.rows = which == 'B' ? p.k : p.m;
    f.columns = which == 'A' ? p.held_columns() : p.n;
    f.by_columns = which == 'A' ? p.a_by_columns : p.b_by_columns;
    bool const as_written = sum && f.element != scalar::f16;
    f.type = f.element == scalar::f64   ? scalar::f64
             : as_written               ? f.element
             : f.element == scalar::f16 ? scalar::f16x2
                                        : scalar::b32;
    f.distinct = f.registers = f.elements() * p.products() * f.bits() / (lanes * 8 * size_of(f.type));
    if (p.opaque && !sum && f.element == scalar::f16) f.registers = 8;
    return f;
}

/// Where mma.sp has its metadata: a 32-bit register of some lanes of each quad, chosen by the sparsity selector.
/// Each four bits are of a chunk of a row of A, two or one indices of the elements that are stored (PTX ISA, "Sparse
/// matrix storage"; CUTLASS, reorder_meta; docs/model/ptx.md#sparse).
struct sparse_metadata {
    unsigned stored = 2;      ///< elements of a chunk that are stored
    unsigned together = 1;    ///< elements for one index
    bool rows_in_word = true; ///< a word has 16 bits of each of two rows; otherwise 32 of one
    unsigned lanes = 1;       ///< of a quad that have metadata

    constexpr unsigned selectors() const noexcept { return 4 / lanes; }
    struct place {
        unsigned lane = 0;
        unsigned bit = 0; ///< the lowest of four
    };
    constexpr place at(unsigned row, unsigned chunk, unsigned selector) const noexcept {
        auto const quad = 4 * (row % 8) + selector * lanes;
        if (rows_in_word) return {quad + chunk / 4, row / 8 * 16 + chunk % 4 * 4};
        return {quad + row / 8 + 2 * (chunk / 8), chunk % 8 * 4};
    }
};
constexpr sparse_metadata metadata_of(matrix_product const& p) noexcept {
    auto const bits = element_bits(p.a);
    sparse_metadata m;
    m.stored = bits == 32 ? 1 : bits == 4 ? 4 : 2;
    m.together = bits == 4 ? 2 : 1;
    m.rows_in_word = bits >= 16;
    auto const chunks = p.held_columns() / m.stored;
    m.lanes = chunks / 4; // of two rows
    return m;
}

/// What a tcgen05.ld or .st moves between tensor memory and a warp's registers: so many lanes of tensor memory, and of
/// each so many columns side by side, `count` times.
/// Source: PTX ISA, "Data Movement Shape", whose layouts stand in figures; CUTLASS has them as Copy_Traits.
struct tensor_fragment {
    enum class shape : std::uint8_t { all_lanes, columns_2, columns_4, columns_8, two_halves };
    shape is = shape::all_lanes;
    unsigned count = 1;
    bool packed = false; ///< two elements of 16 bits, of neighbouring columns, in a register

    static constexpr tensor_fragment of(form const& f) noexcept {
        return {static_cast<shape>(f.get(modifier::tensor_shape) - 1), 1U << (f.get(modifier::registers) - 1),
                f.has(modifier::packed)};
    }
    constexpr unsigned registers() const noexcept {
        return count * (is == shape::columns_4 ? 2 : is == shape::columns_8 ? 4 : 1);
    }
    /// Lanes of tensor memory.
    constexpr unsigned rows() const noexcept { return is == shape::all_lanes ? 32 : 16; }
    struct place {
        unsigned lane = 0;   ///< of tensor memory, from the address on
        unsigned column = 0; ///< likewise, of 32 bits, before two become one register
        bool second = false; ///< of two_halves: in the second half
    };
    constexpr place at(unsigned thread, unsigned r) const noexcept {
        switch (is) {
        case shape::columns_2:
            return {(thread & 1) * 8 + thread / 4, (thread >> 1 & 1) + 2 * r, false};
        case shape::columns_4:
            return {thread / 4 + 8 * (r & 1), thread % 4 + 4 * (r / 2), false};
        case shape::columns_8:
            return {thread / 4 + 8 * (r >> 1 & 1), 2 * (thread % 4) + (r & 1) + 8 * (r / 4), false};
        case shape::two_halves:
            return {thread % 16, r, thread >= 16};
        default:
            return {thread, r, false};
        }
    }
};

/// What a fragment operand of a form is: how many registers, and of which type.
struct fragment_registers {
    unsigned count = 0;
    scalar type = scalar::none;
};
constexpr fragment_registers registers_of(form const& f, char which) noexcept {
    if (which == 'M') return {1U << (f.get(modifier::matrices) - 1), scalar::b32}; // ldmatrix and stmatrix
    if (which == 'T') return {tensor_fragment::of(f).registers(), scalar::b32};    // tcgen05.ld and .st
    if (which == 'L') return {is_of_pair(f) ? 8U : 4U, scalar::b32};
    if (which == 'S') return {1, scalar::b32};
    if (which == 'I') return {2, scalar::b16};
    bool const of_group = which == 'W' || which == 'R'; // wgmma's D, and its A where registers have it
    auto const of = of_group ? fragment_of(group_product(f), which == 'W' ? 'D' : 'A')
                             : fragment_of(product_of(f), which);
    return {of.registers,
            of_group && of.type != scalar::f32 && of.type != scalar::s32 ? scalar::b32 : of.type};
}

} // namespace warpkit::ptx
