// Memory: allocation, copies, symbols, arrays.
#include "session.hpp"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace warpkit::cuda;
using warpkit::device_address;

namespace {

std::string hexadecimal(void const* p) {
    auto a = address(p);
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[a & 15]);
        a >>= 4;
    } while (a != 0);
    return "0x" + digits;
}

void* allocate(session& s, std::size_t bytes) {
    if (s.memory().size() + bytes > s.total_memory())
        throw failure(cudaErrorMemoryAllocation, "the device has " + std::to_string(s.total_memory() >> 20) +
                                                     " MiB of memory, no room for " + std::to_string(bytes) +
                                                     " bytes more");
    return pointer(s.memory().allocate(bytes));
}

// Host memory that kernels see at the same address. It lies at low addresses where that is possible, so that runs do not
// differ by where the system happens to put things.
void* allocate_on_host(session& s, std::size_t bytes) {
    static char* next = reinterpret_cast<char*>(std::uintptr_t{8} << 30);
    constexpr std::size_t page = 4096;
    auto const size = (bytes + page - 1) / page * page + page; // the last one belongs to nobody
    auto* p = mmap(next, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw failure(cudaErrorMemoryAllocation, "out of memory on the host");
    if (p == next) next += size;
    s.memory().map(address(p), static_cast<std::byte*>(p), bytes);
    s.host_memory[p] = size;
    return p;
}

// One side of a copy: the device's bytes if the address is one of the device, otherwise the host's.
std::byte* side(session& s, void const* p, std::size_t bytes, bool on_device, char const* which) {
    if (auto* const found = s.find(p, bytes)) return found;
    auto const a = address(p);
    bool const looks =
        a >= warpkit::device_memory::base && a < warpkit::device_memory::base + s.memory().size();
    if (on_device || looks)
        throw failure(cudaErrorInvalidValue, std::string(which) + " " + std::to_string(bytes) + " bytes at " +
                                                 hexadecimal(p) +
                                                 " are not inside one allocation of the device");
    if (p == nullptr) throw failure(cudaErrorInvalidValue, std::string(which) + " a null pointer");
    return static_cast<std::byte*>(const_cast<void*>(p));
}
bool to_device(cudaMemcpyKind k) { return k == cudaMemcpyHostToDevice || k == cudaMemcpyDeviceToDevice; }
bool from_device(cudaMemcpyKind k) { return k == cudaMemcpyDeviceToHost || k == cudaMemcpyDeviceToDevice; }
void check_kind(cudaMemcpyKind k) {
    if (static_cast<unsigned>(k) > cudaMemcpyDefault)
        throw failure(cudaErrorInvalidMemcpyDirection, "no such cudaMemcpyKind: " + std::to_string(k));
}

void copy(session& s, void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    check_kind(kind);
    if (bytes == 0) return;
    auto* const d = side(s, to, bytes, to_device(kind), "copied to:");
    auto const* const f = side(s, from, bytes, from_device(kind), "copied from:");
    std::memmove(d, f, bytes);
}
void copy_rows(session& s, void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
               std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    check_kind(kind);
    if (width == 0 || height == 0) return;
    if (to_pitch < width || from_pitch < width)
        throw failure(cudaErrorInvalidPitchValue, "rows of " + std::to_string(width) + " bytes, pitches of " +
                                                      std::to_string(to_pitch) + " and " +
                                                      std::to_string(from_pitch));
    auto* const d = side(s, to, (height - 1) * to_pitch + width, to_device(kind), "copied to:");
    auto const* const f = side(s, from, (height - 1) * from_pitch + width, from_device(kind), "copied from:");
    for (std::size_t y = 0; y < height; ++y) std::memmove(d + y * to_pitch, f + y * from_pitch, width);
}

// The bytes of an array from (x bytes, row y) on; `bytes` may run over several rows of an array without padding.
void* inside(cudaArray const* a, std::size_t x, std::size_t y) {
    if (a == nullptr) throw failure(cudaErrorInvalidResourceHandle, "no array");
    return pointer(a->address + y * a->pitch + x);
}
// Copies a run of bytes that goes on in the next row.
void copy_run(session& s, cudaArray const* a, std::size_t x, std::size_t y, void* other, std::size_t bytes,
              cudaMemcpyKind kind, bool into_array) {
    auto const row = a == nullptr ? 0 : a->width * a->element_bytes();
    auto* p = static_cast<std::byte*>(other);
    while (bytes != 0) {
        auto* const at = inside(a, x, y);
        auto const part = row > x && row - x < bytes ? row - x : bytes;
        if (into_array)
            copy(s, at, p, part, kind);
        else
            copy(s, p, at, part, kind);
        bytes -= part;
        p += part;
        x = 0;
        ++y;
    }
}

void fill(session& s, void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    if (width == 0 || height == 0) return;
    auto* const d = side(s, to, (height - 1) * pitch + width, true, "filled:");
    for (std::size_t y = 0; y < height; ++y) std::memset(d + y * pitch, value, width);
}

constexpr std::size_t pitch_granule = 512;
std::size_t pitch_of(std::size_t width) {
    return (width + pitch_granule - 1) / pitch_granule * pitch_granule;
}

void require(void const* p, char const* what) {
    if (p == nullptr) throw failure(cudaErrorInvalidValue, std::string(what) + " is a null pointer");
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
    return call("cudaMalloc", [&](session& s) {
        require(p, "the result");
        *p = bytes == 0 ? nullptr : allocate(s, bytes);
    });
}
cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
    return call("cudaMallocPitch", [&](session& s) {
        require(p, "the result");
        require(pitch, "the pitch");
        *pitch = pitch_of(width);
        *p = allocate(s, *pitch * height);
    });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent) {
    return call("cudaMalloc3D", [&](session& s) {
        require(p, "the result");
        auto const pitch = pitch_of(extent.width);
        *p = {allocate(s, pitch * extent.height * extent.depth), pitch, extent.width, extent.height};
    });
}
cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
    return call("cudaMallocHost", [&](session& s) {
        require(p, "the result");
        *p = allocate_on_host(s, bytes);
    });
}
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) {
    return call("cudaHostAlloc", [&](session& s) {
        require(p, "the result");
        *p = allocate_on_host(s, bytes);
    });
}
cudaError_t cudaMallocManaged(void** p, std::size_t bytes, unsigned) {
    return call("cudaMallocManaged", [&](session& s) {
        require(p, "the result");
        if (bytes == 0) throw failure(cudaErrorInvalidValue, "0 bytes");
        *p = allocate_on_host(s, bytes);
    });
}
cudaError_t cudaHostRegister(void* p, std::size_t bytes, unsigned) {
    return call("cudaHostRegister", [&](session& s) {
        require(p, "the memory");
        if (s.memory().find(address(p), 1) != nullptr)
            throw failure(cudaErrorHostMemoryAlreadyRegistered, "this memory is registered already");
        s.memory().map(address(p), static_cast<std::byte*>(p), bytes);
    });
}
cudaError_t cudaHostUnregister(void* p) {
    return call("cudaHostUnregister", [&](session& s) {
        if (s.host_memory.count(p) != 0 || !s.memory().unmap(address(p)))
            throw failure(cudaErrorHostMemoryNotRegistered, "this memory is not registered");
    });
}
cudaError_t cudaHostGetDevicePointer(void** p, void* host, unsigned) {
    return call("cudaHostGetDevicePointer", [&](session& s) {
        require(p, "the result");
        if (s.memory().find(address(host), 1) == nullptr)
            throw failure(cudaErrorInvalidValue, "the device does not see this memory");
        *p = host;
    });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
    return call("cudaHostGetFlags", [&](session&) {
        require(flags, "the result");
        *flags = cudaHostAllocMapped;
    });
}
static void release(session& s, void* p) {
    if (p == nullptr) return;
    auto const host = s.host_memory.find(p);
    if (host != s.host_memory.end()) {
        s.memory().unmap(address(p));
        munmap(p, host->second);
        s.host_memory.erase(host);
    } else if (!s.memory().release(address(p))) {
        throw failure(cudaErrorInvalidDevicePointer, "no allocation begins at " + hexadecimal(p));
    }
}
cudaError_t cudaFree(void* p) {
    return call("cudaFree", [&](session& s) { release(s, p); });
}
cudaError_t cudaFreeHost(void* p) {
    return call("cudaFreeHost", [&](session& s) { release(s, p); });
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    return call("cudaMemGetInfo", [&](session& s) {
        require(available, "the result");
        require(total, "the result");
        *total = s.total_memory();
        *available = *total - s.memory().size();
    });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, void const* p) {
    return call("cudaPointerGetAttributes", [&](session& s) {
        require(a, "the result");
        auto* const plain = const_cast<void*>(p);
        bool const seen = s.memory().find(address(p), 1) != nullptr;
        bool const on_device = seen && address(p) - warpkit::device_memory::base < s.memory().size();
        if (on_device)
            *a = {cudaMemoryTypeDevice, 0, plain, nullptr};
        else if (seen)
            *a = {cudaMemoryTypeManaged, 0, plain, plain};
        else
            *a = {cudaMemoryTypeUnregistered, 0, nullptr, plain};
    });
}
cudaError_t cudaMemPrefetchAsync(void const*, std::size_t, int, cudaStream_t) {
    return call("cudaMemPrefetchAsync", [](session&) {});
}
cudaError_t cudaMemAdvise(void const*, std::size_t, cudaMemoryAdvise, int) {
    return call("cudaMemAdvise", [](session&) {});
}

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpy", [&](session& s) { copy(s, to, from, bytes, kind); });
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
    return call("cudaMemcpyAsync", [&](session& s) { copy(s, to, from, bytes, kind); });
}
cudaError_t cudaMemcpyPeer(void* to, int, void const* from, int, std::size_t bytes) {
    return call("cudaMemcpyPeer", [&](session& s) { copy(s, to, from, bytes, cudaMemcpyDeviceToDevice); });
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call("cudaMemcpy2D",
                [&](session& s) { copy_rows(s, to, to_pitch, from, from_pitch, width, height, kind); });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind, cudaStream_t) {
    return call("cudaMemcpy2DAsync",
                [&](session& s) { copy_rows(s, to, to_pitch, from, from_pitch, width, height, kind); });
}
static void copy_box(session& s, cudaMemcpy3DParms const* what) {
    require(what, "the description");
    auto const& w = *what;
    // A side is an array or a pitched pointer; x counts elements of an array, bytes otherwise.
    struct box {
        device_address begin;
        std::size_t pitch, rows;
    };
    auto const element = w.srcArray != nullptr   ? w.srcArray->element_bytes()
                         : w.dstArray != nullptr ? w.dstArray->element_bytes()
                                                 : 1;
    auto const width = w.extent.width * element;
    auto const of = [&](cudaArray const* a, cudaPos const& at, cudaPitchedPtr const& p) -> box {
        auto const pitch = a != nullptr ? a->pitch : p.pitch;
        auto const rows = a != nullptr ? (a->height == 0 ? 1 : a->height) : p.ysize;
        auto const begin = a != nullptr ? a->address : address(p.ptr);
        auto const x = at.x * (a != nullptr ? element : 1);
        return {begin + (at.z * rows + at.y) * pitch + x, pitch, rows};
    };
    auto const to = of(w.dstArray, w.dstPos, w.dstPtr);
    auto const from = of(w.srcArray, w.srcPos, w.srcPtr);
    for (std::size_t z = 0; z < w.extent.depth; ++z)
        copy_rows(s, pointer(to.begin + z * to.rows * to.pitch), to.pitch,
                  pointer(from.begin + z * from.rows * from.pitch), from.pitch, width, w.extent.height,
                  w.kind);
}
cudaError_t cudaMemcpy3D(cudaMemcpy3DParms const* what) {
    return call("cudaMemcpy3D", [&](session& s) { copy_box(s, what); });
}
cudaError_t cudaMemcpy3DAsync(cudaMemcpy3DParms const* what, cudaStream_t) {
    return call("cudaMemcpy3DAsync", [&](session& s) { copy_box(s, what); });
}

