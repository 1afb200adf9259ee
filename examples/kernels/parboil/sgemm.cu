// C = A B for column-major A and C and row-major B: CTAs of 16 x 8 threads, each with 128 x 16 elements of C,
// 16 in registers per thread. Tiles of B of 8 x 16 lie in shared memory; A is read from global memory, one
// element per thread and step.
#include "cuda.hpp"

enum { columns = 16, depth = 8, rows = columns * depth };

extern "C" __global__ void sgemm(float const* a, float const* b, float* c, int m, int n, int k) {
    __shared__ float tile[depth][columns];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const row = blockIdx.x * rows + ty * columns + tx;
    int const first = blockIdx.y * columns;
    float sum[columns];
    for (int j = 0; j < columns; ++j) sum[j] = 0;
    for (int i = 0; i < k; i += depth) {
        tile[ty][tx] = b[(i + ty) * n + first + tx];
        __syncthreads();
        for (int l = 0; l < depth; ++l) {
            float const element = a[(i + l) * m + row];
            for (int j = 0; j < columns; ++j) sum[j] = fmaf(element, tile[l][j], sum[j]);
        }
        __syncthreads();
    }
    for (int j = 0; j < columns; ++j) c[(first + j) * m + row] = sum[j];
}
