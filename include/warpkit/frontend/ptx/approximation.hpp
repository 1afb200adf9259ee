#pragma once
/// \file
/// The approximate functions of .f32, computed in double precision and rounded once: at most half an ulp and a little
/// off, which is within every bound that the PTX ISA gives. Argument reduction and polynomials are our own (Taylor
/// series over short intervals), so that no library and no compiler decides about a result.

#include <warpkit/frontend/ptx/soft_float.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace warpkit::ptx::approximate {

namespace detail {
/// a * b, rounded: never contracted with what is done to it, so that a target with fused instructions and one without
/// compute the same. (Only such targets need the barrier.)
inline double product(double a, double b) {
    double p = a * b;
#if defined(__FMA__)
    __asm__("" : "+x"(p));
#elif defined(__aarch64__)
    __asm__("" : "+w"(p));
#elif !defined(__x86_64__)
    double volatile kept = p;
    p = kept;
#endif
    return p;
}
/// c[0] + x * (c[1] + x * ...)
template <std::size_t N>
inline double polynomial(std::array<double, N> const& c, double x) {
    double r = c[N - 1];
    for (std::size_t i = N - 1; i-- > 0;) r = product(r, x) + c[i];
    return r;
}
inline constexpr double log2_e = 1.4426950408889634;
inline constexpr double ln_2 = 0.69314718055994531;
inline constexpr double half_pi = 1.5707963267948966;
inline constexpr double half_pi_rest = 6.123233995736766e-17; ///< pi/2 beyond `half_pi`
inline constexpr double two_over_pi = 0.63661977236758138;
/// The first 288 bits of 2/pi after the point.
inline constexpr std::array<std::uint32_t, 9> two_over_pi_bits{0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                                               0xf534ddc0, 0xdb629599, 0x3c439041,
                                                               0xfe5163ab, 0xdebbc561, 0xb7246e3a};

/// x = quadrant * pi/2 + rest, |rest| <= pi/4.
struct reduced {
    unsigned quadrant = 0;
    double rest = 0;
};
inline reduced reduce(float x) {
    double const d = static_cast<double>(x);
    if (d < 268435456.0 && d > -268435456.0) {
        // Fewer than 28 bits of multiple: two terms of pi/2 (106 bits) leave an error below 2^-77.
        auto const k = static_cast<std::int64_t>(product(d, two_over_pi) + (d < 0 ? -0.5 : 0.5));
        auto const n = static_cast<double>(k);
        double const r = std::fma(-n, half_pi_rest, std::fma(-n, half_pi, d));
        return {static_cast<unsigned>(k & 3), r};
    }
    // Payne and Hanek, "Radian reduction for trigonometric functions", 1983: multiply the mantissa by those bits of
    // 2/pi that matter modulo 4.
    auto const p = soft::split(x);
    auto const first = static_cast<unsigned>(p.exponent - 1); // number of the first bit taken, counted from 1
    auto const bit = first - 1;
    soft::u128 window = 0;
    for (unsigned w = 0; w < 5 && bit / 32 + w < two_over_pi_bits.size(); ++w) {
        auto const word = soft::u128{two_over_pi_bits[bit / 32 + w]};
        int const at = 96 - 32 * static_cast<int>(w) + static_cast<int>(bit % 32);
        window |= at >= 0 ? word << at : word >> -at;
    }
    soft::u128 const product = window * p.mantissa; // units of 2^-126, modulo 4
    auto quadrant = static_cast<unsigned>(product >> 126);
    soft::u128 fraction = product & ((soft::u128{1} << 126) - 1);
    bool const upper = fraction >> 125 != 0;
    if (upper) {
        ++quadrant;
        fraction = (soft::u128{1} << 126) - fraction;
    }
    double r = soft::join<double>(upper, fraction, -126, rounding::rn) * half_pi;
    if (p.sign) {
        r = -r;
        quadrant = 0U - quadrant;
    }
    return {quadrant & 3, r};
}
inline double sine_series(double r) {
    static constexpr std::array<double, 7> c{1.0,          -1.0 / 6,        1.0 / 120,       -1.0 / 5040,
                                             1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
    return r * polynomial(c, r * r);
}
inline double cosine_series(double r) {
    static constexpr std::array<double, 8> c{
        1.0,         -1.0 / 2,       1.0 / 24,        -1.0 / 720,
        1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200};
    return polynomial(c, r * r);
}
/// 2^x for |x| <= 0.5.
inline double exp2_series(double x) {
    static constexpr std::array<double, 12> c{1.0,         1.0,          1.0 / 2,       1.0 / 6,
                                              1.0 / 24,    1.0 / 120,    1.0 / 720,     1.0 / 5040,
                                              1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};
    return polynomial(c, x * ln_2);
}
inline double power_of_two(int n) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + n) << 52);
}
} // namespace detail

