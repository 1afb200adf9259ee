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
#include <warpkit/config/timed_launch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace warpkit {

/// Executes a host program and its kernels without any machine. Throws `error` when the PTX is malformed, a kernel
/// faults or never ends, and when the disk is full; a wrong value found by the host program is told in what it gives.
inline recorded_program record(host_program const& program, run_progress_sink const& progress = {},
                               ptx::execution_limits const& limits = {}, store_options const& options = {}) {
    stopwatch const watch;
    recorded_program recorded(options);
    /// What a launch refers to: the module's code, and its own addresses.
    struct parts {
        std::shared_ptr<ptx::launched_module> module;
        std::unique_ptr<launch_addresses> addresses;
    };
    auto const module = std::make_shared<ptx::launched_module>(program.ptx, program.ptx_name);
    detail::run_host_program(program, *module, limits, recorded,
                             [&](kernel_launch const& launch, launch_request const& request,
                                 std::string const& kernel, std::unique_ptr<launch_addresses> addresses) {
                                 recorded.add(launch, request.kernel, kernel,
                                              std::make_shared<parts>(parts{module, std::move(addresses)}),
                                              progress);
                             });
    recorded.execute_seconds = watch.seconds() - recorded.storing_seconds;
    return recorded;
}

/// Reads the traces of a program once, which must outlive what this gives: it has their code.
inline recorded_program record(accelsim::trace_program& program, run_progress_sink const& progress = {},
                               copy_effect copies = copy_effect::as_accel_sim,
                               store_options const& options = {}) {
    stopwatch const watch;
    recorded_program recorded(options);
    detail::run_trace_commands(
        program, copies,
        [&](std::uint64_t address, std::uint64_t bytes) { recorded.copied_from_host(address, bytes); },
        [&](accelsim::trace_kernel& kernel) {
            auto const& name = kernel.program().name;
            recorded.add(kernel.launch(), name, name, nullptr, progress);
        });
    recorded.verified = true;
    recorded.execute_seconds = watch.seconds() - recorded.storing_seconds;
    return recorded;
}

} // namespace warpkit
