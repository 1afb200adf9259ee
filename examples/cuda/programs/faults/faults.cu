// What is wrong inside a function of the language's own is told with the line that calls it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void stops(int* p) {
    if (threadIdx.x == 3) __trap();
    p[threadIdx.x] = 1;
}
__global__ void strangers(int* p) {
    p[threadIdx.x] = __shfl_sync(0xff, 1, 0); // lanes 8 to 31 are not in their own mask
}
__global__ void apart(int* p) {
    if (threadIdx.x < 16)
        p[0] = __any_sync(~0u, 1);
    else
        __syncthreads();
}
__global__ void prints(int* p) { printf("%d %s\n", *p, (char const*)0x10); }
__global__ void adds(int* p) { atomicAdd(p - 64, 1); }

int main() {
    void (*const kernels[])(int*) = {stops, strangers, apart, prints, adds};
    for (auto* const kernel : kernels) {
        int* p = nullptr;
        if (cudaMalloc(&p, 128) != cudaSuccess) return 1;
        kernel<<<1, 32>>>(p);
        std::fprintf(stderr, "%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        if (cudaDeviceReset() != cudaSuccess) return 1;
    }
    return 0;
}
