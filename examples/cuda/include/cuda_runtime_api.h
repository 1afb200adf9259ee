/* The runtime's API for C and C++. What is declared here works (docs/howto/cuda.md says how); what is not supported
 * is either not declared, so that a program that needs it does not compile, or fails with cudaErrorNotSupported. */
#ifndef WARPKIT_CUDA_RUNTIME_API_H
#define WARPKIT_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__ /* programs ask for it */

#include "driver_types.h"
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#include "per_thread_streams.h" /* before the declarations: g++ takes it behind them from no system header */
#endif

#if defined(__cplusplus)
#define WARPKIT_CUDA_DEFAULT(value) = value
extern "C" {
#else
#define WARPKIT_CUDA_DEFAULT(value)
#endif

/* Devices. There is one. */
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetValidDevices(int* devices, int count);
cudaError_t cudaChooseDevice(int* device, struct cudaDeviceProp const* properties);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int* flags);
// By the name that it has in CUDA 12's library: another toolkit's structure has another layout.
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device);
cudaError_t cudaDeviceGetByPCIBusId(int* device, char const* text);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache preference);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache* preference);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* config);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaThreadGetLimit(size_t* value, enum cudaLimit limit);
cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache preference);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
/* A function of the driver's API by its name. */
cudaError_t cudaGetDriverEntryPoint(char const* name, void** function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult* status WARPKIT_CUDA_DEFAULT(0));
cudaError_t
cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned int version,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult* status WARPKIT_CUDA_DEFAULT(0));

/* Errors. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
char const* cudaGetErrorString(cudaError_t error);
char const* cudaGetErrorName(cudaError_t error);

/* Memory. */
cudaError_t cudaMalloc(void** address, size_t bytes);
cudaError_t cudaMallocHost(void** address, size_t bytes);
cudaError_t cudaMallocPitch(void** address, size_t* pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr* pitched, struct cudaExtent extent);
cudaError_t cudaMallocManaged(void** address, size_t bytes,
                              unsigned int flags WARPKIT_CUDA_DEFAULT(cudaMemAttachGlobal));
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, struct cudaChannelFormatDesc const* format,
                                     struct cudaExtent extent, unsigned int levels, unsigned int flags);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array, unsigned int number);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
cudaError_t cudaMallocArray(cudaArray_t* array, struct cudaChannelFormatDesc const* format, size_t width,
                            size_t height WARPKIT_CUDA_DEFAULT(0),
                            unsigned int flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMalloc3DArray(cudaArray_t* array, struct cudaChannelFormatDesc const* format,
                              struct cudaExtent extent, unsigned int flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned int flags);
cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void* address);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int* flags, void* host);
cudaError_t cudaFree(void* address);
cudaError_t cudaFreeHost(void* address);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, void const* address);
cudaError_t cudaMemPrefetchAsync(void const* address, size_t bytes, int device,
                                 cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemAdvise(void const* address, size_t bytes, enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemRangeGetAttribute(void* data, size_t bytes, enum cudaMemRangeAttribute attribute,
                                     void const* address, size_t count);
cudaError_t cudaMemRangeGetAttributes(void** data, size_t* bytes, enum cudaMemRangeAttribute* attributes,
                                      size_t number, void const* address, size_t count);
/* A handle can be got; there is no other process to open it. */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* address);
cudaError_t cudaIpcOpenMemHandle(void** address, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void* address);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);

