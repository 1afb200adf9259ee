#pragma once
/// \file
/// Floating-point instructions. Results depend on the operands alone: only IEEE basic operations, std::fma where the
/// instruction is fused, and correctly rounded square roots; products and sums of one expression are never contracted
/// because each instruction's result is stored before the next reads it.

#include <warpkit/frontend/ptx/approximation.hpp>
#include <warpkit/frontend/ptx/lane_map.hpp>
#include <warpkit/frontend/ptx/soft_float.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace warpkit::ptx::semantics {

/// What an instruction returns for a NaN: 0x7fffffff for .f32 as the PTX ISA says, and for .f64 the quiet NaN that
/// CUDA calls its own (a fixed choice, so that results depend on nothing but the operands).
template <class T>
constexpr T canonical_nan() {
    if constexpr (sizeof(T) == 4)
        return std::bit_cast<float>(0x7fffffffU);
    else
        return std::bit_cast<double>(0xfff8000000000000ULL);
}

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <class T>
inline constexpr bits_of<T> sign_bit = bits_of<T>{1} << (8 * sizeof(T) - 1);

/// A zero of the same sign for a subnormal number.
template <class T>
constexpr T flush(T x) {
    constexpr T least = std::numeric_limits<T>::min();
    auto const b = std::bit_cast<bits_of<T>>(x);
    return x < least && x > -least ? std::bit_cast<T>(b & sign_bit<T>) : x;
}

namespace real {
template <class T>
struct add {
    static T apply(T a, T b) { return a + b; }
};
template <class T>
struct subtract {
    static T apply(T a, T b) { return a - b; }
};
template <class T>
struct multiply {
    static T apply(T a, T b) { return a * b; }
};
template <class T>
struct divide {
    static T apply(T a, T b) { return a / b; }
};
template <class T>
struct reciprocal {
    static T apply(T a) { return T{1} / a; }
};
template <class T>
struct square_root {
    static T apply(T a) { return std::sqrt(a); }
};
template <class T>
struct fused {
    static T apply(T a, T b, T c) { return std::fma(a, b, c); }
};
#if !defined(__FMA__)
/// Without a fused instruction, in double: the product is exact, the sum is rounded to odd (with the exact error of the
/// addition), and so the last rounding to float is right. Boldo and Melquiond, "Emulation of FMA and correctly rounded
/// sums: proved algorithms using rounding to odd", 2008. Contraction cannot change it: the product is exact anyway.
/// Written as loops over all lanes, which compilers turn into vector instructions.
template <>
struct fused<float> {
    static void apply_lanes(float const (&in)[3][lanes], float (&r)[lanes]) {
        double sum[lanes];
        double error[lanes];
        for (unsigned l = 0; l < lanes; ++l) {
            double const p = static_cast<double>(in[0][l]) * static_cast<double>(in[1][l]);
            double const q = static_cast<double>(in[2][l]);
            double const s = p + q;
            double const t = s - p;
            sum[l] = s;
            error[l] = (p - (s - t)) + (q - t);
        }
        std::uint64_t bits[lanes];
        std::uint64_t rest[lanes];
        std::memcpy(bits, sum, sizeof bits);
        std::memcpy(rest, error, sizeof rest);
        for (unsigned l = 0; l < lanes; ++l) {
            auto const opposite = 0 - ((bits[l] ^ rest[l]) >> 63);
            auto const magnitude = rest[l] & ~sign_bit<double>;
            auto const inexact = (magnitude | (0 - magnitude)) >> 63;
            auto const infinite = ((bits[l] >> 52 & 0x7ff) + 1) >> 11; // NaN too: these stay as they are
            auto const step = ~bits[l] & inexact & ~infinite; // an even sum moves towards the exact value
            bits[l] += (step ^ opposite) - opposite;
        }
        std::memcpy(sum, bits, sizeof sum);
        for (unsigned l = 0; l < lanes; ++l) r[l] = static_cast<float>(sum[l]);
    }
};
#endif
/// A NaN loses against a number; -0 is less than +0.
template <class T>
struct minimum {
    static T apply(T a, T b) {
        if (a == b) return std::bit_cast<T>(std::bit_cast<bits_of<T>>(a) | std::bit_cast<bits_of<T>>(b));
        return a != a ? b : b != b ? a : a < b ? a : b;
    }
};
template <class T>
struct maximum {
    static T apply(T a, T b) {
        if (a == b) return std::bit_cast<T>(std::bit_cast<bits_of<T>>(a) & std::bit_cast<bits_of<T>>(b));
        return a != a ? b : b != b ? a : a > b ? a : b;
    }
};
template <class T>
struct minimum_nan {
    static T apply(T a, T b) { return a != a || b != b ? canonical_nan<T>() : minimum<T>::apply(a, b); }
};
template <class T>
struct maximum_nan {
    static T apply(T a, T b) { return a != a || b != b ? canonical_nan<T>() : maximum<T>::apply(a, b); }
};
} // namespace real

