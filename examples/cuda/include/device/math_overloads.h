/* float overloads of the functions named without f, and what integers are converted to. */
#ifndef WARPKIT_CUDA_DEVICE_MATH_OVERLOADS_H
#define WARPKIT_CUDA_DEVICE_MATH_OVERLOADS_H

#define WARPKIT_CUDA_SINGLE(name)                                                                            \
    WARPKIT_CUDA_MATH float name(float x) { return name##f(x); }
WARPKIT_CUDA_SINGLE(acos)
WARPKIT_CUDA_SINGLE(acosh)
WARPKIT_CUDA_SINGLE(asin)
WARPKIT_CUDA_SINGLE(asinh)
WARPKIT_CUDA_SINGLE(atan)
WARPKIT_CUDA_SINGLE(atanh)
WARPKIT_CUDA_SINGLE(cbrt)
WARPKIT_CUDA_SINGLE(cos)
WARPKIT_CUDA_SINGLE(cosh)
WARPKIT_CUDA_SINGLE(cospi)
WARPKIT_CUDA_SINGLE(erf)
WARPKIT_CUDA_SINGLE(erfc)
WARPKIT_CUDA_SINGLE(erfcx)
WARPKIT_CUDA_SINGLE(exp)
WARPKIT_CUDA_SINGLE(exp10)
WARPKIT_CUDA_SINGLE(exp2)
WARPKIT_CUDA_SINGLE(expm1)
WARPKIT_CUDA_SINGLE(lgamma)
WARPKIT_CUDA_SINGLE(log)
WARPKIT_CUDA_SINGLE(log10)
WARPKIT_CUDA_SINGLE(log1p)
WARPKIT_CUDA_SINGLE(log2)
WARPKIT_CUDA_SINGLE(normcdf)
WARPKIT_CUDA_SINGLE(rcbrt)
WARPKIT_CUDA_SINGLE(sin)
WARPKIT_CUDA_SINGLE(sinh)
WARPKIT_CUDA_SINGLE(sinpi)
WARPKIT_CUDA_SINGLE(tan)
WARPKIT_CUDA_SINGLE(tanh)
WARPKIT_CUDA_SINGLE(tgamma)
#undef WARPKIT_CUDA_SINGLE
WARPKIT_CUDA_MATH float atan2(float y, float x) { return atan2f(y, x); }
WARPKIT_CUDA_MATH float hypot(float x, float y) { return hypotf(x, y); }
WARPKIT_CUDA_MATH float pow(float x, float y) { return powf(x, y); }
WARPKIT_CUDA_MATH void sincos(float x, float* s, float* c) { sincosf(x, s, c); }

/* Integers are taken as doubles, and so is a pair of different types. */
namespace warpkit_cuda {
template <bool Yes>
struct only_if {};
template <>
struct only_if<true> {
    typedef double type;
};
template <class T>
struct kind {
    enum { integer = 0, number = 0 };
};
#define WARPKIT_CUDA_KIND(type, is_integer)                                                                  \
    template <>                                                                                              \
    struct kind<type> {                                                                                      \
        enum { integer = is_integer, number = 1 };                                                           \
    };
WARPKIT_CUDA_KIND(bool, 1)
WARPKIT_CUDA_KIND(char, 1)
WARPKIT_CUDA_KIND(signed char, 1)
WARPKIT_CUDA_KIND(unsigned char, 1)
WARPKIT_CUDA_KIND(short, 1)
WARPKIT_CUDA_KIND(unsigned short, 1)
WARPKIT_CUDA_KIND(int, 1)
WARPKIT_CUDA_KIND(unsigned int, 1)
WARPKIT_CUDA_KIND(long, 1)
WARPKIT_CUDA_KIND(unsigned long, 1)
WARPKIT_CUDA_KIND(long long, 1)
WARPKIT_CUDA_KIND(unsigned long long, 1)
WARPKIT_CUDA_KIND(float, 0)
WARPKIT_CUDA_KIND(double, 0)
#undef WARPKIT_CUDA_KIND
template <class A, class B>
struct needs_widening {
    enum { value = kind<A>::number && kind<B>::number };
};
template <>
struct needs_widening<float, float> {
    enum { value = 0 };
};
template <>
struct needs_widening<double, double> {
    enum { value = 0 };
};
} // namespace warpkit_cuda

#define WARPKIT_CUDA_OF_INTEGER(name)                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_MATH typename warpkit_cuda::only_if<(bool)warpkit_cuda::kind<T>::integer>::type name(T x) { \
        return name((double)x);                                                                              \
    }
#define WARPKIT_CUDA_OF_INTEGER_ALL(X)                                                                       \
    X(acos)                                                                                                  \
    X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp10) \
        X(exp2) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(rint) X(round)        \
            X(rsqrt) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
WARPKIT_CUDA_OF_INTEGER_ALL(WARPKIT_CUDA_OF_INTEGER)
#undef WARPKIT_CUDA_OF_INTEGER_ALL
#undef WARPKIT_CUDA_OF_INTEGER

#define WARPKIT_CUDA_OF_TWO(name)                                                                            \
    template <class A, class B>                                                                              \
    WARPKIT_CUDA_MATH typename warpkit_cuda::only_if<(bool)warpkit_cuda::needs_widening<A, B>::value>::type  \
    name(A x, B y) {                                                                                         \
        return name((double)x, (double)y);                                                                   \
    }
WARPKIT_CUDA_OF_TWO(atan2)
WARPKIT_CUDA_OF_TWO(copysign)
WARPKIT_CUDA_OF_TWO(fdim)
WARPKIT_CUDA_OF_TWO(fmax)
WARPKIT_CUDA_OF_TWO(fmin)
WARPKIT_CUDA_OF_TWO(fmod)
WARPKIT_CUDA_OF_TWO(hypot)
WARPKIT_CUDA_OF_TWO(pow)
#undef WARPKIT_CUDA_OF_TWO

#undef WARPKIT_CUDA_MATH

/* The host has these from the device's side of CUDA only. */
static __host__ __inline__ __attribute__((unused)) float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static __host__ __inline__ __attribute__((unused)) float rsqrt(float x) { return 1.0f / sqrtf(x); }
static __host__ __inline__ __attribute__((unused)) double rsqrt(double x) { return 1.0 / sqrt(x); }

#endif
