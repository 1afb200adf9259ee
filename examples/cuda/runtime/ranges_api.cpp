// What programs say of ranges of managed memory, and what they ask of it: it is kept by pages, and moves nothing, since
// kernels and the host see one memory.
#include "driver_modules.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace warpkit::cuda;

namespace {

using advice = session::advice;
constexpr std::uint64_t page = 4096;

struct range {
    std::uint64_t begin;
    std::uint64_t end;
};
// The pages of a range, as far as the memory has them.
range pages_of(session& s, void const* p, std::size_t bytes) {
    auto const block = s.block_at(p, 1);
    if (bytes == 0 || block == s.host_memory.end() ||
        block->second.what != session::host_block::kind::managed ||
        !warpkit::lies_within(address(p) - block->first, bytes, block->second.bytes))
        throw failure(cudaErrorInvalidValue, std::to_string(bytes) + " bytes at " + hexadecimal(p) +
                                                 " are not inside managed memory");
    auto const end = address(p) + bytes;
    return {std::max(block->first, address(p) / page * page),
            std::min(block->first + block->second.bytes, (end + page - 1) / page * page)};
}
void require_place(int device) {
    if (device != 0 && device != cudaCpuDeviceId)
        throw failure(cudaErrorInvalidDevice, "there is one device, 0; found " + std::to_string(device));
}
// CUDA 13 has a kind of location there: 1 is a device, of which there is one; and flags where the stream was.
int device_of(session const& s, int device) {
    if (!s.of_toolkit_13()) return device;
    return device == cudaMemLocationTypeDevice ? 0 : cudaCpuDeviceId;
}

// So that what is kept has a boundary here.
void split(session& s, std::uint64_t at) {
    auto behind = s.advised.upper_bound(at);
    if (behind == s.advised.begin()) return;
    auto& whole = std::prev(behind)->second;
    if (std::prev(behind)->first == at || whole.end <= at) return;
    s.advised.emplace_hint(behind, at, whole);
    whole.end = at;
}
template <class Change>
void advise(session& s, range const& pages, Change const& change) {
    split(s, pages.begin);
    split(s, pages.end);
    auto at = pages.begin;
    while (at < pages.end) {
        auto next = s.advised.lower_bound(at);
        if (next == s.advised.end() || next->first != at) {
            auto const end = next == s.advised.end() || next->first > pages.end ? pages.end : next->first;
            advice fresh;
            fresh.end = end;
            next = s.advised.emplace_hint(next, at, fresh);
        }
        change(next->second);
        at = next->second.end;
    }
}
// What is kept of each part of a range; where nothing is, as if nothing had been said.
std::vector<advice> parts_of(session const& s, range const& pages) {
    std::vector<advice> all;
    auto at = pages.begin;
    auto next = s.advised.upper_bound(at);
    if (next != s.advised.begin() && std::prev(next)->second.end > at) --next;
    for (; at < pages.end; ++next) {
        bool const last = next == s.advised.end() || next->first >= pages.end;
        if (last || next->first > at) all.push_back({});
        if (last) break;
        all.push_back(next->second);
        at = next->second.end;
    }
    return all;
}
// What all parts say, or that they differ.
int common(std::vector<advice> const& parts, int advice::*place) {
    for (auto const& part : parts)
        if (part.*place != parts.front().*place) return cudaInvalidDeviceId;
    return parts.front().*place;
}
int type_of(int place) {
    return place == 0                 ? cudaMemLocationTypeDevice
           : place == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                      : cudaMemLocationTypeInvalid;
}

void answer(session& s, void* data, std::size_t bytes, cudaMemRangeAttribute attribute, void const* p,
            std::size_t count) {
    require(data, "the result");
    auto const parts = parts_of(s, pages_of(s, p, count));
    auto const all = [&parts](bool advice::*what) {
        return std::all_of(parts.begin(), parts.end(), [what](advice const& a) { return a.*what; });
    };
    auto const number = [&](int value) {
        if (bytes != sizeof value)
            throw failure(cudaErrorInvalidValue,
                          "this attribute of a range has 4 bytes, not " + std::to_string(bytes));
        std::memcpy(data, &value, sizeof value);
    };
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        return number(all(&advice::read_mostly) ? 1 : 0);
    case cudaMemRangeAttributePreferredLocation:
        return number(common(parts, &advice::preferred));
    case cudaMemRangeAttributePreferredLocationType:
        return number(type_of(common(parts, &advice::preferred)));
    case cudaMemRangeAttributeLastPrefetchLocation:
        return number(common(parts, &advice::prefetched));
    case cudaMemRangeAttributeLastPrefetchLocationType:
        return number(type_of(common(parts, &advice::prefetched)));
    case cudaMemRangeAttributePreferredLocationId:
        return number(std::max(common(parts, &advice::preferred), 0)); // the one device's, or ignored
    case cudaMemRangeAttributeLastPrefetchLocationId:
        return number(std::max(common(parts, &advice::prefetched), 0));
    case cudaMemRangeAttributeAccessedBy: {
        if (bytes == 0 || bytes % sizeof(int) != 0)
            throw failure(cudaErrorInvalidValue,
                          "expected room for devices of 4 bytes each, found " + std::to_string(bytes));
        std::vector<int> devices;
        if (all(&advice::by_device)) devices.push_back(0);
        if (all(&advice::by_host)) devices.push_back(cudaCpuDeviceId);
        devices.resize(bytes / sizeof(int), cudaInvalidDeviceId);
        std::memcpy(data, devices.data(), bytes);
        return;
    }
    }
    throw failure(cudaErrorInvalidValue,
                  "there is no such attribute of a range: " + std::to_string(attribute));
}

