// Memory and events of other processes. A process has its own device, which ends with it, so that what one hands to
// another cannot be opened there; handles are made, since programs make them before they know whether anybody asks.
#include "driver_modules.hpp"

#include <cstdint>
#include <cstring>
#include <unistd.h>

using namespace warpkit::cuda;

namespace {

struct handle_contents {
    char kind[8]; ///< so that what is no handle is told from one
    std::int64_t process;
    std::uint64_t what;
};
constexpr char memory_kind[8] = {'w', 'a', 'r', 'p', 'k', 'i', 't', 'M'};
constexpr char event_kind[8] = {'w', 'a', 'r', 'p', 'k', 'i', 't', 'E'};

template <class Handle>
void make(Handle* handle, char const (&kind)[8], std::uint64_t what) {
    handle_contents made{{}, getpid(), what};
    std::memcpy(made.kind, kind, sizeof made.kind);
    static_assert(sizeof made <= sizeof *handle);
    *handle = {};
    std::memcpy(handle, &made, sizeof made);
}
template <class Handle>
[[noreturn]] void refuse(Handle const& handle, char const (&kind)[8]) {
    handle_contents found{};
    std::memcpy(&found, &handle, sizeof found);
    if (std::memcmp(found.kind, kind, sizeof found.kind) != 0)
        throw failure(cudaErrorInvalidValue, "this is no handle for another process");
    if (found.process == getpid())
        throw failure(cudaErrorDeviceUninitialized, "the handle is of this process, and is for others");
    throw failure(cudaErrorNotSupported,
                  "the handle is of another process, whose device is simulated there and cannot be reached");
}

} // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* p) {
    return call("cudaIpcGetMemHandle", [&](session& s) {
        require(handle, "the result");
        if (s.find(p, 1) == nullptr || s.block_at(p, 1) != s.host_memory.end())
            throw failure(cudaErrorInvalidValue, "cudaMalloc did not give the memory at " + hexadecimal(p));
        make(handle, memory_kind, address(p));
    });
}
cudaError_t cudaIpcOpenMemHandle(void** p, cudaIpcMemHandle_t handle, unsigned flags) {
    return call("cudaIpcOpenMemHandle", [&](session&) {
        require(p, "the result");
        if (flags != cudaIpcMemLazyEnablePeerAccess)
            throw failure(cudaErrorInvalidValue, "expected cudaIpcMemLazyEnablePeerAccess");
        refuse(handle, memory_kind);
    });
}
cudaError_t cudaIpcCloseMemHandle(void* p) {
    return call("cudaIpcCloseMemHandle", [&](session&) {
        throw failure(cudaErrorInvalidValue, "no handle was opened as " + hexadecimal(p));
    });
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
    return call("cudaIpcGetEventHandle", [&](session& s) {
        require(handle, "the result");
        require_event(s, event);
        if (!event->shared)
            throw failure(cudaErrorInvalidResourceHandle, "the event was made without cudaEventInterprocess");
        make(handle, event_kind, reinterpret_cast<std::uint64_t>(event));
    });
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
    return call("cudaIpcOpenEventHandle", [&](session&) {
        require(event, "the result");
        refuse(handle, event_kind);
    });
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr p) {
    return result(cudaIpcGetMemHandle(handle, pointer(p)));
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* p, CUipcMemHandle handle, unsigned flags) {
    return result(cudaIpcOpenMemHandle(reinterpret_cast<void**>(p), handle, flags));
}
CUresult cuIpcCloseMemHandle(CUdeviceptr p) { return result(cudaIpcCloseMemHandle(pointer(p))); }
CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
    return result(cudaIpcGetEventHandle(handle, event));
}
CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
    return result(cudaIpcOpenEventHandle(event, handle));
}

} // extern "C"
