/* Brain floating point: __nv_bfloat16, __nv_bfloat162 and their functions. */
#ifndef WARPKIT_CUDA_BF16_H
#define WARPKIT_CUDA_BF16_H
#define __CUDA_BF16_H__ /* programs ask for it */
#define __CUDA_BF16_TYPES_EXIST__

#include "cuda_runtime.h"

#include "letters_away.h"

#if defined(__cplusplus) && __cplusplus >= 201103L
#include "device/narrow_float.h"

WARPKIT_CUDA_NARROW_BITS(bf16, "bf16", 8, 127, 0x3f80)
WARPKIT_CUDA_NARROW_TYPES(__nv_bfloat16, __nv_bfloat162, bf16)
WARPKIT_CUDA_NARROW_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, bf16, bfloat16, bfloat162)
#if defined(__CUDA__)
WARPKIT_CUDA_NARROW_KERNEL_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, bf16, "bf16")
#endif

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80)
#endif

#include "letters_back.h"

#endif
