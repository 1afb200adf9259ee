#pragma once
/// \file
/// Ways of a set as bit masks, of up to 512 ways.

#include <warpkit/base/standard.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// So many ways a set has at most: a unified L1 of 256 KB in four sets of 128-byte lines, as GPGPU-Sim has them.
inline constexpr std::uint32_t most_ways = 512;

/// Some of the ways of one set, as policies are asked about them: one 64-bit word, or the first of several, which the
/// caller keeps for as long as it asks. Words are numbered from way 0 on; where there is one, it is a value.
class way_set {
public:
    /// Of a set of at most 64 ways, those whose bit is set.
    constexpr way_set(std::uint64_t ways) noexcept : only_(ways) {}
    /// The same of a set of more: so many words.
    constexpr way_set(std::uint64_t const* words, std::uint32_t count) noexcept
        : many_(words),
          words_(count) {}

    constexpr std::uint32_t words() const noexcept { return words_; }
    constexpr std::uint64_t word(std::uint32_t index) const noexcept {
        return words_ == 1 ? only_ : many_[index];
    }
    constexpr bool contains(std::uint32_t way) const noexcept {
        return (word(way / 64) >> way % 64 & 1) != 0;
    }
    constexpr std::uint32_t size() const noexcept {
        auto n = 0;
        for (std::uint32_t i = 0; i != words_; ++i) n += std::popcount(word(i));
        return static_cast<std::uint32_t>(n);
    }
    /// Number `n` of them, the lowest being number 0. Precondition: n < size().
    constexpr std::uint32_t nth(std::uint32_t n) const noexcept {
        std::uint32_t i = 0;
        for (; i + 1 != words_; ++i) {
            auto const here = static_cast<std::uint32_t>(std::popcount(word(i)));
            if (n < here) break;
            n -= here;
        }
        auto rest = word(i);
        for (; n != 0; --n) rest &= rest - 1;
        return i * 64 + static_cast<std::uint32_t>(std::countr_zero(rest));
    }
    /// Whether any is among `size` ways from `begin` on, `size` a power of two and `begin` a multiple of it.
    constexpr bool any_in(std::uint32_t begin, std::uint32_t size) const noexcept {
        if (size < 64) return (word(begin / 64) >> begin % 64 & ((std::uint64_t{1} << size) - 1)) != 0;
        for (auto i = begin / 64; i != (begin + size) / 64 && i < words_; ++i)
            if (word(i) != 0) return true;
        return false;
    }
    /// Calls `f(way)` for each, the lowest first.
    template <class F>
    constexpr void for_each(F&& f) const {
        for (std::uint32_t i = 0; i != words_; ++i)
            for (auto rest = word(i); rest != 0; rest &= rest - 1)
                f(i * 64 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }

private:
    union {
        std::uint64_t only_;
        std::uint64_t const* many_;
    };
    std::uint32_t words_ = 1;
};

/// Ways from `first` to before `end`; by itself, all.
struct way_range {
    std::uint32_t first = 0;
    std::uint32_t end = most_ways;
    constexpr bool contains(std::uint32_t way) const noexcept { return first <= way && way < end; }
    /// Those in word `index`, as bits.
    constexpr std::uint64_t in_word(std::uint32_t index) const noexcept;
    friend bool operator==(way_range const&, way_range const&) = default;
};

/// Ways of one set that are kept here.
class way_mask {
public:
    /// None of so many.
    constexpr explicit way_mask(std::uint32_t ways) noexcept : words_((ways + 63) / 64) {}
    /// All of so many.
    static constexpr way_mask all(std::uint32_t ways) noexcept {
        way_mask m(ways);
        for (std::uint32_t i = 0; i != m.words_; ++i) m.word_[i] = all_in(ways, i);
        return m;
    }
    /// Of so many ways, those in word `index`.
    static constexpr std::uint64_t all_in(std::uint32_t ways, std::uint32_t index) noexcept {
        if (ways >= (index + 1) * 64) return ~std::uint64_t{0};
        return ways <= index * 64 ? 0 : ~std::uint64_t{0} >> (64 - ways % 64);
    }
    constexpr void insert(std::uint32_t way) noexcept { word_[way / 64] |= std::uint64_t{1} << way % 64; }
    constexpr bool empty() const noexcept {
        for (auto const w : word_)
            if (w != 0) return false;
        return true;
    }
    constexpr std::uint64_t& word(std::uint32_t index) noexcept { return word_[index]; }
    /// A view of it.
    constexpr operator way_set() const noexcept {
        return words_ == 1 ? way_set(word_[0]) : way_set(word_, words_);
    }

private:
    std::uint64_t word_[most_ways / 64]{};
    std::uint32_t words_;
};
constexpr std::uint64_t way_range::in_word(std::uint32_t index) const noexcept {
    return way_mask::all_in(end, index) & ~way_mask::all_in(first, index);
}

} // namespace warpkit
