#pragma once
/// \file
/// Molecules and who is near whom, for nbf and moldyn.

#include "kernels/host.hpp"
#include "mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::kernels {

/// Molecules on a cube of points one apart, each a little off its point.
struct molecules {
    std::vector<float> x, y, z;
    std::vector<std::int32_t> partner; ///< `partners` of each molecule, one molecule after the other
};

/// `side` cubed molecules, each with `partners` drawn from those at most two points away along each axis, never itself;
/// over the faces of the cube one comes to the opposite face. Numbered as the points, but for shuffling within
/// `window`.
inline molecules make_molecules(std::uint32_t side, std::uint32_t partners, std::uint32_t window,
                                random_numbers& random) {
    auto const n = side * side * side;
    auto const number = shuffled(n, window, random);
    molecules m{std::vector<float>(n), std::vector<float>(n), std::vector<float>(n),
                std::vector<std::int32_t>(std::size_t{n} * partners)};
    for (std::uint32_t point = 0; point < n; ++point) {
        auto const i = static_cast<std::size_t>(number[point]);
        auto const x = point % side;
        auto const y = point / side % side;
        auto const z = point / side / side;
        m.x[i] = static_cast<float>(x) + random.unit() / 4;
        m.y[i] = static_cast<float>(y) + random.unit() / 4;
        m.z[i] = static_cast<float>(z) + random.unit() / 4;
        for (std::uint32_t k = 0; k < partners; ++k) {
            auto const step = random.below(124); // of the 125 points around, but for the middle
            auto const to = step < 62 ? step : step + 1;
            auto const along = [&](std::uint32_t from, std::uint32_t by) {
                return (from + side + by - 2) % side;
            };
            auto const there = (along(z, to / 25) * side + along(y, to / 5 % 5)) * side + along(x, to % 5);
            m.partner[i * partners + k] = number[there];
        }
    }
    return m;
}

} // namespace warpkit::kernels
