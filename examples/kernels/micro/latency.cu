// make_ptx: sm_80 ptx71
// What one thing takes, in chains of which each waits for the one before: loads of a pointer chase, and instructions.
#include "cuda.hpp"

// Through memory and through shared memory: the index of the next word is in each. One thread chases; before, all of the
// CTA look at the first `warm` words, one in each line, or copy the words to shared memory.
extern "C" __global__ void chase(int const* next, int warm, int stride, int hops, int* last) {
    int at = 0;
    for (int i = threadIdx.x; i < warm; i += blockDim.x) at |= next[i * stride];
    __syncthreads();
    if (threadIdx.x != 0) return;
    at = at == -1; // of indices, never
#pragma unroll 1
    for (int h = 0; h < hops; ++h) at = next[at];
    *last = at;
}
extern "C" __global__ void chase_shared(int const* next, int words, int hops, int* last) {
    __shared__ int here[1024];
    for (int i = threadIdx.x; i < words; i += blockDim.x) here[i] = next[i];
    __syncthreads();
    if (threadIdx.x != 0) return;
    int at = 0;
#pragma unroll 1
    for (int h = 0; h < hops; ++h) at = here[at];
    *last = at;
}

// 64 times `count` instructions, each with the result of the one before.
#define CHAIN(name, type, constraint, instruction)                                                           \
    extern "C" __global__ void name(type* x, type y, int count) {                                            \
        type r = *x;                                                                                         \
        _Pragma("unroll 1") for (int i = 0; i < count; ++i) {                                                \
            _Pragma("unroll") for (int k = 0; k < 64;                                                        \
                                   ++k) asm volatile(instruction : "+" constraint(r) : constraint(y));       \
        }                                                                                                    \
        *x = r;                                                                                              \
    }
CHAIN(chain_f32, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
CHAIN(chain_s32, int, "r", "add.s32 %0, %0, %1;")
CHAIN(chain_f64, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
CHAIN(chain_ex2, float, "f", "ex2.approx.ftz.f32 %0, %0; // %1")

// The same of a warp's products: all elements of A are `a`, of B `b`, and D is the next one's C.
#define PRODUCTS(name, type, constraint, form, a_registers, b_registers)                                     \
    extern "C" __global__ void name(type* x, unsigned a, unsigned b, int count) {                            \
        type c0 = 0, c1 = 0, c2 = 0, c3 = 0;                                                                 \
        _Pragma("unroll 1") for (int i = 0; i < count; ++i) {                                                \
            _Pragma("unroll") for (int k = 0; k < 64; ++k) asm volatile(                                     \
                "mma.sync.aligned." form " {%0, %1, %2, %3}, " a_registers ", " b_registers                  \
                ", {%0, %1, %2, %3};" : "+" constraint(c0),                                                  \
                "+" constraint(c1), "+" constraint(c2), "+" constraint(c3) : "r"(a), "r"(b));                \
        }                                                                                                    \
        x[threadIdx.x] = c0 + c1 + c2 + c3;                                                                  \
    }
PRODUCTS(products_f16_k8, float, "f", "m16n8k8.row.col.f32.f16.f16.f32", "{%4, %4}", "{%5}")
PRODUCTS(products_f16_k16, float, "f", "m16n8k16.row.col.f32.f16.f16.f32", "{%4, %4, %4, %4}", "{%5, %5}")
PRODUCTS(products_tf32_k8, float, "f", "m16n8k8.row.col.f32.tf32.tf32.f32", "{%4, %4, %4, %4}", "{%5, %5}")
PRODUCTS(products_s8_k32, int, "r", "m16n8k32.row.col.s32.s8.s8.s32", "{%4, %4, %4, %4}", "{%5, %5}")
