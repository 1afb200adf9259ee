#pragma once
/// \file
/// The numbers of a cache, and the refusal of impossible ones.

#include <warpkit/base/error.hpp>
#include <warpkit/cache/way_set.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// The shape of a cache's tag array.
struct cache_geometry {
    std::uint32_t sets = 32;        ///< 1 to 2^24, need not be a power of two; 2^30 lines in all at most
    std::uint32_t ways = 4;         ///< 1 to 512
    std::uint32_t line_bytes = 128; ///< a power of two, 8 to 4096
    std::uint32_t sector_bytes =
        128; ///< a power of two, 8 to line_bytes; equal to it if unsectored; at most 16 a line

    constexpr std::uint64_t bytes() const noexcept { return std::uint64_t{sets} * ways * line_bytes; }
    constexpr std::uint32_t sectors_per_line() const noexcept { return line_bytes / sector_bytes; }
    constexpr bool sectored() const noexcept { return sector_bytes != line_bytes; }
    friend bool operator==(cache_geometry const&, cache_geometry const&) = default;
};

inline constexpr std::uint32_t most_mshr_entries = 16384;
inline constexpr std::uint32_t most_mshr_merges = 4096;

/// Which of several, for caches made of alternatives (alternatives.hpp); all others have no choice.
struct cache_choice {
    std::uint8_t index = 0;
    std::uint8_t replacement = 0;
    std::uint8_t allocation = 0;
    std::uint8_t write = 0; ///< 0: the first alternative's; number n: named_writes[n - 1]
    std::uint8_t write_miss =
        0; ///< 0: the first alternative's, as far as it goes with `write`; else 1 + a write_miss
    std::uint8_t perfect = 0; ///< 1: it is
    friend bool operator==(cache_choice const&, cache_choice const&) = default;
};

/// All run-time numbers of a cache.
struct cache_parameters {
    cache_geometry geometry{};
    std::uint32_t mshr_entries = 32; ///< outstanding sectors, 1 to 16384
    std::uint32_t mshr_merges = 8;   ///< accesses that can wait for one sector, the first included, 1 to 4096
    std::uint32_t miss_queue =
        8; ///< requests waiting for the next level; see miss_queue_minimum of the policy
    /// Percent: as long as fewer of the cache's lines have been stored to, those that have are not replaced
    /// (docs/model/cache.md#write-ratio; 25 in the L1 of GPGPU-Sim's Volta and later). 0 to 100.
    std::uint32_t write_ratio = 0;
    cache_choice choice{};
    friend bool operator==(cache_parameters const&, cache_parameters const&) = default;
};

namespace detail {

inline constexpr std::uint32_t nearest_power_of_two(std::uint32_t v) noexcept {
    if (v == 0) return 1;
    auto const below = std::bit_floor(v);
    return v - below <= 2 * below - v || below > 0x40000000U ? below : 2 * below;
}

[[noreturn]] inline void refuse_cache_number(char const* name, std::uint64_t value, char const* why,
                                             std::uint64_t nearest) {
    raise_error(error({"cache: ", name, " = ", value, " ", why, "; the nearest legal value is ", nearest}));
}

inline void check_cache_range(char const* name, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    if (value < low) refuse_cache_number(name, value, "is too small", low);
    if (value > high) refuse_cache_number(name, value, "is too large", high);
}

inline void check_cache_power(char const* name, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
    check_cache_range(name, value, low, high);
    if (!std::has_single_bit(value))
        refuse_cache_number(name, value, "is not a power of two", nearest_power_of_two(value));
}

} // namespace detail

/// Throws `error` naming the first impossible number and the nearest legal value.
inline void check(cache_geometry const& g) {
    detail::check_cache_range("sets", g.sets, 1, std::uint64_t{1} << 24);
    detail::check_cache_range("ways", g.ways, 1, most_ways);
    detail::check_cache_range("sets", g.sets, 1, (std::uint64_t{1} << 30) / g.ways);
    detail::check_cache_power("line_bytes", g.line_bytes, 8, 4096);
    detail::check_cache_power("sector_bytes", g.sector_bytes, 8, g.line_bytes);
    if (g.sectors_per_line() > 16)
        detail::refuse_cache_number("sector_bytes", g.sector_bytes, "makes more than 16 sectors a line",
                                    g.line_bytes / 16);
}

/// Likewise for all numbers but those that depend on the policies; the cache's constructor checks those as well.
[[gnu::cold]] inline void check(cache_parameters const& p) {
    check(p.geometry);
    detail::check_cache_range("mshr_entries", p.mshr_entries, 1, most_mshr_entries);
    detail::check_cache_range("mshr_merges", p.mshr_merges, 1, most_mshr_merges);
    detail::check_cache_range("miss_queue", p.miss_queue, 1, 65536);
    detail::check_cache_range("write_ratio", p.write_ratio, 0, 100);
}

} // namespace warpkit
