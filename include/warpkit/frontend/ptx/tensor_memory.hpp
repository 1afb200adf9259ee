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
        relinquished = false;
    }
    /// The first column of `count` ones, a power of two from 32 to 512, at a multiple of it; `columns` if there are not
    /// so many side by side.
    unsigned allocate(unsigned count) {
        cells_.resize(std::size_t{rows} * columns);
        for (unsigned first = 0; first < columns; first += count) {
            auto const units = allocated_.begin() + first / unit;
            if (std::any_of(units, units + count / unit, [](unsigned n) { return n != 0; })) continue;
            std::fill(units, units + count / unit, 1);
            *units = count;
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

private:
    std::vector<std::uint32_t> cells_;
    std::array<unsigned, columns / unit>
        allocated_{}; ///< by units: 0, 1, or of an allocation's first how many columns
};

} // namespace warpkit::ptx
