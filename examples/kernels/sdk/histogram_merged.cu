// Histograms of 64 and of 256 bins, each in two launches: CTAs count in shared memory and write a partial histogram
// each, then a CTA per bin adds them up (Podlozhnyuk: Histogram calculation in CUDA, NVIDIA 2007).
#include "cuda.hpp"

enum { threads_64 = 64, bins_64 = 64, bins_256 = 256, warps_256 = 6, merge_threads = 256 };

// A counter of one byte per thread and bin, 64 bytes to a bin: a thread may count no more than 255 bytes. Threads take
// their byte such that those of a half warp are in different banks.
extern "C" __global__ void histogram_64(uint4 const* data, unsigned* partial, int count) {
    __shared__ unsigned counters[bins_64 * threads_64 / 4];
    int const t = threadIdx.x;
    for (int i = t; i < bins_64 * threads_64 / 4; i += threads_64) counters[i] = 0;
    __syncthreads();
    unsigned char* const own =
        reinterpret_cast<unsigned char*>(counters) + ((t & ~63) | (t & 15) << 2 | (t & 48) >> 4);
#pragma unroll 1
    for (int i = blockIdx.x * threads_64 + t; i < count; i += gridDim.x * threads_64) {
        uint4 const bytes = data[i];
        for (int word = 0; word < 4; ++word)
            for (int shift = 2; shift < 32; shift += 8) ++own[(bytes[word] >> shift & 63) * threads_64];
    }
    __syncthreads();
    // A thread per bin; each begins with another word, so with another bank.
    unsigned sum = 0;
#pragma unroll 1
    for (int i = 0, word = t & 15; i < threads_64 / 4; ++i, word = (word + 1) & 15) {
        unsigned const four = counters[t * (threads_64 / 4) + word];
        sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
    }
    partial[blockIdx.x * bins_64 + t] = sum;
}

// A histogram per warp, and atomics within it.
extern "C" __global__ void histogram_256(unsigned const* data, unsigned* partial, int count) {
    __shared__ unsigned counters[warps_256 * bins_256];
    int const t = threadIdx.x;
    for (int i = t; i < warps_256 * bins_256; i += warps_256 * 32) counters[i] = 0;
    __syncthreads();
    unsigned* const own = counters + t / 32 * bins_256;
#pragma unroll 1
    for (int i = blockIdx.x * warps_256 * 32 + t; i < count; i += gridDim.x * warps_256 * 32) {
        unsigned const bytes = data[i];
        for (int shift = 0; shift < 32; shift += 8) atomicAdd(&own[bytes >> shift & 255], 1);
    }
    __syncthreads();
    for (int bin = t; bin < bins_256; bin += warps_256 * 32) {
        unsigned sum = 0;
        for (int warp = 0; warp < warps_256; ++warp) sum += counters[warp * bins_256 + bin];
        partial[blockIdx.x * bins_256 + bin] = sum;
    }
}

template <int Bins>
WARPKIT_DEVICE void merge(unsigned const* partial, unsigned* histogram, int count) {
    __shared__ unsigned sums[merge_threads];
    unsigned sum = 0;
#pragma unroll 1
    for (int i = threadIdx.x; i < count; i += merge_threads) sum += partial[blockIdx.x + i * Bins];
    sums[threadIdx.x] = sum;
#pragma unroll 1
    for (int stride = merge_threads / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) histogram[blockIdx.x] = sums[0];
}
extern "C" __global__ void histogram_64_merge(unsigned const* partial, unsigned* histogram, int count) {
    merge<bins_64>(partial, histogram, count);
}
extern "C" __global__ void histogram_256_merge(unsigned const* partial, unsigned* histogram, int count) {
    merge<bins_256>(partial, histogram, count);
}
