/* Double precision. */
#ifndef WARPKIT_CUDA_DEVICE_MATH_DOUBLE_H
#define WARPKIT_CUDA_DEVICE_MATH_DOUBLE_H

namespace warpkit_cuda {
/* x = q * pi/2 + r for large x: as many bits of 2/pi as matter modulo 4 times the mantissa of x. */
WARPKIT_CUDA_DEVICE double reduce_large(double x, int* q) {
    unsigned long long const two_over_pi[] = {
        0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
        0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
        0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
        0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
        0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};
    *q = 0;
    if (!(__builtin_fabs(x) < infinity(x))) return not_a_number(x);
    unsigned long long const bits = (unsigned long long)__double_as_longlong(x);
    unsigned long long const m = (bits & 0xfffffffffffffull) | 0x10000000000000ull;
    int const first = exponent_field(x) - 1075 - 2; /* bits of 2/pi before this one give multiples of 4 */
    int const word = first >> 6;
    int const shift = first & 63;
    unsigned long long w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) w[i] = word + i < 0 ? 0 : two_over_pi[word + i];
    if (shift != 0) {
#pragma unroll
        for (int i = 0; i < 3; ++i) w[i] = w[i] << shift | w[i + 1] >> (64 - shift);
    }
    /* The product modulo 2^192, in units of 2^-190. */
    unsigned long long const p0 = w[2] * m;
    unsigned long long const low = w[1] * m;
    unsigned long long const p1 = low + __umul64hi(w[2], m);
    unsigned long long const p2 = w[0] * m + __umul64hi(w[1], m) + (p1 < low ? 1 : 0);
    int n = (int)(p2 >> 62);
    unsigned long long high = p2 << 2 | p1 >> 62;
    unsigned long long rest = p1 << 2 | p0 >> 62;
    if ((high >> 63) != 0) ++n; /* the nearer multiple: what is left is negative, in two's complement */
    long long const whole = (long long)high;
    double const a = (double)whole;
    double const b = (double)(whole - (long long)a) + (double)rest * 0x1p-64;
    double const r =
        fused(a, 0x1.921fb54442d18p+0, fused(b, 0x1.921fb54442d18p+0, a * 0x1.1a62633145c07p-54)) * 0x1p-64;
    bool const negative = signbit(x);
    *q = negative ? -n : n;
    return negative ? -r : r;
}
WARPKIT_CUDA_MATH double reduce(double x, int* q) {
    if (!(__builtin_fabs(x) < 105615.0)) return reduce_large(x, q);
    double const n = __builtin_rint(x * 0.63661977236758138);
    *q = (int)n;
    double const r = fused(n, -0x1.0b4611a600000p-34, fused(n, -0x1.921fb54400000p+0, x));
    return fused(n, -0x1.3198a2e037073p-69, r);
}
WARPKIT_CUDA_MATH double sine_of_quadrant(double r, int q) {
    double const z = r * r;
    double const s[] = {-1.0 / 6,        1.0 / 120,          -1.0 / 5040,           1.0 / 362880,
                        -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
    double const c[] = {1.0 / 24,        -1.0 / 720,           1.0 / 40320,           -1.0 / 3628800,
                        1.0 / 479001600, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    double const half = 0.5 * z;
    double const w = 1.0 - half;
    double const sine = fused(polynomial(s, z) * z, r, r);
    double const cosine = w + fused(z * z, polynomial(c, z), (1.0 - w) - half);
    double const v = (q & 1) != 0 ? cosine : sine;
    return (q & 2) != 0 ? -v : v;
}
WARPKIT_CUDA_MATH double clamped(double x, double low, double high) { /* keeps NaN */
    x = x > high ? high : x;
    return x < low ? low : x;
}
/* e^r - 1 for |r| <= 0.35. */
WARPKIT_CUDA_MATH double exponential_rest(double r) {
    double const c[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                        1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
    return fused(polynomial(c, r), r * r, r);
}
/* e^(x + low), |x| <= 760. */
WARPKIT_CUDA_MATH double exponential(double x, double low) {
    double const n = __builtin_rint(x * 1.4426950408889634);
    double r = fused(n, -0x1.62e42fee00000p-1, x);
    r = fused(n, -0x1.a39ef35793c76p-33, r) + low;
    return scaled(1.0 + exponential_rest(r), (int)n);
}
/* x = m * 2^e, m in [sqrt 1/2, sqrt 2). */
WARPKIT_CUDA_MATH double near_one(double x, int* e) {
    double m = split_number(x, e);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        *e += 1;
    }
    return m;
}
/* log m = 2 s + s * this, s = (m - 1) / (m + 1), z = s * s. */
WARPKIT_CUDA_MATH double log_series(double z) {
    double const c[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11,
                        2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    return polynomial(c, z) * z;
}
/* log(1 + f) - f: with h = f^2 / 2, s = f / (2 + f) it is s * (h + series) - h. */
WARPKIT_CUDA_MATH double log_correction(double f) {
    double const h = 0.5 * f * f;
    double const s = f / (2.0 + f);
    return fused(s, h + log_series(s * s), -h);
}
WARPKIT_CUDA_MATH bool is_positive_finite(double x) { return x > 0.0 && x < infinity(x); }
WARPKIT_CUDA_MATH double log_elsewhere(double x) {
    return x == 0.0 ? -infinity(x) : x > 0.0 || x != x ? x : not_a_number(x);
}
/* A logarithm to a base: scale + scale_low is 1 / ln base, octave + octave_low log 2. */
WARPKIT_CUDA_MATH double logarithm(double x, double scale, double scale_low, double octave,
                                   double octave_low) {
    if (!is_positive_finite(x)) return log_elsewhere(x);
    int e;
    double const f = near_one(x, &e) - 1.0;
    double const r = fused(log_correction(f), scale, fused(f, scale_low, e * octave_low));
    return fused((double)e, octave, fused(f, scale, r));
}
/* asin(x) / x - 1 with z = x * x in [0, 1/4]. */
WARPKIT_CUDA_MATH double arc_sine_rest(double z) {
    double const c[] = {0.16666666666666669,  0.07499999999998241,  0.044642857146723884,
                        0.030381944110905588, 0.022372174011297822, 0.017352368321478896,
                        0.013971565810842527, 0.011475819825600139, 0.010344122183082912,
                        0.005368212957182933, 0.017638135659022794, -0.015213966699756363,
                        0.028999571683810194};
    return polynomial(c, z) * z;
}
/* atan of t in [0, 1]. */
WARPKIT_CUDA_MATH double arc_tangent(double t) {
    double const c[] = {-0.3333333333333333,  0.19999999999999993, -0.14285714285711656, 0.11111111110769738,
                        -0.09090909067851613, 0.07692306763848594, -0.06666642604244681, 0.05881933320757887,
                        -0.05258115880123278, 0.04719847338972051, -0.04106181908663749, 0.030674408583194958,
                        -0.013955776073826883};
    bool const upper = t > 0.41421356237309503;
    if (upper) t = (t - 1.0) / (t + 1.0);
    double const z = t * t;
    double const rest = polynomial(c, z) * z;
    if (!upper) return fused(rest, t, t);
    return 0.78539816339744828 + (t + fused(rest, t, 3.0616169978683831e-17));
}
/* erfc(a) for a in [0.75, 27.3]: e^(a^2) erfc(a) (1 + 2a) in (a - 4) / (a + 4). */
WARPKIT_CUDA_MATH double scaled_complement(double a) {
    double const c[] = {1.2329951186255526,     -0.13962111684056233,    0.015379652102622002,
                        0.06809705425466711,    -0.10103906603646351,    0.09373283499945413,
                        -0.06633036580790143,   0.037167515515442714,    -0.016197734116764718,
                        0.005031970221633172,   -0.0007577728302174837,  -0.00019925832733606595,
                        0.00015061953526108855, -2.4392290973646015e-05, -1.1215978542771029e-05,
                        5.6909761109527056e-06, 2.839293302452948e-07,   -7.937566736956127e-07,
                        8.246278079190724e-08,  7.922344827435279e-08,   -1.8703410087779385e-08};
    return polynomial(c, (a - 4.0) / (a + 4.0)) / fused(2.0, a, 1.0);
}
WARPKIT_CUDA_MATH double complement(double a) {
    a = clamped(a, 0.75, 27.3);
    double const square = a * a;
    return exponential(-square, -fused(a, a, -square)) * scaled_complement(a);
}
WARPKIT_CUDA_MATH double error_function_rest(double x) { /* erf(x) / x - 1, |x| <= 1 */
    double const c[] = {0.12837916709551256,     -0.3761263890318375,     0.11283791670954885,
                        -0.026866170645077864,   0.005223977624828321,    -0.0008548326981419694,
                        0.00012055331132756152,  -1.4925595767675424e-05, 1.646100840978948e-06,
                        -1.6350395543361748e-07, 1.4660324411389128e-08,  -1.1374940005371312e-09,
                        5.960660208517486e-11};
    return polynomial(c, x * x);
}
/* Stirling's series: log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2), x >= 12. */
WARPKIT_CUDA_MATH double stirling_rest(double x) {
    double const c[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
    double const r = 1.0 / x;
    return polynomial(c, r * r) * r;
}
} // namespace warpkit_cuda

WARPKIT_CUDA_MATH double exp(double x) {
    return warpkit_cuda::exponential(warpkit_cuda::clamped(x, -760.0, 760.0), 0.0);
}
WARPKIT_CUDA_MATH double exp2(double x) {
    x = warpkit_cuda::clamped(x, -1100.0, 1100.0);
    double const n = __builtin_rint(x);
    double const f = x - n;
    double const r = warpkit_cuda::fused(f, 0.69314718055994529, f * 2.3190468138462996e-17);
    return warpkit_cuda::scaled(1.0 + warpkit_cuda::exponential_rest(r), (int)n);
}
WARPKIT_CUDA_MATH double exp10(double x) {
    x = warpkit_cuda::clamped(x, -330.0, 330.0);
    double const n = __builtin_rint(x * 3.3219280948873622);
    double f = warpkit_cuda::fused(n, -0x1.3441350800000p-2, x);
    f = warpkit_cuda::fused(n, -0x1.f79fef311f12bp-34, f);
    double const r = warpkit_cuda::fused(f, 2.3025850929940459, f * -2.1707562233822494e-16);
    return warpkit_cuda::scaled(1.0 + warpkit_cuda::exponential_rest(r), (int)n);
}
WARPKIT_CUDA_MATH double expm1(double x) {
    x = warpkit_cuda::clamped(x, -60.0, 710.0);
    double const n = __builtin_rint(x * 1.4426950408889634);
    double r = warpkit_cuda::fused(n, -0x1.62e42fee00000p-1, x);
    r = warpkit_cuda::fused(n, -0x1.a39ef35793c76p-33, r);
    double const p = warpkit_cuda::exponential_rest(r);
    if (n == 0.0) return p;
    double const t = warpkit_cuda::power_of_two(0.0, (int)n - 1);
    return 2.0 * warpkit_cuda::fused(p, t, t - 0.5);
}
WARPKIT_CUDA_MATH double log(double x) {
    return warpkit_cuda::logarithm(x, 1.0, 0.0, 0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33);
}
WARPKIT_CUDA_MATH double log2(double x) {
    return warpkit_cuda::logarithm(x, 1.4426950408889634, 2.0355273740931033e-17, 1.0, 0.0);
}
WARPKIT_CUDA_MATH double log10(double x) {
    return warpkit_cuda::logarithm(x, 0.43429448190325182, 1.098319650216765e-17, 0x1.3441350800000p-2,
                                   0x1.f79fef311f12bp-34);
}
WARPKIT_CUDA_MATH double log1p(double x) {
    if (!(x > -1.0 && x < warpkit_cuda::infinity(x)))
        return x == -1.0 ? -warpkit_cuda::infinity(x) : x > 0.0 || x != x ? x : warpkit_cuda::not_a_number(x);
    if (x > -0.29 && x < 0.41) return x + warpkit_cuda::log_correction(x);
    /* 1 + x = m * 2^e as rounded; what the rounding took away is put back. */
    double const u = 1.0 + x;
    double const lost = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    int e;
    double const f = warpkit_cuda::near_one(u, &e) - 1.0;
    double const low = warpkit_cuda::fused((double)e, 0x1.a39ef35793c76p-33, lost / u);
    return warpkit_cuda::fused((double)e, 0x1.62e42fee00000p-1, f + (warpkit_cuda::log_correction(f) + low));
}
/* x^y = e^(y log x), the logarithm in two doubles. */
WARPKIT_CUDA_MATH double pow(double x, double y) {
    using namespace warpkit_cuda;
    if (x == 1.0 || y == 0.0) return 1.0;
    if (x != x || y != y) return x + y;
    double const a = __builtin_fabs(x);
    bool const negative = signbit(x) && is_odd_integer(y);
    if (a == 0.0 || a == infinity(a)) {
        double const r = (y < 0.0) == (a == 0.0) ? infinity(a) : 0.0;
        return negative ? -r : r;
    }
    if (isinf(y)) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? infinity(a) : 0.0;
    if (x < 0.0 && __builtin_trunc(y) != y) return not_a_number(x);
    int e;
    double const m = near_one(a, &e);
    double const f = m - 1.0;
    double const g = m + 1.0;
    double const g_low = m - (g - 1.0);
    double const s = f / g;
    double const s_low = fused(-s, g_low, fused(-s, g, f)) / g;
    /* s^3 * 2/3 in two doubles, the rest of the series in one. */
    double const z = s * s;
    double const z_low = fused(s, s, -z) + 2.0 * s * s_low;
    double const t = s * z;
    double const t_low = fused(s, z, -t) + fused(s, z_low, s_low * z);
    double const p = t * 0.66666666666666663;
    double const p_low =
        fused(t, 0.66666666666666663, -p) + fused(t, 3.7007434154171883e-17, t_low * 0.66666666666666663);
    double const c[] = {2.0 / 5,  2.0 / 7,  2.0 / 9,  2.0 / 11, 2.0 / 13,
                        2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21};
    double const rest = polynomial(c, z) * z * t;
    /* e ln 2 + 2 s + p + rest, largest first. */
    double const big = e * 0x1.62e42fee00000p-1; /* exact */
    double high = fused(2.0, s, big);
    double low = fused(2.0, s, big - high);
    double const next = high + p;
    low += p - (next - high);
    low += fused(2.0, s_low, fused((double)e, 0x1.a39ef35793c76p-33, p_low + rest));
    high = next + low;
    low = low - (high - next);
    double const product = y * high;
    low = __builtin_fabs(product) > 760.0 ? 0.0 : fused(y, low, fused(y, high, -product));
    double const r = exponential(clamped(product, -760.0, 760.0), low);
    return negative ? -r : r;
}
WARPKIT_CUDA_MATH double sin(double x) {
    int q;
    double const r = warpkit_cuda::reduce(x, &q);
    return warpkit_cuda::sine_of_quadrant(r, q);
}
WARPKIT_CUDA_MATH double cos(double x) {
    int q;
    double const r = warpkit_cuda::reduce(x, &q);
    return warpkit_cuda::sine_of_quadrant(r, q + 1);
}
WARPKIT_CUDA_MATH void sincos(double x, double* s, double* c) {
    int q;
    double const r = warpkit_cuda::reduce(x, &q);
    *s = warpkit_cuda::sine_of_quadrant(r, q);
    *c = warpkit_cuda::sine_of_quadrant(r, q + 1);
}
WARPKIT_CUDA_MATH double tan(double x) {
    int q;
    double const r = warpkit_cuda::reduce(x, &q);
    return warpkit_cuda::sine_of_quadrant(r, q) / warpkit_cuda::sine_of_quadrant(r, q + 1);
}
WARPKIT_CUDA_MATH double sinpi(double x) {
    double const n = __builtin_rint(x + x);
    double const r = warpkit_cuda::fused(n, -0.5, x) * 3.1415926535897931;
    return isinf(x) ? warpkit_cuda::not_a_number(x)
                    : warpkit_cuda::sine_of_quadrant(r, (int)(n - 4.0 * __builtin_floor(n * 0.25)));
}
WARPKIT_CUDA_MATH double cospi(double x) {
    double const n = __builtin_rint(x + x);
    double const r = warpkit_cuda::fused(n, -0.5, x) * 3.1415926535897931;
    return isinf(x) ? warpkit_cuda::not_a_number(x)
                    : warpkit_cuda::sine_of_quadrant(r, (int)(n - 4.0 * __builtin_floor(n * 0.25)) + 1);
}
WARPKIT_CUDA_MATH void sincospi(double x, double* s, double* c) {
    *s = sinpi(x);
    *c = cospi(x);
}
WARPKIT_CUDA_MATH double atan(double x) {
    double const a = __builtin_fabs(x);
    double const r = warpkit_cuda::arc_tangent(a > 1.0 ? 1.0 / a : a);
    return __builtin_copysign(a > 1.0 ? 1.5707963267948966 - (r - 6.123233995736766e-17) : r, x);
}
WARPKIT_CUDA_MATH double atan2(double y, double x) {
    if (x != x || y != y) return x + y;
    double const a = __builtin_fabs(x);
    double const b = __builtin_fabs(y);
    double const high = a > b ? a : b;
    double const low = a > b ? b : a;
    double const t = high == 0.0 ? 0.0 : low == warpkit_cuda::infinity(low) ? 1.0 : low / high;
    double r = warpkit_cuda::arc_tangent(t);
    if (b > a) r = 1.5707963267948966 - (r - 6.123233995736766e-17);
    if (signbit(x)) r = 3.1415926535897931 - (r - 1.2246467991473532e-16);
    return __builtin_copysign(r, y);
}
WARPKIT_CUDA_MATH double asin(double x) {
    double const a = __builtin_fabs(x);
    if (a <= 0.5) return warpkit_cuda::fused(x, warpkit_cuda::arc_sine_rest(x * x), x);
    double const z = warpkit_cuda::fused(a, -0.5, 0.5);
    double const s = __nvvm_sqrt_rn_d(z);
    double const r = warpkit_cuda::fused(s, warpkit_cuda::arc_sine_rest(z), s);
    return __builtin_copysign(1.5707963267948966 - (2.0 * r - 6.123233995736766e-17), x);
}
WARPKIT_CUDA_MATH double acos(double x) {
    double const a = __builtin_fabs(x);
    if (a <= 0.5) {
        double const rest = x * warpkit_cuda::arc_sine_rest(x * x);
        return 1.5707963267948966 - (x - (6.123233995736766e-17 - rest));
    }
    double const z = warpkit_cuda::fused(a, -0.5, 0.5);
    double const s = __nvvm_sqrt_rn_d(z);
    double const s_low = s == 0.0 ? 0.0 : warpkit_cuda::fused(-s, s, z) / (s + s);
    double const r = s + warpkit_cuda::fused(s, warpkit_cuda::arc_sine_rest(z), s_low);
    return x > 0.0 ? 2.0 * r : 3.1415926535897931 - (2.0 * r - 1.2246467991473532e-16);
}
WARPKIT_CUDA_MATH double sinh(double x) {
    double const a = __builtin_fabs(x);
    double r;
    if (a > 700.0) {
        double const e = warpkit_cuda::exponential(warpkit_cuda::clamped(0.5 * a, 0.0, 360.0), 0.0);
        r = 0.5 * e * e;
    } else {
        double const t = expm1(a);
        r = 0.5 * (t + t / (t + 1.0));
    }
    return __builtin_copysign(r, x);
}
WARPKIT_CUDA_MATH double cosh(double x) {
    double const a = __builtin_fabs(x);
    if (a > 700.0) {
        double const e = warpkit_cuda::exponential(warpkit_cuda::clamped(0.5 * a, 0.0, 360.0), 0.0);
        return 0.5 * e * e;
    }
    double const e = warpkit_cuda::exponential(a, 0.0);
    return warpkit_cuda::fused(0.5, e, 0.5 / e);
}
WARPKIT_CUDA_MATH double tanh(double x) {
    double const a = __builtin_fabs(x);
    double r;
    if (a < 1.0) {
        double const t = expm1(a + a);
        double const d = t + 2.0;
        r = t / d;
        r += (warpkit_cuda::fused(-r, d, t) - r * (t - (d - 2.0))) / d; /* what both roundings took */
    } else {
        double const e = warpkit_cuda::exponential(warpkit_cuda::clamped(a + a, 0.0, 80.0), 0.0);
        r = 1.0 - 2.0 / (e + 1.0);
    }
    return __builtin_copysign(r, x);
}
WARPKIT_CUDA_MATH double asinh(double x) {
    double const a = __builtin_fabs(x);
    double const r = a > 0x1p500
                         ? log(a) + 0.69314718055994529
                         : log1p(a + a * a / (1.0 + __nvvm_sqrt_rn_d(warpkit_cuda::fused(a, a, 1.0))));
    return __builtin_copysign(r, x);
}
WARPKIT_CUDA_MATH double acosh(double x) {
    double const t = x - 1.0;
    return x > 0x1p500 ? log(x) + 0.69314718055994529
                       : log1p(t + __nvvm_sqrt_rn_d(warpkit_cuda::fused(t, t, t + t)));
}
WARPKIT_CUDA_MATH double atanh(double x) {
    double const a = __builtin_fabs(x);
    return __builtin_copysign(0.5 * log1p((a + a) / (1.0 - a)), x);
}
WARPKIT_CUDA_MATH double erf(double x) {
    double const a = __builtin_fabs(x);
    if (a <= 1.0) return warpkit_cuda::fused(warpkit_cuda::error_function_rest(x), x, x);
    return __builtin_copysign(1.0 - warpkit_cuda::complement(a), x);
}
WARPKIT_CUDA_MATH double erfc(double x) {
    double const a = __builtin_fabs(x);
    if (a < 0.75) return 1.0 - warpkit_cuda::fused(warpkit_cuda::error_function_rest(x), x, x);
    double const r = warpkit_cuda::complement(a);
    return x < 0.0 ? 2.0 - r : r;
}
WARPKIT_CUDA_MATH double erfcx(double x) {
    if (x < 0.75) return exp(x * x) * erfc(x);
    return warpkit_cuda::scaled_complement(x);
}
WARPKIT_CUDA_MATH float erfcxf(float x) { return (float)erfcx((double)x); }
WARPKIT_CUDA_MATH double normcdf(double x) { return 0.5 * erfc(x * -0.70710678118654757); }
WARPKIT_CUDA_MATH double cbrt(double x) {
    if (x == 0.0 || !isfinite(x)) return x;
    int e;
    double m = warpkit_cuda::split_number(__builtin_fabs(x), &e);
    int const third = (e + 3000) / 3 - 1000;
    m *= (double)(1 << (e - 3 * third)); /* [1, 8) */
    double const y = (double)__nvvm_ex2_approx_f(__nvvm_lg2_approx_f((float)m) * 0.333333343f);
    double const d = warpkit_cuda::fused(y * y, y, -m); /* y * y is exact: y is a float */
    double const r = y - y * d / warpkit_cuda::fused(2.0, d, 3.0 * m);
    return __builtin_copysign(r * warpkit_cuda::power_of_two(r, third), x);
}
WARPKIT_CUDA_MATH double rcbrt(double x) { return 1.0 / cbrt(x); }
WARPKIT_CUDA_MATH double hypot(double x, double y) {
    double const a = __builtin_fabs(x);
    double const b = __builtin_fabs(y);
    double const inf = warpkit_cuda::infinity(a);
    if (a == inf || b == inf) return inf;
    double const high = a > b ? a : b;
    double const scale = high > 0x1p510 ? 0x1p-550 : high < 0x1p-510 ? 0x1p550 : 1.0;
    double const back = high > 0x1p510 ? 0x1p550 : high < 0x1p-510 ? 0x1p-550 : 1.0;
    double const p = a * scale;
    double const q = b * scale;
    return __nvvm_sqrt_rn_d(warpkit_cuda::fused(p, p, q * q)) * back;
}
WARPKIT_CUDA_MATH double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
WARPKIT_CUDA_MATH double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
WARPKIT_CUDA_MATH double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
namespace warpkit_cuda {
/* gamma(a) for a in (0, 180): Stirling's series from 12 on, below by the recurrence. */
WARPKIT_CUDA_MATH double gamma_function(double a) {
    double product = 1.0;
    double t = a;
    double steps = 0.0;
    while (t < 12.0) {
        product *= t;
        steps += 1.0;
        t = a + steps;
    }
    double const lost =
        a - (t - steps); /* of t by rounding: gamma'(t) is gamma(t) times the digamma function */
    product *= 1.0 - lost * (log(t) - 0.5 / t);
    double const half = pow(t, 0.5 * t - 0.25); /* in two parts: t^(t - 1/2) overflows before gamma does */
    return half * (exp(-t) * half) * 2.5066282746310002 * exp(stirling_rest(t)) / product;
}
} // namespace warpkit_cuda
WARPKIT_CUDA_MATH double lgamma(double x) {
    using namespace warpkit_cuda;
    if (x != x) return x;
    if (isinf(x)) return infinity(x);
    double const a = __builtin_fabs(x);
    if (x <= 0.0 && __builtin_trunc(x) == x) return infinity(x);
    double r = a < 0x1p-60 ? -log(a)
               : a < 12.0  ? log(gamma_function(a))
                           : fused(a - 0.5, log(a), -a) + (0.91893853320467278 + stirling_rest(a));
    if (x < 0.0) r = log(3.1415926535897931 / __builtin_fabs(a * sinpi(a))) - r;
    return r;
}
WARPKIT_CUDA_MATH double tgamma(double x) {
    using namespace warpkit_cuda;
    if (x != x) return x;
    if (x == 0.0) return with_sign(infinity(x), x);
    if (isinf(x)) return x > 0.0 ? x : not_a_number(x);
    if (x < 0.0 && __builtin_trunc(x) == x) return not_a_number(x);
    double const a = x < 0.0 ? 1.0 - x : x;
    double const r = a < 180.0 ? gamma_function(a) : infinity(a);
    return x < 0.0 ? 3.1415926535897931 / (sinpi(x) * r) : r;
}
WARPKIT_CUDA_MATH float lgammaf(float x) { return (float)lgamma((double)x); }
WARPKIT_CUDA_MATH float tgammaf(float x) { return (float)tgamma((double)x); }

#endif