cudaError_t cudaMemcpy(void* to, void const* from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, void const* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpyPeer(void* to, int to_device, void const* from, int from_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, void const* from, int from_device, size_t bytes,
                                cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, void const* from, size_t from_pitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, void const* from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpy3D(struct cudaMemcpy3DParms const* what);
cudaError_t cudaMemcpy3DAsync(struct cudaMemcpy3DParms const* what,
                              cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpy3DPeer(struct cudaMemcpy3DPeerParms const* what);
cudaError_t cudaMemcpy3DPeerAsync(struct cudaMemcpy3DPeerParms const* what,
                                  cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* from, size_t bytes,
                               size_t offset WARPKIT_CUDA_DEFAULT(0),
                               enum cudaMemcpyKind kind WARPKIT_CUDA_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, size_t bytes,
                                 size_t offset WARPKIT_CUDA_DEFAULT(0),
                                 enum cudaMemcpyKind kind WARPKIT_CUDA_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyFromSymbolAsync(void* to, void const* symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, void const* from, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, void const* from, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, void const* from, size_t from_pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void* to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind, cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, void const* from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind,
                                     cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind,
                                       cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t
cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                       size_t from_y, size_t bytes,
                       enum cudaMemcpyKind kind WARPKIT_CUDA_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t
cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                         size_t from_y, size_t width, size_t height,
                         enum cudaMemcpyKind kind WARPKIT_CUDA_DEFAULT(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemset(void* to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
                              cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaGetSymbolAddress(void** address, void const* symbol);
cudaError_t cudaGetSymbolSize(size_t* bytes, void const* symbol);

/* Memory in the order of a stream: taken and given back at once, as everything here. A pool is a count of what was
 * taken from it. */
cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void** address, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* address, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, struct cudaMemPoolProps const* properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, struct cudaMemAccessDesc const* list, size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 struct cudaMemLocation* location);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);

/* Streams and events. Everything is done at once, in the order of the calls. */
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue const* value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceGetP2PAttribute(int* value, enum cudaDeviceP2PAttr attribute, int from, int to);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags WARPKIT_CUDA_DEFAULT(0));
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* data);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags);
typedef void (*cudaHostFn_t)(void* data);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* address, size_t bytes WARPKIT_CUDA_DEFAULT(0),
                                     unsigned int flags WARPKIT_CUDA_DEFAULT(0x04));
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream WARPKIT_CUDA_DEFAULT(0),
                                     unsigned int flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

/* Graphs. A launch runs the nodes one after the other, each behind those that it depends on. */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* status);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          cudaGraphNode_t const* after, cudaGraphEdgeData const* edges,
                                          size_t count, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus* status,
                                        unsigned long long* number WARPKIT_CUDA_DEFAULT(0),
                                        cudaGraph_t* graph WARPKIT_CUDA_DEFAULT(0),
                                        cudaGraphNode_t const** after WARPKIT_CUDA_DEFAULT(0),
                                        size_t* count WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after, size_t count,
                                                unsigned int flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* mode);
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* type);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
/* For the forms with edges' data of host_templates.h. */
cudaError_t warpkit_cuda_check_edges(cudaGraphEdgeData const* edges, size_t count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, char const* path, unsigned int flags);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   size_t count, struct cudaKernelNodeParams const* parameters);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   size_t count, struct cudaMemcpy3DParms const* parameters);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                     size_t count, void* to, void const* from, size_t bytes,
                                     enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   size_t count, struct cudaMemsetParams const* parameters);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                 size_t count, struct cudaHostNodeParams const* parameters);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                  size_t count);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                     size_t count, struct cudaMemAllocNodeParams* parameters);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                    size_t count, void* p);
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void* value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute, void* value);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                       size_t count, cudaGraph_t child);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                     cudaGraphNode_t const* to, size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                        cudaGraphNode_t const* to, size_t count);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        cudaGraphNode_t const* after, size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                      size_t count, cudaEvent_t event);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned int value WARPKIT_CUDA_DEFAULT(0),
                                             unsigned int flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                             cudaGraphEdgeData const* edges, size_t count,
                             struct cudaGraphNodeParams* parameters);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams* parameters);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms* parameters);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms const* parameters);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, void const* from, size_t bytes,
                                           enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams* parameters);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, struct cudaMemsetParams const* parameters);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams* parameters);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, struct cudaHostNodeParams const* parameters);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, struct cudaKernelNodeParams const* parameters);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             struct cudaKernelNodeParams const* parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             struct cudaMemcpy3DParms const* parameters);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               void const* from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             struct cudaMemsetParams const* parameters);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           struct cudaHostNodeParams const* parameters);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int* enabled);
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue const* value);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           cudaGraphNode_t const* after, size_t count, void const* symbol,
                                           void const* from, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             cudaGraphNode_t const* after, size_t count, void* to,
                                             void const* symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, void const* symbol, void const* from,
                                                 size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, void const* symbol,
                                                   size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     void const* symbol, void const* from, size_t bytes,
                                                     size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       void* to, void const* symbol, size_t bytes,
                                                       size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams* parameters);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* address);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams* parameters);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams* parameters);
