#pragma once
/// \file
/// What the kernels here need of CUDA's device language, for plain clang: no header of NVIDIA's is read.
/// Device side only; see make_ptx.sh for the command.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

#define WARPKIT_DEVICE static __device__ __inline__ __attribute__((always_inline, unused))

// threadIdx, blockIdx, blockDim, gridDim: each member reads a special register.
#define WARPKIT_SPECIAL_REGISTER(name, ptx)                                                                  \
    struct warpkit_##name {                                                                                  \
        __declspec(property(get = get_x)) unsigned x;                                                        \
        __declspec(property(get = get_y)) unsigned y;                                                        \
        __declspec(property(get = get_z)) unsigned z;                                                        \
        WARPKIT_DEVICE unsigned get_x() { return __nvvm_read_ptx_sreg_##ptx##_x(); }                         \
        WARPKIT_DEVICE unsigned get_y() { return __nvvm_read_ptx_sreg_##ptx##_y(); }                         \
        WARPKIT_DEVICE unsigned get_z() { return __nvvm_read_ptx_sreg_##ptx##_z(); }                         \
    };                                                                                                       \
    extern const __device__ __attribute__((weak)) warpkit_##name name;
WARPKIT_SPECIAL_REGISTER(threadIdx, tid)
WARPKIT_SPECIAL_REGISTER(blockIdx, ctaid)
WARPKIT_SPECIAL_REGISTER(blockDim, ntid)
WARPKIT_SPECIAL_REGISTER(gridDim, nctaid)
#undef WARPKIT_SPECIAL_REGISTER

// __syncthreads() is a builtin of clang's.

// Vector types of clang's, so that they are loaded and stored as one (ld.v2, ld.v4).
typedef unsigned uint2 __attribute__((ext_vector_type(2)));
typedef unsigned uint4 __attribute__((ext_vector_type(4)));
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));

// Half precision, of which kernels here hold but the bits.
typedef unsigned short half_bits;

// Where a shared variable lies in shared memory.
WARPKIT_DEVICE unsigned shared_address(void const* variable) {
    unsigned address;
    asm("{ .reg .u64 %%a; cvta.to.shared.u64 %%a, %1; cvt.u32.u64 %0, %%a; }"
        : "=r"(address)
        : "l"(variable));
    return address;
}

// Textures by the handle that a texture object is. Coordinates are whole texels.
WARPKIT_DEVICE uint4 tex1d_unsigned(unsigned long long texture, int x) {
    unsigned a, b, c, d;
    asm("tex.1d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
        : "l"(texture), "r"(x));
    return uint4{a, b, c, d};
}
WARPKIT_DEVICE float4 tex1d_float(unsigned long long texture, int x) {
    float a, b, c, d;
    asm("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
        : "l"(texture), "r"(x));
    return float4{a, b, c, d};
}
WARPKIT_DEVICE uint4 tex2d_unsigned(unsigned long long texture, int x, int y) {
    unsigned a, b, c, d;
    asm("tex.2d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
        : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
        : "l"(texture), "r"(x), "r"(y));
    return uint4{a, b, c, d};
}

WARPKIT_DEVICE unsigned atomicAdd(unsigned* to, unsigned value) {
    return static_cast<unsigned>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(to), static_cast<int>(value)));
}
WARPKIT_DEVICE int atomicAdd(int* to, int value) { return __nvvm_atom_add_gen_i(to, value); }
WARPKIT_DEVICE float atomicAdd(float* to, float value) { return __nvvm_atom_add_gen_f(to, value); }
WARPKIT_DEVICE int atomicMax(int* to, int value) { return __nvvm_atom_max_gen_i(to, value); }
WARPKIT_DEVICE unsigned atomicMin(unsigned* to, unsigned value) { return __nvvm_atom_min_gen_ui(to, value); }
WARPKIT_DEVICE unsigned atomicMax(unsigned* to, unsigned value) { return __nvvm_atom_max_gen_ui(to, value); }
WARPKIT_DEVICE int atomicCAS(int* to, int expected, int value) {
    return __nvvm_atom_cas_gen_i(to, expected, value);
}
WARPKIT_DEVICE int min(int a, int b) { return a < b ? a : b; }
WARPKIT_DEVICE int max(int a, int b) { return a > b ? a : b; }
WARPKIT_DEVICE unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }

// Exact to the last bit; nothing else is fused (make_ptx.sh), so that the host can do the same.
WARPKIT_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPKIT_DEVICE float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
WARPKIT_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
WARPKIT_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
WARPKIT_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
WARPKIT_DEVICE float floorf(float x) { return __nvvm_floor_f(x); }

// Approximate, as CUDA's fast versions: one instruction and at most a multiplication.
WARPKIT_DEVICE float expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
WARPKIT_DEVICE float logf(float x) { return __nvvm_lg2_approx_f(x) * 0.6931471805599453f; }
WARPKIT_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
WARPKIT_DEVICE float sinf(float x) { return __nvvm_sin_approx_f(x); }
WARPKIT_DEVICE float cosf(float x) { return __nvvm_cos_approx_f(x); }
WARPKIT_DEVICE float fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
