#include "euler.ptx.hpp"
#include "mesh.hpp"

#include <array>

namespace warpkit::kernels::euler {
namespace {

constexpr parameter parameters[] = {
    {"side", "nodes", "along each edge of the cube", 14, 37, 2, 128},
    {"window", "nodes", "within which numbers are shuffled", 1024, 1024, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

using quantities = std::array<float, 5>; // density, momentum in x, y and z, energy

struct edge {
    std::int32_t a, b;
    std::array<float, 3> normal;
};

quantities flux(quantities const& node, std::array<float, 3> const& normal) {
    auto const [density, mx, my, mz, energy] = node;
    auto const inverse = 1 / density;
    auto const pressure = 0.4f * (energy - 0.5f * (mx * mx + my * my + mz * mz) * inverse);
    auto const volume = (mx * normal[0] + my * normal[1] + mz * normal[2]) * inverse;
    return {density * volume, mx * volume + pressure * normal[0], my * volume + pressure * normal[1],
            mz * volume + pressure * normal[2], (energy + pressure) * volume};
}

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_mesh(v.u32("side"), v.u32("window"), random);
    auto const part = [&] { return random.unit() - 0.5f; };
    std::vector<edge> edges;
    for (auto const& e : m.edges) {
        auto const x = part();
        auto const y = part();
        edges.push_back({e[0], e[1], {x, y, part()}});
    }
    std::vector<quantities> state(m.nodes);
    for (auto& node : state) {
        node[0] = 1 + random.unit();
        for (std::size_t axis = 1; axis <= 3; ++axis) node[axis] = part();
        node[4] = 2 + random.unit();
    }
    std::vector<float> balance(5 * std::size_t{m.nodes});
    for (auto const& e : edges) {
        auto const a = static_cast<std::size_t>(e.a);
        auto const b = static_cast<std::size_t>(e.b);
        auto const from_a = flux(state[a], e.normal);
        auto const from_b = flux(state[b], e.normal);
        for (std::size_t q = 0; q < 5; ++q) {
            auto const mean = 0.5f * (from_a[q] + from_b[q]);
            balance[5 * a + q] -= mean;
            balance[5 * b + q] += mean;
        }
    }

    auto const edges_device = d.upload(edges);
    auto const state_device = d.upload(state);
    auto const balance_device = d.allocate<float>(balance.size());
    auto const count = static_cast<std::uint32_t>(edges.size());
    d.launch("euler", {ceil_div(count, block)}, {block}, 0, edges_device, state_device, balance_device,
             count);
    check_close(v, "balance", d.download(balance_device), balance, 1e-4f); // sums in any order
}

constexpr paper_row rows[] = {{paper::degree, "euler"}};

constexpr workload shipped[] = {
    {
        .name = "euler",
        .title = "fluxes of the Euler equations over the edges of a mesh",
        .origin = "euler of the 2014 thesis (Chaos)",
        .rows = rows,
        .input = "the mesh of irreg, with random states and face normals",
        .differs = "The thesis names its program and its data, not its launch; ours has CTAs of 192 "
                   "threads, one of the two shapes that it speaks of. One flux loop in three "
                   "dimensions; fluxes are added by atomics in whatever order, hence checked to 1e-4. "
                   "The full size has about the thesis's 8.5 MB of data.",
        .ptx = euler_ptx,
        .ptx_name = "euler.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::euler
