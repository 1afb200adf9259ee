/* What kernels may call of the runtime (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism", "API Reference"). What a
 * thread launches has been executed when its launch returns: streams, but for the tail launch stream, and events order
 * nothing. */
#ifndef WARPKIT_CUDA_DEVICE_LAUNCHES_H
#define WARPKIT_CUDA_DEVICE_LAUNCHES_H

/* Run by the functional simulator (frontend/ptx/system_calls.hpp). */
extern "C" {
__device__ void warpkit_cuda_configure(unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                       unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                       unsigned long long shared_bytes, unsigned long long stream);
__device__ cudaError_t __cudaCDP2GetLastError(void);
__device__ cudaError_t __cudaCDP2PeekAtLastError(void);
}

/* What stands in <<< >>>, where warpkit-cuda has made a call of a launch. */
static __host__ __device__ __inline__ __attribute__((unused)) void warpkit_cuda_shape_launch(dim3 grid, dim3 block,
                                                                                            size_t shared_bytes = 0,
                                                                                            cudaStream_t stream = 0) {
#if defined(__CUDA_ARCH__)
    warpkit_cuda_configure(grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes,
                           (unsigned long long)(size_t)stream);
#endif
}

WARPKIT_CUDA_DEVICE cudaError_t cudaDeviceSynchronize() {
    asm volatile("" ::: "memory");
    return cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaGetLastError() { return __cudaCDP2GetLastError(); }
WARPKIT_CUDA_DEVICE cudaError_t cudaPeekAtLastError() { return __cudaCDP2PeekAtLastError(); }
/* What a node of a graph runs by (runtime/graph_nodes_api.cpp): its handle is the address of a word. */
WARPKIT_CUDA_DEVICE void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value) {
    *(unsigned int volatile*)(size_t)handle = value;
}
/* Of the errors that a launch may have. */
WARPKIT_CUDA_DEVICE char const* cudaGetErrorString(cudaError_t code) {
    switch (code) {
    case cudaSuccess:
        return "no error";
    case cudaErrorInvalidValue:
        return "invalid argument";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInvalidConfiguration:
        return "invalid configuration argument";
    case cudaErrorLaunchMaxDepthExceeded:
        return "launch would exceed maximum depth of nested launches";
    case cudaErrorLaunchOutOfResources:
        return "too many resources requested for launch";
    default:
        return "unrecognized error code";
    }
}
WARPKIT_CUDA_DEVICE cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
    *stream = (cudaStream_t)(size_t)16;
    return cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
WARPKIT_CUDA_DEVICE cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0) { return cudaSuccess; }
WARPKIT_CUDA_DEVICE cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
    *event = (cudaEvent_t)(size_t)16;
    return cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) { return cudaSuccess; }
WARPKIT_CUDA_DEVICE cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
template <class T>
WARPKIT_CUDA_DEVICE cudaError_t cudaMalloc(T** p, size_t bytes) {
    *p = (T*)malloc(bytes);
    return *p == 0 && bytes != 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaFree(void* p) {
    free(p);
    return cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaMemcpyAsync(void* to, void const* from, size_t bytes, enum cudaMemcpyKind,
                                                cudaStream_t = 0) {
    memcpy(to, from, bytes);
    return cudaSuccess;
}
WARPKIT_CUDA_DEVICE cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t = 0) {
    memset(to, value, bytes);
    return cudaSuccess;
}

#endif
