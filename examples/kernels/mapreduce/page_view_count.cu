// Counts how often each page was viewed, out of a log with a line per view: address, visitor, cookie, with tabs between.
// Map in two passes, a thread per line: how long the addresses are; then the addresses and their hashes. Sorted by hash,
// then reduced, a thread per first of equals.
#include "cuda.hpp"
#include "mapreduce/sort.hpp"

extern "C" __global__ void map_count(unsigned char const* log, int const* first, int* sizes, int lines) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines) return;
    unsigned char const* const begin = log + first[i];
    int size = 0;
#pragma unroll 1
    while (begin[size] != '\t') ++size;
    sizes[i] = size;
}

extern "C" __global__ void map_emit(unsigned char const* log, int const* first, int const* place,
                                    unsigned char* addresses, unsigned long long* keys, int lines) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines) return;
    unsigned char const* const begin = log + first[i];
    unsigned char* const to = addresses + place[i];
    unsigned hash = 2166136261u;
#pragma unroll 1
    for (int k = 0; begin[k] != '\t'; ++k) {
        to[k] = begin[k];
        hash = (hash ^ begin[k]) * 16777619u;
    }
    keys[i] = static_cast<unsigned long long>(hash) << 32 | i;
}

// views[i] is how many lines have the key at i, where it is the first of its kind, and 0 elsewhere.
extern "C" __global__ void reduce(unsigned long long const* keys, int* views, int lines) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lines) return;
    unsigned const mine = keys[i] >> 32;
    int count = 0;
    if (i == 0 || static_cast<unsigned>(keys[i - 1] >> 32) != mine)
#pragma unroll 1
        for (int k = i; k < lines && static_cast<unsigned>(keys[k] >> 32) == mine; ++k) ++count;
    views[i] = count;
}
