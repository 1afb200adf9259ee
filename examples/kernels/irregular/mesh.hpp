#pragma once
/// \file
/// Unstructured meshes for irreg, euler and unstructured: the points of a cube, each cell of it cut into six
/// tetrahedra, and the points renumbered.

#include "kernels/host.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace warpkit::kernels {

/// The numbers below n, each once, each at most `window` places from where it belongs.
inline std::vector<std::int32_t> shuffled(std::uint32_t n, std::uint32_t window, random_numbers& random) {
    std::vector<std::int32_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (std::uint32_t first = 0; first < n; first += window)
        for (auto left = std::min(window, n - first); left > 1; --left)
            std::swap(order[first + left - 1], order[first + random.below(left)]);
    return order;
}

struct mesh {
    std::uint32_t nodes = 0;
    std::vector<std::array<std::int32_t, 2>> edges; ///< sorted by their first, lower node
    std::vector<std::array<std::int32_t, 4>> cells; ///< tetrahedra
};

/// What meets at each node: of node i, what[first[i]] to what[first[i + 1] - 1].
struct incidence {
    std::vector<std::int32_t> first;
    std::vector<std::int32_t> what;
};

/// For each node the numbers of those of `parts` (edges or cells) that have it as a corner, rising.
template <std::size_t Corners>
incidence incidence_of(std::uint32_t nodes, std::vector<std::array<std::int32_t, Corners>> const& parts) {
    incidence at{std::vector<std::int32_t>(nodes + 1), std::vector<std::int32_t>(Corners * parts.size())};
    for (auto const& part : parts)
        for (auto const node : part) ++at.first[static_cast<std::size_t>(node) + 1];
    for (std::size_t i = 0; i < nodes; ++i) at.first[i + 1] += at.first[i];
    auto next = at.first;
    for (std::size_t p = 0; p < parts.size(); ++p)
        for (auto const node : parts[p])
            at.what[static_cast<std::size_t>(next[static_cast<std::size_t>(node)]++)] =
                static_cast<std::int32_t>(p);
    return at;
}

/// The other ends of the edges at each node, in the same places.
inline std::vector<std::int32_t> neighbours_of(mesh const& m, incidence const& edges_at) {
    std::vector<std::int32_t> other(edges_at.what.size());
    for (std::size_t i = 0; i < m.nodes; ++i)
        for (auto k = static_cast<std::size_t>(edges_at.first[i]);
             k < static_cast<std::size_t>(edges_at.first[i + 1]); ++k) {
            auto const& [a, b] = m.edges[static_cast<std::size_t>(edges_at.what[k])];
            other[k] = a == static_cast<std::int32_t>(i) ? b : a;
        }
    return other;
}

/// A cube of side * side * side points, for 2 <= side, with points renumbered within `window` of each other.
inline mesh make_mesh(std::uint32_t side, std::uint32_t window, random_numbers& random) {
    mesh m;
    m.nodes = side * side * side;
    auto const number = shuffled(m.nodes, window, random);
    auto const at = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        return number[(z * side + y) * side + x];
    };
    for (std::uint32_t z = 0; z < side; ++z)
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < side; ++x) {
                for (std::uint32_t step = 1; step < 8; ++step) { // along all diagonals that go up
                    auto const dx = step & 1;
                    auto const dy = step >> 1 & 1;
                    auto const dz = step >> 2;
                    if (x + dx == side || y + dy == side || z + dz == side) continue;
                    auto const [low, high] = std::minmax({at(x, y, z), at(x + dx, y + dy, z + dz)});
                    m.edges.push_back({low, high});
                }
                if (x + 1 == side || y + 1 == side || z + 1 == side) continue;
                // One for each order in which x, y and z go up on the way to the far corner.
                constexpr std::uint32_t ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
                for (auto const& [a, b] : ways)
                    m.cells.push_back({at(x, y, z), at(x + (a & 1), y + (a >> 1 & 1), z + (a >> 2)),
                                       at(x + (b & 1), y + (b >> 1 & 1), z + (b >> 2)),
                                       at(x + 1, y + 1, z + 1)});
            }
    std::sort(m.edges.begin(), m.edges.end());
    return m;
}

} // namespace warpkit::kernels
