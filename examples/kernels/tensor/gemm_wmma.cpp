#include "gemm_wmma.ptx.hpp"
#include "kernels/tensor/half_matrices.hpp"

namespace warpkit::kernels::gemm_wmma {
namespace {

void run(device& d, values const& v) { half_matrices::run(d, v, "gemm_wmma"); }

constexpr workload shipped[] = {
    {
        .name = "gemm_wmma",
        .title = "dense product of half-precision matrices by the tensor cores: wmma, tiles in shared memory",
        .origin = "cudaTensorCoreGemm and simpleWmma (CUDA SDK)",
        .input = "random multiples of 1/8 from -1 to 1",
        .differs = "Sizes must be multiples of 64. Rows of the tiles are padded by 16 bytes; simpleWmma has "
                   "no tiles.",
        .ptx = gemm_wmma_ptx,
        .ptx_name = "gemm_wmma.ptx",
        .parameters = half_matrices::parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gemm_wmma
