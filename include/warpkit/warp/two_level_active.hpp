#pragma once

#include <warpkit/warp/active_pending.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Two-level scheduling with an active set of 8 warps, round-robin among them; only warps that wait for nothing long
/// are promoted (Gebhart et al., ISCA 2011; docs/model/warp_scheduling.md#active-set). Another size:
/// two_level_active_of<N>; any at run time: `two_level_active_of<run_time>{active_pending<run_time>{n}}`. What
/// GPGPU-Sim calls two_level_active is two_level_gpgpusim.
template <std::uint64_t Size>
using two_level_active_of = throttled<active_pending<Size>, lrr>;
using two_level_active = two_level_active_of<8>;
template <>
inline constexpr char const* common_name<two_level_active> = "two_level_active";
template <>
inline constexpr char const* common_name<two_level_active_of<run_time>> = "two_level_active";
static_assert(warp_scheduler<two_level_active> && narrows<two_level_active>);

} // namespace warpkit
