#include "kernels/host.hpp"
#include "sgemm_tiled.ptx.hpp"

namespace warpkit::kernels::sgemm_tiled {
namespace {

constexpr parameter parameters[] = {
    {"m", "rows", "of A and C", 128, 512, 16, 4096, parameter::rule::multiple_of_16},
    {"n", "columns", "of B and C", 128, 512, 16, 4096, parameter::rule::multiple_of_16},
    {"k", "columns", "of A, and rows of B", 64, 512, 16, 4096, parameter::rule::multiple_of_16},
    seed,
};

void run(device& d, values const& v) {
    auto const m = v.u32("m");
    auto const n = v.u32("n");
    auto const k = v.u32("k");
    random_numbers random(v["seed"]);
    auto const a = random.units(std::size_t{m} * k);
    auto const b = random.units(std::size_t{k} * n);
    std::vector<float> expected(std::size_t{m} * n);
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t column = 0; column < n; ++column) {
                auto& sum = expected[row * n + column];
                sum = std::fma(a[row * k + i], b[i * n + column], sum);
            }

    auto const a_device = d.upload(a);
    auto const b_device = d.upload(b);
    auto const c_device = d.allocate<float>(expected.size());
    d.launch("sgemm_tiled", {n / 16, m / 16}, {16, 16}, 0, a_device, b_device, c_device, n, k);
    check_equal(v, "c", d.download(c_device), expected);
}

constexpr workload shipped[] = {
    {
        .name = "sgemm_tiled",
        .title = "dense matrix product through tiles in shared memory",
        .origin = "matrixMul (CUDA SDK); gemm of PolyBench by its size",
        .input = "random floats below 1",
        .differs = "Sizes must be multiples of 16. PolyBench's gemm has no tiles; Parboil's is sgemm.",
        .ptx = sgemm_tiled_ptx,
        .ptx_name = "sgemm_tiled.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::sgemm_tiled
