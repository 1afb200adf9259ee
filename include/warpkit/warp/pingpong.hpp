#pragma once

#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/products_in_turn.hpp>
#include <warpkit/warp/throttled.hpp>

namespace warpkit {

/// Loose round-robin, and warpgroups have the tensor cores in turn: the ping-pong of FlashAttention-3, made by the
/// scheduler (docs/model/warp_scheduling.md#products). See products_in_turn.
using pingpong = throttled<products_in_turn, lrr>;
template <>
inline constexpr char const* common_name<pingpong> = "pingpong";
static_assert(warp_scheduler<pingpong>);

} // namespace warpkit
