/* Inverse error functions, norms of any dimension, and Bessel functions. */
#ifndef WARPKIT_CUDA_DEVICE_MATH_SPECIAL_H
#define WARPKIT_CUDA_DEVICE_MATH_SPECIAL_H

namespace warpkit_cuda {
/* The z with erf(z) = x for |x| <= 0.5: Halley's steps from the first terms of the series (Abramowitz and Stegun,
 * 7.1.5 reverted). */
WARPKIT_CUDA_MATH double inverse_error_inner(double x) {
    double const s = 0.78539816339744831 * x * x;
    double z =
        0.88622692545275805 * x * (1.0 + s * (0.33333333333333331 + s * (0.23333333333333334 + s * 0.2)));
    for (int i = 0; i < 2; ++i) {
        double const step = (erf(z) - x) * exp(z * z) * 0.88622692545275805;
        z -= step / fused(z, step, 1.0);
    }
    return z;
}
/* The z > 0 with erfc(z) = y for 0 < y <= 0.5: Newton's steps for log(erfc(z)), which is nearly a parabola, from the first
 * terms of the asymptotic series. */
WARPKIT_CUDA_MATH double inverse_error_outer(double y) {
    double const l = -log(y);
    double z = __nvvm_sqrt_rn_d(l);
    if (l > 2.0) z = __nvvm_sqrt_rn_d(l - log(1.7724538509055161 * z));
    for (int i = 0; i < 5; ++i) {
        double const scaled = erfcx(z);
        z -= (fused(z, z, -l) - log(scaled)) * scaled * 0.88622692545275805;
        if (z < 0.0) z = 0.01; /* outside of what can be: only a first step may */
    }
    return z;
}
} // namespace warpkit_cuda
WARPKIT_CUDA_MATH double erfinv(double x) {
    double const a = __builtin_fabs(x);
    if (!(a <= 1.0)) return warpkit_cuda::not_a_number(x);
    if (a == 1.0) return warpkit_cuda::with_sign(warpkit_cuda::infinity(x), x);
    if (a <= 0.5) return warpkit_cuda::inverse_error_inner(x);
    return warpkit_cuda::with_sign(warpkit_cuda::inverse_error_outer(1.0 - a), x);
}
WARPKIT_CUDA_MATH double erfcinv(double y) {
    if (!(y >= 0.0 && y <= 2.0)) return warpkit_cuda::not_a_number(y);
    if (y == 0.0) return warpkit_cuda::infinity(y);
    if (y < 0.5) return warpkit_cuda::inverse_error_outer(y);
    return erfinv(1.0 - y);
}
WARPKIT_CUDA_MATH double normcdfinv(double p) { return -1.4142135623730951 * erfcinv(p + p); }
WARPKIT_CUDA_MATH float erfinvf(float x) { return (float)erfinv((double)x); }
WARPKIT_CUDA_MATH float erfcinvf(float y) { return (float)erfcinv((double)y); }
WARPKIT_CUDA_MATH float normcdfinvf(float p) { return (float)normcdfinv((double)p); }
WARPKIT_CUDA_MATH float erfinv(float x) { return erfinvf(x); }
WARPKIT_CUDA_MATH float erfcinv(float y) { return erfcinvf(y); }
WARPKIT_CUDA_MATH float normcdfinv(float p) { return normcdfinvf(p); }

WARPKIT_CUDA_MATH double norm4d(double a, double b, double c, double d) {
    return hypot(hypot(a, b), hypot(c, d));
}
WARPKIT_CUDA_MATH double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
WARPKIT_CUDA_MATH float norm4df(float a, float b, float c, float d) {
    return hypotf(hypotf(a, b), hypotf(c, d));
}
WARPKIT_CUDA_MATH float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
WARPKIT_CUDA_MATH double norm(int dimension, double const* p) {
    double r = 0.0;
    for (int i = 0; i < dimension; ++i) r = hypot(r, p[i]);
    return r;
}
WARPKIT_CUDA_MATH double rnorm(int dimension, double const* p) { return 1.0 / norm(dimension, p); }
WARPKIT_CUDA_MATH float normf(int dimension, float const* p) { /* in double: no overflow, and rounded once */
    double sum = 0.0;
    for (int i = 0; i < dimension; ++i) sum = warpkit_cuda::fused((double)p[i], (double)p[i], sum);
    return (float)__nvvm_sqrt_rn_d(sum);
}
WARPKIT_CUDA_MATH float rnormf(int dimension, float const* p) { return 1.0f / normf(dimension, p); }

/* Bessel functions. Up to 25 their power series, summed in pairs of doubles, since its terms cancel (up to nine digits at
 * 25); beyond it Hankel's asymptotic series (Abramowitz and Stegun, 9.1.10, 9.1.11, 9.2.5 to 9.2.10). */
