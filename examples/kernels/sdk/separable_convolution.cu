// Convolution of an image with a row of 17 taps, then with a column of them, in constant memory. A CTA loads
// its part of the image, eight pixels per thread, and those beside it into shared memory; outside the image
// is nothing.
#include "cuda.hpp"

enum { radius = 8, steps = 8 };

__constant__ float taps[2 * radius + 1];

// CTAs of 16 x 4 threads, each with 128 x 4 pixels.
extern "C" __global__ void convolve_rows(float const* in, float* out, int width) {
    enum { across = 16, down = 4 };
    __shared__ float cell[down][(steps + 2) * across];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const x = blockIdx.x * (steps * across) - across + tx; // of the halo's pixel
    int const y = blockIdx.y * down + ty;
    for (int i = 0; i < steps + 2; ++i) {
        int const at = x + i * across;
        cell[ty][i * across + tx] = at >= 0 && at < width ? in[y * width + at] : 0.0f;
    }
    __syncthreads();
    for (int i = 1; i <= steps; ++i) {
        float sum = 0;
        for (int j = -radius; j <= radius; ++j)
            sum = fmaf(taps[radius - j], cell[ty][i * across + tx + j], sum);
        out[y * width + x + i * across] = sum;
    }
}

// CTAs of 16 x 8 threads, each with 16 x 64 pixels. The extra cell per column keeps banks free of conflicts.
extern "C" __global__ void convolve_columns(float const* in, float* out, int width, int height) {
    enum { across = 16, down = 8 };
    __shared__ float cell[across][(steps + 2) * down + 1];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const x = blockIdx.x * across + tx;
    int const y = blockIdx.y * (steps * down) - down + ty; // of the halo's pixel
    for (int i = 0; i < steps + 2; ++i) {
        int const at = y + i * down;
        cell[tx][i * down + ty] = at >= 0 && at < height ? in[at * width + x] : 0.0f;
    }
    __syncthreads();
    for (int i = 1; i <= steps; ++i) {
        float sum = 0;
        for (int j = -radius; j <= radius; ++j)
            sum = fmaf(taps[radius - j], cell[tx][i * down + ty + j], sum);
        out[(y + i * down) * width + x] = sum;
    }
}
