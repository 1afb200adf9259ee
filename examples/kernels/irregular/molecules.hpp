#pragma once
/// \file
/// Molecules and who is near whom, for nbf and moldyn.

#include "kernels/host.hpp"
#include "mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::kernels {

/// Molecules on a cube of points one apart, each a little off its point, numbered as the points but for shuffling.
struct molecules {
    std::uint32_t side;
    std::vector<std::int32_t> number; ///< of the molecule at each point
    std::vector<float> x, y, z;       ///< of each molecule

    std::int32_t at(std::uint32_t i, std::uint32_t j, std::uint32_t k) const {
        return number[(std::size_t{k} * side + j) * side + i];
    }
};

inline molecules make_molecules(std::uint32_t side, std::uint32_t window, random_numbers& random) {
    auto const n = side * side * side;
    molecules m{side, shuffled(n, window, random), std::vector<float>(n), std::vector<float>(n),
                std::vector<float>(n)};
    for (std::uint32_t point = 0; point < n; ++point) {
        auto const i = static_cast<std::size_t>(m.number[point]);
        m.x[i] = static_cast<float>(point % side) + random.unit() / 4;
        m.y[i] = static_cast<float>(point / side % side) + random.unit() / 4;
        m.z[i] = static_cast<float>(point / side / side) + random.unit() / 4;
    }
    return m;
}

} // namespace warpkit::kernels
