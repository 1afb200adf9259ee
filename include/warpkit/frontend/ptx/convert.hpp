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
/// .f16, which lies in the low 16 bits of its register, to any type.
template <class D>
void convert_from_half(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    D result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        auto const h = static_cast<half>(v[l]);
        auto const x = halves::to_float(o.ftz ? halves::flush(h) : h);
        auto const y = x == x ? static_cast<D>(x) : canonical_nan<D>();
        result[l] = o.sat ? converting::saturate(y) : y;
    }
    c.write<D>(o.destination[0], result, mask);
}
template <int = 0>
void convert_half_to_integer(warp_context& c, operation const& o, lane_mask mask) {
    auto const to = o.modifiers->type[0];
    auto const r = rounding_of(*o.modifiers);
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    for (auto& x : v) {
        auto const h = static_cast<half>(x);
        x = converting::to_integer<float>(halves::to_float(o.ftz ? halves::flush(h) : h), r, to);
    }
    converting::extend(to, v);
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
template <int = 0>
void convert_integer_to_half(warp_context& c, operation const& o, lane_mask mask) {
    auto const from = o.modifiers->type[1];
    auto const r = rounding_of(*o.modifiers);
    std::uint64_t v[lanes];
    converting::read_integers(c, o, from, v);
    for (auto& x : v) {
        bool const negative = is_signed(from) && static_cast<std::int64_t>(x) < 0;
        half const h = soft::round_to<soft::half_format>(negative, negative ? 0 - x : x, 0, r);
        x = o.sat ? halves::saturate(h) : h;
    }
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
template <class S>
half to_half(S x, rounding r) {
    if (x != x) return halves::nan;
    auto const p = soft::split(x);
    if (!soft::finite(x)) return p.sign ? half{0xfc00} : halves::infinity;
    return soft::round_to<soft::half_format>(p.sign, p.mantissa, p.exponent, r);
}
template <class S>
void convert_to_half(warp_context& c, operation const& o, lane_mask mask) {
    auto const r = rounding_of(*o.modifiers);
    auto const* s = c.source<S>(o, 0);
    std::uint64_t v[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        S const x = o.ftz && sizeof(S) == 4 ? flush<S>(s[l]) : s[l];
        auto const h = to_half(x, r);
        v[l] = o.sat ? halves::saturate(h) : h;
    }
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
/// Within .f16: rounded to an integer, saturated, or as it is.
template <int = 0>
void convert_half(warp_context& c, operation const& o, lane_mask mask) {
    bool const integral = o.modifiers->has(modifier::integral);
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    for (auto& x : v) {
        auto h = static_cast<half>(x);
        if (o.ftz) h = halves::flush(h);
        auto const y = halves::to_float(h);
        h = to_half(integral ? soft::integral(y, rounding_of(*o.modifiers)) : y, rounding::rn);
        x = o.sat ? halves::saturate(h) : h;
    }
    c.write_sized(o.destination[0], v, o.destination_bytes, mask);
}
/// cvt.f16x2.f32 d, a, b: a becomes the upper half.
template <int = 0>
void pack_halves(warp_context& c, operation const& o, lane_mask mask) {
    auto const r = rounding_of(*o.modifiers);
    std::uint32_t result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        half part[2];
        for (unsigned i = 0; i < 2; ++i) {
            auto const x = c.source<float>(o, i)[l];
            part[i] = to_half<float>(o.ftz ? flush<float>(x) : x, r);
        }
        result[l] = std::uint32_t{part[0]} << 16 | part[1];
    }
    c.write<std::uint32_t>(o.destination[0], result, mask);
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
    if (!is_float(from)) {
        if (integral) return nullptr;
        return to == scalar::f32   ? &convert_from_integer<float>
               : to == scalar::f64 ? &convert_from_integer<double>
                                   : &convert_integer_to_half<>;
    }
    if (!is_float(to)) {
        if (!integral) return nullptr; // a conversion to integer says how it rounds
        return from == scalar::f32   ? &convert_to_integer<float>
               : from == scalar::f64 ? &convert_to_integer<double>
                                     : &convert_half_to_integer<>;
    }
    if (integral && to != from) return nullptr;
    if (from == scalar::f16)
        return to == scalar::f32   ? &convert_from_half<float>
               : to == scalar::f64 ? &convert_from_half<double>
                                   : &convert_half<>;
    if (to == scalar::f16) return from == scalar::f32 ? &convert_to_half<float> : &convert_to_half<double>;
    if (to == scalar::f32)
        return from == scalar::f32 ? &convert_real<float, float> : &convert_real<float, double>;
    return from == scalar::f32 ? &convert_real<double, float> : &convert_real<double, double>;
}

} // namespace warpkit::ptx::semantics
