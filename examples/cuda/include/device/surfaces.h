/* Surfaces: reads and writes of arrays by the byte in x and the element in y and z. */
#ifndef WARPKIT_CUDA_DEVICE_SURFACES_H
#define WARPKIT_CUDA_DEVICE_SURFACES_H

#if __cplusplus >= 201103L
#define WARPKIT_CUDA_LIST(...) __VA_ARGS__
namespace warpkit_cuda {
/* How as many bytes go in and out: as one register, or as two. */
template <unsigned int bytes>
struct surface_access;
#define WARPKIT_CUDA_SURFACE_READ(form, boundary, at)                                                        \
    asm volatile("suld.b." form boundary " " WARPKIT_CUDA_REGISTERS ", [%[s], {" at "}];"                    \
                 : WARPKIT_CUDA_RESULTS                                                                      \
                 : [s] "l"(s), [x] "r"(x), [y] "r"(y), [z] "r"(z)                                            \
                 : "memory")
#define WARPKIT_CUDA_SURFACE_WRITE(form, boundary, at)                                                       \
    asm volatile("sust.b." form boundary " [%[s], {" at "}], " WARPKIT_CUDA_REGISTERS ";" ::WARPKIT_CUDA_VALUES, \
                 [s] "l"(s), [x] "r"(x), [y] "r"(y), [z] "r"(z)                                              \
                 : "memory")
#define WARPKIT_CUDA_BY_BOUNDARY(access, form, at)                                                           \
    if (mode == cudaBoundaryModeZero)                                                                        \
        access(form, ".zero", at);                                                                           \
    else if (mode == cudaBoundaryModeClamp)                                                                  \
        access(form, ".clamp", at);                                                                          \
    else                                                                                                     \
        access(form, ".trap", at);
#define WARPKIT_CUDA_SURFACE_SHAPE(shape, type, at)                                                          \
    static __device__ WARPKIT_CUDA_INLINED surface_access read_##shape(cudaSurfaceObject_t s, int x, int y,  \
                                                                       int z, cudaSurfaceBoundaryMode mode) { \
        surface_access v;                                                                                    \
        WARPKIT_CUDA_BY_BOUNDARY(WARPKIT_CUDA_SURFACE_READ, #shape "." type, at)                             \
        return v;                                                                                            \
    }                                                                                                        \
    static __device__ WARPKIT_CUDA_INLINED void write_##shape(surface_access v, cudaSurfaceObject_t s, int x, \
                                                              int y, int z, cudaSurfaceBoundaryMode mode) {  \
        WARPKIT_CUDA_BY_BOUNDARY(WARPKIT_CUDA_SURFACE_WRITE, #shape "." type, at)                            \
    }
#define WARPKIT_CUDA_SURFACE_ACCESS(bytes, word, words, type)                                                \
    template <>                                                                                              \
    struct surface_access<bytes> {                                                                           \
        word w[words];                                                                                       \
        WARPKIT_CUDA_SURFACE_SHAPE(1d, type, "%[x]")                                                         \
        WARPKIT_CUDA_SURFACE_SHAPE(2d, type, "%[x], %[y]")                                                   \
        WARPKIT_CUDA_SURFACE_SHAPE(3d, type, "%[x], %[y], %[z], %[z]")                                       \
        WARPKIT_CUDA_SURFACE_SHAPE(a1d, type, "%[z], %[x]")                                                  \
        WARPKIT_CUDA_SURFACE_SHAPE(a2d, type, "%[z], %[x], %[y], %[y]")                                      \
    };
#define WARPKIT_CUDA_REGISTERS "{%[a]}"
#define WARPKIT_CUDA_RESULTS [a] "=h"(v.w[0])
#define WARPKIT_CUDA_VALUES [a] "h"(v.w[0])
WARPKIT_CUDA_SURFACE_ACCESS(1, unsigned short, 1, "b8")
WARPKIT_CUDA_SURFACE_ACCESS(2, unsigned short, 1, "b16")
#undef WARPKIT_CUDA_RESULTS
#undef WARPKIT_CUDA_VALUES
#define WARPKIT_CUDA_RESULTS [a] "=r"(v.w[0])
#define WARPKIT_CUDA_VALUES [a] "r"(v.w[0])
WARPKIT_CUDA_SURFACE_ACCESS(4, unsigned int, 1, "b32")
#undef WARPKIT_CUDA_RESULTS
#undef WARPKIT_CUDA_VALUES
#define WARPKIT_CUDA_RESULTS [a] "=l"(v.w[0])
#define WARPKIT_CUDA_VALUES [a] "l"(v.w[0])
WARPKIT_CUDA_SURFACE_ACCESS(8, unsigned long long, 1, "b64")
#undef WARPKIT_CUDA_REGISTERS
#undef WARPKIT_CUDA_RESULTS
#undef WARPKIT_CUDA_VALUES
#define WARPKIT_CUDA_REGISTERS "{%[a], %[b]}"
#define WARPKIT_CUDA_RESULTS [a] "=l"(v.w[0]), [b] "=l"(v.w[1])
#define WARPKIT_CUDA_VALUES [a] "l"(v.w[0]), [b] "l"(v.w[1])
WARPKIT_CUDA_SURFACE_ACCESS(16, unsigned long long, 2, "v2.b64")
#undef WARPKIT_CUDA_REGISTERS
#undef WARPKIT_CUDA_RESULTS
#undef WARPKIT_CUDA_VALUES
#undef WARPKIT_CUDA_SURFACE_ACCESS
#undef WARPKIT_CUDA_SURFACE_SHAPE
#undef WARPKIT_CUDA_BY_BOUNDARY
#undef WARPKIT_CUDA_SURFACE_WRITE
#undef WARPKIT_CUDA_SURFACE_READ
} // namespace warpkit_cuda

