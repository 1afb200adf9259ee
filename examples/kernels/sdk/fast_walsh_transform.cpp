#include "fast_walsh_transform.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::fast_walsh_transform {
namespace {

constexpr parameter parameters[] = {
    {"log2n", "", "the transform has 2 to this power elements", 15, 22, 8, 26},
    seed,
};

constexpr std::uint32_t most_in_shared = 11; // log2 of the elements of a CTA

void run(device& d, values const& v) {
    auto log2n = v.u32("log2n");
    auto const n = std::uint32_t{1} << log2n;
    random_numbers random(v["seed"]);
    // Small whole numbers, so that no sum is rounded, whatever the order.
    auto const in = random.vector(n, [](random_numbers& r) { return static_cast<float>(r.below(8)); });
    auto expected = in;
    for (std::size_t span = 1; span < n; span *= 2)
        for (std::size_t i = 0; i < n; ++i)
            if ((i & span) == 0) {
                auto const a = expected[i];
                auto const b = expected[i + span];
                expected[i] = a + b;
                expected[i + span] = a - b;
            }

    auto const data = d.upload(in);
    for (; log2n > most_in_shared; log2n -= 2)
        d.launch("walsh_global", {n / 4 / 256}, {256}, 0, data, 1u << (log2n - 2));
    auto const in_shared = 1u << log2n;
    d.launch("walsh_shared", {n / in_shared}, {in_shared / 4}, 4 * in_shared, data, log2n);
    check_equal(v, "data", d.download(data), expected);
}

constexpr paper_row rows[] = {{paper::owl, "FWT"}};

constexpr workload shipped[] = {
    {
        .name = "fast_walsh_transform",
        .title = "Walsh-Hadamard transform, radix 4 in global, then in shared memory",
        .origin = "fastWalshTransform (CUDA SDK)",
        .rows = rows,
        .input = "whole numbers below 8, so that no sum is rounded",
        .differs = "One transform; the sample makes three, and a product of two of them, for a "
                   "convolution. The full size is half the sample's 2^23 elements.",
        .ptx = fast_walsh_transform_ptx,
        .ptx_name = "fast_walsh_transform.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::fast_walsh_transform
