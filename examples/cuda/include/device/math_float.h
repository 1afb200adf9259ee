/* Single precision. */
#ifndef WARPKIT_CUDA_DEVICE_MATH_FLOAT_H
#define WARPKIT_CUDA_DEVICE_MATH_FLOAT_H

namespace warpkit_cuda {
/* e^(x + low) for |x| <= 105: n ln 2 is taken off in two parts, the rest left to ex2.approx. */
WARPKIT_CUDA_MATH float exponential(float x, float low) {
    float const n = __builtin_rintf(x * 1.44269504f);
    float r = fused(n, -0.693115234375f, x);
    r = fused(n, -3.19461833e-05f, r) + low;
    return scaled(__nvvm_ex2_approx_f(r * 1.44269504f), (int)n);
}
WARPKIT_CUDA_MATH float clamped(float x, float low, float high) { /* keeps NaN */
    x = x > high ? high : x;
    return x < low ? low : x;
}
/* x = m * 2^e with m in [2/3, 4/3), x positive and finite. */
WARPKIT_CUDA_MATH float near_one(float x, float* e) {
    *e = 0.0f;
    if (x < 0x1p-126f) {
        x *= 0x1p23f;
        *e = -23.0f;
    }
    int const k = (__float_as_int(x) - 0x3f2aaaab) & (int)0xff800000;
    *e += (float)k * 0x1p-23f;
    return __int_as_float(__float_as_int(x) - k);
}
/* log(1 + f) - f for f in [-1/3, 1/3). */
WARPKIT_CUDA_MATH float log_correction(float f) {
    float const c[] = {0.3333323f,   -0.24999696f,  0.200097859f, -0.166851953f,
                       0.140146166f, -0.121183023f, 0.139460847f, -0.131796181f};
    return fused(polynomial(c, f), f, -0.5f) * (f * f);
}
WARPKIT_CUDA_MATH bool is_positive_finite(float x) { return x > 0.0f && x < infinity(x); }
/* What a logarithm gives elsewhere. */
WARPKIT_CUDA_MATH float log_elsewhere(float x) {
    return x == 0.0f ? -infinity(x) : x > 0.0f || x != x ? x : not_a_number(x);
}
/* A logarithm to a base: `scale` + `scale_low` is 1 / ln base, `octave` log 2. */
WARPKIT_CUDA_MATH float logarithm(float x, float scale, float scale_low, float octave) {
    if (!is_positive_finite(x)) return log_elsewhere(x);
    float e;
    float const f = near_one(x, &e) - 1.0f;
    float const r = fused(f, scale, fused(log_correction(f), scale, f * scale_low));
    return fused(e, octave, r);
}

/* sine and cosine: x = q * pi/2 + r. */
WARPKIT_CUDA_DEVICE double reduce_large(double x, int* q);
WARPKIT_CUDA_MATH float reduce(float x, int* q) {
    if (__builtin_fabsf(x) >= 105615.0f) return (float)reduce_large((double)x, q);
    float const n = __builtin_rintf(x * 0.636619772f);
    *q = (int)n;
    float r = fused(n, -1.5703125f, x);
    r = fused(n, -0.000483751297f, r);
    r = fused(n, -7.54953362e-08f, r);
    return fused(n, -2.56334415e-12f, r);
}
/* The sine of r + q * pi/2, |r| <= pi/4. */
WARPKIT_CUDA_MATH float sine_of_quadrant(float r, int q) {
    float const z = r * r;
    float const s[] = {-0.166666546f, 8.33216087e-3f, -1.95152959e-4f};
    float const c[] = {4.16666457e-2f, -1.38873162e-3f, 2.44331571e-5f};
    float const sine = fused(polynomial(s, z) * z, r, r);
    float const cosine = fused(polynomial(c, z), z * z, fused(z, -0.5f, 1.0f));
    float const v = (q & 1) != 0 ? cosine : sine;
    return (q & 2) != 0 ? -v : v;
}
/* atan of t in [0, 1]. */
WARPKIT_CUDA_MATH float arc_tangent(float t) {
    float const c[] = {-0.333333254f,  0.199989274f,  -0.142609105f,  0.108886458f,
                       -0.0807439908f, 0.0498557203f, -0.0207068063f, 0.00405995315f};
    float const z = t * t;
    return fused(polynomial(c, z) * z, t, t);
}
/* asin(x) / x - 1 with z = x * x in [0, 1/4]. */
WARPKIT_CUDA_MATH float arc_sine_rest(float z) {
    float const c[] = {0.166666731f, 0.0749876127f, 0.0450202376f, 0.0264332891f, 0.0383283645f};
    return polynomial(c, z) * z;
}
} // namespace warpkit_cuda

