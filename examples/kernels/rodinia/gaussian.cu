// Gaussian elimination, two launches per column: the multipliers of the rows below, then these rows.
#include "cuda.hpp"

extern "C" __global__ void gaussian_multipliers(float* m, float const* a, int size, int t) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size - 1 - t) return;
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

// Threads along x take rows, threads along y columns.
extern "C" __global__ void gaussian_rows(float const* m, float* a, float* b, int size, int t) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 - t || y >= size - t) return;
    int const row = x + 1 + t;
    a[size * row + y + t] = fmaf(-m[size * row + t], a[size * t + y + t], a[size * row + y + t]);
    if (y == 0) b[row] = fmaf(-m[size * row + t], b[t], b[row]);
}
