/* Complex numbers of C's style: pairs of floats and doubles, and their arithmetic on both sides. */
#ifndef WARPKIT_CUDA_CUCOMPLEX_H
#define WARPKIT_CUDA_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* programs ask for it */

#include "cuda_runtime.h"

#include "letters_away.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#if defined(__cplusplus)
/* Quotients and magnitudes are scaled, so that they overflow only where the result does (Smith, "Algorithm 116: Complex
 * Division", 1962; the magnitude is the longer side times a square root). */
#define WARPKIT_CUDA_COMPLEX(T, real, f, make, name, root)                                              \
    WARPKIT_CUDA_BOTH T make_cu##name##Complex(real x, real y) { return make(x, y); }                   \
    WARPKIT_CUDA_BOTH real cuCreal##f(T v) { return v.x; }                                                   \
    WARPKIT_CUDA_BOTH real cuCimag##f(T v) { return v.y; }                                                   \
    WARPKIT_CUDA_BOTH T cuConj##f(T v) { return make(v.x, -v.y); }                                           \
    WARPKIT_CUDA_BOTH T cuCadd##f(T a, T b) { return make(a.x + b.x, a.y + b.y); }                           \
    WARPKIT_CUDA_BOTH T cuCsub##f(T a, T b) { return make(a.x - b.x, a.y - b.y); }                           \
    WARPKIT_CUDA_BOTH T cuCmul##f(T a, T b) { return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }   \
    WARPKIT_CUDA_BOTH T cuCfma##f(T a, T b, T c) { return cuCadd##f(cuCmul##f(a, b), c); }                   \
    WARPKIT_CUDA_BOTH T cuCdiv##f(T a, T b) {                                                                \
        bool const wide = (b.x < 0 ? -b.x : b.x) >= (b.y < 0 ? -b.y : b.y);                                  \
        real const ratio = wide ? b.y / b.x : b.x / b.y;                                                     \
        real const below = wide ? b.x + b.y * ratio : b.x * ratio + b.y;                                     \
        return wide ? make((a.x + a.y * ratio) / below, (a.y - a.x * ratio) / below)                         \
                    : make((a.x * ratio + a.y) / below, (a.y * ratio - a.x) / below);                        \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH real cuCabs##f(T v) {                                                                  \
        real const a = v.x < 0 ? -v.x : v.x, b = v.y < 0 ? -v.y : v.y;                                       \
        real const longer = a > b ? a : b, shorter = a > b ? b : a;                                          \
        if (longer == 0 || longer - longer != 0) return longer + shorter; /* zero, infinity, NaN */           \
        real const ratio = shorter / longer;                                                                 \
        return longer * root((real)1 + ratio * ratio);                                                       \
    }
WARPKIT_CUDA_COMPLEX(cuFloatComplex, float, f, make_float2, Float, sqrtf)
WARPKIT_CUDA_COMPLEX(cuDoubleComplex, double, , make_double2, Double, sqrt)
#undef WARPKIT_CUDA_COMPLEX

WARPKIT_CUDA_BOTH cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
WARPKIT_CUDA_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex v) { return make_double2(v.x, v.y); }
WARPKIT_CUDA_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex v) {
    return make_float2((float)v.x, (float)v.y);
}
#endif

#include "letters_back.h"

#endif
