// Breadth-first search, one thread per node, two launches per level: expand marks the unvisited neighbours of
// the frontier, update makes them the next frontier and reports whether there was any.
#include "cuda.hpp"

struct node {
    int first; // of its edges
    int count;
};

extern "C" __global__ void bfs_expand(node const* nodes, int const* edges, unsigned char* frontier,
                                      unsigned char* reached, unsigned char const* visited, int* cost,
                                      int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !frontier[i]) return;
    frontier[i] = 0;
    for (int e = nodes[i].first; e < nodes[i].first + nodes[i].count; ++e) {
        int const neighbour = edges[e];
        if (!visited[neighbour]) {
            cost[neighbour] = cost[i] + 1;
            reached[neighbour] = 1;
        }
    }
}

extern "C" __global__ void bfs_update(unsigned char* frontier, unsigned char* reached, unsigned char* visited,
                                      int* more, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !reached[i]) return;
    frontier[i] = 1;
    visited[i] = 1;
    reached[i] = 0;
    *more = 1;
}