static void to_symbol(session& s, void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
                      cudaMemcpyKind kind) {
    auto* const d = s.symbol_bytes(symbol, bytes, offset);
    if (bytes != 0) std::memmove(d, side(s, from, bytes, from_device(kind), "copied from:"), bytes);
}
static void from_symbol(session& s, void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind) {
    auto const* const f = s.symbol_bytes(symbol, bytes, offset);
    if (bytes != 0) std::memmove(side(s, to, bytes, to_device(kind), "copied to:"), f, bytes);
}
cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
    return call("cudaMemcpyToSymbol", [&](session& s) { to_symbol(s, symbol, from, bytes, offset, kind); });
}
cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t) {
    return call("cudaMemcpyToSymbolAsync",
                [&](session& s) { to_symbol(s, symbol, from, bytes, offset, kind); });
}
cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
    return call("cudaMemcpyFromSymbol", [&](session& s) { from_symbol(s, to, symbol, bytes, offset, kind); });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t) {
    return call("cudaMemcpyFromSymbolAsync",
                [&](session& s) { from_symbol(s, to, symbol, bytes, offset, kind); });
}
cudaError_t cudaGetSymbolAddress(void** p, void const* symbol) {
    return call("cudaGetSymbolAddress", [&](session& s) {
        require(p, "the result");
        *p = pointer(s.symbol_address(symbol));
    });
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, void const* symbol) {
    return call("cudaGetSymbolSize", [&](session& s) {
        require(bytes, "the result");
        *bytes = s.symbol(symbol).bytes;
    });
}

