#pragma once
/// \file
/// Executes programs once, for many machines.
///
///     auto const program = record(host_program{...});
///     for (auto const& point : sweep_of_machines) auto const result = simulate(point.make(numbers), program);

#include <warpkit/config/program_runner.hpp>
#include <warpkit/config/recorded_program.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/config/simulate_trace.hpp>

namespace warpkit {

/// Executes a host program and its kernels without any machine. Throws `error` when the PTX is malformed, a kernel
/// faults or never ends, and when the disk is full; a wrong value found by the host program is told in what it gives.
inline recorded_program record(host_program const& program, run_progress_sink const& progress = {},
                               ptx::execution_limits const& limits = {}, store_options const& options = {}) {
    return detail::record_host_program(program, progress, limits, options);
}

/// Reads the traces of a program once, which must outlive what this gives: it has their code.
inline recorded_program record(accelsim::trace_program& program, run_progress_sink const& progress = {},
                               copy_effect copies = copy_effect::as_accel_sim,
                               store_options const& options = {}) {
    return detail::record_traces(program, progress, copies, options);
}

} // namespace warpkit
