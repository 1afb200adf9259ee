#pragma once
/// \file
/// What a kernel counts per so many cycles: all counters, taken between two windows of simulation.
///
/// The reference has no intervals.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/machine/counters.hpp>

#include <vector>

namespace warpkit {

/// What was counted in a stretch of a kernel. `counters.cycles` is its length; of `counters.kernels` only the last
/// stretch has one, so that the stretches of a kernel sum to what the whole counted.
struct counted_interval {
    cycle begin = 0; ///< core cycles since the kernel began
    cycle end = 0;   ///< the one behind the last
    run_counters counters;
    friend bool operator==(counted_interval const&, counted_interval const&) = default;
};

/// Keeps a stretch for each `every` core cycles of a kernel. One ends with the first window of simulation that reaches
/// a multiple of `every`: so it is up to a window longer or shorter (docs/model/time.md#windows), and longer where
/// nothing happens for longer.
class interval_recorder {
public:
    /// Throws `error` for 0.
    explicit interval_recorder(cycle every) : every_(every) {
        if (every == 0) throw error("an interval has at least one cycle");
    }
    /// A kernel begins.
    void begin() {
        kept_.clear();
        before_ = {};
        next_ = every_;
    }
    /// When the next stretch ends, in cycles since the kernel began.
    cycle next() const noexcept { return next_; }
    /// All that the kernel has counted so far, at next() or behind it.
    void take(run_counters const& so_far) {
        add(so_far);
        next_ = (so_far.cycles / every_ + 1) * every_;
    }
    /// The kernel has ended, and counted this.
    void end(run_counters const& total) {
        // A kernel ends with its last CTA, behind which the machine may have gone on for what it reads ahead.
        while (!kept_.empty() && kept_.back().end >= total.cycles) {
            before_ = difference(before_, kept_.back().counters);
            kept_.pop_back();
        }
        add(total);
    }
    /// Those of the last kernel, in their order, without a gap.
    std::vector<counted_interval> const& kept() const noexcept { return kept_; }

private:
    void add(run_counters const& so_far) {
        kept_.push_back({before_.cycles, so_far.cycles, difference(so_far, before_)});
        before_ = so_far;
    }

    cycle every_;
    cycle next_ = 0;
    run_counters before_;
    std::vector<counted_interval> kept_;
};

} // namespace warpkit
