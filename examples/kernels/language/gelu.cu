// make_ptx: sm_80 ptx70
// out = gelu(x + bias) in half precision, with the approximation by tanh that GPT-2 has (Hendrycks, Gimpel: Gaussian
// error linear units, 2016), eight elements a thread.
#include "language/device.hpp"

extern "C" __global__ void gelu(half_bits const* x, half_bits const* bias, half_bits* out, int columns,
                                int elements) {
    int const at = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (at >= elements) return;
    eight e = load_eight(x + at);
    eight const b = load_eight(bias + at % columns);
    for (int i = 0; i < 8; ++i) {
        float const v = e.x[i] + b.x[i];
        float const inner = 0.7978845608f * fmaf(0.044715f * v * v, v, v); // sqrt(2 / pi)
        e.x[i] = 0.5f * v * (1 + tanhf(inner));
    }
    store_eight(out + at, e);
}
