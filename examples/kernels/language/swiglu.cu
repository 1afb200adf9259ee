// make_ptx: sm_80 ptx70
// out[r][c] = g / (1 + exp(-g)) * u with g = x[r][c] and u = x[r][columns + c], in half precision: what lies between
// the two products of a feed-forward layer of Llama (Shazeer: GLU variants improve transformer, 2020), eight elements a
// thread, a row of CTAs a row.
#include "language/device.hpp"

extern "C" __global__ void swiglu(half_bits const* x, half_bits* out, int columns) {
    int const c = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= columns) return;
    unsigned long long const row = blockIdx.y;
    eight e = load_eight(x + row * 2 * columns + c);
    eight const up = load_eight(x + (row * 2 + 1) * columns + c);
    for (int i = 0; i < 8; ++i) e.x[i] = fdividef(e.x[i], 1 + expf(-e.x[i])) * up.x[i];
    store_eight(out + row * columns + c, e);
}
