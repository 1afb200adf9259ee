#pragma once
/// \file
/// wgmma: products of matrices by four warps, of which B and perhaps A lie in shared memory. Each warp computes its 16
/// rows of D when it issues the instruction, as it may be; so nobody waits for a group of them. With .sp half of A is
/// held, and each warp's rows have metadata as mma.sp has them (docs/model/ptx.md#sparse).
/// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"; what a descriptor says of
/// shared memory: docs/model/ptx.md#warpgroup-matrices.

#include <warpkit/frontend/ptx/matrix.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics {

namespace matrices {

/// A matrix in shared memory, from its 64-bit descriptor. Rows are those of A, or the columns of B; they are `k` long.
struct shared_matrix {
    std::uint64_t start = 0;
    std::uint64_t leading = 0; ///< bytes; of which dimension, depends
    std::uint64_t stride = 0;
    unsigned base = 0;   ///< rows of 128 bytes before the swizzle's pattern begins
    unsigned pieces = 1; ///< of 16 bytes in a row within which they change places: 1, 2, 4 or 8
    unsigned atom = 4;   ///< 2 to this power of bytes stay together: 16, or 32 in rows of 128

    static shared_matrix of(std::uint64_t descriptor) noexcept {
        auto const field = [&](unsigned at) { return (descriptor >> at & 0x3fff) << 4; };
        constexpr unsigned by_mode[] = {1, 8, 4, 2}; // no swizzle, 128, 64, 32 bytes
        return {field(0), field(16), field(32), static_cast<unsigned>(descriptor >> 49 & 7),
                by_mode[descriptor >> 62]};
    }
    /// The address of element `i` of row `row`, of `bytes` bytes. `by_rows`: elements of a row lie side by side ("K
    /// major"); otherwise those of a column do.
    std::uint64_t at(unsigned row, unsigned i, unsigned bytes, bool by_rows) const noexcept {
        auto const piece = 16 / bytes; // elements in 16 bytes
        std::uint64_t offset = 0;
        if (by_rows)
            offset = pieces == 1 ? row % 8 * 16U + row / 8 * stride + i / piece * leading + i % piece * bytes
                                 : std::uint64_t{row % 8 * 16U * pieces} + row / 8 * stride +
                                       i * bytes / (16 * pieces) * leading + i * bytes % (16 * pieces);
        else if (pieces == 1)
            offset = row % piece * bytes + row / piece * stride + i % 8 * 16U + i / 8 * leading;
        else
            offset = row % piece * bytes + row / piece % pieces * 16U + row / (piece * pieces) * leading +
                     std::uint64_t{i % (128U >> atom) * 16U * pieces} + i / (128U >> atom) * stride;
        auto const address = start + offset;
        auto const turn = ((address >> 7) - base) & ((pieces << 4 >> atom) - 1);
        return address ^ turn << atom;
    }
};

/// `rows` rows of a matrix in shared memory, from row `first` on.
template <class N, class T>
void read_shared(warp_context const& c, operation const& o, shared_matrix const& m, scalar element,
                 unsigned first, unsigned rows, unsigned depth, bool by_rows, T* to) {
    auto const bytes = element_bits(element) / 8;
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned i = 0; i < depth; ++i) {
            auto const address = m.at(first + row, i, bytes, by_rows);
            if (address + bytes > c.memory.shared_bytes)
                c.fault(c, o, "out-of-range", 0, address, bytes, memory_space::shared);
            std::uint64_t word = 0;
            std::memcpy(&word, c.memory.shared + address, bytes);
            *to++ = static_cast<T>(N::element(element, word));
        }
}

