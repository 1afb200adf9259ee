/* What cuda_fp16.h and cuda_bf16.h have in common: a 16-bit floating-point type, its pair, and all their functions. In
 * kernels each operation is one instruction of PTX; on the host the same results are computed in double, to odd, and
 * rounded once (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). Functions of mathematics are
 * those of float, rounded. */
#ifndef WARPKIT_CUDA_DEVICE_NARROW_FLOAT_H
#define WARPKIT_CUDA_DEVICE_NARROW_FLOAT_H

namespace warpkit_cuda {
enum narrow_rounding { narrow_rn, narrow_rz, narrow_rd, narrow_ru };

/* A double in a format of so many bits of precision and of this exponent bias. */
template <int Precision, int Bias>
struct narrow_format {
    static __host__ __device__ unsigned short round(double v, narrow_rounding mode) {
        unsigned long long const b = __builtin_bit_cast(unsigned long long, v);
        unsigned short const sign = (unsigned short)(b >> 63 << 15);
        unsigned short const infinity = (unsigned short)((2 * Bias + 1) << (Precision - 1));
        int const biased = (int)(b >> 52 & 0x7ff);
        unsigned long long m = b & 0xfffffffffffffull;
        if (biased == 0x7ff) return m != 0 ? (unsigned short)0x7fff : (unsigned short)(sign | infinity);
        if (biased == 0 && m == 0) return sign;
        if (biased != 0) m |= 1ull << 52;
        int const exponent = (biased == 0 ? 1 : biased) - 1075; /* v = m * 2^exponent */
        int quantum = exponent + 53 - Precision;
        if (quantum < 2 - Bias - Precision) quantum = 2 - Bias - Precision;
        int const shift = quantum - exponent;
        unsigned long long kept = shift >= 64 ? 0 : m >> shift;
        unsigned long long const rest = shift >= 64 ? m : m & ((1ull << shift) - 1);
        bool const beyond_half = shift < 64 && rest > 1ull << (shift - 1);
        bool const half = shift < 64 && rest == 1ull << (shift - 1);
        if (mode == narrow_rn ? beyond_half || (half && (kept & 1) != 0)
                              : rest != 0 && mode == (sign != 0 ? narrow_rd : narrow_ru))
            ++kept;
        if (kept < 1ull << (Precision - 1)) return (unsigned short)(sign | kept); /* subnormal */
        unsigned long long const body =
            ((unsigned long long)(quantum - (2 - Bias - Precision) + 1) << (Precision - 1)) +
            (kept - (1ull << (Precision - 1)));
        if (body < infinity) return (unsigned short)(sign | body);
        bool const to_infinity = mode == narrow_rn || mode == (sign != 0 ? narrow_rd : narrow_ru);
        return (unsigned short)(sign | (to_infinity ? infinity : infinity - 1));
    }
    static __host__ __device__ float value(unsigned short h) {
        unsigned int const sign = (unsigned int)(h & 0x8000) << 16;
        unsigned int const magnitude = h & 0x7fff;
        unsigned int const infinity = (2 * Bias + 1) << (Precision - 1);
        if (magnitude > infinity) return __builtin_bit_cast(float, 0x7fffffffu);
        if (magnitude == infinity) return __builtin_bit_cast(float, sign | 0x7f800000u);
        double const scaled =
            (double)(magnitude < 1u << (Precision - 1)
                         ? magnitude
                         : (magnitude & ((1u << (Precision - 1)) - 1)) | 1u << (Precision - 1));
        int const biased = (int)(magnitude >> (Precision - 1));
        /* 2^(place of the last bit), which is a normal double */
        double const unit = __builtin_bit_cast(
            double, (unsigned long long)(2 - Bias - Precision + (biased == 0 ? 0 : biased - 1) + 1023) << 52);
        float const x = (float)(scaled * unit);
        return sign != 0 ? -x : x;
    }
    /* Integers of 64 bits as doubles, to odd. */
    static __host__ __device__ double of(unsigned long long v) {
        if (v >> 53 != 0) v = (v | (unsigned long long)((v & 0x7ff) != 0) << 11) & ~0x7ffull;
        return (double)v;
    }
    static __host__ __device__ double of(long long v) {
        return v < 0 ? -of(0 - (unsigned long long)v) : of((unsigned long long)v);
    }
    /* a * b + c; the product is exact. */
    static __host__ __device__ unsigned short fused(unsigned short a, unsigned short b, unsigned short c) {
        double const p = (double)value(a) * (double)value(b);
        double const q = (double)value(c);
        double s = p + q;
        double const t = s - p;
        double const error = (p - (s - t)) + (q - t);
        unsigned long long bits = __builtin_bit_cast(unsigned long long, s);
        if (error == error && error != 0 && (bits & 1) == 0) bits += (error > 0) == (s > 0) ? 1 : -1ull;
        return round(__builtin_bit_cast(double, bits), narrow_rn);
    }
};

/* To an integer: toward zero, clamped, NaN as 0. */
template <class To>
static __host__ __device__ __inline__ To narrow_to_integer(float v) {
    bool const has_sign = To(-1) < To(0);
    unsigned long long const greatest = ~0ull >> (64 - 8 * sizeof(To) + (has_sign ? 1 : 0));
    To const most = (To)greatest;
    To const least = has_sign ? (To)(-(To)most - 1) : To(0);
    return v != v ? To(0) : v <= (float)least ? least : v >= (float)greatest ? most : (To)v;
}
} // namespace warpkit_cuda

#if defined(__CUDA_ARCH__)
#define WARPKIT_CUDA_ON_DEVICE(device, host) device
#else
#define WARPKIT_CUDA_ON_DEVICE(device, host) host
#endif

