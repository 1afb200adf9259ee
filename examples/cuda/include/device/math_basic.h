/* What both precisions share: polynomials, scaling by powers of two, signs, rounding, remainders, classification. */
#ifndef WARPKIT_CUDA_DEVICE_MATH_BASIC_H
#define WARPKIT_CUDA_DEVICE_MATH_BASIC_H

#define WARPKIT_CUDA_MATH WARPKIT_CUDA_DEVICE

namespace warpkit_cuda {
WARPKIT_CUDA_MATH float fused(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPKIT_CUDA_MATH double fused(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
/* c[0] + x * (c[1] + x * ...) */
template <int N, class T>
WARPKIT_CUDA_MATH T polynomial(T const (&c)[N], T x) {
    T r = c[N - 1];
#pragma unroll
    for (int i = N - 2; i >= 0; --i) r = fused(r, x, c[i]);
    return r;
}
WARPKIT_CUDA_MATH float infinity(float) { return __int_as_float(0x7f800000); }
WARPKIT_CUDA_MATH double infinity(double) { return __longlong_as_double(0x7ff0000000000000ll); }
WARPKIT_CUDA_MATH float not_a_number(float) { return __int_as_float(0x7fffffff); }
WARPKIT_CUDA_MATH double not_a_number(double) { return __longlong_as_double(0x7fffffffffffffffll); }
/* 2^n, for exponents of normal numbers. */
WARPKIT_CUDA_MATH float power_of_two(float, int n) { return __int_as_float((n + 127) << 23); }
WARPKIT_CUDA_MATH double power_of_two(double, int n) {
    return __longlong_as_double((long long)(n + 1023) << 52);
}
/* x * 2^n rounded once, for x near 1 and n to twice the range of exponents. */
template <class T>
WARPKIT_CUDA_MATH T scaled(T x, int n) {
    int const half = n >> 1;
    return x * power_of_two(x, half) * power_of_two(x, n - half);
}
WARPKIT_CUDA_MATH float truncated(float x) { return __builtin_truncf(x); }
WARPKIT_CUDA_MATH double truncated(double x) { return __builtin_trunc(x); }
WARPKIT_CUDA_MATH float with_sign(float x, float s) { return __builtin_copysignf(x, s); }
WARPKIT_CUDA_MATH double with_sign(double x, double s) { return __builtin_copysign(x, s); }
template <class T>
WARPKIT_CUDA_MATH bool is_odd_integer(T y) {
    T const half = y * (T)0.5;
    return truncated(y) == y && truncated(half) != half;
}
} // namespace warpkit_cuda

#define WARPKIT_CUDA_BOTH_PRECISIONS(name, single, twice)                                                    \
    WARPKIT_CUDA_MATH float name##f(float x) { return single; }                                              \
    WARPKIT_CUDA_MATH float name(float x) { return single; }                                                 \
    WARPKIT_CUDA_MATH double name(double x) { return twice; }
WARPKIT_CUDA_BOTH_PRECISIONS(fabs, __builtin_fabsf(x), __builtin_fabs(x))
WARPKIT_CUDA_BOTH_PRECISIONS(ceil, __builtin_ceilf(x), __builtin_ceil(x))
WARPKIT_CUDA_BOTH_PRECISIONS(floor, __builtin_floorf(x), __builtin_floor(x))
WARPKIT_CUDA_BOTH_PRECISIONS(trunc, __builtin_truncf(x), __builtin_trunc(x))
WARPKIT_CUDA_BOTH_PRECISIONS(rint, __builtin_rintf(x), __builtin_rint(x))
WARPKIT_CUDA_BOTH_PRECISIONS(nearbyint, __builtin_rintf(x), __builtin_rint(x))
WARPKIT_CUDA_BOTH_PRECISIONS(sqrt, __nvvm_sqrt_rn_f(x), __nvvm_sqrt_rn_d(x))
WARPKIT_CUDA_BOTH_PRECISIONS(rsqrt, __nvvm_rsqrt_approx_f(x), 1.0 / __nvvm_sqrt_rn_d(x))
#undef WARPKIT_CUDA_BOTH_PRECISIONS

WARPKIT_CUDA_MATH double abs(double x) { return __builtin_fabs(x); }
WARPKIT_CUDA_MATH float abs(float x) { return __builtin_fabsf(x); }
WARPKIT_CUDA_MATH int abs(int x) { return x < 0 ? -x : x; }
WARPKIT_CUDA_MATH long abs(long x) { return x < 0 ? -x : x; }
WARPKIT_CUDA_MATH long long abs(long long x) { return x < 0 ? -x : x; }
WARPKIT_CUDA_MATH long labs(long x) { return x < 0 ? -x : x; }
WARPKIT_CUDA_MATH long long llabs(long long x) { return x < 0 ? -x : x; }
WARPKIT_CUDA_MATH bool isnan(float x) { return x != x; }
WARPKIT_CUDA_MATH bool isnan(double x) { return x != x; }
WARPKIT_CUDA_MATH bool isinf(float x) { return __builtin_fabsf(x) == warpkit_cuda::infinity(x); }
WARPKIT_CUDA_MATH bool isinf(double x) { return __builtin_fabs(x) == warpkit_cuda::infinity(x); }
WARPKIT_CUDA_MATH bool isfinite(float x) { return __builtin_fabsf(x) < warpkit_cuda::infinity(x); }
WARPKIT_CUDA_MATH bool isfinite(double x) { return __builtin_fabs(x) < warpkit_cuda::infinity(x); }
WARPKIT_CUDA_MATH bool isnormal(float x) { return isfinite(x) && __builtin_fabsf(x) >= 0x1p-126f; }
WARPKIT_CUDA_MATH bool isnormal(double x) { return isfinite(x) && __builtin_fabs(x) >= 0x1p-1022; }
WARPKIT_CUDA_MATH bool signbit(float x) { return __float_as_int(x) < 0; }
WARPKIT_CUDA_MATH bool signbit(double x) { return __double_as_longlong(x) < 0; }

/* Halves away from zero: trunc(x + 0.5) would round the largest number below a half up. */
WARPKIT_CUDA_MATH float round(float x) {
    float const t = __builtin_truncf(x);
    return __builtin_fabsf(x - t) >= 0.5f ? t + __builtin_copysignf(1.0f, x) : __builtin_copysignf(t, x);
}
WARPKIT_CUDA_MATH double round(double x) {
    double const t = __builtin_trunc(x);
    return __builtin_fabs(x - t) >= 0.5 ? t + __builtin_copysign(1.0, x) : __builtin_copysign(t, x);
}
WARPKIT_CUDA_MATH float roundf(float x) { return round(x); }
#define WARPKIT_CUDA_TO_INTEGER(name, type, rounded, convert)                                                \
    WARPKIT_CUDA_MATH type name(float x) { return (type)convert(rounded(x)); }                               \
    WARPKIT_CUDA_MATH type name(double x) { return (type)convert(rounded(x)); }                              \
    WARPKIT_CUDA_MATH type name##f(float x) { return name(x); }
WARPKIT_CUDA_TO_INTEGER(lrint, long, rint, )
WARPKIT_CUDA_TO_INTEGER(llrint, long long, rint, )
WARPKIT_CUDA_TO_INTEGER(lround, long, round, )
WARPKIT_CUDA_TO_INTEGER(llround, long long, round, )
#undef WARPKIT_CUDA_TO_INTEGER

#define WARPKIT_CUDA_BOTH_PRECISIONS(name, single, twice)                                                    \
    WARPKIT_CUDA_MATH float name##f(float x, float y) { return single; }                                     \
    WARPKIT_CUDA_MATH float name(float x, float y) { return single; }                                        \
    WARPKIT_CUDA_MATH double name(double x, double y) { return twice; }
WARPKIT_CUDA_BOTH_PRECISIONS(copysign, __builtin_copysignf(x, y), __builtin_copysign(x, y))
WARPKIT_CUDA_BOTH_PRECISIONS(fmax, __builtin_fmaxf(x, y), __builtin_fmax(x, y))
WARPKIT_CUDA_BOTH_PRECISIONS(fmin, __builtin_fminf(x, y), __builtin_fmin(x, y))
WARPKIT_CUDA_BOTH_PRECISIONS(fdim, x <= y ? 0.0f : x - y, x <= y ? 0.0 : x - y)
#undef WARPKIT_CUDA_BOTH_PRECISIONS
WARPKIT_CUDA_MATH float fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
WARPKIT_CUDA_MATH float fma(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPKIT_CUDA_MATH float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
WARPKIT_CUDA_MATH double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }

namespace warpkit_cuda {
/* The bits of a number: mantissa bits, bias, and the integer of its width. */
template <class T>
struct layout;
template <>
struct layout<float> {
    typedef int bits;
    enum { mantissa = 23, bias = 127, top = 255 };
    WARPKIT_CUDA_DEVICE int of(float x) { return __float_as_int(x); }
    WARPKIT_CUDA_DEVICE float from(int x) { return __int_as_float(x); }
};
template <>
struct layout<double> {
    typedef long long bits;
    enum { mantissa = 52, bias = 1023, top = 2047 };
    WARPKIT_CUDA_DEVICE long long of(double x) { return __double_as_longlong(x); }
    WARPKIT_CUDA_DEVICE double from(long long x) { return __longlong_as_double(x); }
};
template <class T>
WARPKIT_CUDA_MATH int exponent_field(T x) {
    return (int)(layout<T>::of(x) >> layout<T>::mantissa) & layout<T>::top;
}
/* x = m * 2^e with m in [1, 2); x is finite and not zero. */
template <class T>
WARPKIT_CUDA_MATH T split_number(T x, int* e) {
    typedef layout<T> l;
    int field = exponent_field(x);
    int extra = 0;
    if (field == 0) { /* subnormal */
        x = x * power_of_two(x, l::mantissa + 2);
        extra = l::mantissa + 2;
        field = exponent_field(x);
    }
    *e = field - l::bias - extra;
    typename l::bits const mask = (typename l::bits)l::top << l::mantissa;
    return l::from((l::of(x) & ~mask) | ((typename l::bits)l::bias << l::mantissa));
}
template <class T>
WARPKIT_CUDA_MATH bool is_zero_or_not_finite(T x) {
    return x == 0 || exponent_field(x) == layout<T>::top;
}
template <class T>
WARPKIT_CUDA_MATH T load_exponent(T x, int n) {
    int const most = layout<T>::bias;
    int const kept = layout<T>::mantissa + 1;
#pragma unroll
    for (int i = 0; i < 2; ++i)
        if (n > most) {
            x = x * power_of_two(x, most);
            n -= most;
        } else if (n < 1 - most) { /* not down to subnormals yet: they would be rounded twice */
            x = x * power_of_two(x, 1 - most) * power_of_two(x, kept);
            n += most - 1 - kept;
        }
    n = n > most ? most : n < 1 - most ? 1 - most : n;
    return x * power_of_two(x, n);
}
template <class T>
WARPKIT_CUDA_MATH T fraction_and_exponent(T x, int* e) {
    *e = 0;
    if (is_zero_or_not_finite(x)) return x;
    T const m = split_number(x, e);
    *e += 1;
    return m * (T)0.5;
}
template <class T>
WARPKIT_CUDA_MATH int exponent_of(T x) {
    if (x == 0) return -2147483647 - 1;
    if (exponent_field(x) == layout<T>::top) return x != x ? -2147483647 - 1 : 2147483647;
    int e;
    split_number(x, &e);
    return e;
}
/* The remainder of a division, sign of x: y times a power of two is taken off as long as there is something to take
 * it off, each time exactly. */
template <class T>
WARPKIT_CUDA_MATH T modulo(T x, T y) {
    T a = abs(x);
    T const b = abs(y);
    if (!(a < infinity(a)) || !(b > 0)) return b != b ? y : not_a_number(x);
    while (a >= b) {
        int ea, eb;
        split_number(a, &ea);
        split_number(b, &eb);
        T t = load_exponent(b, ea - eb);
        if (t > a) t = t * (T)0.5;
        a = a - t;
    }
    return with_sign(a, x);
}
/* x - n * y with n the nearest integer to x / y, the even one of two; its low three bits with the quotient's sign. */
template <class T>
WARPKIT_CUDA_MATH T nearest_remainder(T x, T y, int* quotient) {
    *quotient = 0;
    T a = abs(x);
    T const b = abs(y);
    if (!(a < infinity(a)) || !(b > 0)) return b != b ? y : not_a_number(x);
    if (b == infinity(b)) return x;
    int q = 0;
    T const eight = b * (T)8;
    if (eight < infinity(b)) a = modulo(a, eight);
#pragma unroll
    for (int bit = 4; bit != 0; bit >>= 1) {
        T const t = b * (T)bit;
        if (a >= t) {
            a = a - t;
            q += bit;
        }
    }
    bool const up = a > b - a || (a == b - a && (q & 1) != 0);
    if (up) {
        a = a - b;
        ++q;
    }
    q &= 7;
    *quotient = signbit(x) != signbit(y) ? -q : q;
    if (a == 0) return with_sign(a, x);
    return signbit(x) ? -a : a;
}
template <class T>
WARPKIT_CUDA_MATH T neighbour(T x, T y) {
    typedef layout<T> l;
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0) return with_sign(l::from(1), y);
    return l::from(l::of(x) + ((x < y) == (x > 0) ? 1 : -1));
}
} // namespace warpkit_cuda

#define WARPKIT_CUDA_BOTH_PRECISIONS(type, name)                                                             \
    WARPKIT_CUDA_MATH type ldexp##name(type x, int n) { return warpkit_cuda::load_exponent(x, n); }          \
    WARPKIT_CUDA_MATH type scalbn##name(type x, int n) { return warpkit_cuda::load_exponent(x, n); }         \
    WARPKIT_CUDA_MATH type scalbln##name(type x, long n) {                                                   \
        return warpkit_cuda::load_exponent(x, n > 9999 ? 9999 : n < -9999 ? -9999 : (int)n);                 \
    }                                                                                                        \
    WARPKIT_CUDA_MATH type frexp##name(type x, int* e) { return warpkit_cuda::fraction_and_exponent(x, e); } \
    WARPKIT_CUDA_MATH int ilogb##name(type x) { return warpkit_cuda::exponent_of(x); }                       \
    WARPKIT_CUDA_MATH type logb##name(type x) {                                                              \
        if (x == 0) return -warpkit_cuda::infinity(x);                                                       \
        if (x != x) return x;                                                                                \
        return isinf(x) ? abs(x) : (type)warpkit_cuda::exponent_of(x);                                       \
    }                                                                                                        \
    WARPKIT_CUDA_MATH type modf##name(type x, type* whole) {                                                 \
        *whole = (type)trunc(x);                                                                             \
        return (type)copysign(isinf(x) ? (type)0 : x - *whole, x);                                           \
    }                                                                                                        \
    WARPKIT_CUDA_MATH type fmod##name(type x, type y) { return warpkit_cuda::modulo(x, y); }                 \
    WARPKIT_CUDA_MATH type remainder##name(type x, type y) {                                                 \
        int q;                                                                                               \
        return warpkit_cuda::nearest_remainder(x, y, &q);                                                    \
    }                                                                                                        \
    WARPKIT_CUDA_MATH type remquo##name(type x, type y, int* q) {                                            \
        return warpkit_cuda::nearest_remainder(x, y, q);                                                     \
    }                                                                                                        \
    WARPKIT_CUDA_MATH type nextafter##name(type x, type y) { return warpkit_cuda::neighbour(x, y); }
WARPKIT_CUDA_BOTH_PRECISIONS(float, f)
WARPKIT_CUDA_BOTH_PRECISIONS(float, )
WARPKIT_CUDA_BOTH_PRECISIONS(double, )
#undef WARPKIT_CUDA_BOTH_PRECISIONS

WARPKIT_CUDA_MATH float nanf(char const*) { return warpkit_cuda::not_a_number(0.0f); }
WARPKIT_CUDA_MATH double nan(char const*) { return warpkit_cuda::not_a_number(0.0); }

#endif
