#pragma once
/// \file
/// Runs a host program with its PTX on a machine: the whole of warpkit in one call.

#include <warpkit/base/error.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>
#include <warpkit/gpu/counters.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/gpu/parameters.hpp>
#include <warpkit/program/launch_addresses.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit {

/// A program for the device and the host program that uses it.
struct host_program {
    std::string_view ptx;
    std::string ptx_name; ///< for messages: file:line:column
    /// Fills memory, launches kernels and checks what they left behind; throws `error` on a wrong value.
    std::function<void(device&)> run;
};

/// One kernel launch of a run.
struct launch_record {
    std::string kernel;
    dim3 grid;
    dim3 block;
    run_counters counters;
};

/// What came of a run.
struct simulation_result {
    run_counters total; ///< over all launches
    std::vector<launch_record> launches;
    bool verified = false;       ///< the host program found the values that it expects
    std::string wrong;           ///< if not: what it said
    double seconds = 0;          ///< host time of all launches
    double function_seconds = 0; ///< the part of it in which CTAs were executed functionally
};

/// What a run is at, for a progress bar.
struct run_progress {
    std::string_view kernel;
    std::uint64_t launches = 0; ///< finished so far
    kernel_progress in_kernel;
};
using run_progress_sink = std::function<void(run_progress const&)>;

/// Runs `program` on a machine. Throws `error` when the PTX is malformed, a kernel does not fit the machine, faults or
/// cannot finish, or a conservation law is broken; a wrong value found by the host program is told in the result.
inline simulation_result simulate(engine const& machine, host_program const& program,
                                  run_progress_sink const& progress = {},
                                  ptx::execution_limits const& limits = {}) {
    using clock = std::chrono::steady_clock;
    auto const seconds = [](clock::duration d) { return std::chrono::duration<double>(d).count(); };

    simulation_result result;
    auto parsed = ptx::parse(program.ptx, program.ptx_name);
    std::unique_ptr<ptx::loaded_module> module;
    struct prepared_kernel {
        ptx::kernel code;
        address_slices slices;
    };
    std::map<std::string, prepared_kernel> kernels;
    bool launching = false;

    device host_side([&](device_memory& memory, launch_request const& request) {
        launching = true;
        if (!module) module = std::make_unique<ptx::loaded_module>(std::move(parsed), memory);
        module->write_variables(request.symbols);
        auto found = kernels.find(request.kernel);
        if (found == kernels.end()) {
            ptx::kernel code(*module, request.kernel);
            auto slices = ptx::slices_of(code);
            found =
                kernels.emplace(request.kernel, prepared_kernel{std::move(code), std::move(slices)}).first;
        }
        auto const& kernel = found->second;
        ptx::executor executor(kernel.code, memory, request, limits);
        launch_addresses const addresses(kernel.slices, request.grid, request.block, request.arguments);

        struct timed {
            kernel_launch inner;
            clock::duration spent{};
        } function{executor.launch(), {}};
        auto launch = function.inner;
        launch.addresses = &addresses.view();
        launch.source = &function;
        launch.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            auto& t = *static_cast<timed*>(self);
            auto const start = clock::now();
            t.inner.fill(t.inner.source, cta, out);
            t.spent += clock::now() - start;
        };
        engine::progress_sink sink;
        if (progress)
            sink = [&](kernel_progress const& p) { progress({request.kernel, result.launches.size(), p}); };
        auto const start = clock::now();
        auto const counters = machine.run(launch, sink);
        result.seconds += seconds(clock::now() - start);
        result.function_seconds += seconds(function.spent);
        result.total += counters;
        result.launches.push_back({kernel.code.name(), request.grid, request.block, counters});
        launching = false;
    });

    try {
        program.run(host_side);
        result.verified = true;
    } catch (error const& e) {
        if (launching) throw;
        result.wrong = e.what();
    }
    return result;
}

/// The same on a machine named by its type.
///
///     auto const result = simulate<presets::gtx480::with<use::warp_scheduler<lrr>>>(program);
template <class Machine>
simulation_result simulate(host_program const& program, gpu_parameters const& numbers = Machine::parameters(),
                           run_progress_sink const& progress = {}, ptx::execution_limits const& limits = {}) {
    return simulate(engine::of<Machine>(numbers), program, progress, limits);
}

} // namespace warpkit
