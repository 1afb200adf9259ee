#pragma once
/// \file
/// What the kernels of language models share on the device: numbers of half precision, eight of them in one access of
/// 16 bytes, sums over a warp and over a CTA, and fragments of mma.sync. Device side only.

#include "cuda.hpp"

// Of two halves in a word, the lower one is the first in memory.
WARPKIT_DEVICE void floats_of(unsigned pair, float& first, float& second) {
    asm("{ .reg .b16 %%a, %%b; mov.b32 {%%a, %%b}, %2; cvt.f32.f16 %0, %%a; cvt.f32.f16 %1, %%b; }"
        : "=f"(first), "=f"(second)
        : "r"(pair));
}
WARPKIT_DEVICE unsigned halves_of(float first, float second) {
    unsigned pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}
WARPKIT_DEVICE float float_of_half(half_bits x) {
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
    return y;
}

// Eight halves in global memory, as floats. clang would take the accesses apart.
struct eight {
    float x[8];
};
WARPKIT_DEVICE uint4 load_16_bytes(void const* from) {
    unsigned a, b, c, d;
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(from)
                 : "memory");
    return uint4{a, b, c, d};
}
WARPKIT_DEVICE void store_16_bytes(void* to, uint4 words) {
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(to), "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w)
                 : "memory");
}
WARPKIT_DEVICE float4 load_four(float const* from) {
    float a, b, c, d;
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(from)
                 : "memory");
    return float4{a, b, c, d};
}
WARPKIT_DEVICE eight unpacked(uint4 words) {
    eight e;
    for (int i = 0; i < 4; ++i) floats_of(words[i], e.x[2 * i], e.x[2 * i + 1]);
    return e;
}
WARPKIT_DEVICE eight load_eight(half_bits const* from) { return unpacked(load_16_bytes(from)); }
WARPKIT_DEVICE void store_eight(half_bits* to, eight const& e) {
    uint4 words;
    for (int i = 0; i < 4; ++i) words[i] = halves_of(e.x[2 * i], e.x[2 * i + 1]);
    store_16_bytes(to, words);
}

WARPKIT_DEVICE float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
WARPKIT_DEVICE float tanhf(float x) {
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// The value of the lane whose number differs in `bits`; all lanes of the warp must come.
WARPKIT_DEVICE float from_lane_across(float x, int bits) {
    return __nvvm_shfl_sync_bfly_f32(~0u, x, bits, 31);
}
WARPKIT_DEVICE float sum_of_warp(float x) {
    for (int bits = 16; bits > 0; bits /= 2) x += from_lane_across(x, bits);
    return x;
}
// The sum over a CTA of up to 32 whole warps, known to all of its threads; `partial` is shared memory for a float a
// warp, and free again after the next barrier.
WARPKIT_DEVICE float sum_of_cta(float x, float* partial) {
    int const lane = threadIdx.x % 32, warps = blockDim.x / 32;
    x = sum_of_warp(x);
    if (lane == 0) partial[threadIdx.x / 32] = x;
    __syncthreads();
    return sum_of_warp(lane < warps ? partial[lane] : 0);
}

// 16 bytes to shared memory, asynchronously; see gemm_pipelined.
WARPKIT_DEVICE void copy_asynchronously(unsigned to, half_bits const* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}
WARPKIT_DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" : : : "memory"); }

// Four 8 x 8 matrices of halves, the rows of which the lanes name.
WARPKIT_DEVICE void load_rows(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
WARPKIT_DEVICE void load_columns(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}
WARPKIT_DEVICE void multiply_add(float (&c)[4], unsigned const (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
WARPKIT_DEVICE void multiply(float (&c)[4], unsigned const (&a)[4], unsigned b0, unsigned b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %10, %10, %10};"
        : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "f"(0.0f));
}

// f(number<0>()), f(number<1>()), ... below n: where an asm statement wants a constant that differs from turn to turn.
template <int n>
struct number {
    enum { value = n };
};
template <int n>
struct each_below {
    template <class F>
    WARPKIT_DEVICE void call(F const& f) {
        each_below<n - 1>::call(f);
        f(number<n - 1>());
    }
};
template <>
struct each_below<0> {
    template <class F>
    WARPKIT_DEVICE void call(F const&) {}
};

// The same as above, so many bytes behind an address.
template <int bytes>
WARPKIT_DEVICE void copy_asynchronously_behind(unsigned to, half_bits const* from) {
    asm volatile("cp.async.cg.shared.global [%0+%2], [%1], 16;"
                 :
                 : "r"(to), "l"(from), "n"(bytes)
                 : "memory");
}
template <int bytes>
WARPKIT_DEVICE void load_rows_behind(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4+%5];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from), "n"(bytes)
                 : "memory");
}
template <int bytes>
WARPKIT_DEVICE void load_columns_behind(unsigned (&r)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4+%5];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from), "n"(bytes)
                 : "memory");
}
template <int bytes>
WARPKIT_DEVICE void store_shared_behind(unsigned to, unsigned word) {
    asm volatile("st.shared.b32 [%0+%2], %1;" : : "r"(to), "r"(word), "n"(bytes) : "memory");
}
template <int bytes>
WARPKIT_DEVICE uint4 load_shared_behind(unsigned from) {
    unsigned a, b, c, d;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4+%5];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(from), "n"(bytes)
                 : "memory");
    return uint4{a, b, c, d};
}
