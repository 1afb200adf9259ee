// out = transpose of in (height rows of width columns), in tiles of 32 x 32 with CTAs of 32 x 8 threads.
#include "cuda.hpp"

enum { tile = 32, rows = 8 };

// Reads along rows and writes along columns: each warp's store touches 32 lines.
extern "C" __global__ void transpose_naive(float const* in, float* out, int width, int height) {
    int const x = blockIdx.x * tile + threadIdx.x;
    int const y = blockIdx.y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < width && y + j < height) out[x * height + y + j] = in[(y + j) * width + x];
}

// Turns the tile round in shared memory, so that loads and stores both run along rows. The extra column keeps
// the column-wise reads free of bank conflicts.
extern "C" __global__ void transpose_tiled(float const* in, float* out, int width, int height) {
    __shared__ float cell[tile][tile + 1];
    int const x = blockIdx.x * tile + threadIdx.x;
    int const y = blockIdx.y * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (x < width && y + j < height) cell[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    int const u = blockIdx.y * tile + threadIdx.x;
    int const v = blockIdx.x * tile + threadIdx.y;
    for (int j = 0; j < tile; j += rows)
        if (u < height && v + j < width) out[(v + j) * height + u] = cell[threadIdx.x][threadIdx.y + j];
}
