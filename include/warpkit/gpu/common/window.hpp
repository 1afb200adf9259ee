#pragma once
/// \file
/// A stretch of simulated time in which no component hears of what another does in it (docs/model/time.md#windows).
///
/// The reference has no windows but those of its dispatcher: it ticks every cycle.

#include <warpkit/base/cycle.hpp>

namespace warpkit {

/// From tick `begin` to before tick `end`.
struct window {
    tick begin = 0;
    tick end = 0;
    cycle last = 0; ///< the first core cycle behind it
};

} // namespace warpkit
