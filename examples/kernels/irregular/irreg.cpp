#include "irreg.ptx.hpp"
#include "mesh.hpp"

namespace warpkit::kernels::irreg {
namespace {

constexpr parameter parameters[] = {
    {"side", "nodes", "along each edge of the cube", 22, 46, 2, 200},
    {"window", "nodes", "within which numbers are shuffled", 1024, 1024, 1, 1u << 23},
    {"sweeps", "sweeps", "over the mesh, one launch each", 1, 1, 1, 1000},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    auto const sweeps = v["sweeps"];
    random_numbers random(v["seed"]);
    auto const m = make_mesh(v.u32("side"), v.u32("window"), random);
    auto const edges_at = incidence_of(m.nodes, m.edges);
    auto const neighbour = neighbours_of(m, edges_at);
    auto const x = random.units(m.nodes);
    std::vector<float> y(m.nodes);
    for (std::uint64_t sweep = 0; sweep < sweeps; ++sweep)
        for (std::size_t i = 0; i < m.nodes; ++i)
            for (auto k = edges_at.first[i]; k < edges_at.first[i + 1]; ++k) {
                auto const other = static_cast<std::size_t>(neighbour[static_cast<std::size_t>(k)]);
                y[i] = std::fma(0.5f, x[other] - x[i], y[i]);
            }

    auto const first_device = d.upload(edges_at.first);
    auto const neighbour_device = d.upload(neighbour);
    auto const x_device = d.upload(x);
    auto const y_device = d.allocate<float>(m.nodes);
    for (std::uint64_t sweep = 0; sweep < sweeps; ++sweep)
        d.launch("irreg", {ceil_div(m.nodes, block)}, {block}, 0, first_device, neighbour_device, x_device,
                 y_device, m.nodes);
    check_equal(v, "y", d.download(y_device), y);
}

constexpr paper_row rows[] = {{paper::degree, "irreg"}};

constexpr workload shipped[] = {
    {
        .name = "irreg",
        .title = "a sweep over the edges of a mesh, a node per thread",
        .origin = "irreg of the 2014 thesis (Cosmic)",
        .rows = rows,
        .input = "a cube of points cut into tetrahedra, points renumbered within `window`",
        .differs = "CTAs of six warps, as in the thesis's Table 5, which does not say what a thread "
                   "does. A thread computes all of its node, so that nothing is added by atomics and an "
                   "edge is looked at from both ends. The full size has about the thesis's 6.3 MB of "
                   "data.",
        .ptx = irreg_ptx,
        .ptx_name = "irreg.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::irreg
