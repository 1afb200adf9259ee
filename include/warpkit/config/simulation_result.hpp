#pragma once
/// \file
/// What comes of running a program's launches on a machine.

#include <warpkit/config/engine.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/program/stream.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit {

/// Host time since it was made.
class stopwatch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A launch that tells how long its source takes. Stays where it is while it runs.
class timed_launch {
public:
    explicit timed_launch(kernel_launch const& inner) : inner_(inner) {}
    kernel_launch launch() {
        auto l = inner_;
        l.source = this;
        l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
            auto& t = *static_cast<timed_launch*>(self);
            stopwatch const watch;
            t.inner_.fill(t.inner_.source, cta, out);
            t.seconds_ += watch.seconds();
        };
        return l;
    }
    /// Host time in the source so far.
    double seconds() const noexcept { return seconds_; }

private:
    kernel_launch inner_;
    double seconds_ = 0;
};

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
    degree_report saw;   ///< what it decided that from
    cycle_estimate estimate = {}; ///< of its cycles; exact where nothing was left out
    cta_needs needs = {};         ///< of each of its CTAs, as its code says
    bool registers_estimated = false;
    std::vector<counted_interval> intervals = {}; ///< what each stretch of it counted, where that is kept
};

/// What came of a run.
struct simulation_result {
    run_counters total; ///< over all launches
    std::vector<launch_record> launches;
    cycle_estimate estimate =
        {};                ///< of all launches' cycles; where they were sampled, `total` is of what was timed
    bool verified = false; ///< the host program found the values that it expects
    std::string wrong;     ///< if not: what it said
    double seconds = 0;    ///< host time of all launches
    double function_seconds = 0; ///< the part of it in which CTAs were executed functionally, or read

    /// Runs one launch and adds what it counted and how long it took. `shown` is its name while it runs, `kernel` in
    /// its record.
    void run(engine const& machine, kernel_launch const& launch, std::string_view shown,
             std::string const& kernel, std::function<void(run_progress const&)> const& progress) {
        timed_launch function(launch);
        engine::progress_sink sink;
        if (progress) sink = [&](kernel_progress const& p) { progress({shown, launches.size(), p}); };
        stopwatch const watch;
        auto const counters = machine.run(function.launch(), sink);
        seconds += watch.seconds();
        function_seconds += function.seconds();
        total += counters;
        cycle_estimate e;
        e.cycles = static_cast<double>(counters.cycles);
        e.warp_instructions = counters.core.warp_instructions;
        if (auto const* const sampled = machine.estimate()) e = *sampled;
        estimate += e;
        auto const* const note = machine.dispatch_note();
        launches.push_back({kernel, launch.grid, launch.block, counters, note == nullptr ? "" : note,
                            machine.announced_degree(), machine.announced_report(), e, needs_of(launch),
                            launch.program->registers_estimated, machine.intervals()});
    }
};

} // namespace warpkit
