/* 8-bit floating point: E4M3 and E5M2 (Micikevicius et al., "FP8 Formats for Deep Learning", 2022), one, two and four at
 * once. They are for storage: programs compute in half or float. */
#ifndef WARPKIT_CUDA_FP8_H
#define WARPKIT_CUDA_FP8_H
#define __CUDA_FP8_H__ /* programs ask for it */
#define __CUDA_FP8_TYPES_EXIST__

#include "cuda_bf16.h"

#include "cuda_fp16.h"

#include "letters_away.h"

#if defined(__cplusplus) && __cplusplus >= 201103L
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

/* Rounded to nearest. What is too large is the greatest number, or, without saturation, infinity (E5M2) or NaN (E4M3). */
WARPKIT_CUDA_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double const x, __nv_saturation_t const saturate,
                                                            __nv_fp8_interpretation_t const kind) {
    if (kind == __NV_E4M3) {
        /* As a format whose exponents go one further; 0x7f is its NaN. */
        typedef warpkit_cuda::narrow_format<4, 7> format;
        unsigned long long const b = __builtin_bit_cast(unsigned long long, x);
        unsigned int const sign = (unsigned int)(b >> 63 << 7);
        double const magnitude = __builtin_bit_cast(double, b & 0x7fffffffffffffffull);
        if (magnitude != magnitude) return (__nv_fp8_storage_t)0x7f;
        if (magnitude > 464.0) return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE ? 0x7e : 0x7f));
        /* 256 and more are two of the format's below its infinity: halved, rounded, and one exponent added. */
        unsigned int const m =
            magnitude >= 128.0 ? format::round(magnitude * 0.25, warpkit_cuda::narrow_rn) + 16u
                               : format::round(magnitude, warpkit_cuda::narrow_rn);
        return (__nv_fp8_storage_t)(sign | m);
    }
    typedef warpkit_cuda::narrow_format<3, 15> format;
    unsigned short const r = format::round(x, warpkit_cuda::narrow_rn);
    unsigned int const sign = (unsigned int)(r >> 15 << 7);
    unsigned int const m = r & 0x7fff;
    if (m > 0x7c) return (__nv_fp8_storage_t)0x7f;
    return (__nv_fp8_storage_t)(sign | (m == 0x7c && saturate == __NV_SATFINITE ? 0x7bu : m));
}
WARPKIT_CUDA_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float const x, __nv_saturation_t const saturate,
                                                           __nv_fp8_interpretation_t const kind) {
#if defined(__CUDA_ARCH__)
    if (saturate == __NV_SATFINITE) {
        unsigned short r;
        if (kind == __NV_E4M3)
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.0f), "f"(x));
        else
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(0.0f), "f"(x));
        return (__nv_fp8_storage_t)r;
    }
#endif
    return __nv_cvt_double_to_fp8((double)x, saturate, kind);
}
WARPKIT_CUDA_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 const v, __nv_saturation_t const saturate,
                                                                __nv_fp8_interpretation_t const kind) {
#if defined(__CUDA_ARCH__)
    if (saturate == __NV_SATFINITE) {
        unsigned short r;
        if (kind == __NV_E4M3)
            asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(v.y), "f"(v.x));
        else
            asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(r) : "f"(v.y), "f"(v.x));
        return r;
    }
#endif
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(v.x, saturate, kind) |
                                  __nv_cvt_float_to_fp8(v.y, saturate, kind) << 8);
}
WARPKIT_CUDA_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 const v, __nv_saturation_t const saturate,
                                                                 __nv_fp8_interpretation_t const kind) {
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(v.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(v.y, saturate, kind) << 8);
}
WARPKIT_CUDA_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw const x, __nv_saturation_t const saturate,
                                                             __nv_fp8_interpretation_t const kind) {
    return __nv_cvt_float_to_fp8((float)__half(x), saturate, kind);
}
WARPKIT_CUDA_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw const x,
                                                                  __nv_saturation_t const saturate,
                                                                  __nv_fp8_interpretation_t const kind) {
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, kind);
}
WARPKIT_CUDA_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw const x,
                                                                 __nv_saturation_t const saturate,
                                                                 __nv_fp8_interpretation_t const kind) {
    return __nv_cvt_float_to_fp8((float)__nv_bfloat16(x), saturate, kind);
}
WARPKIT_CUDA_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw const x,
                                                                      __nv_saturation_t const saturate,
                                                                      __nv_fp8_interpretation_t const kind) {
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, kind);
}
/* Exact. */
WARPKIT_CUDA_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t const x,
                                                     __nv_fp8_interpretation_t const kind) {
    __half_raw r;
    unsigned int const sign = (unsigned int)(x & 0x80) << 8;
    unsigned int const m = x & 0x7f;
    if (kind == __NV_E5M2)
        r.x = (unsigned short)(m > 0x7c ? 0x7fffu : sign | m << 8);
    else if (m == 0x7f)
        r.x = (unsigned short)0x7fff;
    else if (m >= 8)
        r.x = (unsigned short)(sign | ((m << 7) + (8 << 10)));
    else /* a multiple of 2^-9 */
        r.x = (unsigned short)(sign | warpkit_cuda::fp16::make((float)m * 0.001953125f, warpkit_cuda::narrow_rn));
    return r;
}
WARPKIT_CUDA_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t const x,
                                                         __nv_fp8_interpretation_t const kind) {
    __half2_raw r;
#if defined(__CUDA_ARCH__)
    unsigned int both;
    if (kind == __NV_E4M3)
        asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(both) : "h"(x));
    else
        asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(both) : "h"(x));
    r.x = (unsigned short)both;
    r.y = (unsigned short)(both >> 16);
