// Breadth-first search, one thread per node and one launch per level (Harish and Narayanan: Accelerating large graph
// algorithms on the GPU using CUDA, HiPC 2007). A node that is marked in a launch waits for the next: its cost says so.
#include "cuda.hpp"

struct node {
    int first; // of its edges
    int count;
};

extern "C" __global__ void bfs_one_launch(node const* nodes, int const* edges, int* frontier, int* visited,
                                          int* cost, int* more, int n, int level) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !frontier[i] || cost[i] != level) return;
    frontier[i] = 0;
    visited[i] = 1;
    node const own = nodes[i];
#pragma unroll 1
    for (int e = own.first; e < own.first + own.count; ++e) {
        int const neighbour = edges[e];
        if (!visited[neighbour] && cost[neighbour] < 0) {
            cost[neighbour] = level + 1;
            frontier[neighbour] = 1;
            *more = 1;
        }
    }
}
