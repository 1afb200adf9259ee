// make_ptx: sm_80 ptx70
// The step between two layers of Llama, fused: residual += x, out = residual / sqrt(mean of its squares + epsilon) *
// weight, in half precision, a CTA a row.
#include "language/device.hpp"

extern "C" __global__ void rms_norm(half_bits const* x, half_bits* residual, half_bits const* weight,
                                    half_bits* out, int columns, float epsilon) {
    __shared__ float partial[32];
    unsigned long long const first = static_cast<unsigned long long>(blockIdx.x) * columns;
    float squares = 0;
    for (int c = 8 * threadIdx.x; c < columns; c += 8 * blockDim.x) {
        eight e = load_eight(x + first + c);
        eight const r = load_eight(residual + first + c);
        for (int i = 0; i < 8; ++i) {
            e.x[i] += r.x[i];
            squares = fmaf(e.x[i], e.x[i], squares);
        }
        store_eight(residual + first + c, e);
    }
    float const mean = fdividef(sum_of_cta(squares, partial), static_cast<float>(columns));
    float const scale = rsqrtf(mean + epsilon);
    for (int c = 8 * threadIdx.x; c < columns; c += 8 * blockDim.x) {
        eight e = load_eight(residual + first + c); // what this thread stored
        eight const w = load_eight(weight + c);
        for (int i = 0; i < 8; ++i) e.x[i] = e.x[i] * scale * w.x[i];
        store_eight(out + first + c, e);
    }
}
