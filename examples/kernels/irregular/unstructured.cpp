#include "mesh.hpp"
#include "unstructured.ptx.hpp"

#include <array>

namespace warpkit::kernels::unstructured {
namespace {

constexpr parameter parameters[] = {
    {"side", "nodes", "along each edge of the cube", 12, 37, 2, 128},
    {"window", "nodes", "within which numbers are shuffled", 1024, 1024, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_mesh(v.u32("side"), v.u32("window"), random);
    // Multiples of 1/64 below 1, and weights of a quarter to one: no sum of them is rounded, whatever the order.
    std::vector<std::array<float, 4>> state(m.nodes);
    for (auto& node : state)
        for (auto& q : node) q = static_cast<float>(random.below(64)) / 64;
    auto const weight = random.vector(
        m.edges.size(), [](random_numbers& r) { return static_cast<float>(1 + r.below(4)) / 4; });
    std::vector<float> change(4 * std::size_t{m.nodes});
    for (std::size_t e = 0; e < m.edges.size(); ++e) {
        auto const a = static_cast<std::size_t>(m.edges[e][0]);
        auto const b = static_cast<std::size_t>(m.edges[e][1]);
        for (std::size_t q = 0; q < 4; ++q) {
            auto const flow = (state[b][q] - state[a][q]) * weight[e];
            change[4 * a + q] += flow;
            change[4 * b + q] -= flow;
        }
    }
    for (auto const& cell : m.cells)
        for (std::size_t q = 0; q < 4; ++q) {
            float sum = 0;
            for (auto const node : cell) sum += state[static_cast<std::size_t>(node)][q];
            for (auto const node : cell) change[4 * static_cast<std::size_t>(node) + q] += sum / 4;
        }

    auto const state_device = d.upload(state);
    auto const change_device = d.allocate<float>(change.size());
    auto const edges = static_cast<std::uint32_t>(m.edges.size());
    auto const cells = static_cast<std::uint32_t>(m.cells.size());
    d.launch("unstructured_edges", {ceil_div(edges, block)}, {block}, 0, d.upload(m.edges), d.upload(weight),
             state_device, change_device, edges);
    d.launch("unstructured_cells", {ceil_div(cells, block)}, {block}, 0, d.upload(m.cells), state_device,
             change_device, cells);
    check_equal(v, "change", d.download(change_device), change);
}

constexpr paper_row rows[] = {{paper::degree, "unstructured"}};

constexpr workload shipped[] = {
    {
        .name = "unstructured",
        .title = "two loops of a flow solver, over the edges and over the cells of a mesh",
        .origin = "unstructured of the 2014 thesis (Chaos)",
        .rows = rows,
        .input = "the mesh of irreg, with random states and weights",
        .differs = "The thesis names its program and its data, not its launch; ours has CTAs of 192 "
                   "threads, one of the two shapes that it speaks of. Added by atomics. The full size "
                   "has about the thesis's 10.2 MB of data.",
        .ptx = unstructured_ptx,
        .ptx_name = "unstructured.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::unstructured
