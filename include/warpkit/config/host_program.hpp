#pragma once
/// \file
/// A host program with its PTX, and its run on an engine, without the front end that does it (simulate_program.hpp).

#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace warpkit {

/// A program for the device and the host program that uses it.
struct host_program {
    std::string_view ptx;
    std::string ptx_name; ///< for messages: file:line:column
    /// Fills memory, launches kernels and checks what they left behind; throws `error` on a wrong value.
    std::function<void(device&)> run;
};

/// A template of one instance, so that it can be instantiated explicitly; program_runner.hpp defines its function.
template <int Instance = 0>
struct program_runner {
    static simulation_result simulate(engine const& machine, host_program const& program,
                                      run_progress_sink const& progress, ptx::execution_limits const& limits);
};
#ifdef WARPKIT_COMPILED
extern template struct program_runner<0>;
#endif

/// Runs `program` on a machine. Throws `error` when the PTX is malformed, a kernel does not fit the machine, faults or
/// cannot finish, or a conservation law is broken; a wrong value found by the host program is told in the result.
inline simulation_result simulate(engine const& machine, host_program const& program,
                                  run_progress_sink const& progress = {},
                                  ptx::execution_limits const& limits = {}) {
    return program_runner<>::simulate(machine, program, progress, limits);
}

} // namespace warpkit
