// Memory: allocation, pools, symbols, arrays.
#include "copies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <sys/mman.h>

using namespace warpkit::cuda;
using warpkit::saturated_product;

namespace {

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

void require_pool(session const& s, cudaMemPool_t pool) {
    if (pool != &s.default_pool) s.pools.require(pool, cudaErrorInvalidValue, "pool of memory");
}
void require_own_device(cudaMemLocation const& place) {
    if (place.type != cudaMemLocationTypeDevice || place.id != 0)
        throw failure(cudaErrorInvalidDevice, "pools are of the one device, 0");
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
            cudaMemAllocNodeParams made{};
            made.poolProps.allocType = cudaMemAllocationTypePinned;
            made.poolProps.location = {cudaMemLocationTypeDevice, 0};
            made.bytesize = bytes;
            made.dptr = pointer(at);
            s.capture(
                stream, cudaGraphNodeTypeMemAlloc, [&s, at] { s.take_graph_block(at); }, made);
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
        if (s.graph_memory.blocks.count(at) != 0 &&
            s.capture(
                stream, cudaGraphNodeTypeMemFree, [&s, at] { static_cast<void>(s.free_graph_block(at)); },
                cudaMemFreeNodeParams{p}))
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
// The device has its own pool's memory always.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, cudaMemAccessDesc const* list, std::size_t count) {
    return call("cudaMemPoolSetAccess", [&](session& s) {
        require_pool(s, pool);
        if (count != 0) require(list, "the list");
        for (std::size_t i = 0; i < count; ++i) {
            require_own_device(list[i].location);
            if (list[i].flags != cudaMemAccessFlagsProtReadWrite)
                throw failure(cudaErrorInvalidValue, "the device of a pool reads and writes it");
        }
    });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
    return call("cudaMemPoolGetAccess", [&](session& s) {
        require(flags, "the result");
        require(location, "the location");
        require_pool(s, pool);
        require_own_device(*location);
        *flags = cudaMemAccessFlagsProtReadWrite;
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
} // extern "C"
