#pragma once
/// \file
/// IEEE 754 arithmetic in integers, for the rounding modes that the host's instructions are not set to: add, multiply,
/// fused multiply-add, divide, square root and conversions, each exact and then rounded once.

#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/frontend/ptx/two_words.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace warpkit::ptx::soft {

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 u128;
#else
using u128 = two_words;
#endif

/// A binary interchange format: bits of precision, exponent of the last place of subnormals, greatest biased exponent.
template <int Precision, int LeastExponent, int Greatest, class Bits>
struct binary_format {
    static constexpr int precision = Precision;
    static constexpr int least_exponent = LeastExponent;
    static constexpr int greatest = Greatest;
    using bits = Bits;
    static constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    static constexpr Bits infinity = static_cast<Bits>(static_cast<Bits>(Greatest) << (Precision - 1));
};
using half_format = binary_format<11, -24, 31, std::uint16_t>;
using bfloat_format = binary_format<8, -133, 255, std::uint16_t>;
using e5m2_format = binary_format<3, -16, 31, std::uint8_t>;
/// Of e4m3's codes only 0x7f is no number: the exponents go one further, and its neighbour is the greatest.
using e4m3_format = binary_format<4, -9, 16, std::uint16_t>;
using single_format = binary_format<24, -149, 255, std::uint32_t>;
using double_format = binary_format<53, -1074, 2047, std::uint64_t>;
template <class T>
using format_of = std::conditional_t<sizeof(T) == 4, single_format, double_format>;

constexpr int top_bit(u128 v) noexcept {
    auto const high = static_cast<std::uint64_t>(v >> 64);
    return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<std::uint64_t>(v));
}

/// Whether a discarded part rounds the magnitude up. `half` and `more`: its first bit, and whether anything follows.
constexpr bool rounds_up(rounding r, bool sign, bool odd, bool half, bool more) noexcept {
    switch (r) {
    case rounding::rz:
        return false;
    case rounding::rm:
        return sign && (half || more);
    case rounding::rp:
        return !sign && (half || more);
    default:
        return half && (more || odd);
    }
}

/// (-1)^sign * magnitude * 2^exponent in format F, rounded once. A magnitude whose lowest bit stands for "and something
/// more" must have at least two bits beyond the precision. Zero gives a zero of this sign.
template <class F>
constexpr typename F::bits round_to(bool sign, u128 magnitude, int exponent, rounding r) noexcept {
    using bits = typename F::bits;
    bits const s = sign ? F::sign : bits{0};
    if (magnitude == 0) return s;
    int quantum = exponent + top_bit(magnitude) - (F::precision - 1);
    if (quantum < F::least_exponent) quantum = F::least_exponent;
    int const shift = quantum - exponent;
    u128 m = magnitude;
    if (shift > 0) {
        bool const half = shift <= 128 && (magnitude >> (shift - 1) & 1) != 0;
        bool const more = shift > 128 || (shift > 1 && (magnitude & ((u128{1} << (shift - 1)) - 1)) != 0);
        m = shift >= 128 ? 0 : magnitude >> shift;
        if (rounds_up(r, sign, (m & 1) != 0, half, more)) ++m;
    } else {
        m = magnitude << -shift;
    }
    if (m < (u128{1} << (F::precision - 1))) return static_cast<bits>(s | static_cast<bits>(m));
    int const biased = quantum - F::least_exponent + 1;
    // A mantissa that rounding made one bit longer carries into the exponent.
    bool const longer = m >> F::precision != 0;
    if (biased + (longer ? 1 : 0) >= F::greatest) {
        bool const to_infinity = r == rounding::rn || r == rounding::none || (r == rounding::rp && !sign) ||
                                 (r == rounding::rm && sign);
        return static_cast<bits>(s | (to_infinity ? F::infinity : static_cast<bits>(F::infinity - 1)));
    }
    auto const body = (static_cast<std::uint64_t>(biased) << (F::precision - 1)) +
                      static_cast<std::uint64_t>(m - (u128{1} << (F::precision - 1)));
    return static_cast<bits>(s | static_cast<bits>(body));
}

/// A finite number as an integer times a power of two.
struct parts {
    bool sign = false;
    std::uint64_t mantissa = 0;
    int exponent = 0;
};
template <class F>
constexpr parts split_bits(typename F::bits b) noexcept {
    parts p;
    p.sign = (b & F::sign) != 0;
    auto const magnitude = static_cast<std::uint64_t>(b & static_cast<typename F::bits>(~F::sign));
    auto const biased = static_cast<int>(magnitude >> (F::precision - 1));
    auto const fraction = magnitude & ((std::uint64_t{1} << (F::precision - 1)) - 1);
    p.mantissa = biased == 0 ? fraction : fraction | std::uint64_t{1} << (F::precision - 1);
    p.exponent = F::least_exponent + (biased == 0 ? 0 : biased - 1);
    return p;
}
template <class T>
constexpr parts split(T x) noexcept {
    return split_bits<format_of<T>>(std::bit_cast<typename format_of<T>::bits>(x));
}
template <class T>
T join(bool sign, u128 magnitude, int exponent, rounding r) noexcept {
    return std::bit_cast<T>(round_to<format_of<T>>(sign, magnitude, exponent, r));
}
template <class T>
bool finite(T x) noexcept {
    return x - x == T{0};
}

