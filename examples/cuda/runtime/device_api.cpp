// The device and its properties, errors, streams and events.
#include "session.hpp"

#include <cstdio>
#include <cstring>

using namespace warpkit::cuda;

namespace {

void check_device(int device) {
    if (device != 0)
        throw failure(cudaErrorInvalidDevice, "there is one device, 0; found " + std::to_string(device));
}

template <class T>
int as_int(T n) {
    return static_cast<int>(n);
}

// The machine's numbers as CUDA names them. The compute capability is that of the code which is executed.
cudaDeviceProp properties_of(session& s) {
    auto const& g = s.machine();
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "warpkit %s", s.machine_name().c_str());
    p.totalGlobalMem = s.total_memory();
    p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = p.sharedMemPerBlockOptin = g.core.shared_bytes;
    p.regsPerBlock = p.regsPerMultiprocessor = as_int(g.core.registers);
    p.warpSize = warpkit::lanes;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = g.core.threads < 1024 ? as_int(g.core.threads) : 1024;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.clockRate = as_int(g.clock.core);
    p.totalConstMem = 65536;
    p.major = 7;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.deviceOverlap = p.asyncEngineCount = 1;
    p.multiProcessorCount = as_int(g.core.count);
    p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.maxTexture1D = p.maxTexture1DLinear = 1 << 27;
    p.maxTexture2D[0] = p.maxTexture2D[1] = 65536;
    p.maxTexture2DLinear[0] = p.maxTexture2DLinear[1] = 65536;
    p.maxTexture2DLinear[2] = 1 << 20;
    p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 4096;
    p.memoryClockRate = as_int(g.clock.dram);
    p.memoryBusWidth = as_int(g.memory.channels * g.dram.bus_bytes * 8);
    p.l2CacheSize = as_int(g.l2.size * g.memory.channels * g.memory.slices);
    p.maxThreadsPerMultiProcessor = as_int(g.core.threads);
    p.maxBlocksPerMultiProcessor = as_int(g.core.ctas);
    p.globalL1CacheSupported = p.localL1CacheSupported = g.l1d.size != 0 ? 1 : 0;
    p.singleToDoublePrecisionPerfRatio = 2;
    return p;
}

