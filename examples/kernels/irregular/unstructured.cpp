#include "mesh.hpp"
#include "unstructured.ptx.hpp"

#include <array>

namespace warpkit::kernels::unstructured {
namespace {

constexpr parameter parameters[] = {
    {"side", "nodes", "along each edge of the cube", 13, 29, 2, 128},
    {"window", "nodes", "within which numbers are shuffled", 1024, 1024, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

using quantities = std::array<float, 4>;

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_mesh(v.u32("side"), v.u32("window"), random);
    auto const edges_at = incidence_of(m.nodes, m.edges);
    auto const cells_at = incidence_of(m.nodes, m.cells);
    auto const neighbour = neighbours_of(m, edges_at);
    auto const state = random.vector(m.nodes, [](random_numbers& r) {
        quantities node{};
        for (auto& q : node) q = r.unit();
        return node;
    });
    auto const weight = random.units(m.edges.size());
    std::vector<float> change;
    for (std::size_t i = 0; i < m.nodes; ++i)
        for (std::size_t q = 0; q < 4; ++q) {
            float sum = 0;
            for (auto k = static_cast<std::size_t>(edges_at.first[i]);
                 k < static_cast<std::size_t>(edges_at.first[i + 1]); ++k)
                sum += (state[static_cast<std::size_t>(neighbour[k])][q] - state[i][q]) *
                       weight[static_cast<std::size_t>(edges_at.what[k])];
            for (auto k = cells_at.first[i]; k < cells_at.first[i + 1]; ++k) {
                float corners = 0;
                for (auto const node :
                     m.cells[static_cast<std::size_t>(cells_at.what[static_cast<std::size_t>(k)])])
                    corners += state[static_cast<std::size_t>(node)][q];
                sum += corners * 0.25f;
            }
            change.push_back(sum);
        }

    auto const cells = static_cast<std::uint32_t>(m.cells.size());
    auto const state_device = d.upload(state);
    auto const mean = d.allocate<quantities>(cells);
    auto const change_device = d.allocate<float>(change.size());
    dim3 const by_node{ceil_div(m.nodes, block)};
    d.launch("unstructured_edges", by_node, {block}, 0, d.upload(edges_at.first), d.upload(neighbour),
             d.upload(edges_at.what), d.upload(weight), state_device, change_device, m.nodes);
    d.launch("unstructured_means", {ceil_div(cells, block)}, {block}, 0, d.upload(m.cells), state_device,
             mean, cells);
    d.launch("unstructured_cells", by_node, {block}, 0, d.upload(cells_at.first), d.upload(cells_at.what),
             mean, change_device, m.nodes);
    check_equal(v, "change", d.download(change_device), change);
}

constexpr workload shipped[] = {
    {
        .name = "unstructured",
        .title = "two loops of a flow solver, over the edges and over the cells of a mesh",
        .origin = "unstructured of the 2014 thesis (Chaos)",
        .input = "the mesh of irreg, with random states and weights",
        .differs = "CTAs of six warps, as in the thesis's Table 5, which does not say what a thread "
                   "does. A thread computes all of its node, so that nothing is added by atomics and an "
                   "edge is looked at from both ends. The full size has about the thesis's 10.2 MB of "
                   "data.",
        .ptx = unstructured_ptx,
        .ptx_name = "unstructured.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::unstructured
