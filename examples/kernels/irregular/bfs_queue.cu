// Breadth-first search of a circuit: each thread takes a node of the frontier out of a queue and gives a level to those
// of the four that it drives that have none. Who drives fewer has one of them several times.
#include "cuda.hpp"

extern "C" __global__ void bfs_queue(int const* queue, int4 const* drives, int* level, int count, int next) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int4 const to = drives[queue[i]];
    int const a = level[to.x], b = level[to.y], c = level[to.z], d = level[to.w];
    if (a < 0) level[to.x] = next;
    if (b < 0) level[to.y] = next;
    if (c < 0) level[to.z] = next;
    if (d < 0) level[to.w] = next;
}
