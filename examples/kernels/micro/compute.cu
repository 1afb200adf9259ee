// One load, 200 multiply-adds in four independent chains, straight-line, one store.
#include "cuda.hpp"

extern "C" __global__ void compute(float const* a, float* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const x = a[i];
    float r0 = 0.25f, r1 = 0.5f, r2 = 0.75f, r3 = 1.0f;
#pragma unroll
    for (int j = 0; j < 50; ++j) {
        r0 = fmaf(r0, x, r0);
        r1 = fmaf(r1, x, r1);
        r2 = fmaf(r2, x, r2);
        r3 = fmaf(r3, x, r3);
    }
    c[i] = (r0 + r1) + (r2 + r3);
}
