#include "irreg.ptx.hpp"
#include "mesh.hpp"

namespace warpkit::kernels::irreg {
namespace {

constexpr parameter parameters[] = {
    {"side", "nodes", "along each edge of the cube", 20, 47, 2, 200},
    {"window", "nodes", "within which numbers are shuffled", 1024, 1024, 1, 1u << 23},
    {"sweeps", "sweeps", "over the edges, one launch each", 1, 1, 1, 1000},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    auto const sweeps = v.u32("sweeps");
    random_numbers random(v["seed"]);
    auto const m = make_mesh(v.u32("side"), v.u32("window"), random);
    // Multiples of 1/256 below 1: no sum of their differences is rounded, whatever the order.
    auto const x =
        random.vector(m.nodes, [](random_numbers& r) { return static_cast<float>(r.below(256)) / 256; });
    std::vector<float> y(m.nodes);
    for (auto const& edge : m.edges) {
        auto const a = static_cast<std::size_t>(edge[0]);
        auto const b = static_cast<std::size_t>(edge[1]);
        auto const flow = static_cast<float>(sweeps) * (0.5f * (x[a] - x[b]));
        y[a] -= flow;
        y[b] += flow;
    }

    auto const edges = d.upload(m.edges);
    auto const x_device = d.upload(x);
    auto const y_device = d.allocate<float>(m.nodes);
    auto const count = static_cast<std::uint32_t>(m.edges.size());
    for (std::uint32_t sweep = 0; sweep < sweeps; ++sweep)
        d.launch("irreg", {ceil_div(count, block)}, {block}, 0, edges, x_device, y_device, count);
    check_equal(v, "y", d.download(y_device), y);
}

constexpr paper_row rows[] = {{paper::degree, "irreg"}};

constexpr workload shipped[] = {
    {
        .name = "irreg",
        .title = "a sweep over the edges of a mesh, adding to both ends",
        .origin = "irreg of the 2014 thesis (Cosmic)",
        .rows = rows,
        .input = "a cube of points cut into tetrahedra, points renumbered within `window`, edges sorted "
                 "by their lower end",
        .differs = "The thesis names its program and its data, not its launch; ours has CTAs of 192 "
                   "threads, one of the two shapes that it speaks of. Added by atomics. The full size "
                   "has about the thesis's 6.3 MB of data.",
        .ptx = irreg_ptx,
        .ptx_name = "irreg.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::irreg
