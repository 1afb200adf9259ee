#pragma once

#include <warpkit/warp/greedy_then.hpp>
#include <warpkit/warp/youngest.hpp>

namespace warpkit {

/// Greedy-then-youngest: the issue order of current NVIDIA cores (Huerta et al. 2025;
/// docs/model/warp_scheduling.md#greedy-then-youngest).
/// Differs from the paper: who is a candidate is the host's business. Compiler-guided (CGGTY) it is where the host
/// obeys control bits, as both engines do for kernels that have them, and on machines whose compiler gives them
/// (docs/model/issue.md#derived-control-bits), with their scoreboard for all others.
using gty = greedy_then<youngest>;
template <>
inline constexpr char const* common_name<gty> = "gty";
static_assert(warp_order<gty> && hears<gty, issued> && hears<gty, cta_launched>);

} // namespace warpkit
