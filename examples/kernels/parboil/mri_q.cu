// The Q matrix of an image reconstruction: each thread has one voxel and sums over all samples of k-space,
// which lie in constant memory, a tile of them at a time.
#include "cuda.hpp"

enum { tile = 1024 };

struct sample {
    float x, y, z, magnitude;
};
__constant__ sample samples[tile];

extern "C" __global__ void mri_q_magnitude(float const* real, float const* imaginary, float* magnitude,
                                           int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) magnitude[i] = fmaf(real[i], real[i], imaginary[i] * imaginary[i]);
}

// `count` samples of the tile.
extern "C" __global__ void mri_q(float const* x, float const* y, float const* z, float* q_real,
                                 float* q_imaginary, int count, int voxels) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= voxels) return;
    float const at_x = x[i], at_y = y[i], at_z = z[i];
    float real = q_real[i], imaginary = q_imaginary[i];
    for (int k = 0; k < count; ++k) {
        sample const& s = samples[k];
        float const angle = 6.2831855f * fmaf(s.z, at_z, fmaf(s.y, at_y, s.x * at_x));
        real = fmaf(s.magnitude, cosf(angle), real);
        imaginary = fmaf(s.magnitude, sinf(angle), imaginary);
    }
    q_real[i] = real;
    q_imaginary[i] = imaginary;
}