namespace warpkit_cuda {
struct pair_of_doubles {
    double high, low;
};
WARPKIT_CUDA_MATH pair_of_doubles pair_sum(pair_of_doubles a, pair_of_doubles b) {
    double const s = __dadd_rn(a.high, b.high), t = __dsub_rn(s, a.high);
    double const e = __dadd_rn(__dsub_rn(a.high, __dsub_rn(s, t)), __dsub_rn(b.high, t)) + (a.low + b.low);
    double const high = __dadd_rn(s, e);
    pair_of_doubles const r = {high, __dsub_rn(e, __dsub_rn(high, s))};
    return r;
}
WARPKIT_CUDA_MATH pair_of_doubles pair_product(pair_of_doubles a, pair_of_doubles b) {
    double const p = __dmul_rn(a.high, b.high);
    double const e = fused(a.high, b.high, -p) + (a.high * b.low + a.low * b.high);
    double const high = __dadd_rn(p, e);
    pair_of_doubles const r = {high, __dsub_rn(e, __dsub_rn(high, p))};
    return r;
}
WARPKIT_CUDA_MATH pair_of_doubles pair_quotient(pair_of_doubles a, double b) {
    double const q = a.high / b;
    double const rest = (fused(-q, b, a.high) + a.low) / b;
    double const high = __dadd_rn(q, rest);
    pair_of_doubles const r = {high, __dsub_rn(rest, __dsub_rn(high, q))};
    return r;
}
/* The sum of (-x^2/4)^k / (k! (k + n)!) n!, each term times what `weight` says of k, for n of 0 or 1. */
template <class Weight>
WARPKIT_CUDA_MATH pair_of_doubles bessel_series(double x, int n, double sign, Weight weight) {
    double const half = 0.5 * x;
    pair_of_doubles const square = {half * half, fused(half, half, -__dmul_rn(half, half))};
    pair_of_doubles const factor = {sign * square.high, sign * square.low};
    pair_of_doubles term = {1.0, 0.0}, sum = {0.0, 0.0};
    for (int k = 0; k < 90; ++k) {
        sum = pair_sum(sum, weight(term, k));
        term = pair_quotient(pair_quotient(pair_product(term, factor), k + 1.0), k + 1.0 + n);
        if (k > half && __builtin_fabs(term.high) < 1e-33) break;
    }
    return sum;
}
struct bessel_plain {
    __device__ pair_of_doubles operator()(pair_of_doubles t, int) const { return t; }
};
/* Times H(k) + H(k + n) of the harmonic numbers. */
struct bessel_harmonic {
    int n;
    mutable pair_of_doubles h; /* H(k) */
    __device__ pair_of_doubles operator()(pair_of_doubles t, int k) const {
        pair_of_doubles const one = {1.0, 0.0}, none = {0.0, 0.0};
        if (k > 0) h = pair_sum(h, pair_quotient(one, k));
        pair_of_doubles const next = n == 0 ? h : pair_sum(h, pair_quotient(one, k + 1.0));
        return pair_sum(none, pair_product(t, pair_sum(h, next)));
    }
};
/* J or Y of order n, of x > 25. */
WARPKIT_CUDA_MATH double bessel_far(double x, int n, bool second) {
    double const m = 4.0 * n * n, z = 8.0 * x;
    double p = 0.0, q = 0.0, term = 1.0;
    for (int k = 0; k < 40; ++k) {
        if (k % 2 == 0)
            p += k % 4 == 0 ? term : -term;
        else
            q += k % 4 == 1 ? term : -term;
        double const next = term * (m - (2.0 * k + 1.0) * (2.0 * k + 1.0)) / ((k + 1.0) * z);
        if (__builtin_fabs(next) > __builtin_fabs(term) || __builtin_fabs(next) < 1e-20) break;
        term = next;
    }
    /* x - (n / 2 + 1 / 4) pi */
    double s, c;
    sincos(x, &s, &c);
    double const sine = n == 0 ? s - c : -(s + c), cosine = n == 0 ? s + c : s - c;
    double const scale = 0.56418958354775628 / __nvvm_sqrt_rn_d(x); /* sqrt(2 / pi) / sqrt(2) */
    return scale * (second ? p * sine + q * cosine : p * cosine - q * sine);
}
WARPKIT_CUDA_MATH double bessel_j(double x, int n) {
    double const a = __builtin_fabs(x);
    if (x != x) return x;
    if (isinf(x)) return 0.0;
    double r = a > 25.0 ? bessel_far(a, n, false) : bessel_series(a, n, -1.0, bessel_plain()).high;
    if (n == 1 && a <= 25.0) r *= 0.5 * a;
    return n == 1 && x < 0.0 ? -r : r;
}
WARPKIT_CUDA_MATH double bessel_y(double x, int n) {
    if (x != x || x < 0.0) return not_a_number(x);
    if (x == 0.0) return -infinity(x);
    if (isinf(x)) return 0.0;
    if (x > 25.0) return bessel_far(x, n, true);
    bessel_harmonic const weight = {n, {0.0, 0.0}};
    pair_of_doubles const j = bessel_series(x, n, -1.0, bessel_plain());
    pair_of_doubles const rest = bessel_series(x, n, -1.0, weight);
    double const l = log(0.5 * x) + 0.57721566490153287;
    /* (2 l J - the weighted sum) / pi, times x / 2 and less 2 / (pi x) for n = 1 */
    pair_of_doubles const twice = {2.0 * l, 0.0}, minus = {-rest.high, -rest.low};
    double const r = pair_sum(pair_product(twice, j), minus).high * 0.31830988618379067;
    return n == 0 ? r : fused(r, 0.5 * x, -0.63661977236758138 / x);
}
/* Of any order: upwards from 0 and 1 where that is stable, else downwards from far above (Miller's algorithm). */
WARPKIT_CUDA_MATH double bessel_jn(int n, double x) {
    double const sign = n < 0 && n % 2 != 0 ? -1.0 : 1.0;
    if (n < 0) n = -n;
    if (n < 2) return sign * bessel_j(x, n);
    double const a = __builtin_fabs(x);
    if (x != x) return x;
    if (x == 0.0 || isinf(x)) return 0.0;
    double r;
    if (a < 1e-8) { /* the first term */
        r = 1.0;
        for (int k = 1; k <= n; ++k) r *= 0.5 * a / k;
    } else if (a > n) {
        double before = bessel_j(a, 0);
        r = bessel_j(a, 1);
        for (int k = 1; k < n; ++k) {
            double const next = 2.0 * k / a * r - before;
            before = r;
            r = next;
        }
    } else {
        int const start = 2 * ((n + (int)__nvvm_sqrt_rn_d(60.0 * n)) / 2 + 8);
        double above = 0.0, here = 1e-290, sum = 0.0;
        r = 0.0;
        for (int k = start; k > 0; --k) {
            double const below = 2.0 * k / a * here - above;
            above = here;
            here = below;
            if (__builtin_fabs(here) > 1e200) here *= 1e-200, above *= 1e-200, r *= 1e-200, sum *= 1e-200;
            if (k - 1 == n) r = here;
            if ((k - 1) % 2 == 0 && k > 1) sum += 2.0 * here;
        }
        r /= sum + here; /* J0 + 2 J2 + 2 J4 + ... = 1 */
    }
    return x < 0.0 && n % 2 != 0 ? -sign * r : sign * r;
}
WARPKIT_CUDA_MATH double bessel_yn(int n, double x) {
    double const sign = n < 0 && n % 2 != 0 ? -1.0 : 1.0;
    if (n < 0) n = -n;
    double before = bessel_y(x, 0);
    if (n == 0) return before;
    double r = bessel_y(x, 1);
    for (int k = 1; k < n && r > -infinity(r); ++k) {
        double const next = 2.0 * k / x * r - before;
        before = r;
        r = next;
    }
    return sign * r;
}
/* I of order n: no terms cancel. */
WARPKIT_CUDA_MATH double bessel_i(double x, int n) {
    double const a = __builtin_fabs(x);
    if (x != x) return x;
    double r;
    if (a <= 25.0) {
        r = bessel_series(a, n, 1.0, bessel_plain()).high;
        if (n == 1) r *= 0.5 * a;
    } else {
        double const m = 4.0 * n * n, z = 8.0 * a;
        double term = 1.0, rest = 0.0; /* behind the first term */
        for (int k = 0; k < 60 && __builtin_fabs(term) > 1e-20; ++k) {
            term *= ((2.0 * k + 1.0) * (2.0 * k + 1.0) - m) / ((k + 1.0) * z);
            rest += term;
        }
        r = (1.0 + rest) / __nvvm_sqrt_rn_d(6.2831853071795862 * a);
        double const half = exp(0.5 * a); /* e^a overflows before the function does */
        r = isinf(x) ? a : a < 700.0 ? r * exp(a) : r * half * half;
    }
    return n == 1 && x < 0.0 ? -r : r;
}
} // namespace warpkit_cuda
#define WARPKIT_CUDA_BESSEL(name, expression)                                                                \
    WARPKIT_CUDA_MATH double name(double x) { return expression; }                                           \
    WARPKIT_CUDA_MATH float name##f(float x) { return (float)name((double)x); }
WARPKIT_CUDA_BESSEL(j0, warpkit_cuda::bessel_j(x, 0))
WARPKIT_CUDA_BESSEL(j1, warpkit_cuda::bessel_j(x, 1))
WARPKIT_CUDA_BESSEL(y0, warpkit_cuda::bessel_y(x, 0))
WARPKIT_CUDA_BESSEL(y1, warpkit_cuda::bessel_y(x, 1))
WARPKIT_CUDA_BESSEL(cyl_bessel_i0, warpkit_cuda::bessel_i(x, 0))
WARPKIT_CUDA_BESSEL(cyl_bessel_i1, warpkit_cuda::bessel_i(x, 1))
#undef WARPKIT_CUDA_BESSEL
WARPKIT_CUDA_MATH double jn(int n, double x) { return warpkit_cuda::bessel_jn(n, x); }
WARPKIT_CUDA_MATH double yn(int n, double x) { return warpkit_cuda::bessel_yn(n, x); }
WARPKIT_CUDA_MATH float jnf(int n, float x) { return (float)warpkit_cuda::bessel_jn(n, (double)x); }
WARPKIT_CUDA_MATH float ynf(int n, float x) { return (float)warpkit_cuda::bessel_yn(n, (double)x); }

#endif
