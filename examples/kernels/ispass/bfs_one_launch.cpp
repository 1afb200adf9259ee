#include "bfs_one_launch.ptx.hpp"
#include "kernels/graph.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::bfs_one_launch {
namespace {

constexpr parameter parameters[] = {
    {"nodes", "nodes", "of the graph", 8192, 131072, 1, 1u << 22},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("nodes");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const g = make_graph(n, random);
    std::vector<std::int32_t> only_source(n);
    only_source[0] = 1;
    std::vector<std::int32_t> cost(n, -1);
    cost[0] = 0;

    auto const nodes = d.upload(g.node);
    auto const edges = d.upload(g.edge);
    auto const frontier = d.upload(only_source);
    auto const visited = d.allocate<std::int32_t>(n);
    auto const cost_device = d.upload(cost);
    auto const more = d.allocate<std::int32_t>(1);
    for (std::uint32_t level = 0;; ++level) {
        if (level > n)
            throw error("bfs_one_launch: still not done after " + std::to_string(level) +
                        " levels of a graph of " + std::to_string(n) + " nodes");
        d.write(more, {0});
        d.launch("bfs_one_launch", {ceil_div(n, block)}, {block}, 0, nodes, edges, frontier, visited,
                 cost_device, more, n, level);
        if (d.download(more)[0] == 0) break;
    }
    check_equal(v, "cost", d.download(cost_device), levels(g));
}

constexpr paper_row rows[] = {{paper::owl, "BFS"}};

constexpr workload shipped[] = {{
    .name = "bfs_one_launch",
    .title = "breadth-first search of a random graph, one launch per level",
    .origin = "BFS (GPGPU-Sim's set, ISPASS 2009; Harish and Narayanan, HiPC 2007)",
    .rows = rows,
    .input = "the graph of bfs",
    .differs =
        "A node of the next level is told by its cost, so that the order of CTAs makes no difference. Twice "
        "GPGPU-Sim's 65,536 nodes at full size, for more than four waves of CTAs on OWL's 28 cores. Masks "
        "are words.",
    .ptx = bfs_one_launch_ptx,
    .ptx_name = "bfs_one_launch.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::bfs_one_launch
