#pragma once
/// \file
/// A program that was executed once, to be timed on many machines: what it computes does not depend on them.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/config/timed_launch.hpp>
#include <warpkit/program/stored_launch.hpp>
#include <warpkit/program/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
    };

    explicit recorded_program(store_options const& options = {})
        : store_(std::make_unique<stream_store>(options)) {}

    /// The host has copied these bytes to the device.
    void copied_from_host(std::uint64_t address, std::uint64_t bytes) {
        copies_.emplace_back(address, bytes);
    }
    /// Executes a launch and keeps it; `kept` is what `launch` refers to. `progress` may be empty. Throws as the
    /// launch's source does, and when the disk is full.
    void add(kernel_launch const& launch, std::string shown, std::string kernel,
             std::shared_ptr<void const> kept, std::function<void(run_progress const&)> const& progress) {
        stopwatch const watch;
        timed_launch function(launch);
        auto ctas = std::make_unique<stored_launch>(function.launch(), *store_, [&](std::uint64_t n) {
            if (progress) progress({shown, launches_.size(), {n, launch.ctas(), 0}});
        });
        storing_seconds += watch.seconds() - function.seconds();
        instructions_ += ctas->instructions();
        launches_.push_back(
            {std::move(ctas), std::move(shown), std::move(kernel), std::move(copies_), std::move(kept)});
        copies_.clear();
    }

    std::vector<launch_step> const& launches() const noexcept { return launches_; }
    /// Warp instructions of all launches.
    std::uint64_t instructions() const noexcept { return instructions_; }
    stream_store const& store() const noexcept { return *store_; }

    bool verified = false;      ///< the host program found the values that it expects
    std::string wrong;          ///< if not: what it said
    double execute_seconds = 0; ///< host time of all that is done once: parsing, inputs, function, checks
    double storing_seconds = 0; ///< and of keeping it

private:
    std::unique_ptr<stream_store> store_;
    std::vector<launch_step> launches_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> copies_; ///< since the last launch
    std::uint64_t instructions_ = 0;
};

/// Runs it on a machine: the same result as running the program there, but for the seconds (`function_seconds` are
/// those of reading it back). Throws `error` as engine::run does.
inline simulation_result simulate(engine const& machine, recorded_program const& program,
                                  run_progress_sink const& progress = {}) {
    simulation_result result;
    for (auto const& step : program.launches()) {
        for (auto const& [address, bytes] : step.copies) machine.copied_from_host(address, bytes);
        stored_launch::reader reader(*step.ctas);
        add_run(result, machine, reader.launch(), step.shown, step.kernel, progress);
    }
    result.verified = program.verified;
    result.wrong = program.wrong;
    return result;
}

} // namespace warpkit