struct error_text {
    cudaError_t code;
    char const* name;
    char const* text;
};
#define ERROR(name, text)                                                                                    \
    { name, #name, text }
constexpr error_text errors[] = {
    ERROR(cudaSuccess, "no error"),
    ERROR(cudaErrorInvalidValue, "invalid argument"),
    ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ERROR(cudaErrorInitializationError, "initialization error"),
    ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
    ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    ERROR(cudaErrorInvalidTexture, "invalid texture reference"),
    ERROR(cudaErrorInvalidTextureBinding, "texture is not bound to a pointer"),
    ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(cudaErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    ERROR(cudaErrorMissingConfiguration, "no launch configuration"),
    ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ERROR(cudaErrorNoDevice, "no device is present"),
    ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR(cudaErrorInvalidKernelImage, "device kernel image is invalid"),
    ERROR(cudaErrorUnsupportedLimit, "limit is not supported"),
    ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported"),
    ERROR(cudaErrorInvalidPtx, "a PTX compilation failed"),
    ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR(cudaErrorNotReady, "device not ready"),
    ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR(cudaErrorAssert, "device-side assert triggered"),
    ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the host memory is registered already"),
    ERROR(cudaErrorHostMemoryNotRegistered, "the host memory is not registered"),
    ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    ERROR(cudaErrorNotPermitted, "operation not permitted"),
    ERROR(cudaErrorNotSupported, "operation not supported"),
    ERROR(cudaErrorUnknown, "unknown error"),
};
#undef ERROR
error_text const* find(cudaError_t code) {
    for (auto const& e : errors)
        if (e.code == code) return &e;
    return nullptr;
}

cudaError_t nothing(char const* name) {
    return call(name, [](session&) {});
}

} // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
    return call("cudaGetDeviceCount", [&](session&) { *count = 1; });
}
cudaError_t cudaGetDevice(int* device) {
    return call("cudaGetDevice", [&](session&) { *device = 0; });
}
cudaError_t cudaSetDevice(int device) {
    return call("cudaSetDevice", [&](session&) { check_device(device); });
}
cudaError_t cudaSetValidDevices(int*, int) { return nothing("cudaSetValidDevices"); }
cudaError_t cudaChooseDevice(int* device, cudaDeviceProp const*) {
    return call("cudaChooseDevice", [&](session&) { *device = 0; });
}
cudaError_t cudaSetDeviceFlags(unsigned) { return nothing("cudaSetDeviceFlags"); }
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return call("cudaGetDeviceFlags", [&](session&) { *flags = cudaDeviceMapHost; });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    return call("cudaGetDeviceProperties", [&](session& s) {
        check_device(device);
        *p = properties_of(s);
    });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return call("cudaDeviceGetAttribute", [&](session& s) {
        check_device(device);
        auto const p = properties_of(s);
        switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = p.maxThreadsPerBlock;
            break;
        case cudaDevAttrMaxBlockDimX:
            *value = p.maxThreadsDim[0];
            break;
        case cudaDevAttrMaxBlockDimY:
            *value = p.maxThreadsDim[1];
            break;
        case cudaDevAttrMaxBlockDimZ:
            *value = p.maxThreadsDim[2];
            break;
        case cudaDevAttrMaxGridDimX:
            *value = p.maxGridSize[0];
            break;
        case cudaDevAttrMaxGridDimY:
            *value = p.maxGridSize[1];
            break;
        case cudaDevAttrMaxGridDimZ:
            *value = p.maxGridSize[2];
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = as_int(p.sharedMemPerBlock);
            break;
        case cudaDevAttrTotalConstantMemory:
            *value = as_int(p.totalConstMem);
            break;
        case cudaDevAttrWarpSize:
            *value = p.warpSize;
            break;
        case cudaDevAttrMaxPitch:
            *value = as_int(p.memPitch);
            break;
        case cudaDevAttrMaxRegistersPerBlock:
            *value = p.regsPerBlock;
            break;
        case cudaDevAttrClockRate:
            *value = p.clockRate;
            break;
        case cudaDevAttrTextureAlignment:
            *value = as_int(p.textureAlignment);
            break;
        case cudaDevAttrGpuOverlap:
            *value = p.deviceOverlap;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = p.multiProcessorCount;
            break;
        case cudaDevAttrCanMapHostMemory:
            *value = p.canMapHostMemory;
            break;
        case cudaDevAttrMemoryClockRate:
            *value = p.memoryClockRate;
            break;
        case cudaDevAttrGlobalMemoryBusWidth:
            *value = p.memoryBusWidth;
            break;
        case cudaDevAttrL2CacheSize:
            *value = p.l2CacheSize;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = p.maxThreadsPerMultiProcessor;
            break;
        case cudaDevAttrAsyncEngineCount:
            *value = p.asyncEngineCount;
            break;
        case cudaDevAttrUnifiedAddressing:
            *value = p.unifiedAddressing;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = p.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = p.minor;
            break;
        case cudaDevAttrGlobalL1CacheSupported:
            *value = p.globalL1CacheSupported;
            break;
        case cudaDevAttrLocalL1CacheSupported:
            *value = p.localL1CacheSupported;
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = as_int(p.sharedMemPerMultiprocessor);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = as_int(p.sharedMemPerBlockOptin);
            break;
        case cudaDevAttrMaxRegistersPerMultiprocessor:
            *value = p.regsPerMultiprocessor;
            break;
        case cudaDevAttrManagedMemory:
            *value = p.managedMemory;
            break;
        case cudaDevAttrConcurrentManagedAccess:
            *value = p.concurrentManagedAccess;
            break;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio:
            *value = p.singleToDoublePrecisionPerfRatio;
            break;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            *value = p.maxBlocksPerMultiProcessor;
            break;
        default:
            *value = 0;
            break; // what there is not: ECC, peers, cooperation, ...
        }
    });
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return call("cudaDeviceGetPCIBusId", [&](session&) {
        check_device(device);
        std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
    });
}
cudaError_t cudaDeviceReset() {
    auto& s = session::instance();
    std::lock_guard const guard(s.mutex);
    s.reset();
    return cudaSuccess;
}
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaDeviceSynchronize() { return nothing("cudaDeviceSynchronize"); }
cudaError_t cudaThreadSynchronize() { return nothing("cudaThreadSynchronize"); }
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return nothing("cudaDeviceSetLimit"); }
cudaError_t cudaThreadSetLimit(cudaLimit, std::size_t) { return nothing("cudaThreadSetLimit"); }
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    return call("cudaDeviceGetLimit", [&](session&) {
        if (limit == cudaLimitStackSize)
            *value = std::size_t{16} << 20;
        else if (limit == cudaLimitPrintfFifoSize)
            *value = std::size_t{1} << 20;
        else
            throw failure(cudaErrorUnsupportedLimit, "this limit is not supported: " + std::to_string(limit));
    });
}
cudaError_t cudaThreadGetLimit(std::size_t* value, cudaLimit limit) {
    return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return nothing("cudaDeviceSetCacheConfig"); }
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return nothing("cudaThreadSetCacheConfig"); }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
    return call("cudaDeviceGetCacheConfig", [&](session&) { *preference = cudaFuncCachePreferNone; });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return nothing("cudaDeviceSetSharedMemConfig");
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return call("cudaDeviceGetSharedMemConfig", [&](session&) { *config = cudaSharedMemBankSizeFourByte; });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call("cudaDeviceGetStreamPriorityRange", [&](session&) {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = 0;
    });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
    return call("cudaDeviceCanAccessPeer", [&](session&) { *can = 0; });
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return call("cudaDeviceEnablePeerAccess",
                [](session&) { throw failure(cudaErrorPeerAccessUnsupported, "there is one device"); });
}
cudaError_t cudaDeviceDisablePeerAccess(int) {
    return call("cudaDeviceDisablePeerAccess",
                [](session&) { throw failure(cudaErrorPeerAccessNotEnabled, "there is one device"); });
}
cudaError_t cudaDriverGetVersion(int* version) {
    return call("cudaDriverGetVersion", [&](session&) { *version = CUDART_VERSION; });
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    return call("cudaRuntimeGetVersion", [&](session&) { *version = CUDART_VERSION; });
}
cudaError_t cudaProfilerStart() { return nothing("cudaProfilerStart"); }
cudaError_t cudaProfilerStop() { return nothing("cudaProfilerStop"); }

