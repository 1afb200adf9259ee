#pragma once
/// \file
/// The matrices of spmv and spmv_jds.

#include "kernels/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::kernels {

/// A square matrix in compressed rows: the nonzeros of row i are value[row_begin[i]] to value[row_begin[i + 1] - 1].
struct sparse_matrix {
    std::vector<std::int32_t> row_begin{0};
    std::vector<std::int32_t> column; ///< rising in each row
    std::vector<float> value;
};

/// `least` to `least` + 2 * `spread` nonzeros per row, half of them within `band` of the diagonal.
inline sparse_matrix make_sparse_matrix(std::uint32_t rows, std::uint32_t least, std::uint32_t spread,
                                        std::uint32_t band, random_numbers& random) {
    sparse_matrix m;
    for (std::uint32_t row = 0; row < rows; ++row) {
        for (auto left = least + random.below(2 * spread + 1); left > 0; --left) {
            auto const first = row > band ? row - band : 0;
            auto const last = std::min(rows - 1, row + band);
            auto const near = random.below(2) == 0;
            m.column.push_back(static_cast<std::int32_t>(near ? first + random.below(last - first + 1)
                                                              : random.below(rows)));
        }
        std::sort(m.column.begin() + m.row_begin.back(), m.column.end());
        m.row_begin.push_back(static_cast<std::int32_t>(m.column.size()));
    }
    m.value = random.units(m.column.size());
    return m;
}

} // namespace warpkit::kernels
