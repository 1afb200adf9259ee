// The kernels of the heat program.
#include "heat.hpp"

__constant__ float speed;

namespace {

constexpr int tile = 16;

__global__ void step(float const* from, float* to, plate size) {
    __shared__ float cells[tile + 2][tile + 2];
    int const x = blockIdx.x * tile + threadIdx.x;
    int const y = blockIdx.y * tile + threadIdx.y;
    auto const at = [&](int cx, int cy) {
        cx = min(max(cx, 0), size.width - 1);
        cy = min(max(cy, 0), size.height - 1);
        return from[cy * size.width + cx];
    };
    int const tx = threadIdx.x + 1;
    int const ty = threadIdx.y + 1;
    cells[ty][tx] = at(x, y);
    if (threadIdx.x == 0) cells[ty][0] = at(x - 1, y);
    if (threadIdx.x == tile - 1) cells[ty][tile + 1] = at(x + 1, y);
    if (threadIdx.y == 0) cells[0][tx] = at(x, y - 1);
    if (threadIdx.y == tile - 1) cells[tile + 1][tx] = at(x, y + 1);
    __syncthreads();
    if (x >= size.width || y >= size.height) return;
    float const mean =
        0.25f * ((cells[ty - 1][tx] + cells[ty + 1][tx]) + (cells[ty][tx - 1] + cells[ty][tx + 1]));
    to[y * size.width + x] = __fmaf_rn(speed, __fsub_rn(mean, cells[ty][tx]), cells[ty][tx]);
}

__global__ void sum(float const* cells, int count, double* result) {
    double own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        own += cells[i];
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(0xffffffff, own, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(result, own);
}

} // namespace

cudaError_t set_speed(float value) { return cudaMemcpyToSymbol(speed, &value, sizeof value); }

cudaError_t launch_step(float const* from, float* to, plate size, cudaStream_t stream) {
    dim3 const block(tile, tile);
    dim3 const grid((size.width + tile - 1) / tile, (size.height + tile - 1) / tile);
    step<<<grid, block, 0, stream>>>(from, to, size);
    return cudaGetLastError();
}

cudaError_t launch_sum(float const* cells, int count, double* result, cudaStream_t stream) {
    sum<<<8, 128, 0, stream>>>(cells, count, result);
    return cudaGetLastError();
}
