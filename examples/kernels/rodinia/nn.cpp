#include "kernels/host.hpp"
#include "nn.ptx.hpp"

namespace warpkit::kernels::nn {
namespace {

constexpr parameter parameters[] = {
    {"records", "records", "to measure the distance of", 42764, 42764, 1, 1u << 24},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

struct alignas(8) place {
    float latitude;
    float longitude;
};

void run(device& d, values const& v) {
    auto const count = v.u32("records");
    auto const block = v.u32("block");
    place const target{30, 90};
    random_numbers random(v["seed"]);
    auto const records = random.vector(count, [](random_numbers& r) {
        auto const latitude = 7 + 56 * r.unit();
        return place{latitude, 358 * r.unit()};
    });

    auto const records_device = d.upload(records);
    auto const distances = d.allocate<float>(count);
    d.launch("nearest_neighbour", {ceil_div(count, block)}, {block}, 0, records_device, distances, count,
             target.latitude, target.longitude);

    std::vector<float> expected;
    for (auto const& r : records) {
        auto const dy = target.latitude - r.latitude;
        auto const dx = target.longitude - r.longitude;
        expected.push_back(std::sqrt(std::fma(dy, dy, dx * dx)));
    }
    check_equal(v, "distances", d.download(distances), expected);
}

constexpr paper_row rows[] = {{paper::precomputation, "NN"}};

constexpr workload shipped[] = {{
    .name = "nn",
    .title = "distances of records from a place, for its nearest neighbours",
    .origin = "nn (Rodinia)",
    .rows = rows,
    .input = "places uniform in the ranges of Rodinia's hurricane records",
    .differs = "The nearest are not picked: the original's host does that. The thesis on address "
               "pre-computation ran 5,120 CTAs, of one warp as eight warps on a core tell: `records=163840 "
               "block=32`.",
    .ptx = nn_ptx,
    .ptx_name = "nn.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::nn
