#pragma once
/// \file
/// Choices of block, kernel dispatches and occupancy limits by name (base/policy_text.hpp): `bcs:4`, `static_limit:3`,
/// `locality_aware_dispatch:window=32:tie=highest`, `dyncta:window=4096:pausing=0`.

#include <warpkit/base/policy_text.hpp>
#include <warpkit/config/seat_values.hpp>
#include <warpkit/cta/policies.hpp>

#include <string_view>
#include <vector>

namespace warpkit {

/// All choices of block that have a name, all kernel dispatches and all occupancy limits.
inline std::vector<named_policy> cta_choices() { return policies_of<any_cta_choice>(); }
inline std::vector<named_policy> kernel_dispatches() { return policies_of<any_kernel_dispatch>(); }
inline std::vector<named_policy> cluster_placements() { return policies_of<any_cluster_placement>(); }
inline std::vector<named_policy> occupancy_limits() { return policies_of<any_occupancy_limit>(); }

/// A choice of block by its name and parameters, for a machine of so many cores, 0 if that is not known yet. Throws
/// `error` with the nearest name, or with what is wrong.
inline any_cta_choice cta_choice_named(std::string_view text, unsigned = 0) {
    return policy_named<any_cta_choice>(text, "choice of block");
}
/// A kernel dispatch, likewise.
inline any_kernel_dispatch kernel_dispatch_named(std::string_view text) {
    return policy_named<any_kernel_dispatch>(text, "kernel dispatch");
}
/// A placement of clusters, likewise.
inline any_cluster_placement cluster_placement_named(std::string_view text) {
    return policy_named<any_cluster_placement>(text, "cluster placement");
}
/// An occupancy limit, likewise.
inline any_occupancy_limit occupancy_limit_named(std::string_view text, unsigned cores = 0) {
    auto const limit = policy_named<any_occupancy_limit>(text, "occupancy limit");
    detail::check_predictor(limit, cores);
    return limit;
}

} // namespace warpkit
