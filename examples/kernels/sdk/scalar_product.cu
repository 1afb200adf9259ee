// The scalar products of many pairs of vectors: CTAs take the pairs in turn; each thread sums a stride of
// elements, then a tree in shared memory. Blocks are powers of two.
#include "cuda.hpp"

extern "C" __global__ void scalar_product(float const* a, float const* b, float* c, int vectors,
                                          int elements) {
    extern __shared__ float partial[];
    int const t = threadIdx.x;
    for (int v = blockIdx.x; v < vectors; v += gridDim.x) {
        float sum = 0;
        for (int i = t; i < elements; i += blockDim.x)
            sum = fmaf(a[v * elements + i], b[v * elements + i], sum);
        partial[t] = sum;
        for (int s = blockDim.x / 2; s > 0; s /= 2) {
            __syncthreads();
            if (t < s) partial[t] += partial[t + s];
        }
        if (t == 0) c[v] = partial[0];
        __syncthreads();
    }
}
