#pragma once
/// \file
/// Graphs that several kernels walk.

#include "host.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit::kernels {

/// A graph in compressed rows: the edges of node i are edge[node[i].first ...], node[i].count of them.
struct graph {
    struct row {
        std::int32_t first;
        std::int32_t count;
    };
    std::vector<row> node;
    std::vector<std::int32_t> edge;
};

/// From each node 2 to 4 edges to uniformly drawn nodes, and their mirror images: six per node on average.
inline graph make_graph(std::uint32_t nodes, random_numbers& random) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    graph g;
    g.node.resize(nodes);
    for (std::uint32_t i = 0; i < nodes; ++i)
        for (auto left = 2 + random.below(3); left > 0; --left) {
            pairs.emplace_back(i, random.below(nodes));
            ++g.node[i].count;
            ++g.node[pairs.back().second].count;
        }
    std::vector<std::int32_t> next(nodes);
    for (std::uint32_t i = 1; i < nodes; ++i)
        next[i] = g.node[i].first = g.node[i - 1].first + g.node[i - 1].count;
    g.edge.resize(2 * pairs.size());
    for (auto const& [a, b] : pairs) {
        g.edge[static_cast<std::size_t>(next[a]++)] = static_cast<std::int32_t>(b);
        g.edge[static_cast<std::size_t>(next[b]++)] = static_cast<std::int32_t>(a);
    }
    return g;
}

/// Levels of a breadth-first search from node 0; -1 where no path leads.
inline std::vector<std::int32_t> levels(graph const& g) {
    std::vector<std::int32_t> cost(g.node.size(), -1);
    std::vector<std::size_t> queue{0};
    cost[0] = 0;
    for (std::size_t head = 0; head < queue.size(); ++head) {
        auto const& [first, count] = g.node[queue[head]];
        for (auto e = first; e < first + count; ++e) {
            auto const to = static_cast<std::size_t>(g.edge[static_cast<std::size_t>(e)]);
            if (cost[to] >= 0) continue;
            cost[to] = cost[queue[head]] + 1;
            queue.push_back(to);
        }
    }
    return cost;
}

} // namespace warpkit::kernels
