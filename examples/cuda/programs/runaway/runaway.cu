// A loop that never ends: what is said of it, and what CUDA's calls then say.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void spin(int* p) {
    if (blockIdx.x == 1 && threadIdx.x >= 32)
        while (*(int volatile*)p == 0) {
            p[threadIdx.x * threadIdx.x % 97 + 1] += 1;
        }
}

int main() {
    int* p = nullptr;
    if (cudaMalloc(&p, 512) != cudaSuccess || cudaMemset(p, 0, 512) != cudaSuccess) return 1;
    spin<<<2, 64>>>(p);
    cudaError_t const e = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(e));
    return e == cudaErrorLaunchTimeout ? 0 : 1;
}
