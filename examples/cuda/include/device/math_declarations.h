/* The device's mathematical functions, declared before the standard headers are read: clang then takes the standard
 * library's constexpr functions of the same names for the host's only, provided that these here are a system's. */
#pragma GCC system_header
#ifndef WARPKIT_CUDA_DEVICE_MATH_DECLARATIONS_H
#define WARPKIT_CUDA_DEVICE_MATH_DECLARATIONS_H

#include "../host_defines.h"

/* X(name): double name(double), float name(float), float namef(float). */
#define WARPKIT_CUDA_UNARY(X)                                                                                \
    X(acos)                                                                                                  \
    X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2)  \
        X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) X(logb) X(nearbyint) X(rint)    \
            X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc)
/* The same, of two arguments. */
#define WARPKIT_CUDA_BINARY(X)                                                                               \
    X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

#define WARPKIT_CUDA_DECLARE(name)                                                                           \
    WARPKIT_CUDA_DEVICE double name(double);                                                                 \
    WARPKIT_CUDA_DEVICE float name(float);                                                                   \
    WARPKIT_CUDA_DEVICE float name##f(float);
WARPKIT_CUDA_UNARY(WARPKIT_CUDA_DECLARE)
#undef WARPKIT_CUDA_DECLARE
#define WARPKIT_CUDA_DECLARE(name)                                                                           \
    WARPKIT_CUDA_DEVICE double name(double, double);                                                         \
    WARPKIT_CUDA_DEVICE float name(float, float);                                                            \
    WARPKIT_CUDA_DEVICE float name##f(float, float);
WARPKIT_CUDA_BINARY(WARPKIT_CUDA_DECLARE)
#undef WARPKIT_CUDA_DECLARE
/* The others: result type and parameters, double and float. */
#define WARPKIT_CUDA_OTHERS(X)                                                                               \
    X(int, ilogb, (double), (float))                                                                         \
    X(long, lrint, (double), (float))                                                                        \
    X(long, lround, (double), (float))                                                                       \
    X(long long, llrint, (double), (float))                                                                  \
    X(long long, llround, (double), (float))
#define WARPKIT_CUDA_DECLARE(result, name, twice, single)                                                    \
    WARPKIT_CUDA_DEVICE result name twice;                                                                   \
    WARPKIT_CUDA_DEVICE result name single;                                                                  \
    WARPKIT_CUDA_DEVICE result name##f single;
WARPKIT_CUDA_OTHERS(WARPKIT_CUDA_DECLARE)
#undef WARPKIT_CUDA_DECLARE
#define WARPKIT_CUDA_DECLARE(name, rest)                                                                     \
    WARPKIT_CUDA_DEVICE double name(double, rest);                                                           \
    WARPKIT_CUDA_DEVICE float name(float, rest);                                                             \
    WARPKIT_CUDA_DEVICE float name##f(float, rest);
WARPKIT_CUDA_DECLARE(frexp, int*)
WARPKIT_CUDA_DECLARE(ldexp, int)
WARPKIT_CUDA_DECLARE(scalbn, int)
WARPKIT_CUDA_DECLARE(scalbln, long)
#undef WARPKIT_CUDA_DECLARE
WARPKIT_CUDA_DEVICE double fma(double, double, double);
WARPKIT_CUDA_DEVICE float fma(float, float, float);
WARPKIT_CUDA_DEVICE float fmaf(float, float, float);
WARPKIT_CUDA_DEVICE double modf(double, double*);
WARPKIT_CUDA_DEVICE float modf(float, float*);
WARPKIT_CUDA_DEVICE float modff(float, float*);
WARPKIT_CUDA_DEVICE double remquo(double, double, int*);
WARPKIT_CUDA_DEVICE float remquo(float, float, int*);
WARPKIT_CUDA_DEVICE float remquof(float, float, int*);
WARPKIT_CUDA_DEVICE double abs(double);
WARPKIT_CUDA_DEVICE float abs(float);
WARPKIT_CUDA_DEVICE int abs(int);
WARPKIT_CUDA_DEVICE long abs(long);
WARPKIT_CUDA_DEVICE long long abs(long long);
WARPKIT_CUDA_DEVICE long labs(long);
WARPKIT_CUDA_DEVICE long long llabs(long long);
WARPKIT_CUDA_DEVICE bool isfinite(double);
WARPKIT_CUDA_DEVICE bool isfinite(float);
WARPKIT_CUDA_DEVICE bool isinf(double);
WARPKIT_CUDA_DEVICE bool isinf(float);
WARPKIT_CUDA_DEVICE bool isnan(double);
WARPKIT_CUDA_DEVICE bool isnan(float);
WARPKIT_CUDA_DEVICE bool isnormal(double);
WARPKIT_CUDA_DEVICE bool isnormal(float);
WARPKIT_CUDA_DEVICE bool signbit(double);
WARPKIT_CUDA_DEVICE bool signbit(float);

namespace std {
#define WARPKIT_CUDA_USE(name) using ::name;
WARPKIT_CUDA_UNARY(WARPKIT_CUDA_USE)
WARPKIT_CUDA_BINARY(WARPKIT_CUDA_USE)
#undef WARPKIT_CUDA_USE
#define WARPKIT_CUDA_USE(result, name, twice, single) using ::name;
WARPKIT_CUDA_OTHERS(WARPKIT_CUDA_USE)
#undef WARPKIT_CUDA_USE
using ::abs;
using ::fma;
using ::frexp;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::isnormal;
using ::labs;
using ::ldexp;
using ::llabs;
using ::modf;
using ::remquo;
using ::scalbln;
using ::scalbn;
using ::signbit;
} // namespace std

#endif
