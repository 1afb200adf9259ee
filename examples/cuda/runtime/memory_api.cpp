// Memory: allocation, copies, symbols, arrays.
#include "graphs.hpp"
#include "session.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <sys/mman.h>

using namespace warpkit::cuda;
using warpkit::bytes_of_rows;
using warpkit::device_address;
using warpkit::saturated_product;
using warpkit::saturated_sum;

namespace {

constexpr std::size_t host_addresses = std::size_t{1} << 47; ///< of a program (x86-64)
constexpr std::size_t most_pitch = 0x7fffffff;               ///< cudaDeviceProp::memPitch

void* allocate(session& s, std::size_t bytes) {
    if (bytes == 0) return nullptr;
    try {
        return pointer(s.memory().allocate(bytes));
    } catch (warpkit::error const& e) {
        throw failure(cudaErrorMemoryAllocation, e.what());
    }
}

// Host memory that kernels see at the same address. It lies at low addresses where that is possible, so that runs do
// not differ by where the system happens to put things.
void* allocate_on_host(session& s, std::size_t bytes, session::host_block::kind what) {
    if (bytes == 0) return nullptr;
    static char* next = reinterpret_cast<char*>(std::uintptr_t{8} << 30);
    constexpr std::size_t page = 4096;
    void* p = MAP_FAILED;
    std::size_t size = 0;
    if (bytes < host_addresses) {
        size = (bytes + page - 1) / page * page + page; // the last one belongs to nobody
        p = mmap(next, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    if (p == MAP_FAILED)
        throw failure(cudaErrorMemoryAllocation,
                      "no room for " + std::to_string(bytes) + " bytes on the host");
    if (p == next) next += size;
    s.memory().map(address(p), static_cast<std::byte*>(p), bytes);
    s.host_memory[address(p)] = {bytes, size, what};
    return p;
}

// One side of a copy: the device's bytes if the address is one of the device, otherwise the host's.
std::byte* side(session& s, void const* p, std::size_t bytes, bool on_device, char const* which) {
    if (auto* const found = s.find(p, bytes)) return found;
    auto const a = address(p);
    bool const looks =
        a >= warpkit::device_memory::base && a < warpkit::device_memory::base + s.memory().size();
    if (on_device || looks || s.block_at(p, bytes) != s.host_memory.end())
        throw failure(cudaErrorInvalidValue, std::string(which) + " " + std::to_string(bytes) + " bytes at " +
                                                 hexadecimal(p) +
                                                 " are not inside one allocation of the device");
    if (p == nullptr) throw failure(cudaErrorInvalidValue, std::string(which) + " a null pointer");
    if (!warpkit::lies_within(a, bytes, host_addresses))
        throw failure(cudaErrorInvalidValue, std::string(which) + " " + std::to_string(bytes) + " bytes at " +
                                                 hexadecimal(p) + ": no program has so much memory");
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
void check_pitch(std::size_t width, std::size_t pitch, cudaError_t code) {
    if (pitch < width || pitch > most_pitch)
        throw failure(code, "rows of " + std::to_string(width) + " bytes, a pitch of " +
                                std::to_string(pitch) + "; there are pitches up to " +
                                std::to_string(most_pitch));
}
void copy_rows(session& s, void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
               std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    check_kind(kind);
    if (width == 0 || height == 0) return;
    check_pitch(width, to_pitch, cudaErrorInvalidPitchValue);
    check_pitch(width, from_pitch, cudaErrorInvalidPitchValue);
    auto* const d = side(s, to, bytes_of_rows(width, height, to_pitch), to_device(kind), "copied to:");
    auto const* const f =
        side(s, from, bytes_of_rows(width, height, from_pitch), from_device(kind), "copied from:");
    for (std::size_t y = 0; y < height; ++y) std::memmove(d + y * to_pitch, f + y * from_pitch, width);
}

void require_pool(session const& s, cudaMemPool_t pool) {
    if (pool != &s.default_pool) s.pools.require(pool, cudaErrorInvalidValue, "pool of memory");
}
void require_array(session const& s, cudaArray const* a) {
    s.arrays.require(a, cudaErrorInvalidValue, "array");
}
// The bytes of an array from byte x of row y on, as far as it has rows of so many bytes there.
void* inside(session const& s, cudaArray const* a, std::size_t x, std::size_t y, std::size_t width,
             std::size_t height) {
    require_array(s, a);
    if (!warpkit::lies_within(x, width, a->row_bytes()) || !warpkit::lies_within(y, height, a->rows()))
        throw failure(cudaErrorInvalidValue,
                      std::to_string(height) + " rows of " + std::to_string(width) + " bytes from byte " +
                          std::to_string(x) + " of row " + std::to_string(y) + " on: the array has " +
                          std::to_string(a->rows()) + " of " + std::to_string(a->row_bytes()));
    return pointer(a->address + y * a->pitch + x);
}
// Copies a run of bytes that goes on in the next row.
void copy_run(session& s, cudaArray const* a, std::size_t x, std::size_t y, void* other, std::size_t bytes,
              cudaMemcpyKind kind, bool into_array) {
    require_array(s, a);
    auto* p = static_cast<std::byte*>(other);
    auto const row = a->row_bytes();
    if (x >= row ||
        !warpkit::lies_within(saturated_sum(saturated_product(y, row), x), bytes, row * a->rows()))
        throw failure(cudaErrorInvalidValue, std::to_string(bytes) + " bytes from byte " + std::to_string(x) +
                                                 " of row " + std::to_string(y) + " on: the array has " +
                                                 std::to_string(row * a->rows()));
    if (bytes != 0) side(s, other, bytes, into_array ? from_device(kind) : to_device(kind), "copied:");
    while (bytes != 0) {
        auto* const at = inside(s, a, x, y, 0, 1);
        auto const part = row - x < bytes ? row - x : bytes;
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
    if (height > 1) check_pitch(width, pitch, cudaErrorInvalidValue);
    auto* const d = side(s, to, bytes_of_rows(width, height, pitch), true, "filled:");
    for (std::size_t y = 0; y < height; ++y) std::memset(d + y * pitch, value, width);
}

constexpr std::size_t pitch_granule = 512;
std::size_t pitch_of(std::size_t width) {
    if (width > most_pitch)
        throw failure(cudaErrorInvalidValue, "rows of " + std::to_string(width) +
                                                 " bytes: there are pitches up to " +
                                                 std::to_string(most_pitch));
    return (width + pitch_granule - 1) / pitch_granule * pitch_granule;
}

} // namespace

extern "C" {

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
    return call("cudaMalloc", [&](session& s) {
        require(p, "the result");
        *p = allocate(s, bytes);
    });
}
cudaError_t cudaMallocPitch(void** p, std::size_t* pitch, std::size_t width, std::size_t height) {
    return call("cudaMallocPitch", [&](session& s) {
        require(p, "the result");
        require(pitch, "the pitch");
        auto const row = pitch_of(width);
        *p = allocate(s, saturated_product(row, height));
        *pitch = row;
    });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* p, cudaExtent extent) {
    return call("cudaMalloc3D", [&](session& s) {
        require(p, "the result");
        auto const pitch = pitch_of(extent.width);
        auto const bytes = saturated_product(saturated_product(pitch, extent.height), extent.depth);
        *p = {allocate(s, bytes), pitch, extent.width, extent.height};
    });
}
cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
    return call("cudaMallocHost", [&](session& s) {
        require(p, "the result");
        *p = allocate_on_host(s, bytes, session::host_block::kind::pinned);
    });
}
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned flags) {
    return call("cudaHostAlloc", [&](session& s) {
        require(p, "the result");
        require_flags(flags, cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined);
        *p = allocate_on_host(s, bytes, session::host_block::kind::pinned);
    });
}
cudaError_t cudaMallocManaged(void** p, std::size_t bytes, unsigned flags) {
    return call("cudaMallocManaged", [&](session& s) {
        require(p, "the result");
        if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
            throw failure(cudaErrorInvalidValue, "expected cudaMemAttachGlobal or cudaMemAttachHost");
        if (bytes == 0) throw failure(cudaErrorInvalidValue, "0 bytes");
        *p = allocate_on_host(s, bytes, session::host_block::kind::managed);
    });
}
cudaError_t cudaHostRegister(void* p, std::size_t bytes, unsigned flags) {
    return call("cudaHostRegister", [&](session& s) {
        require(p, "the memory");
        require_flags(flags, 0xf); // portable, mapped, I/O memory, read-only
        if (bytes == 0 || !warpkit::lies_within(address(p), bytes, host_addresses))
            throw failure(cudaErrorInvalidValue, std::to_string(bytes) + " bytes at " + hexadecimal(p) +
                                                     " are no memory of the program");
        if (s.block_at(p, bytes) != s.host_memory.end())
            throw failure(cudaErrorHostMemoryAlreadyRegistered, "this memory is registered already");
        if (s.find(p, 1) != nullptr) throw failure(cudaErrorInvalidValue, "this memory is the device's");
        s.memory().map(address(p), static_cast<std::byte*>(p), bytes);
        s.host_memory[address(p)] = {bytes, 0, session::host_block::kind::registered};
    });
}
cudaError_t cudaHostUnregister(void* p) {
    return call("cudaHostUnregister", [&](session& s) {
        require(p, "the memory");
        auto const block = s.host_memory.find(address(p));
        if (block == s.host_memory.end() || block->second.what != session::host_block::kind::registered)
            throw failure(cudaErrorHostMemoryNotRegistered, "this memory is not registered");
        s.release_block(block);
    });
}
cudaError_t cudaHostGetDevicePointer(void** p, void* host, unsigned flags) {
    return call("cudaHostGetDevicePointer", [&](session& s) {
        require(p, "the result");
        require_flags(flags, 0);
        if (s.block_at(host, 1) == s.host_memory.end())
            throw failure(cudaErrorInvalidValue, "the device does not see this memory");
        *p = host;
    });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
    return call("cudaHostGetFlags", [&](session& s) {
        require(flags, "the result");
        auto const block = s.block_at(host, 1);
        if (block == s.host_memory.end() || block->second.what != session::host_block::kind::pinned)
            throw failure(cudaErrorInvalidValue, "cudaHostAlloc did not give this memory");
        *flags = cudaHostAllocMapped;
    });
}
cudaError_t cudaFree(void* p) {
    return call("cudaFree", [&](session& s) {
        if (p == nullptr) return;
        auto const block = s.host_memory.find(address(p));
        if (block != s.host_memory.end() && block->second.what == session::host_block::kind::managed)
            s.release_block(block);
        else if (!s.free_graph_block(address(p)) && !s.memory().release(address(p)))
            throw failure(cudaErrorInvalidValue, "no allocation of the device begins at " + hexadecimal(p));
        s.leave_pools(address(p));
    });
}
cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return call("cudaMallocFromPoolAsync", [&](session& s) {
        require(p, "the result");
        require_pool(s, pool);
        if (s.streams.holds(stream) && stream->captures != nullptr) { // the graph's node allocates it
            auto const at = s.add_graph_block(bytes);
            s.capture(stream, cudaGraphNodeTypeMemAlloc, [&s, at] { s.take_graph_block(at); });
            *p = pointer(at);
            return;
        }
        require_stream(s, stream);
        *p = allocate(s, bytes);
        if (bytes != 0) pool->taken[address(*p)] = bytes;
        if (auto const used = pool->used(); used > pool->high) pool->high = used;
    });
}
cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(p, bytes, session::instance().current_pool, stream);
}
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
    return call("cudaFreeAsync", [&](session& s) {
        auto const at = address(p);
        if (s.graph_memory.blocks.count(at) != 0 && s.capture(stream, cudaGraphNodeTypeMemFree, [&s, at] {
                static_cast<void>(s.free_graph_block(at));
            }))
            return;
        require_stream(s, stream);
        if (p == nullptr || (!s.free_graph_block(at) && !s.memory().release(at)))
            throw failure(cudaErrorInvalidValue, "no allocation of the device begins at " + hexadecimal(p));
        s.leave_pools(address(p));
    });
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return call("cudaDeviceGetDefaultMemPool", [&](session& s) {
        require(pool, "the result");
        require_device(device);
        *pool = &s.default_pool;
    });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return call("cudaDeviceGetMemPool", [&](session& s) {
        require(pool, "the result");
        require_device(device);
        *pool = s.current_pool;
    });
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return call("cudaDeviceSetMemPool", [&](session& s) {
        require_device(device);
        require_pool(s, pool);
        s.current_pool = pool;
    });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const* properties) {
    return call("cudaMemPoolCreate", [&](session& s) {
        require(pool, "the result");
        require(properties, "the properties");
        if (properties->allocType != cudaMemAllocationTypePinned ||
            properties->location.type != cudaMemLocationTypeDevice)
            throw failure(cudaErrorInvalidValue, "pools are of pinned memory of a device");
        require_device(properties->location.id);
        if (properties->handleTypes != cudaMemHandleTypeNone)
            throw failure(cudaErrorNotSupported,
                          "pools that are shared with other processes are not supported");
        *pool = s.pools.add({});
    });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return call("cudaMemPoolDestroy", [&](session& s) {
        if (pool == &s.default_pool)
            throw failure(cudaErrorInvalidValue, "the default pool cannot be destroyed");
        require_pool(s, pool);
        if (s.current_pool == pool) s.current_pool = &s.default_pool;
        s.pools.remove(pool);
    });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call("cudaMemPoolSetAttribute", [&](session& s) {
        require_pool(s, pool);
        require(value, "the value");
        auto const* const number = static_cast<std::uint64_t const*>(value);
        switch (attribute) {
        case cudaMemPoolReuseFollowEventDependencies:
        case cudaMemPoolReuseAllowOpportunistic:
        case cudaMemPoolReuseAllowInternalDependencies:
            break;
        case cudaMemPoolAttrReleaseThreshold:
            pool->release_threshold = *number;
            break;
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh:
            if (*number != 0) throw failure(cudaErrorInvalidValue, "the most so far can only be set to 0");
            pool->high = pool->used();
            break;
        default:
            throw failure(cudaErrorInvalidValue, "this attribute of a pool cannot be set");
        }
    });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call("cudaMemPoolGetAttribute", [&](session& s) {
        require_pool(s, pool);
        require(value, "the result");
        auto const set = [value](std::uint64_t n) { std::memcpy(value, &n, sizeof n); };
        switch (attribute) {
        case cudaMemPoolReuseFollowEventDependencies:
        case cudaMemPoolReuseAllowOpportunistic:
        case cudaMemPoolReuseAllowInternalDependencies: {
            int const yes = 1;
            std::memcpy(value, &yes, sizeof yes);
            break;
        }
        case cudaMemPoolAttrReleaseThreshold:
            set(pool->release_threshold);
            break;
        case cudaMemPoolAttrReservedMemCurrent: // nothing is kept back
        case cudaMemPoolAttrUsedMemCurrent:
            set(pool->used());
            break;
        case cudaMemPoolAttrReservedMemHigh:
        case cudaMemPoolAttrUsedMemHigh:
            set(pool->high);
            break;
        default:
            throw failure(cudaErrorInvalidValue, "no such attribute of a pool");
        }
    });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
    return call("cudaMemPoolTrimTo", [&](session& s) { require_pool(s, pool); });
}
cudaError_t cudaFreeHost(void* p) {
    return call("cudaFreeHost", [&](session& s) {
        if (p == nullptr) return;
        auto const block = s.host_memory.find(address(p));
        if (block == s.host_memory.end() || block->second.what != session::host_block::kind::pinned)
            throw failure(cudaErrorInvalidValue, "no pinned memory begins at " + hexadecimal(p));
        s.release_block(block);
    });
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
    return call("cudaMemGetInfo", [&](session& s) {
        require(available, "the result");
        require(total, "the result");
        *total = s.total_memory();
        *available = *total - s.memory().in_use();
    });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, void const* p) {
    return call("cudaPointerGetAttributes", [&](session& s) {
        require(a, "the result");
        auto* const plain = const_cast<void*>(p);
        auto const block = s.block_at(p, 1);
        if (block != s.host_memory.end())
            *a = {block->second.what == session::host_block::kind::managed ? cudaMemoryTypeManaged
                                                                           : cudaMemoryTypeHost,
                  0, plain, plain};
        else if (s.find(p, 1) != nullptr)
            *a = {cudaMemoryTypeDevice, 0, plain, nullptr};
        else
            *a = {cudaMemoryTypeUnregistered, 0, nullptr, plain};
    });
}
// Advice is for managed memory, and about the device or the host.
static void check_advised(session& s, void const* p, std::size_t bytes, int device) {
    if (device != 0 && device != cudaCpuDeviceId)
        throw failure(cudaErrorInvalidDevice, "there is one device, 0; found " + std::to_string(device));
    auto const block = s.block_at(p, 1);
    if (bytes == 0 || block == s.host_memory.end() ||
        block->second.what != session::host_block::kind::managed ||
        !warpkit::lies_within(address(p) - block->first, bytes, block->second.bytes))
        throw failure(cudaErrorInvalidValue, std::to_string(bytes) + " bytes at " + hexadecimal(p) +
                                                 " are not inside managed memory");
}
// CUDA 13 has a kind of location there: 1 is a device, of which there is one; and flags where the stream was.
static int device_of(session const& s, int device) {
    if (!s.of_toolkit_13()) return device;
    return device == 1 ? 0 : cudaCpuDeviceId;
}
cudaError_t cudaMemPrefetchAsync(void const* p, std::size_t bytes, int device, cudaStream_t stream) {
    return call("cudaMemPrefetchAsync", [&](session& s) {
        if (!s.of_toolkit_13()) require_stream(s, stream);
        check_advised(s, p, bytes, device_of(s, device));
    });
}
cudaError_t cudaMemAdvise(void const* p, std::size_t bytes, cudaMemoryAdvise advice, int device) {
    return call("cudaMemAdvise", [&](session& s) {
        if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
            throw failure(cudaErrorInvalidValue, "no such advice: " + std::to_string(advice));
        // Of these three the device does not matter.
        bool const of_nobody = advice == cudaMemAdviseSetReadMostly ||
                               advice == cudaMemAdviseUnsetReadMostly ||
                               advice == cudaMemAdviseUnsetPreferredLocation;
        check_advised(s, p, bytes, of_nobody ? 0 : device_of(s, device));
    });
}

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpy", [&](session& s) {
        s.require_no_capture();
        s.order.host_copies();
        copy(s, to, from, bytes, kind);
    });
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return call("cudaMemcpyAsync", [&](session& s) {
        if (s.capture(
                stream, cudaGraphNodeTypeMemcpy, [=, &s] { copy(s, to, from, bytes, kind); },
                as_box(to, from, bytes, kind)))
            return;
        require_stream(s, stream);
        s.use(stream);
        copy(s, to, from, bytes, kind);
    });
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, void const* from, int from_device, std::size_t bytes) {
    return call("cudaMemcpyPeer", [&](session& s) {
        if (to_device != 0 || from_device != 0)
            throw failure(cudaErrorInvalidDevice, "there is one device, 0");
        copy(s, to, from, bytes, cudaMemcpyDeviceToDevice);
    });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, void const* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
    auto const code = call("cudaMemcpyPeerAsync", [&](session& s) { require_stream(s, stream); });
    return code != cudaSuccess ? code : cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call("cudaMemcpy2D",
                [&](session& s) { copy_rows(s, to, to_pitch, from, from_pitch, width, height, kind); });
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    return call("cudaMemcpy2DAsync", [&](session& s) {
        if (s.capture(stream, cudaGraphNodeTypeMemcpy,
                      [=, &s] { copy_rows(s, to, to_pitch, from, from_pitch, width, height, kind); }))
            return;
        require_stream(s, stream);
        s.use(stream);
        copy_rows(s, to, to_pitch, from, from_pitch, width, height, kind);
    });
}
// A side of a copy of boxes is an array or a pitched pointer; x counts elements of an array, bytes otherwise.
struct box {
    device_address begin = 0;
    std::size_t pitch = 0; // from row to row
    std::size_t slice = 0; // from plane to plane
};
// Where a box of `width` bytes, rows and planes begins, all of which lie on this side.
static box box_of(session& s, cudaArray const* a, cudaPos const& at, cudaPitchedPtr const& p,
                  std::size_t element, std::size_t width, cudaExtent const& extent, bool on_device,
                  char const* which) {
    if ((a != nullptr) == (p.ptr != nullptr))
        throw failure(cudaErrorInvalidValue,
                      std::string(which) + " expected either an array or a pitched pointer");
    auto const fits = [&](std::size_t offset, std::size_t count, std::size_t size, char const* direction) {
        if (!warpkit::lies_within(offset, count, size))
            throw failure(cudaErrorInvalidValue, std::string(which) + " " + std::to_string(count) + " from " +
                                                     std::to_string(offset) + " on in " + direction +
                                                     ": there are " + std::to_string(size));
    };
    box b;
    if (a != nullptr) {
        require_array(s, a);
        fits(at.x, extent.width, a->width, "x");
        fits(at.y, extent.height, a->height == 0 ? 1 : a->height, "y");
        fits(at.z, extent.depth, a->depth == 0 ? 1 : a->depth, "z");
        b.pitch = a->pitch;
        b.slice = a->pitch * (a->height == 0 ? 1 : a->height);
        b.begin = a->address + at.z * b.slice + at.y * b.pitch + at.x * element;
        return b;
    }
    check_pitch(width, p.pitch, cudaErrorInvalidPitchValue);
    if (extent.depth > 1 || at.z != 0) fits(at.y, extent.height, p.ysize, "y");
    b.pitch = p.pitch;
    b.slice = saturated_product(p.pitch, p.ysize);
    auto const offset = saturated_sum(
        saturated_sum(saturated_product(at.z, b.slice), saturated_product(at.y, b.pitch)), at.x);
    auto const bytes = bytes_of_rows(bytes_of_rows(width, extent.height, b.pitch), extent.depth, b.slice);
    static_cast<void>(side(s, p.ptr, saturated_sum(offset, bytes), on_device, which));
    b.begin = address(p.ptr) + offset;
    return b;
}
static void copy_box(session& s, cudaMemcpy3DParms const* what) {
    require(what, "the description");
    auto const& w = *what;
    check_kind(w.kind);
    for (auto const* a : {w.srcArray, w.dstArray})
        if (a != nullptr) require_array(s, a);
    auto const element = w.srcArray != nullptr   ? w.srcArray->element_bytes()
                         : w.dstArray != nullptr ? w.dstArray->element_bytes()
                                                 : 1;
    if (w.srcArray != nullptr && w.dstArray != nullptr && w.dstArray->element_bytes() != element)
        throw failure(cudaErrorInvalidValue, "arrays with elements of different sizes");
    auto const& extent = w.extent;
    auto const width = saturated_product(extent.width, element);
    if (width == 0 || extent.height == 0 || extent.depth == 0) return;
    auto const to =
        box_of(s, w.dstArray, w.dstPos, w.dstPtr, element, width, extent, to_device(w.kind), "copied to:");
    auto const from = box_of(s, w.srcArray, w.srcPos, w.srcPtr, element, width, extent, from_device(w.kind),
                             "copied from:");
    for (std::size_t z = 0; z < extent.depth; ++z)
        copy_rows(s, pointer(to.begin + z * to.slice), to.pitch, pointer(from.begin + z * from.slice),
                  from.pitch, width, extent.height, w.kind);
}
cudaError_t cudaMemcpy3D(cudaMemcpy3DParms const* what) {
    return call("cudaMemcpy3D", [&](session& s) { copy_box(s, what); });
}
cudaError_t cudaMemcpy3DAsync(cudaMemcpy3DParms const* what, cudaStream_t stream) {
    return call("cudaMemcpy3DAsync", [&](session& s) {
        require_stream(s, stream);
        s.use(stream);
        copy_box(s, what);
    });
}

