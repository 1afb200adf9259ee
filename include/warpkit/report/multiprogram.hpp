#pragma once
/// \file
/// What programs that share a machine get of it, beside what each gets alone: system throughput and average normalised
/// turnaround time.
/// Source: Eyerman, Eeckhout: System-Level Performance Metrics for Multiprogram Workloads, IEEE Micro 28(3), 2008.

#include <warpkit/base/standard.hpp>

#include <cstdint>
#include <vector>

namespace warpkit::report {

/// Core cycles of a program from its beginning to its end.
struct shared_time {
    std::uint64_t alone = 0;    ///< with the machine to itself
    std::uint64_t together = 0; ///< beside the others; not 0
};

/// STP, also called weighted speedup: how many programs' work is done in the time of one. From 0 to the number of
/// programs where sharing does not help anybody; higher is better.
inline double system_throughput(std::vector<shared_time> const& programs) {
    double sum = 0;
    for (auto const& p : programs) sum += static_cast<double>(p.alone) / static_cast<double>(p.together);
    return sum;
}
/// ANTT: how many times longer a program takes than alone, on average; 1 is best. 0 for no programs.
inline double average_normalised_turnaround(std::vector<shared_time> const& programs) {
    double sum = 0;
    for (auto const& p : programs) sum += static_cast<double>(p.together) / static_cast<double>(p.alone);
    return programs.empty() ? 0 : sum / static_cast<double>(programs.size());
}

} // namespace warpkit::report
