#pragma once
/// \file
/// Launches that are timed on the host, and what is written down of each.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/program/stream_order.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
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

/// A launch to be run, and what is written down of it.
struct named_launch {
    kernel_launch launch;
    std::string kernel;
    launch_place place = {}; ///< `after`: those of its group
};

/// Runs launches, at once where their order lets them, and adds what they counted and how long it took. `shown` is what
/// they are called while they run.
inline void add_run(simulation_result& to, engine const& machine, std::vector<named_launch> const& launches,
                    std::string_view shown, run_progress_sink const& progress) {
    std::deque<timed_launch> timed;
    launch_group group;
    for (auto const& l : launches) {
        timed.emplace_back(l.launch);
        group.push_back({timed.back().launch(), l.place.after});
    }
    engine::progress_sink sink;
    if (progress) sink = [&](kernel_progress const& p) { progress({shown, to.launches.size(), p}); };
    stopwatch const watch;
    auto const counters = machine.run(group, sink);
    to.seconds += watch.seconds();
    for (auto const& t : timed) to.function_seconds += t.seconds();
    cycle_estimate e;
    e.cycles = static_cast<double>(counters.cycles);
    e.warp_instructions = counters.core.warp_instructions;
    if (auto const* const sampled = machine.estimate()) e = *sampled;
    to.estimate += e;
    auto const& spans = machine.spans();
    for (std::size_t k = 0; k < launches.size(); ++k) {
        kernel_record r{launches[k].kernel, launches[k].place.stream, to.launches.size(), {}};
        if (k < spans.size()) r.span = spans[k];
        if (launches.size() == 1) r.span.counted = counters; // all is its own
        for (auto* const at : {&r.span.began, &r.span.first_cta, &r.span.ended}) *at += to.total.cycles;
        to.kernels.push_back(std::move(r));
    }
    to.total += counters;
    auto const& first = launches.front();
    auto name = first.kernel;
    if (launches.size() > 1) name += " and " + std::to_string(launches.size() - 1) + " more";
    auto const* const note = machine.dispatch_note();
    to.launches.push_back({name, first.launch.grid, first.launch.block, counters, note == nullptr ? "" : note,
                           machine.announced_degree(), machine.announced_report(), e, needs_of(first.launch),
                           first.launch.program->registers_estimated, machine.intervals()});
}
/// The same of one.
inline void add_run(simulation_result& to, engine const& machine, kernel_launch const& launch,
                    std::string_view shown, std::string const& kernel, run_progress_sink const& progress) {
    add_run(to, machine, {{launch, kernel}}, shown, progress);
}

} // namespace warpkit
