// The rest of the driver's API: contexts, libraries, launches, and what has the runtime's name but for the first
// letters.
#include "driver_modules.hpp"

#include <cstring>
#include <string_view>

using namespace warpkit::cuda;

namespace {

cudaMemcpyKind const any_way = cudaMemcpyDefault;

CUresult fill_words(char const* name, CUdeviceptr to, void const* value, std::size_t bytes,
                    std::size_t count) {
    return result(call(name, [&](session& s) {
        if (count == 0) return;
        auto* const d = s.find(pointer(to), warpkit::saturated_product(count, bytes));
        if (d == nullptr || to % bytes != 0)
            throw failure(cudaErrorInvalidValue,
                          std::to_string(count) + " values are not inside one allocation of the device");
        for (std::size_t i = 0; i < count; ++i) std::memcpy(d + i * bytes, value, bytes);
    }));
}
void require_handle(session const& s, void const* function) {
    if (!s.knows(function)) throw failure(cudaErrorInvalidResourceHandle, "this is no function of a module");
}
// The arguments of a launch: one by one, or in one buffer.
std::vector<std::byte> arguments_of(session& s, CUfunction function, void** arguments, void** extra) {
    if (extra == nullptr) return s.packed(function, arguments);
    std::byte const* buffer = nullptr;
    std::size_t bytes = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = static_cast<std::byte const*>(extra[1]);
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            bytes = *static_cast<std::size_t const*>(extra[1]);
        else
            throw failure(cudaErrorInvalidValue, "expected a buffer, its size or the end in `extra`");
    }
    require(buffer, "the buffer of arguments");
    return {buffer, buffer + bytes};
}
CUresult launch(char const* name, CUfunction function, launch_shape const& shape, CUstream stream,
                void** arguments, void** extra) {
    return result(call(name, [&](session& s) {
        require_handle(s, function);
        if (s.streams.holds(stream) && stream->captures != nullptr) {
            s.capture(stream, cudaGraphNodeTypeKernel,
                      [&s, function, shape, block = arguments_of(s, function, arguments, extra)] {
                          s.launch(function, shape, block, s.graph_stream);
                      });
            return;
        }
        require_stream(s, stream);
        s.launch(function, shape, arguments_of(s, function, arguments, extra), stream);
    }));
}
CUresult current(CUcontext context) {
    return context == nullptr || context == &the_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
// Gives the one context.
CUresult give_context(char const* name, CUcontext* context) {
    return result(call(name, [&](session&) {
        require(context, "the result");
        *context = &the_context;
    }));
}
CUresult give(char const* name, CUdeviceptr* p, cudaError_t (*allocate)(void**, std::size_t),
              std::size_t bytes) {
    return result(call(name, [&](session&) {
        require(p, "the result");
        void* q = nullptr;
        if (auto const e = allocate(&q, bytes); e != cudaSuccess) throw failure(e, "no memory");
        *p = address(q);
    }));
}

} // namespace

extern "C" {

CUresult cuCtxGetCurrent(CUcontext* context) { return give_context("cuCtxGetCurrent", context); }
CUresult cuCtxSetCurrent(CUcontext context) { return current(context); }
CUresult cuCtxPushCurrent(CUcontext context) { return current(context); }
CUresult cuCtxPopCurrent(CUcontext* context) {
    if (context != nullptr) *context = &the_context;
    return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) { return result(cudaGetDevice(device)); }
CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
    if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *version = session::driver_version;
    return current(context);
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    return result(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)));
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    auto const e = cudaSetDevice(device);
    return e != cudaSuccess ? result(e) : give_context("cuDevicePrimaryCtxRetain", context);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return result(cudaSetDevice(device)); }
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    auto const e = cudaSetDevice(device);
    return result(e != cudaSuccess ? e : cudaDeviceReset());
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = 0;
    *active = 1;
    return result(cudaSetDevice(device));
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned) { return result(cudaSetDevice(device)); }
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return result(cudaDeviceCanAccessPeer(can, device, peer));
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
    return result(cudaDeviceGetDefaultMemPool(pool, device));
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    if (uuid == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *uuid = {};
    return result(cudaSetDevice(device));
}

