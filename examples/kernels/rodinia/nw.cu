// Needleman-Wunsch: the table of best alignments, in tiles of 16 x 16, a launch per diagonal of tiles. A CTA is 16
// threads, which walk the diagonals of their tile in shared memory.
#include "cuda.hpp"

enum { side = 16 };

WARPKIT_DEVICE int max3(int a, int b, int c) { return max(a, max(b, c)); }

WARPKIT_DEVICE void tile(int const* similarity, int* table, int columns, int penalty, int bx, int by) {
    __shared__ int score[side + 1][side + 1];
    __shared__ int gain[side][side];
    int const t = threadIdx.x;
    int const corner = columns * side * by + side * bx;
    int const at = corner + t + columns + 1;
    if (t == 0) score[0][0] = table[corner];
#pragma unroll
    for (int row = 0; row < side; ++row) gain[row][t] = similarity[at + columns * row];
    __syncthreads();
    score[t + 1][0] = table[corner + columns * (t + 1)];
    __syncthreads();
    score[0][t + 1] = table[corner + t + 1];
    __syncthreads();
#pragma unroll 1
    for (int m = 0; m < side; ++m) {
        if (t <= m) {
            int const x = t + 1, y = m - t + 1;
            score[y][x] = max3(score[y - 1][x - 1] + gain[y - 1][x - 1], score[y][x - 1] - penalty,
                               score[y - 1][x] - penalty);
        }
        __syncthreads();
    }
#pragma unroll 1
    for (int m = side - 2; m >= 0; --m) {
        if (t <= m) {
            int const x = t + side - m, y = side - t;
            score[y][x] = max3(score[y - 1][x - 1] + gain[y - 1][x - 1], score[y][x - 1] - penalty,
                               score[y - 1][x] - penalty);
        }
        __syncthreads();
    }
#pragma unroll
    for (int row = 0; row < side; ++row) table[at + columns * row] = score[row + 1][t + 1];
}

// The diagonals that grow, from the upper left corner on.
extern "C" __global__ void nw_growing(int const* similarity, int* table, int columns, int penalty,
                                      int diagonal) {
    int const bx = blockIdx.x;
    tile(similarity, table, columns, penalty, bx, diagonal - 1 - bx);
}

// Those that shrink, towards the lower right corner.
extern "C" __global__ void nw_shrinking(int const* similarity, int* table, int columns, int penalty,
                                        int diagonal, int width) {
    int const bx = blockIdx.x + width - diagonal;
    tile(similarity, table, columns, penalty, bx, width - 1 - static_cast<int>(blockIdx.x));
}
