// make_ptx: sm_80 ptx70
// out[r][c] = exp(x[r][c] - m) / sum over c of it, m the greatest of row r, in half precision, a CTA a row. The first
// pass finds the greatest and the sum at once, scaling the sum whenever a greater one is met (Milakov, Gimelshein:
// Online normalizer calculation for softmax, 2018); the second pass writes. Columns are a multiple of 8.
#include "language/device.hpp"

enum { most_warps = 32 };

// The greatest of two parts of a row, and the sum that goes with it.
WARPKIT_DEVICE void join(float& most, float& sum, float other_most, float other_sum) {
    float const m = fmaxf(most, other_most);
    sum = sum * exp2f(most - m) + other_sum * exp2f(other_most - m);
    most = m;
}

extern "C" __global__ void softmax_rows(half_bits const* x, half_bits* out, int columns) {
    __shared__ float most_of[most_warps];
    __shared__ float sum_of[most_warps];
    float const to_base_2 = 1.4426950408889634f;
    int const t = threadIdx.x, lane = t % 32;
    half_bits const* const row = x + static_cast<unsigned long long>(blockIdx.x) * columns;
    half_bits* const to = out + static_cast<unsigned long long>(blockIdx.x) * columns;
    float most = -1e30f, sum = 0;
    for (int c = 8 * t; c < columns; c += 8 * blockDim.x) {
        eight e = load_eight(row + c);
        float m = most;
        for (int i = 0; i < 8; ++i) {
            e.x[i] *= to_base_2;
            m = fmaxf(m, e.x[i]);
        }
        sum *= exp2f(most - m);
        for (int i = 0; i < 8; ++i) sum += exp2f(e.x[i] - m);
        most = m;
    }
    for (int bits = 16; bits > 0; bits /= 2)
        join(most, sum, from_lane_across(most, bits), from_lane_across(sum, bits));
    if (lane == 0) {
        most_of[t / 32] = most;
        sum_of[t / 32] = sum;
    }
    __syncthreads();
    bool const one = lane < blockDim.x / 32;
    most = one ? most_of[lane] : -1e30f;
    sum = one ? sum_of[lane] : 0;
    for (int bits = 16; bits > 0; bits /= 2)
        join(most, sum, from_lane_across(most, bits), from_lane_across(sum, bits));
    float const scale = fdividef(1, sum);
    for (int c = 8 * t; c < columns; c += 8 * blockDim.x) {
        eight e = load_eight(row + c);
        for (int i = 0; i < 8; ++i) e.x[i] = exp2f(e.x[i] * to_base_2 - most) * scale;
        store_eight(to + c, e);
    }
}
