#include "euler.ptx.hpp"
#include "mesh.hpp"

#include <array>

namespace warpkit::kernels::euler {
namespace {

constexpr parameter parameters[] = {
    {"side", "nodes", "along each edge of the cube", 12, 33, 2, 128},
    {"window", "nodes", "within which numbers are shuffled", 1024, 1024, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

using vector = std::array<float, 3>;
using quantities = std::array<float, 5>; // density, momentum in x, y and z, energy

quantities flux(quantities const& node, vector const& normal) {
    auto const [density, mx, my, mz, energy] = node;
    auto const inverse = 1 / density;
    auto const square = std::fma(mz, mz, std::fma(my, my, mx * mx));
    auto const pressure = 0.4f * std::fma(-0.5f * square, inverse, energy);
    auto const volume = std::fma(mz, normal[2], std::fma(my, normal[1], mx * normal[0])) * inverse;
    return {density * volume, std::fma(mx, volume, pressure * normal[0]),
            std::fma(my, volume, pressure * normal[1]), std::fma(mz, volume, pressure * normal[2]),
            (energy + pressure) * volume};
}

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_mesh(v.u32("side"), v.u32("window"), random);
    auto const edges_at = incidence_of(m.nodes, m.edges);
    auto const neighbour = neighbours_of(m, edges_at);
    auto const centred = [](random_numbers& r) { return r.unit() - 0.5f; };
    auto const normals = random.vector(m.edges.size(), [&](random_numbers& r) {
        auto const x = centred(r);
        auto const y = centred(r);
        return vector{x, y, centred(r)};
    });
    auto const state = random.vector(m.nodes, [&](random_numbers& r) {
        auto const density = 1 + r.unit();
        auto const x = centred(r);
        auto const y = centred(r);
        auto const z = centred(r);
        return quantities{density, x, y, z, 2 + r.unit()};
    });
    std::vector<float> balance;
    for (std::size_t i = 0; i < m.nodes; ++i) {
        quantities sum{};
        for (auto k = static_cast<std::size_t>(edges_at.first[i]);
             k < static_cast<std::size_t>(edges_at.first[i + 1]); ++k) {
            auto const other = static_cast<std::size_t>(neighbour[k]);
            auto const& normal = normals[static_cast<std::size_t>(edges_at.what[k])];
            auto const from_own = flux(state[i], normal);
            auto const from_other = flux(state[other], normal);
            for (std::size_t q = 0; q < sum.size(); ++q)
                sum[q] = std::fma(other > i ? -0.5f : 0.5f, from_own[q] + from_other[q], sum[q]);
        }
        balance.insert(balance.end(), sum.begin(), sum.end());
    }

    auto const balance_device = d.allocate<float>(balance.size());
    d.launch("euler", {ceil_div(m.nodes, block)}, {block}, 0, d.upload(edges_at.first), d.upload(neighbour),
             d.upload(edges_at.what), d.upload(normals), d.upload(state), balance_device, m.nodes);
    check_equal(v, "balance", d.download(balance_device), balance);
}

constexpr paper_row rows[] = {{paper::degree, "euler"}};

constexpr workload shipped[] = {
    {
        .name = "euler",
        .title = "fluxes of the Euler equations over the edges of a mesh, a node per thread",
        .origin = "euler of the 2014 thesis (Chaos)",
        .rows = rows,
        .input = "the mesh of irreg, with random states and face normals",
        .differs = "CTAs of six warps, as in the thesis's Table 5, which does not say what a thread "
                   "does. A thread computes all of its node, so that nothing is added by atomics and an "
                   "edge is looked at from both ends. One flux loop in three dimensions. The full size "
                   "has about the thesis's 8.5 MB of data.",
        .ptx = euler_ptx,
        .ptx_name = "euler.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::euler