void prefetch(session& s, void const* p, std::size_t bytes, int place) {
    require_place(place);
    advise(s, pages_of(s, p, bytes), [place](advice& a) { a.prefetched = place; });
}
void give_advice(session& s, void const* p, std::size_t bytes, cudaMemoryAdvise what, int place) {
    if (what < cudaMemAdviseSetReadMostly || what > cudaMemAdviseUnsetAccessedBy)
        throw failure(cudaErrorInvalidValue, "no such advice: " + std::to_string(what));
    // Of these three the device does not matter.
    bool const of_nobody = what == cudaMemAdviseSetReadMostly || what == cudaMemAdviseUnsetReadMostly ||
                           what == cudaMemAdviseUnsetPreferredLocation;
    if (!of_nobody) require_place(place);
    advise(s, pages_of(s, p, bytes), [what, place](advice& a) {
        auto& by = place == 0 ? a.by_device : a.by_host;
        if (what == cudaMemAdviseSetReadMostly || what == cudaMemAdviseUnsetReadMostly)
            a.read_mostly = what == cudaMemAdviseSetReadMostly;
        else if (what == cudaMemAdviseSetAccessedBy || what == cudaMemAdviseUnsetAccessedBy)
            by = what == cudaMemAdviseSetAccessedBy;
        else
            a.preferred = what == cudaMemAdviseSetPreferredLocation ? place : cudaInvalidDeviceId;
    });
}
// Any part of the host is the host.
int place_of(CUmemLocation const& location) {
    switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        return location.id;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return cudaCpuDeviceId;
    default:
        throw failure(cudaErrorInvalidValue, "this is no location: " + std::to_string(location.type));
    }
}

} // namespace

extern "C" {

cudaError_t cudaMemPrefetchAsync(void const* p, std::size_t bytes, int device, cudaStream_t stream) {
    return call("cudaMemPrefetchAsync", [&](session& s) {
        if (!s.of_toolkit_13()) require_stream(s, stream);
        prefetch(s, p, bytes, device_of(s, device));
    });
}
cudaError_t cudaMemAdvise(void const* p, std::size_t bytes, cudaMemoryAdvise what, int device) {
    return call("cudaMemAdvise", [&](session& s) { give_advice(s, p, bytes, what, device_of(s, device)); });
}
cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t bytes, cudaMemRangeAttribute attribute,
                                     void const* p, std::size_t count) {
    return call("cudaMemRangeGetAttribute", [&](session& s) { answer(s, data, bytes, attribute, p, count); });
}
cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* bytes, cudaMemRangeAttribute* attributes,
                                      std::size_t number, void const* p, std::size_t count) {
    return call("cudaMemRangeGetAttributes", [&](session& s) {
        if (number == 0) throw failure(cudaErrorInvalidValue, "a list of no attributes");
        require(data, "the list of results");
        require(bytes, "the list of sizes");
        require(attributes, "the list of attributes");
        for (std::size_t i = 0; i < number; ++i) answer(s, data[i], bytes[i], attributes[i], p, count);
    });
}

CUresult cuMemAdvise(CUdeviceptr p, std::size_t bytes, CUmem_advise what, CUdevice device) {
    return result(call("cuMemAdvise", [&](session& s) {
        give_advice(s, pointer(p), bytes, static_cast<cudaMemoryAdvise>(what), device);
    }));
}
CUresult cuMemAdvise_v2(CUdeviceptr p, std::size_t bytes, CUmem_advise what, CUmemLocation location) {
    return result(call("cuMemAdvise", [&](session& s) {
        bool const matters = what == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                             what == CU_MEM_ADVISE_SET_ACCESSED_BY || what == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
        give_advice(s, pointer(p), bytes, static_cast<cudaMemoryAdvise>(what),
                    matters ? place_of(location) : 0);
    }));
}
CUresult cuMemPrefetchAsync(CUdeviceptr p, std::size_t bytes, CUdevice device, CUstream stream) {
    return result(call("cuMemPrefetchAsync", [&](session& s) {
        require_stream(s, stream);
        prefetch(s, pointer(p), bytes, device);
    }));
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, std::size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream) {
    return result(call("cuMemPrefetchAsync", [&](session& s) {
        require_stream(s, stream);
        require_flags(flags, 0);
        prefetch(s, pointer(p), bytes, place_of(location));
    }));
}
CUresult cuMemRangeGetAttribute(void* data, std::size_t bytes, CUmem_range_attribute attribute, CUdeviceptr p,
                                std::size_t count) {
    return result(cudaMemRangeGetAttribute(data, bytes, static_cast<cudaMemRangeAttribute>(attribute),
                                           pointer(p), count));
}
CUresult cuMemRangeGetAttributes(void** data, std::size_t* bytes, CUmem_range_attribute* attributes,
                                 std::size_t number, CUdeviceptr p, std::size_t count) {
    return result(cudaMemRangeGetAttributes(data, bytes, reinterpret_cast<cudaMemRangeAttribute*>(attributes),
                                            number, pointer(p), count));
}

} // extern "C"
