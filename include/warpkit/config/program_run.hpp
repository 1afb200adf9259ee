#pragma once
/// \file
/// A program on a machine, window by window: what was warmed up once can go on in several ways.

#include <warpkit/config/recorded_program.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/machine/counters.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// A recorded program in the middle of its run, as a value: a copy goes on by itself, to the same end if nobody changes
/// it. The program must outlive it; copies go on one at a time.
template <class P>
class program_run {
public:
    program_run(gpu<P> machine, recorded_program const& program)
        : machine_(std::move(machine)),
          program_(&program) {}

    /// Simulates the next window in which something happens, `workers` as in gpu::step; false when the program has
    /// ended.
    template <class Workers = in_turn>
    bool step(Workers&& workers = {}) {
        auto const& steps = program_->launches();
        if (ended_.size() == steps.size()) return false;
        auto const& next = steps[ended_.size()];
        if (!running_) {
            for (auto const& [address, bytes] : next.copies) machine_.copied_from_host(address, bytes);
            machine_.begin(next.ctas->launch());
            running_ = true;
        }
        if (machine_.step(workers)) return true;
        ended_.push_back(machine_.end());
        cycles_ += ended_.back().cycles;
        running_ = false;
        return ended_.size() != steps.size();
    }

    /// Core cycles and warp instructions so far.
    std::uint64_t cycles() const noexcept { return cycles_ + (running_ ? machine_.age() : 0); }
    std::uint64_t instructions() const noexcept {
        std::uint64_t n = 0;
        for (auto const& c : machine_.cores()) n += c.instructions_issued();
        return n;
    }
    /// All that was counted so far.
    run_counters counted() const {
        run_counters sum;
        for (auto const& launch : ended_) sum += launch;
        if (running_) sum += machine_.counted();
        return sum;
    }
    /// What the launches counted that have ended.
    std::vector<run_counters> const& ended() const noexcept { return ended_; }
    gpu<P>& machine() noexcept { return machine_; }

private:
    gpu<P> machine_;
    recorded_program const* program_;
    std::vector<run_counters> ended_;
    std::uint64_t cycles_ = 0; ///< of those
    bool running_ = false;     ///< a launch is
};

} // namespace warpkit
