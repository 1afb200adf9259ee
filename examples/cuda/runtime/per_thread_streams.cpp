// What CUDA's headers call in the place of a function that has a default stream, where programs are compiled with one
// per thread (--default-stream per-thread, CUDA_API_PER_THREAD_DEFAULT_STREAM): stream 0 is cudaStreamPerThread there,
// and what says no stream is done in that one and waited for. Arrays are copied to arrays at once.
#include "driver_modules.hpp"
#include "driver_names.hpp"

using namespace warpkit::cuda;

namespace {

cudaStream_t own_stream(cudaStream_t stream) { return stream == nullptr ? cudaStreamPerThread : stream; }
unsigned long long own_flags(unsigned long long flags) {
    return flags == cudaEnableDefault ? cudaEnablePerThreadDefaultStream : flags;
}
cudaError_t settled(cudaError_t e) {
    return e != cudaSuccess ? e : cudaStreamSynchronize(cudaStreamPerThread);
}
CUresult settled(CUresult e) { return e != CUDA_SUCCESS ? e : cuStreamSynchronize(CU_STREAM_PER_THREAD); }

} // namespace

extern "C" {

cudaError_t cudaMemcpy_ptds(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    return settled(cudaMemcpyAsync(to, from, bytes, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyToSymbol_ptds(void const* symbol, void const* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind) {
    return settled(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyFromSymbol_ptds(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind) {
    return settled(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return settled(
        cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                   std::size_t bytes, cudaMemcpyKind kind) {
    return settled(cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                     std::size_t from_pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
    return settled(
        cudaMemcpy2DToArrayAsync(to, x, y, from, from_pitch, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyFromArray_ptds(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                     std::size_t bytes, cudaMemcpyKind kind) {
    return settled(cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DFromArray_ptds(void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t x,
                                       std::size_t y, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind) {
    return settled(
        cudaMemcpy2DFromArrayAsync(to, to_pitch, from, x, y, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                        cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                        std::size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpyArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes, kind);
}
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, std::size_t to_x, std::size_t to_y,
                                          cudaArray_const_t from, std::size_t from_x, std::size_t from_y,
                                          std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, kind);
}
cudaError_t cudaMemcpy3D_ptds(cudaMemcpy3DParms const* what) {
    return settled(cudaMemcpy3DAsync(what, cudaStreamPerThread));
}
cudaError_t cudaMemcpy3DPeer_ptds(cudaMemcpy3DPeerParms const* what) {
    return settled(cudaMemcpy3DPeerAsync(what, cudaStreamPerThread));
}
cudaError_t cudaMemset_ptds(void* to, int value, std::size_t bytes) {
    return settled(cudaMemsetAsync(to, value, bytes, cudaStreamPerThread));
}
cudaError_t cudaMemset2D_ptds(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return settled(cudaMemset2DAsync(to, pitch, value, width, height, cudaStreamPerThread));
}
cudaError_t cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
    return settled(cudaMemset3DAsync(to, value, extent, cudaStreamPerThread));
}
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* executable, cudaGraph_t graph,
                                                cudaGraphInstantiateParams* parameters) {
    return cudaGraphInstantiateWithParams(executable, graph, parameters);
}
cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t executable, cudaStream_t stream) {
    return cudaGraphUpload(executable, own_stream(stream));
}
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t executable, cudaStream_t stream) {
    return cudaGraphLaunch(executable, own_stream(stream));
}
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
    return cudaStreamBeginCapture(own_stream(stream), mode);
}
cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                               cudaGraphNode_t const* after, cudaGraphEdgeData const* edges,
                                               std::size_t count, cudaStreamCaptureMode mode) {
    return cudaStreamBeginCaptureToGraph(own_stream(stream), graph, after, edges, count, mode);
}
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
    return cudaStreamEndCapture(own_stream(stream), graph);
}
cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                             unsigned long long* number, cudaGraph_t* graph,
                                             cudaGraphNode_t const** after, std::size_t* count) {
    return cudaStreamGetCaptureInfo_v2(own_stream(stream), status, number, graph, after, count);
}
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t* after,
                                                     std::size_t count, unsigned flags) {
    return cudaStreamUpdateCaptureDependencies(own_stream(stream), after, count, flags);
}
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return cudaStreamIsCapturing(own_stream(stream), status);
}
cudaError_t cudaMemcpyAsync_ptsz(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                                 cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, kind, own_stream(stream));
}
cudaError_t cudaMemcpyToSymbolAsync_ptsz(void const* symbol, void const* from, std::size_t bytes,
                                         std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, own_stream(stream));
}
cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, void const* symbol, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, own_stream(stream));
}
cudaError_t cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, own_stream(stream));
}
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                        std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, own_stream(stream));
}
cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                          std::size_t from_pitch, std::size_t width, std::size_t height,
                                          cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpy2DToArrayAsync(to, x, y, from, from_pitch, width, height, kind, own_stream(stream));
}
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                          std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, own_stream(stream));
}
cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void* to, std::size_t to_pitch, cudaArray_const_t from,
                                            std::size_t x, std::size_t y, std::size_t width,
                                            std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return cudaMemcpy2DFromArrayAsync(to, to_pitch, from, x, y, width, height, kind, own_stream(stream));
}
cudaError_t cudaMemcpy3DAsync_ptsz(cudaMemcpy3DParms const* what, cudaStream_t stream) {
    return cudaMemcpy3DAsync(what, own_stream(stream));
}
cudaError_t cudaMemcpy3DPeerAsync_ptsz(cudaMemcpy3DPeerParms const* what, cudaStream_t stream) {
    return cudaMemcpy3DPeerAsync(what, own_stream(stream));
}
cudaError_t cudaMemsetAsync_ptsz(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return cudaMemsetAsync(to, value, bytes, own_stream(stream));
}
cudaError_t cudaMemset2DAsync_ptsz(void* to, std::size_t pitch, int value, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
    return cudaMemset2DAsync(to, pitch, value, width, height, own_stream(stream));
}
cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
    return cudaMemset3DAsync(to, value, extent, own_stream(stream));
}
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) { return cudaStreamQuery(own_stream(stream)); }
cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int* device) {
    return cudaStreamGetDevice(own_stream(stream), device);
}
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
    return cudaStreamGetFlags(own_stream(stream), flags);
}
cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
    return cudaStreamGetId(own_stream(stream), id);
}
cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
    return cudaStreamGetPriority(own_stream(stream), priority);
}
cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecord(event, own_stream(stream));
}
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return cudaEventRecordWithFlags(event, own_stream(stream), flags);
}
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return cudaStreamWaitEvent(own_stream(stream), event, flags);
}
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                       unsigned flags) {
    return cudaStreamAddCallback(own_stream(stream), callback, data, flags);
}
cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* address, std::size_t bytes,
                                          unsigned flags) {
    return cudaStreamAttachMemAsync(own_stream(stream), address, bytes, flags);
}
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
    return cudaStreamSynchronize(own_stream(stream));
}
cudaError_t cudaLaunchKernel_ptsz(void const* function, ::dim3 grid, ::dim3 block, void** arguments,
                                  std::size_t shared_bytes, cudaStream_t stream) {
    return cudaLaunchKernel(function, grid, block, arguments, shared_bytes, own_stream(stream));
}
cudaError_t cudaLaunchKernelExC_ptsz(cudaLaunchConfig_st const* config, void const* function,
                                     void** arguments) {
    if (config == nullptr) return cudaErrorInvalidValue;
    auto own = *config;
    own.stream = own_stream(own.stream);
    return cudaLaunchKernelExC(&own, function, arguments);
}
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return cudaLaunchHostFunc(own_stream(stream), function, data);
}
cudaError_t cudaMemPrefetchAsync_ptsz(void const* address, std::size_t bytes, int device,
                                      cudaStream_t stream) {
    return cudaMemPrefetchAsync(address, bytes, device, own_stream(stream));
}
cudaError_t cudaLaunchCooperativeKernel_ptsz(void const* function, ::dim3 grid, ::dim3 block,
                                             void** arguments, std::size_t shared_bytes,
                                             cudaStream_t stream) {
    return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared_bytes, own_stream(stream));
}
cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from) {
    return cudaStreamCopyAttributes(own_stream(to), own_stream(from));
}
cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                        cudaLaunchAttributeValue* value) {
    return cudaStreamGetAttribute(own_stream(stream), attribute, value);
}
cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                        cudaLaunchAttributeValue const* value) {
    return cudaStreamSetAttribute(own_stream(stream), attribute, value);
}
cudaError_t cudaMallocAsync_ptsz(void** address, std::size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(address, bytes, own_stream(stream));
}
cudaError_t cudaFreeAsync_ptsz(void* address, cudaStream_t stream) {
    return cudaFreeAsync(address, own_stream(stream));
}
cudaError_t cudaMallocFromPoolAsync_ptsz(void** address, std::size_t bytes, cudaMemPool_t pool,
                                         cudaStream_t stream) {
    return cudaMallocFromPoolAsync(address, bytes, pool, own_stream(stream));
}
cudaError_t cudaGetDriverEntryPoint_ptsz(char const* name, void** function, unsigned long long flags,
                                         cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPoint(name, function, own_flags(flags), status);
}
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(char const* name, void** function, unsigned version,
                                                  unsigned long long flags,
                                                  cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPointByVersion(name, function, version, own_flags(flags), status);
}
CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr address, std::size_t bytes, CUdevice device, CUstream stream) {
    return cuMemPrefetchAsync(address, bytes, device, own_stream(stream));
}
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr to, void const* from, std::size_t bytes) {
    return settled(cuMemcpyHtoDAsync(to, from, bytes, cudaStreamPerThread));
}
CUresult cuMemcpyDtoH_v2_ptds(void* to, CUdeviceptr from, std::size_t bytes) {
    return settled(cuMemcpyDtoHAsync(to, from, bytes, cudaStreamPerThread));
}
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return settled(cuMemcpyDtoDAsync(to, from, bytes, cudaStreamPerThread));
}
CUresult cuMemcpyDtoA_v2_ptds(CUarray to, std::size_t offset, CUdeviceptr from, std::size_t bytes) {
    return cuMemcpyDtoA(to, offset, from, bytes);
}
CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr to, CUarray from, std::size_t offset, std::size_t bytes) {
    return cuMemcpyAtoD(to, from, offset, bytes);
}
CUresult cuMemcpyHtoA_v2_ptds(CUarray to, std::size_t offset, void const* from, std::size_t bytes) {
    return settled(cuMemcpyHtoAAsync(to, offset, from, bytes, cudaStreamPerThread));
}
CUresult cuMemcpyAtoH_v2_ptds(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
    return settled(cuMemcpyAtoHAsync(to, from, offset, bytes, cudaStreamPerThread));
}
CUresult cuMemcpyAtoA_v2_ptds(CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset,
                              std::size_t bytes) {
    return cuMemcpyAtoA(to, to_offset, from, from_offset, bytes);
}
CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray to, std::size_t offset, void const* from, std::size_t bytes,
                                   CUstream stream) {
    return cuMemcpyHtoAAsync(to, offset, from, bytes, own_stream(stream));
}
CUresult cuMemcpyAtoHAsync_v2_ptsz(void* to, CUarray from, std::size_t offset, std::size_t bytes,
                                   CUstream stream) {
    return cuMemcpyAtoHAsync(to, from, offset, bytes, own_stream(stream));
}
CUresult cuMemcpy2D_v2_ptds(CUDA_MEMCPY2D const* what) {
    return settled(cuMemcpy2DAsync(what, cudaStreamPerThread));
}
CUresult cuMemcpy2DUnaligned_v2_ptds(CUDA_MEMCPY2D const* what) {
    return settled(cuMemcpy2DAsync(what, cudaStreamPerThread));
}
CUresult cuMemcpy3D_v2_ptds(CUDA_MEMCPY3D const* what) {
    return settled(cuMemcpy3DAsync(what, cudaStreamPerThread));
}
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr to, void const* from, std::size_t bytes, CUstream stream) {
    return cuMemcpyHtoDAsync(to, from, bytes, own_stream(stream));
}
CUresult cuMemcpyDtoHAsync_v2_ptsz(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return cuMemcpyDtoHAsync(to, from, bytes, own_stream(stream));
}
CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return cuMemcpyDtoDAsync(to, from, bytes, own_stream(stream));
}
CUresult cuMemcpy2DAsync_v2_ptsz(CUDA_MEMCPY2D const* what, CUstream stream) {
    return cuMemcpy2DAsync(what, own_stream(stream));
}
CUresult cuMemcpy3DAsync_v2_ptsz(CUDA_MEMCPY3D const* what, CUstream stream) {
    return cuMemcpy3DAsync(what, own_stream(stream));
}
CUresult cuMemsetD8_v2_ptds(CUdeviceptr to, unsigned char value, std::size_t count) {
    return settled(cuMemsetD8Async(to, value, count, cudaStreamPerThread));
}
CUresult cuMemsetD16_v2_ptds(CUdeviceptr to, unsigned short value, std::size_t count) {
    return settled(cuMemsetD16Async(to, value, count, cudaStreamPerThread));
}
CUresult cuMemsetD32_v2_ptds(CUdeviceptr to, unsigned value, std::size_t count) {
    return settled(cuMemsetD32Async(to, value, count, cudaStreamPerThread));
}
CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                              std::size_t height) {
    return settled(cuMemsetD2D8Async(to, pitch, value, width, height, cudaStreamPerThread));
}
CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                               std::size_t height) {
    return settled(cuMemsetD2D16Async(to, pitch, value, width, height, cudaStreamPerThread));
}
CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                               std::size_t height) {
    return settled(cuMemsetD2D32Async(to, pitch, value, width, height, cudaStreamPerThread));
}
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
    return cuStreamBeginCapture(own_stream(stream), mode);
}
CUresult cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                      unsigned flags) {
    return cuStreamWriteValue32(own_stream(stream), address, value, flags);
}
CUresult cuStreamWaitValue32_v2_ptsz(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    return cuStreamWaitValue32(own_stream(stream), address, value, flags);
}
CUresult cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr address, cuuint64_t value,
                                      unsigned flags) {
    return cuStreamWriteValue64(own_stream(stream), address, value, flags);
}
CUresult cuStreamWaitValue64_v2_ptsz(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    return cuStreamWaitValue64(own_stream(stream), address, value, flags);
}
CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* number,
                                        CUgraph* graph, CUgraphNode const** after, std::size_t* count) {
    return cuStreamGetCaptureInfo(own_stream(stream), status, number, graph, after, count);
}
CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream stream, CUgraphNode* after, std::size_t count,
                                                unsigned flags) {
    return cuStreamUpdateCaptureDependencies(own_stream(stream), after, count, flags);
}
CUresult cuMemcpy_ptds(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return settled(cuMemcpyAsync(to, from, bytes, cudaStreamPerThread));
}
CUresult cuMemcpyAsync_ptsz(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return cuMemcpyAsync(to, from, bytes, own_stream(stream));
}
CUresult cuMemcpyPeer_ptds(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           std::size_t bytes) {
    return settled(cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, cudaStreamPerThread));
}
CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                                CUcontext from_context, std::size_t bytes, CUstream stream) {
    return cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, own_stream(stream));
}
CUresult cuMemsetD8Async_ptsz(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
    return cuMemsetD8Async(to, value, count, own_stream(stream));
}
CUresult cuMemsetD16Async_ptsz(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
    return cuMemsetD16Async(to, value, count, own_stream(stream));
}
CUresult cuMemsetD32Async_ptsz(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
    return cuMemsetD32Async(to, value, count, own_stream(stream));
}
CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                                std::size_t height, CUstream stream) {
    return cuMemsetD2D8Async(to, pitch, value, width, height, own_stream(stream));
}
CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                                 std::size_t height, CUstream stream) {
    return cuMemsetD2D16Async(to, pitch, value, width, height, own_stream(stream));
}
CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                                 std::size_t height, CUstream stream) {
    return cuMemsetD2D32Async(to, pitch, value, width, height, own_stream(stream));
}
CUresult cuStreamGetPriority_ptsz(CUstream stream, int* priority) {
    return cuStreamGetPriority(own_stream(stream), priority);
}
CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long* id) {
    return cuStreamGetId(own_stream(stream), id);
}
CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned* flags) {
    return cuStreamGetFlags(own_stream(stream), flags);
}
CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice* device) {
    return cuStreamGetDevice(own_stream(stream), device);
}
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext* context) {
    return cuStreamGetCtx(own_stream(stream), context);
}
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
    return cuStreamWaitEvent(own_stream(stream), event, flags);
}
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph* graph) {
    return cuStreamEndCapture(own_stream(stream), graph);
}
CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus* status) {
    return cuStreamIsCapturing(own_stream(stream), status);
}
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
    return cuStreamAddCallback(own_stream(stream), callback, data, flags);
}
CUresult cuStreamAttachMemAsync_ptsz(CUstream stream, CUdeviceptr address, std::size_t bytes,
                                     unsigned flags) {
    return cuStreamAttachMemAsync(own_stream(stream), address, bytes, flags);
}
CUresult cuStreamQuery_ptsz(CUstream stream) { return cuStreamQuery(own_stream(stream)); }
CUresult cuStreamSynchronize_ptsz(CUstream stream) { return cuStreamSynchronize(own_stream(stream)); }
CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) {
    return cuEventRecord(event, own_stream(stream));
}
CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
    return cuEventRecordWithFlags(event, own_stream(stream), flags);
}
CUresult cuLaunchKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             CUstream stream, void** arguments, void** extra) {
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                          own_stream(stream), arguments, extra);
}
CUresult cuLaunchKernelEx_ptsz(CUlaunchConfig const* config, CUfunction function, void** arguments,
                               void** extra) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto own = *config;
    own.hStream = own_stream(own.hStream);
    return cuLaunchKernelEx(&own, function, arguments, extra);
}
CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn function, void* data) {
    return cuLaunchHostFunc(own_stream(stream), function, data);
}
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned shared_bytes, CUstream stream, void** arguments) {
    return cuLaunchCooperativeKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                                     shared_bytes, own_stream(stream), arguments);
}
CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* executable, CUgraph graph,
                                           CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
    return cuGraphInstantiateWithParams(executable, graph, parameters);
}
CUresult cuGraphUpload_ptsz(CUgraphExec executable, CUstream stream) {
    return cuGraphUpload(executable, own_stream(stream));
}
CUresult cuGraphLaunch_ptsz(CUgraphExec executable, CUstream stream) {
    return cuGraphLaunch(executable, own_stream(stream));
}
CUresult cuStreamCopyAttributes_ptsz(CUstream to, CUstream from) {
    return cuStreamCopyAttributes(own_stream(to), own_stream(from));
}
CUresult cuStreamGetAttribute_ptsz(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
    return cuStreamGetAttribute(own_stream(stream), attribute, value);
}
CUresult cuStreamSetAttribute_ptsz(CUstream stream, CUstreamAttrID attribute,
                                   CUstreamAttrValue const* value) {
    return cuStreamSetAttribute(own_stream(stream), attribute, value);
}
CUresult cuMemFreeAsync_ptsz(CUdeviceptr address, CUstream stream) {
    return cuMemFreeAsync(address, own_stream(stream));
}
CUresult cuMemAllocAsync_ptsz(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
    return cuMemAllocAsync(address, bytes, own_stream(stream));
}
CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool,
                                      CUstream stream) {
    return cuMemAllocFromPoolAsync(address, bytes, pool, own_stream(stream));
}
CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph, CUgraphNode const* after,
                                          CUgraphEdgeData const* edges, std::size_t count,
                                          CUstreamCaptureMode mode) {
    return cuStreamBeginCaptureToGraph(own_stream(stream), graph, after, edges, count, mode);
}
CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr address, std::size_t bytes, CUmemLocation location,
                                    unsigned flags, CUstream stream) {
    return cuMemPrefetchAsync_v2(address, bytes, location, flags, own_stream(stream));
}
CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream stream, CUgraphNode* after,
                                                   CUgraphEdgeData const* edges, std::size_t count,
                                                   unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(own_stream(stream), after, edges, count, flags);
}
// Of nvcc's code from CUDA 13 on, and of launches where our headers are compiled so.
cudaError_t __cudaLaunchKernel_ptsz(void const* kernel, ::dim3 grid, ::dim3 block, void** arguments,
                                    std::size_t shared_bytes, cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, own_stream(stream));
}
unsigned warpkit_cuda_push_per_thread(::dim3 grid, ::dim3 block, std::size_t shared_bytes, void* stream) {
    return __cudaPushCallConfiguration(grid, block, shared_bytes,
                                       own_stream(static_cast<cudaStream_t>(stream)));
}

} // extern "C"

