#include "bfs_queue.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>
#include <array>

namespace warpkit::kernels::bfs_queue {
namespace {

constexpr parameter parameters[] = {
    {"stages", "stages", "of the circuit", 3, 3, 2, 1000},
    {"nodes", "nodes", "in each stage", 2304, 52000, 1, 1u << 20},
    {"window", "nodes", "of the next stage that a node may drive", 80, 80, 1, 1u << 20},
    {"sources", "percent", "of the first stage that the search begins with", 46, 46, 1, 100},
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
    // One to four of the nodes around the same place in the next stage; the last stage drives nothing.
    std::vector<std::array<std::int32_t, 4>> drives;
    for (std::uint32_t i = 0; i + per_stage < nodes; ++i) {
        auto const place = i % per_stage;
        auto const low = std::min(place - std::min(place, window / 2), per_stage - window);
        auto const first = i - place + per_stage + low;
        auto const count = 1 + random.below(1 + random.below(4)); // mostly one or two
        auto& four = drives.emplace_back();
        for (std::uint32_t k = 0; k < 4; ++k)
            four[k] = k < count ? static_cast<std::int32_t>(first + random.below(window)) : four[0];
    }
    std::vector<std::int32_t> level(nodes, -1);
    for (std::uint32_t i = 0; i < per_stage; ++i)
        if (i == 0 || random.below(100) < v.u32("sources")) level[i] = 0;

    auto const drives_device = d.upload(drives);
    auto const found = d.upload(level);
    for (std::uint32_t stage = 0; stage + 1 < stages; ++stage) {
        std::vector<std::int32_t> queue;
        for (std::uint32_t i = stage * per_stage; i < (stage + 1) * per_stage; ++i)
            if (level[i] >= 0) queue.push_back(static_cast<std::int32_t>(i));
        auto const next = static_cast<std::int32_t>(stage + 1);
        d.launch("bfs_queue", {ceil_div(static_cast<std::uint32_t>(queue.size()), block)}, {block}, 0,
                 d.upload(queue), drives_device, found, static_cast<std::uint32_t>(queue.size()), next);
        for (auto const node : queue)
            for (auto const to : drives[static_cast<std::size_t>(node)])
                level[static_cast<std::size_t>(to)] = next;
    }
    check_equal(v, "level", d.download(found), level);
}

constexpr paper_row rows[] = {{paper::degree, "bfs"}};

constexpr workload shipped[] = {{
    .name = "bfs_queue",
    .title = "breadth-first search of a circuit, a thread for each node of the frontier",
    .origin = "bfs of the 2014 thesis (Kuo et al.)",
    .rows = rows,
    .input = "stages of nodes of equal number, each driving one to four nodes around the same place in the "
             "next; some of the "
             "first stage to begin with",
    .differs = "The thesis does not say what a thread does. A CTA of six warps touches about the thesis's 70 "
               "lines; its Table "
               "5, whose cache size is not printed, is met with an L1 of 4 KiB (below). The host makes the "
               "queues, in order "
               "of numbers. The full size has about the thesis's 2.6 MB of data; `block=96` makes its CTAs "
               "of three warps.",
    .ptx = bfs_queue_ptx,
    .ptx_name = "bfs_queue.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::bfs_queue
