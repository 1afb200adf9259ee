#include "histogram_merged.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>

namespace warpkit::kernels::histogram_merged {
namespace {

constexpr parameter parameters[] = {
    {"bytes", "bytes", "to count", 65536, 8u << 20, 16, 1u << 28, parameter::rule::multiple_of_16},
    {"ctas", "CTAs", "that count 256 bins", 60, 240, 1, 1u << 16},
    {"runs", "runs", "of both histograms", 1, 2, 1, 1000},
    seed,
};

constexpr std::uint32_t per_load = 16;               // bytes
constexpr std::uint32_t most_loads = 255 / per_load; // of a thread whose counters are bytes

void run(device& d, values const& v) {
    auto const bytes = v.u32("bytes");
    auto const ctas_256 = v.u32("ctas");
    random_numbers random(v["seed"]);
    auto const data =
        random.vector(bytes, [](random_numbers& r) { return static_cast<std::uint8_t>(r.below(256)); });
    std::vector<std::uint32_t> expected_64(64), expected_256(256);
    for (auto const x : data) {
        ++expected_64[x / 4];
        ++expected_256[x];
    }

    auto const ctas_64 = ceil_div(bytes / per_load, 64 * most_loads);
    auto const data_device = d.upload(data);
    auto const partial_64 = d.allocate<std::uint32_t>(std::size_t{ctas_64} * 64);
    auto const partial_256 = d.allocate<std::uint32_t>(std::size_t{ctas_256} * 256);
    auto const found_64 = d.allocate<std::uint32_t>(64);
    auto const found_256 = d.allocate<std::uint32_t>(256);
    for (auto left = v["runs"]; left > 0; --left) {
        d.launch("histogram_64", {ctas_64}, {64}, 0, data_device, partial_64, bytes / per_load);
        d.launch("histogram_64_merge", {64}, {256}, 0, partial_64, found_64, ctas_64);
    }
    for (auto left = v["runs"]; left > 0; --left) {
        d.launch("histogram_256", {ctas_256}, {192}, 0, data_device, partial_256, bytes / 4);
        d.launch("histogram_256_merge", {256}, {256}, 0, partial_256, found_256, ctas_256);
    }
    check_equal(v, "64 bins", d.download(found_64), expected_64);
    check_equal(v, "256 bins", d.download(found_256), expected_256);
}

constexpr paper_row rows[] = {{paper::precomputation, "HIS"}};

constexpr workload shipped[] = {{
    .name = "histogram_merged",
    .title = "histograms of 64 and of 256 bins: partial ones in shared memory, then merged",
    .origin = "histogram, all its kernels (CUDA SDK)",
    .rows = rows,
    .input = "uniform random bytes",
    .differs = "The full size is an eighth of the sample's 64 MiB, two runs of both histograms. The thesis "
               "on address "
               "pre-computation ran 8 launches of 9,860 CTAs in all: `bytes=67108864`.",
    .ptx = histogram_merged_ptx,
    .ptx_name = "histogram_merged.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::histogram_merged
