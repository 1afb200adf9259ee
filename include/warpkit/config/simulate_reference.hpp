#pragma once
/// \file
/// Runs a host program on the reference pipeline (reference/gpu.hpp), which gives the same counters as the fast engine
/// does.

#include <warpkit/config/check.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulate_program.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/reference/gpu.hpp>

#include <memory>

namespace warpkit {

/// Says that the reference pipeline is wanted.
struct on_reference_tag {};
inline constexpr on_reference_tag on_reference;

/// The reference GPU of `Machine` with these numbers, which are checked, and these instances of its policies.
template <class Machine>
engine reference_engine(gpu_parameters const& numbers,
                        policy_values<typename Machine::policies> const& values = {}) {
    check(numbers);
    return engine::on(std::make_shared<reference::gpu<typename Machine::policies>>(numbers, values));
}

/// As simulate() does on the fast engine:
///
///     auto const result = simulate<presets::gtx480::with<use::warp_scheduler<my_policy>>>(program, on_reference);
template <class Machine>
simulation_result simulate(host_program const& program, on_reference_tag,
                           gpu_parameters const& numbers = Machine::parameters(),
                           run_progress_sink const& progress = {}, ptx::execution_limits const& limits = {}) {
    return simulate(reference_engine<Machine>(numbers), program, progress, limits);
}

} // namespace warpkit
