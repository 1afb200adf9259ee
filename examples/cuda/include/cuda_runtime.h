/* CUDA's language and runtime for plain clang: what nvcc includes by itself, and warpkit-cuda likewise. */
#ifndef WARPKIT_CUDA_RUNTIME_H
#define WARPKIT_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* programs ask for it */

#include "host_defines.h"

#include "letters_away.h"

#if defined(__CUDA__)
/* Before the standard headers: theirs are then for the host alone wherever the device has its own. */
#include "device/math_declarations.h"
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
#include "device/conversions.h"
#include "device/math.h"
#include "device/printf.h"
#include "device/simd.h"
#include "device/textures.h"
#include "device/warp.h"

/* Last: the standard library's headers above write the attribute with this very name. (A keyword since clang 15.) */
#if __clang_major__ < 15 && !defined(__noinline__)
#define __noinline__ __attribute__((noinline))
#endif
#endif

#include "letters_back.h"

#endif
