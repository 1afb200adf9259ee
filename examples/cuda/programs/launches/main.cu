// Kernels that threads launch (CUDA Dynamic Parallelism): of this source file and another, of themselves, with arguments
// of several sizes, behind the grid that launched them, and such as cannot be.
#include "launches.hpp"

#include <cstdio>
#include <cstdlib>

// Sorts by launching itself for both parts, one of them last of all that it does.
__global__ void sort(unsigned* p, int left, int right) {
    while (left < right) {
        unsigned const pivot = p[(left + right) / 2];
        int l = left, r = right;
        while (l <= r) {
            while (p[l] < pivot) ++l;
            while (p[r] > pivot) --r;
            if (l > r) break;
            unsigned const kept = p[l];
            p[l++] = p[r];
            p[r--] = kept;
        }
        int const middle = r;
        if (left < r) sort<<<1, 1>>>(p, left, middle);
        if (right - l > 8) {
            cudaStream_t stream;
            cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
            sort<<<1, 1, 0, stream>>>(p, l, right);
            cudaStreamDestroy(stream);
            return;
        }
        left = l;
    }
}

// Each thread launches two CTAs and waits for them.
__global__ void family(int* p, int depth) {
    atomicAdd(p, 1);
    if (depth == 0) return;
    family<<<2, 1>>>(p, depth - 1);
    cudaDeviceSynchronize();
    if (*reinterpret_cast<int volatile*>(p) < 3) atomicAdd(p, 1000);
}

__global__ void of_another_file(int* p) {
    five what = {{1, 2, 3, 4, 5}};
    if (threadIdx.x == 1) add<<<1, 10>>>(p, what, 'a');
    if (threadIdx.x == 2) {
        fill<<<dim3(2, 1), 5>>>(p + 10, 7);
        fill<short><<<1, 4>>>(reinterpret_cast<short*>(p + 20), short(-3));
    }
}

// What is launched into the tail's stream runs when this grid has ended.
__global__ void mark(int* p, int value) { *p = *p * 10 + value; }
__global__ void in_order(int* p) {
    if (threadIdx.x == 0) {
        mark<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 3);
        mark<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) mark<<<1, 1>>>(p, 2);
}

__global__ void deep(int* p, int n) {
    *p = n;
    deep<<<1, 1>>>(p, n + 1);
    if (cudaGetLastError() == cudaErrorLaunchMaxDepthExceeded) p[1] = n;
}
__global__ void wrong(int* p) {
    mark<<<0, 1>>>(p, 1);
    p[1] = cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
    p[2] = cudaGetLastError() == cudaErrorInvalidConfiguration;
    p[3] = cudaGetLastError() == cudaSuccess;
    mark<<<1, 2048>>>(p, 1);
    p[4] = cudaGetLastError() == cudaErrorInvalidConfiguration;
}

static bool check(bool good, char const* what) {
    if (!good) std::printf("FAILED: %s\n", what);
    return good;
}

int main() {
    int* p = nullptr;
    cudaMallocManaged(&p, 4096 * sizeof(int));
    auto* const u = reinterpret_cast<unsigned*>(p);
    bool good = true;
    int const count = 1000;
    std::srand(7);
    for (int i = 0; i < count; ++i) u[i] = static_cast<unsigned>(std::rand()) % 500;
    sort<<<1, 1>>>(u, 0, count - 1);
    good &= check(cudaDeviceSynchronize() == cudaSuccess, "sort");
    for (int i = 1; i < count; ++i) good &= check(u[i - 1] <= u[i], "sort's order");

    *p = 0;
    family<<<1, 2>>>(p, 3);
    cudaDeviceSynchronize();
    good &= check(*p == 2 * (1 + 2 + 4 + 8), "family");

    for (int i = 0; i < 32; ++i) p[i] = i;
    of_another_file<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    for (int i = 0; i < 10; ++i) good &= check(p[i] == i + i % 5 + 1 + 'a', "another file's kernel");
    for (int i = 10; i < 20; ++i) good &= check(p[i] == 7, "a template's kernel");
    for (int i = 0; i < 4; ++i)
        good &= check(reinterpret_cast<short*>(p + 20)[i] == -3, "a kernel of shorts");

    *p = 0;
    in_order<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    good &= check(*p == 123, "streams");

    p[1] = 0;
    deep<<<1, 1>>>(p, 0);
    cudaDeviceSynchronize();
    good &= check(p[0] == 24 && p[1] == 24, "depth");

    wrong<<<1, 1>>>(p);
    cudaDeviceSynchronize();
    good &= check(p[1] && p[2] && p[3] && p[4], "errors");
    fill<<<1, 4>>>(p, 9); // by the host
    cudaDeviceSynchronize();
    good &= check(p[0] == 9 && p[3] == 9, "the host's launch");
    std::puts(good ? "PASSED" : "FAILED");
}
