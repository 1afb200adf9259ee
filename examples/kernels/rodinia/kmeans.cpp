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

    device_array<std::int32_t> nearest;
    dim3 const grid{ceil_div(n, block)};
    if (v.of().name != "kmeans") {
        std::vector<float> by_point(points.size());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t f = 0; f < features; ++f) by_point[i * features + f] = points[f * n + i];
        auto const by_point_device = d.upload(by_point);
        auto const points_device = d.allocate<float>(points.size());
        nearest = d.allocate<std::int32_t>(n);
        d.write_symbol("constant_centres", centres);
        d.launch("invert_mapping", grid, {block}, 0, by_point_device, points_device, n, features);
        check_equal(v, "points", d.download(points_device), points);
        if (v.of().name == "kmeans_texture") {
            auto const texture = make_texture(d, points_device,
                                              {.width = static_cast<std::uint32_t>(points.size()),
                                               .outside = {texture_address_mode::border}});
            d.launch("kmeans_point_texture", grid, {block}, 0, texture, nearest, n, features, clusters);
        } else {
            d.launch("kmeans_point", grid, {block}, 0, points_device, nearest, n, features, clusters);
        }
    } else {
        auto const points_device = d.upload(points);
        auto const centres_device = d.upload(centres);
        nearest = d.allocate<std::int32_t>(n);
        d.launch("kmeans", grid, {block}, 0, points_device, centres_device, nearest, n, features, clusters);
    }
    check_equal(v, "nearest", d.download(nearest), expected);
}

constexpr paper_row rows[] = {{paper::owl, "KMN"},
                              {paper::elf, "KM", "invert_mapping", "invert_mapping"},
                              {paper::elf, "KM", "kmeansPoint", "kmeans_point_texture"}};

constexpr workload shipped[] = {
    {
        .name = "kmeans",
        .title = "assignment step of k-means",
        .origin = "kmeans (Rodinia)",
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
        .title = "both kernels of k-means: points turned from rows into columns, then assigned",
        .origin = "kmeans (Rodinia), both its kernels but for the texture",
        .input = "as for `kmeans`",
        .differs = "Points in global memory where Rodinia has a texture; centres in constant memory as "
                   "there. One step of assignment.",
        .ptx = kmeans_ptx,
        .ptx_name = "kmeans.ptx",
        .parameters = parameters,
        .run = run,
    },
    {
        .name = "kmeans_texture",
        .title = "both kernels of k-means, the turned points read through a texture",
        .origin = "kmeans (Rodinia), both its kernels",
        .rows = rows,
        .input = "as for `kmeans`",
        .differs = "One step of assignment.",
        .ptx = kmeans_ptx,
        .ptx_name = "kmeans.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::kmeans
