// In how many ways queens can be placed so that none attacks another: each thread goes through the ways to fill the
// last rows, below a beginning that the host has made. Its stack, four words per row, is in shared memory.
#include "cuda.hpp"

enum { threads = 96, most_rows = 10 };

// x: columns taken; y and z: diagonals taken, as seen from the row.
extern "C" __global__ void n_queens(uint4 const* beginnings, unsigned* ways, int count, int rows,
                                    unsigned board) {
    __shared__ unsigned taken[most_rows][threads], left[most_rows][threads], right[most_rows][threads],
        free[most_rows][threads];
    __shared__ unsigned sums[threads];
    int const t = threadIdx.x, i = blockIdx.x * threads + t;
    unsigned found = 0;
    if (i < count) {
        uint4 const begin = beginnings[i];
        taken[0][t] = begin.x;
        left[0][t] = begin.y;
        right[0][t] = begin.z;
        free[0][t] = board & ~(begin.x | begin.y | begin.z);
        int row = 0;
#pragma unroll 1
        while (row >= 0) {
            unsigned const places = free[row][t];
            if (places == 0) {
                --row;
                continue;
            }
            unsigned const queen = places & -places;
            free[row][t] = places ^ queen;
            if (row + 1 == rows) {
                ++found;
                continue;
            }
            unsigned const columns = taken[row][t] | queen;
            unsigned const down_left = (left[row][t] | queen) << 1;
            unsigned const down_right = (right[row][t] | queen) >> 1;
            ++row;
            taken[row][t] = columns;
            left[row][t] = down_left;
            right[row][t] = down_right;
            free[row][t] = board & ~(columns | down_left | down_right);
        }
    }
    sums[t] = found;
#pragma unroll 1
    for (int stride = 64; stride > 0; stride /= 2) {
        __syncthreads();
        if (t < stride && t + stride < threads) sums[t] += sums[t + stride];
        __syncthreads();
    }
    if (t == 0) ways[blockIdx.x] = sums[0];
}
