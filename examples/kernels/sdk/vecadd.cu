// c = a + b, one element per thread.
#include "cuda.hpp"

extern "C" __global__ void vecadd(int const* a, int const* b, int* c, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = a[i] + b[i];
}
