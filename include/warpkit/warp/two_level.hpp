#pragma once

#include <warpkit/warp/by_slot.hpp>
#include <warpkit/warp/grouped.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/rotate_when_blocked.hpp>

namespace warpkit {

/// Two-level scheduling with fetch groups of 8 warps, round-robin inside each (Narasiman et al., MICRO 2011;
/// docs/model/warp_scheduling.md#fetch-groups).
/// Differs from the paper: see rotate_when_blocked. Narasiman's own idle slots:
/// grouped<by_slot<8>, rotate_when_blocked_only, lrr>; the CCWS authors' model: two_level_any_stall. Groups of
/// another size: two_level_of<N>, or with run_time one that is set by name.
template <std::uint64_t Size>
using two_level_of = grouped<by_slot<Size>, rotate_when_blocked, lrr>;
using two_level = two_level_of<8>;
template <>
inline constexpr char const* common_name<two_level> = "two_level";
template <>
inline constexpr char const* common_name<two_level_of<run_time>> = "two_level";
/// The same with the front group moving on any stall, as the CCWS authors' code has it
/// (docs/model/warp_scheduling.md#fetch-groups).
template <std::uint64_t Size>
using two_level_any_stall_of = grouped<by_slot<Size>, rotate_on_any_stall, lrr>;
using two_level_any_stall = two_level_any_stall_of<8>;
template <>
inline constexpr char const* common_name<two_level_any_stall> = "two_level_any_stall";
template <>
inline constexpr char const* common_name<two_level_any_stall_of<run_time>> = "two_level_any_stall";
static_assert(warp_order<two_level> && hears<two_level, blocked> && hears<two_level, issued>);

} // namespace warpkit
