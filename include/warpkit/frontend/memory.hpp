#pragma once
/// \file
/// The functional device memory: one growing heap of global memory with bounds checks.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/texture.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpkit {

/// A byte address in the device's global memory, as kernels see it.
using device_address = std::uint64_t;

/// Global memory of the simulated device: a heap that starts at `base` and grows by allocation. A regular value.
/// Allocations are aligned to 256 bytes, as cudaMalloc does, and kept apart by at least 256 bytes that belong to
/// nobody, so that an access past the end of one does not land in the next.
class device_memory {
public:
    static constexpr device_address base = 0xC0000000; ///< where GPGPU-Sim's global heap starts (SPEC 10)
    static constexpr std::size_t granule = 256;

    /// Reserves `bytes` bytes of zeros (0 counts as 1).
    device_address allocate(std::size_t bytes) {
        if (bytes == 0) bytes = 1;
        auto const begin = bytes_.size();
        auto const granules = (bytes + granule - 1) / granule;
        bytes_.resize(begin + (granules + 1) * granule);
        end_.resize(begin / granule + granules, base + begin + bytes);
        end_.push_back(0);
        return base + begin;
    }

    /// The host's view of [address, address + count); null when any byte of it is outside every allocation.
    std::byte* find(device_address address, std::size_t count) noexcept {
        return const_cast<std::byte*>(static_cast<device_memory const&>(*this).find(address, count));
    }
    std::byte const* find(device_address address, std::size_t count) const noexcept {
        auto const offset = address - base;
        auto const index = offset / granule;
        if (address < base || index >= end_.size() || address + count > end_[index]) return nullptr;
        return bytes_.data() + offset;
    }

    /// Copies host bytes to the device; throws when the range is outside every allocation.
    void write(device_address to, void const* from, std::size_t count) {
        if (count != 0) std::memcpy(checked(to, count, "write to"), from, count);
    }
    /// Copies device bytes to the host; throws when the range is outside every allocation.
    void read(void* to, device_address from, std::size_t count) const {
        if (count != 0)
            std::memcpy(to, const_cast<device_memory*>(this)->checked(from, count, "read from"), count);
    }

    /// Textures lie in this memory; here is how they are read.
    texture_table& textures() noexcept { return textures_; }
    texture_table const& textures() const noexcept { return textures_; }

    /// Bytes held, guards included.
    std::size_t size() const noexcept { return bytes_.size(); }
    friend bool operator==(device_memory const&, device_memory const&) = default;

private:
    std::byte* checked(device_address address, std::size_t count, char const* verb) {
        auto* p = find(address, count);
        if (p == nullptr)
            throw error("host " + std::string(verb) + " device memory: " + std::to_string(count) +
                        " bytes at " + std::to_string(address) + " are not inside one allocation");
        return p;
    }

    std::vector<std::byte> bytes_;
    std::vector<device_address> end_; ///< per granule: end of the allocation that covers it, 0 for none
    texture_table textures_;
};

} // namespace warpkit
