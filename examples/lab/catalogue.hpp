#pragma once
// The machines that the lab can run.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/sweep.hpp>

#include <string>
#include <vector>

namespace lab {

// Every preset under every scheduler and DRAM scheduler, with every replay queue: chosen[0], [1] and [2].
std::vector<warpkit::sweep_point> const& catalogue();

} // namespace lab