static cudaArray_t new_array(session& s, cudaChannelFormatDesc const* format, cudaExtent extent) {
    require(format, "the format");
    auto* const a = new cudaArray{0, *format, extent.width, extent.height, extent.depth, 0};
    auto const row = a->width * a->element_bytes();
    a->pitch = a->rows() > 1 ? (row + 31) / 32 * 32 : row;
    try {
        a->address = address(allocate(s, a->pitch * a->rows()));
    } catch (...) {
        delete a;
        throw;
    }
    return a;
}
cudaError_t cudaMallocArray(cudaArray_t* array, cudaChannelFormatDesc const* format, std::size_t width,
                            std::size_t height, unsigned) {
    return call("cudaMallocArray", [&](session& s) {
        require(array, "the result");
        *array = new_array(s, format, {width, height, 0});
    });
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, cudaChannelFormatDesc const* format, cudaExtent extent,
                              unsigned flags) {
    return call("cudaMalloc3DArray", [&](session& s) {
        require(array, "the result");
        if ((flags & cudaArrayLayered) != 0)
            throw failure(cudaErrorNotSupported, "layered arrays are not supported");
        *array = new_array(s, format, extent);
    });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
    return call("cudaFreeArray", [&](session& s) {
        if (array == nullptr) return;
        s.memory().release(array->address);
        delete array;
    });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    return call("cudaGetChannelDesc", [&](session&) {
        require(format, "the result");
        require(array, "the array");
        *format = array->format;
    });
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpyToArray",
                [&](session& s) { copy_run(s, to, x, y, const_cast<void*>(from), bytes, kind, true); });
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return call("cudaMemcpyToArrayAsync",
                [&](session& s) { copy_run(s, to, x, y, const_cast<void*>(from), bytes, kind, true); });
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpyFromArray", [&](session& s) { copy_run(s, from, x, y, to, bytes, kind, false); });
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                std::size_t from_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
    return call("cudaMemcpy2DToArray", [&](session& s) {
        auto* const at = inside(to, x, y);
        copy_rows(s, at, to->rows() > 1 ? to->pitch : width, from, from_pitch, width, height, kind);
    });
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call("cudaMemcpy2DFromArray", [&](session& s) {
        auto* const at = inside(from, x, y);
        copy_rows(s, to, to_pitch, at, from->rows() > 1 ? from->pitch : width, width, height, kind);
    });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return call("cudaMemset", [&](session& s) { fill(s, to, bytes, value, bytes, 1); });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
    return call("cudaMemsetAsync", [&](session& s) { fill(s, to, bytes, value, bytes, 1); });
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return call("cudaMemset2D", [&](session& s) { fill(s, to, pitch, value, width, height); });
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t) {
    return call("cudaMemset2DAsync", [&](session& s) { fill(s, to, pitch, value, width, height); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return call("cudaMemset3D", [&](session& s) {
        for (std::size_t z = 0; z < extent.depth; ++z)
            fill(s, static_cast<std::byte*>(to.ptr) + z * to.ysize * to.pitch, to.pitch, value, extent.width,
                 extent.height);
    });
}

} // extern "C"
