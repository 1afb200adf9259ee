#pragma once
// The machines that a program can choose among by environment variables.

#include <warpkit/config/sweep.hpp>

#include <vector>

namespace warpkit::cuda {

// chosen[0] is the warp scheduler; chosen[1], where there is one, the DRAM scheduler. The first is the default.
std::vector<sweep_point> const& machines();

} // namespace warpkit::cuda
