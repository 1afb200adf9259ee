#include "histogram.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>

namespace warpkit::kernels::histogram {
namespace {

constexpr parameter parameters[] = {
    {"n", "elements", "to count", 131072, 1035840, 1, 1u << 26},
    {"bins", "bins", "of the histogram", 256, 256, 1, 4096},
    {"ctas", "CTAs", "in the grid", 60, 240, 1, 1u << 16},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("n");
    auto const bins = v.u32("bins");
    random_numbers random(v["seed"]);
    // Low bins are likelier, so that lanes meet in one bin.
    auto const data =
        random.vector(n, [bins](random_numbers& r) { return std::min(r.below(bins), r.below(bins)); });
    std::vector<std::uint32_t> expected(bins);
    for (auto const x : data) ++expected[x];

    auto const data_device = d.upload(data);
    auto const bins_device = d.allocate<std::uint32_t>(bins);
    d.launch("histogram", {v.u32("ctas")}, {v.u32("block")}, bins * 4, data_device, bins_device, n, bins);
    check_equal(v, "bins", d.download(bins_device), expected);
}

constexpr workload shipped[] = {
    {
        .name = "histogram",
        .title = "histogram with atomics in shared and in global memory",
        .origin = "histogram (CUDA SDK)",
        .input = "random bins, low ones likelier, so that lanes collide",
        .differs = "One counter array per CTA; the sample has one per warp. The full size is that of "
                   "Parboil's histo.",
        .ptx = histogram_ptx,
        .ptx_name = "histogram.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::histogram
