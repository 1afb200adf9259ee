#pragma once
/// \file
/// Sets of warp slots as bit masks. All set questions of the issue stage are answered in a few instructions:
/// rotate and count trailing zeros instead of walking a list.

#include <warpkit/base/slot.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// A set of warp slots 0 to Width - 1. Width is a multiple of 64.
/// Out-of-range slots (including "none") are never members; inserting one is a precondition violation.
template <unsigned Width>
class basic_warp_set {
    static_assert(Width > 0 && Width % 64 == 0, "warpkit: the width of a warp set must be a multiple of 64");

public:
    /// The number of slots that the set can tell apart.
    static constexpr unsigned width = Width;
    /// And of words that it consists of.
    static constexpr unsigned words = Width / 64;

    constexpr basic_warp_set() = default;
    /// The set of exactly one slot.
    constexpr explicit basic_warp_set(warp_slot only) noexcept { insert(only); }
    /// The slots 0 to n - 1.
    static constexpr basic_warp_set first_n(unsigned n) noexcept { return range(0, n); }
    /// The slots begin to end - 1.
    static constexpr basic_warp_set range(unsigned begin, unsigned end) noexcept {
        basic_warp_set s;
        for (unsigned w = 0; w < words; ++w) s.word_[w] = below(end, w) & ~below(begin, w);
        return s;
    }
    /// The slots from 64 * index on whose bits are set in `bits`.
    static constexpr basic_warp_set from_bits(std::uint64_t bits, unsigned index = 0) noexcept {
        basic_warp_set s;
        s.word_[index] = bits;
        return s;
    }
    /// When all slots are cut into parts of `size`, the last of which may be shorter, part number `index`.
    static constexpr basic_warp_set part(unsigned size, unsigned index) noexcept {
        if constexpr (words == 1) return from_bits(below(size, 0) << (index * size));
        if (64 % size == 0) { // the usual sizes lie within a word
            basic_warp_set s;
            for (unsigned w = 0; w < words; ++w)
                s.word_[w] = w == index * size / 64 ? below(size, 0) << (index * size % 64) : 0;
            return s;
        }
        return range(index * size, (index + 1) * size);
    }
    /// The slots that are `first`, `first + step`, ...: what scheduler `first` of `step` schedulers owns.
    static constexpr basic_warp_set every(unsigned step, unsigned first) noexcept {
        basic_warp_set s;
        for (unsigned i = first; i < Width; i += step) s.insert(warp_slot{i});
        return s;
    }

    constexpr bool contains(warp_slot s) const noexcept {
        return s.index() < Width && (word_of(s) >> (s.index() % 64) & 1U) != 0;
    }
    /// The same of a slot that is known to be one of these, not none.
    constexpr bool has(warp_slot s) const noexcept { return (word_of(s) >> (s.index() % 64) & 1U) != 0; }
    constexpr void insert(warp_slot s) noexcept { word_of(s) |= std::uint64_t{1} << (s.index() % 64); }
    constexpr void erase(warp_slot s) noexcept { word_of(s) &= ~(std::uint64_t{1} << (s.index() % 64)); }
    /// Makes `s` a member if it is none, and none if it is one.
    constexpr void toggle(warp_slot s) noexcept { word_of(s) ^= std::uint64_t{1} << (s.index() % 64); }
    /// Makes `s` a member or not.
    constexpr void assign(warp_slot s, bool member) noexcept {
        auto& w = word_of(s);
        auto const b = s.index() % 64;
        w = (w & ~(std::uint64_t{1} << b)) | (std::uint64_t{member} << b);
    }

    constexpr bool empty() const noexcept {
        std::uint64_t all = 0;
        for (auto w : word_) all |= w;
        return all == 0;
    }
    constexpr explicit operator bool() const noexcept { return !empty(); }
    constexpr unsigned size() const noexcept {
        unsigned n = 0;
        for (auto w : word_) n += static_cast<unsigned>(std::popcount(w));
        return n;
    }

