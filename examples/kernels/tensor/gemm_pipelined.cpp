#include "gemm_pipelined.ptx.hpp"
#include "kernels/tensor/half_matrices.hpp"

namespace warpkit::kernels::gemm_pipelined {
namespace {

void run(device& d, values const& v) { half_matrices::run(d, v, "gemm_pipelined"); }

constexpr workload shipped[] = {
    {
        .name = "gemm_pipelined",
        .title = "the same by mma.sync and ldmatrix, asynchronous copies in a ring of three stages",
        .origin = "the multistage products of CUTLASS (Ampere)",
        .input = "random multiples of 1/8 from -1 to 1",
        .differs = "Sizes must be multiples of 64. Three stages of 64 x 64 x 32; the originals choose theirs "
                   "by size.",
        .ptx = gemm_pipelined_ptx,
        .ptx_name = "gemm_pipelined.ptx",
        .parameters = half_matrices::parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gemm_pipelined
