// The cheapest way down a wall of weights: each launch goes `steps` rows down. A CTA of 256 threads loads a
// row segment with a ghost zone `steps` wide, and what it computes shrinks by one at both ends per row.
#include "cuda.hpp"

enum { width = 256 };

extern "C" __global__ void pathfinder(int const* wall, int const* from, int* to, int columns, int first_row,
                                      int steps) {
    __shared__ int before[width];
    __shared__ int after[width];
    int const t = threadIdx.x;
    int const x0 = static_cast<int>(blockIdx.x) * (width - 2 * steps) - steps;
    int const x = x0 + t;
    bool const inside = x >= 0 && x < columns;
    if (inside) before[t] = from[x];
    __syncthreads();

    int const west = max(t - 1, max(-x0, 0)), east = min(t + 1, min(columns - 1 - x0, width - 1));
    bool mine = false;
    for (int i = 0; i < steps; ++i) {
        mine = inside && t > i && t < width - 1 - i;
        if (mine) {
            int const cheapest = min(before[t], min(before[west], before[east]));
            after[t] = cheapest + wall[(first_row + i) * columns + x];
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (mine) before[t] = after[t];
        __syncthreads();
    }
    if (mine) to[x] = after[t];
}
