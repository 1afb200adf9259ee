#pragma once

#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/loop_footprint.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Greedy-then-oldest, with loads in loops denied to those whose footprints do not fit: in the style of DAWS (MICRO
/// 2013; docs/model/warp_scheduling.md#loop-footprints). See loop_footprint.
template <auto Numbers>
using daws_style_of = throttled<loop_footprint<Numbers>, gto>;
using daws_style = daws_style_of<loop_footprint_numbers{}>;
template <>
inline constexpr char const* common_name<daws_style> = "daws_style";
template <>
inline constexpr char const* common_name<daws_style_of<run_time>> = "daws_style";
static_assert(warp_scheduler<daws_style> && asks_classes<daws_style>);

} // namespace warpkit
