#pragma once
/// \file
/// The functions of host_program.hpp, with the PTX front end and the functional executor.

#include <warpkit/base/error.hpp>
#include <warpkit/config/host_program.hpp>
#include <warpkit/config/recorded_program.hpp>
#include <warpkit/config/timed_launch.hpp>
#include <warpkit/frontend/ptx/launched_module.hpp>
#include <warpkit/program/launch_addresses.hpp>

#include <memory>
#include <string>
#include <utility>

namespace warpkit {

namespace detail {
/// Runs a host program; each kernel that it launches is handed to `run(launch, request, its code's name, its
/// addresses)`. `module` has the program's PTX. What the program found wrong is told in `result`, a run's errors are
/// thrown.
template <class Result, class Run>
void run_host_program(host_program const& program, ptx::launched_module& module,
                      ptx::execution_limits const& limits, Result& result, Run&& run) {
    bool launching = false;
    device host_side([&](device_memory& memory, launch_request const& request) {
        launching = true;
        auto const& kernel = module.prepare(memory, request);
        ptx::executor executor(kernel.code, memory, request, limits);
        auto addresses =
            std::make_unique<launch_addresses>(kernel.slices, request.grid, request.block, request.arguments);
        auto launch = executor.launch();
        launch.addresses = &addresses->view();
        run(launch, request, kernel.code.name(), std::move(addresses));
        launching = false;
    });
    try {
        program.run(host_side);
        result.verified = true;
    } catch (error const& e) {
        if (launching) throw;
        result.wrong = e.what();
    }
}

/// Executes a host program and its kernels: record() of config/record.hpp.
inline recorded_program record_host_program(host_program const& program, run_progress_sink const& progress,
                                            ptx::execution_limits const& limits,
                                            store_options const& options) {
    stopwatch const watch;
    recorded_program recorded(options);
    /// What a launch refers to: the module's code, and its own addresses.
    struct parts {
        std::shared_ptr<ptx::launched_module> module;
        std::unique_ptr<launch_addresses> addresses;
    };
    recorded.order = limits.order;
    auto const module = std::make_shared<ptx::launched_module>(program.ptx, program.ptx_name, limits.order);
    run_host_program(program, *module, limits, recorded,
                     [&](kernel_launch const& launch, launch_request const& request,
                         std::string const& kernel, std::unique_ptr<launch_addresses> addresses) {
                         recorded.add(launch, request.kernel, kernel,
                                      std::make_shared<parts>(parts{module, std::move(addresses)}), progress,
                                      request.place);
                     });
    recorded.execute_seconds = watch.seconds() - recorded.storing_seconds;
    return recorded;
}
} // namespace detail

template <int Instance>
simulation_result program_runner<Instance>::simulate(engine const& machine, host_program const& program,
                                                     run_progress_sink const& progress,
                                                     ptx::execution_limits const& limits) {
    auto how = limits;
    if (machine.wants_scheduled_code()) how.order = ptx::code_order::scheduled;
    // Function comes first, launch by launch; so what may run at once is executed before any of it is timed.
    if (machine.kernels_at_once() > 1)
        return warpkit::simulate(machine, detail::record_host_program(program, progress, how, {}), progress);
    simulation_result result;
    ptx::launched_module module(program.ptx, program.ptx_name, how.order);
    detail::run_host_program(
        program, module, how, result,
        [&](kernel_launch const& launch, launch_request const& request, std::string const& kernel,
            std::unique_ptr<launch_addresses>) { // NOLINT: it lives until the launch has ended
            add_run(result, machine, {{launch, kernel, {request.place.stream, {}}}}, request.kernel,
                    progress);
        });
    return result;
}

} // namespace warpkit
