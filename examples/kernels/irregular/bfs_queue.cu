// Breadth-first search of a circuit: each thread takes a node without a level out of a queue, and gives it one if any
// of the four that drive it has one. Whom fewer drive has one of them several times.
#include "cuda.hpp"

extern "C" __global__ void bfs_queue(int const* queue, int4 const* drivers, int* level, int count, int next) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int const node = queue[i];
    int4 const from = drivers[node];
    int const a = level[from.x], b = level[from.y], c = level[from.z], d = level[from.w];
    if (max(max(a, b), max(c, d)) >= 0) level[node] = next;
}
