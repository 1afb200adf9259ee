#pragma once
/// \file
/// A set of banks for channels with more than 64: several ranks of DDR5, HBM3 stacks of 16 dies.

#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/request.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit::dram {

/// What `bank_set` is for 64 banks, for 64 times Words (2 or 4): `channel<basic_fr_fcfs<wide_bank_set<2>>>` has room
/// for 128 banks. Everything that a channel is made of asks its scheduler which kind of set it speaks.
template <unsigned Words>
class wide_bank_set {
    static_assert(Words == 2 || Words == 4, "warpkit: a wide_bank_set is for 128 or 256 banks");

public:
    static constexpr unsigned capacity = 64 * Words;

    constexpr wide_bank_set(std::uint64_t low = 0) noexcept : word_{low} {}

    constexpr bool operator[](unsigned bank) const noexcept {
        return (word_[bank / 64] >> bank % 64 & 1) != 0;
    }

    friend constexpr wide_bank_set operator&(wide_bank_set a, wide_bank_set const& b) noexcept {
        return a &= b;
    }
    friend constexpr wide_bank_set operator|(wide_bank_set a, wide_bank_set const& b) noexcept {
        return a |= b;
    }
    constexpr wide_bank_set& operator&=(wide_bank_set const& b) noexcept {
        for (unsigned i = 0; i < Words; ++i) word_[i] &= b.word_[i];
        return *this;
    }
    constexpr wide_bank_set& operator|=(wide_bank_set const& b) noexcept {
        for (unsigned i = 0; i < Words; ++i) word_[i] |= b.word_[i];
        return *this;
    }
    constexpr wide_bank_set operator~() const noexcept {
        wide_bank_set s;
        for (unsigned i = 0; i < Words; ++i) s.word_[i] = ~word_[i];
        return s;
    }
    /// As of a number: `s & (s - 1)` is s without its lowest bank, `s & (~s + 1)` that bank alone.
    friend constexpr wide_bank_set operator-(wide_bank_set a, wide_bank_set const& b) noexcept {
        return a + ~b + 1;
    }
    friend constexpr wide_bank_set operator+(wide_bank_set a, wide_bank_set const& b) noexcept {
        std::uint64_t carry = 0;
        for (unsigned i = 0; i < Words; ++i) {
            auto const sum = a.word_[i] + b.word_[i];
            bool const over = sum < b.word_[i];
            a.word_[i] = sum + carry;
            carry = over || a.word_[i] < carry;
        }
        return a;
    }
    /// By less than the capacity.
    friend constexpr wide_bank_set operator<<(wide_bank_set const& a, unsigned by) noexcept {
        wide_bank_set s;
        for (unsigned i = by / 64; i < Words; ++i) {
            s.word_[i] = a.word_[i - by / 64] << by % 64;
            if (by % 64 != 0 && i > by / 64) s.word_[i] |= a.word_[i - by / 64 - 1] >> (64 - by % 64);
        }
        return s;
    }
    friend constexpr wide_bank_set operator>>(wide_bank_set const& a, unsigned by) noexcept {
        wide_bank_set s;
        for (unsigned i = 0; i + by / 64 < Words; ++i) {
            s.word_[i] = a.word_[i + by / 64] >> by % 64;
            if (by % 64 != 0 && i + by / 64 + 1 < Words)
                s.word_[i] |= a.word_[i + by / 64 + 1] << (64 - by % 64);
        }
        return s;
    }
    friend constexpr bool operator==(wide_bank_set const&, wide_bank_set const&) = default;

    friend constexpr unsigned lowest_bank(wide_bank_set const& s) noexcept {
        unsigned i = 0;
        while (s.word_[i] == 0) ++i;
        return 64 * i + static_cast<unsigned>(std::countr_zero(s.word_[i]));
    }
    friend constexpr unsigned bank_count(wide_bank_set const& s) noexcept {
        unsigned n = 0;
        for (auto const w : s.word_) n += static_cast<unsigned>(std::popcount(w));
        return n;
    }
    friend constexpr wide_bank_set in_round(wide_bank_set const& s, unsigned first) noexcept {
        return first == 0 ? s : s >> first | s << (capacity - first);
    }
    WARPKIT_STORED_MEMBERS(1)
    template <class F>
    constexpr void each_member(F&& f) const {
        for (auto const w : word_) f(w);
    }

private:
    std::array<std::uint64_t, Words> word_{};
};

} // namespace warpkit::dram