/* One function of PTX with sources of 16 bits (letter h) or of 32 (r), and what the host computes instead. */
#define WARPKIT_CUDA_NARROW_1(name, T, letter, text, host_result)                                            \
    WARPKIT_CUDA_BOTH T name(T a) {                                                                          \
        WARPKIT_CUDA_ON_DEVICE(T r; asm(text " %0, %1;"                                                      \
                                        : "=" letter(r)                                                      \
                                        : letter(a));                                                        \
                               return r;, return host_result;)                                               \
    }
#define WARPKIT_CUDA_NARROW_2(name, T, letter, text, host_result)                                            \
    WARPKIT_CUDA_BOTH T name(T a, T b) {                                                                     \
        WARPKIT_CUDA_ON_DEVICE(T r; asm(text " %0, %1, %2;"                                                  \
                                        : "=" letter(r)                                                      \
                                        : letter(a), letter(b));                                             \
                               return r;, return host_result;)                                               \
    }
#define WARPKIT_CUDA_NARROW_3(name, T, letter, text, host_result)                                            \
    WARPKIT_CUDA_BOTH T name(T a, T b, T c) {                                                                \
        WARPKIT_CUDA_ON_DEVICE(T r; asm(text " %0, %1, %2, %3;"                                              \
                                        : "=" letter(r)                                                      \
                                        : letter(a), letter(b), letter(c));                                  \
                               return r;, return host_result;)                                               \
    }
#define WARPKIT_CUDA_NARROW_COMPARE(name, text, host_result)                                                 \
    WARPKIT_CUDA_BOTH bool name(unsigned short a, unsigned short b) {                                        \
        WARPKIT_CUDA_ON_DEVICE(                                                                              \
            int r; asm("{\n\t.reg .pred p;\n\tsetp." text " p, %1, %2;\n\tselp.s32 %0, 1, 0, p;\n\t}"        \
                       : "=r"(r)                                                                             \
                       : "h"(a), "h"(b));                                                                    \
            return r != 0;, float const x = value(a); float const y = value(b); return host_result;)         \
    }
#define WARPKIT_CUDA_NARROW_COMPARE_2(name, text, one)                                                       \
    WARPKIT_CUDA_BOTH unsigned int name##2(unsigned int a, unsigned int b) {                                 \
        WARPKIT_CUDA_ON_DEVICE(                                                                              \
            unsigned int r; asm("set." text " %0, %1, %2;"                                                   \
                                : "=r"(r)                                                                    \
                                : "r"(a), "r"(b));                                                           \
            return r;                                                                                        \
            , return (name((unsigned short)a, (unsigned short)b) ? one : 0u) |                               \
                     (name((unsigned short)(a >> 16), (unsigned short)(b >> 16)) ? one << 16 : 0u);)         \
    }
#define WARPKIT_CUDA_NARROW_COMPARES(ptx, one)                                                               \
    WARPKIT_CUDA_NARROW_COMPARE(eq, "eq." ptx, x == y)                                                       \
    WARPKIT_CUDA_NARROW_COMPARE(ne, "ne." ptx, x<y || x> y)                                                  \
    WARPKIT_CUDA_NARROW_COMPARE(lt, "lt." ptx, x < y)                                                        \
    WARPKIT_CUDA_NARROW_COMPARE(le, "le." ptx, x <= y)                                                       \
    WARPKIT_CUDA_NARROW_COMPARE(gt, "gt." ptx, x > y)                                                        \
    WARPKIT_CUDA_NARROW_COMPARE(ge, "ge." ptx, x >= y)                                                       \
    WARPKIT_CUDA_NARROW_COMPARE(equ, "equ." ptx, !(x < y || x > y))                                          \
    WARPKIT_CUDA_NARROW_COMPARE(neu, "neu." ptx, !(x == y))                                                  \
    WARPKIT_CUDA_NARROW_COMPARE(ltu, "ltu." ptx, !(x >= y))                                                  \
    WARPKIT_CUDA_NARROW_COMPARE(leu, "leu." ptx, !(x > y))                                                   \
    WARPKIT_CUDA_NARROW_COMPARE(gtu, "gtu." ptx, !(x <= y))                                                  \
    WARPKIT_CUDA_NARROW_COMPARE(geu, "geu." ptx, !(x < y))                                                   \
    WARPKIT_CUDA_NARROW_COMPARE_2(eq, "eq." ptx "x2." ptx "x2", one)                                         \
    WARPKIT_CUDA_NARROW_COMPARE_2(ne, "ne." ptx "x2." ptx "x2", one)                                         \
    WARPKIT_CUDA_NARROW_COMPARE_2(lt, "lt." ptx "x2." ptx "x2", one)                                         \
    WARPKIT_CUDA_NARROW_COMPARE_2(le, "le." ptx "x2." ptx "x2", one)                                         \
    WARPKIT_CUDA_NARROW_COMPARE_2(gt, "gt." ptx "x2." ptx "x2", one)                                         \
    WARPKIT_CUDA_NARROW_COMPARE_2(ge, "ge." ptx "x2." ptx "x2", one)                                         \
    WARPKIT_CUDA_NARROW_COMPARE_2(equ, "equ." ptx "x2." ptx "x2", one)                                       \
    WARPKIT_CUDA_NARROW_COMPARE_2(neu, "neu." ptx "x2." ptx "x2", one)                                       \
    WARPKIT_CUDA_NARROW_COMPARE_2(ltu, "ltu." ptx "x2." ptx "x2", one)                                       \
    WARPKIT_CUDA_NARROW_COMPARE_2(leu, "leu." ptx "x2." ptx "x2", one)                                       \
    WARPKIT_CUDA_NARROW_COMPARE_2(gtu, "gtu." ptx "x2." ptx "x2", one)                                       \
    WARPKIT_CUDA_NARROW_COMPARE_2(geu, "geu." ptx "x2." ptx "x2", one)
