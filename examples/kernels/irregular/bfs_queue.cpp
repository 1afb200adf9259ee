#include "bfs_queue.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>
#include <array>

namespace warpkit::kernels::bfs_queue {
namespace {

constexpr parameter parameters[] = {
    {"stages", "stages", "of the circuit", 3, 2, 2, 1000},
    {"nodes", "nodes", "in each stage", 2304, 100000, 1, 1u << 20},
    {"window", "nodes", "of the stage before that may drive a node", 80, 80, 1, 1u << 20},
    {"unreached", "percent", "of the nodes that an earlier search left without a level", 46, 46, 1, 100},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const stages = v.u32("stages");
    auto const per_stage = v.u32("nodes");
    auto const window = std::min(v.u32("window"), per_stage);
    auto const block = v.u32("block");
    auto const nodes = stages * per_stage;
    random_numbers random(v["seed"]);
    // One to four of the nodes around the same place in the stage before; nothing drives the first stage.
    std::vector<std::array<std::int32_t, 4>> drivers(per_stage);
    for (std::uint32_t i = per_stage; i < nodes; ++i) {
        auto const place = i % per_stage;
        auto const low = std::min(place - std::min(place, window / 2), per_stage - window);
        auto const first = i - place - per_stage + low;
        auto const count = 1 + random.below(1 + random.below(4)); // mostly one or two
        auto& four = drivers.emplace_back();
        for (std::uint32_t k = 0; k < 4; ++k)
            four[k] = k < count ? static_cast<std::int32_t>(first + random.below(window)) : four[0];
    }
    // The last node of a stage is always searched for, so that no launch is empty.
    std::vector<std::int32_t> level(nodes, 0);
    for (std::uint32_t i = 0; i < nodes; ++i)
        if ((i + 1) % per_stage == 0 || random.below(100) < v.u32("unreached")) level[i] = -1;
    for (std::uint32_t i = 0; i < per_stage; ++i)
        if (level[i] < 0 && i % 2 == 0) level[i] = 0; // where this search begins

    auto const drivers_device = d.upload(drivers);
    auto const found = d.upload(level);
    for (std::uint32_t stage = 1; stage < stages; ++stage) {
        std::vector<std::int32_t> queue;
        for (std::uint32_t i = stage * per_stage; i < (stage + 1) * per_stage; ++i)
            if (level[i] < 0) queue.push_back(static_cast<std::int32_t>(i));
        d.launch("bfs_queue", {ceil_div(static_cast<std::uint32_t>(queue.size()), block)}, {block}, 0,
                 d.upload(queue), drivers_device, found, static_cast<std::uint32_t>(queue.size()), stage);
        for (auto const node : queue) {
            auto const& four = drivers[static_cast<std::size_t>(node)];
            if (std::any_of(four.begin(), four.end(),
                            [&](std::int32_t from) { return level[static_cast<std::size_t>(from)] >= 0; }))
                level[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(stage);
        }
    }
    check_equal(v, "level", d.download(found), level);
}

constexpr paper_row rows[] = {{paper::degree, "bfs"}};

constexpr workload shipped[] = {{
    .name = "bfs_queue",
    .title = "breadth-first search of a circuit, a thread for each node that is still to be reached",
    .origin = "bfs of the 2014 thesis (Kuo et al.)",
    .rows = rows,
    .input = "stages of nodes of equal number, each driven by one to four nodes around the same place in the "
             "stage before; some are still to be reached",
    .differs =
        "The thesis does not say what a thread does. Its bfs reads 73 lines per CTA of six warps in "
        "about 180 accesses, and five CTAs a core make it 2.8 times as fast, which takes the DRAM's bus "
        "for these reads and leaves none for a store to each node that is found from each side: so "
        "nodes look for who drives them, and a node is stored once. A CTA touches about the thesis's "
        "70 lines; its Table 5, whose cache size is not printed, is met with an L1 of 4 KiB (below). "
        "The host makes the queues, in order of numbers. The full size has the thesis's 2.6 MB of "
        "data, all of it in one launch; `block=96` makes its CTAs of three warps.",
    .ptx = bfs_queue_ptx,
    .ptx_name = "bfs_queue.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::bfs_queue
