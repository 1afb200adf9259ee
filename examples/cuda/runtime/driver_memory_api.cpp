// What the driver's API says of its context and device, and does with memory: fills, copies between contexts, and words
// that streams write and wait for.
#include "copies.hpp"
#include "driver_modules.hpp"

#include <cstring>

using namespace warpkit::cuda;

namespace {

cudaMemsetParams filled(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned bytes, std::size_t width,
                        std::size_t height) {
    return {pointer(to), pitch, value, bytes, width, height};
}
cudaMemsetParams filled(CUdeviceptr to, unsigned value, unsigned bytes, std::size_t count) {
    return filled(to, warpkit::saturated_product(count, bytes), value, bytes, count, 1);
}
CUresult fill(char const* name, cudaMemsetParams const& what) {
    return result(call(name, [&](session& s) {
        take_turn(s);
        fill_elements(s, what);
    }));
}
CUresult fill(char const* name, cudaMemsetParams const& what, CUstream stream) {
    return result(call(name, [&](session& s) { fill_elements(s, what, stream); }));
}
void require_context(CUcontext context) {
    if (context != &the_context) throw failure(cudaErrorDeviceUninitialized, "this is no context");
}

// A word that a stream writes or waits for.
template <class T>
T* word(session& s, CUdeviceptr at) {
    auto* const found = s.find(pointer(at), sizeof(T));
    if (found == nullptr || at % sizeof(T) != 0)
        throw failure(cudaErrorInvalidValue,
                      "expected an aligned word of the device's memory at " + hexadecimal(pointer(at)));
    return reinterpret_cast<T*>(found);
}
template <class Unsigned, class Signed>
CUresult wait(char const* name, CUstream stream, CUdeviceptr at, Unsigned value, unsigned flags) {
    return result(call(name, [&](session& s) {
        auto const* const p = word<Unsigned>(s, at);
        require_flags(flags, 3U | CU_STREAM_WAIT_VALUE_FLUSH);
        take_turn(s, stream);
        Unsigned found = 0;
        std::memcpy(&found, p, sizeof found);
        auto const how = flags & 3U;
        bool const holds = how == CU_STREAM_WAIT_VALUE_GEQ   ? static_cast<Signed>(found - value) >= 0
                           : how == CU_STREAM_WAIT_VALUE_EQ  ? found == value
                           : how == CU_STREAM_WAIT_VALUE_AND ? (found & value) != 0
                                                             : static_cast<Unsigned>(~(found | value)) != 0;
        if (!holds)
            throw failure(
                cudaErrorNotSupported,
                "the word at " + hexadecimal(pointer(at)) + " is " + std::to_string(found) +
                    ", for which the stream would wait: everything is done at once, in the order of "
                    "the calls, and what would write it has to be called before");
    }));
}
template <class Unsigned>
CUresult write(char const* name, CUstream stream, CUdeviceptr at, Unsigned value, unsigned flags) {
    return result(call(name, [&](session& s) {
        auto* const p = word<Unsigned>(s, at);
        require_flags(flags, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER);
        take_turn(s, stream);
        std::memcpy(p, &value, sizeof value);
    }));
}
cudaLaunchConfig_t launch_of(CUlaunchConfig const& c) {
    cudaLaunchConfig_t config{};
    config.gridDim = {c.gridDimX, c.gridDimY, c.gridDimZ};
    config.blockDim = {c.blockDimX, c.blockDimY, c.blockDimZ};
    config.dynamicSmemBytes = c.sharedMemBytes;
    config.stream = c.hStream;
    config.attrs = c.attrs;
    config.numAttrs = c.numAttrs;
    return config;
}

} // namespace