/* On the host a pair is computed part by part. */
#define WARPKIT_CUDA_NARROW_ARITHMETIC(ptx)                                                                  \
    WARPKIT_CUDA_NARROW_2(add, unsigned short, "h", "add." ptx, fused(a, one, b))                            \
    WARPKIT_CUDA_NARROW_2(sub, unsigned short, "h", "sub." ptx, fused(a, one, (unsigned short)(b ^ 0x8000))) \
    WARPKIT_CUDA_NARROW_2(mul, unsigned short, "h", "mul." ptx, fused(a, b, 0x8000))                         \
    WARPKIT_CUDA_NARROW_3(fma, unsigned short, "h", "fma.rn." ptx, fused(a, b, c))                           \
    WARPKIT_CUDA_NARROW_3(fma_relu, unsigned short, "h", "fma.rn.relu." ptx, relu(fused(a, b, c)))           \
    WARPKIT_CUDA_NARROW_1(neg, unsigned short, "h", "neg." ptx,                                              \
                          is_nan(a) ? (unsigned short)0x7fff : (unsigned short)(a ^ 0x8000))                 \
    WARPKIT_CUDA_NARROW_1(abs, unsigned short, "h", "abs." ptx,                                              \
                          is_nan(a) ? (unsigned short)0x7fff : (unsigned short)(a & 0x7fff))                 \
    WARPKIT_CUDA_NARROW_2(min, unsigned short, "h", "min." ptx, extreme(a, b, false, false))                 \
    WARPKIT_CUDA_NARROW_2(max, unsigned short, "h", "max." ptx, extreme(a, b, true, false))                  \
    WARPKIT_CUDA_NARROW_2(min_nan, unsigned short, "h", "min.NaN." ptx, extreme(a, b, false, true))          \
    WARPKIT_CUDA_NARROW_2(max_nan, unsigned short, "h", "max.NaN." ptx, extreme(a, b, true, true))
#define WARPKIT_CUDA_NARROW_PAIR(name, text)                                                                 \
    WARPKIT_CUDA_NARROW_2(name##2, unsigned int, "r", text,                                                  \
                          join(name(low(a), low(b)), name(high(a), high(b))))
#define WARPKIT_CUDA_NARROW_PAIRS(ptx)                                                                       \
    WARPKIT_CUDA_NARROW_PAIR(add, "add." ptx "x2")                                                           \
    WARPKIT_CUDA_NARROW_PAIR(sub, "sub." ptx "x2")                                                           \
    WARPKIT_CUDA_NARROW_PAIR(mul, "mul." ptx "x2")                                                           \
    WARPKIT_CUDA_NARROW_PAIR(min, "min." ptx "x2")                                                           \
    WARPKIT_CUDA_NARROW_PAIR(max, "max." ptx "x2")                                                           \
    WARPKIT_CUDA_NARROW_PAIR(min_nan, "min.NaN." ptx "x2")                                                   \
    WARPKIT_CUDA_NARROW_PAIR(max_nan, "max.NaN." ptx "x2")                                                   \
    WARPKIT_CUDA_NARROW_1(neg2, unsigned int, "r", "neg." ptx "x2", join(neg(low(a)), neg(high(a))))         \
    WARPKIT_CUDA_NARROW_1(abs2, unsigned int, "r", "abs." ptx "x2", join(abs(low(a)), abs(high(a))))         \
    WARPKIT_CUDA_NARROW_3(fma2, unsigned int, "r", "fma.rn." ptx "x2",                                       \
                          join(fma(low(a), low(b), low(c)), fma(high(a), high(b), high(c))))                 \
    WARPKIT_CUDA_NARROW_3(fma_relu2, unsigned int, "r", "fma.rn.relu." ptx "x2",                             \
                          join(fma_relu(low(a), low(b), low(c)), fma_relu(high(a), high(b), high(c))))
/* From and to other types; `real_tail` is .ftz or nothing. */
#define WARPKIT_CUDA_NARROW_FROM(ptx, from, letter, tail, host_value)                                        \
    WARPKIT_CUDA_BOTH unsigned short make(from x, narrow_rounding mode) {                                    \
        WARPKIT_CUDA_ON_DEVICE(unsigned short r;                                                             \
                               if (mode == narrow_rn) asm("cvt.rn." ptx "." tail " %0, %1;"                  \
                                                          : "=h"(r)                                          \
                                                          : letter(x));                                      \
                               else if (mode == narrow_rz) asm("cvt.rz." ptx "." tail " %0, %1;"             \
                                                               : "=h"(r)                                     \
                                                               : letter(x));                                 \
                               else if (mode == narrow_rd) asm("cvt.rm." ptx "." tail " %0, %1;"             \
                                                               : "=h"(r)                                     \
                                                               : letter(x));                                 \
                               else asm("cvt.rp." ptx "." tail " %0, %1;"                                    \
                                        : "=h"(r)                                                            \
                                        : letter(x));                                                        \
                               return r;, return format::round(host_value, mode);)                           \
    }
#define WARPKIT_CUDA_NARROW_CONVERSIONS(ptx)                                                                 \
    WARPKIT_CUDA_NARROW_FROM(ptx, float, "f", "f32", (double)x)                                              \
    WARPKIT_CUDA_NARROW_FROM(ptx, double, "d", "f64", x)                                                     \
    WARPKIT_CUDA_NARROW_FROM(ptx, int, "r", "s32", (double)x)                                                \
    WARPKIT_CUDA_NARROW_FROM(ptx, unsigned int, "r", "u32", (double)x)                                       \
    WARPKIT_CUDA_NARROW_FROM(ptx, short, "h", "s16", (double)x)                                              \
    WARPKIT_CUDA_NARROW_FROM(ptx, unsigned short, "h", "u16", (double)x)                                     \
    WARPKIT_CUDA_NARROW_FROM(ptx, long long, "l", "s64", format::of(x))                                      \
    WARPKIT_CUDA_NARROW_FROM(ptx, unsigned long long, "l", "u64", format::of(x))
