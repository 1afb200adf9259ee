#pragma once

#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lost_locality.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Cache-conscious wavefront scheduling: greedy-then-oldest, with loads denied to those who lost the least locality
/// (Rogers, O'Connor and Aamodt, MICRO 2012; SPEC 1.6). See lost_locality.
using ccws = throttled<lost_locality<>, gto>;
template <>
inline constexpr char const* common_name<ccws> = "ccws";
static_assert(warp_scheduler<ccws> && asks_classes<ccws> && hears<ccws, l1_evicted>);

} // namespace warpkit
