#pragma once

#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/memory_first.hpp>
#include <warpkit/warp/memory_owner.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Mascar's scheduler: all warps alike, memory instructions first, until the way to memory is saturated; then only one
/// warp at a time may add to it (Sethia, Jamshidi and Mahlke, HPCA 2015; SPEC 1.9). See memory_owner for the readings.
/// Its other half, cache access re-execution, is a part of the load/store path.
using mascar = throttled<memory_owner<>, memory_first<lrr>>;
template <>
inline constexpr char const* common_name<mascar> = "mascar";
static_assert(warp_scheduler<mascar> && asks_classes<mascar> && hears<mascar, memory_pressure>);

} // namespace warpkit
