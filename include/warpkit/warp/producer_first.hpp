#pragma once

#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/producers_first.hpp>

namespace warpkit {

/// Warps that only have data brought first, then greedy-then-oldest: in the manner of WASP (HPCA 2024;
/// docs/model/warp_scheduling.md#producers). See producers_first.
using producer_first = producers_first<gto>;
template <>
inline constexpr char const* common_name<producer_first> = "producer_first";
static_assert(warp_order<producer_first>);

} // namespace warpkit
