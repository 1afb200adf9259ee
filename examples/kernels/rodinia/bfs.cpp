#include "bfs.ptx.hpp"
#include "kernels/graph.hpp"
#include "kernels/host.hpp"

#include <string>

namespace warpkit::kernels::bfs {
namespace {

constexpr parameter parameters[] = {
    {"nodes", "nodes", "of the graph", 8192, 65536, 1, 1u << 22},
    {"block", "threads", "per CTA", 256, 512, 1, 1024},
    seed,
};

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
