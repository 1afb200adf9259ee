/* The decorations of CUDA's language: attributes where clang compiles CUDA, nothing where a host compiler reads the
 * headers. */
#ifndef WARPKIT_CUDA_HOST_DEFINES_H
#define WARPKIT_CUDA_HOST_DEFINES_H

#if defined(__CUDA__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
/* Of the nvcc whose language it is, as CUDART_VERSION says. */
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif
/* What is one architecture's alone, where it is compiled for by a name like sm_90a. */
#if defined(__CUDA_ARCH__)
#if defined(WARPKIT_CUDA_ALL_OF_90)
#define __CUDA_ARCH_FEAT_SM90_ALL 1
#define __CUDA_ARCH_SPECIFIC__ 900
#elif defined(WARPKIT_CUDA_ALL_OF_100)
#define __CUDA_ARCH_FEAT_SM100_ALL 1
#define __CUDA_ARCH_SPECIFIC__ 1000
#elif defined(WARPKIT_CUDA_ALL_OF_120)
#define __CUDA_ARCH_FEAT_SM120_ALL 1
#define __CUDA_ARCH_SPECIFIC__ 1200
#endif
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* On the host the variable itself, not a shadow of it: the runtime knows it by its section. */
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("warpkit_managed")))
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#define __managed__
#endif

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB

/* Both sides, inlined; without lines of their own, so that what goes wrong in them is said of the line that calls them. */
#define WARPKIT_CUDA_INLINED __inline__ __attribute__((always_inline, nodebug, unused))
#define WARPKIT_CUDA_BOTH static __host__ __device__ WARPKIT_CUDA_INLINED
#define WARPKIT_CUDA_DEVICE static __device__ WARPKIT_CUDA_INLINED

#endif
