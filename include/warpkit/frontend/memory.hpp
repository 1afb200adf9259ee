#pragma once
/// \file
/// The functional device memory: a growing heap of global memory with bounds checks, and host memory mapped beside it.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/frontend/texture.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpkit {

static_assert(
    std::endian::native == std::endian::little,
    "kernels are executed on little-endian hosts, as devices are, since host programs copy bytes as they "
    "are; policies, caches and DRAM do not mind");

/// A byte address in the device's global memory, as kernels see it.
using device_address = std::uint64_t;

/// Global memory of the simulated device: a heap that starts at `base` and grows by allocation. A regular value.
/// Allocations are aligned to 256 bytes, as cudaMalloc does, and kept apart by at least 256 bytes that belong to
/// nobody, so that an access past the end of one does not land in the next. What is released is taken again, lowest
/// addresses first.
class device_memory {
public:
    static constexpr device_address base =
        0xC0000000; ///< where GPGPU-Sim's global heap starts (docs/model/ptx.md#spaces)
    static constexpr std::size_t granule = 256;
    /// Bytes at most: local memory has addresses from there, and the host may have less.
    static constexpr std::size_t most = sizeof(std::size_t) > 4
                                            ? static_cast<std::size_t>((std::uint64_t{1} << 36) - base)
                                            : static_cast<std::size_t>(-1) / 2;
    /// Memory of at most `capacity` bytes, guards included.
    explicit device_memory(std::size_t capacity = most) : capacity_(capacity < most ? capacity : most) {}

    /// Reserves `wanted` bytes of zeros (0 counts as 1); throws when they do not fit.
    device_address allocate(std::uint64_t wanted) {
        if (wanted > capacity_) lack(wanted);
        auto const bytes = wanted == 0 ? std::size_t{1} : static_cast<std::size_t>(wanted);
        auto const granules = (bytes + granule - 1) / granule;
        auto const first = place(granules + 1);
        for (std::size_t i = 0; i < granules; ++i) end_[first + i] = base + first * granule + bytes;
        return base + first * granule;
    }

    /// Gives an allocation back; false if none begins at this address.
    bool release(device_address address) {
        auto const size = size_of(address);
        if (size == 0) return false;
        auto const first = (address - base) / granule;
        auto const granules = (size + granule - 1) / granule;
        for (std::size_t i = 0; i < granules; ++i) end_[first + i] = 0;
        std::memset(bytes_.data() + first * granule, 0, granules * granule);
        auto at = free_.begin();
        while (at != free_.end() && at->first < first) ++at;
        at = free_.insert(at, {first, granules + 1});
        if (at + 1 != free_.end() && at->first + at->count == (at + 1)->first) {
            at->count += (at + 1)->count;
            free_.erase(at + 1);
        }
        if (at != free_.begin() && (at - 1)->first + (at - 1)->count == at->first) {
            (at - 1)->count += at->count;
            free_.erase(at);
        }
        return true;
    }

    /// Bytes of the allocation that begins at this address; 0 if none does.
    std::size_t size_of(device_address address) const noexcept {
        auto const offset = address - base;
        auto const first = offset / granule;
        if (address < base || offset % granule != 0 || first >= end_.size() || end_[first] == 0) return 0;
        if (first != 0 && end_[first - 1] != 0)
            return 0; // inside one: between two lies a granule of nobody's
        return end_[first] - address;
    }

    /// Bytes from this address to the end of the allocation in which it lies; 0 outside.
    std::size_t bytes_behind(device_address address) const noexcept {
        auto const index = (address - base) / granule;
        return address < base || index >= end_.size() || end_[index] < address ? 0 : end_[index] - address;
    }

    /// Lets kernels access `bytes` bytes of the host at an address outside the heap (zero-copy). They stay the host's:
    /// a copy of this memory sees the same bytes.
    void map(device_address address, std::byte* host, std::size_t bytes) {
        mapped_.push_back({address, host, bytes});
    }
    /// Ends it; false if nothing is mapped at this address.
    bool unmap(device_address address) {
        for (auto at = mapped_.begin(); at != mapped_.end(); ++at)
            if (at->address == address) {
                mapped_.erase(at);
                return true;
            }
        return false;
    }

    /// The host's view of [address, address + count); null when any byte of it is outside every allocation.
    std::byte* find(device_address address, std::size_t count) noexcept {
        return const_cast<std::byte*>(static_cast<device_memory const&>(*this).find(address, count));
    }
    std::byte const* find(device_address address, std::size_t count) const noexcept {
        auto const offset = address - base;
        auto const index = offset / granule;
        if (index >= end_.size() || !lies_within(address, count, end_[index])) // far outside if below `base`
            return mapped_.empty() ? nullptr : find_mapped(address, count);
        return bytes_.data() + offset;
    }

    /// Whether each byte is, on the host, as aligned as its address, to 16 bytes: what is mapped need not be.
    bool is_aligned() const noexcept {
        bool all = reinterpret_cast<std::uintptr_t>(bytes_.data()) % 16 == base % 16;
        for (auto const& m : mapped_)
            all = all && (reinterpret_cast<std::uintptr_t>(m.host) - m.address) % 16 == 0;
        return all;
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
    /// The same without what was released.
    std::size_t in_use() const noexcept {
        auto n = size();
        for (auto const& g : free_) n -= g.count * granule;
        return n;
    }
    friend bool operator==(device_memory const&, device_memory const&) = default;

private:
    /// A run of granules that belong to nobody.
    struct gap {
        std::size_t first = 0;
        std::size_t count = 0;
        friend bool operator==(gap const&, gap const&) = default;
    };
    struct mapping {
        device_address address = 0;
        std::byte* host = nullptr;
        std::size_t bytes = 0;
        friend bool operator==(mapping const&, mapping const&) = default;
    };

    // The first of `granules` granules in a row, zeroed, from the lowest gap that has them or at the end.
    std::size_t place(std::size_t granules) {
        for (auto at = free_.begin(); at != free_.end(); ++at) {
            if (at->count < granules) continue;
            auto const first = at->first;
            at->first += granules;
            at->count -= granules;
            if (at->count == 0) free_.erase(at);
            return first;
        }
        auto const first = end_.size();
        if (granules > capacity_ / granule - first) lack(granules * granule);
        bytes_.resize((first + granules) * granule);
        end_.resize(first + granules);
        return first;
    }
    std::byte const* find_mapped(device_address address, std::size_t count) const noexcept {
        for (auto const& m : mapped_)
            if (address >= m.address && lies_within(address - m.address, count, m.bytes))
                return m.host + (address - m.address);
        return nullptr;
    }
    [[noreturn]] void lack(std::uint64_t bytes) const {
        throw error("device memory: " + std::to_string(bytes) + " bytes do not fit beside the " +
                    std::to_string(size()) + " bytes in use; there are " + std::to_string(capacity_));
    }
    std::byte* checked(device_address address, std::size_t count, char const* verb) {
        auto* p = find(address, count);
        if (p == nullptr)
            throw error("host " + std::string(verb) + " device memory: " + std::to_string(count) +
                        " bytes at " + std::to_string(address) + " are not inside one allocation");
        return p;
    }

    std::size_t capacity_;
    std::vector<std::byte> bytes_;
    std::vector<device_address> end_; ///< per granule: end of the allocation that covers it, 0 for none
    std::vector<gap> free_;           ///< sorted, never two side by side
    std::vector<mapping> mapped_;
    texture_table textures_;
};

} // namespace warpkit
