// Lanes of a warp that wait for what others of it do.
#include "warps.hpp"

namespace {

// One lock for all threads of a block, three times each.
__global__ void lock(int* out) {
    __shared__ int taken;
    __shared__ volatile int count;
    if (threadIdx.x == 0) taken = count = 0;
    __syncthreads();
    for (int i = 0; i < 3; ++i) {
        while (atomicCAS(&taken, 0, 1) != 0) {}
        __threadfence_block();
        count = count + 1;
        __threadfence_block();
        atomicExch(&taken, 0);
    }
    __syncthreads();
    out[threadIdx.x] = count;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// The same with pauses that grow.
__global__ void polite_lock(int* out) {
    __shared__ int taken;
    __shared__ volatile int count;
    if (threadIdx.x == 0) taken = count = 0;
    __syncthreads();
    unsigned pause = 8;
    while (atomicCAS(&taken, 0, 1) != 0) {
        __nanosleep(pause);
        if (pause < 256) pause *= 2;
    }
    __threadfence_block();
    count = count + 1;
    __threadfence_block();
    atomicExch(&taken, 0);
    __syncthreads();
    out[threadIdx.x] = count;
}
#else
__global__ void polite_lock(int* out) { out[threadIdx.x] = 64; }
#endif

// Each lane waits for its neighbour below: the last one of a chain through the warp.
__global__ void chain(int* out) {
    __shared__ volatile int ready[33];
    int const t = threadIdx.x;
    ready[t + 1] = 0;
    if (t == 0) ready[0] = 1;
    __syncwarp();
    int v;
    while ((v = ready[t]) == 0) {}
    ready[t + 1] = v + t;
    out[t] = v;
}

// Odd lanes make, even lanes take, one value after the other through one cell for each pair.
__global__ void makers_and_takers(int* out) {
    __shared__ volatile int full[16], value[16];
    int const t = threadIdx.x, pair = t / 2;
    full[pair] = 0;
    __syncwarp();
    int sum = 0;
    if (t % 2 == 1) {
        for (int i = 1; i <= 10; ++i) {
            while (full[pair] != 0) {}
            value[pair] = i * t;
            __threadfence_block();
            full[pair] = 1;
        }
    } else {
        for (int i = 1; i <= 10; ++i) {
            while (full[pair] == 0) {}
            __threadfence_block();
            sum += value[pair];
            full[pair] = 0;
        }
    }
    __syncwarp();
    out[t] = sum;
}

} // namespace

int check_waiting() {
    return wrong_values(lock, 64, 64, [](int) { return 192; }) +
           wrong_values(polite_lock, 64, 64, [](int) { return 64; }) +
           wrong_values(chain, 32, 32, [](int t) { return 1 + t * (t - 1) / 2; }) +
           wrong_values(makers_and_takers, 32, 32, [](int t) { return t % 2 == 0 ? 55 * (t + 1) : 0; });
}
