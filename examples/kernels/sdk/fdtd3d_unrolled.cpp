#include "fdtd3d_host.hpp"
#include "fdtd3d_unrolled.ptx.hpp"

namespace warpkit::kernels::fdtd3d_unrolled {
namespace {

constexpr parameter parameters[] = {
    {"nx", "points", "of the volume in x", 56, 376, 1, 1024},
    {"ny", "points", "of the volume in y", 48, 376, 1, 1024},
    {"nz", "points", "of the volume in z", 11, 64, 1, 1024},
    {"steps", "steps", "one launch each", 1, 1, 1, 1000},
    seed,
};

void run(device& d, values const& v) { fdtd3d_host::run(d, v, "fdtd3d_unrolled"); }

constexpr paper_row rows[] = {{paper::elf, "FDTD", "FiniteDifferences", "fdtd3d_unrolled"}};

constexpr workload shipped[] = {
    {
        .name = "fdtd3d_unrolled",
        .title = "fdtd3d, nine planes a round one after the other in the code",
        .origin = "FDTD3d (CUDA SDK)",
        .rows = rows,
        .input = "a volume of uniform random numbers",
        .differs = "As fdtd3d.",
        .ptx = fdtd3d_unrolled_ptx,
        .ptx_name = "fdtd3d_unrolled.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::fdtd3d_unrolled
