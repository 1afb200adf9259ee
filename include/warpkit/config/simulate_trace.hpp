#pragma once
/// \file
/// Runs traces on a machine.

#include <warpkit/config/copy_effect.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/config/recorded_program.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/config/timed_launch.hpp>
#include <warpkit/frontend/accelsim/trace_program.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/stream_order.hpp>

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

/// Reads the traces of a program once: record() of config/record.hpp.
inline recorded_program record_traces(accelsim::trace_program& program, run_progress_sink const& progress,
                                      copy_effect copies, store_options const& options) {
    stopwatch const watch;
    recorded_program recorded(options);
    stream_order order;
    stream_numbers streams;
    run_trace_commands(
        program, copies,
        [&](std::uint64_t address, std::uint64_t bytes) {
            recorded.copied_from_host(address, bytes);
            order.host_copies();
        },
        [&](accelsim::trace_kernel& kernel) {
            auto const& name = kernel.program().name;
            auto const stream = streams.of(kernel.header().stream);
            recorded.add(kernel.launch(), name, name, nullptr, progress, {stream, order.launch(stream)});
        });
    recorded.verified = true;
    recorded.execute_seconds = watch.seconds() - recorded.storing_seconds;
    return recorded;
}
} // namespace detail

/// Runs the commands of a list of traces: kernels, and copies to the device. Throws `error` for
/// a trace that cannot be read, and as engine::run does. There are no values to verify.
inline simulation_result simulate(engine const& machine, accelsim::trace_program& program,
                                  run_progress_sink const& progress = {},
                                  copy_effect copies = copy_effect::as_accel_sim) {
    if (machine.kernels_at_once() > 1)
        return simulate(machine, detail::record_traces(program, progress, copies, {}), progress);
    simulation_result result;
    stream_numbers streams;
    detail::run_trace_commands(
        program, copies,
        [&](std::uint64_t address, std::uint64_t bytes) { machine.copied_from_host(address, bytes); },
        [&](accelsim::trace_kernel& kernel) {
            auto const& name = kernel.program().name;
            add_run(result, machine, {{kernel.launch(), name, {streams.of(kernel.header().stream), {}}}},
                    name, progress);
        });
    result.verified = true;
    return result;
}

} // namespace warpkit
