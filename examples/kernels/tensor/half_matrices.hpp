#pragma once
/// \file
/// What the products of half-precision matrices share: their input, of which all sums are exact in single precision,
/// whatever the order, and the check.

#include "kernels/host.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::kernels::half_matrices {

inline constexpr parameter parameters[] = {
    {"m", "rows", "of A and C", 128, 512, 64, 16384, parameter::rule::multiple_of_64},
    {"n", "columns", "of B and C", 128, 512, 64, 16384, parameter::rule::multiple_of_64},
    {"k", "columns", "of A, and rows of B", 128, 512, 64, 16384, parameter::rule::multiple_of_64},
    seed,
};

/// The bits of n / 8 as a half, for -8 <= n <= 8.
inline std::uint16_t half_of_eighths(int n) noexcept {
    auto const sign = static_cast<unsigned>(n < 0) << 15;
    auto const magnitude = static_cast<unsigned>(n < 0 ? -n : n);
    if (magnitude == 0) return 0;
    auto const top = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
    return static_cast<std::uint16_t>(sign | (12 + top) << 10 | (magnitude << (10 - top) & 0x3ff));
}

/// `count` whole numbers from -8 to 8, which stand for eighths.
inline std::vector<int> random_eighths(random_numbers& random, std::size_t count) {
    return random.vector(count, [](random_numbers& r) { return static_cast<int>(r.below(17)) - 8; });
}
/// Eighths, as halves in device memory.
inline device_array<std::uint16_t> upload_eighths(device& d, std::vector<int> const& eighths) {
    std::vector<std::uint16_t> bits;
    for (auto const x : eighths) bits.push_back(half_of_eighths(x));
    return d.upload(bits);
}

/// C = A B by `kernel`, whose blocks of 128 threads make 64 x 64 of C.
inline void run(device& d, values const& v, char const* kernel) {
    auto const m = v.u32("m");
    auto const n = v.u32("n");
    auto const k = v.u32("k");
    random_numbers random(v["seed"]);
    auto const a = random_eighths(random, std::size_t{m} * k);
    auto const b = random_eighths(random, std::size_t{k} * n);
    std::vector<int> sums(std::size_t{m} * n);
    for (std::size_t row = 0; row < m; ++row)
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t column = 0; column < n; ++column)
                sums[row * n + column] += a[row * k + i] * b[i * n + column];
    std::vector<float> expected(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) expected[i] = static_cast<float>(sums[i]) / 64;

    auto const a_device = upload_eighths(d, a);
    auto const b_device = upload_eighths(d, b);
    auto const c_device = d.allocate<float>(expected.size());
    d.launch(kernel, {n / 64, m / 64}, {128}, 0, a_device, b_device, c_device, n, k);
    check_equal(v, "c", d.download(c_device), expected);
}

} // namespace warpkit::kernels::half_matrices
