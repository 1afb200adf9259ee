#pragma once
/// \file
/// Calibration data of the multithreading-degree decision: tables 5 to 7 of the thesis, as printed. Programs on GPGPU-Sim
/// 3.2.1's GTX480 without L2, with 8 KB of L1 (64 lines); 1 to 8 CTAs of 6 warps.

#include <warpkit/cta/read_growth.hpp>

namespace warpkit::multithreading_tables {

/// One program at one degree.
struct row {
    double miss;      ///< table 5: cache miss rate
    double reads;     ///< table 5: DRAM reads of a CTA
    double read_rate; ///< table 5: their growth over the degree before; 1 at degree 1
    double time;      ///< table 6: cycles of a CTA
    double time_rate; ///< table 6: its growth; 1 at degree 1
    double latency;   ///< table 7: growth of the mean latency of a read; at degree 1 that latency in cycles
};
/// One program.
struct program {
    char const* name;
    double working_set; ///< lines of a CTA (section 5.1, "about"); 0: not given
    row degree[8];
};
inline constexpr double cache_lines = 64;

// "nbf" in tables 6 and 7, whose column of times has 91671 in parentheses for 9161 in degree 1.
inline constexpr program programs[] = {{"bfs",
                                        70,
                                        {{.41, 72.94, 1, 2582, 1, 329},
                                         {.40, 71.12, .98, 2897, 1.12, 1.09},
                                         {.40, 71.16, 1.00, 3351, 1.16, 1.08},
                                         {.40, 71.64, 1.01, 3875, 1.16, 1.06},
                                         {.41, 73.03, 1.02, 4601, 1.19, 1.07},
                                         {.43, 77.90, 1.07, 7097, 1.54, 1.43},
                                         {.46, 83.01, 1.07, 7831, 1.10, 1.02},
                                         {.49, 89.29, 1.08, 9412, 1.20, 1.04}}},
                                       {"nbfs",
                                        65,
                                        {{.13, 169.39, 1, 9161, 1, 374},
                                         {.22, 439.13, 2.59, 17261, 1.88, 1.06},
                                         {.33, 763.62, 1.74, 35438, 2.05, 1.46},
                                         {.45, 1125.74, 1.47, 73959, 2.09, 1.49},
                                         {.54, 1419.73, 1.26, 121446, 1.64, 1.08},
                                         {.58, 1545.29, 1.09, 159845, 1.32, 1.03},
                                         {.59, 1570.32, 1.02, 190175, 1.19, 1.01},
                                         {.59, 1570.32, 1.00, 217308, 1.14, 1.00}}},
                                       {"unstructured",
                                        0,
                                        {{.22, 1557.52, 1, 87292, 1, 302},
                                         {.44, 3406.75, 2.19, 164058, 1.88, 1.46},
                                         {.56, 4384.41, 1.29, 377487, 2.30, 1.74},
                                         {.63, 5007.40, 1.14, 566328, 1.50, 1.12},
                                         {.67, 5341.11, 1.07, 760938, 1.34, 1.04},
                                         {.67, 5341.11, 1.00, 915126, 1.20, 1.00},
                                         {.67, 5341.11, 1.00, 1065425, 1.16, 1.00},
                                         {.67, 5341.11, 1.00, 1217622, 1.14, 1.00}}}};

/// The program's first stage as it was measured.
constexpr tabled_reads table_of(program const& p) noexcept {
    tabled_reads t;
    t.degrees = 8;
    for (unsigned i = 0; i < 8; ++i) t.point[i] = {p.degree[i].miss, p.degree[i].reads};
    return t;
}

} // namespace warpkit::multithreading_tables
