// Forces between the pairs of a list, as far as they are within the cutoff: each thread has a pair and adds
// what it finds to both molecules.
#include "cuda.hpp"

extern "C" __global__ void moldyn(float const* x, float const* y, float const* z, int2 const* pairs,
                                  float* fx, float* fy, float* fz, int count, float cutoff_squared) {
    int const p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count) return;
    int const i = pairs[p].x, j = pairs[p].y;
    float const dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
    float const squared = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
    if (squared >= cutoff_squared) return;
    float const inverse = 1.0f / squared;
    float const sixth = inverse * inverse * inverse;
    float const force = fmaf(2.0f, sixth, -1.0f) * sixth * inverse;
    atomicAdd(&fx[i], force * dx);
    atomicAdd(&fy[i], force * dy);
    atomicAdd(&fz[i], force * dz);
    atomicAdd(&fx[j], -force * dx);
    atomicAdd(&fy[j], -force * dy);
    atomicAdd(&fz[j], -force * dz);
}
