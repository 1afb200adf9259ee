// The detector of the scale-invariant feature transform: an image is blurred more and more, along rows and then
// along columns; differences of neighbouring scales are taken; and points that stand out among their 26
// neighbours in place and scale are marked. One thread per pixel, straight from global memory.
#include "cuda.hpp"

enum { radius = 6 };

__constant__ float taps[2 * radius + 1];

// Pixels outside take the nearest inside.
extern "C" __global__ void sift_rows(float const* in, float* out, int width, int height) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int i = -radius; i <= radius; ++i)
        sum = fmaf(taps[i + radius], in[y * width + min(max(x + i, 0), width - 1)], sum);
    out[y * width + x] = sum;
}

// 64 pixels of a column per CTA: its warps read along columns.
WARPKIT_DEVICE void blur_column(float const* in, float* out, int width, int height, int x, int y) {
    if (y >= height) return;
    float sum = 0;
    for (int i = -radius; i <= radius; ++i)
        sum = fmaf(taps[i + radius], in[min(max(y + i, 0), height - 1) * width + x], sum);
    out[y * width + x] = sum;
}
extern "C" __global__ void sift_columns(float const* in, float* out, int width, int height) {
    blur_column(in, out, width, height, blockIdx.x, blockIdx.y * blockDim.x + threadIdx.x);
}

extern "C" __global__ void sift_difference(float const* a, float const* b, float* out, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = a[i] - b[i];
}

// Marks maxima with 1 and minima with 2; counts both.
extern "C" __global__ void sift_extrema(float const* finer, float const* here, float const* coarser,
                                        unsigned char* marks, unsigned* found, float threshold, int width,
                                        int height) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int const at = y * width + x;
    float const value = here[at];
    if (fabsf(value) < threshold) return;
    bool highest = true, lowest = true;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
            int const near = at + j * width + i;
            if (!highest && !lowest) return;
            float const a = finer[near], b = here[near], c = coarser[near];
            bool const other = i != 0 || j != 0;
            highest = highest && a < value && c < value && (!other || b < value);
            lowest = lowest && a > value && c > value && (!other || b > value);
        }
    if (!highest && !lowest) return;
    marks[at] = highest ? 1 : 2;
    atomicAdd(found, 1u);
}

// As sift_columns, with CTAs numbered down the columns: those that share lines are a column's CTAs apart.
extern "C" __global__ void sift_columns_down(float const* in, float* out, int width, int height) {
    blur_column(in, out, width, height, blockIdx.y, blockIdx.x * blockDim.x + threadIdx.x);
}
