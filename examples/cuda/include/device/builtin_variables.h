/* threadIdx, blockIdx, blockDim, gridDim, warpSize. */
#ifndef WARPKIT_CUDA_DEVICE_BUILTIN_VARIABLES_H
#define WARPKIT_CUDA_DEVICE_BUILTIN_VARIABLES_H

/* Each member reads a special register. */
#define WARPKIT_CUDA_SPECIAL_REGISTER(name, ptx)                                                             \
    struct warpkit_cuda_##name {                                                                             \
        __declspec(property(get = get_x)) unsigned int x;                                                    \
        __declspec(property(get = get_y)) unsigned int y;                                                    \
        __declspec(property(get = get_z)) unsigned int z;                                                    \
        WARPKIT_CUDA_DEVICE unsigned int get_x() { return __nvvm_read_ptx_sreg_##ptx##_x(); }                \
        WARPKIT_CUDA_DEVICE unsigned int get_y() { return __nvvm_read_ptx_sreg_##ptx##_y(); }                \
        WARPKIT_CUDA_DEVICE unsigned int get_z() { return __nvvm_read_ptx_sreg_##ptx##_z(); }                \
        __device__ WARPKIT_CUDA_INLINED operator dim3() const { return dim3(get_x(), get_y(), get_z()); }    \
        __device__ WARPKIT_CUDA_INLINED operator uint3() const {                                             \
            return make_uint3(get_x(), get_y(), get_z());                                                    \
        }                                                                                                    \
    };                                                                                                       \
    extern const __device__ __attribute__((weak)) warpkit_cuda_##name name;
WARPKIT_CUDA_SPECIAL_REGISTER(threadIdx, tid)
WARPKIT_CUDA_SPECIAL_REGISTER(blockIdx, ctaid)
WARPKIT_CUDA_SPECIAL_REGISTER(blockDim, ntid)
WARPKIT_CUDA_SPECIAL_REGISTER(gridDim, nctaid)
#undef WARPKIT_CUDA_SPECIAL_REGISTER

static const int warpSize = 32;

#endif
