// Which documents link to which address: a thread per document looks for links byte by byte, first to count them, then to
// write down the hash of each address with the document; then all are sorted.
#include "cuda.hpp"
#include "mapreduce/sort.hpp"

__constant__ unsigned char opening[16]; // <a href="
enum { opening_size = 9 };

extern "C" __global__ void map_count(unsigned char const* text, int const* first, int* links, int documents) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= documents) return;
    unsigned char const* const end = text + first[i + 1];
    int found = 0, matched = 0;
#pragma unroll 1
    for (unsigned char const* at = text + first[i]; at != end; ++at) {
        unsigned char const c = *at;
        matched = c == opening[matched] ? matched + 1 : c == opening[0] ? 1 : 0;
        if (matched == opening_size) {
            ++found;
            matched = 0;
        }
    }
    links[i] = found;
}

extern "C" __global__ void map_emit(unsigned char const* text, int const* first, int const* place,
                                    unsigned long long* keys, int documents) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= documents) return;
    unsigned char const* const end = text + first[i + 1];
    unsigned long long* to = keys + place[i];
    int matched = 0;
#pragma unroll 1
    for (unsigned char const* at = text + first[i]; at != end; ++at) {
        unsigned char const c = *at;
        matched = c == opening[matched] ? matched + 1 : c == opening[0] ? 1 : 0;
        if (matched == opening_size) {
            unsigned hash = 2166136261u;
#pragma unroll 1
            for (++at; *at != '"'; ++at) hash = (hash ^ *at) * 16777619u;
            *to++ = static_cast<unsigned long long>(hash) << 32 | i;
            matched = 0;
        }
    }
}
