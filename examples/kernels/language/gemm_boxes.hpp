#pragma once
/// \file
/// What the products of half-precision matrices share whose factors come in boxes (TMA): C = A B', in tiles of 128 x
/// 128.

#include "kernels/language/halves.hpp"
#include "kernels/tensor/half_matrices.hpp"

#include <cstddef>
#include <cstdint>

namespace warpkit::kernels::gemm_boxes {

/// The first product of a feed-forward layer of GPT-2 small: 2,048 tokens, 3,072 x 768.
inline constexpr parameter parameters[] = {
    {"m", "rows", "of A and C", 128, 2048, 128, 16384, parameter::rule::multiple_of_128},
    {"n", "columns", "of C, and rows of B", 256, 3072, 128, 16384, parameter::rule::multiple_of_128},
    {"k", "columns", "of A and B", 384, 768, 64, 16384, parameter::rule::multiple_of_64},
    seed,
};

/// By `kernel`, whose blocks have `threads` threads and a ring of `stages` stages, with two mbarriers each, beside
/// `more` bytes of shared memory; `further` are arguments behind k.
template <class... Further>
void run(device& d, values const& v, char const* kernel, std::uint32_t threads, std::uint32_t stages,
         std::uint32_t more, Further... further) {
    auto const m = v.u32("m");
    auto const n = v.u32("n");
    auto const k = v.u32("k");
    random_numbers random(v["seed"]);
    auto const a = half_matrices::random_eighths(random, std::size_t{m} * k);
    auto const b = half_matrices::random_eighths(random, std::size_t{n} * k);
    auto const c = d.allocate<float>(std::size_t{m} * n);
    auto const a_map = halves::map_of(d, half_matrices::upload_eighths(d, a), m, k, 128);
    auto const b_map = halves::map_of(d, half_matrices::upload_eighths(d, b), n, k, 128);
    auto const shared = stages * (2 * 128 * 64 * 2 + 2 * 8) + more;
    d.launch(kernel, {n / 128, m / 128}, {threads}, shared, a_map, b_map, c, n, k, further...);

    // All sums are exact in single precision, whatever the order.
    auto const found = d.download(c);
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t column = 0; column < n; ++column) {
            int sum = 0;
            for (std::size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[column * k + i];
            halves::check_number(v, "c", row * n + column, double{found[row * n + column]}, sum / 64.0, 0, 0);
        }
}

} // namespace warpkit::kernels::gemm_boxes