#define WARPKIT_CUDA_SURFACE(name, shape, parameters, x, y, z)                                               \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE T name##read(cudaSurfaceObject_t s, WARPKIT_CUDA_LIST parameters,                    \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
        auto const v = warpkit_cuda::surface_access<sizeof(T)>::read_##shape(s, x, y, z, mode);              \
        T to;                                                                                                \
        __builtin_memcpy(&to, &v, sizeof to);                                                                \
        return to;                                                                                           \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE void name##read(T* to, cudaSurfaceObject_t s, WARPKIT_CUDA_LIST parameters,          \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
        auto const v = warpkit_cuda::surface_access<sizeof(T)>::read_##shape(s, x, y, z, mode);              \
        __builtin_memcpy(to, &v, sizeof *to);                                                                \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE void name##write(T from, cudaSurfaceObject_t s, WARPKIT_CUDA_LIST parameters,        \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
        warpkit_cuda::surface_access<sizeof(T)> v = {};                                                      \
        __builtin_memcpy(&v, &from, sizeof from);                                                            \
        warpkit_cuda::surface_access<sizeof(T)>::write_##shape(v, s, x, y, z, mode);                         \
    }
WARPKIT_CUDA_SURFACE(surf1D, 1d, (int x), x, 0, 0)
WARPKIT_CUDA_SURFACE(surf2D, 2d, (int x, int y), x, y, 0)
WARPKIT_CUDA_SURFACE(surf3D, 3d, (int x, int y, int z), x, y, z)
WARPKIT_CUDA_SURFACE(surf1DLayered, a1d, (int x, int layer), x, 0, layer)
WARPKIT_CUDA_SURFACE(surf2DLayered, a2d, (int x, int y, int layer), x, y, layer)
WARPKIT_CUDA_SURFACE(surfCubemap, a2d, (int x, int y, int face), x, y, face)
WARPKIT_CUDA_SURFACE(surfCubemapLayered, a2d, (int x, int y, int layer_face), x, y, layer_face)
#undef WARPKIT_CUDA_SURFACE
#undef WARPKIT_CUDA_LIST
#endif

#endif
