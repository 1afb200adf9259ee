// The eight ways in which the transpose sample moves a matrix (Ruetsch and Micikevicius: Optimizing Matrix Transpose in
// CUDA, NVIDIA 2009), in tiles of 16 x 16 with a thread per element: two copies and two halves of a transpose to
// measure against, and four whole transposes.
#include "cuda.hpp"

enum { tile = 16 };

struct place {
    int x, y;
};
WARPKIT_DEVICE place own() {
    return {static_cast<int>(blockIdx.x * tile + threadIdx.x),
            static_cast<int>(blockIdx.y * tile + threadIdx.y)};
}
// The thread's element of the tile that the CTA's becomes.
WARPKIT_DEVICE place mirrored() {
    return {static_cast<int>(blockIdx.y * tile + threadIdx.x),
            static_cast<int>(blockIdx.x * tile + threadIdx.y)};
}

extern "C" __global__ void transpose_copy(float const* in, float* out, int width, int height) {
    place const at = own();
    if (at.x < width && at.y < height) out[at.y * width + at.x] = in[at.y * width + at.x];
}

extern "C" __global__ void transpose_copy_shared(float const* in, float* out, int width, int height) {
    __shared__ float cell[tile][tile];
    place const at = own();
    bool const inside = at.x < width && at.y < height;
    if (inside) cell[threadIdx.y][threadIdx.x] = in[at.y * width + at.x];
    __syncthreads();
    if (inside) out[at.y * width + at.x] = cell[threadIdx.y][threadIdx.x];
}

// Each warp's store touches as many lines as it has columns.
extern "C" __global__ void transpose_direct(float const* in, float* out, int width, int height) {
    place const at = own();
    if (at.x < width && at.y < height) out[at.x * height + at.y] = in[at.y * width + at.x];
}

// Turned round in shared memory, with the columns of a tile all in one bank.
extern "C" __global__ void transpose_coalesced(float const* in, float* out, int width, int height) {
    __shared__ float cell[tile][tile];
    place const at = own(), to = mirrored();
    if (at.x < width && at.y < height) cell[threadIdx.y][threadIdx.x] = in[at.y * width + at.x];
    __syncthreads();
    if (to.x < height && to.y < width) out[to.y * height + to.x] = cell[threadIdx.x][threadIdx.y];
}

// The same with a column to spare, which spreads columns over the banks.
extern "C" __global__ void transpose_no_conflicts(float const* in, float* out, int width, int height) {
    __shared__ float cell[tile][tile + 1];
    place const at = own(), to = mirrored();
    if (at.x < width && at.y < height) cell[threadIdx.y][threadIdx.x] = in[at.y * width + at.x];
    __syncthreads();
    if (to.x < height && to.y < width) out[to.y * height + to.x] = cell[threadIdx.x][threadIdx.y];
}

// The same again, but consecutive CTAs have tiles on a diagonal, and so different channels of memory.
extern "C" __global__ void transpose_diagonal(float const* in, float* out, int width, int height) {
    __shared__ float cell[tile][tile + 1];
    int across, down;
    if (width == height) {
        down = blockIdx.x;
        across = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int const cta = blockIdx.x + gridDim.x * blockIdx.y;
        down = cta % gridDim.y;
        across = (cta / gridDim.y + down) % gridDim.x;
    }
    int const x = across * tile + threadIdx.x, y = down * tile + threadIdx.y;
    if (x < width && y < height) cell[threadIdx.y][threadIdx.x] = in[y * width + x];
    __syncthreads();
    int const u = down * tile + threadIdx.x, v = across * tile + threadIdx.y;
    if (u < height && v < width) out[v * height + u] = cell[threadIdx.x][threadIdx.y];
}

// Elements change places within a tile, tiles do not. Tiles at the edges stay as they are where they are not whole.
extern "C" __global__ void transpose_fine_grained(float const* in, float* out, int width, int height) {
    __shared__ float cell[tile][tile + 1];
    place const at = own();
    bool const inside = at.x < width && at.y < height;
    if (inside) cell[threadIdx.y][threadIdx.x] = in[at.y * width + at.x];
    __syncthreads();
    bool const whole = (blockIdx.x + 1) * tile <= width && (blockIdx.y + 1) * tile <= height;
    if (inside)
        out[at.y * width + at.x] = whole ? cell[threadIdx.x][threadIdx.y] : cell[threadIdx.y][threadIdx.x];
}

// Tiles change places, the elements within them do not, but for those of tiles that are not whole.
extern "C" __global__ void transpose_coarse_grained(float const* in, float* out, int width, int height) {
    __shared__ float cell[tile][tile + 1];
    place const at = own(), to = mirrored();
    if (at.x < width && at.y < height) cell[threadIdx.y][threadIdx.x] = in[at.y * width + at.x];
    __syncthreads();
    bool const whole = (blockIdx.x + 1) * tile <= width && (blockIdx.y + 1) * tile <= height;
    if (to.x < height && to.y < width)
        out[to.y * height + to.x] = whole ? cell[threadIdx.y][threadIdx.x] : cell[threadIdx.x][threadIdx.y];
}
