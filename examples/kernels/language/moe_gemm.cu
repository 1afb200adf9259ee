// make_ptx: sm_80 ptx70
// The layer of a mixture of experts: the inputs of each expert's tokens times that expert's matrix, as one grouped
// product, then each token's two results, weighted and added up. Experts have as many tokens as were routed to them:
// tiles of 64 rows, the last of an expert's in part of nothing. A CTA finds its expert by counting tiles; there are
// CTAs for as many tiles as there could be, since only the device knows. Products are as in gemm_pipelined, but that
// the rows of a tile lie where its tokens are.
#include "language/device.hpp"

enum { tile = 64, depth = 32, pad = 8, stages = 3 };

extern "C" __global__ void moe_gemm(half_bits const* x, half_bits const* experts_w, int const* sources,
                                    int const* offsets, float* c, int experts, int n, int k) {
    __shared__ __attribute__((aligned(16))) half_bits a_tile[stages][tile][depth + pad];
    __shared__ __attribute__((aligned(16))) half_bits b_tile[stages][depth][tile + pad];
    int expert = 0, row = blockIdx.y * tile;
    int first = offsets[0], end = offsets[1];
    while (row >= end - first) {
        row -= (end - first + tile - 1) / tile * tile;
        if (++expert == experts) return;
        first = end;
        end = offsets[expert + 1];
    }
    first += row; // of the sorted inputs, the tile's first
    int const t = threadIdx.x, lane = t % 32;
    int const warp_row = t / 64 * 32, warp_column = t / 32 % 2 * 32;
    int const column = blockIdx.x * tile;
    int const steps = k / depth;
    half_bits const* const w = experts_w + static_cast<long long>(expert) * k * n;
    half_bits const* a_from[2];
    for (int i = 0; i < 2; ++i) {
        int const item = first + t / 4 + i * 32;
        int const token = sources[item < end ? item : end - 1] / 2;
        a_from[i] = &x[static_cast<long long>(token) * k + t % 4 * 8];
    }
    half_bits const* const b_from = &w[t / 8 * n + column + t % 8 * 8];
    unsigned const a_to = shared_address(&a_tile[0][t / 4][t % 4 * 8]);
    unsigned const b_to = shared_address(&b_tile[0][t / 8][t % 8 * 8]);
    auto const bring = [&](int step) {
        if (step < steps) {
            int const stage = step % stages;
            for (int i = 0; i < 2; ++i) {
                copy_asynchronously(a_to + stage * sizeof a_tile[0] + i * 32 * sizeof a_tile[0][0],
                                    a_from[i] + step * depth);
                copy_asynchronously(b_to + stage * sizeof b_tile[0] + i * 16 * sizeof b_tile[0][0],
                                    b_from + (step * depth + i * 16) * n);
            }
        }
        commit_copies();
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
        for (int half_row = 0; half_row < 2; ++half_row) {
            int const item = first + warp_row + i * 16 + half_row * 8 + lane / 4;
            if (item >= end) continue;
#pragma unroll
            for (int j = 0; j < 4; ++j)
                *reinterpret_cast<float2*>(
                    &c[static_cast<long long>(item) * n + column + warp_column + j * 8 + lane % 4 * 2]) =
                    float2{sum[i][j][half_row * 2], sum[i][j][half_row * 2 + 1]};
        }
}

// A CTA a token.
extern "C" __global__ void moe_combine(float const* c, int const* places, float const* weights, float* y,
                                       int n) {
    int const token = blockIdx.x;
    float const* const of[2] = {&c[static_cast<long long>(places[2 * token]) * n],
                                &c[static_cast<long long>(places[2 * token + 1]) * n]};
    float const weight[2] = {weights[2 * token], weights[2 * token + 1]};
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        y[static_cast<long long>(token) * n + i] = weight[0] * of[0][i] + weight[1] * of[1][i];
}
