#include "fdtd3d.ptx.hpp"
#include "fdtd3d_host.hpp"

namespace warpkit::kernels::fdtd3d {
namespace {

constexpr parameter parameters[] = {
    {"nx", "points", "of the volume in x", 56, 376, 1, 1024},
    {"ny", "points", "of the volume in y", 48, 376, 1, 1024},
    {"nz", "points", "of the volume in z", 8, 64, 1, 1024},
    {"steps", "steps", "one launch each", 1, 1, 1, 1000},
    seed,
};

void run(device& d, values const& v) { fdtd3d_host::run(d, v, "fdtd3d"); }

constexpr workload shipped[] = {
    {
        .name = "fdtd3d",
        .title = "finite differences in three dimensions, radius 4, a plane at a time",
        .origin = "FDTD3d (CUDA SDK)",
        .input = "a volume of uniform random numbers",
        .differs = "The full size is 376 x 376 points as the sample's, but 64 high, not 376, and one "
                   "step, not five; its loop over planes is not unrolled (fdtd3d_unrolled).",
        .ptx = fdtd3d_ptx,
        .ptx_name = "fdtd3d.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::fdtd3d
