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
          program_(&program),
          begins_(groups_of(program, machine_.numbers().core.kernels)) {}

    /// Simulates the next window in which something happens, `workers` as in gpu::step; false when the program has
    /// ended.
    template <class Workers = in_turn>
    bool step(Workers&& workers = {}) {
        auto const& steps = program_->launches();
        if (!running_ && done_ == steps.size()) return false;
        if (!running_) {
            auto const first = begins_[ended_.size()];
            done_ = ended_.size() + 1 < begins_.size() ? begins_[ended_.size() + 1] : steps.size();
            launch_group group;
            for (auto k = first; k < done_; ++k) {
                for (auto const& [address, bytes] : steps[k].copies)
                    machine_.copied_from_host(address, bytes);
                group.push_back({steps[k].ctas->launch()});
                for (auto const a : steps[k].place.after)
                    if (a >= first) group.back().after.push_back(a - static_cast<std::uint32_t>(first));
            }
            machine_.begin(group);
            running_ = true;
        }
        if (machine_.step(workers)) return true;
        ended_.push_back(machine_.end());
        cycles_ += ended_.back().cycles;
        running_ = false;
        return done_ != steps.size();
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
    /// What the launches counted that have ended; those together that may run at once.
    std::vector<run_counters> const& ended() const noexcept { return ended_; }
    gpu<P>& machine() noexcept { return machine_; }

private:
    gpu<P> machine_;
    recorded_program const* program_;
    std::vector<std::size_t> begins_; ///< of groups of launches that may run at once
    std::vector<run_counters> ended_; ///< groups
    std::size_t done_ = 0;            ///< launches that have begun, or ended
    std::uint64_t cycles_ = 0;        ///< of those
    bool running_ = false;            ///< a launch is
};

} // namespace warpkit
