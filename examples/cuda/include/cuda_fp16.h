/* Half precision: __half, __half2 and their functions. */
#ifndef WARPKIT_CUDA_FP16_H
#define WARPKIT_CUDA_FP16_H
#define __CUDA_FP16_H__ /* programs ask for it */
#define __CUDA_FP16_TYPES_EXIST__

#include "cuda_runtime.h"

#include "letters_away.h"

#if defined(__cplusplus) && __cplusplus >= 201103L
#include "device/narrow_float.h"

WARPKIT_CUDA_NARROW_BITS(fp16, "f16", 11, 15, 0x3c00)
WARPKIT_CUDA_NARROW_TYPES(__half, __half2, fp16)
WARPKIT_CUDA_NARROW_FUNCTIONS(__half, __half2, fp16, half, half2)
#if defined(__CUDA__)
WARPKIT_CUDA_NARROW_KERNEL_FUNCTIONS(__half, __half2, fp16, "f16")
#endif

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
#endif
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00)
#endif

#include "letters_back.h"

#endif
