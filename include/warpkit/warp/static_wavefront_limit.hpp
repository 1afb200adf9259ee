#pragma once

#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/oldest_n.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Static wavefront limiting: greedy-then-oldest among the N oldest warps of each scheduler (Rogers, O'Connor and
/// Aamodt, MICRO 2012; docs/model/warp_scheduling.md#static-limit). Best-SWL is the N with the fewest cycles for a
/// kernel, found by a sweep; for that, `static_wavefront_limit<>{oldest_n<>{n}}` takes N at run time.
template <std::uint64_t N = run_time>
using static_wavefront_limit = throttled<oldest_n<N>, gto>;
template <>
inline constexpr char const* common_name<static_wavefront_limit<run_time>> = "static_wavefront_limit";
/// One point of that sweep by name, for lists: 8 warps per scheduler.
using static_wavefront_limit_8 = static_wavefront_limit<8>;
template <>
inline constexpr char const* common_name<static_wavefront_limit_8> = "static_wavefront_limit_8";
static_assert(warp_scheduler<static_wavefront_limit<4>> && narrows<static_wavefront_limit<4>>);

} // namespace warpkit
