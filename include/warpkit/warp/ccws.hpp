#pragma once

#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lost_locality.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Cache-conscious wavefront scheduling: greedy-then-oldest, with loads denied to those who lost the least locality
/// (Rogers, O'Connor and Aamodt, MICRO 2012; docs/model/warp_scheduling.md#lost-locality). See lost_locality.
template <auto Numbers>
using ccws_of = throttled<lost_locality<Numbers>, gto>;
using ccws = ccws_of<lost_locality_numbers{}>;
template <>
inline constexpr char const* common_name<ccws> = "ccws";
template <>
inline constexpr char const* common_name<ccws_of<run_time>> = "ccws";
static_assert(warp_scheduler<ccws> && asks_classes<ccws> && hears<ccws, l1_evicted>);

} // namespace warpkit
