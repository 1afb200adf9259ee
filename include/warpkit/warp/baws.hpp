#pragma once

#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/most_waiting_first.hpp>

namespace warpkit {

/// Barrier-aware warp scheduling (ICS 2016; docs/model/warp_scheduling.md#barriers): the CTA of which most warps wait
/// at a barrier goes first, within it greedy-then-oldest; so what has no barrier is scheduled as by gto. With
/// fetch::interleaved<baws> in the seat of the fetch order it is the whole of it.
using baws = most_waiting_first<gto>;
template <>
inline constexpr char const* common_name<baws> = "baws";
static_assert(warp_order<baws>);

} // namespace warpkit
