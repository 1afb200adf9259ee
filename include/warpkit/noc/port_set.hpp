#pragma once
/// \file
/// Sets of ports.

#include <warpkit/base/standard.hpp>
#include <warpkit/base/stored_members.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit::noc {

/// A set of the ports below 64 * Words, one bit each.
template <std::uint32_t Words>
class basic_port_set {
public:
    static constexpr std::uint32_t capacity = Words * 64;

    basic_port_set() = default;
    static basic_port_set only(std::uint32_t i) noexcept {
        basic_port_set s;
        s.insert(i);
        return s;
    }
    /// The ports below 64 whose bits are set.
    static basic_port_set of(std::uint64_t bits) noexcept {
        basic_port_set s;
        s.word_[0] = bits;
        return s;
    }
    /// The ports from `first` to before `last` for which f answers yes; found without a branch on the answers.
    /// Precondition: there is one.
    template <class F>
    [[gnu::always_inline]] static basic_port_set where(std::uint32_t first, std::uint32_t last, F&& f) {
        basic_port_set s;
        for (auto k = word_of(first); k < Words && k * 64 < last; ++k, first = k * 64) {
            std::uint64_t bits = 0;
            for (auto i = last - k * 64 < 64 ? last : k * 64 + 64; i != first;) bits += bits + f(--i);
            s.word_[k] = bits << first % 64;
        }
        return s;
    }
    bool has(std::uint32_t i) const noexcept { return (word_[word_of(i)] & bit(i)) != 0; }
    void insert(std::uint32_t i) noexcept { word_[word_of(i)] |= bit(i); }
    void erase(std::uint32_t i) noexcept { word_[word_of(i)] &= ~bit(i); }
    basic_port_set& operator|=(basic_port_set const& o) noexcept {
        for (std::uint32_t k = 0; k < Words; ++k) word_[k] |= o.word_[k];
        return *this;
    }
    basic_port_set& operator&=(basic_port_set const& o) noexcept {
        for (std::uint32_t k = 0; k < Words; ++k) word_[k] &= o.word_[k];
        return *this;
    }
    basic_port_set& operator-=(basic_port_set const& o) noexcept {
        for (std::uint32_t k = 0; k < Words; ++k) word_[k] &= ~o.word_[k];
        return *this;
    }
    basic_port_set& operator^=(basic_port_set const& o) noexcept {
        for (std::uint32_t k = 0; k < Words; ++k) word_[k] ^= o.word_[k];
        return *this;
    }
    friend basic_port_set operator|(basic_port_set a, basic_port_set const& b) noexcept { return a |= b; }
    friend basic_port_set operator&(basic_port_set a, basic_port_set const& b) noexcept { return a &= b; }
    friend basic_port_set operator-(basic_port_set a, basic_port_set const& b) noexcept { return a -= b; }

    /// All ports that are not in it.
    basic_port_set operator~() const noexcept {
        basic_port_set s;
        for (std::uint32_t k = 0; k < Words; ++k) s.word_[k] = ~word_[k];
        return s;
    }

    bool empty() const noexcept {
        std::uint64_t any = 0;
        for (auto const w : word_) any |= w;
        return any == 0;
    }
    /// Members; added up in ever wider fields of a word, since nobody can predict the end of a loop over them.
    std::uint32_t size() const noexcept {
        std::uint64_t n = 0;
        for (auto w : word_) {
            w -= w >> 1 & 0x5555'5555'5555'5555;
            w = (w & 0x3333'3333'3333'3333) + (w >> 2 & 0x3333'3333'3333'3333);
            n += ((w + (w >> 4)) & 0x0f0f'0f0f'0f0f'0f0f) * 0x0101'0101'0101'0101 >> 56;
        }
        return static_cast<std::uint32_t>(n);
    }
    /// Precondition: not empty.
    std::uint32_t first() const noexcept {
        std::uint32_t k = 0;
        while (k + 1 < Words && word_[k] == 0) ++k;
        if (word_[k] == 0) __builtin_unreachable();
        return k * 64 + static_cast<std::uint32_t>(std::countr_zero(word_[k]));
    }
    /// The set of the first member behind `i` alone; circularly, so that the last is i itself. Precondition: not empty.
    basic_port_set first_behind(std::uint32_t i) const noexcept {
        auto k = word_of(i);
        auto bits = word_[k] & (~std::uint64_t{1} << (i % 64));
        basic_port_set s;
        if constexpr (Words == 1) {
            if (__builtin_expect_with_probability(bits == 0, 1, 0.5)) bits = word_[0];
        } else {
            while (bits == 0) {
                k = k + 1 == Words ? 0 : k + 1;
                bits = word_[k];
            }
        }
        s.word_[k] = bits & (~bits + 1);
        return s;
    }
    /// Calls f for each member; f may erase it.
    template <class F>
    [[gnu::always_inline]] void for_each(F&& f) const {
        for (std::uint32_t k = 0; k < Words; ++k)
            for (auto rest = word_[k]; rest != 0; rest &= rest - 1)
                f(k * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }

    WARPKIT_STORED_MEMBERS(1)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(word_);
    }
    friend bool operator==(basic_port_set const&, basic_port_set const&) = default;

private:
    static constexpr std::uint32_t word_of(std::uint32_t i) noexcept { return Words == 1 ? 0 : i / 64; }
    static constexpr std::uint64_t bit(std::uint32_t i) noexcept { return std::uint64_t{1} << (i % 64); }

    std::array<std::uint64_t, Words> word_{};
};

/// A set of any ports. Who works with the ports of a smaller switch a great deal does so in a set of one word.
using port_set = basic_port_set<4>;

} // namespace warpkit::noc
