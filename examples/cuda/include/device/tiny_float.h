/* What cuda_fp6.h and cuda_fp4.h have in common: formats without infinity and NaN (Open Compute Project, "OCP
 * Microscaling Formats (MX) Specification", 2023), one, two and four at once. They are for storage: programs compute in
 * half or float. Both sides compute the same, without instructions of their own. */
#ifndef WARPKIT_CUDA_DEVICE_TINY_FLOAT_H
#define WARPKIT_CUDA_DEVICE_TINY_FLOAT_H

namespace warpkit_cuda {
/* So many bits of exponent and mantissa. */
template <int Exponent, int Mantissa>
struct tiny_format {
    static constexpr int bias = (1 << (Exponent - 1)) - 1;
    static constexpr unsigned int greatest = (1u << (Exponent + Mantissa)) - 1;
    static constexpr unsigned int sign = greatest + 1;

    /* 2^n, normal */
    static __host__ __device__ WARPKIT_CUDA_INLINED double power(int n) {
        return __builtin_bit_cast(double, (unsigned long long)(n + 1023) << 52);
    }
    /* What is too large is the greatest number, and NaN the greatest positive one. */
    static __host__ __device__ WARPKIT_CUDA_INLINED unsigned char round(double x, cudaRoundMode mode) {
        unsigned long long const bits = __builtin_bit_cast(unsigned long long, x);
        unsigned int const negative = bits >> 63 != 0 ? sign : 0;
        double const magnitude = __builtin_bit_cast(double, bits & ~(1ull << 63));
        if (magnitude != magnitude) return (unsigned char)greatest;
        if (magnitude >= power(1 << Exponent)) return (unsigned char)(negative | greatest);
        /* In units of the last place: below 2^(Mantissa + 1), so an int with a rest. */
        int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
        if (exponent < 1 - bias) exponent = 1 - bias;
        double const units = magnitude * power(Mantissa - exponent);
        unsigned int kept = (unsigned int)units;
        double const rest = units - kept;
        bool const up = mode == cudaRoundNearest
                            ? rest > 0.5 || (rest == 0.5 && (kept & 1) != 0)
                            : rest > 0 && mode == (negative ? cudaRoundMinInf : cudaRoundPosInf);
        /* A carry goes into the exponent. */
        unsigned int const code = ((unsigned int)(exponent + bias - 1) << Mantissa) + kept + (up ? 1 : 0);
        return (unsigned char)(negative | (code > greatest ? greatest : code));
    }
    static __host__ __device__ WARPKIT_CUDA_INLINED float value(unsigned int code) {
        int const exponent = (int)((code & greatest) >> Mantissa);
        unsigned int const mantissa = (code & ((1u << Mantissa) - 1)) | (exponent != 0 ? 1u << Mantissa : 0);
        double const v = mantissa * power((exponent != 0 ? exponent : 1) - bias - Mantissa);
        return (float)((code & sign) != 0 ? -v : v);
    }
};
} // namespace warpkit_cuda

