#pragma once
/// \file
/// The lanes of a warp, as bits of masks.

#include <bit>
#include <cstdint>

namespace warpkit {

#ifndef WARPKIT_WARP_LANES
#define WARPKIT_WARP_LANES 32
#endif
/// Threads of a warp: 32, as in all machines of NVIDIA. For studies of wavefronts of 64 define WARPKIT_WARP_LANES as 64, in
/// all of a program's translation units alike: masks, address lists and the pipelines follow. Kernels then come from the
/// builder; PTX and Accel-Sim's traces are of warps of 32 by definition, and their front ends refuse any other.
inline constexpr unsigned lanes = WARPKIT_WARP_LANES;
static_assert(lanes == 32 || lanes == 64, "warpkit: WARPKIT_WARP_LANES, the threads of a warp, is 32 or 64");

namespace detail {
template <unsigned Lanes>
struct lane_mask_of {
    using type = std::uint32_t;
};
template <>
struct lane_mask_of<64> {
    using type = std::uint64_t;
};
} // namespace detail

/// Bit i is lane i.
using lane_mask = detail::lane_mask_of<lanes>::type;
inline constexpr lane_mask all_lanes = static_cast<lane_mask>(~lane_mask{0});
/// Most masks are full, and without the host's own instruction counting bits is a call.
constexpr unsigned count_lanes(lane_mask m) noexcept {
    return m == all_lanes ? lanes : static_cast<unsigned>(std::popcount(m));
}

} // namespace warpkit
