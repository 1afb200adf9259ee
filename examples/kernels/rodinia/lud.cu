// LU decomposition in place, in tiles of 16 x 16, three launches per tile of the diagonal: this tile, the tiles beside and
// below it, and the rest.
#include "cuda.hpp"

enum { side = 16 };

extern "C" __global__ void lud_diagonal(float* m, int dimension, int offset) {
    __shared__ float tile[side][side];
    int const t = threadIdx.x;
    float* const corner = m + offset * dimension + offset;
#pragma unroll
    for (int i = 0; i < side; ++i) tile[i][t] = corner[i * dimension + t];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < side - 1; ++i) {
        if (t > i) {
#pragma unroll 1
            for (int j = 0; j < i; ++j) tile[t][i] = fmaf(-tile[t][j], tile[j][i], tile[t][i]);
            tile[t][i] /= tile[i][i];
        }
        __syncthreads();
        if (t > i) {
#pragma unroll 1
            for (int j = 0; j < i + 1; ++j)
                tile[i + 1][t] = fmaf(-tile[i + 1][j], tile[j][t], tile[i + 1][t]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 1; i < side; ++i) corner[i * dimension + t] = tile[i][t];
}

// The first half of the warp takes the tile to the right, the second half the tile below.
extern "C" __global__ void lud_perimeter(float* m, int dimension, int offset) {
    __shared__ float diagonal[side][side];
    __shared__ float right[side][side];
    __shared__ float below[side][side];
    int const t = threadIdx.x % side;
    bool const is_right = threadIdx.x < side;
    float* const corner = m + offset * dimension + offset;
    float* const right_corner = corner + (blockIdx.x + 1) * side;
    float* const below_corner = corner + (blockIdx.x + 1) * side * dimension;
    if (is_right) {
#pragma unroll
        for (int i = 0; i < side / 2; ++i) diagonal[i][t] = corner[i * dimension + t];
#pragma unroll
        for (int i = 0; i < side; ++i) right[i][t] = right_corner[i * dimension + t];
    } else {
#pragma unroll
        for (int i = side / 2; i < side; ++i) diagonal[i][t] = corner[i * dimension + t];
#pragma unroll
        for (int i = 0; i < side; ++i) below[i][t] = below_corner[i * dimension + t];
    }
    __syncthreads();
    if (is_right) {
#pragma unroll 1
        for (int i = 1; i < side; ++i)
#pragma unroll 1
            for (int j = 0; j < i; ++j) right[i][t] = fmaf(-diagonal[i][j], right[j][t], right[i][t]);
    } else {
#pragma unroll 1
        for (int i = 0; i < side; ++i) {
#pragma unroll 1
            for (int j = 0; j < i; ++j) below[t][i] = fmaf(-below[t][j], diagonal[j][i], below[t][i]);
            below[t][i] /= diagonal[i][i];
        }
    }
    __syncthreads();
    if (is_right) {
#pragma unroll
        for (int i = 1; i < side; ++i) right_corner[i * dimension + t] = right[i][t];
    } else {
#pragma unroll
        for (int i = 0; i < side; ++i) below_corner[i * dimension + t] = below[i][t];
    }
}

extern "C" __global__ void lud_internal(float* m, int dimension, int offset) {
    __shared__ float row[side][side];
    __shared__ float column[side][side];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const x = offset + (blockIdx.x + 1) * side + tx;
    int const y = offset + (blockIdx.y + 1) * side + ty;
    row[ty][tx] = m[(offset + ty) * dimension + x];
    column[ty][tx] = m[y * dimension + offset + tx];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < side; ++i) sum = fmaf(column[ty][i], row[i][tx], sum);
    m[y * dimension + x] -= sum;
}
