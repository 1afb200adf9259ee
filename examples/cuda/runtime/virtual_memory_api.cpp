// Virtual memory management: addresses that are reserved, physical memory, and which of it kernels see where. Physical
// memory is a file without a name, so that it can be seen at several addresses. Addresses are the host's own.
#include "driver_modules.hpp"

#include <algorithm>
#include <iterator>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace warpkit::cuda;
using warpkit::lies_within;

namespace {

constexpr std::size_t granularity = std::size_t{2} << 20;
constexpr std::size_t most_bytes = std::size_t{1} << 46; ///< of a reservation

bool is_granular(std::size_t bytes) { return bytes != 0 && bytes % granularity == 0; }
void require_granular(std::size_t bytes, char const* what) {
    if (!is_granular(bytes))
        throw failure(cudaErrorInvalidValue, std::string(what) + " " + std::to_string(bytes) +
                                                 ": expected a multiple of the granularity, " +
                                                 std::to_string(granularity) + " bytes");
}
void require_device(CUmemLocation const& where) {
    if (where.type != CU_MEM_LOCATION_TYPE_DEVICE || where.id != 0)
        throw failure(cudaErrorInvalidDevice, "expected device 0 as the memory's location");
}
session::physical_memory& memory_of(session& s, CUmemGenericAllocationHandle handle) {
    auto const found = s.physical.find(handle);
    if (found == s.physical.end() || found->second.handles == 0)
        throw failure(cudaErrorInvalidValue, "this is no handle of physical memory, or no longer");
    return found->second;
}
CUmemGenericAllocationHandle add(session& s, int file, std::size_t bytes) {
    s.physical[++s.last_physical] = {file, bytes, 1, 0};
    return s.last_physical;
}
void forget_unused(session& s, CUmemGenericAllocationHandle handle) {
    auto const& m = s.physical[handle];
    if (m.handles != 0 || m.mappings != 0) return;
    close(m.file);
    s.physical.erase(handle);
}
// The reservation in which a range lies.
std::map<std::uint64_t, session::reservation>::iterator reservation_of(session& s, CUdeviceptr at,
                                                                       std::size_t bytes) {
    auto const behind = s.reservations.upper_bound(at);
    if (behind != s.reservations.begin()) {
        auto const r = std::prev(behind);
        if (lies_within(at - r->first, bytes, r->second.bytes)) return r;
    }
    throw failure(cudaErrorInvalidValue, std::to_string(bytes) + " bytes at " + hexadecimal(pointer(at)) +
                                             " are not inside one reservation");
}
// The pieces of which a range is made, which it has as a whole.
auto pieces_of(session::reservation& r, CUdeviceptr at, std::size_t bytes) {
    auto const first = r.pieces.find(at);
    auto end = first;
    auto covered = at;
    while (end != r.pieces.end() && end->first == covered && covered < at + bytes) {
        covered += end->second.bytes;
        ++end;
    }
    if (bytes == 0 || covered != at + bytes)
        throw failure(cudaErrorInvalidValue,
                      std::to_string(bytes) + " bytes at " + hexadecimal(pointer(at)) +
                          " are not mapped as a whole, in the pieces in which they were");
    return std::pair(first, end);
}
// What kernels and copies see: each run of pieces side by side that may be accessed as one.
void show(session& s, session::reservation& r) {
    for (auto const a : r.seen) s.memory().unmap(a);
    r.seen.clear();
    for (auto p = r.pieces.begin(); p != r.pieces.end();) {
        auto const first = p->first;
        auto end = first;
        for (; p != r.pieces.end() && p->first == end && p->second.accessible; ++p) end += p->second.bytes;
        if (end == first) {
            ++p;
            continue;
        }
        s.memory().map(first, static_cast<std::byte*>(pointer(first)), end - first);
        r.seen.push_back(first);
    }
}
// Nothing is at these addresses, and nobody else takes them.
void* reserve(void* at, std::size_t bytes, int flags) {
    return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

} // namespace

void session::release_reservations() {
    for (auto const& [at, r] : reservations) munmap(pointer(at), r.bytes);
    reservations.clear();
    for (auto const& [handle, m] : physical) close(m.file);
    physical.clear();
}

extern "C" {

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, CUmemAllocationProp const* properties,
                                       CUmemAllocationGranularity_flags) {
    return result(call("cuMemGetAllocationGranularity", [&](session&) {
        require(bytes, "the result");
        require(properties, "what memory is to be like");
        require_device(properties->location);
        *bytes = granularity;
    }));
}
CUresult cuMemAddressReserve(CUdeviceptr* at, std::size_t bytes, std::size_t alignment, CUdeviceptr wish,
                             unsigned long long flags) {
    return result(call("cuMemAddressReserve", [&](session& s) {
        require(at, "the result");
        require_granular(bytes, "size");
        if (flags != 0 || (alignment & (alignment - 1)) != 0)
            throw failure(cudaErrorInvalidValue,
                          "expected no flags, and an alignment that is a power of two");
        if (bytes > most_bytes || alignment > most_bytes)
            throw failure(cudaErrorMemoryAllocation,
                          "no room for " + std::to_string(bytes) + " bytes of addresses");
        auto const grain = std::max(alignment, granularity);
        // Where the program wishes, or where there is room for the alignment.
        void* p = MAP_FAILED;
        if (wish != 0 && wish % grain == 0) {
            p = reserve(pointer(wish), bytes, 0);
            if (p != MAP_FAILED && address(p) % grain != 0) {
                munmap(p, bytes);
                p = MAP_FAILED;
            }
        }
        if (p == MAP_FAILED) {
            auto* const room = reserve(nullptr, bytes + grain, 0);
            if (room == MAP_FAILED)
                throw failure(cudaErrorMemoryAllocation,
                              "no room for " + std::to_string(bytes) + " bytes of addresses");
            auto const begin = address(room);
            auto const first = (begin + grain - 1) / grain * grain;
            if (first != begin) munmap(room, first - begin);
            if (first != begin + grain) munmap(pointer(first + bytes), begin + grain - first);
            p = pointer(first);
        }
        *at = address(p);
        s.reservations[*at].bytes = bytes;
    }));
}
CUresult cuMemAddressFree(CUdeviceptr at, std::size_t bytes) {
    return result(call("cuMemAddressFree", [&](session& s) {
        auto const r = s.reservations.find(at);
        if (r == s.reservations.end() || r->second.bytes != bytes || !r->second.pieces.empty())
            throw failure(cudaErrorInvalidValue,
                          "expected a reservation as it was made, with nothing mapped in it");
        munmap(pointer(at), bytes);
        s.reservations.erase(r);
    }));
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     CUmemAllocationProp const* properties, unsigned long long flags) {
    return result(call("cuMemCreate", [&](session& s) {
        require(handle, "the result");
        require(properties, "what memory is to be like");
        require_device(properties->location);
        require_granular(bytes, "size");
        if (flags != 0 || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
            throw failure(cudaErrorInvalidValue, "expected pinned memory, and no flags");
        std::size_t used = s.memory().in_use();
        for (auto const& [known, m] : s.physical) used += m.bytes;
        int const file = bytes > s.total_memory() - std::min(used, s.total_memory())
                             ? -1
                             : memfd_create("warpkit", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
            if (file >= 0) close(file);
            throw failure(cudaErrorMemoryAllocation, "no room for " + std::to_string(bytes) + " bytes");
        }
        *handle = add(s, file, bytes);
    }));
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return result(call("cuMemRelease", [&](session& s) {
        --memory_of(s, handle).handles;
        forget_unused(s, handle);
    }));
}
CUresult cuMemMap(CUdeviceptr at, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    return result(call("cuMemMap", [&](session& s) {
        require_granular(bytes, "size");
        auto& m = memory_of(s, handle);
        auto& r = reservation_of(s, at, bytes)->second;
        if (at % granularity != 0 || offset != 0 || flags != 0 || bytes > m.bytes)
            throw failure(cudaErrorInvalidValue,
                          "expected an address at a multiple of the granularity, offset 0, no "
                          "flags, and no more than the " +
                              std::to_string(m.bytes) + " bytes that there are");
        auto const behind = r.pieces.lower_bound(at + bytes);
        if (behind != r.pieces.begin() && std::prev(behind)->first + std::prev(behind)->second.bytes > at)
            throw failure(cudaErrorInvalidValue, "something is mapped there");
        if (mmap(pointer(at), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, m.file, 0) == MAP_FAILED)
            throw failure(cudaErrorMemoryAllocation,
                          "no room for " + std::to_string(bytes) + " bytes on the host");
        ++m.mappings;
        r.pieces[at] = {bytes, handle, false};
    }));
}
CUresult cuMemUnmap(CUdeviceptr at, std::size_t bytes) {
    return result(call("cuMemUnmap", [&](session& s) {
        auto& r = reservation_of(s, at, bytes)->second;
        auto const [first, end] = pieces_of(r, at, bytes);
        reserve(pointer(at), bytes, MAP_FIXED);
        for (auto p = first; p != end; ++p) {
            --s.physical[p->second.handle].mappings;
            forget_unused(s, p->second.handle);
        }
        r.pieces.erase(first, end);
        show(s, r);
    }));
}
// Memory that may be read only is not told from memory that may be written.
CUresult cuMemSetAccess(CUdeviceptr at, std::size_t bytes, CUmemAccessDesc const* list, std::size_t count) {
    return result(call("cuMemSetAccess", [&](session& s) {
        require(list, "who may access what");
        auto& r = reservation_of(s, at, bytes)->second;
        auto const [first, end] = pieces_of(r, at, bytes);
        for (std::size_t i = 0; i < count; ++i) {
            require_device(list[i].location);
            bool const accessible = list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
            mprotect(pointer(at), bytes, accessible ? PROT_READ | PROT_WRITE : PROT_NONE);
            for (auto p = first; p != end; ++p) p->second.accessible = accessible;
        }
        show(s, r);
    }));
}
CUresult cuMemGetAccess(unsigned long long* flags, CUmemLocation const* location, CUdeviceptr at) {
    return result(call("cuMemGetAccess", [&](session& s) {
        require(flags, "the result");
        require(location, "the location");
        require_device(*location);
        *flags = s.find(pointer(at), 1) != nullptr ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                   : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    }));
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* at) {
    return result(call("cuMemRetainAllocationHandle", [&](session& s) {
        require(handle, "the result");
        auto& r = reservation_of(s, address(at), 1)->second;
        auto const behind = r.pieces.upper_bound(address(at));
        if (behind == r.pieces.begin()) throw failure(cudaErrorInvalidValue, "nothing is mapped there");
        auto const p = std::prev(behind);
        if (p->first + p->second.bytes <= address(at))
            throw failure(cudaErrorInvalidValue, "nothing is mapped there");
        ++s.physical[p->second.handle].handles;
        *handle = p->second.handle;
    }));
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
    return result(call("cuMemGetAllocationPropertiesFromHandle", [&](session& s) {
        require(properties, "the result");
        static_cast<void>(memory_of(s, handle));
        *properties = {};
        properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties->requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        properties->location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    }));
}
CUresult cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long) {
    return result(call("cuMemExportToShareableHandle", [&](session& s) {
        require(shared, "the result");
        auto const& m = memory_of(s, handle);
        if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
            throw failure(cudaErrorNotSupported, "only file descriptors can be shared");
        *static_cast<int*>(shared) = dup(m.file);
    }));
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                        CUmemAllocationHandleType type) {
    return result(call("cuMemImportFromShareableHandle", [&](session& s) {
        require(handle, "the result");
        int const file = static_cast<int>(reinterpret_cast<std::intptr_t>(shared));
        struct stat facts {};
        if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || fstat(file, &facts) != 0 ||
            !is_granular(static_cast<std::size_t>(facts.st_size)))
            throw failure(cudaErrorInvalidValue, "expected the file descriptor of physical memory");
        *handle = add(s, dup(file), static_cast<std::size_t>(facts.st_size));
    }));
}

} // extern "C"
