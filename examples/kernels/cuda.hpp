#pragma once
/// \file
/// What the kernels here need of CUDA's device language, for plain clang: no header of NVIDIA's is read.
/// Device side only; see make_ptx.sh for the command.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

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

// A vector type of clang's, so that it is loaded and stored as one (ld.v2).
typedef unsigned uint2 __attribute__((ext_vector_type(2)));

WARPKIT_DEVICE unsigned atomicAdd(unsigned* to, unsigned value) {
    return static_cast<unsigned>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(to), static_cast<int>(value)));
}
WARPKIT_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WARPKIT_DEVICE int min(int a, int b) { return a < b ? a : b; }
WARPKIT_DEVICE int max(int a, int b) { return a > b ? a : b; }