template <class T>
T multiply(T a, T b, rounding r) noexcept {
    if (!finite(a) || !finite(b)) return a * b;
    auto const x = split(a);
    auto const y = split(b);
    return join<T>(x.sign != y.sign, u128{x.mantissa} * y.mantissa, x.exponent + y.exponent, r);
}

/// x * 2^e of sign s, plus y * 2^f of sign t, in format F; magnitudes of at most 106 bits, the one of the greater top
/// bit exact.
template <class F>
typename F::bits sum_to(bool s, u128 x, int e, bool t, u128 y, int f, rounding r) noexcept {
    if (x == 0 && y == 0) return round_to<F>(s == t ? s : r == rounding::rm, 0, 0, r);
    if (x == 0) return round_to<F>(t, y, f, r);
    if (y == 0) return round_to<F>(s, x, e, r);
    // Bring both to their top: the greater at bit 125, the other shifted after it, bits lost leave a sticky one.
    auto const xt = e + top_bit(x);
    auto const yt = f + top_bit(y);
    if (xt < yt) return sum_to<F>(t, y, f, s, x, e, r);
    int const up = 125 - top_bit(x);
    x <<= up;
    e -= up;
    int const left = f - e;
    if (left >= 0) {
        y <<= left;
    } else if (-left >= 128) {
        y = 1;
    } else {
        bool const lost = (y & ((u128{1} << -left) - 1)) != 0;
        y = y >> -left | (lost ? 1 : 0);
    }
    if (s == t) return round_to<F>(s, x + y, e, r);
    if (x == y) return round_to<F>(r == rounding::rm, 0, 0, r);
    return x > y ? round_to<F>(s, x - y, e, r) : round_to<F>(t, y - x, e, r);
}
template <class T>
T sum(bool s, u128 x, int e, bool t, u128 y, int f, rounding r) noexcept {
    return std::bit_cast<T>(sum_to<format_of<T>>(s, x, e, t, y, f, r));
}
template <class T>
T add(T a, T b, rounding r) noexcept {
    if (!finite(a) || !finite(b)) return a + b;
    auto const x = split(a);
    auto const y = split(b);
    return sum<T>(x.sign, x.mantissa, x.exponent, y.sign, y.mantissa, y.exponent, r);
}
template <class T>
T fused(T a, T b, T c, rounding r) noexcept {
    if (!finite(a) || !finite(b) || !finite(c)) return std::fma(a, b, c);
    auto const x = split(a);
    auto const y = split(b);
    auto const z = split(c);
    return sum<T>(x.sign != y.sign, u128{x.mantissa} * y.mantissa, x.exponent + y.exponent, z.sign,
                  z.mantissa, z.exponent, r);
}
template <class T>
T divide(T a, T b, rounding r) noexcept {
    if (!finite(a) || !finite(b) || a == T{0} || b == T{0}) return a / b;
    auto const x = split(a);
    auto const y = split(b);
    int const xs = std::countl_zero(x.mantissa);
    int const ys = std::countl_zero(y.mantissa);
    u128 const n = u128{x.mantissa << xs} << 63;
    std::uint64_t const d = y.mantissa << ys;
    u128 const q = n / d;
    bool const rest = n % d != 0;
    return join<T>(x.sign != y.sign, q << 1 | (rest ? 1 : 0), x.exponent - xs - 63 - (y.exponent - ys) - 1,
                   r);
}
template <class T>
T square_root(T a, rounding r) noexcept {
    if (!finite(a) || a <= T{0}) return std::sqrt(a);
    auto const x = split(a);
    int shift = std::countl_zero(x.mantissa) + 62;
    if (((x.exponent - shift) & 1) != 0) --shift;
    u128 rest = u128{x.mantissa} << shift;
    u128 root = 0;
    for (u128 bit = u128{1} << 126; bit != 0; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return join<T>(false, root << 1 | (rest != 0 ? 1 : 0), (x.exponent - shift) / 2 - 1, r);
}

/// Rounded to an integer, still as a floating-point number; a zero keeps the sign.
template <class T>
T integral(T a, rounding r) noexcept {
    if (!finite(a)) return a;
    auto const x = split(a);
    if (x.exponent >= 0 || x.mantissa == 0) return a;
    int const shift = -x.exponent;
    bool const half = shift <= 64 && (x.mantissa >> (shift - 1) & 1) != 0;
    bool const more = shift > 64 ? true : (x.mantissa & ((std::uint64_t{1} << (shift - 1)) - 1)) != 0;
    std::uint64_t m = shift >= 64 ? 0 : x.mantissa >> shift;
    if (rounds_up(r, x.sign, (m & 1) != 0, half, more)) ++m;
    return join<T>(x.sign, m, 0, rounding::rz);
}

} // namespace warpkit::ptx::soft
