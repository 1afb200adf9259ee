#pragma once
// The machines that the lab can run.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/sweep.hpp>

#include <string>
#include <vector>

namespace lab {

// Every preset under every scheduler and DRAM scheduler; chosen[0] is the warp scheduler, chosen[1] the DRAM scheduler.
std::vector<warpkit::sweep_point> const& catalogue();

} // namespace lab
