#pragma once
/// \file
/// How addresses fall into lines and sectors, and what of a line's sectors is known.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/written_bytes.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// What a cache keeps of a line, beside its tag. Each mask has one bit per sector. A sector is absent, or waits for
/// data (pending), or has some bytes (present) or all (readable, which implies present); it may wait and have bytes
/// that were stored meanwhile.
struct line_state {
    std::uint16_t readable = 0;
    std::uint16_t present = 0;
    std::uint16_t dirty = 0;
    std::uint16_t pending = 0;
    std::uint16_t dirty_on_fill = 0;
    warp_slot owner{};

    /// What a load of the sector `bit` finds, and a store to these sectors.
    constexpr cache_outcome load_outcome(std::uint16_t bit) const noexcept {
        return (readable & bit) != 0  ? cache_outcome::hit
               : (pending & bit) != 0 ? cache_outcome::hit_reserved
                                      : cache_outcome::sector_miss;
    }
    constexpr cache_outcome store_outcome(std::uint16_t bits) const noexcept {
        return (present & bits) == bits ? cache_outcome::hit
               : (pending & bits) != 0  ? cache_outcome::hit_reserved
                                        : cache_outcome::sector_miss;
    }
    /// All bytes of these sectors are here from now on, or none.
    constexpr void complete(std::uint16_t bits) noexcept {
        readable |= bits;
        present |= bits;
    }
    constexpr void forget(std::uint16_t bits) noexcept {
        readable = static_cast<std::uint16_t>(readable & ~bits);
        present = static_cast<std::uint16_t>(present & ~bits);
    }
    friend bool operator==(line_state const&, line_state const&) = default;
};

/// Which line and which sectors an address or an access means.
class line_sectors {
public:
    line_sectors() = default;
    /// Precondition: check(g) passes.
    explicit line_sectors(cache_geometry const& g) noexcept
        : line_shift_(static_cast<std::uint8_t>(std::countr_zero(g.line_bytes))),
          sector_shift_(static_cast<std::uint8_t>(std::countr_zero(g.sector_bytes))),
          sector_mask_(g.sectors_per_line() - 1),
          within_sector_(g.sector_bytes - 1) {}

    /// Lines by number, and their first bytes.
    std::uint64_t line(std::uint64_t address) const noexcept { return address >> line_shift_; }
    std::uint64_t line_address(std::uint64_t line) const noexcept { return line << line_shift_; }
    /// The first byte of the sector of an address.
    std::uint64_t sector_begin(std::uint64_t address) const noexcept { return address & ~within_sector_; }
    /// Sectors by number within their line, and as a bit of line_state's masks.
    std::uint32_t sector(std::uint64_t address) const noexcept {
        return static_cast<std::uint32_t>(address >> sector_shift_) & sector_mask_;
    }
    std::uint16_t bit(std::uint64_t address) const noexcept {
        return static_cast<std::uint16_t>(1U << sector(address));
    }
    /// Of the sector in the line at `place`, in tables with an element for each sector of each line.
    std::size_t index(std::size_t place, std::uint32_t sector) const noexcept {
        return (place << (line_shift_ - sector_shift_)) + sector;
    }
    /// So many bytes are how many sectors, and back.
    std::uint32_t count(std::uint32_t bytes) const noexcept { return bytes >> sector_shift_; }
    std::uint64_t bytes(std::uint64_t sectors) const noexcept { return sectors << sector_shift_; }
    std::uint32_t bytes_of(std::uint16_t bits) const noexcept {
        return static_cast<std::uint32_t>(std::popcount(bits)) << sector_shift_;
    }

    /// Whether an access lies within one sector.
    bool in_one(cache_access const& a) const noexcept {
        return (a.address ^ (a.address + a.bytes - 1)) >> sector_shift_ == 0;
    }
    /// The sectors that a store or atomic touches: those in its range in which it writes at least one byte.
    std::uint16_t touched(cache_access const& a) const noexcept {
        return in_one(a) ? bit(a.address) : touched_of_several(a);
    }
    /// Whether a store writes every byte of the sectors it touches.
    bool covered(cache_access const& a) const noexcept {
        return ((a.address | a.bytes) & within_sector_) == 0 && writes_all(a);
    }

    WARPKIT_STORED_MEMBERS(4)
private:
    [[gnu::noinline]] std::uint16_t touched_of_several(cache_access const& a) const noexcept {
        auto const first = sector(a.address);
        auto const last = sector(a.address + a.bytes - 1);
        auto bits = (2U << last) - (1U << first);
        if ((a.written[0] | a.written[1]) != 0) {
            auto begin = a.address;
            for (auto s = first; s <= last; ++s) {
                auto end = (begin | within_sector_) + 1;
                if (end > a.address + a.bytes) end = a.address + a.bytes;
                auto const at = static_cast<std::uint32_t>(begin & 127);
                auto const to = at + static_cast<std::uint32_t>(end - begin);
                if (((a.written[0] & byte_range(at, to, 0)) | (a.written[1] & byte_range(at, to, 1))) == 0)
                    bits &= ~(1U << s);
                begin = end;
            }
        }
        return static_cast<std::uint16_t>(bits);
    }

    std::uint8_t line_shift_ = 0;
    std::uint8_t sector_shift_ = 0;
    std::uint32_t sector_mask_ = 0;   // sectors per line - 1
    std::uint64_t within_sector_ = 0; // bytes per sector - 1
};

} // namespace warpkit
