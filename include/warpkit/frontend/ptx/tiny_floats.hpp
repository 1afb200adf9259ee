#pragma once
/// \file
/// cvt to and from floats of 6 and 4 bits and scale factors, two at a time (PTX ISA, "cvt"; OCP Microscaling Formats
/// (MX) Specification 1.0).

#include <warpkit/base/lanes.hpp>
#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/frontend/ptx/half.hpp>
#include <warpkit/frontend/ptx/matrix.hpp>
#include <warpkit/frontend/ptx/operation.hpp>

#include <bit>
#include <cmath>
#include <cstdint>

namespace warpkit::ptx::semantics {

/// A float of a sign, Exponent and Fraction bits, all codes of which are numbers; `stride`: bits that it takes.
template <unsigned Exponent, unsigned Fraction, unsigned Stride>
struct tiny_float {
    static constexpr unsigned stride = Stride;
    static constexpr unsigned sign = 1U << (Exponent + Fraction);
    static constexpr unsigned greatest = sign - 1;
    static constexpr int least_exponent = 2 - (1 << (Exponent - 1)); ///< of a normal number

    static double value(unsigned code) noexcept { return matrices::finite_real<Fraction, Exponent>(code); }
    /// The nearest, of two the even one; what is too large, and NaN, is the greatest number (.satfinite).
    static unsigned from(double x) noexcept {
        if (x != x) return greatest;
        auto const negative = std::signbit(x) ? sign : 0;
        auto const magnitude = std::fabs(x);
        if (magnitude >= value(greatest)) return negative | greatest;
        int exponent = least_exponent;
        if (magnitude != 0) {
            std::frexp(magnitude, &exponent);
            exponent = exponent - 1 < least_exponent ? least_exponent : exponent - 1;
        }
        auto const steps = std::ldexp(magnitude, static_cast<int>(Fraction) - exponent);
        auto n = static_cast<unsigned>(steps);
        auto const rest = steps - n;
        n += rest > 0.5 || (rest == 0.5 && n % 2 != 0) ? 1 : 0;
        return negative | ((static_cast<unsigned>(exponent - least_exponent) << Fraction) + n);
    }
};
using e2m1_pair = tiny_float<2, 1, 4>;
using e2m3_pair = tiny_float<2, 3, 8>;
using e3m2_pair = tiny_float<3, 2, 8>;

/// cvt.e2m1x2.f32 d, a, b and its like: a becomes the upper of the two.
template <class Tiny>
void pack_tiny(warp_context& c, operation const& o, lane_mask mask) {
    bool const relu = o.modifiers->has(modifier::relu);
    std::uint64_t result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        unsigned both = 0;
        for (unsigned i = 0; i < 2; ++i) {
            auto code = Tiny::from(c.source<float>(o, i)[l]);
            if (relu && (code & Tiny::sign) != 0) code = 0;
            both = both << Tiny::stride | code;
        }
        result[l] = both;
    }
    c.write_sized(o.destination[0], result, o.destination_bytes, mask);
}
/// cvt.f16x2.e2m1x2 and its like, which are exact.
template <class Tiny>
void unpack_tiny(warp_context& c, operation const& o, lane_mask mask) {
    bool const relu = o.modifiers->has(modifier::relu);
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    std::uint32_t result[lanes]{};
    for (unsigned l = 0; l < lanes; ++l)
        for (unsigned part = 0; part < 2; ++part) {
            auto const code = static_cast<unsigned>(v[l] >> (Tiny::stride * part)) & (2 * Tiny::sign - 1);
            auto h = half::from(Tiny::value(code), rounding::rn);
            if (relu) h = half::rectify(h);
            result[l] |= std::uint32_t{h} << (16 * part);
        }
    c.write<std::uint32_t>(o.destination[0], result, mask);
}
template <int = 0>
execute_function tiny_conversions(form const& f) {
    if (static_cast<rounding>(f.get(modifier::rounding)) != rounding::rn) return nullptr;
    switch (f.type[0]) {
    case scalar::e2m1x2:
        return &pack_tiny<e2m1_pair>;
    case scalar::e2m3x2:
        return &pack_tiny<e2m3_pair>;
    case scalar::e3m2x2:
        return &pack_tiny<e3m2_pair>;
    default:
        return f.type[1] == scalar::e2m1x2   ? &unpack_tiny<e2m1_pair>
               : f.type[1] == scalar::e2m3x2 ? &unpack_tiny<e2m3_pair>
                                             : &unpack_tiny<e3m2_pair>;
    }
}

/// The scale factor .ue8m0, a power of two, of a number's magnitude: not above it, or with Up not below. Too large a
/// number gives the greatest (.satfinite) or, as NaN does, NaN.
template <bool Up>
std::uint32_t scale_of(float x, bool limited) noexcept {
    auto const b = std::bit_cast<std::uint32_t>(x) & 0x7fffffff;
    if (b > 0x7f800000) return 0xff;
    auto code = b >> 23;
    auto const fraction = b & 0x7fffff;
    // 2^-127, the least, is a subnormal number.
    if (Up && fraction > (code == 0 ? 0x400000U : 0U)) ++code;
    return limited && code == 0xff ? 0xfe : code;
}
template <bool Up, bool FromPair>
void pack_scales(warp_context& c, operation const& o, lane_mask mask) {
    bool const limited = o.modifiers->has(modifier::satfinite);
    std::uint64_t result[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        float part[2];
        for (unsigned i = 0; i < 2; ++i)
            if constexpr (FromPair)
                part[i] =
                    std::bit_cast<float>(c.source<std::uint32_t>(o, 0)[l] << (i == 0 ? 0 : 16) & 0xffff0000);
            else
                part[i] = c.source<float>(o, i)[l];
        result[l] = scale_of<Up>(part[0], limited) << 8 | scale_of<Up>(part[1], limited);
    }
    c.write_sized(o.destination[0], result, o.destination_bytes, mask);
}
/// cvt.rn.bf16x2.ue8m0x2
inline void unpack_scales(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t v[lanes];
    c.read_sized(o.source[0], o.source_bytes, v);
    std::uint32_t result[lanes]{};
    for (unsigned l = 0; l < lanes; ++l)
        for (unsigned part = 0; part < 2; ++part) {
            auto const code = static_cast<std::uint32_t>(v[l] >> (8 * part)) & 0xff;
            auto const b = code == 0xff ? 0x7fffU : code == 0 ? 0x40U : code << 7;
            result[l] |= b << (16 * part);
        }
    c.write<std::uint32_t>(o.destination[0], result, mask);
}
template <int = 0>
execute_function scale_conversions(form const& f) {
    auto const r = static_cast<rounding>(f.get(modifier::rounding));
    if (f.type[0] == scalar::bf16x2) return r == rounding::rn ? &unpack_scales : nullptr;
    bool const pair = f.type[1] == scalar::bf16x2;
    if (r == rounding::rz) return pair ? &pack_scales<false, true> : &pack_scales<false, false>;
    if (r == rounding::rp) return pair ? &pack_scales<true, true> : &pack_scales<true, false>;
    return nullptr;
}

} // namespace warpkit::ptx::semantics