WARPKIT_CUDA_MATH float exp2f(float x) { return __nvvm_ex2_approx_f(x); }
WARPKIT_CUDA_MATH float expf(float x) {
#if defined(__USE_FAST_MATH__)
    return __expf(x);
#else
    return warpkit_cuda::exponential(warpkit_cuda::clamped(x, -105.0f, 105.0f), 0.0f);
#endif
}
WARPKIT_CUDA_MATH float exp10f(float x) {
#if defined(__USE_FAST_MATH__)
    return __exp10f(x);
#else
    x = warpkit_cuda::clamped(x, -46.0f, 46.0f);
    float const n = __builtin_rintf(x * 3.32192809f);
    float r = warpkit_cuda::fused(n, -0.301025391f, x); /* 12 bits of log10 2, and the rest */
    r = warpkit_cuda::fused(n, -4.60503907e-06f, r);
    return warpkit_cuda::scaled(__nvvm_ex2_approx_f(r * 3.32192809f), (int)n);
#endif
}
WARPKIT_CUDA_MATH float expm1f(float x) {
    x = warpkit_cuda::clamped(x, -30.0f, 89.0f);
    float const n = __builtin_rintf(x * 1.44269504f);
    float r = warpkit_cuda::fused(n, -0.693115234375f, x);
    r = warpkit_cuda::fused(n, -3.19461833e-05f, r);
    float const c[] = {0.5f, 1.0f / 6, 1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040, 1.0f / 40320};
    float const p = warpkit_cuda::fused(warpkit_cuda::polynomial(c, r), r * r, r);
    if (n == 0.0f) return p; /* keeps -0 */
    float const t = warpkit_cuda::power_of_two(0.0f, (int)n - 1);
    return 2.0f * warpkit_cuda::fused(p, t, t - 0.5f);
}
WARPKIT_CUDA_MATH float logf(float x) {
#if defined(__USE_FAST_MATH__)
    return __logf(x);
#else
    return warpkit_cuda::logarithm(x, 1.0f, 0.0f, 0.693147182f);
#endif
}
WARPKIT_CUDA_MATH float log2f(float x) {
#if defined(__USE_FAST_MATH__)
    return __log2f(x);
#else
    return warpkit_cuda::logarithm(x, 1.44269502f, 1.92596303e-08f, 1.0f);
#endif
}
WARPKIT_CUDA_MATH float log10f(float x) {
#if defined(__USE_FAST_MATH__)
    return __log10f(x);
#else
    return warpkit_cuda::logarithm(x, 0.434294492f, -1.01e-08f, 0.30103001f);
#endif
}
WARPKIT_CUDA_MATH float log1pf(float x) {
    if (!(x > -1.0f && x < warpkit_cuda::infinity(x)))
        return x == -1.0f           ? -warpkit_cuda::infinity(x)
               : x > 0.0f || x != x ? x
                                    : warpkit_cuda::not_a_number(x);
    if (x > 0x1p30f) return logf(x);
    int const k = (__float_as_int(1.0f + x) - 0x3f2aaaab) & (int)0xff800000;
    float f = x;
    if (k != 0) f = __int_as_float(__float_as_int(x) - k) + (__int_as_float(0x3f800000 - k) - 1.0f);
    float const r = f + warpkit_cuda::log_correction(f);
    return k == 0 ? r : warpkit_cuda::fused((float)k * 0x1p-23f, 0.693147182f, r);
}
/* x^y = e^(y log x), the logarithm in two floats. */
WARPKIT_CUDA_MATH float powf(float x, float y) {
#if defined(__USE_FAST_MATH__)
    return __powf(x, y);
#else
    using namespace warpkit_cuda;
    if (x == 1.0f || y == 0.0f) return 1.0f;
    if (x != x || y != y) return x + y;
    float const a = __builtin_fabsf(x);
    bool const negative = signbit(x) && is_odd_integer(y);
    if (a == 0.0f || a == infinity(a)) {
        float const r = (y < 0.0f) == (a == 0.0f) ? infinity(a) : 0.0f;
        return negative ? -r : r;
    }
    if (isinf(y)) return a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? infinity(a) : 0.0f;
    if (x < 0.0f && __builtin_truncf(y) != y) return not_a_number(x);
    float e;
    float const m = near_one(a, &e);
    /* log m = 2 s + s p(s^2), s = (m - 1) / (m + 1) in two floats. */
    float const f = m - 1.0f;
    float const g = m + 1.0f;
    float const g_low = m - (g - 1.0f);
    float const s = f / g;
    float const s_low = fused(-s, g_low, fused(-s, g, f)) / g;
    float const z = s * s;
    float const c[] = {2.0f / 3, 2.0f / 5, 2.0f / 7, 2.0f / 9, 2.0f / 11};
    float const p = polynomial(c, z) * z;
    float const big = e * 0.693115234375f; /* exact */
    float high = fused(2.0f, s, big);
    float low = fused(2.0f, s, big - high) + fused(2.0f, s_low, fused(s, p, e * 3.19461833e-05f));
    float const sum = high + low;
    low = low - (sum - high);
    high = y * sum;
    low = __builtin_fabsf(high) > 105.0f ? 0.0f : fused(y, low, fused(y, sum, -high));
    float const r = exponential(clamped(high, -105.0f, 105.0f), low);
    return negative ? -r : r;
#endif
}
WARPKIT_CUDA_MATH float sinf(float x) {
#if defined(__USE_FAST_MATH__)
    return __sinf(x);
#else
    int q;
    float const r = warpkit_cuda::reduce(x, &q);
    return warpkit_cuda::sine_of_quadrant(r, q);
#endif
}
WARPKIT_CUDA_MATH float cosf(float x) {
#if defined(__USE_FAST_MATH__)
    return __cosf(x);
#else
    int q;
    float const r = warpkit_cuda::reduce(x, &q);
    return warpkit_cuda::sine_of_quadrant(r, q + 1);
#endif
}
WARPKIT_CUDA_MATH void sincosf(float x, float* s, float* c) {
#if defined(__USE_FAST_MATH__)
    __sincosf(x, s, c);
#else
    int q;
    float const r = warpkit_cuda::reduce(x, &q);
    *s = warpkit_cuda::sine_of_quadrant(r, q);
    *c = warpkit_cuda::sine_of_quadrant(r, q + 1);
#endif
}
WARPKIT_CUDA_MATH float tanf(float x) {
#if defined(__USE_FAST_MATH__)
    return __tanf(x);
#else
    int q;
    float const r = warpkit_cuda::reduce(x, &q);
    return warpkit_cuda::sine_of_quadrant(r, q) / warpkit_cuda::sine_of_quadrant(r, q + 1);
#endif
}
WARPKIT_CUDA_MATH float sinpif(float x) {
    float const n = __builtin_rintf(x + x);
    float const r = warpkit_cuda::fused(n, -0.5f, x) * 3.14159274f;
    float const m = n - 4.0f * __builtin_floorf(n * 0.25f);
    return isinf(x) ? warpkit_cuda::not_a_number(x) : warpkit_cuda::sine_of_quadrant(r, (int)m);
}
WARPKIT_CUDA_MATH float cospif(float x) {
    float const n = __builtin_rintf(x + x);
    float const r = warpkit_cuda::fused(n, -0.5f, x) * 3.14159274f;
    float const m = n - 4.0f * __builtin_floorf(n * 0.25f);
    return isinf(x) ? warpkit_cuda::not_a_number(x) : warpkit_cuda::sine_of_quadrant(r, (int)m + 1);
}
WARPKIT_CUDA_MATH void sincospif(float x, float* s, float* c) {
    *s = sinpif(x);
    *c = cospif(x);
}
WARPKIT_CUDA_MATH float atanf(float x) {
    float const a = __builtin_fabsf(x);
    float const r = warpkit_cuda::arc_tangent(a > 1.0f ? 1.0f / a : a);
    return __builtin_copysignf(a > 1.0f ? 1.57079637f - (r + 4.37113883e-08f) : r, x);
}
WARPKIT_CUDA_MATH float atan2f(float y, float x) {
    if (x != x || y != y) return x + y;
    float const a = __builtin_fabsf(x);
    float const b = __builtin_fabsf(y);
    float const high = a > b ? a : b;
    float const low = a > b ? b : a;
    float const t = high == 0.0f ? 0.0f : low == warpkit_cuda::infinity(low) ? 1.0f : low / high;
    float r = warpkit_cuda::arc_tangent(t);
    if (b > a) r = 1.57079637f - (r + 4.37113883e-08f);
    if (signbit(x)) r = 3.14159274f - (r + 8.74227766e-08f);
    return __builtin_copysignf(r, y);
}
WARPKIT_CUDA_MATH float asinf(float x) {
    float const a = __builtin_fabsf(x);
    bool const large = a > 0.5f;
    float const z = large ? warpkit_cuda::fused(a, -0.5f, 0.5f) : a * a;
    float const s = large ? __nvvm_sqrt_rn_f(z) : a;
    float r = warpkit_cuda::fused(s, warpkit_cuda::arc_sine_rest(z), s);
    if (large) r = warpkit_cuda::fused(-2.0f, r, 1.57079637f);
    return __builtin_copysignf(r, x);
}
WARPKIT_CUDA_MATH float acosf(float x) {
    float const a = __builtin_fabsf(x);
    bool const large = a > 0.5f;
    float const z = large ? warpkit_cuda::fused(a, -0.5f, 0.5f) : a * a;
    float const s = large ? __nvvm_sqrt_rn_f(z) : a;
    float const r = warpkit_cuda::fused(s, warpkit_cuda::arc_sine_rest(z), s);
    if (large) return x > 0.0f ? 2.0f * r : warpkit_cuda::fused(-2.0f, r, 3.14159274f);
    return 1.57079637f - (__builtin_copysignf(r, x) + 4.37113883e-08f);
}
WARPKIT_CUDA_MATH float sinhf(float x) {
    float const a = __builtin_fabsf(x);
    float r;
    if (a > 88.0f) {
        float const e = warpkit_cuda::exponential(warpkit_cuda::clamped(0.5f * a, 0.0f, 52.0f), 0.0f);
        r = 0.5f * e * e;
    } else {
        float const t = expm1f(a);
        r = 0.5f * (t + t / (t + 1.0f));
    }
    return __builtin_copysignf(r, x);
}
WARPKIT_CUDA_MATH float coshf(float x) {
    float const a = __builtin_fabsf(x);
    if (a > 88.0f) {
        float const e = warpkit_cuda::exponential(warpkit_cuda::clamped(0.5f * a, 0.0f, 52.0f), 0.0f);
        return 0.5f * e * e;
    }
    float const e = warpkit_cuda::exponential(a, 0.0f);
    return warpkit_cuda::fused(0.5f, e, 0.5f / e);
}
WARPKIT_CUDA_MATH float tanhf(float x) {
    float const a = __builtin_fabsf(x);
    if (a < 0.55f) {
        float const c[] = {-0.333333313f, 0.133331209f, -0.0539107025f, 0.0213160999f, -0.00662128162f};
        float const z = x * x;
        return warpkit_cuda::fused(warpkit_cuda::polynomial(c, z) * z, x, x);
    }
    float const e = warpkit_cuda::exponential(warpkit_cuda::clamped(2.0f * a, 0.0f, 40.0f), 0.0f);
    return __builtin_copysignf(1.0f - 2.0f / (e + 1.0f), x);
}
WARPKIT_CUDA_MATH float asinhf(float x) {
    float const a = __builtin_fabsf(x);
    float const r = a > 0x1p60f
                        ? logf(a) + 0.693147182f
                        : log1pf(a + a * a / (1.0f + __nvvm_sqrt_rn_f(warpkit_cuda::fused(a, a, 1.0f))));
    return __builtin_copysignf(r, x);
}
WARPKIT_CUDA_MATH float acoshf(float x) {
    float const t = x - 1.0f;
    return x > 0x1p60f ? logf(x) + 0.693147182f
                       : log1pf(t + __nvvm_sqrt_rn_f(warpkit_cuda::fused(t, t, t + t)));
}
WARPKIT_CUDA_MATH float atanhf(float x) {
    float const a = __builtin_fabsf(x);
    return __builtin_copysignf(0.5f * log1pf((a + a) / (1.0f - a)), x);
}
WARPKIT_CUDA_MATH float erff(float x) {
    float const a = __builtin_fabsf(x);
    if (a < 0.9f) {
        float const c[] = {0.128379167f,   -0.376126349f,    0.112837195f,   -0.0268607512f,
                           0.00520443358f, -0.000818189816f, 8.53871607e-05f};
        return warpkit_cuda::fused(warpkit_cuda::polynomial(c, x * x), x, x);
    }
    /* log2 erfc */
    float const c[] = {0.000221297014f, -1.62937558f,    -0.914130747f,    -0.155675367f,   0.0357976072f,
                       -0.00579028297f, 0.000555188511f, -1.77998918e-05f, -9.55309474e-07f};
    float const r =
        1.0f - __nvvm_ex2_approx_f(warpkit_cuda::polynomial(c, warpkit_cuda::clamped(a, 0.9f, 4.0f)));
    return __builtin_copysignf(r, x);
}
WARPKIT_CUDA_MATH float erfcf(float x) {
    /* e^(x^2) erfc(x) (1 + 2x) in (x - 2) / (x + 2) */
    float const c[] = {1.27697837f,     -0.0927639827f, -0.16603142f,   0.164055333f,    -0.0542041808f,
                       -0.00805980619f, 0.00863096584f, 0.00131307344f, -0.00122886256f, -0.000399718643f};
    float const a = warpkit_cuda::clamped(__builtin_fabsf(x), 0.0f, 10.1f);
    float const square = a * a;
    float const rest = warpkit_cuda::fused(a, a, -square);
    float const e = warpkit_cuda::exponential(-square, -rest);
    float const r =
        e * (warpkit_cuda::polynomial(c, (a - 2.0f) / (a + 2.0f)) / warpkit_cuda::fused(2.0f, a, 1.0f));
    return x < 0.0f ? 2.0f - r : r;
}
WARPKIT_CUDA_MATH float normcdff(float x) { return 0.5f * erfcf(x * -0.707106769f); }
WARPKIT_CUDA_MATH float cbrtf(float x) {
    if (x == 0.0f || !isfinite(x)) return x;
    float a = __builtin_fabsf(x);
    float back = 1.0f;
    if (a < 0x1p-100f) {
        a *= 0x1p48f;
        back = 0x1p-16f;
    }
    float const y = __nvvm_ex2_approx_f(__nvvm_lg2_approx_f(a) * 0.333333343f);
    float const r = warpkit_cuda::fused(a / (y * y) - y, 0.333333343f, y);
    return __builtin_copysignf(r * back, x);
}
WARPKIT_CUDA_MATH float rcbrtf(float x) { return 1.0f / cbrtf(x); }
WARPKIT_CUDA_MATH float hypotf(float x, float y) {
    float const a = __builtin_fabsf(x);
    float const b = __builtin_fabsf(y);
    float const inf = warpkit_cuda::infinity(a);
    if (a == inf || b == inf) return inf;
    float const high = a > b ? a : b;
    float const scale = high > 0x1p62f ? 0x1p-66f : high < 0x1p-62f ? 0x1p66f : 1.0f;
    float const back = high > 0x1p62f ? 0x1p66f : high < 0x1p-62f ? 0x1p-66f : 1.0f;
    float const p = a * scale;
    float const q = b * scale;
    return __nvvm_sqrt_rn_f(warpkit_cuda::fused(p, p, q * q)) * back;
}
WARPKIT_CUDA_MATH float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
WARPKIT_CUDA_MATH float norm3df(float x, float y, float z) { return hypotf(hypotf(x, y), z); }
WARPKIT_CUDA_MATH float rnorm3df(float x, float y, float z) { return 1.0f / norm3df(x, y, z); }

#endif
