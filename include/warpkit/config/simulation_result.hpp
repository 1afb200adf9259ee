#pragma once
/// \file
/// What comes of running a program's launches on a machine.

#include <warpkit/config/engine.hpp>
#include <warpkit/gpu/counters.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/program/stream.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit {

/// What a run is at, for a progress bar.
struct run_progress {
    std::string_view kernel;
    std::uint64_t launches = 0; ///< finished so far
    kernel_progress in_kernel;
};
using run_progress_sink = std::function<void(run_progress const&)>;

/// One kernel launch of a run.
struct launch_record {
    std::string kernel;
    dim3 grid;
    dim3 block;
    run_counters counters;
    std::string note;    ///< what the choice of block has to say of it; empty for nothing
    unsigned degree = 0; ///< CTAs per core that the occupancy limit decided on for all cores; 0 for none
};

/// What came of a run.
struct simulation_result {
    run_counters total; ///< over all launches
    std::vector<launch_record> launches;
    bool verified = false;       ///< the host program found the values that it expects
    std::string wrong;           ///< if not: what it said
    double seconds = 0;          ///< host time of all launches
    double function_seconds = 0; ///< the part of it in which CTAs were executed functionally, or read

    /// Runs one launch and adds what it counted and how long it took. `shown` is its name while it runs, `kernel` in its
    /// record.
    void run(engine const& machine, kernel_launch const& launch, std::string_view shown,
             std::string const& kernel, std::function<void(run_progress const&)> const& progress) {
        using clock = std::chrono::steady_clock;
        auto const in_seconds = [](clock::duration d) { return std::chrono::duration<double>(d).count(); };
        struct timed {
            kernel_launch inner;
            clock::duration spent{};
        } function{launch, {}};
        auto outer = launch;
        outer.source = &function;
        outer.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            auto& t = *static_cast<timed*>(self);
            auto const start = clock::now();
            t.inner.fill(t.inner.source, cta, out);
            t.spent += clock::now() - start;
        };
        engine::progress_sink sink;
        if (progress) sink = [&](kernel_progress const& p) { progress({shown, launches.size(), p}); };
        auto const start = clock::now();
        auto const counters = machine.run(outer, sink);
        seconds += in_seconds(clock::now() - start);
        function_seconds += in_seconds(function.spent);
        total += counters;
        auto const* const note = machine.dispatch_note();
        launches.push_back({kernel, launch.grid, launch.block, counters, note == nullptr ? "" : note,
                            machine.announced_degree()});
    }
};

} // namespace warpkit
