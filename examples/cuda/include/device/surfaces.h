/* Surfaces: reads and writes of arrays by the byte in x and the element in y and z, as accesses of global memory. */
#ifndef WARPKIT_CUDA_DEVICE_SURFACES_H
#define WARPKIT_CUDA_DEVICE_SURFACES_H

#if __cplusplus >= 201103L
namespace warpkit_cuda {
/* Where an element lies; null where nothing is to be read or written. */
template <class T>
WARPKIT_CUDA_DEVICE T* surface_place(cudaSurfaceObject_t object, int x, int y, int z,
                                     cudaSurfaceBoundaryMode mode) {
    warpkit_cuda_surface const& s = *(warpkit_cuda_surface const*)object;
    int const last_x = (int)s.row_bytes - (int)sizeof(T), last_y = (int)s.height - 1,
              last_z = (int)s.depth - 1;
    if (x < 0 || x > last_x || y < 0 || y > last_y || z < 0 || z > last_z) {
        if (mode == cudaBoundaryModeTrap) __trap();
        if (mode == cudaBoundaryModeZero) return 0;
        x = x < 0 ? 0 : x > last_x ? last_x : x;
        y = y < 0 ? 0 : y > last_y ? last_y : y;
        z = z < 0 ? 0 : z > last_z ? last_z : z;
    }
    return (T*)(s.address + ((unsigned long long)z * s.height + (unsigned int)y) * s.pitch + (unsigned int)x);
}
} // namespace warpkit_cuda

#define WARPKIT_CUDA_LIST(...) __VA_ARGS__
#define WARPKIT_CUDA_SURFACE(name, parameters, x, y, z)                                                      \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE void name##read(T* to, cudaSurfaceObject_t s, parameters,                            \
                                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
        T* const p = warpkit_cuda::surface_place<T>(s, x, y, z, mode);                                       \
        if (p != 0)                                                                                          \
            *to = *p;                                                                                        \
        else                                                                                                 \
            *to = T();                                                                                       \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE T name##read(cudaSurfaceObject_t s, parameters,                                      \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
        T* const p = warpkit_cuda::surface_place<T>(s, x, y, z, mode);                                       \
        return p != 0 ? *p : T();                                                                            \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE void name##write(T v, cudaSurfaceObject_t s, parameters,                             \
                                         cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
        T* const p = warpkit_cuda::surface_place<T>(s, x, y, z, mode);                                       \
        if (p != 0) *p = v;                                                                                  \
    }
WARPKIT_CUDA_SURFACE(surf1D, int x, x, 0, 0)
WARPKIT_CUDA_SURFACE(surf2D, WARPKIT_CUDA_LIST(int x, int y), x, y, 0)
WARPKIT_CUDA_SURFACE(surf3D, WARPKIT_CUDA_LIST(int x, int y, int z), x, y, z)
WARPKIT_CUDA_SURFACE(surf1DLayered, WARPKIT_CUDA_LIST(int x, int layer), x, 0, layer)
WARPKIT_CUDA_SURFACE(surf2DLayered, WARPKIT_CUDA_LIST(int x, int y, int layer), x, y, layer)
WARPKIT_CUDA_SURFACE(surfCubemap, WARPKIT_CUDA_LIST(int x, int y, int face), x, y, face)
WARPKIT_CUDA_SURFACE(surfCubemapLayered, WARPKIT_CUDA_LIST(int x, int y, int layer_face), x, y, layer_face)
#undef WARPKIT_CUDA_SURFACE
#undef WARPKIT_CUDA_LIST
#endif

#endif