#else
    r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x;
    r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x;
#endif
    return r;
}

#define WARPKIT_CUDA_FP8_FROM(T, from)                                                                       \
    WARPKIT_CUDA_NARROW_MEMBER explicit T(from v)                                                            \
        : __x(__nv_cvt_double_to_fp8((double)v, __NV_SATFINITE, interpretation)) {}
#define WARPKIT_CUDA_FP8(T, kind)                                                                            \
    struct T {                                                                                               \
        static constexpr __nv_fp8_interpretation_t interpretation = kind;                                    \
        __nv_fp8_storage_t __x;                                                                              \
        T() = default;                                                                                       \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(float v)                                                       \
            : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, interpretation)) {}                               \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__half v) : T((float)v) {}                                     \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__nv_bfloat16 v) : T((float)v) {}                              \
        WARPKIT_CUDA_FP8_FROM(T, double)                                                                     \
        WARPKIT_CUDA_FP8_FROM(T, short)                                                                      \
        WARPKIT_CUDA_FP8_FROM(T, unsigned short)                                                             \
        WARPKIT_CUDA_FP8_FROM(T, int)                                                                        \
        WARPKIT_CUDA_FP8_FROM(T, unsigned int)                                                               \
        WARPKIT_CUDA_FP8_FROM(T, long)                                                                       \
        WARPKIT_CUDA_FP8_FROM(T, unsigned long)                                                              \
        WARPKIT_CUDA_FP8_FROM(T, long long)                                                                  \
        WARPKIT_CUDA_FP8_FROM(T, unsigned long long)                                                         \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator __half() const {                                        \
            return __half(__nv_cvt_fp8_to_halfraw(__x, interpretation));                                     \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator float() const { return (float)(__half) * this; }        \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator __nv_bfloat16() const {                                 \
            return __nv_bfloat16((float)*this);                                                              \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator double() const { return (double)(float)*this; }         \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator int() const { return (int)(float)*this; }               \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator unsigned int() const {                                  \
            return (unsigned int)(float)*this;                                                               \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }              \
    };
#define WARPKIT_CUDA_FP8X2(T, kind)                                                                          \
    struct __attribute__((aligned(2))) T {                                                                   \
        static constexpr __nv_fp8_interpretation_t interpretation = kind;                                    \
        __nv_fp8x2_storage_t __x;                                                                            \
        T() = default;                                                                                       \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(float2 v)                                                      \
            : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, interpretation)) {}                            \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(double2 v)                                                     \
            : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, interpretation)) {}                           \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__half2 v) : T(__half22float2(v)) {}                           \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__nv_bfloat162 v) : T(__bfloat1622float2(v)) {}                \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator __half2() const {                                       \
            return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, interpretation));                                 \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator float2() const {                                        \
            return __half22float2((__half2) * this);                                                         \
        }                                                                                                    \
    };
#define WARPKIT_CUDA_FP8X4(T, T2)                                                                            \
    struct __attribute__((aligned(4))) T {                                                                   \
        __nv_fp8x4_storage_t __x;                                                                            \
        T() = default;                                                                                       \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(float4 v)                                                      \
            : __x(T2(make_float2(v.x, v.y)).__x | (unsigned int)T2(make_float2(v.z, v.w)).__x << 16) {}      \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__half2 low, __half2 high)                                     \
            : __x(T2(low).__x | (unsigned int)T2(high).__x << 16) {}                                         \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__nv_bfloat162 low, __nv_bfloat162 high)                       \
            : __x(T2(low).__x | (unsigned int)T2(high).__x << 16) {}                                         \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator float4() const {                                        \
            T2 low, high;                                                                                    \
            low.__x = (unsigned short)__x;                                                                   \
            high.__x = (unsigned short)(__x >> 16);                                                          \
            float2 const a = (float2)low, b = (float2)high;                                                  \
            return make_float4(a.x, a.y, b.x, b.y);                                                          \
        }                                                                                                    \
    };
WARPKIT_CUDA_FP8(__nv_fp8_e4m3, __NV_E4M3)
WARPKIT_CUDA_FP8(__nv_fp8_e5m2, __NV_E5M2)
WARPKIT_CUDA_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
WARPKIT_CUDA_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)
WARPKIT_CUDA_FP8X4(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3)
WARPKIT_CUDA_FP8X4(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2)
#undef WARPKIT_CUDA_FP8
#undef WARPKIT_CUDA_FP8X2
#undef WARPKIT_CUDA_FP8X4
#undef WARPKIT_CUDA_FP8_FROM
#endif

#include "letters_back.h"

#endif
