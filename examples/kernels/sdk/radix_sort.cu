// Sorts 32-bit keys, four bits at a time: blocks of 1024 keys are sorted in shared memory by four splits; where
// each digit begins in half a block is found; the counts of all are scanned; and each half puts its keys where
// they belong.
#include "sdk/scan_kernels.hpp"

enum { threads = 256, half = 2 * threads, digits = 16 };

// Sum of `value` over the threads before this one; `total` is that over all. `cell` has 2 * threads words, of which the
// first of each 64 stay zero so that a warp's steps need no test.
WARPKIT_DEVICE unsigned sum_before(unsigned value, unsigned& total, unsigned volatile* cell) {
    int const t = threadIdx.x;
    int const lane = t & 31, warp = t >> 5;
    unsigned volatile* const mine = cell + 64 * warp + 32 + lane;
    mine[-32] = 0;
    mine[0] = value;
    unsigned sum = value; // a warp runs in step: no barrier
    for (int distance = 1; distance < 32; distance *= 2) {
        sum += mine[-distance];
        mine[0] = sum;
    }
    __syncthreads();
    unsigned before = 0;
    total = 0;
    for (int w = 0; w < threads / 32; ++w) {
        unsigned const all = cell[64 * w + 63];
        if (w < warp) before += all;
        total += all;
    }
    __syncthreads();
    return before + sum - value;
}

// Sorts the keys of a block by the four bits from `bit` on, keeping the order of equal ones.
extern "C" __global__ void radix_sort_blocks(uint4 const* in, uint4* out, int bit) {
    __shared__ unsigned cell[4 * threads];
    int const t = threadIdx.x;
    uint4 const loaded = in[blockIdx.x * threads + t];
    unsigned key[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
    for (int b = bit; b < bit + 4; ++b) {
        unsigned zeros = 0;
        for (int i = 0; i < 4; ++i) zeros += ~key[i] >> b & 1;
        unsigned total;
        unsigned before = sum_before(zeros, total, cell);
        for (int i = 0; i < 4; ++i) {
            bool const zero = !(key[i] >> b & 1);
            unsigned const rank = zero ? before : total + 4 * t + i - before;
            if (zero) ++before;
            cell[(rank & 3) * threads + (rank >> 2)] = key[i];
        }
        __syncthreads();
        for (int i = 0; i < 4; ++i) key[i] = cell[i * threads + t];
        __syncthreads();
    }
    uint4 sorted;
    sorted.x = key[0];
    sorted.y = key[1];
    sorted.z = key[2];
    sorted.w = key[3];
    out[blockIdx.x * threads + t] = sorted;
}

// Where each digit begins in half a block, and how often it is there (digit by digit).
extern "C" __global__ void radix_find_offsets(uint2 const* keys, unsigned* begins, unsigned* counts,
                                              int bit) {
    __shared__ unsigned digit[half];
    __shared__ unsigned begin[digits];
    __shared__ unsigned end[digits];
    int const t = threadIdx.x;
    uint2 const loaded = keys[blockIdx.x * threads + t];
    digit[2 * t] = loaded.x >> bit & 15;
    digit[2 * t + 1] = loaded.y >> bit & 15;
    if (t < digits) begin[t] = end[t] = 0;
    __syncthreads();
    for (int i = t; i < half; i += threads) {
        if (i == 0 || digit[i] != digit[i - 1]) begin[digit[i]] = i;
        if (i == half - 1 || digit[i] != digit[i + 1]) end[digit[i]] = i + 1;
    }
    __syncthreads();
    if (t < digits) {
        begins[blockIdx.x * digits + t] = begin[t];
        counts[t * gridDim.x + blockIdx.x] = end[t] - begin[t];
    }
}

// `first`: the counts, scanned.
extern "C" __global__ void radix_reorder(uint2 const* keys, unsigned* out, unsigned const* begins,
                                         unsigned const* first, int bit) {
    __shared__ uint2 pair[threads];
    __shared__ unsigned to[digits];
    int const t = threadIdx.x;
    pair[t] = keys[blockIdx.x * threads + t];
    if (t < digits) to[t] = first[t * gridDim.x + blockIdx.x] - begins[blockIdx.x * digits + t];
    __syncthreads();
    unsigned const* const key = reinterpret_cast<unsigned const*>(pair);
    for (int i = t; i < half; i += threads) out[to[key[i] >> bit & 15] + i] = key[i];
}
