#pragma once
/// \file
/// Runs a host program with its PTX on a machine: the whole of warpkit in one call.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulate_program.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/machine/parameters.hpp>
#ifdef WARPKIT_COMPILED
#include <warpkit/config/compiled_presets.hpp>
#endif

namespace warpkit {

/// The same on a machine named by its type.
///
///     auto const result = simulate<presets::gtx480::with<use::warp_scheduler<lrr>>>(program);
template <class Machine>
simulation_result simulate(host_program const& program, gpu_parameters const& numbers = Machine::parameters(),
                           run_progress_sink const& progress = {}, ptx::execution_limits const& limits = {}) {
    return simulate(engine::of<Machine>(numbers), program, progress, limits);
}

} // namespace warpkit
