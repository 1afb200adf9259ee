/* Vectors of one to four numbers, and dim3. */
#ifndef WARPKIT_CUDA_VECTOR_TYPES_H
#define WARPKIT_CUDA_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* programs ask for it */

#include "host_defines.h"

#define WARPKIT_CUDA_VECTOR(name, type, align2, align4)                                                      \
    struct name##1 {                                                                                         \
        type x;                                                                                              \
    };                                                                                                       \
    struct __attribute__((aligned(align2))) name##2 {                                                        \
        type x, y;                                                                                           \
    };                                                                                                       \
    struct name##3 {                                                                                         \
        type x, y, z;                                                                                        \
    };                                                                                                       \
    struct __attribute__((aligned(align4))) name##4 {                                                        \
        type x, y, z, w;                                                                                     \
    };                                                                                                       \
    typedef struct name##1 name##1;                                                                          \
    typedef struct name##2 name##2;                                                                          \
    typedef struct name##3 name##3;                                                                          \
    typedef struct name##4 name##4;

WARPKIT_CUDA_VECTOR(char, signed char, 2, 4)
WARPKIT_CUDA_VECTOR(uchar, unsigned char, 2, 4)
WARPKIT_CUDA_VECTOR(short, short, 4, 8)
WARPKIT_CUDA_VECTOR(ushort, unsigned short, 4, 8)
WARPKIT_CUDA_VECTOR(int, int, 8, 16)
WARPKIT_CUDA_VECTOR(uint, unsigned int, 8, 16)
WARPKIT_CUDA_VECTOR(long, long, 16, 16)
WARPKIT_CUDA_VECTOR(ulong, unsigned long, 16, 16)
WARPKIT_CUDA_VECTOR(longlong, long long, 16, 16)
WARPKIT_CUDA_VECTOR(ulonglong, unsigned long long, 16, 16)
WARPKIT_CUDA_VECTOR(float, float, 8, 16)
WARPKIT_CUDA_VECTOR(double, double, 16, 16)
#undef WARPKIT_CUDA_VECTOR

struct dim3 {
    unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx),
          y(vy),
          z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
    __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx),
          y(vy),
          z(vz) {}
    __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ operator uint3() const {
        uint3 v;
        v.x = x, v.y = y, v.z = z;
        return v;
    }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
