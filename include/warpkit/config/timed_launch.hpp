#pragma once
/// \file
/// Launches that are timed on the host, and what is written down of each.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/program/stream.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

/// Runs one launch, and adds what it counted and how long it took. `shown` is its name while it runs, `kernel` in its
/// record.
inline void add_run(simulation_result& to, engine const& machine, kernel_launch const& launch,
                    std::string_view shown, std::string const& kernel, run_progress_sink const& progress) {
    timed_launch function(launch);
    engine::progress_sink sink;
    if (progress) sink = [&](kernel_progress const& p) { progress({shown, to.launches.size(), p}); };
    stopwatch const watch;
    auto const counters = machine.run(function.launch(), sink);
    to.seconds += watch.seconds();
    to.function_seconds += function.seconds();
    to.total += counters;
    cycle_estimate e;
    e.cycles = static_cast<double>(counters.cycles);
    e.warp_instructions = counters.core.warp_instructions;
    if (auto const* const sampled = machine.estimate()) e = *sampled;
    to.estimate += e;
    auto const* const note = machine.dispatch_note();
    to.launches.push_back({kernel, launch.grid, launch.block, counters, note == nullptr ? "" : note,
                           machine.announced_degree(), machine.announced_report(), e, needs_of(launch),
                           launch.program->registers_estimated, machine.intervals()});
}

} // namespace warpkit
