#pragma once

#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/leaders_first.hpp>

namespace warpkit {

/// One warp of four runs ahead, as far as the memory has room, then greedy-then-oldest: in the manner of WaSP (arXiv
/// 2404.06156; docs/model/warp_scheduling.md#leaders). See leaders_first.
template <std::uint64_t Every, std::uint64_t FreeMshrs>
using leader_first_of = leaders_first<gto, Every, FreeMshrs>;
using leader_first = leader_first_of<4, 8>;
template <>
inline constexpr char const* common_name<leader_first> = "leader_first";
template <>
inline constexpr char const* common_name<leader_first_of<run_time, run_time>> = "leader_first";
static_assert(warp_order<leader_first> && hears<leader_first, memory_pressure>);

} // namespace warpkit
