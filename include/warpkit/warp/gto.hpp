#pragma once

#include <warpkit/warp/greedy_then.hpp>
#include <warpkit/warp/oldest.hpp>

namespace warpkit {

/// Greedy-then-oldest (Rogers, O'Connor and Aamodt, MICRO 2012; docs/model/warp_scheduling.md#greedy-then-oldest).
/// GPGPU-Sim starts with slot 0 as the greedy warp; so does this, since slot 0 of a scheduler is its oldest warp until
/// something has been issued.
using gto = greedy_then<oldest>;
template <>
inline constexpr char const* common_name<gto> = "gto";
static_assert(warp_order<gto> && hears<gto, issued> && hears<gto, cta_launched>);

} // namespace warpkit
