// The machines of the lab, for programs built within warpkit's own tree.
#include "machines.hpp"

#include <catalogue.hpp>

namespace warpkit::cuda {

std::vector<sweep_point> const& machines() { return lab::catalogue(); }

} // namespace warpkit::cuda
