#pragma once
/// \file
/// Half precision: .f16, and pairs of them in .f16x2. Sums and products of halves are multiples of 2^-48 of less than
/// 82 bits, so each result is found exactly as an integer and then rounded once.

#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/soft_float.hpp>

#include <bit>
#include <cstdint>

namespace warpkit::ptx::semantics {

using half = std::uint16_t; ///< its bits

namespace halves {
__extension__ typedef __int128 i128;
inline constexpr half nan = 0x7fff;
inline constexpr half infinity = 0x7c00;
inline constexpr half sign = 0x8000;

constexpr bool is_nan(half h) noexcept { return (h & 0x7fff) > infinity; }
constexpr bool is_finite(half h) noexcept { return (h & infinity) != infinity; }
constexpr half flush(half h) noexcept { return (h & infinity) == 0 ? static_cast<half>(h & sign) : h; }
/// Clamped to [0, 1], NaN as +0.
constexpr half saturate(half h) noexcept {
    if (is_nan(h) || (h & sign) != 0) return 0;
    return h > 0x3c00 ? half{0x3c00} : h;
}
/// Exact.
inline float to_float(half h) noexcept {
    auto const p = soft::split_bits<soft::half_format>(h);
    if (is_nan(h)) return std::bit_cast<float>(0x7fffffffU);
    if (!is_finite(h)) return std::bit_cast<float>(p.sign ? 0xff800000U : 0x7f800000U);
    return soft::join<float>(p.sign, p.mantissa, p.exponent, rounding::rn);
}
/// A finite half in units of 2^-24.
constexpr i128 units(half h) noexcept {
    auto const p = soft::split_bits<soft::half_format>(h);
    auto const m = static_cast<i128>(p.mantissa) << (p.exponent + 24);
    return p.sign ? -m : m;
}

/// a * b + c, rounded to nearest once.
constexpr half fused(half a, half b, half c) noexcept {
    if (is_nan(a) || is_nan(b) || is_nan(c)) return nan;
    bool const negative = ((a ^ b) & sign) != 0;
    if (!is_finite(a) || !is_finite(b)) {
        if ((a & 0x7fff) == 0 || (b & 0x7fff) == 0) return nan;
        if (!is_finite(c) && ((c & sign) != 0) != negative) return nan;
        return static_cast<half>(infinity | (negative ? sign : half{0}));
    }
    if (!is_finite(c)) return c;
    auto const v = units(a) * units(b) + (units(c) << 24);
    if (v == 0) // an exact zero is positive, unless both terms are negative zeros
        return units(a) * units(b) == 0 && (c & 0x7fff) == 0 && negative && (c & sign) != 0 ? sign : half{0};
    return soft::round_to<soft::half_format>(v < 0, static_cast<soft::u128>(v < 0 ? -v : v), -48,
                                             rounding::rn);
}
inline constexpr half one = 0x3c00;
constexpr half negated(half h) noexcept { return static_cast<half>(h ^ sign); }

struct add {
    static half apply(half a, half b) { return fused(a, one, b); }
};
struct subtract {
    static half apply(half a, half b) { return is_nan(b) ? nan : fused(a, one, negated(b)); }
};
struct multiply { // adding -0 changes nothing
    static half apply(half a, half b) { return fused(a, b, sign); }
};
struct multiply_add {
    static half apply(half a, half b, half c) { return fused(a, b, c); }
};
struct negate {
    static half apply(half a) { return is_nan(a) ? nan : negated(a); }
};
struct absolute {
    static half apply(half a) { return is_nan(a) ? nan : static_cast<half>(a & ~sign); }
};
/// Ordered as integers, -0 below +0.
constexpr int rank(half h) noexcept { return (h & sign) != 0 ? -1 - (h & 0x7fff) : h; }
template <bool Propagates>
struct minimum {
    static half apply(half a, half b) {
        if (is_nan(a) || is_nan(b)) return (is_nan(a) && is_nan(b)) || Propagates ? nan : is_nan(a) ? b : a;
        return rank(a) < rank(b) ? a : b;
    }
};
template <bool Propagates>
struct maximum {
    static half apply(half a, half b) {
        if (is_nan(a) || is_nan(b)) return (is_nan(a) && is_nan(b)) || Propagates ? nan : is_nan(a) ? b : a;
        return rank(a) > rank(b) ? a : b;
    }
};
} // namespace halves

/// Op on lanes of W, each one half or two, with what the form asks for around it, as map_real has it.
template <class Op, class W, unsigned N>
void map_half(warp_context& c, operation const& o, lane_mask mask) {
    W r[lanes]{};
    for (unsigned l = 0; l < lanes; ++l)
        for (unsigned part = 0; part < sizeof(W) / 2; ++part) {
            half in[N];
            for (unsigned i = 0; i < N; ++i) {
                in[i] = static_cast<half>(c.source<W>(o, i)[l] >> (16 * part));
                if (o.ftz) in[i] = halves::flush(in[i]);
            }
            half x = 0;
            if constexpr (N == 1)
                x = Op::apply(in[0]);
            else if constexpr (N == 2)
                x = Op::apply(in[0], in[1]);
            else
                x = Op::apply(in[0], in[1], in[2]);
            if (o.ftz) x = halves::flush(x);
            if (o.sat) x = halves::saturate(x);
            r[l] = static_cast<W>(r[l] | static_cast<W>(x) << (16 * part));
        }
    c.write<W>(o.destination[0], r, mask);
}
template <class Op, unsigned N>
execute_function half_precision(form const& f) {
    auto const r = static_cast<rounding>(f.get(modifier::rounding));
    if (r != rounding::none && r != rounding::rn) return nullptr;
    return f.type[0] == scalar::f16 ? &map_half<Op, std::uint16_t, N> : &map_half<Op, std::uint32_t, N>;
}

} // namespace warpkit::ptx::semantics
