// out = transpose of in (height rows of width columns), in tiles of 32 x 32 with CTAs of 32 x 8 threads, or in tiles of
// 16 x 16 with a thread per element.
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

// In tiles of 16 a line is two CTAs' of a row of tiles. Which CTA takes which tile is what these differ in.
enum { small = 16 };
typedef float small_tile[small][small + 1];

WARPKIT_DEVICE void turn(float const* in, float* out, int width, int height, int tile_x, int tile_y,
                         small_tile& cell) {
    int const x = tile_x * small + threadIdx.x;
    int const y = tile_y * small + threadIdx.y;
    if (x < width && y < height) cell[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int const u = tile_y * small + threadIdx.x;
    int const v = tile_x * small + threadIdx.y;
    if (u < height && v < width) out[v * height + u] = cell[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void transpose_rows(float const* in, float* out, int width, int height) {
    __shared__ small_tile cell;
    turn(in, out, width, height, blockIdx.x, blockIdx.y, cell);
}
// The grid is as high as there are columns of tiles.
extern "C" __global__ void transpose_columns(float const* in, float* out, int width, int height) {
    __shared__ small_tile cell;
    turn(in, out, width, height, blockIdx.y, blockIdx.x, cell);
}
// Consecutive CTAs are on a diagonal, so that they are on different channels of memory; as high as the above.
extern "C" __global__ void transpose_diagonals(float const* in, float* out, int width, int height) {
    __shared__ small_tile cell;
    turn(in, out, width, height, (blockIdx.x + blockIdx.y) % gridDim.y, blockIdx.x, cell);
}