/// Runs Op on the lanes with what the form asks for around it: subnormals flushed on both sides (.ftz), the result
/// clamped to [0, 1] with NaN as 0 (.sat), NaNs made canonical.
template <class Op, class T, unsigned N>
void map_real(warp_context& c, operation const& o, lane_mask mask) {
    T in[N][lanes];
    for (unsigned i = 0; i < N; ++i) {
        auto const* s = c.source<T>(o, i);
        for (unsigned l = 0; l < lanes; ++l) in[i][l] = s[l];
        if (o.ftz)
            for (unsigned l = 0; l < lanes; ++l) in[i][l] = flush<T>(in[i][l]);
    }
    T r[lanes];
    if constexpr (requires { Op::apply_lanes(in, r); }) {
        Op::apply_lanes(in, r);
    } else {
        for (unsigned l = 0; l < lanes; ++l) {
            if constexpr (N == 1)
                r[l] = Op::apply(in[0][l]);
            else if constexpr (N == 2)
                r[l] = Op::apply(in[0][l], in[1][l]);
            else
                r[l] = Op::apply(in[0][l], in[1][l], in[2][l]);
        }
    }
    for (unsigned l = 0; l < lanes; ++l) r[l] = r[l] == r[l] ? r[l] : canonical_nan<T>();
    if (o.ftz)
        for (unsigned l = 0; l < lanes; ++l) r[l] = flush<T>(r[l]);
    if (o.sat)
        for (unsigned l = 0; l < lanes; ++l) r[l] = r[l] > T{0} ? (r[l] < T{1} ? r[l] : T{1}) : T{0};
    c.write<T>(o.destination[0], r, mask);
}

/// The instance for the form's first type, .f32 or .f64.
template <template <class> class Op, unsigned N>
execute_function reals(form const& f) {
    // .f64 is never saturated, and flushed only where it is approximate.
    if (f.type[0] == scalar::f64 &&
        (f.has(modifier::sat) || (f.has(modifier::ftz) && !f.has(modifier::approx))))
        return nullptr;
    switch (f.type[0]) {
    case scalar::f32:
        return &map_real<Op<float>, float, N>;
    case scalar::f64:
        return &map_real<Op<double>, double, N>;
    default:
        return nullptr;
    }
}

/// The directed roundings, in software: F::apply(operands, rounding).
namespace rounded {
struct add {
    template <class T>
    static T apply(T a, T b, rounding r) {
        return soft::add(a, b, r);
    }
};
struct subtract {
    template <class T>
    static T apply(T a, T b, rounding r) {
        return soft::add(a, -b, r);
    }
};
struct multiply {
    template <class T>
    static T apply(T a, T b, rounding r) {
        return soft::multiply(a, b, r);
    }
};
struct divide {
    template <class T>
    static T apply(T a, T b, rounding r) {
        return soft::divide(a, b, r);
    }
};
struct reciprocal {
    template <class T>
    static T apply(T a, rounding r) {
        return soft::divide(T{1}, a, r);
    }
};
struct square_root {
    template <class T>
    static T apply(T a, rounding r) {
        return soft::square_root(a, r);
    }
};
struct fused {
    template <class T>
    static T apply(T a, T b, T c, rounding r) {
        return soft::fused(a, b, c, r);
    }
};
} // namespace rounded

