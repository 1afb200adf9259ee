#pragma once
/// \file
/// When a missing line gets its place.

#include <warpkit/cache/geometry.hpp>

#include <cstdint>

namespace warpkit {

/// At the miss: the way is reserved while the data is on its way, so a set can run out of ways (refusal
/// line_allocation, the associativity stall). GPGPU-Sim's 'm' (docs/model/cache.md#allocation).
struct on_miss {
    static constexpr char const* name() noexcept { return "on_miss"; }
    static constexpr bool reserves = true;
    friend bool operator==(on_miss const&, on_miss const&) = default;
};

/// When the data arrives: nothing is reserved and no access is refused for want of a way. GPGPU-Sim's 'f'.
struct on_fill {
    static constexpr char const* name() noexcept { return "on_fill"; }
    static constexpr bool reserves = false;
    friend bool operator==(on_fill const&, on_fill const&) = default;
};

/// When the data arrives, with an MSHR for each sector that the cache can hold and room in it for every warp: what may
/// be outstanding is bounded by the cache's size alone. GPGPU-Sim's 's', the L1 of Volta and later
/// (docs/model/cache.md#allocation). Numbers larger than these stay as they are.
struct streaming {
    static constexpr char const* name() noexcept { return "streaming"; }
    static constexpr bool reserves = false;
    static constexpr std::uint32_t warps = 64;

    /// The numbers of a cache that streams.
    static constexpr cache_parameters widened(cache_parameters p) noexcept {
        auto const sectors = p.geometry.bytes() / p.geometry.sector_bytes;
        auto const entries =
            static_cast<std::uint32_t>(sectors < most_mshr_entries ? sectors : most_mshr_entries);
        if (p.mshr_entries < entries) p.mshr_entries = entries;
        if (p.mshr_merges < warps) p.mshr_merges = warps;
        return p;
    }
    friend bool operator==(streaming const&, streaming const&) = default;
};

} // namespace warpkit