    /// The lowest member, or none.
    constexpr warp_slot first() const noexcept {
        for (unsigned w = 0; w < words; ++w)
            if (word_[w] != 0) return warp_slot{w * 64 + static_cast<unsigned>(std::countr_zero(word_[w]))};
        return {};
    }
    /// The highest member, or none.
    constexpr warp_slot last() const noexcept {
        for (unsigned w = words; w-- > 0;)
            if (word_[w] != 0)
                return warp_slot{w * 64 + 63 - static_cast<unsigned>(std::countl_zero(word_[w]))};
        return {};
    }
    /// The next member behind `s`, circularly and ending with `s` itself; the lowest if `s` is none; none if empty.
    constexpr warp_slot next_after(warp_slot s) const noexcept {
        if (!s) return first();
        if constexpr (words == 1) {
            auto const behind = *this & range_from(s.index() + 1);
            return behind ? behind.first() : first();
        } else { // behind it in its own word, then word by word, its own as the last
            auto w = s.index() / 64;
            auto members = word_[w] & ~std::uint64_t{1} << s.index() % 64;
            for (unsigned left = words; members == 0; --left) {
                if (left == 0) return {};
                w = w + 1 == words ? 0 : w + 1;
                members = word_[w];
            }
            return warp_slot{w * 64 + static_cast<unsigned>(std::countr_zero(members))};
        }
    }
    /// The n-th member, the lowest being number 0; none if there are not so many.
    constexpr warp_slot nth(unsigned n) const noexcept {
        for (unsigned w = 0; w < words; ++w) {
            // Sums of bytes by a multiplication (Vigna, "Broadword implementation of rank/select queries", 2008).
            constexpr auto ones = ~std::uint64_t{0} / 255;
            auto s = word_[w] - (word_[w] >> 1 & ones * 0x55);
            s = (s & ones * 0x33) + (s >> 2 & ones * 0x33);
            s = ((s + (s >> 4)) & ones * 0x0f) * ones; // byte i: members in the bytes up to i
            auto const here = static_cast<unsigned>(s >> 56);
            if (n >= here) {
                n -= here;
                continue;
            }
            // 0x80 in each byte up to which there are no more than n.
            auto const below = ((n * ones | ones * 0x80) - s) & ones * 0x80;
            auto const byte = static_cast<unsigned>(std::countr_one(below | ones * 0x7f)) / 8 * 8;
            auto rest = word_[w] >> byte;
            for (n -= static_cast<unsigned>((s << 8 >> byte) & 0xff); n != 0; --n) rest &= rest - 1;
            return warp_slot{w * 64 + byte + static_cast<unsigned>(std::countr_zero(rest))};
        }
        return {};
    }
    /// The members at or above slot number `begin`.
    constexpr basic_warp_set from(unsigned begin) const noexcept { return *this & range_from(begin); }

    /// Calls `f(warp_slot)` for each member, lowest first.
    template <class F>
    constexpr void for_each(F&& f) const {
        for (unsigned w = 0; w < words; ++w)
            for (auto rest = word_[w]; rest != 0; rest &= rest - 1)
                f(warp_slot{w * 64 + static_cast<unsigned>(std::countr_zero(rest))});
    }

    /// 64 slots' bits: slots 64 * index to 64 * index + 63.
    constexpr std::uint64_t word(unsigned index = 0) const noexcept { return word_[index]; }

    friend constexpr basic_warp_set operator&(basic_warp_set a, basic_warp_set const& b) noexcept {
        return a &= b;
    }
    friend constexpr basic_warp_set operator|(basic_warp_set a, basic_warp_set const& b) noexcept {
        return a |= b;
    }
    /// Set difference.
    friend constexpr basic_warp_set operator-(basic_warp_set a, basic_warp_set const& b) noexcept {
        return a -= b;
    }
    /// The members of one and not of the other.
    friend constexpr basic_warp_set operator^(basic_warp_set a, basic_warp_set const& b) noexcept {
        return a ^= b;
    }
    /// All slots that are not members.
    friend constexpr basic_warp_set operator~(basic_warp_set a) noexcept {
        for (auto& w : a.word_) w = ~w;
        return a;
    }
    constexpr basic_warp_set& operator&=(basic_warp_set const& b) noexcept {
        for (unsigned w = 0; w < words; ++w) word_[w] &= b.word_[w];
        return *this;
    }
    constexpr basic_warp_set& operator|=(basic_warp_set const& b) noexcept {
        for (unsigned w = 0; w < words; ++w) word_[w] |= b.word_[w];
        return *this;
    }
    constexpr basic_warp_set& operator^=(basic_warp_set const& b) noexcept {
        for (unsigned w = 0; w < words; ++w) word_[w] ^= b.word_[w];
        return *this;
    }
    constexpr basic_warp_set& operator-=(basic_warp_set const& b) noexcept {
        for (unsigned w = 0; w < words; ++w) word_[w] &= ~b.word_[w];
        return *this;
    }
    friend constexpr bool operator==(basic_warp_set const&, basic_warp_set const&) = default;

private:
    constexpr std::uint64_t& word_of(warp_slot s) noexcept { return word_[words == 1 ? 0 : s.index() / 64]; }
    constexpr std::uint64_t word_of(warp_slot s) const noexcept {
        return word_[words == 1 ? 0 : s.index() / 64];
    }
    /// In word `w`, the bits of all slots below `end`.
    static constexpr std::uint64_t below(unsigned end, unsigned w) noexcept {
        if (end <= w * 64) return 0;
        auto const n = end - w * 64;
        return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    }
    static constexpr basic_warp_set range_from(unsigned begin) noexcept {
        if constexpr (words == 1)
            return from_bits(begin >= 64 ? 0 : ~std::uint64_t{0} << begin);
        else
            return range(begin, Width);
    }

    std::uint64_t word_[words]{};
};

#ifndef WARPKIT_WARP_SLOTS
#define WARPKIT_WARP_SLOTS 64
#endif
/// The set type of all events, policies and the pipeline: cores of up to 64 warps (2048 threads), which no current
/// machine exceeds. For studies of larger cores define WARPKIT_WARP_SLOTS as a greater multiple of 64, in all of a
/// program's translation units alike: everything that is kept by warp follows this one type.
using warp_set = basic_warp_set<WARPKIT_WARP_SLOTS>;
static_assert(warp_set::width <= 16384, "warpkit: WARPKIT_WARP_SLOTS is at most 16384");

/// The number of a slot, where many are kept.
#if WARPKIT_WARP_SLOTS > 256
using slot_number = std::uint16_t;
#else
using slot_number = std::uint8_t;
#endif

} // namespace warpkit
