#pragma once
/// \file
/// Floating-point instructions. Results depend on the operands alone: only IEEE basic operations, std::fma where the
/// instruction is fused, and correctly rounded square roots; products and sums of one expression are never contracted
/// because each instruction's result is stored before the next reads it.

#include <warpkit/frontend/ptx/lane_map.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
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
template <>
struct fused<float> {
    static float apply(float a, float b, float c) {
        double const p = static_cast<double>(a) * static_cast<double>(b);
        double const q = static_cast<double>(c);
        double const s = p + q;
        double const t = s - p;
        double const e = (p - (s - t)) + (q - t);
        auto bits = std::bit_cast<std::int64_t>(s);
        std::int64_t const inexact = (e > 0) | (e < 0);
        std::int64_t const outward = (e > 0) == (s > 0) ? 1 : -1;
        bits += (~bits & inexact) * outward;
        return static_cast<float>(std::bit_cast<double>(bits));
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
    for (unsigned l = 0; l < lanes; ++l) {
        if constexpr (N == 1)
            r[l] = Op::apply(in[0][l]);
        else if constexpr (N == 2)
            r[l] = Op::apply(in[0][l], in[1][l]);
        else
            r[l] = Op::apply(in[0][l], in[1][l], in[2][l]);
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
    switch (f.type[0]) {
    case scalar::f32:
        return &map_real<Op<float>, float, N>;
    case scalar::f64:
        return &map_real<Op<double>, double, N>;
    default:
        return nullptr;
    }
}

/// Sign operations work on the bits and leave NaNs alone.
template <template <class> class Op, unsigned N>
execute_function sign_operations(form const& f) {
    return bits<Op, N>(f);
}
template <class T>
struct real_negate {
    static T apply(T a) { return static_cast<T>(a ^ (T{1} << (8 * sizeof(T) - 1))); }
};
template <class T>
struct real_absolute {
    static T apply(T a) { return static_cast<T>(a & ~(T{1} << (8 * sizeof(T) - 1))); }
};
/// copysign d, a, b: b with the sign of a.
template <class T>
struct real_copysign {
    static T apply(T a, T b) {
        constexpr T sign = T{1} << (8 * sizeof(T) - 1);
        return static_cast<T>((b & ~sign) | (a & sign));
    }
};

} // namespace warpkit::ptx::semantics
