// A large histogram that saturates at 255. histo_prescan samples the input for where most of it lies.
// histo_intermediates splits each bin's number into what the main kernel needs. histo_main counts that part in
// shared memory, four counters of a byte to a word, 24 KiB of them per CTA, with what overflows in global
// memory; what lies elsewhere is counted in global memory. histo_final adds up what the CTAs found.
#include "cuda.hpp"

typedef unsigned char uchar4 __attribute__((ext_vector_type(4)));
typedef unsigned short ushort4 __attribute__((ext_vector_type(4)));

enum { range_words = 6 * 1024, range_bins = 4 * range_words, sampling = 512, unrolled = 16, most = 255 };

// limits[0] and limits[1]: the lowest and the highest range of bins within ten deviations of the mean.
extern "C" __global__ void histo_prescan(unsigned const* in, int size, unsigned* limits) {
    __shared__ float mean_of[sampling];
    __shared__ float deviation_of[sampling];
    int const t = threadIdx.x;
    int const stride = size / gridDim.x;
    int const first = blockIdx.x * stride + t, end = blockIdx.x * stride + stride / 8;
    float sum = 0;
    int count = 0;
    for (int i = first; i < end; i += sampling, ++count) sum += in[i];
    float const mean = count > 0 ? sum / count : 0.0f;
    float squares = 0;
    for (int i = first; i < end; i += sampling) squares = fmaf(in[i] - mean, in[i] - mean, squares);
    mean_of[t] = mean;
    deviation_of[t] = count > 0 ? sqrtf(squares / count) : 0.0f;
    for (int half = sampling / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) {
            mean_of[t] += mean_of[t + half];
            deviation_of[t] += deviation_of[t + half];
        }
    }
    if (t != 0) return;
    int const threads = min(int(sampling), stride / 8); // that had anything
    float const centre = mean_of[0] / threads;
    float const reach = 10 * (deviation_of[0] / threads);
    atomicMin(&limits[0], unsigned(fmaxf(centre - reach, 0)) / range_bins);
    atomicMax(&limits[1], unsigned(centre + reach) / range_bins);
}

// One CTA per 16 lines, two pixels per thread and line.
extern "C" __global__ void histo_intermediates(uint2 const* in, uchar4* out) {
    int const pairs = blockDim.x;
    int const line = blockIdx.x * unrolled;
    auto const parts = [](unsigned bin) {
        uchar4 p;
        p.x = bin / range_bins;
        p.y = bin % range_bins >> 10;
        p.z = bin >> 2 & 255;
        p.w = 8 * (bin & 3);
        return p;
    };
    for (int i = 0; i < unrolled; ++i) {
        uint2 const bins = in[(line + i) * pairs + threadIdx.x];
        int const at = (line + i) * 2 * pairs + threadIdx.x;
        out[at] = parts(bins.x);
        out[at + pairs] = parts(bins.y);
    }
}

// CTAs along y have a range each; those along x share the input.
extern "C" __global__ void histo_main(uchar4 const* in, int size, unsigned lowest, unsigned highest,
                                      int all_words, unsigned* found, unsigned* outside, unsigned* overflow) {
    __shared__ unsigned local[range_words];
    unsigned const range = lowest + blockIdx.y;
    for (int i = threadIdx.x; i < range_words; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += blockDim.x * gridDim.x) {
        uchar4 const part = in[i];
        int const word = part.y * 256 + part.z;
        if (part.x == range) {
            unsigned const before = atomicAdd(&local[word], 1u << part.w);
            // A counter at its end carries into the next in its word, and that perhaps into the one after it.
            unsigned* const spilt = overflow + range * range_bins + 4 * word;
            for (int byte = part.w / 8; byte < 4 && (before >> 8 * byte & 255) == 255; ++byte) {
                atomicAdd(&spilt[byte], 256u);
                if (byte < 3) atomicAdd(&spilt[byte + 1], ~0u);
            }
        } else if (blockIdx.y == 0 && (part.x < lowest || part.x > highest)) {
            int const bin = part.x * range_bins + 4 * word + part.w / 8;
            int const shift = 16 * (bin & 1);
            if ((outside[bin / 2] >> shift & 65535) < most) atomicAdd(&outside[bin / 2], 1u << shift);
        }
    }
    __syncthreads();
    unsigned* const to = found + blockIdx.x * all_words + range * range_words;
    for (int i = threadIdx.x; i < range_words; i += blockDim.x) to[i] = local[i];
}

// `shares`: the CTAs along x of the main kernel.
extern "C" __global__ void histo_final(unsigned lowest, unsigned highest, int all_words, int shares,
                                       unsigned const* found, ushort4* outside, uint4* overflow,
                                       uchar4* out) {
    int const first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    int const begin = lowest * range_words, end = (highest + 1) * range_words;
    auto const saturated = [](unsigned count) {
        return static_cast<unsigned char>(min(count, unsigned(most)));
    };
    auto const copy = [&](int from, int to) {
        for (int i = from + first; i < to; i += step) {
            ushort4 const count = outside[i];
            outside[i] = ushort4(0);
            uchar4 result;
            result.x = saturated(count.x);
            result.y = saturated(count.y);
            result.z = saturated(count.z);
            result.w = saturated(count.w);
            out[i] = result;
        }
    };
    copy(0, begin);
    for (int i = begin + first; i < end; i += step) {
        uint4 count = overflow[i];
        overflow[i] = uint4(0);
        for (int share = 0; share < shares; ++share) {
            unsigned const four = found[i + share * all_words];
            count.x += four & 255;
            count.y += four >> 8 & 255;
            count.z += four >> 16 & 255;
            count.w += four >> 24;
        }
        uchar4 result;
        result.x = saturated(count.x);
        result.y = saturated(count.y);
        result.z = saturated(count.z);
        result.w = saturated(count.w);
        out[i] = result;
    }
    copy(end, all_words);
}
