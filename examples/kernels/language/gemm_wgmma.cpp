#include "gemm_wgmma.ptx.hpp"
#include "kernels/language/halves.hpp"
#include "kernels/tensor/half_matrices.hpp"

namespace warpkit::kernels::gemm_wgmma {
namespace {

constexpr parameter parameters[] = {
    {"m", "rows", "of A and C", 128, 2048, 128, 16384, parameter::rule::multiple_of_128},
    {"n", "columns", "of C, and rows of B", 256, 3072, 128, 16384, parameter::rule::multiple_of_128},
    {"k", "columns", "of A and B", 384, 768, 64, 16384, parameter::rule::multiple_of_64},
    seed,
};

void run(device& d, values const& v) {
    auto const m = v.u32("m");
    auto const n = v.u32("n");
    auto const k = v.u32("k");
    random_numbers random(v["seed"]);
    auto const eighths = [&](std::size_t count) {
        return random.vector(count, [](random_numbers& r) { return static_cast<int>(r.below(17)) - 8; });
    };
    auto const a = eighths(std::size_t{m} * k);
    auto const b = eighths(std::size_t{n} * k);
    auto const map = [&](std::vector<int> const& of, std::uint32_t rows) {
        std::vector<halves::half> bits;
        for (auto const x : of) bits.push_back(half_matrices::half_of_eighths(x));
        return halves::map_of(d, d.upload(bits), rows, k, 128);
    };
    auto const c = d.allocate<float>(std::size_t{m} * n);
    auto const a_map = map(a, m);
    auto const b_map = map(b, n);
    // Four stages of two tiles of 128 x 64, with two mbarriers.
    constexpr std::uint32_t shared = 4 * (2 * 128 * 64 * 2 + 2 * 8);
    d.launch("gemm_wgmma", {n / 128, m / 128}, {384}, shared, a_map, b_map, c, n, k);

    // All sums are exact in single precision, whatever the order.
    auto const found = d.download(c);
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t column = 0; column < n; ++column) {
            int sum = 0;
            for (std::size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[column * k + i];
            halves::check_number(v, "c", row * n + column, double{found[row * n + column]}, sum / 64.0, 0, 0);
        }
}

constexpr workload shipped[] = {
    {
        .name = "gemm_wgmma",
        .title = "dense product of half-precision matrices by warpgroups (wgmma); a warpgroup of its own "
                 "fills a ring of four stages (TMA)",
        .origin = "CUTLASS 3 on Hopper, warp specialised; the first product of a feed-forward layer of GPT-2 "
                  "small: 2,048 tokens, 3,072 x 768",
        .input = "random multiples of 1/8 from -1 to 1",
        .differs = "Tiles are 128 x 128 x 64, in the order of rows; no cluster shares what is brought, and a "
                   "CTA makes one tile. Exact.",
        .ptx = gemm_wgmma_ptx,
        .ptx_name = "gemm_wgmma.ptx",
        .parameters = parameters,
        .run = run,
        .needs = {.bulk_copies = true, .group_products = true},
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gemm_wgmma