void* warpkit::cuda::per_thread_function(std::string_view name) {
    static named_function const all[] = {
        {"cuMemPrefetchAsync", reinterpret_cast<void*>(&cuMemPrefetchAsync_ptsz)},
        {"cuMemcpyHtoD", reinterpret_cast<void*>(&cuMemcpyHtoD_v2_ptds)},
        {"cuMemcpyDtoH", reinterpret_cast<void*>(&cuMemcpyDtoH_v2_ptds)},
        {"cuMemcpyDtoD", reinterpret_cast<void*>(&cuMemcpyDtoD_v2_ptds)},
        {"cuMemcpyDtoA", reinterpret_cast<void*>(&cuMemcpyDtoA_v2_ptds)},
        {"cuMemcpyAtoD", reinterpret_cast<void*>(&cuMemcpyAtoD_v2_ptds)},
        {"cuMemcpyHtoA", reinterpret_cast<void*>(&cuMemcpyHtoA_v2_ptds)},
        {"cuMemcpyAtoH", reinterpret_cast<void*>(&cuMemcpyAtoH_v2_ptds)},
        {"cuMemcpyAtoA", reinterpret_cast<void*>(&cuMemcpyAtoA_v2_ptds)},
        {"cuMemcpyHtoAAsync", reinterpret_cast<void*>(&cuMemcpyHtoAAsync_v2_ptsz)},
        {"cuMemcpyAtoHAsync", reinterpret_cast<void*>(&cuMemcpyAtoHAsync_v2_ptsz)},
        {"cuMemcpy2D", reinterpret_cast<void*>(&cuMemcpy2D_v2_ptds)},
        {"cuMemcpy2DUnaligned", reinterpret_cast<void*>(&cuMemcpy2DUnaligned_v2_ptds)},
        {"cuMemcpy3D", reinterpret_cast<void*>(&cuMemcpy3D_v2_ptds)},
        {"cuMemcpyHtoDAsync", reinterpret_cast<void*>(&cuMemcpyHtoDAsync_v2_ptsz)},
        {"cuMemcpyDtoHAsync", reinterpret_cast<void*>(&cuMemcpyDtoHAsync_v2_ptsz)},
        {"cuMemcpyDtoDAsync", reinterpret_cast<void*>(&cuMemcpyDtoDAsync_v2_ptsz)},
        {"cuMemcpy2DAsync", reinterpret_cast<void*>(&cuMemcpy2DAsync_v2_ptsz)},
        {"cuMemcpy3DAsync", reinterpret_cast<void*>(&cuMemcpy3DAsync_v2_ptsz)},
        {"cuMemsetD8", reinterpret_cast<void*>(&cuMemsetD8_v2_ptds)},
        {"cuMemsetD16", reinterpret_cast<void*>(&cuMemsetD16_v2_ptds)},
        {"cuMemsetD32", reinterpret_cast<void*>(&cuMemsetD32_v2_ptds)},
        {"cuMemsetD2D8", reinterpret_cast<void*>(&cuMemsetD2D8_v2_ptds)},
        {"cuMemsetD2D16", reinterpret_cast<void*>(&cuMemsetD2D16_v2_ptds)},
        {"cuMemsetD2D32", reinterpret_cast<void*>(&cuMemsetD2D32_v2_ptds)},
        {"cuStreamBeginCapture", reinterpret_cast<void*>(&cuStreamBeginCapture_v2_ptsz)},
        {"cuStreamWriteValue32", reinterpret_cast<void*>(&cuStreamWriteValue32_v2_ptsz)},
        {"cuStreamWaitValue32", reinterpret_cast<void*>(&cuStreamWaitValue32_v2_ptsz)},
        {"cuStreamWriteValue64", reinterpret_cast<void*>(&cuStreamWriteValue64_v2_ptsz)},
        {"cuStreamWaitValue64", reinterpret_cast<void*>(&cuStreamWaitValue64_v2_ptsz)},
        {"cuStreamGetCaptureInfo", reinterpret_cast<void*>(&cuStreamGetCaptureInfo_v2_ptsz)},
        {"cuStreamUpdateCaptureDependencies",
         reinterpret_cast<void*>(&cuStreamUpdateCaptureDependencies_ptsz)},
        {"cuMemcpy", reinterpret_cast<void*>(&cuMemcpy_ptds)},
        {"cuMemcpyAsync", reinterpret_cast<void*>(&cuMemcpyAsync_ptsz)},
        {"cuMemcpyPeer", reinterpret_cast<void*>(&cuMemcpyPeer_ptds)},
        {"cuMemcpyPeerAsync", reinterpret_cast<void*>(&cuMemcpyPeerAsync_ptsz)},
        {"cuMemsetD8Async", reinterpret_cast<void*>(&cuMemsetD8Async_ptsz)},
        {"cuMemsetD16Async", reinterpret_cast<void*>(&cuMemsetD16Async_ptsz)},
        {"cuMemsetD32Async", reinterpret_cast<void*>(&cuMemsetD32Async_ptsz)},
        {"cuMemsetD2D8Async", reinterpret_cast<void*>(&cuMemsetD2D8Async_ptsz)},
        {"cuMemsetD2D16Async", reinterpret_cast<void*>(&cuMemsetD2D16Async_ptsz)},
        {"cuMemsetD2D32Async", reinterpret_cast<void*>(&cuMemsetD2D32Async_ptsz)},
        {"cuStreamGetPriority", reinterpret_cast<void*>(&cuStreamGetPriority_ptsz)},
        {"cuStreamGetId", reinterpret_cast<void*>(&cuStreamGetId_ptsz)},
        {"cuStreamGetFlags", reinterpret_cast<void*>(&cuStreamGetFlags_ptsz)},
        {"cuStreamGetDevice", reinterpret_cast<void*>(&cuStreamGetDevice_ptsz)},
        {"cuStreamGetCtx", reinterpret_cast<void*>(&cuStreamGetCtx_ptsz)},
        {"cuStreamWaitEvent", reinterpret_cast<void*>(&cuStreamWaitEvent_ptsz)},
        {"cuStreamEndCapture", reinterpret_cast<void*>(&cuStreamEndCapture_ptsz)},
        {"cuStreamIsCapturing", reinterpret_cast<void*>(&cuStreamIsCapturing_ptsz)},
        {"cuStreamAddCallback", reinterpret_cast<void*>(&cuStreamAddCallback_ptsz)},
        {"cuStreamAttachMemAsync", reinterpret_cast<void*>(&cuStreamAttachMemAsync_ptsz)},
        {"cuStreamQuery", reinterpret_cast<void*>(&cuStreamQuery_ptsz)},
        {"cuStreamSynchronize", reinterpret_cast<void*>(&cuStreamSynchronize_ptsz)},
        {"cuEventRecord", reinterpret_cast<void*>(&cuEventRecord_ptsz)},
        {"cuEventRecordWithFlags", reinterpret_cast<void*>(&cuEventRecordWithFlags_ptsz)},
        {"cuLaunchKernel", reinterpret_cast<void*>(&cuLaunchKernel_ptsz)},
        {"cuLaunchKernelEx", reinterpret_cast<void*>(&cuLaunchKernelEx_ptsz)},
        {"cuLaunchHostFunc", reinterpret_cast<void*>(&cuLaunchHostFunc_ptsz)},
        {"cuLaunchCooperativeKernel", reinterpret_cast<void*>(&cuLaunchCooperativeKernel_ptsz)},
        {"cuGraphInstantiateWithParams", reinterpret_cast<void*>(&cuGraphInstantiateWithParams_ptsz)},
        {"cuGraphUpload", reinterpret_cast<void*>(&cuGraphUpload_ptsz)},
        {"cuGraphLaunch", reinterpret_cast<void*>(&cuGraphLaunch_ptsz)},
        {"cuStreamCopyAttributes", reinterpret_cast<void*>(&cuStreamCopyAttributes_ptsz)},
        {"cuStreamGetAttribute", reinterpret_cast<void*>(&cuStreamGetAttribute_ptsz)},
        {"cuStreamSetAttribute", reinterpret_cast<void*>(&cuStreamSetAttribute_ptsz)},
        {"cuMemFreeAsync", reinterpret_cast<void*>(&cuMemFreeAsync_ptsz)},
        {"cuMemAllocAsync", reinterpret_cast<void*>(&cuMemAllocAsync_ptsz)},
        {"cuMemAllocFromPoolAsync", reinterpret_cast<void*>(&cuMemAllocFromPoolAsync_ptsz)},
        {"cuStreamBeginCaptureToGraph", reinterpret_cast<void*>(&cuStreamBeginCaptureToGraph_ptsz)},
    };
    return find_function(all, name);
}
