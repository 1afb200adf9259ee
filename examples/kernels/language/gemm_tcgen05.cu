// make_ptx: sm_80 ptx70 as sm_100a ptx86
// c = a b' for a (m x k) and b (n x k) of half precision, as a linear layer has them, c (m x n) of single. A CTA makes
// 128 x 128 of c in tensor memory: one warp has boxes of a and b brought into a ring of three stages, a thread of
// another orders their products, and four take the sums out when all are there (CUTLASS 3: sm100, warp specialised).
// Full and free stages are told by mbarriers, free ones by the products themselves. CTAs side by side begin `skew` stages
// of k apart, so that not all ask for the same lines at once.
#include "language/blackwell.hpp"

enum { tile = 128, depth = 64, stages = 3, half_stage = tile * depth * 2 };

extern "C" __global__ void gemm_tcgen05(tensor_map const* a, tensor_map const* b, float* c, int n, int k, int skew) {
    extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
    unsigned const matrices = shared_address(shared);
    unsigned const full = matrices + stages * 2 * half_stage, free = full + stages * 8, over = free + stages * 8;
    unsigned const place = over + 8;
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    int const steps = k / depth, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2 * stages + 1; ++i) make_barrier(full + 8 * i, 1);
    if (warp == 0) allocate_columns(place, tile);
    tensor_fence_before();
    show_barriers();
    tensor_fence_after();
    unsigned sum;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(sum) : "r"(place) : "memory");
    ring_place at;
    if (warp == 4) {
        int from = (blockIdx.x + blockIdx.y) * skew % steps;
        for (int step = 0; step < steps && lane == 0; ++step, at.advance(stages)) {
            unsigned const to = matrices + at.stage * 2 * half_stage, barrier = full + 8 * at.stage;
            wait_for(free + 8 * at.stage, at.parity ^ 1);
            arrive_expecting(barrier, 2 * half_stage);
            copy_box(to, a, from * depth, row, barrier);
            copy_box(to + half_stage, b, from * depth, column, barrier);
            if (++from == steps) from = 0;
        }
    } else if (warp == 5) {
        for (int step = 0; step < steps && lane == 0; ++step, at.advance(stages)) {
            unsigned const left = matrices + at.stage * 2 * half_stage, right = left + half_stage;
            wait_for(full + 8 * at.stage, at.parity);
            tensor_fence_after();
#pragma unroll
            for (int deep = 0; deep < depth; deep += 16)
                multiply_halves(sum, factor_at(left + deep * 2), factor_at(right + deep * 2),
                                products_of_halves(tile, tile), step + deep != 0);
            arrive_with_products(free + 8 * at.stage);
        }
        if (lane == 0) arrive_with_products(over);
    } else {
        wait_for(over, 0);
        tensor_fence_after();
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            int const lanes = warp * 32 + part / 2 * 16, columns = part % 2 * 64;
            float x[32];
            load_sums(x, sum + (lanes << 16) + columns);
            await_loads();
            float* const to = c + static_cast<long long>(row + lanes + lane / 4) * n + column + columns + lane % 4 * 2;
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int half = 0; half < 2; ++half)
                    *reinterpret_cast<float2*>(to + static_cast<long long>(half * 8) * n + j * 8) =
                        float2{x[4 * j + 2 * half], x[4 * j + 2 * half + 1]};
        }
        tensor_fence_before();
    }
    __syncthreads();
    if (warp == 0) free_columns(sum, tile);
}
