#pragma once
/// \file
/// What decisions cost, of anybody's policies, on Google Benchmark: benchmark_scheduler<mine>(), benchmark_replacement,
/// benchmark_dispatch and benchmark_dram_scheduler register benchmarks, run_benchmarks runs them
/// (docs/howto/stopwatch.md). Link Google Benchmark. On Linux on x86-64: instructions are
/// counted there.

#include <warpkit/benchmark/dispatch.hpp>
#include <warpkit/benchmark/dram.hpp>
#include <warpkit/benchmark/replacement.hpp>
#include <warpkit/benchmark/scheduler.hpp>

#include <benchmark/benchmark.h>

namespace warpkit {

/// Runs what is registered as the command line says (--benchmark_filter=..., --benchmark_format=json|csv); the exit
/// status.
inline int run_benchmarks(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}

} // namespace warpkit
