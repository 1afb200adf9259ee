#pragma once
/// \file
/// Time. A cycle counts the edges of one clock; a tick is the unit that all clocks of a machine share.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// A number of clock edges of one domain (core, interconnect, L2 or DRAM), counted from the start of the simulation.
using cycle = std::uint64_t;

/// A number of the machine's smallest common time unit; every clock period is a whole number of ticks.
using tick = std::uint64_t;

/// "Never": later than every cycle and every tick.
inline constexpr std::uint64_t never = ~std::uint64_t{0};

} // namespace warpkit