/* The functions of one width of format, fp6 or fp4, whose `kind` chooses; two lie `bits` apart. */
#define WARPKIT_CUDA_TINY_CONVERSIONS(fp, kinds, bits)                                                       \
    WARPKIT_CUDA_BOTH __nv_##fp##_storage_t __nv_cvt_float_to_##fp(float const x, kinds const kind,          \
                                                                   cudaRoundMode const rounding) {           \
        return __nv_cvt_double_to_##fp((double)x, kind, rounding);                                           \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH __nv_##fp##x2_storage_t __nv_cvt_double2_to_##fp##x2(                                  \
        double2 const v, kinds const kind, cudaRoundMode const rounding) {                                   \
        return (__nv_##fp##x2_storage_t)(__nv_cvt_double_to_##fp(v.x, kind, rounding) |                      \
                                         __nv_cvt_double_to_##fp(v.y, kind, rounding) << bits);              \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH __nv_##fp##x2_storage_t __nv_cvt_float2_to_##fp##x2(float2 const v, kinds const kind,  \
                                                                          cudaRoundMode const rounding) {    \
        return __nv_cvt_double2_to_##fp##x2(make_double2(v.x, v.y), kind, rounding);                         \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH __nv_##fp##_storage_t __nv_cvt_halfraw_to_##fp(__half_raw const x, kinds const kind,   \
                                                                     cudaRoundMode const rounding) {         \
        return __nv_cvt_float_to_##fp((float)__half(x), kind, rounding);                                     \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH __nv_##fp##x2_storage_t __nv_cvt_halfraw2_to_##fp##x2(                                 \
        __half2_raw const x, kinds const kind, cudaRoundMode const rounding) {                               \
        return __nv_cvt_float2_to_##fp##x2(__half22float2(__half2(x)), kind, rounding);                      \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH __nv_##fp##_storage_t __nv_cvt_bfloat16raw_to_##fp(                                    \
        __nv_bfloat16_raw const x, kinds const kind, cudaRoundMode const rounding) {                         \
        return __nv_cvt_float_to_##fp((float)__nv_bfloat16(x), kind, rounding);                              \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH __nv_##fp##x2_storage_t __nv_cvt_bfloat16raw2_to_##fp##x2(                             \
        __nv_bfloat162_raw const x, kinds const kind, cudaRoundMode const rounding) {                        \
        return __nv_cvt_float2_to_##fp##x2(__bfloat1622float2(__nv_bfloat162(x)), kind, rounding);           \
    }                                                                                                        \
    /* Exact. */                                                                                             \
    WARPKIT_CUDA_BOTH __half_raw __nv_cvt_##fp##_to_halfraw(__nv_##fp##_storage_t const x,                   \
                                                            kinds const kind) {                              \
        return (__half_raw)__half(warpkit_cuda::fp##_value(x, kind));                                        \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH __half2_raw __nv_cvt_##fp##x2_to_halfraw2(__nv_##fp##x2_storage_t const x,             \
                                                                kinds const kind) {                          \
        __half2_raw r;                                                                                       \
        r.x = __nv_cvt_##fp##_to_halfraw((__nv_##fp##_storage_t)x, kind).x;                                  \
        r.y = __nv_cvt_##fp##_to_halfraw((__nv_##fp##_storage_t)(x >> bits), kind).x;                        \
        return r;                                                                                            \
    }

/* The types. Constructors round to nearest; to integers toward zero, clamped. */
#define WARPKIT_CUDA_TINY_FROM(T, fp, from)                                                                  \
    WARPKIT_CUDA_NARROW_MEMBER explicit T(from v)                                                            \
        : __x(__nv_cvt_double_to_##fp((double)v, interpretation, cudaRoundNearest)) {}
#define WARPKIT_CUDA_TINY_TO(to)                                                                             \
    WARPKIT_CUDA_NARROW_MEMBER explicit operator to() const {                                                \
        return warpkit_cuda::narrow_to_integer<to>((float)*this);                                            \
    }
#define WARPKIT_CUDA_TINY(T, fp, kinds, kind)                                                                \
    struct T {                                                                                               \
        static constexpr kinds interpretation = kind;                                                        \
        __nv_##fp##_storage_t __x;                                                                           \
        T() = default;                                                                                       \
        WARPKIT_CUDA_TINY_FROM(T, fp, __half)                                                                \
        WARPKIT_CUDA_TINY_FROM(T, fp, __nv_bfloat16)                                                         \
        WARPKIT_CUDA_TINY_FROM(T, fp, float)                                                                 \
        WARPKIT_CUDA_TINY_FROM(T, fp, double)                                                                \
        WARPKIT_CUDA_TINY_FROM(T, fp, short)                                                                 \
        WARPKIT_CUDA_TINY_FROM(T, fp, unsigned short)                                                        \
        WARPKIT_CUDA_TINY_FROM(T, fp, int)                                                                   \
        WARPKIT_CUDA_TINY_FROM(T, fp, unsigned int)                                                          \
        WARPKIT_CUDA_TINY_FROM(T, fp, long)                                                                  \
        WARPKIT_CUDA_TINY_FROM(T, fp, unsigned long)                                                         \
        WARPKIT_CUDA_TINY_FROM(T, fp, long long)                                                             \
        WARPKIT_CUDA_TINY_FROM(T, fp, unsigned long long)                                                    \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator float() const {                                         \
            return warpkit_cuda::fp##_value(__x, interpretation);                                            \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator double() const { return (double)(float)*this; }         \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator __half() const { return __half((float)*this); }         \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator __nv_bfloat16() const {                                 \
            return __nv_bfloat16((float)*this);                                                              \
        }                                                                                                    \
        WARPKIT_CUDA_TINY_TO(char)                                                                           \
        WARPKIT_CUDA_TINY_TO(signed char)                                                                    \
        WARPKIT_CUDA_TINY_TO(unsigned char)                                                                  \
        WARPKIT_CUDA_TINY_TO(short)                                                                          \
        WARPKIT_CUDA_TINY_TO(unsigned short)                                                                 \
        WARPKIT_CUDA_TINY_TO(int)                                                                            \
        WARPKIT_CUDA_TINY_TO(unsigned int)                                                                   \
        WARPKIT_CUDA_TINY_TO(long)                                                                           \
        WARPKIT_CUDA_TINY_TO(unsigned long)                                                                  \
        WARPKIT_CUDA_TINY_TO(long long)                                                                      \
        WARPKIT_CUDA_TINY_TO(unsigned long long)                                                             \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator bool() const { return (float)*this != 0; }              \
    };
#define WARPKIT_CUDA_TINY_X2(T, fp, kinds, kind)                                                             \
    struct __attribute__((aligned(sizeof(__nv_##fp##x2_storage_t)))) T {                                     \
        static constexpr kinds interpretation = kind;                                                        \
        __nv_##fp##x2_storage_t __x;                                                                         \
        T() = default;                                                                                       \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(double2 v)                                                     \
            : __x(__nv_cvt_double2_to_##fp##x2(v, interpretation, cudaRoundNearest)) {}                      \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(float2 v) : T(make_double2(v.x, v.y)) {}                       \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__half2 v) : T(__half22float2(v)) {}                           \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__nv_bfloat162 v) : T(__bfloat1622float2(v)) {}                \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator __half2() const {                                       \
            return __half2(__nv_cvt_##fp##x2_to_halfraw2(__x, interpretation));                              \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator float2() const {                                        \
            return __half22float2((__half2) * this);                                                         \
        }                                                                                                    \
    };
#define WARPKIT_CUDA_TINY_X4(T, T2, fp, bits)                                                                \
    struct __attribute__((aligned(sizeof(__nv_##fp##x4_storage_t)))) T {                                     \
        __nv_##fp##x4_storage_t __x;                                                                         \
        T() = default;                                                                                       \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__half2 low, __half2 high) : T(T2(low), T2(high)) {}           \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(__nv_bfloat162 low, __nv_bfloat162 high)                       \
            : T(T2(low), T2(high)) {}                                                                        \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(float4 v)                                                      \
            : T(T2(make_float2(v.x, v.y)), T2(make_float2(v.z, v.w))) {}                                     \
        WARPKIT_CUDA_NARROW_MEMBER explicit T(double4 v)                                                     \
            : T(T2(make_double2(v.x, v.y)), T2(make_double2(v.z, v.w))) {}                                   \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator float4() const {                                        \
            T2 low, high;                                                                                    \
            low.__x = (__nv_##fp##x2_storage_t)__x;                                                          \
            high.__x = (__nv_##fp##x2_storage_t)(__x >> 2 * bits);                                           \
            float2 const a = (float2)low, b = (float2)high;                                                  \
            return make_float4(a.x, a.y, b.x, b.y);                                                          \
        }                                                                                                    \
                                                                                                             \
    private:                                                                                                 \
        WARPKIT_CUDA_NARROW_MEMBER T(T2 low, T2 high)                                                        \
            : __x((__nv_##fp##x4_storage_t)(low.__x | (unsigned int)high.__x << 2 * bits)) {}                \
    };

#endif
