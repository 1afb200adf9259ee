// Walsh-Hadamard transform of 2^k floats. Passes of radix 4 through global memory until what is left fits a
// CTA; that in shared memory, all its passes in one launch.
#include "cuda.hpp"

// Two levels of sums and differences.
WARPKIT_DEVICE void butterfly(float& a, float& b, float& c, float& d) {
    float const low = a + c, low_difference = a - c;
    float const high = b + d, high_difference = b - d;
    a = low + high;
    b = low - high;
    c = low_difference + high_difference;
    d = low_difference - high_difference;
}

// One pass over groups of four elements, `stride` apart; a thread has a group.
extern "C" __global__ void walsh_global(float* data, int stride) {
    int const t = blockIdx.x * blockDim.x + threadIdx.x;
    int const low = t & (stride - 1);
    float* const at = data + 4 * (t - low) + low;
    float a = at[0], b = at[stride], c = at[2 * stride], d = at[3 * stride];
    butterfly(a, b, c, d);
    at[0] = a;
    at[stride] = b;
    at[2 * stride] = c;
    at[3 * stride] = d;
}

// The last `log2n` levels, 2^log2n elements per CTA, four per thread.
extern "C" __global__ void walsh_shared(float* data, int log2n) {
    extern __shared__ float cell[];
    int const n = 1 << log2n;
    int const t = threadIdx.x;
    float* const at = data + blockIdx.x * n;
    for (int i = t; i < n; i += blockDim.x) cell[i] = at[i];
    int stride = n / 4;
    for (; stride > 0; stride /= 4) {
        int const low = t & (stride - 1);
        int const first = 4 * (t - low) + low;
        __syncthreads();
        float a = cell[first], b = cell[first + stride];
        float c = cell[first + 2 * stride], d = cell[first + 3 * stride];
        butterfly(a, b, c, d);
        cell[first] = a;
        cell[first + stride] = b;
        cell[first + 2 * stride] = c;
        cell[first + 3 * stride] = d;
    }
    __syncthreads();
    if (log2n & 1) { // one level left
        for (int i = t; i < n / 2; i += blockDim.x) {
            float const a = cell[2 * i], b = cell[2 * i + 1];
            cell[2 * i] = a + b;
            cell[2 * i + 1] = a - b;
        }
        __syncthreads();
    }
    for (int i = t; i < n; i += blockDim.x) at[i] = cell[i];
}
