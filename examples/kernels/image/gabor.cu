// Gabor filter: the magnitude of an image's response to a wave under a bell, 15 x 15 complex taps in constant
// memory. One thread per pixel, straight from global memory; outside the image is nothing.
#include "cuda.hpp"

enum { radius = 7, across = 2 * radius + 1 };

__constant__ float2 taps[across * across];

extern "C" __global__ void gabor(float const* image, float* response, int width, int height) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float even = 0, odd = 0;
    for (int j = -radius; j <= radius; ++j) {
        if (y + j < 0 || y + j >= height) continue;
        float const* const row = image + (y + j) * width + x;
        float2 const* const tap = taps + (j + radius) * across + radius;
        for (int i = -radius; i <= radius; ++i) {
            float const pixel = x + i >= 0 && x + i < width ? row[i] : 0.0f;
            even = fmaf(tap[i].x, pixel, even);
            odd = fmaf(tap[i].y, pixel, odd);
        }
    }
    response[y * width + x] = sqrtf(fmaf(even, even, odd * odd));
}
