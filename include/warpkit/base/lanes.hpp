#pragma once
/// \file
/// The lanes of a warp, as bits of masks.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

#ifndef WARPKIT_WARP_LANES
#define WARPKIT_WARP_LANES 32
#endif
/// Threads of a warp: 32, as in all machines of NVIDIA. For studies of wavefronts of 64 define WARPKIT_WARP_LANES as
/// 64, in all of a program's translation units alike: masks, address lists and the pipelines follow. Kernels then come
/// from the builder; PTX and Accel-Sim's traces are of warps of 32 by definition: their front ends refuse any other.
inline constexpr unsigned lanes = WARPKIT_WARP_LANES;
static_assert(lanes == 32 || lanes == 64, "warpkit: WARPKIT_WARP_LANES, the threads of a warp, is 32 or 64");

/// Bit i is lane i.
#if WARPKIT_WARP_LANES == 64
using lane_mask = std::uint64_t;
#else
using lane_mask = std::uint32_t;
#endif
inline constexpr lane_mask all_lanes = static_cast<lane_mask>(~lane_mask{0});

} // namespace warpkit
