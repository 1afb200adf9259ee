#pragma once
// `lab cost`: what policies would cost in hardware.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/policy_name.hpp>

#include <string>
#include <vector>

namespace lab {

// One policy and its structures in one core.
struct policy_cost {
    std::string name;
    warpkit::hardware_cost_list structures;
};

// What these policies cost in a core of this shape.
template <class... Policy>
std::vector<policy_cost> costs_of(warpkit::core_shape const& shape) {
    return {{warpkit::common_name<Policy>, warpkit::hardware_cost_of<Policy>(shape)}...};
}

// All warp schedulers of the lab; made by CMake from scheduler_costs.cpp.in.
std::vector<policy_cost> scheduler_costs(warpkit::core_shape const& shape);

} // namespace lab