/// What wgmma.mma_async is told beside D, and A where registers have it.
struct group_operands {
    shared_matrix a;
    shared_matrix b;
    unsigned metadata = 0; ///< the source that has them; the selector is the next
    bool adds = true;      ///< to D; otherwise to zeros
    int sign = 1;          ///< of the products
    bool a_by_columns = false;
    bool b_by_columns = false;
};
inline group_operands group_operands_of(warp_context const& c, operation const& o, scalar element,
                                        bool from_shared) {
    unsigned next = 0;
    auto const descriptor = [&] {
        auto const* const all = c.source<std::uint64_t>(o, next++);
        for (unsigned l = 1; l < lanes; ++l)
            if (all[l] != all[0])
                c.stop(c, o, lane_mask{1} << l, "expected one matrix descriptor in all lanes of the warp");
        return shared_matrix::of(all[0]);
    };
    group_operands g;
    if (from_shared) g.a = descriptor();
    g.b = descriptor();
    g.metadata = next;
    if (o.modifiers->has(modifier::sparse)) next += 2;
    auto const adds = c.predicate(o, next++);
    if (adds != 0 && adds != all_lanes)
        c.stop(c, o, ~adds, "expected one predicate scale-d in all lanes of the warp");
    g.adds = adds != 0;
    auto const number = [&] { return c.source<std::int32_t>(o, next++)[0]; };
    if (next == o.source_count) return g; // of integers
    g.sign = number();
    g.sign *= number();
    if (element_bits(element) != 16) return g;
    if (from_shared) g.a_by_columns = number() != 0;
    g.b_by_columns = number() != 0;
    return g;
}

/// wgmma.mma_async. `from_shared`: A, too, lies in shared memory.
template <class N>
[[gnu::noinline]] void multiply_in_group(warp_context& c, operation const& o, lane_mask mask,
                                         bool from_shared) {
    using value = typename N::value;
    static constexpr unsigned rows = 16;
    require_all_lanes(c, o, mask);
    if ((c.warp / 4 + 1) * 4 * lanes > c.threads)
        c.stop(c, o, mask, "expected a warpgroup of four whole warps to execute this instruction");
    auto const product = group_product(*o.modifiers);
    auto const g = group_operands_of(c, o, product.a, from_shared);
    auto const d = fragment_of(product, 'D');
    auto const* slots = c.fragments + o.target; // D, then A where registers have it
    value left[rows * 32];
    value right[256 * 64];
    typename N::sum sums[rows * 256]{};
    auto const n = product.n;
    auto const k = product.k;
    auto const held = product.held_columns();
    if (g.adds) gather<N>(c, d, slots, sums);
    if (from_shared)
        read_shared<N>(c, o, g.a, product.a, c.warp % 4 * rows, rows, held, !g.a_by_columns, left);
    else
        gather<N>(c, fragment_of(product, 'A'), slots + d.registers, left);
    read_shared<N>(c, o, g.b, product.b, 0, n, k, !g.b_by_columns, right);
    // Of row `row`, the i-th product: which of the held elements of A, and the row of B.
    auto const multiply = [&](auto const& of_a, auto const& of_b) {
        for (unsigned row = 0; row < rows; ++row)
            for (unsigned column = 0; column < n; ++column) {
                auto& sum = sums[row * n + column];
                for (unsigned i = row * held; i < (row + 1) * held; ++i)
                    sum = N::add(o, static_cast<value>(static_cast<value>(g.sign) * left[of_a(row, i)]),
                                 right[column * k + of_b(row, i)], sum);
            }
    };
    if (product.sparse) {
        std::uint16_t columns[rows * 32];
        std::uint8_t stored[rows * 32];
        sparse_columns(c, o, product, g.metadata, left, columns, stored);
        multiply([&](unsigned row, unsigned i) { return row * held + stored[i]; },
                 [&](unsigned, unsigned i) { return columns[i]; });
    } else {
        multiply([](unsigned, unsigned i) { return i; },
                 [&](unsigned row, unsigned i) { return i - row * held; });
    }
    scatter(c, d, slots,
            [&](matrix_fragment::place p) { return N::result(o, d.element, sums[p.row * n + p.column]); });
}

} // namespace matrices

template <class N, bool FromShared>
void multiply_in_group(warp_context& c, operation const& o, lane_mask mask) {
    matrices::multiply_in_group<N>(c, o, mask, FromShared);
}

/// Null for shapes and types that do not go together: what is held of a row of A is 32 bytes, and integers have fewer
/// shapes.
template <bool FromShared>
execute_function group_products(form const& f) {
    auto const p = group_product(f);
    if (p.held_columns() * element_bits(p.a) != 256) return nullptr;
    if (p.d != scalar::s32) return &multiply_in_group<matrices::reals, FromShared>;
    if (p.n != 24 && p.n % 16 != 0 && p.n != 8) return nullptr;
    return &multiply_in_group<matrices::integers, FromShared>;
}

} // namespace warpkit::ptx::semantics