/* Objects whose destructor is called when neither the program nor a graph refers to them any more. */
cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy,
                                 unsigned int count, unsigned int flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count WARPKIT_CUDA_DEFAULT(1));
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count WARPKIT_CUDA_DEFAULT(1));
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count WARPKIT_CUDA_DEFAULT(1),
                                      unsigned int flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count WARPKIT_CUDA_DEFAULT(1));
/* What the two forms of cudaGraphExecUpdate (CUDA 11 and 12) call. */
cudaError_t warpkit_cuda_update_graph(cudaGraphExec_t executable, cudaGraph_t graph, int* same);

/* Kernels. */
cudaError_t cudaLaunchKernel(void const* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(struct cudaLaunchConfig_st const* config, void const* function,
                                void** arguments);
cudaError_t cudaLaunchCooperativeKernel(void const* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams* list, unsigned int count,
                                                   unsigned int flags WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes WARPKIT_CUDA_DEFAULT(0),
                              cudaStream_t stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t cudaSetupArgument(void const* argument, size_t bytes, size_t offset);
cudaError_t cudaLaunch(void const* function);
cudaError_t cudaFuncSetCacheConfig(void const* function, enum cudaFuncCache preference);
cudaError_t cudaFuncSetSharedMemConfig(void const* function, enum cudaSharedMemConfig config);
cudaError_t cudaFuncSetAttribute(void const* function, enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, void const* function);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void const* function, int threads,
                                                          size_t shared_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, void const* function,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned int flags);

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* ctas, void const* function,
                                                 struct cudaLaunchConfig_st const* config);
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, void const* function,
                                           struct cudaLaunchConfig_st const* config);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, void const* function, int blocks,
                                                      int threads);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, void const* symbol);
cudaError_t cudaFuncGetName(char const** name, void const* function);
cudaError_t cudaFuncGetParamInfo(void const* function, size_t index, size_t* offset, size_t* bytes);
cudaError_t cudaGetKernel(cudaKernel_t* kernel, void const* symbol);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device);
/* Modules that are loaded while the program runs. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, void const* code, enum cudaJitOption* options,
                                void** values, unsigned int count, enum cudaLibraryOption* library_options,
                                void** library_values, unsigned int library_count);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, char const* file, enum cudaJitOption* options,
                                    void** values, unsigned int count,
                                    enum cudaLibraryOption* library_options, void** library_values,
                                    unsigned int library_count);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, char const* name);
cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, char const* name);
cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library, char const* name);
cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int count, cudaLibrary_t library);

/* Textures. */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
cudaError_t cudaBindTexture(size_t* offset, struct textureReference const* texture, void const* address,
                            struct cudaChannelFormatDesc const* format,
                            size_t bytes WARPKIT_CUDA_DEFAULT(UINT_MAX));
cudaError_t cudaBindTexture2D(size_t* offset, struct textureReference const* texture, void const* address,
                              struct cudaChannelFormatDesc const* format, size_t width, size_t height,
                              size_t pitch);
cudaError_t cudaBindTextureToArray(struct textureReference const* texture, cudaArray_const_t array,
                                   struct cudaChannelFormatDesc const* format);
cudaError_t cudaUnbindTexture(struct textureReference const* texture);
cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, struct textureReference const* texture);
cudaError_t cudaGetTextureReference(struct textureReference const** texture, void const* symbol);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc* format, cudaArray_const_t array);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, struct cudaResourceDesc const* resource,
                                    struct cudaTextureDesc const* texture,
                                    struct cudaResourceViewDesc const* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, struct cudaResourceDesc const* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc* resource, cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc* texture, cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc* view,
                                                 cudaTextureObject_t object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc* resource, cudaSurfaceObject_t object);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* texels, struct cudaChannelFormatDesc const* format,
                                                 int device);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc* format, struct cudaExtent* extent,
                             unsigned int* flags, cudaArray_t array);

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* What clang makes of a CUDA source calls these. */
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes WARPKIT_CUDA_DEFAULT(0),
                                         void* stream WARPKIT_CUDA_DEFAULT(0));
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);

#if defined(__cplusplus)
}
#endif

static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent e;
    e.width = width, e.height = height, e.depth = depth;
    return e;
}
static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos p;
    p.x = x, p.y = y, p.z = z;
    return p;
}
static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void* ptr, size_t pitch, size_t xsize,
                                                            size_t ysize) {
    struct cudaPitchedPtr p;
    p.ptr = ptr, p.pitch = pitch, p.xsize = xsize, p.ysize = ysize;
    return p;
}

#endif
