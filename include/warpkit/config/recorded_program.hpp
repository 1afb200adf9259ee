#pragma once
/// \file
/// A program that was executed once, to be timed on many machines: what it computes does not depend on them.

#include <warpkit/base/error.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/config/timed_launch.hpp>
#include <warpkit/frontend/ptx/code_order.hpp>
#include <warpkit/program/stored_launch.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/program/stream_order.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpkit {

/// The launches of a program, in their order, each with what all of its CTAs execute, and whether what they left in
/// memory is right. Any number of machines may run it at once, each in a thread of its own.
///
/// Function comes first: a CTA is executed as a whole, in the order of CTA numbers, and knows no time. So its streams
/// are the same on every machine that gets its CTAs in that order, whatever its schedulers, caches and memory: those
/// whose choice of block keeps_order() (cta/concepts.hpp). Under another choice a kernel whose CTAs pass values to each
/// other within a launch, by atomics say, may execute something else; who wants that must execute it there.
class recorded_program {
public:
    /// One launch.
    struct launch_step {
        std::unique_ptr<stored_launch> ctas;
        std::string shown;  ///< its name while it runs
        std::string kernel; ///< and in results
        /// Copies from the host to the device before it: address and bytes.
        std::vector<std::pair<std::uint64_t, std::uint64_t>> copies;
        std::shared_ptr<void const> kept; ///< what the launch refers to
        launch_place place;               ///< by the numbers of this program's launches
    };

    explicit recorded_program(store_options const& options = {})
        : store_(std::make_unique<stream_store>(options)) {}

    /// The host has copied these bytes to the device.
    void copied_from_host(std::uint64_t address, std::uint64_t bytes) {
        copies_.emplace_back(address, bytes);
    }
    /// Executes a launch and keeps it; `kept` is what `launch` refers to, `place` where its streams put it. `progress`
    /// may be empty. Throws as the launch's source does, and when the disk is full.
    void add(kernel_launch const& launch, std::string shown, std::string kernel,
             std::shared_ptr<void const> kept, std::function<void(run_progress const&)> const& progress,
             launch_place place) {
        stopwatch const watch;
        timed_launch function(launch);
        auto ctas = std::make_unique<stored_launch>(function.launch(), *store_, [&](std::uint64_t n) {
            if (progress) progress({shown, launches_.size(), {n, launch.ctas(), 0}});
        });
        storing_seconds += watch.seconds() - function.seconds();
        instructions_ += ctas->instructions();
        launches_.push_back(
            {std::move(ctas), std::move(shown), std::move(kernel), std::move(copies_), std::move(kept), {}});
        copies_.clear();
        launches_.back().place = std::move(place);
    }

    std::vector<launch_step> const& launches() const noexcept { return launches_; }
    /// Warp instructions of all launches.
    std::uint64_t instructions() const noexcept { return instructions_; }
    stream_store const& store() const noexcept { return *store_; }

    bool verified = false;      ///< the host program found the values that it expects
    std::string wrong;          ///< if not: what it said
    double execute_seconds = 0; ///< host time of all that is done once: parsing, inputs, function, checks
    double storing_seconds = 0; ///< and of keeping it
    /// Of its PTX; a program of traces, which has its compiler's, has none.
    std::optional<ptx::code_order> order;

private:
    std::unique_ptr<stream_store> store_;
    std::vector<launch_step> launches_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> copies_; ///< since the last launch
    std::uint64_t instructions_ = 0;
};

/// The launches of a program that may run at once, one group behind the other: each begins with the launch of that
/// number. Where a machine runs one kernel at a time, each launch is a group.
inline std::vector<std::size_t> groups_of(recorded_program const& program, std::uint32_t kernels_at_once) {
    std::vector<std::size_t> begins;
    group_boundaries boundaries;
    std::size_t k = 0;
    for (auto const& step : program.launches()) {
        if (boundaries.begins(step.place.after) || kernels_at_once <= 1) begins.push_back(k);
        ++k;
    }
    return begins;
}

/// Runs it on a machine: the same result as running the program there, but for the seconds (`function_seconds` are
/// those of reading it back). Throws `error` as engine::run does, and for a machine that wants another order of its
/// instructions (core.scheduled_code).
inline simulation_result simulate(engine const& machine, recorded_program const& program,
                                  run_progress_sink const& progress = {}) {
    auto const wanted =
        machine.wants_scheduled_code() ? ptx::code_order::scheduled : ptx::code_order::as_written;
    if (program.order && *program.order != wanted)
        throw error(std::string("the program was executed with its instructions in ") +
                    (wanted == ptx::code_order::scheduled
                         ? "the order of its text, and core.scheduled_code=1 "
                         : "a compiler's order, and core.scheduled_code=0 ") +
                    "wants the other; record it with execution_limits::order");
    simulation_result result;
    auto const& steps = program.launches();
    auto begins = groups_of(program, machine.kernels_at_once());
    begins.push_back(steps.size());
    for (std::size_t g = 0; g + 1 < begins.size(); ++g) {
        auto const first = begins[g];
        std::deque<stored_launch::reader> readers;
        std::vector<named_launch> group;
        for (auto k = first; k < begins[g + 1]; ++k) {
            auto const& step = steps[k];
            for (auto const& [address, bytes] : step.copies) machine.copied_from_host(address, bytes);
            readers.emplace_back(*step.ctas);
            launch_place place{step.place.stream, {}};
            for (auto const a : step.place.after)
                if (a >= first) place.after.push_back(a - static_cast<std::uint32_t>(first));
            group.push_back({readers.back().launch(), step.kernel, std::move(place)});
        }
        add_run(result, machine, group, steps[first].shown, progress);
    }
    result.verified = program.verified;
    result.wrong = program.wrong;
    return result;
}

} // namespace warpkit
