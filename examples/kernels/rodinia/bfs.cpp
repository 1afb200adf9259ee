#include "bfs.ptx.hpp"
#include "kernels/host.hpp"

#include <string>
#include <utility>

namespace warpkit::kernels::bfs {
namespace {

constexpr parameter parameters[] = {
    {"nodes", "nodes", "of the graph", 8192, 65536, 1, 1u << 22},
    {"block", "threads", "per CTA", 256, 512, 1, 1024},
    seed,
};

// A graph in compressed rows: the edges of node i are edge[node[i].first ...], node[i].count of them.
struct graph {
    struct row {
        std::int32_t first;
        std::int32_t count;
    };
    std::vector<row> node;
    std::vector<std::int32_t> edge;
};

// From each node 2 to 4 edges to uniformly drawn nodes, and their mirror images: six per node on average.
graph make_graph(std::uint32_t nodes, random_numbers& random) {
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

// Levels from node 0; -1 where no path leads.
std::vector<std::int32_t> levels(graph const& g) {
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

void run(device& d, values const& v) {
    auto const n = v.u32("nodes");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const g = make_graph(n, random);
    std::vector<std::uint8_t> only_source(n);
    only_source[0] = 1;
    std::vector<std::int32_t> cost(n, -1);
    cost[0] = 0;

    auto const nodes = d.upload(g.node);
    auto const edges = d.upload(g.edge);
    auto const frontier = d.upload(only_source);
    auto const reached = d.allocate<std::uint8_t>(n);
    auto const visited = d.upload(only_source);
    auto const cost_device = d.upload(cost);
    auto const more = d.allocate<std::int32_t>(1);
    dim3 const grid{ceil_div(n, block)};
    for (std::uint32_t level = 0;; ++level) {
        if (level > n)
            throw error("bfs: still not done after " + std::to_string(level) + " levels of a graph of " +
                        std::to_string(n) + " nodes");
        d.write(more, {0});
        d.launch("bfs_expand", grid, {block}, 0, nodes, edges, frontier, reached, visited, cost_device, n);
        d.launch("bfs_update", grid, {block}, 0, frontier, reached, visited, more, n);
        if (d.download(more)[0] == 0) break;
    }
    check_equal(v, "cost", d.download(cost_device), levels(g));
}

constexpr paper_row rows[] = {{paper::owl, "BFSR"},
                              {paper::degree, "BFS"},
                              {paper::elf, "BFS", "Kernel", "bfs_expand"},
                              {paper::elf, "BFS", "Kernel2", "bfs_update"}};

constexpr workload shipped[] = {
    {
        .name = "bfs",
        .title = "breadth-first search of a random graph, two launches per level",
        .origin = "bfs (Rodinia)",
        .rows = rows,
        .input = "a graph made as Rodinia's generator does it: 2 to 4 edges per node to uniformly drawn "
                 "nodes, mirrored",
        .differs = "No edge weights, which the kernel never reads. Masks are bytes.",
        .ptx = bfs_ptx,
        .ptx_name = "bfs.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::bfs