CUresult cuModuleLoadDataEx(CUmodule* module, void const* text, unsigned, CUjit_option*, void**) {
    return cuModuleLoadData(module, text);
}
CUresult cuModuleGetGlobal(CUdeviceptr* p, std::size_t* bytes, CUmodule module, char const* name) {
    return result(call("cuModuleGetGlobal", [&](session& s) {
        require(name, "the name");
        require_module(module);
        auto const found = s.variable_of(*module->home, name);
        if (p != nullptr) *p = found.address;
        if (bytes != nullptr) *bytes = found.bytes;
    }));
}
CUresult cuLibraryLoadData(CUlibrary* library, void const* text, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
    return cuModuleLoadData(reinterpret_cast<CUmodule*>(library), text);
}
CUresult cuLibraryUnload(CUlibrary library) { return cuModuleUnload(reinterpret_cast<CUmodule>(library)); }
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, char const* name) {
    return cuModuleGetFunction(reinterpret_cast<CUfunction*>(kernel), reinterpret_cast<CUmodule>(library),
                               name);
}
CUresult cuLibraryGetGlobal(CUdeviceptr* p, std::size_t* bytes, CUlibrary library, char const* name) {
    return cuModuleGetGlobal(p, bytes, reinterpret_cast<CUmodule>(library), name);
}
CUresult cuLibraryGetManaged(CUdeviceptr* p, std::size_t* bytes, CUlibrary library, char const* name) {
    return cuModuleGetGlobal(p, bytes, reinterpret_cast<CUmodule>(library), name);
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
    return result(call("cuKernelGetFunction", [&](session& s) {
        require(function, "the result");
        require_handle(s, kernel);
        *function = reinterpret_cast<CUfunction>(kernel);
    }));
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
    return cuFuncGetAttribute(value, attribute, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaFuncAttributes a{};
    auto const e = cudaFuncGetAttributes(&a, function);
    if (e != cudaSuccess) return result(e);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = a.maxThreadsPerBlock;
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = static_cast<int>(a.sharedSizeBytes);
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = static_cast<int>(a.constSizeBytes);
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = static_cast<int>(a.localSizeBytes);
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = a.numRegs;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = a.ptxVersion;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = a.binaryVersion;
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = a.maxDynamicSharedSizeBytes;
        break;
    default:
        *value = 0;
        break;
    }
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) return cuFuncLoad(function);
    return result(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
    return result(cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)));
}
CUresult cuFuncLoad(CUfunction function) {
    return result(call("cuFuncLoad", [&](session& s) { require_handle(s, function); }));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared_bytes) {
    return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared_bytes));
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
    return launch("cuLaunchKernel", function,
                  {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, {0, 0, 0}, false},
                  stream, arguments, extra);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream stream, void** arguments) {
    return launch("cuLaunchCooperativeKernel", function,
                  {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, {0, 0, 0}, true},
                  stream, arguments, nullptr);
}
CUresult cuLaunchKernelEx(CUlaunchConfig const* c, CUfunction function, void** arguments, void** extra) {
    if (c == nullptr || extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaLaunchConfig_t config{};
    config.gridDim = {c->gridDimX, c->gridDimY, c->gridDimZ};
    config.blockDim = {c->blockDimX, c->blockDimY, c->blockDimZ};
    config.dynamicSmemBytes = c->sharedMemBytes;
    config.stream = c->hStream;
    config.attrs = c->attrs;
    config.numAttrs = c->numAttrs;
    return result(cudaLaunchKernelExC(&config, function, arguments));
}
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return result(cudaStreamBeginCapture(stream, mode));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    return result(cudaStreamEndCapture(stream, graph));
}
CUresult cuGraphCreate(CUgraph* graph, unsigned flags) { return result(cudaGraphCreate(graph, flags)); }
CUresult cuGraphDestroy(CUgraph graph) { return result(cudaGraphDestroy(graph)); }
CUresult cuGraphClone(CUgraph* clone, CUgraph graph) { return result(cudaGraphClone(clone, graph)); }
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    return result(cudaGraphGetNodes(graph, nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    return result(cudaGraphGetRootNodes(graph, nodes, count));
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    return result(cudaGraphNodeGetType(node, type));
}
CUresult cuGraphAddDependencies(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                std::size_t count) {
    return result(cudaGraphAddDependencies(graph, from, to, count));
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count) {
    return result(cudaGraphAddEmptyNode(node, graph, after, count));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after,
                                  std::size_t count, CUgraph child) {
    return result(cudaGraphAddChildGraphNode(node, graph, after, count, child));
}
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                            CUDA_HOST_NODE_PARAMS const* p) {
    return result(cudaGraphAddHostNode(node, graph, after, count, p));
}
CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                              CUDA_MEMSET_NODE_PARAMS const* p, CUcontext) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaMemsetParams const q{pointer(p->dst), p->pitch, p->value, p->elementSize, p->width, p->height};
    return result(cudaGraphAddMemsetNode(node, graph, after, count, &q));
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
    return result(cudaGraphInstantiateWithFlags(executable, graph, flags));
}
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
    return result(cudaGraphUpload(executable, stream));
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    return result(cudaGraphLaunch(executable, stream));
}
CUresult cuGraphExecDestroy(CUgraphExec executable) { return result(cudaGraphExecDestroy(executable)); }
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                              CUDA_KERNEL_NODE_PARAMS const* p) {
    if (p == nullptr || p->extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaKernelNodeParams q{};
    q.func = p->func != nullptr ? static_cast<void*>(p->func) : p->kern;
    q.gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ};
    q.blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ};
    q.sharedMemBytes = p->sharedMemBytes;
    q.kernelParams = p->kernelParams;
    return result(cudaGraphAddKernelNode(node, graph, after, count, &q));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue const*) {
    return attribute == cudaLaunchAttributePriority || attribute == cudaLaunchAttributeIgnore
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemAllocHost(void** p, std::size_t bytes) { return result(cudaMallocHost(p, bytes)); }
CUresult cuMemHostAlloc(void** p, std::size_t bytes, unsigned flags) {
    return result(cudaHostAlloc(p, bytes, flags));
}
CUresult cuMemFreeHost(void* p) { return result(cudaFreeHost(p)); }
CUresult cuMemHostRegister(void* p, std::size_t bytes, unsigned flags) {
    return result(cudaHostRegister(p, bytes, flags));
}
CUresult cuMemHostUnregister(void* p) { return result(cudaHostUnregister(p)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned flags) {
    return result(cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags));
}
CUresult cuMemAllocManaged(CUdeviceptr* p, std::size_t bytes, unsigned) {
    return give(
        "cuMemAllocManaged", p,
        [](void** q, std::size_t n) { return cudaMallocManaged(q, n, cudaMemAttachGlobal); }, bytes);
}
CUresult cuMemAllocPitch(CUdeviceptr* p, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned) {
    return result(cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height));
}
CUresult cuMemAllocAsync(CUdeviceptr* p, std::size_t bytes, CUstream stream) {
    return result(cudaMallocAsync(reinterpret_cast<void**>(p), bytes, stream));
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* p, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
    return result(cudaMallocFromPoolAsync(reinterpret_cast<void**>(p), bytes, pool, stream));
}
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream) { return result(cudaFreeAsync(pointer(p), stream)); }
CUresult cuMemPoolCreate(CUmemoryPool* pool, CUmemPoolProps const* properties) {
    static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
    return result(cudaMemPoolCreate(pool, reinterpret_cast<cudaMemPoolProps const*>(properties)));
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) { return result(cudaMemPoolDestroy(pool)); }
CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t bytes) {
    return result(cudaMemPoolTrimTo(pool, bytes));
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return result(cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
    return result(cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value));
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, cudaMemAccessDesc const*, std::size_t) { return cudaSuccess; }
CUresult cuMemPoolSetAccess(CUmemoryPool, CUmemAccessDesc const*, std::size_t) { return CUDA_SUCCESS; }
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool, CUmemLocation*) {
    if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return CUDA_SUCCESS;
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return result(cudaMemcpy(pointer(to), pointer(from), bytes, any_way));
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return result(cudaMemcpyAsync(pointer(to), pointer(from), bytes, any_way, stream));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, void const* from, std::size_t bytes, CUstream stream) {
    return result(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return result(cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return result(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) {
    return fill_words("cuMemsetD16", to, &value, sizeof value, count);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
    return result(cudaMemsetAsync(pointer(to), value, count, stream));
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream) {
    return fill_words("cuMemsetD16Async", to, &value, sizeof value, count);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream) {
    return fill_words("cuMemsetD32Async", to, &value, sizeof value, count);
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr p) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaPointerAttributes a{};
    auto const e = cudaPointerGetAttributes(&a, pointer(p));
    if (e != cudaSuccess) return result(e);
    auto const put = [value](auto v) { std::memcpy(value, &v, sizeof v); };
    bool const known = a.type != cudaMemoryTypeUnregistered;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        put(known ? &the_context : nullptr);
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        if (!known) return CUDA_ERROR_INVALID_VALUE;
        put(a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        put(address(a.devicePointer));
        break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        put(a.hostPointer);
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        put(static_cast<char>(a.type == cudaMemoryTypeManaged));
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        put(a.device);
        break;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        put(static_cast<char>(known));
        break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        put(static_cast<void*>(nullptr));
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr p) {
    if (attributes == nullptr || values == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; ++i) {
        // What a pointer has not is 0 here, and no error.
        auto const e = cuPointerGetAttribute(values[i], attributes[i], p);
        if (e == CUDA_ERROR_INVALID_VALUE && attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
            *static_cast<unsigned*>(values[i]) = 0;
        else if (e != CUDA_SUCCESS)
            return e;
    }
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return result(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return result(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamQuery(CUstream stream) { return result(cudaStreamQuery(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return result(cudaStreamWaitEvent(stream, event, flags));
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
    return result(cudaStreamGetPriority(stream, priority));
}
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
    return result(cudaStreamGetFlags(stream, flags));
}
CUresult cuStreamGetCtx(CUstream, CUcontext* context) { return give_context("cuStreamGetCtx", context); }
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
    return result(cudaStreamGetId(stream, id));
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
    return result(
        cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags));
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
    return result(cudaStreamIsCapturing(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status)));
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    return result(cudaLaunchHostFunc(stream, function, data));
}
CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return result(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result(cudaEventRecord(event, stream)); }
CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
    return result(cudaEventElapsedTime(milliseconds, start, end));
}
CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }

// The functions of this API by their names, as programs find them that do not link with the driver.
CUresult cuGetProcAddress_v2(char const* name, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* status) {
    if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    struct entry {
        char const* name;
        void* function;
    };
#define ENTRY(name)                                                                                          \
    { #name, reinterpret_cast < void*>(&name) }
    static entry const all[] = {ENTRY(cuInit),
                                ENTRY(cuDriverGetVersion),
                                ENTRY(cuGetErrorName),
                                ENTRY(cuGetErrorString),
                                ENTRY(cuDeviceGetCount),
                                ENTRY(cuDeviceGet),
                                ENTRY(cuDeviceGetName),
                                ENTRY(cuDeviceGetAttribute),
                                ENTRY(cuDeviceComputeCapability),
                                ENTRY(cuDeviceTotalMem),
                                ENTRY(cuDeviceCanAccessPeer),
                                ENTRY(cuDeviceGetDefaultMemPool),
                                ENTRY(cuDeviceGetUuid),
                                ENTRY(cuDevicePrimaryCtxRetain),
                                ENTRY(cuDevicePrimaryCtxRelease),
                                ENTRY(cuDevicePrimaryCtxReset),
                                ENTRY(cuDevicePrimaryCtxGetState),
                                ENTRY(cuDevicePrimaryCtxSetFlags),
                                ENTRY(cuCtxCreate),
                                ENTRY(cuCtxDestroy),
                                ENTRY(cuCtxSynchronize),
                                ENTRY(cuCtxGetCurrent),
                                ENTRY(cuCtxSetCurrent),
                                ENTRY(cuCtxPushCurrent),
                                ENTRY(cuCtxPopCurrent),
                                ENTRY(cuCtxGetDevice),
                                ENTRY(cuCtxGetApiVersion),
                                ENTRY(cuCtxSetCacheConfig),
                                ENTRY(cuModuleLoad),
                                ENTRY(cuModuleLoadData),
                                ENTRY(cuModuleLoadDataEx),
                                ENTRY(cuModuleUnload),
                                ENTRY(cuModuleGetFunction),
                                ENTRY(cuModuleGetGlobal),
                                ENTRY(cuLibraryLoadData),
                                ENTRY(cuLibraryUnload),
                                ENTRY(cuLibraryGetKernel),
                                ENTRY(cuLibraryGetGlobal),
                                ENTRY(cuLibraryGetManaged),
                                ENTRY(cuKernelGetFunction),
                                ENTRY(cuKernelGetAttribute),
                                ENTRY(cuFuncGetAttribute),
                                ENTRY(cuFuncSetAttribute),
                                ENTRY(cuFuncSetCacheConfig),
                                ENTRY(cuFuncLoad),
                                ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
                                ENTRY(cuLaunchKernel),
                                ENTRY(cuLaunchKernelEx),
                                ENTRY(cuLaunchCooperativeKernel),
                                ENTRY(cuLaunchHostFunc),
                                ENTRY(cuStreamBeginCapture),
                                ENTRY(cuStreamEndCapture),
                                ENTRY(cuGraphCreate),
                                ENTRY(cuGraphDestroy),
                                ENTRY(cuGraphClone),
                                ENTRY(cuGraphGetNodes),
                                ENTRY(cuGraphGetRootNodes),
                                ENTRY(cuGraphNodeGetType),
                                ENTRY(cuGraphAddDependencies),
                                ENTRY(cuGraphAddEmptyNode),
                                ENTRY(cuGraphAddChildGraphNode),
                                ENTRY(cuGraphAddHostNode),
                                ENTRY(cuGraphAddMemsetNode),
                                ENTRY(cuGraphInstantiateWithFlags),
                                ENTRY(cuGraphUpload),
                                ENTRY(cuGraphLaunch),
                                ENTRY(cuGraphExecDestroy),
                                ENTRY(cuGraphAddKernelNode),
                                ENTRY(cuGraphKernelNodeSetAttribute),
                                ENTRY(cuMemAlloc),
                                ENTRY(cuMemFree),
                                ENTRY(cuMemGetInfo),
                                ENTRY(cuMemAllocHost),
                                ENTRY(cuMemHostAlloc),
                                ENTRY(cuMemFreeHost),
                                ENTRY(cuMemHostRegister),
                                ENTRY(cuMemHostUnregister),
                                ENTRY(cuMemHostGetDevicePointer),
                                ENTRY(cuMemAllocManaged),
                                ENTRY(cuMemAllocPitch),
                                ENTRY(cuMemAllocAsync),
                                ENTRY(cuMemAllocFromPoolAsync),
                                ENTRY(cuMemFreeAsync),
                                ENTRY(cuMemPoolCreate),
                                ENTRY(cuMemPoolDestroy),
                                ENTRY(cuMemPoolTrimTo),
                                ENTRY(cuMemPoolSetAttribute),
                                ENTRY(cuMemPoolGetAttribute),
                                ENTRY(cuMemPoolSetAccess),
                                ENTRY(cuMemPoolGetAccess),
                                ENTRY(cuMemGetAllocationGranularity),
                                ENTRY(cuMemAddressReserve),
                                ENTRY(cuMemAddressFree),
                                ENTRY(cuMemCreate),
                                ENTRY(cuMemRelease),
                                ENTRY(cuMemMap),
                                ENTRY(cuMemUnmap),
                                ENTRY(cuMemSetAccess),
                                ENTRY(cuMemGetAccess),
                                ENTRY(cuMemRetainAllocationHandle),
                                ENTRY(cuMemGetAllocationPropertiesFromHandle),
                                ENTRY(cuMemExportToShareableHandle),
                                ENTRY(cuMemImportFromShareableHandle),
                                ENTRY(cuMemcpy),
                                ENTRY(cuMemcpyAsync),
                                ENTRY(cuMemcpyHtoD),
                                ENTRY(cuMemcpyDtoH),
                                ENTRY(cuMemcpyDtoD),
                                ENTRY(cuMemcpyHtoDAsync),
                                ENTRY(cuMemcpyDtoHAsync),
                                ENTRY(cuMemcpyDtoDAsync),
                                ENTRY(cuMemsetD8),
                                ENTRY(cuMemsetD16),
                                ENTRY(cuMemsetD32),
                                ENTRY(cuMemsetD8Async),
                                ENTRY(cuMemsetD16Async),
                                ENTRY(cuMemsetD32Async),
                                ENTRY(cuPointerGetAttribute),
                                ENTRY(cuPointerGetAttributes),
                                ENTRY(cuStreamCreate),
                                ENTRY(cuStreamCreateWithPriority),
                                ENTRY(cuStreamDestroy),
                                ENTRY(cuStreamQuery),
                                ENTRY(cuStreamSynchronize),
                                ENTRY(cuStreamWaitEvent),
                                ENTRY(cuStreamGetPriority),
                                ENTRY(cuStreamGetFlags),
                                ENTRY(cuStreamGetCtx),
                                ENTRY(cuStreamGetId),
                                ENTRY(cuStreamAddCallback),
                                ENTRY(cuStreamIsCapturing),
                                ENTRY(cuEventCreate),
                                ENTRY(cuEventDestroy),
                                ENTRY(cuEventRecord),
                                ENTRY(cuEventQuery),
                                ENTRY(cuEventSynchronize),
                                ENTRY(cuEventElapsedTime),
                                ENTRY(cuProfilerStart),
                                ENTRY(cuProfilerStop),
                                ENTRY(cuTensorMapEncodeTiled),
                                ENTRY(cuTensorMapEncodeIm2col),
                                ENTRY(cuOccupancyMaxPotentialBlockSize),
                                ENTRY(cuArrayCreate),
                                ENTRY(cuArray3DCreate),
                                ENTRY(cuArrayGetDescriptor),
                                ENTRY(cuArray3DGetDescriptor),
                                ENTRY(cuArrayDestroy),
                                ENTRY(cuMemcpy2D),
                                ENTRY(cuMemcpy2DUnaligned),
                                ENTRY(cuMemcpy2DAsync),
                                ENTRY(cuMemcpy3D),
                                ENTRY(cuMemcpy3DAsync),
                                ENTRY(cuMemcpyHtoA),
                                ENTRY(cuMemcpyDtoA),
                                ENTRY(cuMemcpyAtoH),
                                ENTRY(cuMemcpyAtoD),
                                ENTRY(cuTexObjectCreate),
                                ENTRY(cuTexObjectDestroy),
                                ENTRY(cuSurfObjectCreate),
                                ENTRY(cuSurfObjectDestroy),
                                ENTRY(cuGetProcAddress)};
#undef ENTRY
    *function = nullptr;
    for (auto const& e : all)
        if (std::string_view(name) == e.name) *function = e.function;
    if (status != nullptr)
        *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    if (*function != nullptr) return CUDA_SUCCESS;
    if (status == nullptr) return CUDA_ERROR_NOT_FOUND;
    complain("cuGetProcAddress: " + std::string(name) + " is not supported");
    return CUDA_SUCCESS;
}
CUresult cuGetProcAddress(char const* name, void** function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status) {
    return cuGetProcAddress_v2(name, function, version, flags, status);
}
cudaError_t cudaGetDriverEntryPoint(char const* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, flags, status);
}
cudaError_t cudaGetDriverEntryPointByVersion(char const* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
    CUdriverProcAddressQueryResult found{};
    auto const e = cuGetProcAddress_v2(name, function, static_cast<int>(version), flags, &found);
    if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
    if (e == CUDA_SUCCESS && found != CU_GET_PROC_ADDRESS_SUCCESS && status == nullptr)
        return cudaErrorSymbolNotFound;
    return code(e);
}

// Programs that open the driver's library by its name get what they are linked with (warpkit-cuda, --wrap=dlopen).
void* __real_dlopen(char const* file, int mode) __attribute__((weak));
void* __wrap_dlopen(char const* file, int mode);
void* __wrap_dlopen(char const* file, int mode) {
    bool const driver = file != nullptr && std::string_view(file).substr(0, 10) == "libcuda.so";
    return __real_dlopen == nullptr ? nullptr : __real_dlopen(driver ? nullptr : file, mode);
}

} // extern "C"
