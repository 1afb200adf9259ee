#pragma once
/// \file
/// Which bytes of a line have been stored, where not all have.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/geometry.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// Bytes begin to end - 1 as bits of word `w` of a run of 64-bit words.
constexpr std::uint64_t byte_range(std::uint32_t begin, std::uint32_t end, std::uint32_t w) noexcept {
    auto const below = [w](std::uint32_t e) {
        auto const bit = e <= w * 64 ? 0 : e - w * 64;
        return bit >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bit) - 1;
    };
    return below(end) & ~below(begin);
}

/// The lowest `n` bits, 1 to 64.
constexpr std::uint64_t low_bits(std::uint32_t n) noexcept { return ~std::uint64_t{0} >> (64 - n); }
/// Whether an access, not empty, writes every one of its bytes.
constexpr bool writes_all(cache_access const& a) noexcept {
    if ((a.written[0] | a.written[1]) == 0) return true;
    auto const begin = static_cast<std::uint32_t>(a.address & 127);
    if (begin % 64 + a.bytes <= 64) return (~a.written[begin / 64] & low_bits(a.bytes) << begin % 64) == 0;
    auto const end = begin + a.bytes;
    return (~a.written[0] & byte_range(begin, end, 0)) == 0 &&
           (~a.written[1] & byte_range(begin, end, 1)) == 0;
}

/// A mask of stored bytes for each line of a cache that fetches lazily. What it says of a sector that can be read does
/// not matter.
class written_bytes {
public:
    written_bytes() = default;
    written_bytes(std::size_t lines, cache_geometry const& g)
        : words_(g.line_bytes < 64 ? 1 : g.line_bytes / 64),
          line_(g.line_bytes),
          sector_(g.sector_bytes),
          mask_(lines * words_) {}

    /// Of no line at all.
    bool empty() const noexcept { return mask_.empty(); }
    /// Line `i` is a new one.
    void clear(std::size_t i) noexcept {
        for (std::size_t w = 0; w != words_; ++w) mask_[i * words_ + w] = 0;
    }
    /// Adds the bytes of a store to line `i`. Those of `sectors`, which it touches, of which every byte has been stored
    /// now.
    std::uint16_t add(std::size_t i, cache_access const& a, std::uint16_t sectors) noexcept {
        auto const begin = static_cast<std::uint32_t>(a.address) & (line_ - 1);
        if ((begin ^ (begin + a.bytes - 1)) >= sector_) return add_to_several(i, a, sectors);
        bool const all = (a.written[0] | a.written[1]) == 0;
        if (all && a.bytes == sector_) return sectors;
        if (sector_ > 64) [[unlikely]]
            return add_to_several(i, a, sectors);
        auto bits = low_bits(a.bytes) << begin % 64;
        if (!all) bits &= a.written[a.address >> 6 & 1] >> ((a.address - begin) & 63);
        auto& word = mask_[i * words_ + begin / 64];
        word |= bits;
        auto const range = low_bits(sector_) << (begin & 63 & ~(sector_ - 1));
        return (word & range) == range ? sectors : std::uint16_t{0};
    }
    /// These sectors of line `i` are dropped.
    void forget(std::size_t i, std::uint32_t sectors) noexcept {
        for (; sectors != 0; sectors &= sectors - 1) {
            auto const s = static_cast<std::uint32_t>(std::countr_zero(sectors));
            for (std::uint32_t w = 0; w != words_; ++w)
                mask_[i * words_ + w] &= ~byte_range(s * sector_, (s + 1) * sector_, w);
        }
    }

    friend bool operator==(written_bytes const&, written_bytes const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    void each_member(F&& f) const {
        f(mask_);
    }

private:
    /// add() for bytes in several words or sectors.
    [[gnu::noinline]] std::uint16_t add_to_several(std::size_t i, cache_access const& a,
                                                   std::uint32_t sectors) noexcept {
        auto* const mask = mask_.data() + i * words_;
        bool const all = (a.written[0] | a.written[1]) == 0;
        auto const begin = static_cast<std::uint32_t>(a.address & (line_ - 1));
        auto const line_begin = a.address - begin;
        for (std::uint32_t w = 0; w != words_; ++w) {
            auto given = ~std::uint64_t{0};
            if (!all) {
                auto const at_byte = line_begin + 64 * w;
                given = a.written[at_byte >> 6 & 1] >> (at_byte & 63);
            }
            mask[w] |= given & byte_range(begin, begin + a.bytes, w);
        }
        std::uint32_t full = 0;
        for (; sectors != 0; sectors &= sectors - 1) {
            auto const s = static_cast<std::uint32_t>(std::countr_zero(sectors));
            bool whole = true;
            for (std::uint32_t w = 0; w != words_; ++w) {
                auto const range = byte_range(s * sector_, (s + 1) * sector_, w);
                whole = whole && (mask[w] & range) == range;
            }
            if (whole) full |= 1U << s;
        }
        return static_cast<std::uint16_t>(full);
    }

    std::uint32_t words_ = 0; // of a line's mask
    std::uint32_t line_ = 0;  // bytes, as the next
    std::uint32_t sector_ = 0;
    heap_array<std::uint64_t> mask_; // words_ for each line
};

} // namespace warpkit