template <class F, class T, unsigned N>
void map_rounded(warp_context& c, operation const& o, lane_mask mask) {
    T r[lanes]{};
    for (unsigned l = 0; l < lanes; ++l) {
        if ((mask & ptx::detail::lane_bit[l]) == 0) continue;
        T in[N];
        for (unsigned i = 0; i < N; ++i) {
            in[i] = c.source<T>(o, i)[l];
            if (o.ftz) in[i] = flush<T>(in[i]);
        }
        T x{};
        if constexpr (N == 1)
            x = F::apply(in[0], o.rounding);
        else if constexpr (N == 2)
            x = F::apply(in[0], in[1], o.rounding);
        else
            x = F::apply(in[0], in[1], in[2], o.rounding);
        if (o.ftz) x = flush<T>(x);
        if (o.sat) x = x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
        r[l] = x == x ? x : canonical_nan<T>();
    }
    c.write<T>(o.destination[0], r, mask);
}
/// Op for round-to-nearest, F for the rest.
template <template <class> class Op, class F, unsigned N>
execute_function rounded_reals(form const& f) {
    auto const r = static_cast<rounding>(f.get(modifier::rounding));
    if (r == rounding::none || r == rounding::rn || reals<Op, N>(f) == nullptr) return reals<Op, N>(f);
    return f.type[0] == scalar::f32 ? &map_rounded<F, float, N> : &map_rounded<F, double, N>;
}

/// The approximate functions.
namespace approximate_function {
struct sine {
    static float apply(float a) { return approximate::sine(a); }
};
struct cosine {
    static float apply(float a) { return approximate::cosine(a); }
};
struct exp2 {
    static float apply(float a) { return approximate::exp2(a); }
};
struct log2 {
    static float apply(float a) { return approximate::log2(a); }
};
struct hyperbolic_tangent {
    static float apply(float a) { return approximate::hyperbolic_tangent(a); }
};
template <class T>
struct reciprocal_square_root {
    static T apply(T a) {
        if constexpr (sizeof(T) == 4)
            return approximate::reciprocal_square_root(a);
        else
            return 1.0 / std::sqrt(a);
    }
};
} // namespace approximate_function
/// One function of .f32, only evaluated where a lane asks.
template <class F>
void map_approximate(warp_context& c, operation const& o, lane_mask mask) {
    auto const* s = c.source<float>(o, 0);
    float r[lanes]{};
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        float const x = F::apply(o.ftz ? flush<float>(s[l]) : s[l]);
        r[l] = x == x ? (o.ftz ? flush<float>(x) : x) : canonical_nan<float>();
    }
    c.write<float>(o.destination[0], r, mask);
}

/// testp
template <class T>
void test_property(warp_context& c, operation const& o, lane_mask mask) {
    using U = bits_of<T>;
    constexpr U infinity = soft::format_of<T>::infinity;
    constexpr U least = U{1} << (soft::format_of<T>::precision - 1);
    auto const* s = c.source<U>(o, 0);
    auto const test = o.modifiers->get(modifier::test);
    lane_mask result = 0;
    for (unsigned l = 0; l < lanes; ++l) {
        U const m = s[l] & static_cast<U>(~sign_bit<T>);
        bool yes = false;
        switch (test) {
        case 1:
            yes = m < infinity;
            break;
        case 2:
            yes = m == infinity;
            break;
        case 3:
            yes = m <= infinity;
            break;
        case 4:
            yes = m > infinity;
            break;
        case 5:
            yes = m >= least && m < infinity;
            break;
        default:
            yes = m != 0 && m < least;
            break;
        }
        result |= static_cast<lane_mask>(yes) << l;
    }
    c.write_predicate(o.destination[0], result, mask);
}
template <int = 0>
execute_function property_tests(form const& f) {
    return f.type[0] == scalar::f32 ? &test_property<float> : &test_property<double>;
}

/// Sign operations work on the bits and leave NaNs alone.
template <class T>
struct real_negate {
    static T apply(T a) { return static_cast<T>(a ^ (T{1} << (8 * sizeof(T) - 1))); }
};
template <class T>
struct real_absolute {
    static T apply(T a) { return static_cast<T>(a & ~(T{1} << (8 * sizeof(T) - 1))); }
};
/// neg.ftz and abs.ftz of .f32.
template <class Op>
void map_flushed(warp_context& c, operation const& o, lane_mask mask) {
    auto const* s = c.source<float>(o, 0);
    std::uint32_t r[lanes];
    for (unsigned l = 0; l < lanes; ++l) r[l] = Op::apply(std::bit_cast<std::uint32_t>(flush<float>(s[l])));
    c.write<std::uint32_t>(o.destination[0], r, mask);
}
/// copysign d, a, b: b with the sign of a.
template <class T>
struct real_copysign {
    static T apply(T a, T b) {
        constexpr T sign = T{1} << (8 * sizeof(T) - 1);
        return static_cast<T>((b & ~sign) | (a & sign));
    }
};

} // namespace warpkit::ptx::semantics