static void to_symbol(session& s, void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
                      cudaMemcpyKind kind) {
    check_kind(kind);
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
        throw failure(cudaErrorInvalidMemcpyDirection, "a symbol is on the device");
    auto* const d = s.symbol_bytes(symbol, bytes, offset);
    if (bytes != 0) std::memmove(d, side(s, from, bytes, from_device(kind), "copied from:"), bytes);
}
static void from_symbol(session& s, void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                        cudaMemcpyKind kind) {
    check_kind(kind);
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
        throw failure(cudaErrorInvalidMemcpyDirection, "a symbol is on the device");
    auto const* const f = s.symbol_bytes(symbol, bytes, offset);
    if (bytes != 0) std::memmove(side(s, to, bytes, to_device(kind), "copied to:"), f, bytes);
}
cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind kind) {
    return call("cudaMemcpyToSymbol", [&](session& s) {
        s.order.host_copies();
        to_symbol(s, symbol, from, bytes, offset, kind);
    });
}
cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpyToSymbolAsync", [&](session& s) {
        require_stream(s, stream);
        s.use(stream);
        to_symbol(s, symbol, from, bytes, offset, kind);
    });
}
cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                 cudaMemcpyKind kind) {
    return call("cudaMemcpyFromSymbol", [&](session& s) {
        s.order.host_copies();
        from_symbol(s, to, symbol, bytes, offset, kind);
    });
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpyFromSymbolAsync", [&](session& s) {
        require_stream(s, stream);
        s.use(stream);
        from_symbol(s, to, symbol, bytes, offset, kind);
    });
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
    int const bits[] = {format->x, format->y, format->z, format->w};
    bool ended = false;
    for (int const b : bits) {
        if ((b != 0 && b != 8 && b != 16 && b != 32) || (ended && b != 0) || format->x == 0)
            throw failure(cudaErrorInvalidChannelDescriptor,
                          "expected components of 8, 16 or 32 bits, the unused ones last");
        ended = b == 0;
    }
    cudaArray a{0, *format, extent.width, extent.height, extent.depth, 0};
    // Extents as cudaDeviceProp has them.
    auto const most = extent.depth != 0    ? std::array<std::size_t, 3>{4096, 4096, 4096}
                      : extent.height != 0 ? std::array<std::size_t, 3>{65536, 65536, 0}
                                           : std::array<std::size_t, 3>{std::size_t{1} << 27, 0, 0};
    if (extent.width == 0 || extent.width > most[0] || extent.height > most[1] || extent.depth > most[2] ||
        (extent.depth != 0 && extent.height == 0))
        throw failure(cudaErrorInvalidValue, "an array of " + std::to_string(extent.width) + " x " +
                                                 std::to_string(extent.height) + " x " +
                                                 std::to_string(extent.depth) + " elements");
    a.pitch = a.rows() > 1 ? (a.row_bytes() + 31) / 32 * 32 : a.row_bytes();
    a.address = address(allocate(s, saturated_product(a.pitch, a.rows())));
    return s.arrays.add(a);
}
cudaError_t cudaMallocArray(cudaArray_t* array, cudaChannelFormatDesc const* format, std::size_t width,
                            std::size_t height, unsigned flags) {
    return call("cudaMallocArray", [&](session& s) {
        require(array, "the result");
        require_flags(flags, cudaArraySurfaceLoadStore | 0x08); // and texture gathers
        *array = new_array(s, format, {width, height, 0});
    });
}
// What cudaMalloc3DArray and the levels of a mipmap have in common.
static void check_layers(cudaExtent& extent, unsigned flags) {
    require_flags(flags,
                  cudaArraySurfaceLoadStore | cudaArrayLayered | cudaArrayCubemap | cudaArrayTextureGather);
    bool const cube = (flags & cudaArrayCubemap) != 0, layered = (flags & cudaArrayLayered) != 0;
    if (cube && (extent.width != extent.height || extent.depth == 0 || extent.depth % 6 != 0 ||
                 (!layered && extent.depth != 6)))
        throw failure(cudaErrorInvalidValue, "a cubemap has six square faces");
    if (layered && extent.depth == 0) throw failure(cudaErrorInvalidValue, "an array of no layers");
    if (layered && extent.height == 0) extent.height = 1;
}
static bool has_layers(unsigned flags) { return (flags & (cudaArrayCubemap | cudaArrayLayered)) != 0; }
cudaError_t cudaMalloc3DArray(cudaArray_t* array, cudaChannelFormatDesc const* format, cudaExtent extent,
                              unsigned flags) {
    return call("cudaMalloc3DArray", [&](session& s) {
        require(array, "the result");
        check_layers(extent, flags);
        *array = new_array(s, format, extent);
        (*array)->layers = has_layers(flags) ? extent.depth : 0;
    });
}
cudaError_t cudaFreeArray(cudaArray_t array) {
    return call("cudaFreeArray", [&](session& s) {
        if (array == nullptr) return;
        require_array(s, array);
        if (array->is_level)
            throw failure(cudaErrorInvalidValue, "a level is freed with its mipmapped array");
        s.memory().release(array->address);
        s.arrays.remove(array);
    });
}
static void free_levels(session& s, cudaMipmappedArray const& array) {
    for (auto* level : array.levels) {
        s.memory().release(level->address);
        s.arrays.remove(level);
    }
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, cudaChannelFormatDesc const* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
    return call("cudaMallocMipmappedArray", [&](session& s) {
        require(array, "the result");
        check_layers(extent, flags);
        bool const layers = has_layers(flags);
        auto const largest = std::max({extent.width, extent.height, layers ? 0 : extent.depth});
        auto const count = std::clamp<std::size_t>(levels, 1, std::bit_width(largest));
        cudaMipmappedArray made;
        try {
            for (std::size_t k = 0; k < count; ++k) {
                auto const halved = [k](std::size_t n) { return n == 0 || n >> k != 0 ? n >> k : 1; };
                made.levels.push_back(new_array(s, format,
                                                {halved(extent.width), halved(extent.height),
                                                 layers ? extent.depth : halved(extent.depth)}));
                made.levels.back()->layers = layers ? extent.depth : 0;
                made.levels.back()->is_level = true;
            }
        } catch (...) {
            free_levels(s, made);
            throw;
        }
        *array = s.mipmapped_arrays.add(made);
    });
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array,
                                       unsigned number) {
    return call("cudaGetMipmappedArrayLevel", [&](session& s) {
        require(level, "the result");
        s.mipmapped_arrays.require(array, cudaErrorInvalidResourceHandle, "mipmapped array");
        if (number >= array->levels.size())
            throw failure(cudaErrorInvalidValue, "level " + std::to_string(number) + ": the array has " +
                                                     std::to_string(array->levels.size()));
        *level = array->levels[number];
    });
}
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
    return call("cudaFreeMipmappedArray", [&](session& s) {
        if (array == nullptr) return;
        s.mipmapped_arrays.require(array, cudaErrorInvalidResourceHandle, "mipmapped array");
        free_levels(s, *array);
        s.mipmapped_arrays.remove(array);
    });
}
cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
    return call("cudaArrayGetInfo", [&](session& s) {
        require_array(s, array);
        if (format != nullptr) *format = array->format;
        if (extent != nullptr) *extent = {array->width, array->height, array->depth};
        if (flags != nullptr) *flags = array->layers != 0 ? cudaArrayLayered : cudaArrayDefault;
    });
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    return call("cudaGetChannelDesc", [&](session& s) {
        require(format, "the result");
        require_array(s, array);
        *format = array->format;
    });
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                              std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpyToArray",
                [&](session& s) { copy_run(s, to, x, y, const_cast<void*>(from), bytes, kind, true); });
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                   std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return call("cudaMemcpyToArrayAsync", [&](session& s) {
        require_stream(s, stream);
        s.use(stream);
        copy_run(s, to, x, y, const_cast<void*>(from), bytes, kind, true);
    });
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                                std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaMemcpyFromArray", [&](session& s) { copy_run(s, from, x, y, to, bytes, kind, false); });
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, void const* from,
                                std::size_t from_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind) {
    return call("cudaMemcpy2DToArray", [&](session& s) {
        auto* const at = inside(s, to, x, y, width, height);
        copy_rows(s, at, to->rows() > 1 ? to->pitch : width, from, from_pitch, width, height, kind);
    });
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t x,
                                  std::size_t y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return call("cudaMemcpy2DFromArray", [&](session& s) {
        auto* const at = inside(s, from, x, y, width, height);
        copy_rows(s, to, to_pitch, at, from->rows() > 1 ? from->pitch : width, width, height, kind);
    });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return call("cudaMemset", [&](session& s) {
        s.require_no_capture();
        s.order.host_copies();
        fill(s, to, bytes, value, bytes, 1);
    });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return call("cudaMemsetAsync", [&](session& s) {
        if (s.capture(
                stream, cudaGraphNodeTypeMemset, [=, &s] { fill(s, to, bytes, value, bytes, 1); },
                cudaMemsetParams{to, bytes, static_cast<unsigned>(value), 1, bytes, 1}))
            return;
        require_stream(s, stream);
        s.use(stream);
        fill(s, to, bytes, value, bytes, 1);
    });
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return call("cudaMemset2D", [&](session& s) { fill(s, to, pitch, value, width, height); });
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                              cudaStream_t stream) {
    return call("cudaMemset2DAsync", [&](session& s) {
        if (s.capture(
                stream, cudaGraphNodeTypeMemset, [=, &s] { fill(s, to, pitch, value, width, height); },
                cudaMemsetParams{to, pitch, static_cast<unsigned>(value), 1, width, height}))
            return;
        require_stream(s, stream);
        s.use(stream);
        fill(s, to, pitch, value, width, height);
    });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return call("cudaMemset3D", [&](session& s) {
        if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return;
        check_pitch(extent.width, to.pitch, cudaErrorInvalidValue);
        if (extent.depth > 1 && extent.height > to.ysize)
            throw failure(cudaErrorInvalidValue,
                          "the memory has planes of " + std::to_string(to.ysize) + " rows");
        auto const plane = saturated_product(to.ysize, to.pitch);
        static_cast<void>(
            side(s, to.ptr,
                 bytes_of_rows(bytes_of_rows(extent.width, extent.height, to.pitch), extent.depth, plane),
                 true, "filled:"));
        for (std::size_t z = 0; z < extent.depth; ++z)
            fill(s, static_cast<std::byte*>(to.ptr) + z * to.ysize * to.pitch, to.pitch, value, extent.width,
                 extent.height);
    });
}

} // extern "C"
