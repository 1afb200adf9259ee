// make_ptx: sm_80 ptx70 as sm_90a ptx80 maxnreg 168
// c = a b' for a (m x k) and b (n x k) of half precision, as a linear layer has them, c (m x n) of single. A CTA makes
// 128 x 128 of c: one warpgroup has boxes of a and b brought into a ring of four stages, two others multiply them, 64
// rows each (CUTLASS 3: sm90, warp specialised). Full and free stages are told by mbarriers; registers go from the
// warpgroup that needs few to those that need many.
#include "language/hopper.hpp"

enum { tile = 128, depth = 64, stages = 4, half_stage = tile * depth * 2, warps = 8 };

extern "C" __global__ void gemm_wgmma(tensor_map const* a, tensor_map const* b, float* c, int n, int k) {
    extern __shared__ __attribute__((aligned(1024))) unsigned char shared[];
    unsigned const matrices = shared_address(shared);
    unsigned const full = matrices + stages * 2 * half_stage, free = full + stages * 8;
    int const row = blockIdx.y * tile, column = blockIdx.x * tile;
    int const steps = k / depth;
    if (threadIdx.x == 0)
        for (int i = 0; i < stages; ++i) {
            make_barrier(full + 8 * i, 1);
            make_barrier(free + 8 * i, warps);
        }
    show_barriers();
    ring_place at;
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x != 0) return;
        for (int step = 0; step < steps; ++step, at.advance(stages)) {
            unsigned const to = matrices + at.stage * 2 * half_stage, barrier = full + 8 * at.stage;
            wait_for(free + 8 * at.stage, at.parity ^ 1);
            arrive_expecting(barrier, 2 * half_stage);
            copy_box(to, a, step * depth, row, barrier);
            copy_box(to + half_stage, b, step * depth, column, barrier);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    int const group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32;
    float sum[64];
    for (int step = 0; step < steps; ++step) {
        wait_for(full + 8 * at.stage, at.parity);
        unsigned const left = matrices + at.stage * 2 * half_stage + group * half_stage / 2;
        unsigned const right = matrices + at.stage * 2 * half_stage + half_stage;
        begin_products();
#pragma unroll
        for (int deep = 0; deep < depth; deep += 16)
            multiply_group(sum, matrix_at(left + deep * 2), matrix_at(right + deep * 2), step + deep != 0);
        commit_products();
        // The products of the step before are done: its stage is free.
        await_products<1>();
        if (step > 0 && lane == 0) arrive(free + 8 * ((at.stage + stages - 1) % stages));
        at.advance(stages);
    }
    await_products<0>();
    int const first = row + group * 64 + threadIdx.x % 128 / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < tile / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            *reinterpret_cast<float2*>(
                &c[static_cast<long long>(first + half * 8) * n + column + j * 8 + lane % 4 * 2]) =
                float2{sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]};
}
