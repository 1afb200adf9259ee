#pragma once
/// \file
/// Runs traces on a machine.

#include <warpkit/config/copy_effect.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/config/timed_launch.hpp>
#include <warpkit/frontend/accelsim/trace_program.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstdint>

namespace warpkit {

/// Gives a machine the instruction size of what it is to run: machines for PTX have one of their own. Two instructions
/// are fetched at a time, whatever their size, as in Accel-Sim.
inline void fit_to_code(gpu_parameters& numbers, accelsim::trace_program const& program) {
    auto& core = numbers.core;
    auto const bytes = program.instruction_bytes();
    if (bytes <= core.instruction_bytes) return;
    core.instruction_bytes = bytes;
    if (core.fetch_bytes < 2 * bytes) core.fetch_bytes = 2 * bytes;
}

namespace detail {
/// The commands of a list of traces: `copy(address, bytes)` to the device, and `run(kernel)`.
template <class Copy, class Run>
void run_trace_commands(accelsim::trace_program& program, copy_effect copies, Copy&& copy, Run&& run) {
    for (auto const& command : program.commands()) {
        if (command.is_copy) {
            auto const cut = copies == copy_effect::as_accel_sim ? 0xffffffff : ~std::uint64_t{0};
            if (copies != copy_effect::none) copy(command.address & cut, command.bytes);
        } else {
            run(program.kernel(command));
        }
    }
}
} // namespace detail

/// Runs the commands of a list of traces: kernels, and copies to the device. Throws `error` for
/// a trace that cannot be read, and as engine::run does. There are no values to verify.
inline simulation_result simulate(engine const& machine, accelsim::trace_program& program,
                                  run_progress_sink const& progress = {},
                                  copy_effect copies = copy_effect::as_accel_sim) {
    simulation_result result;
    detail::run_trace_commands(
        program, copies,
        [&](std::uint64_t address, std::uint64_t bytes) { machine.copied_from_host(address, bytes); },
        [&](accelsim::trace_kernel& kernel) {
            add_run(result, machine, kernel.launch(), kernel.program().name, kernel.program().name, progress);
        });
    result.verified = true;
    return result;
}

} // namespace warpkit
