/* make_float4(x, y, z, w) and its kind. */
#ifndef WARPKIT_CUDA_VECTOR_FUNCTIONS_H
#define WARPKIT_CUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#if defined(__cplusplus)
#define WARPKIT_CUDA_MAKE(name, type)                                                                        \
    WARPKIT_CUDA_BOTH name##1 make_##name##1(type x) {                                                       \
        name##1 v;                                                                                           \
        v.x = x;                                                                                             \
        return v;                                                                                            \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH name##2 make_##name##2(type x, type y) {                                               \
        name##2 v;                                                                                           \
        v.x = x, v.y = y;                                                                                    \
        return v;                                                                                            \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH name##3 make_##name##3(type x, type y, type z) {                                       \
        name##3 v;                                                                                           \
        v.x = x, v.y = y, v.z = z;                                                                           \
        return v;                                                                                            \
    }                                                                                                        \
    WARPKIT_CUDA_BOTH name##4 make_##name##4(type x, type y, type z, type w) {                               \
        name##4 v;                                                                                           \
        v.x = x, v.y = y, v.z = z, v.w = w;                                                                  \
        return v;                                                                                            \
    }
WARPKIT_CUDA_MAKE(char, signed char)
WARPKIT_CUDA_MAKE(uchar, unsigned char)
WARPKIT_CUDA_MAKE(short, short)
WARPKIT_CUDA_MAKE(ushort, unsigned short)
WARPKIT_CUDA_MAKE(int, int)
WARPKIT_CUDA_MAKE(uint, unsigned int)
WARPKIT_CUDA_MAKE(long, long)
WARPKIT_CUDA_MAKE(ulong, unsigned long)
WARPKIT_CUDA_MAKE(longlong, long long)
WARPKIT_CUDA_MAKE(ulonglong, unsigned long long)
WARPKIT_CUDA_MAKE(float, float)
WARPKIT_CUDA_MAKE(double, double)
#undef WARPKIT_CUDA_MAKE
#endif

#endif
