/* The part of the runtime's API that C++ has on top: typed pointers, symbols, kernels and textures. */
#ifndef WARPKIT_CUDA_HOST_TEMPLATES_H
#define WARPKIT_CUDA_HOST_TEMPLATES_H

#include "cuda_runtime_api.h"

namespace warpkit_cuda {
/* What warpkit-cuda puts in the place of __shared__ variables with constructors. */
template <size_t Size, size_t Align>
struct raw_shared {
    __attribute__((aligned(Align))) unsigned char bytes[Size];
};
} // namespace warpkit_cuda

template <class T>
static inline cudaError_t cudaMalloc(T** address, size_t bytes) {
    return ::cudaMalloc((void**)(void*)address, bytes);
}
template <class T>
static inline cudaError_t cudaMallocHost(T** address, size_t bytes, unsigned int flags = 0) {
    return ::cudaHostAlloc((void**)(void*)address, bytes, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T** address, size_t bytes, unsigned int flags) {
    return ::cudaHostAlloc((void**)(void*)address, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T** address, size_t bytes,
                                            unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged((void**)(void*)address, bytes, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T** address, size_t* pitch, size_t width, size_t height) {
    return ::cudaMallocPitch((void**)(void*)address, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
    return ::cudaHostGetDevicePointer((void**)(void*)device, host, flags);
}

/* As CUDA 13 has them: with a place instead of a device. */
static inline cudaError_t cudaMemPrefetchAsync(void const* address, size_t bytes, cudaMemLocation location,
                                               unsigned int, cudaStream_t stream = 0) {
    return ::cudaMemPrefetchAsync(
        address, bytes, location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId, stream);
}
static inline cudaError_t cudaMemAdvise(void const* address, size_t bytes, cudaMemoryAdvise advice,
                                        cudaMemLocation location) {
    return ::cudaMemAdvise(address, bytes, advice,
                           location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T** address, size_t bytes, cudaStream_t stream) {
    return ::cudaMallocAsync((void**)(void*)address, bytes, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T** address, size_t bytes, cudaMemPool_t pool,
                                          cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void**)(void*)address, bytes, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T** address, size_t bytes, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void**)(void*)address, bytes, pool, stream);
}

/* As CUDA 12 has it, and as 11. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                               unsigned long long flags = 0) {
    return ::cudaGraphInstantiateWithFlags(executable, graph, flags);
}
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                               cudaGraphNode_t* error_node, char* log, size_t log_bytes) {
    if (error_node != 0) *error_node = 0;
    if (log != 0 && log_bytes != 0) *log = 0;
    return ::cudaGraphInstantiateWithFlags(executable, graph, 0);
}
/* As CUDA 12 has them, with edges' data as 13, and as 11. */
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                           size_t count, cudaGraphNodeParams* parameters) {
    return ::cudaGraphAddNode(node, graph, after, 0, count, parameters);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                                   unsigned long long* number = 0, cudaGraph_t* graph = 0,
                                                   cudaGraphNode_t const** after = 0, size_t* count = 0) {
    return ::cudaStreamGetCaptureInfo_v2(stream, status, number, graph, after, count);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                                   unsigned long long* number, cudaGraph_t* graph,
                                                   cudaGraphNode_t const** after, cudaGraphEdgeData const** edges,
                                                   size_t* count) {
    if (edges != 0) *edges = 0;
    return ::cudaStreamGetCaptureInfo_v2(stream, status, number, graph, after, count);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after,
                                                              cudaGraphEdgeData const* edges, size_t count,
                                                              unsigned int flags) {
    cudaError_t const error = ::warpkit_cuda_check_edges(edges, count);
    if (error != cudaSuccess) return error;
    return ::cudaStreamUpdateCaptureDependencies(stream, after, count, flags);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                                   cudaGraphNode_t const* to, cudaGraphEdgeData const* edges,
                                                   size_t count) {
    cudaError_t const error = ::warpkit_cuda_check_edges(edges, count);
    if (error != cudaSuccess) return error;
    return ::cudaGraphAddDependencies(graph, from, to, count);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                              cudaGraphExecUpdateResultInfo* result) {
    int same = 0;
    cudaError_t const error = ::warpkit_cuda_update_graph(executable, graph, &same);
    if (result != 0) {
        result->result = same != 0 ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateError;
        result->errorNode = result->errorFromNode = 0;
    }
    return error;
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                              cudaGraphNode_t* error_node,
                                              enum cudaGraphExecUpdateResult* result) {
    int same = 0;
    cudaError_t const error = ::warpkit_cuda_update_graph(executable, graph, &same);
    if (error_node != 0) *error_node = 0;
    if (result != 0) *result = same != 0 ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateError;
    return error;
}

/* Symbols are known by the address of their variable on the host. */
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(T const& symbol, void const* from, size_t bytes,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol((void const*)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(T const& symbol, void const* from, size_t bytes, size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync((void const*)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void* to, T const& symbol, size_t bytes, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(to, (void const*)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void* to, T const& symbol, size_t bytes, size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(to, (void const*)&symbol, bytes, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaGetSymbolAddress(void** address, T const& symbol) {
    return ::cudaGetSymbolAddress(address, (void const*)&symbol);
}
template <class A, class T>
static inline cudaError_t cudaGetSymbolAddress(A** address, T const& symbol) {
    return ::cudaGetSymbolAddress((void**)(void*)address, (void const*)&symbol);
}
template <class T>
static inline cudaError_t cudaGetSymbolSize(size_t* bytes, T const& symbol) {
    return ::cudaGetSymbolSize(bytes, (void const*)&symbol);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                         cudaGraphNode_t const* after, size_t count, T const& symbol,
                                                         void const* from, size_t bytes, size_t offset,
                                                         enum cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, (void const*)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                           cudaGraphNode_t const* after, size_t count, void* to,
                                                           T const& symbol, size_t bytes, size_t offset,
                                                           enum cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to, (void const*)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, T const& symbol,
                                                               void const* from, size_t bytes, size_t offset,
                                                               enum cudaMemcpyKind kind) {
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (void const*)&symbol, from, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, T const& symbol,
                                                                 size_t bytes, size_t offset,
                                                                 enum cudaMemcpyKind kind) {
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, (void const*)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                                   T const& symbol, void const* from, size_t bytes,
                                                                   size_t offset, enum cudaMemcpyKind kind) {
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, node, (void const*)&symbol, from, bytes, offset,
                                                      kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                                     void* to, T const& symbol, size_t bytes,
                                                                     size_t offset, enum cudaMemcpyKind kind) {
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(executable, node, to, (void const*)&symbol, bytes, offset,
                                                        kind);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T* function, dim3 grid, dim3 block, void** arguments,
                                           size_t shared_bytes = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchKernel((void const*)function, grid, block, arguments, shared_bytes, stream);
}
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(cudaLaunchConfig_t const* config, void (*function)(P...),
                                             A&&... arguments) {
    return [&](P... converted) {
        void* list[] = {(void*)&converted..., nullptr};
        return ::cudaLaunchKernelExC(config, (void const*)function, list);
    }(static_cast<A&&>(arguments)...);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T* function, dim3 grid, dim3 block, void** arguments,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel((void const*)function, grid, block, arguments, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunch(T* function) {
    return ::cudaLaunch((void const*)function);
}
template <class T>
static inline cudaError_t cudaSetupArgument(T argument, size_t offset) {
    return ::cudaSetupArgument(&argument, sizeof(T), offset);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T* function, enum cudaFuncCache preference) {
    return ::cudaFuncSetCacheConfig((void const*)function, preference);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T* function, enum cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig((void const*)function, config);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T* function, enum cudaFuncAttribute attribute, int value) {
    return ::cudaFuncSetAttribute((void const*)function, attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* function) {
    return ::cudaFuncGetAttributes(attributes, (void const*)function);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T function, int threads,
                                                                        size_t shared_bytes) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (void const*)function, threads,
                                                           shared_bytes);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, T* function, int blocks,
                                                                    int threads) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (void const*)function, blocks, threads);
}
template <class T>
static inline cudaError_t cudaFuncGetName(char const** name, T* function) {
    return ::cudaFuncGetName(name, (void const*)function);
}
template <class T>
static inline cudaError_t cudaGetKernel(cudaKernel_t* kernel, T* function) {
    return ::cudaGetKernel(kernel, (void const*)function);
}
/* The block size with the most resident threads, the larger where two have as many; and a grid that fills the GPU. */
template <class T, class Shared>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, T function,
                                                                         Shared shared_bytes, int limit = 0) {
    if (grid == 0 || block == 0) return cudaErrorInvalidValue;
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    cudaError_t error = ::cudaGetDeviceProperties(&properties, 0);
    if (error == cudaSuccess) error = ::cudaFuncGetAttributes(&attributes, (void const*)function);
    if (error != cudaSuccess) return error;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    int best = 0;
    for (int threads = most / properties.warpSize * properties.warpSize; threads > 0;
         threads -= properties.warpSize) {
        int blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void const*)function, threads,
                                                                shared_bytes(threads));
        if (error != cudaSuccess) return error;
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *grid = blocks * properties.multiProcessorCount;
        }
    }
    return best == 0 ? cudaErrorInvalidConfiguration : cudaSuccess;
}
namespace warpkit_cuda {
struct constant_bytes {
    size_t value;
    size_t operator()(int) const { return value; }
};
} // namespace warpkit_cuda
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T function,
                                                             size_t shared_bytes = 0, int limit = 0) {
    warpkit_cuda::constant_bytes shared = {shared_bytes};
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, shared, limit);
}

/* Textures. */
template <class T>
struct warpkit_cuda_channel;
#define WARPKIT_CUDA_CHANNEL(type, x, y, z, w, kind)                                                         \
    template <>                                                                                              \
    struct warpkit_cuda_channel<type> {                                                                      \
        static cudaChannelFormatDesc get() { return ::cudaCreateChannelDesc(x, y, z, w, kind); }             \
    };
#define WARPKIT_CUDA_CHANNELS(scalar, vector, bits, kind)                                                    \
    WARPKIT_CUDA_CHANNEL(scalar, bits, 0, 0, 0, kind)                                                        \
    WARPKIT_CUDA_CHANNEL(vector##1, bits, 0, 0, 0, kind)                                                     \
    WARPKIT_CUDA_CHANNEL(vector##2, bits, bits, 0, 0, kind)                                                  \
    WARPKIT_CUDA_CHANNEL(vector##4, bits, bits, bits, bits, kind)
WARPKIT_CUDA_CHANNELS(signed char, char, 8, cudaChannelFormatKindSigned)
WARPKIT_CUDA_CHANNEL(char, 8, 0, 0, 0, cudaChannelFormatKindSigned)
WARPKIT_CUDA_CHANNELS(unsigned char, uchar, 8, cudaChannelFormatKindUnsigned)
WARPKIT_CUDA_CHANNELS(short, short, 16, cudaChannelFormatKindSigned)
WARPKIT_CUDA_CHANNELS(unsigned short, ushort, 16, cudaChannelFormatKindUnsigned)
WARPKIT_CUDA_CHANNELS(int, int, 32, cudaChannelFormatKindSigned)
WARPKIT_CUDA_CHANNELS(unsigned int, uint, 32, cudaChannelFormatKindUnsigned)
WARPKIT_CUDA_CHANNELS(float, float, 32, cudaChannelFormatKindFloat)
#undef WARPKIT_CUDA_CHANNELS
#undef WARPKIT_CUDA_CHANNEL
template <class T>
static inline cudaChannelFormatDesc cudaCreateChannelDesc() {
    return warpkit_cuda_channel<T>::get();
}

#if defined(__CUDA__)
/* A texture reference. Device code sees a 64-bit handle. */
template <class T, int Dimensions = cudaTextureType1D, cudaTextureReadMode Mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
    texture(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp) {
        init(is_normalized, filter, address, warpkit_cuda_channel<T>::get());
    }
    texture(int is_normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address,
            cudaChannelFormatDesc format) {
        init(is_normalized, filter, address, format);
    }

private:
    void init(int is_normalized, cudaTextureFilterMode filter, cudaTextureAddressMode address,
              cudaChannelFormatDesc format) {
        normalized = is_normalized;
        filterMode = filter;
        addressMode[0] = addressMode[1] = addressMode[2] = address;
        channelDesc = format;
        sRGB = 0;
        maxAnisotropy = 0;
        mipmapFilterMode = cudaFilterModePoint;
        mipmapLevelBias = minMipmapLevelClamp = maxMipmapLevelClamp = 0;
    }
};

template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture(size_t* offset, texture<T, D, M> const& t, void const* address,
                                          cudaChannelFormatDesc const& format, size_t bytes = UINT_MAX) {
    return ::cudaBindTexture(offset, &t, address, &format, bytes);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture(size_t* offset, texture<T, D, M> const& t, void const* address,
                                          size_t bytes = UINT_MAX) {
    return ::cudaBindTexture(offset, &t, address, &t.channelDesc, bytes);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture2D(size_t* offset, texture<T, D, M> const& t, void const* address,
                                            cudaChannelFormatDesc const& format, size_t width, size_t height,
                                            size_t pitch) {
    return ::cudaBindTexture2D(offset, &t, address, &format, width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTexture2D(size_t* offset, texture<T, D, M> const& t, void const* address,
                                            size_t width, size_t height, size_t pitch) {
    return ::cudaBindTexture2D(offset, &t, address, &t.channelDesc, width, height, pitch);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTextureToArray(texture<T, D, M> const& t, cudaArray_const_t array,
                                                 cudaChannelFormatDesc const& format) {
    return ::cudaBindTextureToArray(&t, array, &format);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaBindTextureToArray(texture<T, D, M> const& t, cudaArray_const_t array) {
    cudaChannelFormatDesc format;
    cudaError_t const error = ::cudaGetChannelDesc(&format, array);
    return error != cudaSuccess ? error : ::cudaBindTextureToArray(&t, array, &format);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaUnbindTexture(texture<T, D, M> const& t) {
    return ::cudaUnbindTexture(&t);
}
template <class T, int D, cudaTextureReadMode M>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, texture<T, D, M> const& t) {
    return ::cudaGetTextureAlignmentOffset(offset, &t);
}
#endif

#endif
