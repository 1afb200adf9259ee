#pragma once
/// \file
/// The 16-bit formats, .f16 and .bf16, and pairs of them in .f16x2 and .bf16x2. Each result is found exactly, as
/// integers times powers of two, and then rounded once.

#include <warpkit/frontend/ptx/approximation.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/soft_float.hpp>

#include <bit>
#include <cstdint>

namespace warpkit::ptx::semantics {

/// The bits of a 16-bit number in format F: soft::half_format or soft::bfloat_format.
template <class F>
struct narrow {
    using bits = std::uint16_t;
    static constexpr bits nan = 0x7fff;
    static constexpr bits sign = 0x8000;
    static constexpr bits infinity = F::infinity;
    static constexpr bits greatest = static_cast<bits>(F::infinity - 1);
    static constexpr bits one = static_cast<bits>((F::greatest >> 1) << (F::precision - 1));

    static constexpr bool is_nan(bits h) noexcept { return (h & 0x7fff) > infinity; }
    static constexpr bool is_finite(bits h) noexcept { return (h & infinity) != infinity; }
    static constexpr bits flush(bits h) noexcept {
        return (h & infinity) == 0 ? static_cast<bits>(h & sign) : h;
    }
    /// Clamped to [0, 1], NaN as +0.
    static constexpr bits saturate(bits h) noexcept {
        if (is_nan(h) || (h & sign) != 0) return 0;
        return h > one ? one : h;
    }
    /// .relu: what is negative becomes +0; a NaN stays one.
    static constexpr bits rectify(bits h) noexcept { return is_nan(h) ? nan : (h & sign) != 0 ? bits{0} : h; }
    /// .satfinite: an infinity becomes the greatest number of its sign.
    static constexpr bits bound(bits h) noexcept {
        return (h & 0x7fff) == infinity ? static_cast<bits>((h & sign) | greatest) : h;
    }
    static constexpr bits negated(bits h) noexcept { return static_cast<bits>(h ^ sign); }
    /// Exact.
    static float to_float(bits h) noexcept {
        auto const p = soft::split_bits<F>(h);
        if (is_nan(h)) return std::bit_cast<float>(0x7fffffffU);
        if (!is_finite(h)) return std::bit_cast<float>(p.sign ? 0xff800000U : 0x7f800000U);
        return soft::join<float>(p.sign, p.mantissa, p.exponent, rounding::rn);
    }
    template <class S>
    static bits from(S x, rounding r) noexcept {
        if (x != x) return nan;
        auto const p = soft::split(x);
        if (!soft::finite(x)) return static_cast<bits>(infinity | (p.sign ? sign : bits{0}));
        return soft::round_to<F>(p.sign, p.mantissa, p.exponent, r);
    }
    /// a * b + c, rounded to nearest once.
    static bits fused(bits a, bits b, bits c) noexcept {
        if (is_nan(a) || is_nan(b) || is_nan(c)) return nan;
        bool const negative = ((a ^ b) & sign) != 0;
        if (!is_finite(a) || !is_finite(b)) {
            if ((a & 0x7fff) == 0 || (b & 0x7fff) == 0) return nan;
            if (!is_finite(c) && ((c & sign) != 0) != negative) return nan;
            return static_cast<bits>(infinity | (negative ? sign : bits{0}));
        }
        if (!is_finite(c)) return c;
        auto const x = soft::split_bits<F>(a);
        auto const y = soft::split_bits<F>(b);
        auto const z = soft::split_bits<F>(c);
        return soft::sum_to<F>(negative, soft::u128{x.mantissa} * y.mantissa, x.exponent + y.exponent, z.sign,
                               z.mantissa, z.exponent, rounding::rn);
    }
    /// Ordered as integers, -0 below +0.
    static constexpr int rank(bits h) noexcept { return (h & sign) != 0 ? -1 - (h & 0x7fff) : h; }
};
using half = narrow<soft::half_format>;
using bfloat = narrow<soft::bfloat_format>;

/// Operations on numbers of N, one of the two above.
namespace halves {
struct add {
    template <class N>
    static auto apply(typename N::bits a, typename N::bits b) {
        return N::fused(a, N::one, b);
    }
};
struct subtract {
    template <class N>
    static auto apply(typename N::bits a, typename N::bits b) {
        return N::is_nan(b) ? N::nan : N::fused(a, N::one, N::negated(b));
    }
};
struct multiply { // adding -0 changes nothing
    template <class N>
    static auto apply(typename N::bits a, typename N::bits b) {
        return N::fused(a, b, N::sign);
    }
};
struct multiply_add {
    template <class N>
    static auto apply(typename N::bits a, typename N::bits b, typename N::bits c) {
        return N::fused(a, b, c);
    }
};
struct negate {
    template <class N>
    static auto apply(typename N::bits a) {
        return N::is_nan(a) ? N::nan : N::negated(a);
    }
};
struct absolute {
    template <class N>
    static auto apply(typename N::bits a) {
        return N::is_nan(a) ? N::nan : static_cast<typename N::bits>(a & ~N::sign);
    }
};
template <bool Greater, bool Propagates>
struct extreme {
    template <class N>
    static auto apply(typename N::bits a, typename N::bits b) {
        if (N::is_nan(a) || N::is_nan(b))
            return (N::is_nan(a) && N::is_nan(b)) || Propagates ? N::nan : N::is_nan(a) ? b : a;
        return (N::rank(a) < N::rank(b)) != Greater ? a : b;
    }
};
/// The approximate functions: those of .f32, rounded.
struct exp2 {
    template <class N>
    static auto apply(typename N::bits a) {
        return N::from(approximate::exp2(N::to_float(a)), rounding::rn);
    }
};
struct hyperbolic_tangent {
    template <class N>
    static auto apply(typename N::bits a) {
        return N::from(approximate::hyperbolic_tangent(N::to_float(a)), rounding::rn);
    }
};
} // namespace halves

/// Op on lanes of W, each one number or two, with what the form asks for around it, as map_real has it.
template <class Op, class N, class W, unsigned Sources>
void map_half(warp_context& c, operation const& o, lane_mask mask) {
    bool const relu = o.modifiers->has(modifier::relu);
    W r[lanes]{};
    for (unsigned l = 0; l < lanes; ++l)
        for (unsigned part = 0; part < sizeof(W) / 2; ++part) {
            typename N::bits in[Sources];
            for (unsigned i = 0; i < Sources; ++i) {
                in[i] = static_cast<typename N::bits>(c.source<W>(o, i)[l] >> (16 * part));
                if (o.ftz) in[i] = N::flush(in[i]);
            }
            typename N::bits x = 0;
            if constexpr (Sources == 1)
                x = Op::template apply<N>(in[0]);
            else if constexpr (Sources == 2)
                x = Op::template apply<N>(in[0], in[1]);
            else
                x = Op::template apply<N>(in[0], in[1], in[2]);
            if (o.ftz) x = N::flush(x);
            if (o.sat) x = N::saturate(x);
            if (relu) x = N::rectify(x);
            r[l] = static_cast<W>(r[l] | static_cast<W>(x) << (16 * part));
        }
    c.write<W>(o.destination[0], r, mask);
}
template <class Op, unsigned N>
execute_function half_precision(form const& f) {
    auto const r = static_cast<rounding>(f.get(modifier::rounding));
    if (r != rounding::none && r != rounding::rn) return nullptr;
    switch (f.type[0]) {
    case scalar::f16:
        return &map_half<Op, half, std::uint16_t, N>;
    case scalar::f16x2:
        return &map_half<Op, half, std::uint32_t, N>;
    case scalar::bf16:
        return &map_half<Op, bfloat, std::uint16_t, N>;
    default:
        return &map_half<Op, bfloat, std::uint32_t, N>;
    }
}

} // namespace warpkit::ptx::semantics
