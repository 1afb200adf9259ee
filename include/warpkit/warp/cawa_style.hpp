#pragma once

#include <warpkit/warp/greedy_then.hpp>
#include <warpkit/warp/most_critical.hpp>

namespace warpkit {

/// Greedy, then the most critical warp: in the style of CAWA's scheduler (ISCA 2015;
/// docs/model/warp_scheduling.md#criticality). See most_critical.
using cawa_style = greedy_then<most_critical>;
template <>
inline constexpr char const* common_name<cawa_style> = "cawa_style";
static_assert(warp_order<cawa_style>);

} // namespace warpkit
