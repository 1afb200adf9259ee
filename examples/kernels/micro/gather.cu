// Each thread follows pointers through a table, adding up what it meets. A node is (next, value).
#include "cuda.hpp"

extern "C" __global__ void gather(uint2 const* nodes, unsigned const* start, unsigned* sums, unsigned threads,
                                  unsigned hops) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;
    unsigned at = start[i];
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned h = 0; h < hops; ++h) {
        uint2 const node = nodes[at];
        sum += node.y;
        at = node.x;
    }
    sums[i] = sum ^ at;
}
