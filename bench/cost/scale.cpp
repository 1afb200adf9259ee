// What .ci/cost --growth and --threads measure: the gtx480 under gto with other numbers of SMs and memory partitions,
// on kernels of any length, by any number of threads.
//
//     scale KERNEL CTAS SMS PARTITIONS THREADS [TIMES]     one run per line, or the least of so many, in one process
//
// A line: phase, kernel, warp instructions, transactions, cycles, seconds of the processor and of the wall. CTAs are
// made by the builder when they are dispatched, so that memory is that of the machine.

#include <warpkit/config/presets.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/gpu/threads/worker_pool.hpp>

#include "measured.hpp"
#include "workloads.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace cost;
using model = presets::gtx480::with<use::warp_scheduler<gto>>;

workload const& workload_named(std::string const& name) {
    for (auto const& w : workloads)
        if (name == w.name) return w;
    throw std::runtime_error("no kernel " + name);
}

double seconds(clockid_t clock) {
    std::timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// This thread, and those that it starts, run on these host cores: a busy host would put two of ours on one.
void run_on(unsigned first, unsigned end) {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (; first < end; ++first) CPU_SET(first, &all);
    sched_setaffinity(0, sizeof all, &all);
}

[[gnu::noinline]] void phase_run(gpu<model::policies>& g, kernel_launch const& launch, worker_pool& pool,
                                 run_counters& out) {
    out = pool.threads() == 1 ? g.run(launch) : g.run(launch, no_progress{}, pool);
}

} // namespace

int main(int argc, char** argv) try {
    if (argc < 6) throw std::runtime_error("wants KERNEL CTAS SMS PARTITIONS THREADS [TIMES]");
    auto const number = [&](int i) { return static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)); };
    auto const& w = workload_named(argv[1]);
    auto k = kernel_of(w, number(2));
    auto const launch = k.launch();
    auto p = model::parameters();
    p.core.count = number(3);
    p.memory.channels = number(4);
    auto const threads = number(5);
    bool const apart = threads > 1 && host_cores() > 1; // or under taskset -c 0, all on that one
    if (apart) run_on(1, std::max(2U, std::thread::hardware_concurrency()));
    worker_pool pool(threads, beyond_cores::as_told); // those above, this one included
    if (apart) run_on(0, 1);
    run_counters r;
    double of_processor = 1e9;
    double of_wall = 1e9;
    for (auto times = argc > 6 ? number(6) : 1; times != 0; --times) {
        gpu<model::policies> g(p);
        auto const processor = seconds(CLOCK_PROCESS_CPUTIME_ID);
        auto const wall = seconds(CLOCK_MONOTONIC);
        phase_run(g, launch, pool, r);
        end_of_phase();
        of_processor = std::min(of_processor, seconds(CLOCK_PROCESS_CPUTIME_ID) - processor);
        of_wall = std::min(of_wall, seconds(CLOCK_MONOTONIC) - wall);
    }
    std::puts("compiler " WARPKIT_COST_COMPILER);
    std::printf("run %s %llu %llu %llu %.6f %.6f\n", w.name,
                static_cast<unsigned long long>(r.core.warp_instructions),
                static_cast<unsigned long long>(r.core.transactions),
                static_cast<unsigned long long>(r.cycles), of_processor, of_wall);
} catch (std::exception const& e) {
    std::fprintf(stderr, "scale: %s\n", e.what());
    return 1;
}
