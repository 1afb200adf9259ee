// A histogram per CTA in shared memory, then all of them added in global memory.
#include "cuda.hpp"

extern "C" __global__ void histogram(unsigned const* data, unsigned* bins, unsigned n, unsigned bin_count) {
    extern __shared__ unsigned local[];
    for (unsigned i = threadIdx.x; i < bin_count; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bin_count; i += blockDim.x)
        if (local[i] != 0) atomicAdd(&bins[i], local[i]);
}
