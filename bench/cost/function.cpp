// What .ci/cost measures of functional execution: shipped kernels at their small sizes, CTA after CTA, without timing.
// Protocol and options as in timing.cpp.

#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/launched_module.hpp>

#include "measured.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <kernels/workload.hpp>
#include <string>

namespace {

using namespace warpkit;

[[gnu::noinline]] void phase_function(ptx::executor& executor, std::uint64_t ctas, cta_stream& streams) {
    for (std::uint64_t cta = 0; cta < ctas; ++cta) executor.run_cta(cta, streams);
}

// Arithmetic, shared memory, gathers of partly filled warps.
constexpr char const* names[] = {"compute", "sgemm_tiled", "spmv"};

void run(char const* name, bool full) {
    auto const& w = kernels::find(name);
    ptx::launched_module module(w.ptx, std::string(w.ptx_name));
    std::uint64_t instructions = 0;
    std::clock_t time = 0;
    device host_side([&](device_memory& memory, launch_request const& request) {
        ptx::executor executor(module.prepare(memory, request).code, memory, request);
        cta_stream streams;
        auto const start = std::clock();
        phase_function(executor, request.grid.count(), streams);
        end_of_phase();
        time += std::clock() - start;
        instructions += executor.executed();
    });
    w.run(host_side, kernels::values(w, full ? kernels::size::full : kernels::size::small));
    std::printf("function %s %llu 0 0 %.6f\n", name, static_cast<unsigned long long>(instructions),
                static_cast<double>(time) / CLOCKS_PER_SEC);
}

} // namespace

int main(int argc, char** argv) try {
    bool const full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
    char const* const only = argc > 1 + full ? argv[1 + full] : nullptr;
    std::puts("compiler " WARPKIT_COST_COMPILER);
    for (auto const* name : names)
        if (only == nullptr || std::strcmp(only, name) == 0) run(name, full);
} catch (std::exception const& e) {
    std::fprintf(stderr, "function: %s\n", e.what());
    return 1;
}
