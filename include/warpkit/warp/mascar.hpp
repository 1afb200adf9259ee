#pragma once

#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/memory_first.hpp>
#include <warpkit/warp/memory_owner.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Mascar's scheduler: all warps alike, memory instructions first, until the way to memory is saturated; then only one
/// warp at a time may add to it (Sethia, Jamshidi and Mahlke, HPCA 2015;
/// docs/model/warp_scheduling.md#memory-ownership). See memory_owner for the readings. Its other half, cache access
/// re-execution, is a part of the load/store path.
template <std::uint64_t FreeMshrs, std::uint64_t FreeQueue>
using mascar_of = throttled<memory_owner<FreeMshrs, FreeQueue>, memory_first<lrr>>;
using mascar = mascar_of<8, 2>;
template <>
inline constexpr char const* common_name<mascar> = "mascar";
template <>
inline constexpr char const* common_name<mascar_of<run_time, run_time>> = "mascar";
static_assert(warp_scheduler<mascar> && asks_classes<mascar> && hears<mascar, memory_pressure>);

} // namespace warpkit