#define WARPKIT_CUDA_NARROW_BITS(name, ptx, precision, bias, one_)                                           \
    namespace warpkit_cuda {                                                                                 \
    namespace name {                                                                                         \
    typedef narrow_format<precision, bias> format;                                                           \
    enum { one = one_ };                                                                                     \
    WARPKIT_CUDA_BOTH float value(unsigned short h) {                                                        \
        WARPKIT_CUDA_ON_DEVICE(float r; asm("cvt.f32." ptx " %0, %1;"                                        \
                                            : "=f"(r)                                                        \
                                            : "h"(h));                                                       \
                               return r;, return format::value(h);)                                          \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned short fused(unsigned short a, unsigned short b, unsigned short c) {           \
        return format::fused(a, b, c);                                                                       \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH bool is_nan(unsigned short a) {                                                        \
        return (a & 0x7fff) > (2 * bias + 1) << (precision - 1);                                             \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned short relu(unsigned short a) {                                                \
        return is_nan(a) ? (unsigned short)0x7fff : (a & 0x8000) != 0 ? (unsigned short)0 : a;               \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned short extreme(unsigned short a, unsigned short b, bool greater, bool nan) {   \
        if (is_nan(a) || is_nan(b))                                                                          \
            return (is_nan(a) && is_nan(b)) || nan ? (unsigned short)0x7fff : is_nan(a) ? b : a;             \
        int const x = (a & 0x8000) != 0 ? -1 - (a & 0x7fff) : a;                                             \
        int const y = (b & 0x8000) != 0 ? -1 - (b & 0x7fff) : b;                                             \
        return (x < y) != greater ? a : b;                                                                   \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned short low(unsigned int a) { return (unsigned short)a; }                       \
    WARPKIT_CUDA_BOTH unsigned short high(unsigned int a) { return (unsigned short)(a >> 16); }              \
    WARPKIT_CUDA_BOTH unsigned int join(unsigned short a, unsigned short b) {                                \
        return a | (unsigned int)b << 16;                                                                    \
    }                                                                                                        \
    WARPKIT_CUDA_NARROW_ARITHMETIC(ptx)                                                                      \
    WARPKIT_CUDA_NARROW_PAIRS(ptx)                                                                           \
    WARPKIT_CUDA_NARROW_COMPARES(ptx, (unsigned int)one)                                                     \
    WARPKIT_CUDA_NARROW_CONVERSIONS(ptx)                                                                     \
    WARPKIT_CUDA_BOTH unsigned short make(long x, narrow_rounding mode) { return make((long long)x, mode); } \
    WARPKIT_CUDA_BOTH unsigned short make(unsigned long x, narrow_rounding mode) {                           \
        return make((unsigned long long)x, mode);                                                            \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned short saturate(unsigned short a) {                                            \
        return is_nan(a) || (a & 0x8000) != 0 ? (unsigned short)0 : a > one ? (unsigned short)one : a;       \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned short div(unsigned short a, unsigned short b) {                               \
        return make(value(a) / value(b), narrow_rn);                                                         \
    }                                                                                                        \
    }                                                                                                        \
    }

#define WARPKIT_CUDA_NARROW_MEMBER __host__ __device__ WARPKIT_CUDA_INLINED
#define WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, from, as)                                                   \
    WARPKIT_CUDA_NARROW_MEMBER T(from v) : __x(warpkit_cuda::name::make((as)v, warpkit_cuda::narrow_rn)) {}
#define WARPKIT_CUDA_NARROW_TO_INTEGER(name, to)                                                             \
    WARPKIT_CUDA_NARROW_MEMBER explicit operator to() const {                                                \
        return warpkit_cuda::narrow_to_integer<to>(warpkit_cuda::name::value(__x));                          \
    }

/* The types themselves: T of 16 bits, T2 a pair of them, with CUDA's raw types. */
#define WARPKIT_CUDA_NARROW_TYPES(T, T2, name)                                                               \
    typedef struct __attribute__((aligned(2))) {                                                             \
        unsigned short x;                                                                                    \
    } T##_raw;                                                                                               \
    typedef struct __attribute__((aligned(4))) {                                                             \
        unsigned short x;                                                                                    \
        unsigned short y;                                                                                    \
    } T2##_raw;                                                                                              \
    struct __attribute__((aligned(2))) T {                                                                   \
        T() = default;                                                                                       \
        WARPKIT_CUDA_NARROW_MEMBER constexpr T(T##_raw const& raw) : __x(raw.x) {}                           \
        WARPKIT_CUDA_NARROW_MEMBER T& operator=(T##_raw const& raw) {                                        \
            __x = raw.x;                                                                                     \
            return *this;                                                                                    \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER operator T##_raw() const {                                                \
            T##_raw raw;                                                                                     \
            raw.x = __x;                                                                                     \
            return raw;                                                                                      \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, float, float)                                               \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, double, double)                                             \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, short, short)                                               \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, unsigned short, unsigned short)                             \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, int, int)                                                   \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, unsigned int, unsigned int)                                 \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, long, long long)                                            \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, unsigned long, unsigned long long)                          \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, long long, long long)                                       \
        WARPKIT_CUDA_NARROW_CONSTRUCTOR(T, name, unsigned long long, unsigned long long)                     \
        WARPKIT_CUDA_NARROW_MEMBER operator float() const { return warpkit_cuda::name::value(__x); }         \
        WARPKIT_CUDA_NARROW_MEMBER explicit operator bool() const { return (__x & 0x7fff) != 0; }            \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, signed char)                                                    \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, unsigned char)                                                  \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, char)                                                           \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, short)                                                          \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, unsigned short)                                                 \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, int)                                                            \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, unsigned int)                                                   \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, long)                                                           \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, unsigned long)                                                  \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, long long)                                                      \
        WARPKIT_CUDA_NARROW_TO_INTEGER(name, unsigned long long)                                             \
        unsigned short __x; /* ours */                                                                       \
    };                                                                                                       \
    struct __attribute__((aligned(4))) T2 {                                                                  \
        T x;                                                                                                 \
        T y;                                                                                                 \
        T2() = default;                                                                                      \
        WARPKIT_CUDA_NARROW_MEMBER constexpr T2(T const& a, T const& b) : x(a), y(b) {}                      \
        WARPKIT_CUDA_NARROW_MEMBER T2(T2##_raw const& raw) {                                                 \
            x.__x = raw.x;                                                                                   \
            y.__x = raw.y;                                                                                   \
        }                                                                                                    \
        WARPKIT_CUDA_NARROW_MEMBER operator T2##_raw() const {                                               \
            T2##_raw raw;                                                                                    \
            raw.x = x.__x;                                                                                   \
            raw.y = y.__x;                                                                                   \
            return raw;                                                                                      \
        }                                                                                                    \
    };                                                                                                       \
    namespace warpkit_cuda {                                                                                 \
    namespace name {                                                                                         \
    WARPKIT_CUDA_BOTH T type(unsigned short b) {                                                             \
        T r;                                                                                                 \
        r.__x = b;                                                                                           \
        return r;                                                                                            \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 type_2(unsigned int b) {                                                            \
        return T2(type((unsigned short)b), type((unsigned short)(b >> 16)));                                 \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned int bits_2(T2 const& a) { return a.x.__x | (unsigned int)a.y.__x << 16; }     \
    }                                                                                                        \
    }

#define WARPKIT_CUDA_NARROW_BINARY(T, T2, name, function, primitive)                                         \
    WARPKIT_CUDA_BOTH T function(T const a, T const b) {                                                     \
        return warpkit_cuda::name::type(warpkit_cuda::name::primitive(a.__x, b.__x));                        \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 function##2(T2 const a, T2 const b) {                                               \
        return warpkit_cuda::name::type_2(                                                                   \
            warpkit_cuda::name::primitive##2(warpkit_cuda::name::bits_2(a), warpkit_cuda::name::bits_2(b))); \
    }
#define WARPKIT_CUDA_NARROW_SATURATED(T, T2, name, function, primitive)                                      \
    WARPKIT_CUDA_BOTH T function##_sat(T const a, T const b) {                                               \
        return warpkit_cuda::name::type(                                                                     \
            warpkit_cuda::name::saturate(warpkit_cuda::name::primitive(a.__x, b.__x)));                      \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 function##2_sat(T2 const a, T2 const b) {                                           \
        return T2(function##_sat(a.x, b.x), function##_sat(a.y, b.y));                                       \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T function##_rn(T const a, T const b) { return function(a, b); }                       \
    WARPKIT_CUDA_BOTH T2 function##2_rn(T2 const a, T2 const b) { return function##2(a, b); }
#define WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, c)                                                       \
    WARPKIT_CUDA_BOTH bool __h##c(T const a, T const b) { return warpkit_cuda::name::c(a.__x, b.__x); }      \
    WARPKIT_CUDA_BOTH T2 __h##c##2(T2 const a, T2 const b) {                                                 \
        return warpkit_cuda::name::type_2(                                                                   \
            warpkit_cuda::name::c##2(warpkit_cuda::name::bits_2(a), warpkit_cuda::name::bits_2(b)));         \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned int __h##c##2_mask(T2 const a, T2 const b) {                                  \
        return (__h##c(a.x, b.x) ? 0xffffu : 0u) | (__h##c(a.y, b.y) ? 0xffff0000u : 0u);                    \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH bool __hb##c##2(T2 const a, T2 const b) { return __h##c(a.x, b.x) && __h##c(a.y, b.y); }
#define WARPKIT_CUDA_NARROW_TO(T, single, type_name, integer, tail)                                          \
    WARPKIT_CUDA_BOTH integer __##single##2##type_name##_##tail(T const h) {                                 \
        return warpkit_cuda::narrow_to_integer<integer>(warpkit_cuda::narrow_integral_##tail((float)h));     \
    }
#define WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, type_name, other, tail, mode)                        \
    WARPKIT_CUDA_BOTH T __##type_name##2##single##_##tail(other const v) {                                   \
        return warpkit_cuda::name::type(warpkit_cuda::name::make(v, warpkit_cuda::mode));                    \
    }
#define WARPKIT_CUDA_NARROW_INTEGER(T, name, single, type_name, integer)                                     \
    WARPKIT_CUDA_NARROW_TO(T, single, type_name, integer, rn)                                                \
    WARPKIT_CUDA_NARROW_TO(T, single, type_name, integer, rz)                                                \
    WARPKIT_CUDA_NARROW_TO(T, single, type_name, integer, rd)                                                \
    WARPKIT_CUDA_NARROW_TO(T, single, type_name, integer, ru)                                                \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, type_name, integer, rn, narrow_rn)                       \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, type_name, integer, rz, narrow_rz)                       \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, type_name, integer, rd, narrow_rd)                       \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, type_name, integer, ru, narrow_ru)
#define WARPKIT_CUDA_NARROW_MATH(T, T2, function, expression)                                                \
    WARPKIT_CUDA_DEVICE T h##function(T const h) {                                                           \
        float const x = (float)h;                                                                            \
        return T(expression);                                                                                \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE T2 h2##function(T2 const h) { return T2(h##function(h.x), h##function(h.y)); }
#define WARPKIT_CUDA_NARROW_SHUFFLE(T, T2, name, shuffle)                                                    \
    WARPKIT_CUDA_DEVICE T shuffle(unsigned int mask, T const v, int by, int width = 32) {                    \
        return warpkit_cuda::name::type((unsigned short)shuffle(mask, (unsigned int)v.__x, by, width));      \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE T2 shuffle(unsigned int mask, T2 const v, int by, int width = 32) {                  \
        return warpkit_cuda::name::type_2(shuffle(mask, warpkit_cuda::name::bits_2(v), by, width));          \
    }

/* The functions on both sides. x and x2 are the types in the names of conversions: half, half2. */
#define WARPKIT_CUDA_NARROW_FUNCTIONS(T, T2, name, single, pair)                                             \
    WARPKIT_CUDA_BOTH T __float2##single(float const v) { return T(v); }                                     \
    WARPKIT_CUDA_BOTH T __double2##single(double const v) { return T(v); }                                   \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, float, float, rn, narrow_rn)                             \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, float, float, rz, narrow_rz)                             \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, float, float, rd, narrow_rd)                             \
    WARPKIT_CUDA_NARROW_INTEGER_OF(T, name, single, float, float, ru, narrow_ru)                             \
    WARPKIT_CUDA_BOTH float __##single##2float(T const h) { return (float)h; }                               \
    WARPKIT_CUDA_BOTH T2 __float2##pair##_rn(float const v) { return T2(T(v), T(v)); }                       \
    WARPKIT_CUDA_BOTH T2 __floats2##pair##_rn(float const a, float const b) { return T2(T(a), T(b)); }       \
    WARPKIT_CUDA_BOTH T2 __float22##pair##_rn(float2 const v) { return T2(T(v.x), T(v.y)); }                 \
    WARPKIT_CUDA_BOTH float2 __##pair##2float2(T2 const h) { return make_float2((float)h.x, (float)h.y); }   \
    WARPKIT_CUDA_BOTH float __low2float(T2 const h) { return (float)h.x; }                                   \
    WARPKIT_CUDA_BOTH float __high2float(T2 const h) { return (float)h.y; }                                  \
    WARPKIT_CUDA_BOTH T __low2##single(T2 const h) { return h.x; }                                           \
    WARPKIT_CUDA_BOTH T __high2##single(T2 const h) { return h.y; }                                          \
    WARPKIT_CUDA_BOTH T2 __low2##pair(T2 const h) { return T2(h.x, h.x); }                                   \
    WARPKIT_CUDA_BOTH T2 __high2##pair(T2 const h) { return T2(h.y, h.y); }                                  \
    WARPKIT_CUDA_BOTH T2 __lows2##pair(T2 const a, T2 const b) { return T2(a.x, b.x); }                      \
    WARPKIT_CUDA_BOTH T2 __highs2##pair(T2 const a, T2 const b) { return T2(a.y, b.y); }                     \
    WARPKIT_CUDA_BOTH T2 __lowhigh2highlow(T2 const a) { return T2(a.y, a.x); }                              \
    WARPKIT_CUDA_BOTH T2 __##single##2##pair(T const h) { return T2(h, h); }                                 \
    WARPKIT_CUDA_BOTH T2 __halves2##pair(T const a, T const b) { return T2(a, b); }                          \
    WARPKIT_CUDA_BOTH signed char __##single##2char_rz(T const h) { return (signed char)h; }                 \
    WARPKIT_CUDA_BOTH unsigned char __##single##2uchar_rz(T const h) { return (unsigned char)h; }            \
    WARPKIT_CUDA_BOTH short __##single##_as_short(T const h) { return (short)h.__x; }                        \
    WARPKIT_CUDA_BOTH unsigned short __##single##_as_ushort(T const h) { return h.__x; }                     \
    WARPKIT_CUDA_BOTH T __short_as_##single(short const b) {                                                 \
        return warpkit_cuda::name::type((unsigned short)b);                                                  \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T __ushort_as_##single(unsigned short const b) { return warpkit_cuda::name::type(b); } \
    WARPKIT_CUDA_BOTH T2 make_##pair(T const a, T const b) { return T2(a, b); }                              \
    WARPKIT_CUDA_NARROW_INTEGER(T, name, single, short, short)                                               \
    WARPKIT_CUDA_NARROW_INTEGER(T, name, single, ushort, unsigned short)                                     \
    WARPKIT_CUDA_NARROW_INTEGER(T, name, single, int, int)                                                   \
    WARPKIT_CUDA_NARROW_INTEGER(T, name, single, uint, unsigned int)                                         \
    WARPKIT_CUDA_NARROW_INTEGER(T, name, single, ll, long long)                                              \
    WARPKIT_CUDA_NARROW_INTEGER(T, name, single, ull, unsigned long long)                                    \
    WARPKIT_CUDA_NARROW_BINARY(T, T2, name, __hadd, add)                                                     \
    WARPKIT_CUDA_NARROW_BINARY(T, T2, name, __hsub, sub)                                                     \
    WARPKIT_CUDA_NARROW_BINARY(T, T2, name, __hmul, mul)                                                     \
    WARPKIT_CUDA_NARROW_BINARY(T, T2, name, __hmin, min)                                                     \
    WARPKIT_CUDA_NARROW_BINARY(T, T2, name, __hmax, max)                                                     \
    WARPKIT_CUDA_BOTH T __hmin_nan(T const a, T const b) {                                                   \
        return warpkit_cuda::name::type(warpkit_cuda::name::min_nan(a.__x, b.__x));                          \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T __hmax_nan(T const a, T const b) {                                                   \
        return warpkit_cuda::name::type(warpkit_cuda::name::max_nan(a.__x, b.__x));                          \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __hmin2_nan(T2 const a, T2 const b) {                                               \
        return warpkit_cuda::name::type_2(                                                                   \
            warpkit_cuda::name::min_nan2(warpkit_cuda::name::bits_2(a), warpkit_cuda::name::bits_2(b)));     \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __hmax2_nan(T2 const a, T2 const b) {                                               \
        return warpkit_cuda::name::type_2(                                                                   \
            warpkit_cuda::name::max_nan2(warpkit_cuda::name::bits_2(a), warpkit_cuda::name::bits_2(b)));     \
    }                                                                                                        \
    WARPKIT_CUDA_NARROW_SATURATED(T, T2, name, __hadd, add)                                                  \
    WARPKIT_CUDA_NARROW_SATURATED(T, T2, name, __hsub, sub)                                                  \
    WARPKIT_CUDA_NARROW_SATURATED(T, T2, name, __hmul, mul)                                                  \
    WARPKIT_CUDA_BOTH T __hdiv(T const a, T const b) {                                                       \
        return warpkit_cuda::name::type(warpkit_cuda::name::div(a.__x, b.__x));                              \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __h2div(T2 const a, T2 const b) { return T2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }  \
    WARPKIT_CUDA_BOTH T __hneg(T const a) {                                                                  \
        return warpkit_cuda::name::type(warpkit_cuda::name::neg(a.__x));                                     \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T __habs(T const a) {                                                                  \
        return warpkit_cuda::name::type(warpkit_cuda::name::abs(a.__x));                                     \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __hneg2(T2 const a) {                                                               \
        return warpkit_cuda::name::type_2(warpkit_cuda::name::neg2(warpkit_cuda::name::bits_2(a)));          \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __habs2(T2 const a) {                                                               \
        return warpkit_cuda::name::type_2(warpkit_cuda::name::abs2(warpkit_cuda::name::bits_2(a)));          \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T __hfma(T const a, T const b, T const c) {                                            \
        return warpkit_cuda::name::type(warpkit_cuda::name::fma(a.__x, b.__x, c.__x));                       \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T __hfma_sat(T const a, T const b, T const c) {                                        \
        return warpkit_cuda::name::type(warpkit_cuda::name::saturate(__hfma(a, b, c).__x));                  \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T __hfma_relu(T const a, T const b, T const c) {                                       \
        return warpkit_cuda::name::type(warpkit_cuda::name::fma_relu(a.__x, b.__x, c.__x));                  \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __hfma2(T2 const a, T2 const b, T2 const c) {                                       \
        return warpkit_cuda::name::type_2(warpkit_cuda::name::fma2(                                          \
            warpkit_cuda::name::bits_2(a), warpkit_cuda::name::bits_2(b), warpkit_cuda::name::bits_2(c)));   \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __hfma2_relu(T2 const a, T2 const b, T2 const c) {                                  \
        return warpkit_cuda::name::type_2(warpkit_cuda::name::fma_relu2(                                     \
            warpkit_cuda::name::bits_2(a), warpkit_cuda::name::bits_2(b), warpkit_cuda::name::bits_2(c)));   \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T2 __hfma2_sat(T2 const a, T2 const b, T2 const c) {                                   \
        return T2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));                                     \
    }                                                                                                        \
    /* a * b + c of complex numbers. */                                                                      \
    WARPKIT_CUDA_BOTH T2 __hcmadd(T2 const a, T2 const b, T2 const c) {                                      \
        return T2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); \
    }                                                                                                        \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, eq)                                                          \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, ne)                                                          \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, lt)                                                          \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, le)                                                          \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, gt)                                                          \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, ge)                                                          \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, equ)                                                         \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, neu)                                                         \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, ltu)                                                         \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, leu)                                                         \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, gtu)                                                         \
    WARPKIT_CUDA_NARROW_COMPARISON(T, T2, name, geu)                                                         \
    WARPKIT_CUDA_BOTH bool __hisnan(T const a) { return warpkit_cuda::name::is_nan(a.__x); }                 \
    WARPKIT_CUDA_BOTH T2 __hisnan2(T2 const a) {                                                             \
        return T2(T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f));                           \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH int __hisinf(T const a) {                                                              \
        float const v = (float)a;                                                                            \
        return v == __builtin_inff() ? 1 : v == -__builtin_inff() ? -1 : 0;                                  \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH T operator+(T const& a, T const& b) { return __hadd(a, b); }                           \
    WARPKIT_CUDA_BOTH T operator-(T const& a, T const& b) { return __hsub(a, b); }                           \
    WARPKIT_CUDA_BOTH T operator*(T const& a, T const& b) { return __hmul(a, b); }                           \
    WARPKIT_CUDA_BOTH T operator/(T const& a, T const& b) { return __hdiv(a, b); }                           \
    WARPKIT_CUDA_BOTH T& operator+=(T& a, T const& b) { return a = __hadd(a, b); }                           \
    WARPKIT_CUDA_BOTH T& operator-=(T& a, T const& b) { return a = __hsub(a, b); }                           \
    WARPKIT_CUDA_BOTH T& operator*=(T& a, T const& b) { return a = __hmul(a, b); }                           \
    WARPKIT_CUDA_BOTH T& operator/=(T& a, T const& b) { return a = __hdiv(a, b); }                           \
    WARPKIT_CUDA_BOTH T& operator++(T& a) { return a = __hadd(a, T(1.0f)); }                                 \
    WARPKIT_CUDA_BOTH T& operator--(T& a) { return a = __hsub(a, T(1.0f)); }                                 \
    WARPKIT_CUDA_BOTH T operator+(T const& a) { return a; }                                                  \
    WARPKIT_CUDA_BOTH T operator-(T const& a) { return __hneg(a); }                                          \
    WARPKIT_CUDA_BOTH bool operator==(T const& a, T const& b) { return __heq(a, b); }                        \
    WARPKIT_CUDA_BOTH bool operator!=(T const& a, T const& b) { return __hneu(a, b); }                       \
    WARPKIT_CUDA_BOTH bool operator<(T const& a, T const& b) { return __hlt(a, b); }                         \
    WARPKIT_CUDA_BOTH bool operator<=(T const& a, T const& b) { return __hle(a, b); }                        \
    WARPKIT_CUDA_BOTH bool operator>(T const& a, T const& b) { return __hgt(a, b); }                         \
    WARPKIT_CUDA_BOTH bool operator>=(T const& a, T const& b) { return __hge(a, b); }                        \
    WARPKIT_CUDA_BOTH T2 operator+(T2 const& a, T2 const& b) { return __hadd2(a, b); }                       \
    WARPKIT_CUDA_BOTH T2 operator-(T2 const& a, T2 const& b) { return __hsub2(a, b); }                       \
    WARPKIT_CUDA_BOTH T2 operator*(T2 const& a, T2 const& b) { return __hmul2(a, b); }                       \
    WARPKIT_CUDA_BOTH T2 operator/(T2 const& a, T2 const& b) { return __h2div(a, b); }                       \
    WARPKIT_CUDA_BOTH T2& operator+=(T2& a, T2 const& b) { return a = __hadd2(a, b); }                       \
    WARPKIT_CUDA_BOTH T2& operator-=(T2& a, T2 const& b) { return a = __hsub2(a, b); }                       \
    WARPKIT_CUDA_BOTH T2& operator*=(T2& a, T2 const& b) { return a = __hmul2(a, b); }                       \
    WARPKIT_CUDA_BOTH T2& operator/=(T2& a, T2 const& b) { return a = __h2div(a, b); }                       \
    WARPKIT_CUDA_BOTH T2 operator-(T2 const& a) { return __hneg2(a); }                                       \
    WARPKIT_CUDA_BOTH bool operator==(T2 const& a, T2 const& b) { return __hbeq2(a, b); }                    \
    WARPKIT_CUDA_BOTH bool operator!=(T2 const& a, T2 const& b) { return __hbneu2(a, b); }

/* The functions of kernels alone. */
#define WARPKIT_CUDA_NARROW_KERNEL_FUNCTIONS(T, T2, name, ptx)                                               \
    WARPKIT_CUDA_NARROW_MATH(T, T2, sqrt, ::sqrtf(x))                                                        \
    WARPKIT_CUDA_NARROW_MATH(T, T2, rsqrt, 1.0f / ::sqrtf(x))                                                \
    WARPKIT_CUDA_NARROW_MATH(T, T2, rcp, 1.0f / x)                                                           \
    WARPKIT_CUDA_NARROW_MATH(T, T2, exp, ::expf(x))                                                          \
    WARPKIT_CUDA_NARROW_MATH(T, T2, exp2, ::exp2f(x))                                                        \
    WARPKIT_CUDA_NARROW_MATH(T, T2, exp10, ::exp10f(x))                                                      \
    WARPKIT_CUDA_NARROW_MATH(T, T2, log, ::logf(x))                                                          \
    WARPKIT_CUDA_NARROW_MATH(T, T2, log2, ::log2f(x))                                                        \
    WARPKIT_CUDA_NARROW_MATH(T, T2, log10, ::log10f(x))                                                      \
    WARPKIT_CUDA_NARROW_MATH(T, T2, sin, ::sinf(x))                                                          \
    WARPKIT_CUDA_NARROW_MATH(T, T2, cos, ::cosf(x))                                                          \
    WARPKIT_CUDA_NARROW_MATH(T, T2, tanh, ::tanhf(x))                                                        \
    WARPKIT_CUDA_DEVICE T htanh_approx(T const h) { return htanh(h); }                                       \
    WARPKIT_CUDA_DEVICE T2 h2tanh_approx(T2 const h) { return h2tanh(h); }                                   \
    WARPKIT_CUDA_NARROW_MATH(T, T2, ceil, ::ceilf(x))                                                        \
    WARPKIT_CUDA_NARROW_MATH(T, T2, floor, ::floorf(x))                                                      \
    WARPKIT_CUDA_NARROW_MATH(T, T2, trunc, ::truncf(x))                                                      \
    WARPKIT_CUDA_NARROW_MATH(T, T2, rint, ::rintf(x))                                                        \
    WARPKIT_CUDA_NARROW_SHUFFLE(T, T2, name, __shfl_sync)                                                    \
    WARPKIT_CUDA_NARROW_SHUFFLE(T, T2, name, __shfl_up_sync)                                                 \
    WARPKIT_CUDA_NARROW_SHUFFLE(T, T2, name, __shfl_down_sync)                                               \
    WARPKIT_CUDA_NARROW_SHUFFLE(T, T2, name, __shfl_xor_sync)                                                \
    WARPKIT_CUDA_DEVICE T atomicAdd(T* p, T const v) {                                                       \
        unsigned short r;                                                                                    \
        asm volatile("atom.add.noftz." ptx " %0, [%1], %2;" : "=h"(r) : "l"(p), "h"(v.__x) : "memory");      \
        return warpkit_cuda::name::type(r);                                                                  \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE T2 atomicAdd(T2* p, T2 const v) {                                                    \
        unsigned int r;                                                                                      \
        asm volatile("atom.add.noftz." ptx "x2 %0, [%1], %2;"                                                \
                     : "=r"(r)                                                                               \
                     : "l"(p), "r"(warpkit_cuda::name::bits_2(v))                                            \
                     : "memory");                                                                            \
        return warpkit_cuda::name::type_2(r);                                                                \
    }

namespace warpkit_cuda {
WARPKIT_CUDA_BOTH float narrow_integral_rn(float v) { return __builtin_rintf(v); }
WARPKIT_CUDA_BOTH float narrow_integral_rz(float v) { return __builtin_truncf(v); }
WARPKIT_CUDA_BOTH float narrow_integral_rd(float v) { return __builtin_floorf(v); }
WARPKIT_CUDA_BOTH float narrow_integral_ru(float v) { return __builtin_ceilf(v); }
} // namespace warpkit_cuda

#endif
