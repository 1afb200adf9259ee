// What .ci/cost measures: a gtx480 under gto, on kernels without any PTX. It is also the unit by which the compile-time
// budget is held: a preset, a policy and a kernel of the builder, as a user would write them.
//
//     timing [--full] [kernel]          a line per kernel and phase; under callgrind, a dump for each
//
// Phases are functions that are never inlined, so that callgrind can tell them apart.

#include <warpkit/config/presets.hpp>
#include <warpkit/gpu/gpu.hpp>

#include "measured.hpp"
#include "workloads.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <utility>
#include <vector>

namespace {

using namespace cost;
using machine = presets::gtx480::with<use::warp_scheduler<gto>>;

// ---- The phases

[[gnu::noinline]] void phase_streams(kernel_launch const& launch, std::vector<cta_stream>& out) {
    for (std::uint64_t cta = 0; cta < out.size(); ++cta) {
        out[cta].reset(launch.warps_per_cta());
        launch.fill(launch.source, cta, out[cta]);
    }
}
[[gnu::noinline]] void phase_timing(gpu<machine::policies>& g, kernel_launch const& launch,
                                    run_counters& out) {
    out = g.run(launch);
}

void report(char const* phase, char const* name, run_counters const& r, std::clock_t time) {
    std::printf("%s %s %llu %llu %llu %.6f\n", phase, name,
                static_cast<unsigned long long>(r.core.warp_instructions),
                static_cast<unsigned long long>(r.core.transactions),
                static_cast<unsigned long long>(r.cycles), static_cast<double>(time) / CLOCKS_PER_SEC);
}

void run(workload const& w, bool full) {
    auto k = kernel_of(w, full ? w.all_ctas : w.ctas);
    auto launch = k.launch();
    std::vector<cta_stream> streams(launch.ctas());
    auto start = std::clock();
    phase_streams(launch, streams);
    end_of_phase();
    auto const filling = std::clock() - start;
    launch.source = &streams;
    launch.fill = [](void* all, std::uint64_t cta, cta_stream& out) {
        std::swap(out, (*static_cast<std::vector<cta_stream>*>(all))[cta]);
    };
    gpu<machine::policies> g(machine::parameters());
    run_counters r;
    start = std::clock();
    phase_timing(g, launch, r);
    end_of_phase();
    auto const timing = std::clock() - start;
    report("streams", w.name, r, filling);
    report("timing", w.name, r, timing);
}

} // namespace

int main(int argc, char** argv) try {
    bool const full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
    char const* const only = argc > 1 + full ? argv[1 + full] : nullptr;
    std::puts("compiler " WARPKIT_COST_COMPILER);
    for (auto const& w : workloads)
        if (only == nullptr || std::strcmp(only, w.name) == 0) run(w, full);
} catch (std::exception const& e) {
    std::fprintf(stderr, "timing: %s\n", e.what());
    return 1;
}
