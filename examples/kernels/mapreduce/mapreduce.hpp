#pragma once
/// \file
/// What the hosts of the MapReduce programs share.

#include "kernels/host.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace warpkit::kernels {

inline constexpr std::uint64_t no_key = ~std::uint64_t{0}; // sorts behind all others

/// Records of text, one behind the other: record i begins at first[i].
struct text_records {
    std::vector<std::uint8_t> text;
    std::vector<std::int32_t> first;
};

/// FNV-1a (Fowler, Noll, Vo) in 32 bits.
inline std::uint32_t hash_of(std::uint8_t const* begin, std::uint8_t const* end) {
    std::uint32_t h = 2166136261u;
    for (; begin != end; ++begin) h = (h ^ *begin) * 16777619u;
    return h;
}

/// Where each record's output begins: the sums of the sizes before it, and at the end of all.
inline std::vector<std::int32_t> begins(std::vector<std::int32_t> const& sizes) {
    std::vector<std::int32_t> first{0};
    for (auto const s : sizes) first.push_back(first.back() + s);
    return first;
}

/// As many elements as the bitonic sort sorts for `count`.
inline std::uint32_t sorted_size(std::size_t count) {
    return std::max(std::bit_ceil(static_cast<std::uint32_t>(count)), 32u);
}

/// Sorts keys on the device with bitonic_step; their number is a power of two.
inline void sort_on_device(device& d, device_array<std::uint64_t> keys, std::uint32_t block) {
    auto const n = static_cast<std::uint32_t>(keys.count);
    auto const threads = std::min(n, block);
    for (std::uint32_t run = 2; run <= n; run *= 2)
        for (auto distance = run / 2; distance > 0; distance /= 2)
            d.launch("bitonic_step", {n / threads}, {threads}, 0, keys, distance, run);
}

} // namespace warpkit::kernels
