// Device functions and variables of another source file, and variables of this one that share a name with that one's.
#include "relocatable.hpp"

#include <cstdio>

extern __device__ int total;
extern __constant__ int scale;
extern __device__ int twice(int x);
static __device__ int mine = 5;
namespace {
__device__ int hidden = 7;
}

__global__ void first(int* p) {
    p[threadIdx.x] = twice(static_cast<int>(threadIdx.x)) * scale + mine + hidden + offset();
    atomicAdd(&total, 1);
    if (threadIdx.x == 0) printf("main %d\n", mine);
}

int main() {
    int* p = nullptr;
    cudaMallocManaged(&p, 32 * sizeof(int));
    int value = 6;
    cudaMemcpyToSymbol(mine, &value, sizeof value);
    value = 8;
    cudaMemcpyToSymbol(hidden, &value, sizeof value);
    set_scale(3);
    first<<<1, 32>>>(p);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 32; ++i) good = good && p[i] == (2 * i + 50) * 3 + 6 + 8 + 100;
    good = good && run_other(p) == 2 + 50 + 100;
    int count = 0;
    cudaMemcpyFromSymbol(&count, total, sizeof count);
    std::puts(good && count == 32 ? "PASSED" : "FAILED");
}
