// One sum per CTA: each thread adds two elements, then a tree in shared memory. Blocks are powers of two.
#include "cuda.hpp"

extern "C" __global__ void reduction(unsigned const* in, unsigned* out, unsigned n) {
    extern __shared__ unsigned partial[];
    unsigned const t = threadIdx.x;
    unsigned const i = blockIdx.x * blockDim.x * 2 + t;
    unsigned sum = i < n ? in[i] : 0;
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
    partial[t] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) partial[t] += partial[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = partial[0];
}
