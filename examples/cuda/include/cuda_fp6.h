/* 6-bit floating point: E2M3 and E3M2, each in the lower bits of a byte; what they have in common with fp4 is in
 * device/tiny_float.h. */
#ifndef WARPKIT_CUDA_FP6_H
#define WARPKIT_CUDA_FP6_H
#define __CUDA_FP6_H__ /* programs ask for it */
#define __CUDA_FP6_TYPES_EXIST__

#include "cuda_fp8.h"
#include "letters_away.h"

#if defined(__cplusplus) && __cplusplus >= 201103L
#include "device/tiny_float.h"

typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

namespace warpkit_cuda {
typedef tiny_format<2, 3> fp6_e2m3;
typedef tiny_format<3, 2> fp6_e3m2;
WARPKIT_CUDA_BOTH float fp6_value(unsigned int code, __nv_fp6_interpretation_t kind) {
    return kind == __NV_E2M3 ? fp6_e2m3::value(code) : fp6_e3m2::value(code);
}
} // namespace warpkit_cuda
WARPKIT_CUDA_BOTH __nv_fp6_storage_t __nv_cvt_double_to_fp6(double const x,
                                                            __nv_fp6_interpretation_t const kind,
                                                            cudaRoundMode const rounding) {
    return kind == __NV_E2M3 ? warpkit_cuda::fp6_e2m3::round(x, rounding)
                             : warpkit_cuda::fp6_e3m2::round(x, rounding);
}
WARPKIT_CUDA_TINY_CONVERSIONS(fp6, __nv_fp6_interpretation_t, 8)
WARPKIT_CUDA_TINY(__nv_fp6_e2m3, fp6, __nv_fp6_interpretation_t, __NV_E2M3)
WARPKIT_CUDA_TINY(__nv_fp6_e3m2, fp6, __nv_fp6_interpretation_t, __NV_E3M2)
WARPKIT_CUDA_TINY_X2(__nv_fp6x2_e2m3, fp6, __nv_fp6_interpretation_t, __NV_E2M3)
WARPKIT_CUDA_TINY_X2(__nv_fp6x2_e3m2, fp6, __nv_fp6_interpretation_t, __NV_E3M2)
WARPKIT_CUDA_TINY_X4(__nv_fp6x4_e2m3, __nv_fp6x2_e2m3, fp6, 8)
WARPKIT_CUDA_TINY_X4(__nv_fp6x4_e3m2, __nv_fp6x2_e3m2, fp6, 8)
#endif

#include "letters_back.h"

#endif