inline float sine(float x) {
    if (x - x != 0.0F) return std::numeric_limits<float>::quiet_NaN();
    if (x == 0.0F) return x;
    auto const [q, r] = detail::reduce(x);
    double const v = (q & 1) != 0 ? detail::cosine_series(r) : detail::sine_series(r);
    return static_cast<float>((q & 2) != 0 ? -v : v);
}
inline float cosine(float x) {
    if (x - x != 0.0F) return std::numeric_limits<float>::quiet_NaN();
    auto const [q, r] = detail::reduce(x);
    double const v = (q & 1) != 0 ? detail::sine_series(r) : detail::cosine_series(r);
    return static_cast<float>(q == 1 || q == 2 ? -v : v);
}
inline float exp2(float x) {
    if (!(x == x)) return x;
    if (x >= 128.0F) return std::numeric_limits<float>::infinity();
    if (x < -151.0F) return 0.0F;
    auto const n = static_cast<int>(x + (x < 0 ? -0.5F : 0.5F));
    double const f = static_cast<double>(x) - n; // exact
    return static_cast<float>(detail::exp2_series(f) * detail::power_of_two(n));
}
inline float log2(float x) {
    if (!(x == x) || x < 0.0F) return std::numeric_limits<float>::quiet_NaN();
    if (x == 0.0F) return -std::numeric_limits<float>::infinity();
    if (x == std::numeric_limits<float>::infinity()) return x;
    auto const bits = std::bit_cast<std::uint64_t>(static_cast<double>(x)); // normal in double
    auto e = static_cast<int>(bits >> 52) - 1023;
    auto m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++e;
    }
    // log m = 2 artanh((m - 1) / (m + 1))
    double const s = (m - 1.0) / (m + 1.0);
    static constexpr std::array<double, 10> c{1.0,      1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,
                                              1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19};
    double const series = s * detail::polynomial(c, s * s);
    return static_cast<float>(detail::product(2.0 * detail::log2_e, series) + static_cast<double>(e));
}
inline float reciprocal_square_root(float x) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
}
inline float hyperbolic_tangent(float x) {
    if (!(x == x)) return x;
    auto const d = static_cast<double>(x);
    double const a = d < 0 ? -d : d;
    if (a > 10.0) return x < 0 ? -1.0F : 1.0F;
    if (a < 0.125) {
        static constexpr std::array<double, 6> c{1.0,         -1.0 / 3,    2.0 / 15,
                                                 -17.0 / 315, 62.0 / 2835, -1382.0 / 155925};
        return static_cast<float>(d * detail::polynomial(c, d * d));
    }
    double const y = detail::product(2.0 * a, detail::log2_e);
    auto const n = static_cast<int>(y + 0.5);
    double const e = detail::product(detail::exp2_series(y - n), detail::power_of_two(n));
    double const t = 1.0 - 2.0 / (e + 1.0);
    return static_cast<float>(d < 0 ? -t : t);
}

} // namespace warpkit::ptx::approximate
