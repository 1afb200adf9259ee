#include "relocatable.hpp"

#include <cstdio>

__device__ int total;
__constant__ int scale;
static __device__ int mine = 50;

__device__ int twice(int x) { return 2 * x + mine; }

__global__ void second(int* p) {
    p[0] = twice(1) + offset();
    if (threadIdx.x == 0) printf("other %d\n", mine);
}

int run_other(int* p) {
    second<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    return p[0];
}
void set_scale(int s) { cudaMemcpyToSymbol(scale, &s, sizeof s); }
