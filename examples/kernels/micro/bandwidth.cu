// make_ptx: sm_80 ptx71
// How many bytes in a cycle come from the L2, the L1 and shared memory: every thread reads 16 bytes at a time, four times
// without waiting.
#include "cuda.hpp"

WARPKIT_DEVICE unsigned sum_of(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }

// All CTAs read all of `from` together, `passes` times; each time a CTA has another part of it, which its L1 has not.
extern "C" __global__ void read_l2(uint4 const* from, int count, int passes, unsigned* sums) {
    int const part = count / gridDim.x;
    unsigned sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
        uint4 const* const here = from + static_cast<long long>((blockIdx.x + pass * 37) % gridDim.x) * part;
        for (int i = threadIdx.x; i < part; i += 4 * blockDim.x)
#pragma unroll
            for (int k = 0; k < 4; ++k) sum ^= sum_of(here[i + k * blockDim.x]);
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Each CTA reads its own `count`, which its L1 holds.
extern "C" __global__ void read_l1(uint4 const* from, int count, int passes, unsigned* sums) {
    uint4 const* const here = from + static_cast<long long>(blockIdx.x) * count;
    unsigned sum = 0;
    for (int pass = 0; pass < passes; ++pass)
        for (int i = threadIdx.x; i < count; i += 4 * blockDim.x)
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                uint4 x;
                asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                             : "l"(here + i + k * blockDim.x));
                sum ^= sum_of(x);
            }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