extern "C" {

CUresult cuCtxGetFlags(unsigned* flags) { return result(cudaGetDeviceFlags(flags)); }
CUresult cuCtxSetFlags(unsigned flags) { return result(cudaSetDeviceFlags(flags)); }
CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
    return result(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
    return result(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
    return result(cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)));
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
    return result(cudaDeviceGetSharedMemConfig(reinterpret_cast<cudaSharedMemConfig*>(config)));
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
    return result(cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)));
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    return result(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
    return result(call("cuCtxGetId", [&](session&) {
        require(id, "the result");
        if (context != nullptr) require_context(context); // null is the current one
        *id = 1;
    }));
}
CUresult cuCtxAttach(CUcontext* context, unsigned flags) {
    return result(call("cuCtxAttach", [&](session&) {
        require(context, "the result");
        require_flags(flags, 0);
        *context = &the_context;
    }));
}
CUresult cuCtxDetach(CUcontext context) {
    return result(call("cuCtxDetach", [&](session&) { require_context(context); }));
}
// The one context is nobody's peer.
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned flags) {
    return result(call("cuCtxEnablePeerAccess", [&](session&) {
        require_flags(flags, 0);
        throw failure(cudaErrorDeviceUninitialized, "there is one context, and no peer");
    }));
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    return result(call("cuCtxDisablePeerAccess", [&](session&) {
        require_context(peer);
        throw failure(cudaErrorPeerAccessNotEnabled, "there is one context, and no peer");
    }));
}
CUresult cuCtxResetPersistingL2Cache() { return result(cudaCtxResetPersistingL2Cache()); }
CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
    return result(cudaDeviceGetPCIBusId(text, length, device));
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, char const* text) {
    return result(cudaDeviceGetByPCIBusId(device, text));
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
    return result(cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to));
}
CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
    if (properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp p{};
    auto const e = cudaGetDeviceProperties(&p, device);
    if (e != cudaSuccess) return result(e);
    *properties = {p.maxThreadsPerBlock,
                   {p.maxThreadsDim[0], p.maxThreadsDim[1], p.maxThreadsDim[2]},
                   {p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]},
                   static_cast<int>(p.sharedMemPerBlock),
                   static_cast<int>(p.totalConstMem),
                   p.warpSize,
                   static_cast<int>(p.memPitch),
                   p.regsPerBlock,
                   p.clockRate,
                   static_cast<int>(p.textureAlignment)};
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
    return result(cudaDeviceGetMemPool(pool, device));
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
    return result(cudaDeviceSetMemPool(device, pool));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              std::size_t shared_bytes, unsigned flags) {
    return result(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                         shared_bytes, flags));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function, int blocks,
                                                 int threads) {
    return result(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, CUlaunchConfig const* config) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const c = launch_of(*config);
    return result(cudaOccupancyMaxActiveClusters(clusters, function, &c));
}
CUresult cuOccupancyMaxPotentialClusterSize(int* ctas, CUfunction function, CUlaunchConfig const* config) {
    if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const c = launch_of(*config);
    return result(cudaOccupancyMaxPotentialClusterSize(ctas, function, &c));
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr p) {
    return result(call("cuMemGetAddressRange", [&](session& s) {
        CUdeviceptr begin = p;
        std::size_t size = 0;
        auto const block = s.block_at(pointer(p), 1);
        if (block != s.host_memory.end()) {
            begin = block->first;
            size = block->second.bytes;
        } else if (s.memory().bytes_behind(p) != 0) {
            constexpr auto granule = warpkit::device_memory::granule;
            begin = p / granule * granule;
            while (s.memory().size_of(begin) == 0) begin -= granule;
            size = s.memory().size_of(begin);
        } else {
            throw failure(cudaErrorSymbolNotFound, "there is no allocation at " + hexadecimal(pointer(p)));
        }
        if (base != nullptr) *base = begin;
        if (bytes != nullptr) *bytes = size;
    }));
}
CUresult cuMemHostGetFlags(unsigned* flags, void* p) { return result(cudaHostGetFlags(flags, p)); }
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                      std::size_t bytes) {
    auto const e = call("cuMemcpyPeer", [&](session&) {
        require_context(to_context);
        require_context(from_context);
    });
    return e != cudaSuccess ? result(e) : result(cudaMemcpyPeer(pointer(to), 0, pointer(from), 0, bytes));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           std::size_t bytes, CUstream stream) {
    auto const e = call("cuMemcpyPeerAsync", [&](session&) {
        require_context(to_context);
        require_context(from_context);
    });
    return e != cudaSuccess ? result(e)
                            : result(cudaMemcpyPeerAsync(pointer(to), 0, pointer(from), 0, bytes, stream));
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
    return fill("cuMemsetD8", filled(to, value, 1, count));
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) {
    return fill("cuMemsetD16", filled(to, value, 2, count));
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
    return fill("cuMemsetD32", filled(to, value, 4, count));
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
    return fill("cuMemsetD8Async", filled(to, value, 1, count), stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
    return fill("cuMemsetD16Async", filled(to, value, 2, count), stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
    return fill("cuMemsetD32Async", filled(to, value, 4, count), stream);
}
CUresult cuMemsetD2D8(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                      std::size_t height) {
    return fill("cuMemsetD2D8", filled(to, pitch, value, 1, width, height));
}
CUresult cuMemsetD2D16(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                       std::size_t height) {
    return fill("cuMemsetD2D16", filled(to, pitch, value, 2, width, height));
}
CUresult cuMemsetD2D32(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                       std::size_t height) {
    return fill("cuMemsetD2D32", filled(to, pitch, value, 4, width, height));
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
    return fill("cuMemsetD2D8Async", filled(to, pitch, value, 1, width, height), stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
    return fill("cuMemsetD2D16Async", filled(to, pitch, value, 2, width, height), stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
    return fill("cuMemsetD2D32Async", filled(to, pitch, value, 4, width, height), stream);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
    return result(cudaEventRecordWithFlags(event, stream, flags));
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr p, std::size_t bytes, unsigned flags) {
    return result(cudaStreamAttachMemAsync(stream, pointer(p), bytes, flags));
}
CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
    return result(cudaStreamGetAttribute(stream, attribute, value));
}
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue const* value) {
    return result(cudaStreamSetAttribute(stream, attribute, value));
}
CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    return result(cudaStreamCopyAttributes(to, from));
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
    return result(cudaStreamGetDevice(stream, device));
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
    return wait<cuuint32_t, std::int32_t>("cuStreamWaitValue32", stream, at, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
    return wait<cuuint64_t, std::int64_t>("cuStreamWaitValue64", stream, at, value, flags);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags) {
    return write("cuStreamWriteValue32", stream, at, value, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr at, cuuint64_t value, unsigned flags) {
    return write("cuStreamWriteValue64", stream, at, value, flags);
}

} // extern "C"
