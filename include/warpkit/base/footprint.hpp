#pragma once
/// \file
/// Where a warp will touch memory, as far as that is known before it runs: the hierarchical encoding of the
/// locality-aware schedulers (docs/model/program_analysis.md#footprints). Whoever analyses programs makes it, the warp
/// scheduler reads it; neither knows the other.

#include <warpkit/base/standard.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// The parts of up to five arrays that one warp touches.
///
/// Each array is cut into at most 2^region_bits regions, each region into 16 sub-regions. A warp has the region of its
/// CTA, and of that region a mask of the sub-regions that it touches itself.
/// Source: locality-aware thesis 2016, section 3.4.1, with M <= 10 and N = 16; five arrays are what its cost of 6 + 10
/// bytes per warp has room for (docs/model/program_analysis.md#footprints).
struct warp_footprint {
    static constexpr unsigned arrays = 5;
    static constexpr unsigned region_bits = 10;
    static constexpr unsigned subregions = 16;

    std::uint16_t region[arrays]{}; ///< its CTA's region of each array, below 2^region_bits
    std::uint16_t
        touched[arrays]{}; ///< bit i: sub-region i of that region; 0: nothing of this array is known

    friend bool operator==(warp_footprint const&, warp_footprint const&) = default;
};

/// The inter-warp locality of two footprints: the sub-regions that both touch, over all arrays in which they have the
/// same region. At most 80.
/// Source: locality-aware thesis, section 3.4.2 (the text's "same bit 1" are common ones).
constexpr unsigned shared_subregions(warp_footprint const& a, warp_footprint const& b) noexcept {
    unsigned shared = 0;
    for (unsigned i = 0; i < warp_footprint::arrays; ++i)
        if (a.region[i] == b.region[i])
            shared +=
                static_cast<unsigned>(std::popcount(static_cast<unsigned>(a.touched[i] & b.touched[i])));
    return shared;
}

/// What a block dispatcher that knows footprints keeps for each waiting CTA, in bits: for each array a rectangle of
/// lines by start, width and height, a byte each.
/// Source: locality-aware thesis, section 5.4, its 15 bytes (docs/model/program_analysis.md#footprints).
inline constexpr unsigned block_range_bits = warp_footprint::arrays * 3 * 8;

} // namespace warpkit
