// Orders pages by how often they were viewed, out of lines of an address and a number: a thread per line reads both, and
// emits the number as key and the address as value; then all are sorted.
#include "cuda.hpp"
#include "mapreduce/sort.hpp"

extern "C" __global__ void map_count(unsigned char const* lines, int const* first, int* sizes, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned char const* const begin = lines + first[i];
    int size = 0;
#pragma unroll 1
    while (begin[size] != '\t') ++size;
    sizes[i] = size;
}

extern "C" __global__ void map_emit(unsigned char const* lines, int const* first, int const* place,
                                    unsigned char* addresses, unsigned long long* keys, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    unsigned char const* at = lines + first[i];
    unsigned char* to = addresses + place[i];
#pragma unroll 1
    for (; *at != '\t'; ++at) *to++ = *at;
    unsigned views = 0;
#pragma unroll 1
    for (++at; *at != '\n'; ++at) views = views * 10 + (*at - '0');
    keys[i] = static_cast<unsigned long long>(views) << 32 | i;
}
