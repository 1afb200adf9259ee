// make_ptx: sm_80 ptx70
// c = a b for row-major a (m x k) and b (k x n) of half precision, c (m x n) of single: four warps make 64 x 64 of c by
// mma.sync, each 32 x 32, while asynchronous copies bring the tiles of the steps to come into a ring of three stages.
#include "cuda.hpp"

enum { tile = 64, depth = 32, pad = 8, stages = 3 };

WARPKIT_DEVICE void copy(unsigned to, half_bits const* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}
// The fragments of 16 x 16 elements, rows of which the lanes name.
WARPKIT_DEVICE void load_rows(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
WARPKIT_DEVICE void load_columns(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
WARPKIT_DEVICE void multiply_add(float (&c)[4], unsigned const (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

extern "C" __global__ void gemm_pipelined(half_bits const* a, half_bits const* b, float* c, int n, int k) {
    __shared__ __attribute__((aligned(16))) half_bits a_tile[stages][tile][depth + pad];
    __shared__ __attribute__((aligned(16))) half_bits b_tile[stages][depth][tile + pad];
    int const t = threadIdx.x, lane = t % 32;
    int const warp_row = t / 64 * 32, warp_column = t / 32 % 2 * 32;
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    int const steps = k / depth;
    half_bits const* const a_from = &a[(row + t / 4) * k + t % 4 * 8];
    half_bits const* const b_from = &b[t / 8 * n + column + t % 8 * 8];
    unsigned const a_to = shared_address(&a_tile[0][t / 4][t % 4 * 8]);
    unsigned const b_to = shared_address(&b_tile[0][t / 8][t % 8 * 8]);
    // Half of each tile by each of two copies a thread. A step that there is not makes a group of nothing.
    auto const bring = [&](int step) {
        if (step < steps) {
            int const stage = step % stages;
            for (int i = 0; i < 2; ++i) {
                copy(a_to + stage * sizeof a_tile[0] + i * 32 * sizeof a_tile[0][0],
                     a_from + step * depth + i * 32 * k);
                copy(b_to + stage * sizeof b_tile[0] + i * 16 * sizeof b_tile[0][0],
                     b_from + (step * depth + i * 16) * n);
            }
        }
        asm volatile("cp.async.commit_group;" : : : "memory");
    };
    unsigned const a_lane = shared_address(&a_tile[0][warp_row + lane % 16][lane / 16 * 8]);
    unsigned const b_lane = shared_address(&b_tile[0][lane % 16][warp_column + lane / 16 * 8]);
    // Loops over it are unrolled by force: the array lies in local memory otherwise.
    float sum[2][4][4] = {};
    for (int step = 0; step < stages - 1; ++step) bring(step);
    for (int step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group 1;" : : : "memory"); // stages - 2
        __syncthreads();
        bring(step + stages - 1);
        int const stage = step % stages;
        for (int deep = 0; deep < depth; deep += 16) {
            unsigned left[2][4], right[2][4];
#pragma unroll
            for (int i = 0; i < 2; ++i)
                load_rows(left[i], a_lane + stage * sizeof a_tile[0] + i * 16 * sizeof a_tile[0][0] +
                                       deep * sizeof(half_bits));
#pragma unroll
            for (int j = 0; j < 2; ++j)
                load_columns(right[j], b_lane + stage * sizeof b_tile[0] + deep * sizeof b_tile[0][0] +
                                           j * 16 * sizeof(half_bits));
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    multiply_add(sum[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int half_row = 0; half_row < 2; ++half_row)
                *reinterpret_cast<float2*>(&c[(row + warp_row + i * 16 + half_row * 8 + lane / 4) * n +
                                              column + warp_column + j * 8 + lane % 4 * 2]) =
                    float2{sum[i][j][half_row * 2], sum[i][j][half_row * 2 + 1]};
}
