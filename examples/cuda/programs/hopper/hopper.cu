// Tensor maps, tensor copies, mbarriers and clusters, beside loops on the host; and what ../warps/copies.cu has,
// compiled for compute capability 8.0.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

namespace {
constexpr unsigned columns = 40;
constexpr unsigned rows = 24;
constexpr unsigned box_columns = 32; // of 4 bytes: a row of 128
constexpr unsigned box_rows = 8;

__device__ unsigned shared_address(void const* p) {
    unsigned long long a;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(p));
    return static_cast<unsigned>(a);
}
// Each CTA of a cluster of two fetches a box, and stores what the other one has fetched.
__global__ void exchange(CUtensorMap map, unsigned* out) {
    alignas(1024) __shared__ unsigned tile[box_rows * box_columns];
    alignas(8) __shared__ unsigned long long barrier;
    unsigned const bar = shared_address(&barrier);
    unsigned const to = shared_address(tile);
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "r"(box_rows * box_columns * 4)
                     : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
            "{%2, %3}], [%4];" ::"r"(to),
            "l"(&map), "r"(16), "r"(static_cast<int>(blockIdx.x * box_rows)), "r"(bar)
            : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (done == 0)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(bar)
            : "memory");
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    for (unsigned i = threadIdx.x; i < box_rows * box_columns; i += blockDim.x) {
        unsigned value;
        asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, %2; ld.shared::cluster.u32 %0, [a]; }"
                     : "=r"(value)
                     : "r"(to + 4 * i), "r"(rank ^ 1)
                     : "memory");
        out[blockIdx.x * box_rows * box_columns + i] = value;
    }
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}
} // namespace

int check_copies();

int main() {
    if (check_copies() != 0) return 1;
    std::vector<unsigned> tensor(rows * columns);
    for (unsigned i = 0; i < tensor.size(); ++i) tensor[i] = 7 * i + 1;
    constexpr unsigned ctas = 4;
    std::vector<unsigned> result(ctas * box_rows * box_columns);
    unsigned* data = nullptr;
    unsigned* out = nullptr;
    cudaMalloc(&data, tensor.size() * 4);
    cudaMalloc(&out, result.size() * 4);
    cudaMemcpy(data, tensor.data(), tensor.size() * 4, cudaMemcpyHostToDevice);
    CUtensorMap map;
    cuuint64_t const extents[] = {columns, rows};
    cuuint64_t const strides[] = {columns * 4};
    cuuint32_t const box[] = {box_columns, box_rows};
    cuuint32_t const steps[] = {1, 1};
    auto const encode = [&](CUtensorMapInterleave interleave, cuuint32_t rank) {
        return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, rank, data, extents, strides, box,
                                      steps, interleave, CU_TENSOR_MAP_SWIZZLE_128B,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    if (encode(CU_TENSOR_MAP_INTERLEAVE_32B, 2) != CUDA_ERROR_NOT_SUPPORTED ||
        encode(CU_TENSOR_MAP_INTERLEAVE_NONE, 6) != CUDA_ERROR_INVALID_VALUE ||
        encode(CU_TENSOR_MAP_INTERLEAVE_NONE, 2) != CUDA_SUCCESS) {
        std::printf("cuTensorMapEncodeTiled is wrong\n");
        return 1;
    }
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = ctas;
    config.blockDim = 64;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, exchange, map, out) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    cudaMemcpy(result.data(), out, result.size() * 4, cudaMemcpyDeviceToHost);
    unsigned wrong = 0;
    for (unsigned cta = 0; cta < ctas; ++cta)
        for (unsigned i = 0; i < box_rows * box_columns; ++i) {
            // The place i holds, by a swizzle of 128 bytes, the piece whose number is combined with that of the row.
            unsigned const row = i / 32;
            unsigned const column = 16 + ((i % 32 / 4) ^ row) * 4 + i % 4;
            unsigned const y = (cta ^ 1) * box_rows + row;
            unsigned const wanted = column < columns && y < rows ? tensor[y * columns + column] : 0;
            wrong += result[cta * box_rows * box_columns + i] == wanted ? 0 : 1;
        }
    std::printf(wrong == 0 ? "PASSED\n" : "%u are wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
