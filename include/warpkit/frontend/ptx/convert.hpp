#pragma once
/// \file
/// cvt: conversions between all sizes of integers and floating-point numbers, with every rounding and saturation.

#include <warpkit/frontend/ptx/half.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/real.hpp>
#include <warpkit/frontend/ptx/soft_float.hpp>

#include <bit>
#include <cstdint>
#include <limits>

namespace warpkit::ptx::semantics {

/// The rounding that a form asks for; the integral ones map to their direction.
inline rounding rounding_of(form const& f) {
    auto const r = f.get(modifier::rounding);
    return static_cast<rounding>(r != 0 ? r : f.get(modifier::integral));
}

namespace converting {
/// Cuts to an integer type and extends to 64 bits, as the type says.
inline void extend(scalar type, std::uint64_t* v) {
    switch (type) {
    case scalar::u8:
        for (unsigned l = 0; l < lanes; ++l) v[l] = static_cast<std::uint8_t>(v[l]);
        break;
    case scalar::u16:
        for (unsigned l = 0; l < lanes; ++l) v[l] = static_cast<std::uint16_t>(v[l]);
        break;
    case scalar::u32:
        for (unsigned l = 0; l < lanes; ++l) v[l] = static_cast<std::uint32_t>(v[l]);
        break;
    case scalar::s8:
        for (unsigned l = 0; l < lanes; ++l)
            v[l] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(v[l])));
        break;
    case scalar::s16:
        for (unsigned l = 0; l < lanes; ++l)
            v[l] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(v[l])));
        break;
    case scalar::s32:
        for (unsigned l = 0; l < lanes; ++l)
            v[l] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(v[l])));
        break;
    default:
        break;
    }
}
/// Reads the source lanes as 64-bit integers, extended as the source type says.
inline void read_integers(warp_context const& c, operation const& o, scalar type, std::uint64_t* v) {
    c.read_sized(o.source[0], o.source_bytes, v);
    extend(type, v);
}
constexpr std::uint64_t greatest(scalar t) {
    auto const bits = 8 * size_of(t) - (is_signed(t) ? 1 : 0);
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}
/// An integer of a signed or unsigned source clamped to the range of the destination type.
constexpr std::uint64_t clamp_integer(std::uint64_t v, bool from_signed, scalar to) {
    bool const negative = from_signed && static_cast<std::int64_t>(v) < 0;
    auto const high = greatest(to);
    if (!negative) return v > high ? high : v;
    if (!is_signed(to)) return 0;
    auto const low = static_cast<std::int64_t>(~high);
    return static_cast<std::int64_t>(v) < low ? static_cast<std::uint64_t>(low) : v;
}
/// A floating-point number to an integer of the type: rounded, then clamped; NaN gives 0.
template <class T>
std::uint64_t to_integer(T x, rounding r, scalar to) {
    if (x != x) return 0;
    auto const high = greatest(to);
    bool const small = x < static_cast<T>(1ULL << 52) && x > -static_cast<T>(1ULL << 52);
    if (small && (r == rounding::rz || r == rounding::none))
        return clamp_integer(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)), true, to);
    if (!soft::finite(x)) return x > 0 ? high : is_signed(to) ? ~high : 0;
    auto const p = soft::split(soft::integral(x, r));
    if (p.mantissa == 0) return 0;
    bool const huge = p.exponent > 0 && p.exponent + (63 - std::countl_zero(p.mantissa)) > 63;
    std::uint64_t const m = huge              ? ~std::uint64_t{0}
                            : p.exponent >= 0 ? p.mantissa << p.exponent
                                              : p.mantissa >> -p.exponent;
    if (p.sign) {
        if (!is_signed(to)) return 0;
        return huge || m > high ? ~high : 0 - m;
    }
    return m > high ? high : m;
}
template <class T>
T from_integer(std::uint64_t v, bool is_negative_possible, rounding r) {
    if (r == rounding::rn || r == rounding::none)
        return is_negative_possible ? static_cast<T>(static_cast<std::int64_t>(v)) : static_cast<T>(v);
    bool const negative = is_negative_possible && static_cast<std::int64_t>(v) < 0;
    return soft::join<T>(negative, negative ? 0 - v : v, 0, r);
}
template <class T>
T saturate(T x) {
    return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}
} // namespace converting

