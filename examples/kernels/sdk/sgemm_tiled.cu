// c = a b for row-major a (m x k), b (k x n), c (m x n), all multiples of 16: one element of c per thread,
// both operands through shared-memory tiles of 16 x 16.
#include "cuda.hpp"

enum { tile = 16 };

extern "C" __global__ void sgemm_tiled(float const* a, float const* b, float* c, int n, int k) {
    __shared__ float a_tile[tile][tile];
    __shared__ float b_tile[tile][tile];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const column = blockIdx.x * tile + tx;
    int const row = blockIdx.y * tile + ty;
    float sum = 0;
    for (int first = 0; first < k; first += tile) {
        a_tile[ty][tx] = a[row * k + first + tx];
        b_tile[ty][tx] = b[(first + ty) * n + column];
        __syncthreads();
        for (int i = 0; i < tile; ++i) sum = fmaf(a_tile[ty][i], b_tile[i][tx], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}
