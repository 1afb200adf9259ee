#pragma once
/// \file
/// What comes of running a program's launches on a machine.

#include <warpkit/config/engine.hpp>
#include <warpkit/cta/occupancy.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/kernel_span.hpp>
#include <warpkit/program/stream.hpp>

#include <cstddef>
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

/// One kernel launch of a run, or several that the streams of their program let run at once: then of all together,
/// under the first one's shape.
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

/// One kernel of a run; where kernels run at once, its share of it.
struct kernel_record {
    std::string kernel;
    std::uint32_t stream = 0;
    std::size_t launch = 0; ///< which of the run's launch_records it is in
    kernel_span span;       ///< in core cycles of the run
};

/// What came of a run.
struct simulation_result {
    run_counters total; ///< over all launches
    std::vector<launch_record> launches;
    std::vector<kernel_record> kernels;
    cycle_estimate estimate =
        {};                ///< of all launches' cycles; where they were sampled, `total` is of what was timed
    bool verified = false; ///< the host program found the values that it expects
    std::string wrong;     ///< if not: what it said
    double seconds = 0;    ///< host time of all launches
    double function_seconds = 0; ///< the part of it in which CTAs were executed functionally, or read
};

} // namespace warpkit
