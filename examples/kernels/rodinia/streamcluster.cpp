#include "kernels/host.hpp"
#include "streamcluster.ptx.hpp"

namespace warpkit::kernels::streamcluster {
namespace {

constexpr parameter parameters[] = {
    {"points", "points", "to cluster", 2048, 65536, 1, 1u << 20},
    {"dimensions", "coordinates", "of each point", 32, 256, 1, 1024},
    {"centres", "points", "that are tried as centres, one launch each", 3, 3, 1, 256},
    {"block", "threads", "per CTA", 512, 512, 1, 1024},
    seed,
};

struct point {
    float weight;
    std::uint64_t coordinates;
    std::int64_t assigned;
    float cost;
    std::uint32_t unused;
};

void run(device& d, values const& v) {
    auto const n = v.u32("points");
    auto const dimensions = v.u32("dimensions");
    auto const tries = v.u32("centres");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const coordinates = random.units(std::size_t{n} * dimensions);
    auto const distance = [&](std::size_t i, std::size_t j) {
        float sum = 0;
        for (std::size_t k = 0; k < dimensions; ++k) {
            auto const difference = coordinates[k * n + i] - coordinates[k * n + j];
            sum = std::fma(difference, difference, sum);
        }
        return sum;
    };
    // At first all belong to the first point.
    std::vector<point> points(n);
    for (std::size_t i = 0; i < n; ++i) points[i] = {1, 0, 0, distance(i, 0), 0};
    std::vector<std::int32_t> centre_table(n);

    auto const coordinates_device = d.upload(coordinates);
    auto const points_device = d.upload(points);
    auto const table_device = d.upload(centre_table);
    auto const switches_device = d.allocate<std::uint8_t>(n);
    for (std::uint32_t centres = 1; centres <= tries; ++centres) {
        auto const stride = centres + 1;
        auto const candidate = static_cast<std::int64_t>(random.below(n));
        auto const savings_device = d.allocate<float>(std::size_t{n} * stride);
        d.write(points_device, points);
        d.write(table_device, centre_table);
        d.write(switches_device, std::vector<std::uint8_t>(n));
        d.launch("compute_cost", {ceil_div(n, block)}, {block}, 0, n, dimensions, candidate, points_device,
                 centres, stride, coordinates_device, savings_device, table_device, switches_device);

        std::vector<float> savings(std::size_t{n} * stride);
        std::vector<std::uint8_t> switches(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto& p = points[i];
            auto const cost = distance(i, static_cast<std::size_t>(candidate)) * p.weight;
            if (cost < p.cost) {
                switches[i] = 1;
                savings[i * stride + centres] += cost - p.cost;
                p.assigned = candidate;
                p.cost = cost;
            } else {
                auto const centre = centre_table[static_cast<std::size_t>(p.assigned)];
                savings[i * stride + static_cast<std::size_t>(centre)] += p.cost - cost;
            }
        }
        check_equal(v, "savings", d.download(savings_device), savings);
        check_equal(v, "switches", d.download(switches_device), switches);
        centre_table[static_cast<std::size_t>(candidate)] = static_cast<std::int32_t>(centres);
    }
}

constexpr paper_row rows[] = {{paper::owl, "SC"}};

constexpr workload shipped[] = {{
    .name = "streamcluster",
    .title = "what opening one more cluster centre would save, point by point",
    .origin = "streamcluster (Rodinia)",
    .rows = rows,
    .input = "points uniform in a cube",
    .differs =
        "Every candidate becomes a centre, and there are three; Rodinia tries many more and opens those that "
        "pay off, between its 10 and 20 centres. On OWL's 28 cores `points=131072` makes four waves of CTAs, "
        "two of "
        "them on a core, which are two groups.",
    .ptx = streamcluster_ptx,
    .ptx_name = "streamcluster.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::streamcluster
