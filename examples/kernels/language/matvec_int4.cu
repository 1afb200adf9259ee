// make_ptx: sm_80 ptx70
// y = W x, W of 4-bit integers with a scale and a zero for each 128 in a row: w = scale (q - zero), x in half precision,
// as when a language model makes one token. Two rows a warp. Of the eight integers of a word, element 2 i is the i-th
// from below, element 2 i + 1 the (4 + i)-th, so that pairs come by one shift: below the bits 0x6400 of a half, a number
// q is 1024 + q (Kim et al.: Who says elephants can't run, 2022).
#include "language/device.hpp"

enum { group = 128, per_lane = 32, rows = 2 };

extern "C" __global__ void matvec_int4(unsigned const* w, unsigned const* scales_and_zeros,
                                       half_bits const* x, float* y, int columns) {
    int const lane = threadIdx.x % 32;
    unsigned long long const first =
        (static_cast<unsigned long long>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32) * rows;
    unsigned const* const from = w + first * (columns / 8);
    unsigned const* const scaling = scales_and_zeros + first * (columns / group);
    float sum[rows] = {};
    for (int c = per_lane * lane; c < columns; c += per_lane * 32) {
        uint4 q[rows];
#pragma unroll
        for (int r = 0; r < rows; ++r) q[r] = load_16_bytes(from + r * (columns / 8) + c / 8);
        float products[rows] = {}, x_sum = 0;
#pragma unroll
        for (int word = 0; word < 4; ++word) {
            eight const e = load_eight(x + c + 8 * word);
#pragma unroll
            for (int i = 0; i < 8; ++i) x_sum += e.x[i];
#pragma unroll
            for (int r = 0; r < rows; ++r)
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    unsigned pair = (q[r][word] >> (4 * i) & 0x000f000f) | 0x64006400;
                    asm("sub.rn.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x64006400));
                    float a, b;
                    floats_of(pair, a, b);
                    products[r] = fmaf(a, e.x[2 * i], products[r]);
                    products[r] = fmaf(b, e.x[2 * i + 1], products[r]);
                }
        }
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            float scale, zero;
            floats_of(scaling[r * (columns / group) + c / group], scale, zero);
            sum[r] = fmaf(scale, fmaf(-zero, x_sum, products[r]), sum[r]);
        }
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) {
        float const total = sum_of_warp(sum[r]);
        if (lane == 0) y[first + r] = total;
    }
}
