/* 4-bit floating point: E2M1, one in the lower bits of a byte, two in a byte; what it has in common with fp6 is in
 * device/tiny_float.h. */
#ifndef WARPKIT_CUDA_FP4_H
#define WARPKIT_CUDA_FP4_H
#define __CUDA_FP4_H__ /* programs ask for it */
#define __CUDA_FP4_TYPES_EXIST__

#include "cuda_fp8.h"
#include "letters_away.h"

#if defined(__cplusplus) && __cplusplus >= 201103L
#include "device/tiny_float.h"

typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

namespace warpkit_cuda {
typedef tiny_format<2, 1> fp4_e2m1;
WARPKIT_CUDA_BOTH float fp4_value(unsigned int code, __nv_fp4_interpretation_t) {
    return fp4_e2m1::value(code);
}
} // namespace warpkit_cuda
WARPKIT_CUDA_BOTH __nv_fp4_storage_t __nv_cvt_double_to_fp4(double const x, __nv_fp4_interpretation_t const,
                                                            cudaRoundMode const rounding) {
    return warpkit_cuda::fp4_e2m1::round(x, rounding);
}
WARPKIT_CUDA_TINY_CONVERSIONS(fp4, __nv_fp4_interpretation_t, 4)
WARPKIT_CUDA_TINY(__nv_fp4_e2m1, fp4, __nv_fp4_interpretation_t, __NV_E2M1)
WARPKIT_CUDA_TINY_X2(__nv_fp4x2_e2m1, fp4, __nv_fp4_interpretation_t, __NV_E2M1)
WARPKIT_CUDA_TINY_X4(__nv_fp4x4_e2m1, __nv_fp4x2_e2m1, fp4, 4)
#endif

#include "letters_back.h"

#endif
