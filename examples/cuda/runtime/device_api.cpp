// The device and its properties, errors, streams and events.
#include "session.hpp"
#include "toolkit_structures.hpp"

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
template <class Properties = cudaDeviceProp>
Properties properties_of(session& s) {
    auto const& g = s.machine();
    Properties p{};
    std::snprintf(p.name, sizeof p.name, "warpkit %s", s.machine_name().c_str());
    p.totalGlobalMem = s.total_memory();
    p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = p.sharedMemPerBlockOptin = g.core.shared_bytes;
    p.regsPerBlock = p.regsPerMultiprocessor = as_int(g.core.registers);
    p.warpSize = warpkit::lanes;
    p.memPitch = 0x7fffffff;
    p.maxThreadsPerBlock = as_int(s.max_threads_per_block());
    for (unsigned i = 0; i < 3; ++i) {
        p.maxThreadsDim[i] = as_int(session::max_block[i]);
        p.maxGridSize[i] = as_int(session::max_grid[i]);
    }
    p.totalConstMem = 65536;
    p.major = s.capability() / 10;
    p.minor = s.capability() % 10;
    p.textureAlignment = 512;
    p.texturePitchAlignment = 32;
    p.asyncEngineCount = 1;
    p.multiProcessorCount = as_int(g.core.count);
    p.canMapHostMemory = p.unifiedAddressing = p.managedMemory = p.concurrentManagedAccess = 1;
    p.cooperativeLaunch = p.concurrentKernels = 1;
    p.memoryPoolsSupported = 1;
    p.clusterLaunch = s.capability() >= 90 ? 1 : 0;
    p.maxTexture1D = 1 << 27;
    p.maxTexture2D[0] = p.maxTexture2D[1] = 65536;
    p.maxTexture2DLinear[0] = p.maxTexture2DLinear[1] = 65536;
    p.maxTexture2DLinear[2] = 1 << 20;
    p.maxTexture3D[0] = p.maxTexture3D[1] = p.maxTexture3D[2] = 4096;
    p.memoryBusWidth = as_int(g.memory.channels * g.dram.bus_bytes * 8);
    p.l2CacheSize = as_int(g.l2.size * g.memory.channels * g.memory.slices);
    p.maxThreadsPerMultiProcessor = as_int(g.core.threads);
    p.maxBlocksPerMultiProcessor = as_int(g.core.ctas);
    p.globalL1CacheSupported = p.localL1CacheSupported = g.l1d.size != 0 ? 1 : 0;
    if constexpr (requires { p.clockRate; }) {
        p.clockRate = as_int(g.clock.core);
        p.memoryClockRate = as_int(g.clock.dram);
        p.deviceOverlap = 1;
        p.maxTexture1DLinear = p.maxTexture1D;
        p.singleToDoublePrecisionPerfRatio = 2;
    }
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
    ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    ERROR(cudaErrorFileNotFound, "file not found"),
    ERROR(cudaErrorNotMapped, "resource not mapped"),
    ERROR(cudaErrorSynchronizationError, "synchronization error"),
    ERROR(cudaErrorContextIsDestroyed, "context is destroyed"),
    ERROR(cudaErrorInvalidSource, "device kernel image is invalid"),
    ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    ERROR(cudaErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    ERROR(cudaErrorInvalidSurface, "invalid surface reference"),
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
    ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ERROR(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ERROR(cudaErrorStreamCaptureImplicit,
          "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    ERROR(cudaErrorStreamCaptureWrongThread,
          "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR(cudaErrorTimeout, "wait operation timed out"),
    ERROR(cudaErrorGraphExecUpdateFailure, "the graph update was not performed because it included changes "
                                           "which violated constraints specific to "
                                           "instantiated graph update"),
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
template <class T>
cudaError_t answer(char const* name, T* to, T value) {
    return call(name, [&](session&) {
        require(to, "the result");
        *to = value;
    });
}

// A number behind CUDA 11's last attribute: what there is, but not here, reads 0.
constexpr int last_attribute = 120;

void create(session& s, cudaStream_t* stream, unsigned flags) {
    require(stream, "the result");
    require_flags(flags, cudaStreamNonBlocking);
    CUstream_st made;
    made.flags = flags;
    *stream = s.streams.add(made);
    if ((flags & cudaStreamNonBlocking) != 0) s.order.do_not_block(s.number_of(*stream));
}

void set_flags(session& s, unsigned flags) {
    auto const schedule = flags & 7;
    require_flags(flags, 7 | cudaDeviceMapHost | cudaDeviceLmemResizeToMax);
    if ((schedule & (schedule - 1)) != 0)
        throw failure(cudaErrorInvalidValue, "more than one way to wait: " + std::to_string(schedule));
    s.device_flags = flags | cudaDeviceMapHost; // as it always is
}

constexpr cudaLaunchAttributeID stream_attributes[] = {cudaLaunchAttributeAccessPolicyWindow,
                                                       cudaLaunchAttributeSynchronizationPolicy,
                                                       cudaLaunchAttributePriority};
void require_stream_attribute(cudaLaunchAttributeID attribute) {
    for (auto const known : stream_attributes)
        if (attribute == known) return;
    throw failure(cudaErrorInvalidValue, "streams have no such attribute: " + std::to_string(attribute));
}

} // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return answer("cudaGetDeviceCount", count, 1); }
cudaError_t cudaGetDevice(int* device) { return answer("cudaGetDevice", device, 0); }
cudaError_t cudaSetDevice(int device) {
    return call("cudaSetDevice", [&](session&) { check_device(device); });
}
cudaError_t cudaSetValidDevices(int* devices, int count) {
    return call("cudaSetValidDevices", [&](session&) {
        if (count < 0 || count > 1)
            throw failure(cudaErrorInvalidValue, std::to_string(count) + " devices: there is one");
        if (count == 0) return;
        require(devices, "the list");
        check_device(*devices);
    });
}
cudaError_t cudaChooseDevice(int* device, cudaDeviceProp const* wanted) {
    return call("cudaChooseDevice", [&](session&) {
        require(device, "the result");
        require(wanted, "what is wanted");
        *device = 0;
    });
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return call("cudaSetDeviceFlags", [&](session& s) { set_flags(s, flags); });
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return answer("cudaGetDeviceFlags", flags, session::instance().device_flags);
}
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    return call("cudaInitDevice", [&](session& s) {
        check_device(device);
        require_flags(flags, cudaInitDeviceFlagsAreValid);
        if (flags != 0) set_flags(s, device_flags);
    });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
    return call("cudaGetDeviceProperties", [&](session& s) {
        require(p, "the result");
        check_device(device);
        *p = properties_of(s);
    });
}
#undef cudaGetDeviceProperties
// Of programs that nvcc of CUDA 11 or 13 compiled.
cudaError_t cudaGetDeviceProperties(void* p, int device);
cudaError_t cudaGetDeviceProperties(void* p, int device) {
    return call("cudaGetDeviceProperties", [&](session& s) {
        require(p, "the result");
        check_device(device);
        if (s.of_toolkit_13()) {
            auto const properties = properties_of<device_properties_of_13>(s);
            std::memcpy(p, &properties, sizeof properties);
        } else {
            auto const properties = properties_of(s);
            std::memcpy(p, &properties, device_properties_of_11);
        }
    });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return call("cudaDeviceGetAttribute", [&](session& s) {
        require(value, "the result");
        check_device(device);
        if (attribute < cudaDevAttrMaxThreadsPerBlock || attribute > last_attribute)
            throw failure(cudaErrorInvalidValue, "no such attribute: " + std::to_string(attribute));
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
        case cudaDevAttrMemoryPoolsSupported:
            *value = 1;
            break;
        case cudaDevAttrMaxBlocksPerMultiprocessor:
            *value = p.maxBlocksPerMultiProcessor;
            break;
        case cudaDevAttrCooperativeLaunch:
            *value = p.cooperativeLaunch;
            break;
        case cudaDevAttrStreamPrioritiesSupported:
            *value = p.streamPrioritiesSupported;
            break;
        case cudaDevAttrConcurrentKernels:
            *value = p.concurrentKernels;
            break;
        case cudaDevAttrMaxTexture1DWidth:
            *value = p.maxTexture1D;
            break;
        case cudaDevAttrMaxTexture2DWidth:
        case cudaDevAttrMaxTexture2DHeight:
            *value = p.maxTexture2D[0];
            break;
        case cudaDevAttrMaxTexture3DWidth:
        case cudaDevAttrMaxTexture3DHeight:
        case cudaDevAttrMaxTexture3DDepth:
            *value = p.maxTexture3D[0];
            break;
        default:
            *value = 0;
            break; // what there is not: ECC, peers, ...
        }
    });
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return call("cudaDeviceGetPCIBusId", [&](session&) {
        require(text, "the result");
        if (length <= 0) throw failure(cudaErrorInvalidValue, std::to_string(length) + " characters");
        check_device(device);
        std::snprintf(text, static_cast<std::size_t>(length), "0000:00:00.0");
    });
}
// [domain]:[bus]:[device].[function], without the first or the last, in hexadecimal digits.
cudaError_t cudaDeviceGetByPCIBusId(int* device, char const* text) {
    return call("cudaDeviceGetByPCIBusId", [&](session&) {
        require(device, "the result");
        require(text, "the name");
        unsigned domain = 0, bus = 0, slot = 0, function = 0;
        int end = 0;
        auto const read = [&](char const* form, auto*... parts) {
            end = 0;
            return std::sscanf(text, form, parts..., &end) == static_cast<int>(sizeof...(parts)) &&
                   text[end] == '\0' && end != 0;
        };
        bool const known = read("%x:%x:%x.%x%n", &domain, &bus, &slot, &function) ||
                           read("%x:%x:%x%n", &domain, &bus, &slot) ||
                           (domain = 0, read("%x:%x.%x%n", &bus, &slot, &function));
        if (!known)
            throw failure(cudaErrorInvalidValue,
                          std::string(text) + ": expected a name such as 0000:00:00.0");
        if ((domain | bus | slot | function) != 0)
            throw failure(cudaErrorInvalidDevice, std::string(text) + ": there is one device, 0000:00:00.0");
        *device = 0;
    });
}
cudaError_t cudaDeviceReset() {
    auto& s = session::instance();
    std::lock_guard const guard(s.mutex);
    s.reset();
    return cudaSuccess;
}
cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
cudaError_t cudaDeviceSynchronize() {
    return call("cudaDeviceSynchronize", [](session& s) {
        s.require_no_capture();
        s.order.host_waits();
    });
}
cudaError_t cudaThreadSynchronize() {
    return call("cudaThreadSynchronize", [](session& s) { s.order.host_waits(); });
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    return call("cudaDeviceSetLimit", [&](session& s) {
        if (limit < cudaLimitStackSize || limit > cudaLimitPersistingL2CacheSize)
            throw failure(cudaErrorUnsupportedLimit, "there is no such limit: " + std::to_string(limit));
        if (limit == cudaLimitMallocHeapSize) s.set_heap_bytes(value);
        if (limit == cudaLimitStackSize) s.set_stack_limit(value);
    });
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, std::size_t value) {
    return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    return call("cudaDeviceGetLimit", [&](session& s) {
        require(value, "the result");
        if (limit == cudaLimitStackSize)
            *value = s.stack_limit();
        else if (limit == cudaLimitPrintfFifoSize)
            *value = std::size_t{1} << 20;
        else if (limit == cudaLimitMallocHeapSize)
            *value = s.heap_bytes();
        else if (limit == cudaLimitMaxL2FetchGranularity)
            *value = 64;
        else if (limit == cudaLimitPersistingL2CacheSize) // as cudaDeviceProp says
            *value = 0;
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
    return answer("cudaDeviceGetCacheConfig", preference, cudaFuncCachePreferNone);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return nothing("cudaDeviceSetSharedMemConfig");
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return answer("cudaDeviceGetSharedMemConfig", config, cudaSharedMemBankSizeFourByte);
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call("cudaDeviceGetStreamPriorityRange", [&](session&) {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = 0;
    });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return call("cudaDeviceCanAccessPeer", [&](session&) {
        require(can, "the result");
        check_device(device);
        check_device(peer);
        *can = 0;
    });
}
// The one device is nobody's peer.
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned flags) {
    return call("cudaDeviceEnablePeerAccess", [&](session&) {
        require_flags(flags, 0);
        throw failure(cudaErrorInvalidDevice, "there is one device, and no peer");
    });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return call("cudaDeviceDisablePeerAccess", [&](session&) {
        check_device(peer);
        throw failure(cudaErrorPeerAccessNotEnabled, "there is one device, and no peer");
    });
}
cudaError_t cudaDriverGetVersion(int* version) {
    return answer("cudaDriverGetVersion", version, session::driver_version);
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    return answer("cudaRuntimeGetVersion", version, CUDART_VERSION);
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
    return call("cudaStreamCreate", [&](session& s) { create(s, stream, cudaStreamDefault); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return call("cudaStreamCreateWithFlags", [&](session& s) { create(s, stream, flags); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    return call("cudaStreamCreateWithPriority", [&](session& s) { create(s, stream, flags); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return call("cudaStreamDestroy", [&](session& s) {
        s.streams.require(stream, cudaErrorInvalidResourceHandle, "stream that was created");
        s.streams.remove(stream);
        auto& attributes = s.stream_attributes();
        attributes.erase(attributes.lower_bound({stream, 0}),
                         attributes.upper_bound({stream, cudaLaunchAttributePriority}));
    });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return call("cudaStreamGetFlags", [&](session& s) {
        require_stream(s, stream);
        require(flags, "the result");
        *flags = s.streams.holds(stream) ? stream->flags : cudaStreamDefault;
    });
}
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue const* value) {
    return call("cudaStreamSetAttribute", [&](session& s) {
        require_stream(s, stream);
        require_stream_attribute(attribute);
        require(value, "the value");
        s.stream_attributes()[{stream, attribute}] = *value;
    });
}
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
    return call("cudaStreamGetAttribute", [&](session& s) {
        require_stream(s, stream);
        require_stream_attribute(attribute);
        require(value, "the result");
        auto const known = s.stream_attributes().find({stream, attribute});
        *value = known == s.stream_attributes().end() ? cudaLaunchAttributeValue{} : known->second;
    });
}
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return call("cudaStreamCopyAttributes", [&](session& s) {
        require_stream(s, to);
        require_stream(s, from);
        auto& attributes = s.stream_attributes();
        for (auto const attribute : stream_attributes) {
            auto const known = attributes.find({from, attribute});
            if (known != attributes.end())
                attributes[{to, attribute}] = known->second;
            else
                attributes.erase({to, attribute});
        }
    });
}
cudaError_t cudaCtxResetPersistingL2Cache() { return nothing("cudaCtxResetPersistingL2Cache"); }
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
    return call("cudaDeviceGetP2PAttribute", [&](session&) {
        require(value, "the result");
        if (attribute < cudaDevP2PAttrPerformanceRank || attribute > cudaDevP2PAttrCudaArrayAccessSupported)
            throw failure(cudaErrorInvalidValue, "there is no such attribute: " + std::to_string(attribute));
        throw failure(cudaErrorInvalidDevice, "devices " + std::to_string(from) + " and " +
                                                  std::to_string(to) +
                                                  ": there is one device, 0, and no peer of it");
    });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return call("cudaStreamGetPriority", [&](session& s) {
        require_stream(s, stream);
        require(priority, "the result");
        *priority = 0; // the one that there is
    });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return call("cudaStreamGetId", [&](session& s) {
        require(id, "the result");
        require_stream(s, stream);
        *id = s.number_of(stream);
    });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return call("cudaStreamGetDevice", [&](session& s) {
        require(device, "the result");
        require_stream(s, stream);
        *device = 0;
    });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return call("cudaStreamSynchronize", [&](session& s) {
        require_stream(s, stream);
        s.order.host_waits(s.order.record(s.number_of(stream)));
    });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return call("cudaStreamQuery", [&](session& s) { require_stream(s, stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return call("cudaStreamWaitEvent", [&](session& s) {
        require_event(s, event);
        require_flags(flags, 1); // cudaEventWaitExternal
        if (s.join_capture(stream, event)) return;
        if (s.streams.holds(stream) && stream->captures != nullptr)
            throw failure(cudaErrorStreamCaptureIsolation, "the event is not of this capture");
        require_stream(s, stream);
        s.order.wait(s.number_of(stream), event->done);
    });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* p, std::size_t bytes, unsigned flags) {
    return call("cudaStreamAttachMemAsync", [&](session& s) {
        require_stream(s, stream);
        require(p, "the memory");
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
            throw failure(cudaErrorInvalidValue,
                          "expected one cudaMemAttach..., found " + std::to_string(flags));
        auto const block = s.host_memory.find(address(p));
        if (block == s.host_memory.end() || block->second.what == session::host_block::kind::pinned ||
            (bytes != 0 && bytes != block->second.bytes))
            throw failure(cudaErrorInvalidValue, "expected all of one piece of managed memory");
    });
}
// Callbacks may call the runtime, and are called outside of it.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    auto const code = call("cudaStreamAddCallback", [&](session& s) {
        require_stream(s, stream);
        if (callback == nullptr) throw failure(cudaErrorInvalidValue, "the callback is a null pointer");
        require_flags(flags, 0);
    });
    if (code == cudaSuccess) callback(stream, cudaSuccess, data);
    return code;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    bool captured = false;
    auto const code = call("cudaLaunchHostFunc", [&](session& s) {
        if (function == nullptr) throw failure(cudaErrorInvalidValue, "the function is a null pointer");
        captured = s.capture(
            stream, cudaGraphNodeTypeHost, [=] { function(data); }, cudaHostNodeParams{function, data});
        if (!captured) require_stream(s, stream);
    });
    if (code == cudaSuccess && !captured) function(data);
    return code;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return call("cudaEventCreateWithFlags", [&](session& s) {
        require(event, "the result");
        require_flags(flags, cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess);
        bool const timed = (flags & cudaEventDisableTiming) == 0;
        if (timed && (flags & cudaEventInterprocess) != 0)
            throw failure(cudaErrorInvalidValue, "cudaEventInterprocess demands cudaEventDisableTiming");
        CUevent_st made;
        made.timed = timed;
        made.shared = (flags & cudaEventInterprocess) != 0;
        *event = s.events.add(made);
    });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return call("cudaEventRecord", [&](session& s) {
        require_event(s, event);
        if (s.streams.holds(stream) && stream->captures != nullptr) return s.capture_event(event, stream);
        require_stream(s, stream);
        event->captured = nullptr;
        event->recorded = true;
        event->seconds = s.ended({});
        event->done = s.order.record(s.number_of(stream));
    });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    auto const code = call("cudaEventRecordWithFlags",
                           [&](session&) { require_flags(flags, 1); }); // cudaEventRecordExternal
    return code != cudaSuccess ? code : cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return call("cudaEventSynchronize", [&](session& s) {
        require_event(s, event);
        s.order.host_waits(event->done);
    });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return call("cudaEventQuery", [&](session& s) { require_event(s, event); });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return call("cudaEventElapsedTime", [&](session& s) {
        require(milliseconds, "the result");
        require_event(s, start);
        require_event(s, end);
        if (!start->recorded || !end->recorded || !start->timed || !end->timed)
            throw failure(cudaErrorInvalidResourceHandle, "an event that was not recorded, or tells no time");
        auto const at = [&s](CUevent_st const& e) {
            return e.done.empty() ? e.seconds : std::max(e.seconds, s.ended(e.done));
        };
        *milliseconds = static_cast<float>((at(*end) - at(*start)) * 1000);
    });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return call("cudaEventDestroy", [&](session& s) {
        require_event(s, event);
        s.events.remove(event);
    });
}

} // extern "C"
