// Denoising a magnetic resonance volume by total variation under Rician noise: each step first works out how steep the
// image is around each voxel, then moves each voxel towards its neighbours, the less the steeper, and towards what was
// measured. A thread per voxel, straight from global memory; the volume's outermost voxels stay.
#include "cuda.hpp"

enum { across = 32, down = 8 };

struct volume {
    int nx, ny, nz;
};

struct numbers {
    float epsilon, step, fidelity, inverse_variance;
};

WARPKIT_DEVICE bool inside(volume v, int& at) {
    int const x = blockIdx.x * across + threadIdx.x + 1, y = blockIdx.y * down + threadIdx.y + 1,
              z = blockIdx.z + 1;
    at = (z * v.ny + y) * v.nx + x;
    return x < v.nx - 1 && y < v.ny - 1;
}

extern "C" __global__ void denoise_steepness(float const* image, float* steepness, volume v, float epsilon) {
    int at;
    if (!inside(v, at)) return;
    int const plane = v.nx * v.ny;
    float const own = image[at];
    float sum = epsilon;
    int const steps[6] = {1, -1, v.nx, -v.nx, plane, -plane};
    for (int k = 0; k < 6; ++k) {
        float const difference = own - image[at + steps[k]];
        sum = fmaf(difference, difference, sum);
    }
    steepness[at] = 1.0f / sqrtf(sum);
}

extern "C" __global__ void denoise_step(float const* image, float const* measured, float const* steepness,
                                        float* next, volume v, numbers n) {
    int at;
    if (!inside(v, at)) return;
    int const plane = v.nx * v.ny;
    float const own = image[at], seen = measured[at];
    // A rational approximation of the ratio of the Bessel functions I1 and I0.
    float const x = own * seen * n.inverse_variance;
    float const ratio =
        x * fmaf(x, x + 0.950037f, 2.38944f) / fmaf(x, fmaf(x, x + 1.48937f, 2.57541f), 4.65314f);
    float pulled = n.fidelity * seen * ratio, weight = n.fidelity;
    int const steps[6] = {1, -1, v.nx, -v.nx, plane, -plane};
    for (int k = 0; k < 6; ++k) {
        float const g = steepness[at + steps[k]];
        pulled = fmaf(image[at + steps[k]], g, pulled);
        weight += g;
    }
    next[at] = fmaf(n.step, pulled, own) / fmaf(n.step, weight, 1.0f);
}
