#pragma once
/// \file
/// Unsigned numbers of 128 bits, where the compiler has none: on hosts of 32 bits.

#include <warpkit/base/high_product.hpp>
#include <warpkit/base/standard.hpp>

#include <compare>
#include <concepts>
#include <cstdint>

namespace warpkit::ptx::soft {

/// Modulo 2^128, as the compiler's own; shifts are by less than 128.
class two_words {
public:
    constexpr two_words() = default;
    template <std::integral T>
    constexpr two_words(T low) noexcept : low_(static_cast<std::uint64_t>(low)) {}
    template <std::integral T>
    constexpr explicit operator T() const noexcept {
        return static_cast<T>(low_);
    }

    friend constexpr two_words operator+(two_words a, two_words b) noexcept {
        auto const low = a.low_ + b.low_;
        return {a.high_ + b.high_ + (low < a.low_), low};
    }
    friend constexpr two_words operator-(two_words a, two_words b) noexcept {
        return {a.high_ - b.high_ - (a.low_ < b.low_), a.low_ - b.low_};
    }
    friend constexpr two_words operator*(two_words a, two_words b) noexcept {
        return {high_product(a.low_, b.low_) + a.high_ * b.low_ + a.low_ * b.high_, a.low_ * b.low_};
    }
    friend constexpr two_words operator/(two_words a, two_words b) noexcept {
        two_words rest;
        return divided(a, b, rest);
    }
    friend constexpr two_words operator%(two_words a, two_words b) noexcept {
        two_words rest;
        (void)divided(a, b, rest);
        return rest;
    }
    friend constexpr two_words operator&(two_words a, two_words b) noexcept {
        return {a.high_ & b.high_, a.low_ & b.low_};
    }
    friend constexpr two_words operator|(two_words a, two_words b) noexcept {
        return {a.high_ | b.high_, a.low_ | b.low_};
    }
    friend constexpr two_words operator<<(two_words a, int n) noexcept {
        if (n == 0) return a;
        if (n >= 64) return {a.low_ << (n - 64), 0};
        return {a.high_ << n | a.low_ >> (64 - n), a.low_ << n};
    }
    friend constexpr two_words operator>>(two_words a, int n) noexcept {
        if (n == 0) return a;
        if (n >= 64) return {0, a.high_ >> (n - 64)};
        return {a.high_ >> n, a.low_ >> n | a.high_ << (64 - n)};
    }
    constexpr two_words& operator|=(two_words b) noexcept { return *this = *this | b; }
    constexpr two_words& operator-=(two_words b) noexcept { return *this = *this - b; }
    constexpr two_words& operator<<=(int n) noexcept { return *this = *this << n; }
    constexpr two_words& operator>>=(int n) noexcept { return *this = *this >> n; }
    constexpr two_words& operator++() noexcept { return *this = *this + 1; }

    // By its high word first.
    friend constexpr auto operator<=>(two_words const&, two_words const&) = default;

private:
    constexpr two_words(std::uint64_t high, std::uint64_t low) noexcept : high_(high), low_(low) {}
    /// a / b, and what is left of it in `rest`.
    static constexpr two_words divided(two_words a, two_words b, two_words& rest) noexcept {
        two_words quotient;
        rest = {};
        for (int bit = 127; bit >= 0; --bit) {
            bool const overflows = rest.high_ >> 63 != 0;
            rest = rest << 1 | (a >> bit & 1);
            if (!overflows && rest < b) continue;
            rest -= b;
            quotient |= two_words{1} << bit;
        }
        return quotient;
    }

    std::uint64_t high_ = 0;
    std::uint64_t low_ = 0;
};

} // namespace warpkit::ptx::soft
