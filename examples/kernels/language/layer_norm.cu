// make_ptx: sm_80 ptx70
// out[r] = (x[r] - mean) / sqrt(variance + epsilon) * weight + bias of each row in half precision, a warp a row: three
// passes, of which the L1 should serve the second and the third.
#include "language/device.hpp"

extern "C" __global__ void layer_norm(half_bits const* x, half_bits const* weight, half_bits const* bias,
                                      half_bits* out, int rows, int columns, float epsilon) {
    int const lane = threadIdx.x % 32;
    int const r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (r >= rows) return;
    half_bits const* const row = x + static_cast<unsigned long long>(r) * columns;
    half_bits* const to = out + static_cast<unsigned long long>(r) * columns;
    float sum = 0;
    for (int c = 8 * lane; c < columns; c += 256) {
        eight const e = load_eight(row + c);
        for (int i = 0; i < 8; ++i) sum += e.x[i];
    }
    float const mean = fdividef(sum_of_warp(sum), static_cast<float>(columns));
    float squares = 0;
    for (int c = 8 * lane; c < columns; c += 256) {
        eight const e = load_eight(row + c);
        for (int i = 0; i < 8; ++i) squares = fmaf(e.x[i] - mean, e.x[i] - mean, squares);
    }
    float const scale = rsqrtf(fdividef(sum_of_warp(squares), static_cast<float>(columns)) + epsilon);
    for (int c = 8 * lane; c < columns; c += 256) {
        eight e = load_eight(row + c);
        eight const w = load_eight(weight + c);
        eight const b = load_eight(bias + c);
        for (int i = 0; i < 8; ++i) e.x[i] = fmaf((e.x[i] - mean) * scale, w.x[i], b.x[i]);
        store_eight(to + c, e);
    }
}
