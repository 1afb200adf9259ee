/* CUDA's language and runtime for plain clang: what nvcc includes by itself, and warpkit-cuda likewise. */
#ifndef WARPKIT_CUDA_RUNTIME_H
#define WARPKIT_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask for it */

#include "host_defines.h"

#include "letters_away.h"

#if defined(__CUDA__)
/* Before the standard headers: theirs are then for the host alone wherever the device has its own. */
#include "device/math_declarations.h"
#if defined(__cplusplus)
/* Before <new>, whose operators call them. */
WARPKIT_CUDA_DEVICE void* malloc(__SIZE_TYPE__ bytes);
WARPKIT_CUDA_DEVICE void free(void* p);
#endif
#endif

#include <assert.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__cplusplus)
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include "host_templates.h"
#endif

#if defined(__CUDA__)
#include "device/builtin_variables.h"

#include "device/arithmetic.h"
#include "device/atomics.h"
#include "device/bits.h"
#if defined(__cplusplus)
#include "device/clusters.h"
#endif
#include "device/conversions.h"
#include "device/math.h"
#include "device/printf.h"
#include "device/simd.h"
#include "device/textures.h"
#include "device/warp.h"
#include "device/surfaces.h"
#include "device/heap.h"
#if defined(__cplusplus)
#include "device/launches.h"
#endif

/* Last: the standard library's headers above write the attribute with this very name. (A keyword since clang 15.) */
#if __clang_major__ < 15 && !defined(__noinline__)
#define __noinline__ __attribute__((noinline))
#endif
#endif

#include "letters_back.h"

/* CCCL marks ranges for a profiler where there is an NVTX, with more of it than ours has. */
#ifndef CCCL_DISABLE_NVTX
#define CCCL_DISABLE_NVTX
#endif
/* CCCL, where it is on the include path, takes compilers apart once, and has ways for clang which differ from nvcc's.
 * */
#if defined(__CUDA__) && defined(__cplusplus) && defined(__has_include)
#if __has_include(<cuda/std/__cccl/compiler.h>)
#pragma push_macro("__NVCC__")
#undef __NVCC__
#include <cuda/std/__cccl/compiler.h>
#if __has_include(<nv/target>)
#include <nv/target>
#endif
#pragma pop_macro("__NVCC__")
/* It has a version of PTX for each clang, and asks nothing of clang with what it writes of it. */
#if __has_include(<cuda/std/__cccl/ptx_isa.h>)
#include <cuda/std/__cccl/ptx_isa.h>
#if __cccl_ptx_isa < 800ULL
#undef __cccl_ptx_isa
#define __cccl_ptx_isa 800ULL
#endif
#endif
#endif
#endif

#endif
