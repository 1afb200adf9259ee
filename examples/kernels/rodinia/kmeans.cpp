#include "kernels/host.hpp"
#include "kmeans.ptx.hpp"

#include <limits>

namespace warpkit::kernels::kmeans {
namespace {

constexpr parameter parameters[] = {
    {"points", "points", "to assign", 8192, 494020, 1, 1u << 20},
    {"features", "features", "of each point", 16, 34, 1, 64},
    {"clusters", "centres", "to choose from", 5, 5, 1, 64},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("points");
    auto const features = v.u32("features");
    auto const clusters = v.u32("clusters");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const points = random.units(std::size_t{n} * features); // feature by feature
    auto const centres = random.units(std::size_t{clusters} * features);
    std::vector<std::int32_t> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto best = std::numeric_limits<float>::max();
        for (std::size_t c = 0; c < clusters; ++c) {
            float distance = 0;
            for (std::size_t f = 0; f < features; ++f) {
                auto const difference = points[f * n + i] - centres[c * features + f];
                distance = std::fma(difference, difference, distance);
            }
            if (distance < best) {
                best = distance;
                expected[i] = static_cast<std::int32_t>(c);
            }
        }
    }

    auto points_device = d.upload(points);
    if (v.of().name == "kmeans_inverted") {
        std::vector<float> by_point(points.size());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t f = 0; f < features; ++f) by_point[i * features + f] = points[f * n + i];
        points_device = d.allocate<float>(points.size());
        d.launch("invert_mapping", {ceil_div(n, block)}, {block}, 0, d.upload(by_point), points_device, n,
                 features);
        check_equal(v, "points", d.download(points_device), points);
    }
    auto const centres_device = d.upload(centres);
    auto const nearest = d.allocate<std::int32_t>(n);
    d.launch("kmeans", {ceil_div(n, block)}, {block}, 0, points_device, centres_device, nearest, n, features,
             clusters);
    check_equal(v, "nearest", d.download(nearest), expected);
}

constexpr paper_row rows[] = {{paper::elf, "KM", "kmeansPoint", "kmeans"}};
constexpr paper_row inverted_rows[] = {{paper::owl, "KMN"},
                                       {paper::elf, "KM", "invert_mapping", "invert_mapping"},
                                       {paper::elf, "KM", "kmeansPoint", "kmeans"}};

constexpr workload shipped[] = {
    {
        .name = "kmeans",
        .title = "assignment step of k-means",
        .origin = "kmeans (Rodinia)",
        .rows = rows,
        .input = "random points and centres, coordinates below 1",
        .differs = "Points and centres in global memory; Rodinia's are in texture and constant memory. "
                   "Only the assignment step.",
        .ptx = kmeans_ptx,
        .ptx_name = "kmeans.ptx",
        .parameters = parameters,
        .run = run,
    },
    {
        .name = "kmeans_inverted",
        .title = "the same, after the points were turned from rows into columns",
        .origin = "kmeans (Rodinia), both its kernels",
        .rows = inverted_rows,
        .input = "as for `kmeans`",
        .differs = "As `kmeans`; one step of assignment, where Rodinia's few go through the host in "
                   "between.",
        .ptx = kmeans_ptx,
        .ptx_name = "kmeans.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::kmeans
