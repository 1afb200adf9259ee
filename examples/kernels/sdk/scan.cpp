#include "kernels/host.hpp"
#include "scan.ptx.hpp"
#include "scan_host.hpp"

namespace warpkit::kernels::scan {
namespace {

constexpr parameter parameters[] = {
    {"n", "elements", "to sum up", 16384, 1000000, 1, 1u << 26},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("n");
    random_numbers random(v["seed"]);
    auto const in = random.vector(n, [](random_numbers& r) { return r.below(1u << 16); });
    std::vector<std::uint32_t> expected(n);
    for (std::size_t i = 1; i < n; ++i) expected[i] = expected[i - 1] + in[i - 1];

    auto const out = d.allocate<std::uint32_t>(n);
    launch_scan(d, d.upload(in), out);
    check_equal(v, "out", d.download(out), expected);
}

constexpr paper_row rows[] = {{paper::owl, "SLA"}};

constexpr workload shipped[] = {
    {
        .name = "scan",
        .title = "exclusive prefix sums, a tree in shared memory per 512 elements",
        .origin = "scanLargeArray (CUDA SDK)",
        .rows = rows,
        .input = "whole numbers below 65536",
        .differs = "Unsigned integers, not floats, so that no sum is rounded. The full size is the "
                   "sample's million elements.",
        .ptx = scan_ptx,
        .ptx_name = "scan.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::scan
