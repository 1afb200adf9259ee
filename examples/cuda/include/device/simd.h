/* The SIMD intrinsics: two halves or four bytes of a word, each by itself (CUDA Math API, "SIMD Intrinsics"). */
#ifndef WARPKIT_CUDA_DEVICE_SIMD_H
#define WARPKIT_CUDA_DEVICE_SIMD_H

/* name(a, b): `expression` of x and y, the signed (s) or unsigned (u) parts of the operands; its low bits are the part. */
#define WARPKIT_CUDA_SIMD_OF(name, bits, type, expression)                                                   \
    WARPKIT_CUDA_DEVICE unsigned int name(unsigned int a, unsigned int b) {                                  \
        unsigned int r = 0;                                                                                  \
        for (int at = 0; at < 32; at += bits) {                                                              \
            int const most = type(-1) < type(0) ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;                   \
            int const least = type(-1) < type(0) ? -most - 1 : 0;                                            \
            int const x = (type)(a >> at), y = (type)(b >> at);                                              \
            int const v = (expression);                                                                      \
            (void)most, (void)least, (void)y;                                                                \
            r |= ((unsigned int)v & ((1u << bits) - 1)) << at;                                               \
        }                                                                                                    \
        return r;                                                                                            \
    }
#define WARPKIT_CUDA_CLAMPED(v) ((v) > most ? most : (v) < least ? least : (v))
typedef signed short warpkit_cuda_s16;
typedef unsigned short warpkit_cuda_u16;
typedef signed char warpkit_cuda_s8;
typedef unsigned char warpkit_cuda_u8;
#define WARPKIT_CUDA_SIMD(name, s, expression)                                                               \
    WARPKIT_CUDA_SIMD_OF(name##2, 16, warpkit_cuda_##s##16, expression)                                      \
    WARPKIT_CUDA_SIMD_OF(name##4, 8, warpkit_cuda_##s##8, expression)

WARPKIT_CUDA_SIMD(__vadd, u, x + y)
WARPKIT_CUDA_SIMD(__vaddss, s, WARPKIT_CUDA_CLAMPED(x + y))
WARPKIT_CUDA_SIMD(__vaddus, u, WARPKIT_CUDA_CLAMPED(x + y))
WARPKIT_CUDA_SIMD(__vsub, u, x - y)
WARPKIT_CUDA_SIMD(__vsubss, s, WARPKIT_CUDA_CLAMPED(x - y))
WARPKIT_CUDA_SIMD(__vsubus, u, WARPKIT_CUDA_CLAMPED(x - y))
WARPKIT_CUDA_SIMD(__vabsdiffs, s, x > y ? x - y : y - x)
WARPKIT_CUDA_SIMD(__vabsdiffu, u, x > y ? x - y : y - x)
WARPKIT_CUDA_SIMD(__vavgs, s, (x + y + (x + y >= 0)) >> 1)
WARPKIT_CUDA_SIMD(__vavgu, u, (x + y + 1) >> 1)
WARPKIT_CUDA_SIMD(__vhaddu, u, (x + y) >> 1)
WARPKIT_CUDA_SIMD(__vmaxs, s, x > y ? x : y)
WARPKIT_CUDA_SIMD(__vmaxu, u, x > y ? x : y)
WARPKIT_CUDA_SIMD(__vmins, s, x < y ? x : y)
WARPKIT_CUDA_SIMD(__vminu, u, x < y ? x : y)
#define WARPKIT_CUDA_SIMD_COMPARE(tail, s, operation)                                                        \
    WARPKIT_CUDA_SIMD(__vcmp##tail, s, x operation y ? -1 : 0)                                               \
    WARPKIT_CUDA_SIMD(__vset##tail, s, x operation y ? 1 : 0)
WARPKIT_CUDA_SIMD_COMPARE(eq, u, ==)
WARPKIT_CUDA_SIMD_COMPARE(ne, u, !=)
WARPKIT_CUDA_SIMD_COMPARE(ges, s, >=)
WARPKIT_CUDA_SIMD_COMPARE(geu, u, >=)
WARPKIT_CUDA_SIMD_COMPARE(gts, s, >)
WARPKIT_CUDA_SIMD_COMPARE(gtu, u, >)
WARPKIT_CUDA_SIMD_COMPARE(les, s, <=)
WARPKIT_CUDA_SIMD_COMPARE(leu, u, <=)
WARPKIT_CUDA_SIMD_COMPARE(lts, s, <)
WARPKIT_CUDA_SIMD_COMPARE(ltu, u, <)
#undef WARPKIT_CUDA_SIMD_COMPARE
namespace warpkit_cuda {
WARPKIT_CUDA_SIMD(simd_abs, s, x < 0 ? -x : x)
WARPKIT_CUDA_SIMD(simd_absss, s, WARPKIT_CUDA_CLAMPED(x < 0 ? -x : x))
WARPKIT_CUDA_SIMD(simd_neg, s, -x)
WARPKIT_CUDA_SIMD(simd_negss, s, WARPKIT_CUDA_CLAMPED(-x))
} // namespace warpkit_cuda
#undef WARPKIT_CUDA_SIMD
#undef WARPKIT_CUDA_SIMD_OF
#undef WARPKIT_CUDA_CLAMPED
#define WARPKIT_CUDA_SIMD_1(name)                                                                            \
    WARPKIT_CUDA_DEVICE unsigned int __v##name##2(unsigned int a) {                                          \
        return warpkit_cuda::simd_##name##2(a, 0);                                                           \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE unsigned int __v##name##4(unsigned int a) {                                          \
        return warpkit_cuda::simd_##name##4(a, 0);                                                           \
    }
WARPKIT_CUDA_SIMD_1(abs)
WARPKIT_CUDA_SIMD_1(absss)
WARPKIT_CUDA_SIMD_1(neg)
WARPKIT_CUDA_SIMD_1(negss)
#undef WARPKIT_CUDA_SIMD_1
/* The sum of the absolute differences. */
#define WARPKIT_CUDA_SIMD_SUM(s)                                                                             \
    WARPKIT_CUDA_DEVICE unsigned int __vsad##s##2(unsigned int a, unsigned int b) {                          \
        unsigned int const d = __vabsdiff##s##2(a, b);                                                       \
        return (d & 0xffff) + (d >> 16);                                                                     \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE unsigned int __vsad##s##4(unsigned int a, unsigned int b) {                          \
        unsigned int const d = __vabsdiff##s##4(a, b);                                                       \
        return (d & 0xff) + (d >> 8 & 0xff) + (d >> 16 & 0xff) + (d >> 24);                                  \
    }
WARPKIT_CUDA_SIMD_SUM(s)
WARPKIT_CUDA_SIMD_SUM(u)
#undef WARPKIT_CUDA_SIMD_SUM

/* Minima and maxima of CUDA 12 (CUDA Math API, "SIMD Intrinsics"): of two or three operands, of a sum and a third; with a
 * zero below (relu); and with what was taken said beside. Sums wrap. On both sides. */
namespace warpkit_cuda {
struct simd_min {
    template <class T>
    static __host__ __device__ WARPKIT_CUDA_INLINED bool first(T a, T b) {
        return a <= b;
    }
};
struct simd_max {
    template <class T>
    static __host__ __device__ WARPKIT_CUDA_INLINED bool first(T a, T b) {
        return a >= b;
    }
};
template <class M, class T>
WARPKIT_CUDA_BOTH T simd_pick(T a, T b) {
    return M::first(a, b) ? a : b;
}
/* Both halves of words, each as a T. */
template <class T, class F>
WARPKIT_CUDA_BOTH unsigned int simd_halves(unsigned int a, unsigned int b, unsigned int c, F f) {
    unsigned int const low = (unsigned short)f((T)a, (T)b, (T)c);
    unsigned int const high = (unsigned short)f((T)(a >> 16), (T)(b >> 16), (T)(c >> 16));
    return high << 16 | low;
}
template <class M, class T>
struct simd_of_three {
    __host__ __device__ WARPKIT_CUDA_INLINED T operator()(T a, T b, T c) const {
        return simd_pick<M, T>(simd_pick<M, T>(a, b), c);
    }
};
template <class M, class T>
struct simd_of_sum {
    __host__ __device__ WARPKIT_CUDA_INLINED T operator()(T a, T b, T c) const {
        return simd_pick<M, T>((T)((unsigned int)a + (unsigned int)b), c);
    }
};
template <class F, class T>
struct simd_relu {
    __host__ __device__ WARPKIT_CUDA_INLINED T operator()(T a, T b, T c) const {
        T const r = F()(a, b, c);
        return r < 0 ? (T)0 : r;
    }
};
} // namespace warpkit_cuda
#define WARPKIT_CUDA_WORDS(name, T, ...)                                                                     \
    WARPKIT_CUDA_BOTH T name(T a, T b, T c) { return __VA_ARGS__()(a, b, c); }
#define WARPKIT_CUDA_HALVES(name, T, ...)                                                                    \
    WARPKIT_CUDA_BOTH unsigned int name(unsigned int a, unsigned int b, unsigned int c) {                    \
        return warpkit_cuda::simd_halves<T>(a, b, c, __VA_ARGS__());                                         \
    }
#define WARPKIT_CUDA_EXTREMUM(m, M)                                                                          \
    WARPKIT_CUDA_WORDS(__vi##m##3_s32, int, warpkit_cuda::simd_of_three<M, int>)                             \
    WARPKIT_CUDA_WORDS(__vi##m##3_u32, unsigned int, warpkit_cuda::simd_of_three<M, unsigned int>)           \
    WARPKIT_CUDA_WORDS(__vi##m##3_s32_relu, int,                                                             \
                       warpkit_cuda::simd_relu<warpkit_cuda::simd_of_three<M, int>, int>)                    \
    WARPKIT_CUDA_HALVES(__vi##m##3_s16x2, short, warpkit_cuda::simd_of_three<M, short>)                      \
    WARPKIT_CUDA_HALVES(__vi##m##3_u16x2, unsigned short, warpkit_cuda::simd_of_three<M, unsigned short>)    \
    WARPKIT_CUDA_HALVES(__vi##m##3_s16x2_relu, short,                                                        \
                        warpkit_cuda::simd_relu<warpkit_cuda::simd_of_three<M, short>, short>)               \
    WARPKIT_CUDA_WORDS(__viadd##m##_s32, int, warpkit_cuda::simd_of_sum<M, int>)                             \
    WARPKIT_CUDA_WORDS(__viadd##m##_u32, unsigned int, warpkit_cuda::simd_of_sum<M, unsigned int>)           \
    WARPKIT_CUDA_WORDS(__viadd##m##_s32_relu, int,                                                           \
                       warpkit_cuda::simd_relu<warpkit_cuda::simd_of_sum<M, int>, int>)                      \
    WARPKIT_CUDA_HALVES(__viadd##m##_s16x2, short, warpkit_cuda::simd_of_sum<M, short>)                      \
    WARPKIT_CUDA_HALVES(__viadd##m##_u16x2, unsigned short, warpkit_cuda::simd_of_sum<M, unsigned short>)    \
    WARPKIT_CUDA_HALVES(__viadd##m##_s16x2_relu, short,                                                      \
                        warpkit_cuda::simd_relu<warpkit_cuda::simd_of_sum<M, short>, short>)                 \
    WARPKIT_CUDA_BOTH int __vi##m##_s32_relu(int a, int b) { return __vi##m##3_s32_relu(a, b, b); }          \
    WARPKIT_CUDA_BOTH unsigned int __vi##m##_s16x2_relu(unsigned int a, unsigned int b) {                    \
        return __vi##m##3_s16x2_relu(a, b, b);                                                               \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH int __vib##m##_s32(int a, int b, bool* first) {                                        \
        *first = M::first(a, b);                                                                             \
        return *first ? a : b;                                                                               \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned int __vib##m##_u32(unsigned int a, unsigned int b, bool* first) {             \
        *first = M::first(a, b);                                                                             \
        return *first ? a : b;                                                                               \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned int __vib##m##_s16x2(unsigned int a, unsigned int b, bool* high, bool* low) { \
        *high = M::first((short)(a >> 16), (short)(b >> 16));                                                \
        *low = M::first((short)a, (short)b);                                                                 \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                 \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH unsigned int __vib##m##_u16x2(unsigned int a, unsigned int b, bool* high, bool* low) { \
        *high = M::first(a >> 16, b >> 16);                                                                  \
        *low = M::first(a & 0xffffu, b & 0xffffu);                                                           \
        return ((*high ? a : b) & 0xffff0000u) | ((*low ? a : b) & 0xffffu);                                 \
    }
WARPKIT_CUDA_EXTREMUM(min, warpkit_cuda::simd_min)
WARPKIT_CUDA_EXTREMUM(max, warpkit_cuda::simd_max)
#undef WARPKIT_CUDA_EXTREMUM
#undef WARPKIT_CUDA_HALVES
#undef WARPKIT_CUDA_WORDS

#endif
