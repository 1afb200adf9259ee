// The rest of the driver's API: contexts, libraries, launches, and what has the runtime's name but for the first
// letters.
#include "driver_modules.hpp"
#include "graphs.hpp"

#include <cstring>
#include <string_view>

using namespace warpkit::cuda;

namespace {

cudaMemcpyKind const any_way = cudaMemcpyDefault;

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
            auto const block = arguments_of(s, function, arguments, extra);
            s.capture(
                stream, cudaGraphNodeTypeKernel,
                [&s, function, shape, block] { s.launch(function, shape, block, s.graph_stream); },
                contents_of(s,
                            {function,
                             {shape.grid.x, shape.grid.y, shape.grid.z},
                             {shape.block.x, shape.block.y, shape.block.z},
                             static_cast<unsigned>(shape.shared_bytes),
                             nullptr,
                             nullptr},
                            block, attributes_of(shape)));
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
CUresult cuMemPoolSetAccess(CUmemoryPool pool, CUmemAccessDesc const* list, std::size_t count) {
    static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));
    return result(cudaMemPoolSetAccess(pool, reinterpret_cast<cudaMemAccessDesc const*>(list), count));
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
    return result(cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                                       reinterpret_cast<cudaMemLocation*>(location)));
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

} // extern "C"
