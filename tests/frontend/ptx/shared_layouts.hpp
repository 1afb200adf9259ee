#pragma once
/// Matrices in shared memory as CuTe's canonical layouts of GMMA and UMMA say (NVIDIA CUTLASS,
/// mma_traits_sm90_gmma.hpp, "make_gmma_desc"; mma_traits_sm100.hpp, "make_umma_desc"): extents and strides of nested
/// coordinates, and a swizzle of byte addresses.

#include <cstdint>
#include <string>
#include <vector>

namespace ptx_test {

struct mode {
    unsigned extent;
    unsigned stride; ///< bytes
};
// A matrix of rows (of A; of B the columns) by k.
struct layout {
    unsigned pieces = 1; ///< of the swizzle: 1, 2, 4 or 8
    bool by_rows = true; ///< K major
    bool of_32 = false;  ///< the swizzle is tcgen05's of 32-byte atoms
    unsigned leading = 0;
    unsigned stride = 0;
    unsigned start = 0; ///< bytes
    unsigned base = 0;  ///< of the swizzle's pattern, in rows of 128 bytes
    std::vector<mode> row;
    std::vector<mode> column;

    std::uint64_t distances() const {
        return start >> 4 | std::uint64_t{leading >> 4} << 16 | std::uint64_t{stride >> 4} << 32 |
               std::uint64_t{base} << 49;
    }
    // wgmma's
    std::uint64_t descriptor() const {
        std::uint64_t const swizzle = pieces == 8 ? 1 : pieces == 4 ? 2 : pieces == 2 ? 3 : 0;
        return distances() | swizzle << 62;
    }
    // tcgen05's
    std::uint64_t descriptor_100() const {
        std::uint64_t const swizzle = of_32 ? 1 : pieces == 8 ? 2 : pieces == 4 ? 4 : pieces == 2 ? 6 : 0;
        return distances() | std::uint64_t{1} << 46 | swizzle << 61;
    }
    unsigned at(unsigned r, unsigned i) const {
        unsigned byte = start;
        for (auto const& m : row) {
            byte += r % m.extent * m.stride;
            r /= m.extent;
        }
        for (auto const& m : column) {
            byte += i % m.extent * m.stride;
            i /= m.extent;
        }
        auto const from_pattern = byte - base * 128;
        if (of_32) return byte ^ (from_pattern & 3 << 7) >> 2; // Swizzle<2,5,2>
        // Swizzle<B,4,3>: of the bits from 7 on, B are combined with those from 4 on.
        return byte ^ (from_pattern & (pieces - 1) << 7) >> 3;
    }
};
inline layout layout_of(unsigned pieces, bool by_rows, unsigned rows, unsigned bytes, unsigned start,
                        bool wide, unsigned depth_bytes = 32) {
    unsigned const t = 16 / bytes;
    unsigned const many = 1024;
    unsigned const groups = depth_bytes / 8 / bytes; // of eight columns
    layout l;
    l.pieces = pieces;
    l.by_rows = by_rows;
    l.start = start;
    auto const w = 16 * pieces;
    if (by_rows && pieces == 1) {
        l.stride = wide ? 128 : 256;
        l.leading = wide ? rows / 8 * 128 : 128;
        l.row = {{8, 16}, {many, l.stride}};
        l.column = {{t, bytes}, {depth_bytes / 16, l.leading}};
    } else if (by_rows) {
        l.leading = 16;
        l.stride = 8 * w;
        l.row = {{8, w}, {many, l.stride}};
        l.column = {{t, bytes}, {depth_bytes / 16, 16}};
    } else if (pieces == 1) {
        l.stride = wide ? 128 : groups * 128;
        l.leading = wide ? (rows + 7) / 8 * 128 : 128;
        l.row = {{t, bytes}, {many, l.stride}};
        l.column = {{8, 16}, {groups, l.leading}};
    } else {
        l.stride = 8 * w;
        l.leading = groups * 8 * w;
        l.row = {{t, bytes}, {pieces, 16}, {many, l.leading}};
        l.column = {{8, w}, {groups, l.stride}};
    }
    return l;
}

// By columns, with the swizzle of 32-byte atoms (mma_sm100_desc.hpp, "128B_BASE32B").
inline layout layout_of_32(unsigned bytes, unsigned start) {
    unsigned const groups = 32 / bytes / 4; // of four columns
    layout l;
    l.pieces = 8;
    l.by_rows = false;
    l.of_32 = true;
    l.start = start;
    l.stride = 4 * 128;
    l.leading = groups * l.stride;
    l.row = {{16 / bytes, bytes}, {8, 16}, {1024, l.leading}};
    l.column = {{4, 128}, {groups, l.stride}};
    return l;
}

// The words between dots.
inline std::vector<std::string> names_of(std::string const& types) {
    std::vector<std::string> names(1);
    for (char const c : types)
        if (c == '.')
            names.emplace_back();
        else
            names.back() += c;
    return names;
}

} // namespace ptx_test