template <int = 0>
void convert_integers(warp_context& c, operation const& o, lane_mask mask) {
    auto const to = o.modifiers->type[0];
    auto const from = o.modifiers->type[1];
    std::uint64_t v[lanes];
    converting::read_integers(c, o, from, v);
    if (o.sat)
        for (unsigned l = 0; l < lanes; ++l) v[l] = converting::clamp_integer(v[l], is_signed(from), to);
    converting::extend(to, v);
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
/// The commonest: between 32 and 64 bits, registers of just that size.
template <class D, class S>
void convert_width(warp_context& c, operation const& o, lane_mask mask) {
    if (o.sat || o.destination_bytes != sizeof(D) || o.source_bytes != sizeof(S))
        return convert_integers<>(c, o, mask);
    auto const* s = c.source<S>(o, 0);
    D r[lanes];
    for (unsigned l = 0; l < lanes; ++l) r[l] = static_cast<D>(s[l]);
    c.write<D>(o.destination[0], r, mask);
}
template <class T>
void convert_from_integer(warp_context& c, operation const& o, lane_mask mask) {
    auto const from = o.modifiers->type[1];
    auto const r = rounding_of(*o.modifiers);
    std::uint64_t v[lanes];
    converting::read_integers(c, o, from, v);
    T result[lanes];
    for (unsigned l = 0; l < lanes; ++l) result[l] = converting::from_integer<T>(v[l], is_signed(from), r);
    if (o.sat)
        for (unsigned l = 0; l < lanes; ++l) result[l] = converting::saturate(result[l]);
    c.write<T>(o.destination[0], result, mask);
}
template <class T>
void convert_to_integer(warp_context& c, operation const& o, lane_mask mask) {
    auto const to = o.modifiers->type[0];
    auto const r = rounding_of(*o.modifiers);
    auto const* s = c.source<T>(o, 0);
    std::uint64_t v[lanes]{};
    for (unsigned l = 0; l < lanes; ++l)
        if ((mask & ptx::detail::lane_bit[l]) != 0)
            v[l] = converting::to_integer<T>(o.ftz ? flush<T>(s[l]) : s[l], r, to);
    converting::extend(to, v);
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
/// Between floating-point types, or within one with rounding to an integer.
template <class D, class S>
void convert_real(warp_context& c, operation const& o, lane_mask mask) {
    auto const& f = *o.modifiers;
    auto const r = rounding_of(f);
    bool const integral = f.has(modifier::integral);
    auto const* s = c.source<S>(o, 0);
    D result[lanes]{};
    for (unsigned l = 0; l < lanes; ++l) {
        if ((mask & ptx::detail::lane_bit[l]) == 0) continue;
        S x = s[l];
        if (o.ftz && sizeof(S) == 4) x = flush<S>(x);
        if (integral) x = soft::integral(x, r);
        D y{};
        if (x != x) {
            y = canonical_nan<D>();
        } else if (sizeof(D) >= sizeof(S) || r == rounding::rn || r == rounding::none || integral ||
                   !soft::finite(x)) {
            y = static_cast<D>(x);
        } else {
            auto const p = soft::split(x);
            y = soft::join<D>(p.sign, p.mantissa, p.exponent, r);
        }
        if (o.ftz && sizeof(D) == 4) y = flush<D>(y);
        if (o.sat) y = converting::saturate(y);
        result[l] = y;
    }
    c.write<D>(o.destination[0], result, mask);
}
/// .f16 or .bf16 (N), which lies in the low 16 bits of its register, to any type.
template <class N, class D>
void convert_from_half(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    D result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        auto const h = static_cast<typename N::bits>(v[l]);
        auto const x = N::to_float(o.ftz ? N::flush(h) : h);
        auto const y = x == x ? static_cast<D>(x) : canonical_nan<D>();
        result[l] = o.sat ? converting::saturate(y) : y;
    }
    c.write<D>(o.destination[0], result, mask);
}
template <class N>
void convert_half_to_integer(warp_context& c, operation const& o, lane_mask mask) {
    auto const to = o.modifiers->type[0];
    auto const r = rounding_of(*o.modifiers);
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    for (auto& x : v) {
        auto const h = static_cast<typename N::bits>(x);
        x = converting::to_integer<float>(N::to_float(o.ftz ? N::flush(h) : h), r, to);
    }
    converting::extend(to, v);
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
/// What follows the rounding to a 16-bit format.
template <class N>
typename N::bits finished(operation const& o, typename N::bits h) {
    if (o.sat) h = N::saturate(h);
    if (o.modifiers->has(modifier::relu)) h = N::rectify(h);
    if (o.modifiers->has(modifier::satfinite)) h = N::bound(h);
    return h;
}
template <class N, class F>
void convert_integer_to_half(warp_context& c, operation const& o, lane_mask mask) {
    auto const from = o.modifiers->type[1];
    auto const r = rounding_of(*o.modifiers);
    std::uint64_t v[lanes];
    converting::read_integers(c, o, from, v);
    for (auto& x : v) {
        bool const negative = is_signed(from) && static_cast<std::int64_t>(x) < 0;
        x = finished<N>(o, soft::round_to<F>(negative, negative ? 0 - x : x, 0, r));
    }
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
template <class N, class S>
void convert_to_half(warp_context& c, operation const& o, lane_mask mask) {
    auto const r = rounding_of(*o.modifiers);
    auto const* s = c.source<S>(o, 0);
    std::uint64_t v[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        S const x = o.ftz && sizeof(S) == 4 ? flush<S>(s[l]) : s[l];
        v[l] = finished<N>(o, N::from(x, r));
    }
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
/// From one 16-bit format to itself or the other: rounded to an integer, saturated, or as it is.
template <class To, class From>
void convert_half(warp_context& c, operation const& o, lane_mask mask) {
    bool const integral = o.modifiers->has(modifier::integral);
    auto const r = rounding_of(*o.modifiers);
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    for (auto& x : v) {
        auto h = static_cast<typename From::bits>(x);
        if (o.ftz) h = From::flush(h);
        auto const y = From::to_float(h);
        x = finished<To>(o, To::from(integral ? soft::integral(y, r) : y, integral ? rounding::rn : r));
    }
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
/// cvt.f16x2.f32 d, a, b: a becomes the upper half.
template <class N>
void pack_halves(warp_context& c, operation const& o, lane_mask mask) {
    auto const r = rounding_of(*o.modifiers);
    std::uint32_t result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        typename N::bits part[2];
        for (unsigned i = 0; i < 2; ++i) {
            auto const x = c.source<float>(o, i)[l];
            part[i] = finished<N>(o, N::from(o.ftz ? flush<float>(x) : x, r));
        }
        result[l] = std::uint32_t{part[0]} << 16 | part[1];
    }
    c.write<std::uint32_t>(o.destination[0], result, mask);
}
template <int = 0>
execute_function half_packs(form const& f) {
    auto const r = static_cast<rounding>(f.get(modifier::rounding));
    if (r != rounding::rn && r != rounding::rz) return nullptr;
    if (f.type[0] == scalar::f16x2) return &pack_halves<half>;
    return f.has(modifier::ftz) ? nullptr : &pack_halves<bfloat>;
}
/// cvt.rn.relu.f16.f32 and what else .f32 is rounded to a 16-bit format with.
template <int = 0>
execute_function narrowing(form const& f) {
    auto const r = static_cast<rounding>(f.get(modifier::rounding));
    if (r != rounding::rn && r != rounding::rz) return nullptr;
    return f.type[0] == scalar::f16 ? &convert_to_half<half, float> : &convert_to_half<bfloat, float>;
}

/// cvt.tf32.f32: 11 bits of precision, at the top of 32. Without a rounding it is .rna: to nearest, ties away from
/// zero.
template <int = 0>
void convert_to_tf32(warp_context& c, operation const& o, lane_mask mask) {
    constexpr std::uint32_t rest = (1U << 13) - 1;
    auto const r = rounding_of(*o.modifiers);
    auto const* s = c.source<std::uint32_t>(o, 0);
    std::uint32_t result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        std::uint32_t x = s[l];
        auto const sign = x & 0x80000000U;
        auto m = x & 0x7fffffffU;
        if (m > 0x7f800000U) {
            result[l] = 0x7fffffffU;
            continue;
        }
        if (m != 0x7f800000U) {
            if (r == rounding::none)
                m += 1U << 12;
            else if (r == rounding::rn)
                m += (rest >> 1) + (m >> 13 & 1);
            m &= ~rest; // a carry out of the greatest number is an infinity
        }
        if (o.modifiers->has(modifier::satfinite) && m >= 0x7f800000U) m = 0x7f800000U - (rest + 1);
        result[l] = o.modifiers->has(modifier::relu) && sign != 0 ? 0 : sign | m;
    }
    c.write<std::uint32_t>(o.destination[0], result, mask);
}
template <int = 0>
execute_function tf32_conversions(form const& f) {
    auto const r = static_cast<rounding>(f.get(modifier::rounding));
    return r == rounding::none || r == rounding::rn || r == rounding::rz ? &convert_to_tf32<> : nullptr;
}

/// The 8-bit formats .e4m3 and .e5m2 (Micikevicius et al., "FP8 Formats for Deep Learning", 2022), always with
/// .satfinite: what is too large, infinities included, becomes the greatest number.
struct e4m3 {
    static std::uint8_t from(float x) {
        if (x != x) return 0x7f;
        bool const negative = std::signbit(x);
        unsigned m = 0x7f;
        if (soft::finite(x)) {
            auto const p = soft::split(x);
            m = soft::round_to<soft::e4m3_format>(false, p.mantissa, p.exponent, rounding::rn);
        }
        return static_cast<std::uint8_t>((m > 0x7e ? 0x7e : m) | (negative ? 0x80U : 0U));
    }
    static half::bits to_half(std::uint8_t b) {
        if ((b & 0x7f) == 0x7f) return half::nan;
        auto const p = soft::split_bits<soft::e4m3_format>(b & 0x7f);
        return soft::round_to<soft::half_format>((b & 0x80) != 0, p.mantissa, p.exponent, rounding::rn);
    }
};
struct e5m2 {
    static std::uint8_t from(float x) {
        if (x != x) return 0x7f;
        bool const negative = std::signbit(x);
        unsigned m = 0x7c;
        if (soft::finite(x)) {
            auto const p = soft::split(x);
            m = soft::round_to<soft::e5m2_format>(false, p.mantissa, p.exponent, rounding::rn);
        }
        return static_cast<std::uint8_t>((m > 0x7b ? 0x7b : m) | (negative ? 0x80U : 0U));
    }
    static half::bits to_half(std::uint8_t b) {
        return (b & 0x7f) > 0x7c ? half::nan : static_cast<half::bits>(b << 8);
    }
};
/// cvt.e4m3x2.f32 d, a, b: a becomes the upper byte; of .f16x2 each half its byte.
template <class Byte, bool FromHalves>
void pack_bytes(warp_context& c, operation const& o, lane_mask mask) {
    bool const relu = o.modifiers->has(modifier::relu);
    std::uint64_t result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        std::uint8_t part[2];
        for (unsigned i = 0; i < 2; ++i) {
            float x = 0;
            if constexpr (FromHalves)
                x = half::to_float(
                    static_cast<half::bits>(c.source<std::uint32_t>(o, 0)[l] >> (i == 0 ? 16 : 0)));
            else
                x = c.source<float>(o, i)[l];
            part[i] = Byte::from(x);
            if (relu && x == x && (part[i] & 0x80) != 0) part[i] = 0;
        }
        result[l] = static_cast<std::uint64_t>(part[0] << 8 | part[1]);
    }
    c.write_sized(o.destination[0], result, o.destination_bytes, mask);
}
template <class Byte>
void unpack_bytes(warp_context& c, operation const& o, lane_mask mask) {
    bool const relu = o.modifiers->has(modifier::relu);
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    std::uint32_t result[lanes]{};
    for (unsigned l = 0; l < lanes; ++l)
        for (unsigned part = 0; part < 2; ++part) {
            auto h = Byte::to_half(static_cast<std::uint8_t>(v[l] >> (8 * part)));
            if (relu) h = half::rectify(h);
            result[l] |= std::uint32_t{h} << (16 * part);
        }
    c.write<std::uint32_t>(o.destination[0], result, mask);
}
template <int = 0>
execute_function byte_conversions(form const& f) {
    if (static_cast<rounding>(f.get(modifier::rounding)) != rounding::rn) return nullptr;
    if (f.type[0] == scalar::f16x2)
        return f.type[1] == scalar::e4m3x2 ? &unpack_bytes<e4m3> : &unpack_bytes<e5m2>;
    if (f.type[1] == scalar::f32)
        return f.type[0] == scalar::e4m3x2 ? &pack_bytes<e4m3, false> : &pack_bytes<e5m2, false>;
    return f.type[0] == scalar::e4m3x2 ? &pack_bytes<e4m3, true> : &pack_bytes<e5m2, true>;
}

/// cvt.pack: two integers, saturated to the narrow type, the second in the lowest bits and the first above it; what is
/// left is the third operand, shifted up. .u16 and .s16 leave nothing.
template <int = 0>
void pack_narrow(warp_context& c, operation const& o, lane_mask mask) {
    auto const word = o.modifiers->get(modifier::narrow) - 1; // u2 s2 u4 s4 ...
    unsigned const width = 2U << word / 2;
    bool const negative = word % 2 != 0;
    std::int32_t const most = (1 << (width - (negative ? 1 : 0))) - 1;
    std::int32_t const least = negative ? -most - 1 : 0;
    std::uint32_t const field = (1U << width) - 1;
    auto const saturated = [&](std::int32_t v) {
        return static_cast<std::uint32_t>(v < least ? least : v > most ? most : v) & field;
    };
    auto const* a = c.source<std::int32_t>(o, 0);
    auto const* b = c.source<std::int32_t>(o, 1);
    auto const* rest = width == 16 ? nullptr : c.source<std::uint32_t>(o, 2);
    std::uint32_t r[lanes];
    for (unsigned l = 0; l < lanes; ++l)
        r[l] = saturated(b[l]) | saturated(a[l]) << width | (rest != nullptr ? rest[l] << 2 * width : 0);
    c.write<std::uint32_t>(o.destination[0], r, mask);
}

/// From N to any type, and from any type to N, whose format is F.
template <class N>
execute_function conversions_from_half(scalar to) {
    return to == scalar::f32    ? &convert_from_half<N, float>
           : to == scalar::f64  ? &convert_from_half<N, double>
           : to == scalar::f16  ? &convert_half<half, N>
           : to == scalar::bf16 ? &convert_half<bfloat, N>
                                : &convert_half_to_integer<N>;
}
template <class N, class F>
execute_function conversions_to_half(scalar from) {
    return from == scalar::f32   ? &convert_to_half<N, float>
           : from == scalar::f64 ? &convert_to_half<N, double>
                                 : &convert_integer_to_half<N, F>;
}

template <int = 0>
execute_function conversions(form const& f) {
    auto const to = f.type[0];
    auto const from = f.type[1];
    bool const integral = f.has(modifier::integral);
    bool const half_or_single =
        to == scalar::f32 || from == scalar::f32 || to == scalar::f16 || from == scalar::f16;
    if (f.has(modifier::ftz) && !half_or_single) return nullptr;
    if (!is_float(to) && !is_float(from)) {
        if (integral || f.has(modifier::rounding)) return nullptr;
        if (size_of(to) == 8 && from == scalar::u32) return &convert_width<std::uint64_t, std::uint32_t>;
        if (size_of(to) == 8 && from == scalar::s32) return &convert_width<std::int64_t, std::int32_t>;
        if (size_of(to) == 4 && size_of(from) == 8) return &convert_width<std::uint32_t, std::uint64_t>;
        if (size_of(to) == 4 && size_of(from) == 4) return &convert_width<std::uint32_t, std::uint32_t>;
        return &convert_integers<>;
    }
    if (integral && (!is_float(from) || (is_float(to) && to != from))) return nullptr;
    if (!is_float(to) && !integral) return nullptr; // a conversion to integer says how it rounds
    if (from == scalar::f16) return conversions_from_half<half>(to);
    if (from == scalar::bf16) return conversions_from_half<bfloat>(to);
    if (to == scalar::f16) return conversions_to_half<half, soft::half_format>(from);
    if (to == scalar::bf16) return conversions_to_half<bfloat, soft::bfloat_format>(from);
    if (!is_float(from))
        return to == scalar::f32 ? &convert_from_integer<float> : &convert_from_integer<double>;
    if (!is_float(to)) return from == scalar::f32 ? &convert_to_integer<float> : &convert_to_integer<double>;
    if (to == scalar::f32)
        return from == scalar::f32 ? &convert_real<float, float> : &convert_real<float, double>;
    return from == scalar::f32 ? &convert_real<double, float> : &convert_real<double, double>;
}

} // namespace warpkit::ptx::semantics
