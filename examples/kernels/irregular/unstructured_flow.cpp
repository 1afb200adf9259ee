#include "mesh.hpp"
#include "unstructured_flow.ptx.hpp"

#include <array>

namespace warpkit::kernels::unstructured_flow {
namespace {

constexpr parameter parameters[] = {
    {"side", "nodes", "along each edge of the cube", 13, 40, 2, 128},
    {"window", "nodes", "within which numbers are shuffled", 72, 72, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

using quantities = std::array<float, 5>;

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_mesh(v.u32("side"), v.u32("window"), random);
    auto const edges_at = incidence_of(m.nodes, m.edges);
    auto const other_ends = neighbours_of(m, edges_at);
    std::size_t const n = m.nodes;
    // Place k of all nodes, then place k + 1 of all; those that a node does not need are below 0.
    std::size_t most = 0;
    for (std::size_t i = 0; i < n; ++i)
        most = std::max(most, static_cast<std::size_t>(edges_at.first[i + 1] - edges_at.first[i]));
    std::vector<std::int32_t> neighbour(most * n, -1);
    for (std::size_t i = 0; i < n; ++i)
        for (auto k = edges_at.first[i]; k < edges_at.first[i + 1]; ++k)
            neighbour[static_cast<std::size_t>(k - edges_at.first[i]) * n + i] =
                other_ends[static_cast<std::size_t>(k)];
    auto const area = random.vector(neighbour.size(), [](random_numbers& r) { return 0.5f - r.unit(); });
    auto const state = random.vector(n, [](random_numbers& r) {
        quantities node{};
        for (auto& q : node) q = 0.5f + r.unit();
        return node;
    });

    std::vector<float> change;
    for (std::size_t i = 0; i < n; ++i) {
        auto const& own = state[i];
        quantities sum{};
        for (std::size_t k = 0; k < most && neighbour[k * n + i] >= 0; ++k) {
            auto const& other = state[static_cast<std::size_t>(neighbour[k * n + i])];
            auto const x = 0.5f * (own[1] + other[1]);
            auto const y = 0.5f * (own[2] + other[2]);
            auto const z = 0.5f * (own[3] + other[3]);
            auto const through = area[k * n + i] * (x + y + z);
            auto const& from = through < 0 ? other : own;
            auto const speed = through / from[0];
            sum[0] += through;
            sum[1] = std::fma(speed, x, sum[1]);
            sum[2] = std::fma(speed, y, sum[2]);
            sum[3] = std::fma(speed, z, sum[3]);
            sum[4] = std::fma(speed, from[4], sum[4]);
        }
        change.insert(change.end(), sum.begin(), sum.end());
    }

    auto const change_device = d.allocate<float>(change.size());
    d.launch("unstructured_flow", {ceil_div(m.nodes, block)}, {block}, 0, d.upload(neighbour), d.upload(area),
             d.upload(state), change_device, m.nodes, static_cast<std::int32_t>(most));
    check_equal(v, "change", d.download(change_device), change);
}

constexpr paper_row rows[] = {{paper::degree, "unstructured"}};

constexpr workload shipped[] = {{
    .name = "unstructured_flow",
    .title = "fluxes of a flow solver over the edges of a mesh, five quantities a node, read word by word",
    .origin = "unstructured of the 2014 thesis (Chaos)",
    .rows = rows,
    .input = "the mesh of irreg, renumbered in smaller stretches, with random states and areas",
    .differs = "The thesis does not say what a thread does. A node per thread, and states read word by word, "
               "the last two "
               "words when it is known where the flow comes from: with that the misses grow as in the "
               "thesis's Table 5 with an "
               "L1 of 4 KiB (below). The full size has about the thesis's 10.2 MB of data.",
    .ptx = unstructured_flow_ptx,
    .ptx_name = "unstructured_flow.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::unstructured_flow
