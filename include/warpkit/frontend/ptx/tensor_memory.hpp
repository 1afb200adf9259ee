#pragma once
/// \file
/// Tensor memory, which tensor cores multiply into (PTX: tcgen05; docs/model/ptx.md#tensor-memory). Its way to and from
/// registers: tensor_moves.hpp.

#include <warpkit/base/standard.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::ptx {

/// Of a CTA whose warp is at a tcgen05.alloc of a pair of CTAs.
struct pair_allocation {
    static constexpr unsigned none = 0xffffffff;
    unsigned warp = none;  ///< which has asked, if any has
    unsigned columns = 0;  ///< that it asks for
    unsigned first = none; ///< of those that it has got, once the other CTA has asked, too
    bool waits() const noexcept { return warp != none && first == none; }
};

/// A CTA's tensor memory: 128 lanes of 512 columns of 32 bits, which are 0 when the CTA begins. It takes room only
/// once something is allocated.
class tensor_memory {
public:
    static constexpr unsigned rows = 128; ///< PTX's "lanes"
    static constexpr unsigned columns = 512;
    static constexpr unsigned unit = 32; ///< columns that are allocated together

    void begin() {
        std::fill(cells_.begin(), cells_.end(), 0);
        allocated_ = {};
        relinquished = ended = false;
        pair = {};
    }
    /// The first column of `count` ones, a power of two from 32 to 512, at a multiple of it; `columns` if there are not
    /// so many side by side.
    unsigned allocate(unsigned count) {
        for (unsigned first = 0; first < columns; first += count)
            if (has_free(first, count)) {
                take(first, count);
                return first;
            }
        return columns;
    }
    /// The same of the tensor memory of a pair's other CTA, too: the same columns in both.
    unsigned allocate_with(tensor_memory& other, unsigned count) {
        for (unsigned first = 0; first < columns; first += count)
            if (has_free(first, count) && other.has_free(first, count)) {
                take(first, count);
                other.take(first, count);
                return first;
            }
        return columns;
    }
    /// Whether that many were allocated at `first`; now they are not.
    bool free(unsigned first, unsigned count) {
        if (first % unit != 0 || first >= columns || count < unit || allocated_[first / unit] != count)
            return false;
        auto const units = allocated_.begin() + first / unit;
        std::fill(units, units + count / unit, 0);
        return true;
    }
    /// Columns that are allocated.
    unsigned in_use() const noexcept {
        return unit * static_cast<unsigned>(std::count_if(allocated_.begin(), allocated_.end(),
                                                          [](unsigned n) { return n != 0; }));
    }
    bool holds(unsigned column) const noexcept { return column < columns && allocated_[column / unit] != 0; }
    /// A cell of an allocated column.
    std::uint32_t& at(unsigned row, unsigned column) { return cells_[std::size_t{row} * columns + column]; }

    bool relinquished = false; ///< the CTA may allocate no more
    bool ended = false;        ///< all its warps have
    pair_allocation pair;

private:
    bool has_free(unsigned first, unsigned count) const noexcept {
        auto const units = allocated_.begin() + first / unit;
        return std::none_of(units, units + count / unit, [](unsigned n) { return n != 0; });
    }
    void take(unsigned first, unsigned count) {
        cells_.resize(std::size_t{rows} * columns);
        auto const units = allocated_.begin() + first / unit;
        std::fill(units, units + count / unit, 1);
        *units = count;
    }

    std::vector<std::uint32_t> cells_;
    std::array<unsigned, columns / unit>
        allocated_{}; ///< by units: 0, 1, or of an allocation's first how many columns
};

} // namespace warpkit::ptx