cudaError_t cudaGetLastError() {
    auto& s = session::instance();
    std::lock_guard const guard(s.mutex);
    return s.take_last_error();
}
cudaError_t cudaPeekAtLastError() {
    auto& s = session::instance();
    std::lock_guard const guard(s.mutex);
    return s.last_error();
}
char const* cudaGetErrorString(cudaError_t code) {
    auto const* const e = find(code);
    return e == nullptr ? "unrecognized error code" : e->text;
}
char const* cudaGetErrorName(cudaError_t code) {
    auto const* const e = find(code);
    return e == nullptr ? "unrecognized error code" : e->name;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return call("cudaStreamCreate", [&](session&) { *stream = new CUstream_st; });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return call("cudaStreamCreateWithFlags", [&](session&) { *stream = new CUstream_st{flags}; });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    return call("cudaStreamCreateWithPriority", [&](session&) { *stream = new CUstream_st{flags}; });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return call("cudaStreamDestroy", [&](session&) {
        if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
            throw failure(cudaErrorInvalidResourceHandle, "this stream was not created");
        delete stream;
    });
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return nothing("cudaStreamSynchronize"); }
cudaError_t cudaStreamQuery(cudaStream_t) { return nothing("cudaStreamQuery"); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
    return nothing("cudaStreamWaitEvent");
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, std::size_t, unsigned) {
    return nothing("cudaStreamAttachMemAsync");
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
    function(data);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return call("cudaEventCreate", [&](session&) { *event = new CUevent_st; });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    return call("cudaEventCreateWithFlags", [&](session&) { *event = new CUevent_st; });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    return call("cudaEventRecord", [&](session& s) {
        if (event == nullptr) throw failure(cudaErrorInvalidResourceHandle, "no event");
        *event = {true, s.now()};
    });
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return nothing("cudaEventSynchronize"); }
cudaError_t cudaEventQuery(cudaEvent_t) { return nothing("cudaEventQuery"); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return call("cudaEventElapsedTime", [&](session&) {
        if (start == nullptr || end == nullptr || !start->recorded || !end->recorded)
            throw failure(cudaErrorInvalidResourceHandle, "an event that was not recorded");
        *milliseconds = static_cast<float>((end->seconds - start->seconds) * 1000);
    });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return call("cudaEventDestroy", [&](session&) {
        if (event == nullptr) throw failure(cudaErrorInvalidResourceHandle, "no event");
        delete event;
    });
}

} // extern "C"
