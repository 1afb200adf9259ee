// Searches in a B+ tree of order 256: a CTA of 256 threads per query, which compares all keys of a node at once and goes
// down level by level. find_range does so for both ends of a range.
#include "cuda.hpp"

enum { order = 256 };

struct node {
    int location;
    int indices[order + 1]; // of children; in leaves, of records
    int keys[order + 1];
    int is_leaf;
    int count;
};

extern "C" __global__ void find_key(int height, node const* nodes, int node_count, int const* records,
                                    int* current, int* next, int const* keys, int* answers) {
    int const t = threadIdx.x, b = blockIdx.x;
#pragma unroll 1
    for (int level = 0; level < height; ++level) {
        if (nodes[current[b]].keys[t] <= keys[b] && nodes[current[b]].keys[t + 1] > keys[b])
            if (nodes[next[b]].indices[t] < node_count) next[b] = nodes[next[b]].indices[t];
        __syncthreads();
        if (t == 0) current[b] = next[b];
        __syncthreads();
    }
    if (nodes[current[b]].keys[t] == keys[b]) answers[b] = records[nodes[current[b]].indices[t]];
}

extern "C" __global__ void find_range(int height, node const* nodes, int node_count, int* first,
                                      int* next_first, int* last, int* next_last, int const* start,
                                      int const* end, int* record, int* length) {
    int const t = threadIdx.x, b = blockIdx.x;
#pragma unroll 1
    for (int level = 0; level < height; ++level) {
        if (nodes[first[b]].keys[t] <= start[b] && nodes[first[b]].keys[t + 1] > start[b])
            if (nodes[first[b]].indices[t] < node_count) next_first[b] = nodes[first[b]].indices[t];
        if (nodes[last[b]].keys[t] <= end[b] && nodes[last[b]].keys[t + 1] > end[b])
            if (nodes[last[b]].indices[t] < node_count) next_last[b] = nodes[last[b]].indices[t];
        __syncthreads();
        if (t == 0) {
            first[b] = next_first[b];
            last[b] = next_last[b];
        }
        __syncthreads();
    }
    if (nodes[first[b]].keys[t] == start[b]) record[b] = nodes[first[b]].indices[t];
    __syncthreads();
    if (nodes[last[b]].keys[t] == end[b]) length[b] = nodes[last[b]].indices[t] - record[b] + 1;
}
