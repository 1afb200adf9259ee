/* Texture fetches, by reference and by object. A fetch gives four components; how many are kept, and as what, the
 * element type says. */
#ifndef WARPKIT_CUDA_DEVICE_TEXTURES_H
#define WARPKIT_CUDA_DEVICE_TEXTURES_H

#if __cplusplus >= 201103L
namespace warpkit_cuda {
template <class R>
struct texel {
    R x, y, z, w;
};
/* How an element type T is fetched (as what R) and made of the four components. */
template <class T>
struct element;
#define WARPKIT_CUDA_ELEMENT(type, fetched, ...)                                                             \
    template <>                                                                                              \
    struct element<type> {                                                                                   \
        using as = fetched;                                                                                  \
        static __device__ WARPKIT_CUDA_INLINED type make(texel<fetched> v) { return __VA_ARGS__; }           \
    };
#define WARPKIT_CUDA_ELEMENTS(scalar, vector, fetched)                                                       \
    WARPKIT_CUDA_ELEMENT(scalar, fetched, (scalar)v.x)                                                       \
    WARPKIT_CUDA_ELEMENT(vector##1, fetched, make_##vector##1((scalar)v.x))                                  \
    WARPKIT_CUDA_ELEMENT(vector##2, fetched, make_##vector##2((scalar)v.x, (scalar)v.y))                     \
    WARPKIT_CUDA_ELEMENT(vector##4, fetched,                                                                 \
                         make_##vector##4((scalar)v.x, (scalar)v.y, (scalar)v.z, (scalar)v.w))
WARPKIT_CUDA_ELEMENTS(signed char, char, int)
WARPKIT_CUDA_ELEMENT(char, int, (char)v.x)
WARPKIT_CUDA_ELEMENTS(unsigned char, uchar, unsigned int)
WARPKIT_CUDA_ELEMENTS(short, short, int)
WARPKIT_CUDA_ELEMENTS(unsigned short, ushort, unsigned int)
WARPKIT_CUDA_ELEMENTS(int, int, int)
WARPKIT_CUDA_ELEMENTS(unsigned int, uint, unsigned int)
WARPKIT_CUDA_ELEMENTS(float, float, float)
#undef WARPKIT_CUDA_ELEMENTS
#undef WARPKIT_CUDA_ELEMENT

/* With cudaReadModeNormalizedFloat integers are fetched as floats in [0, 1] or [-1, 1]. */
template <class T, cudaTextureReadMode M>
struct result {
    using type = T;
};
#define WARPKIT_CUDA_NORMALIZED(scalar, vector)                                                              \
    template <>                                                                                              \
    struct result<scalar, cudaReadModeNormalizedFloat> {                                                     \
        using type = float;                                                                                  \
    };                                                                                                       \
    template <>                                                                                              \
    struct result<vector##1, cudaReadModeNormalizedFloat> {                                                  \
        using type = float1;                                                                                 \
    };                                                                                                       \
    template <>                                                                                              \
    struct result<vector##2, cudaReadModeNormalizedFloat> {                                                  \
        using type = float2;                                                                                 \
    };                                                                                                       \
    template <>                                                                                              \
    struct result<vector##4, cudaReadModeNormalizedFloat> {                                                  \
        using type = float4;                                                                                 \
    };
WARPKIT_CUDA_NORMALIZED(signed char, char)
WARPKIT_CUDA_NORMALIZED(unsigned char, uchar)
WARPKIT_CUDA_NORMALIZED(short, short)
WARPKIT_CUDA_NORMALIZED(unsigned short, ushort)
#undef WARPKIT_CUDA_NORMALIZED

#define WARPKIT_CUDA_FETCH(name, geometry, type, ptx, letter, coordinate, coordinate_ptx, parameters,        \
                           arguments, ...)                                                                   \
    WARPKIT_CUDA_DEVICE texel<type> name parameters {                                                        \
        texel<type> v;                                                                                       \
        asm volatile("tex." geometry ".v4." ptx "." coordinate_ptx " {%0, %1, %2, %3}, [%4, " arguments "];" \
                     : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)                    \
                     : "l"(t), __VA_ARGS__);                                                                 \
        return v;                                                                                            \
    }
#define WARPKIT_CUDA_FETCHES(type, ptx, letter)                                                              \
    WARPKIT_CUDA_FETCH(fetch_1d_at, "1d", type, ptx, letter, int, "s32",                                     \
                       (type, cudaTextureObject_t t, int x), "{%5}", "r"(x))                                 \
    WARPKIT_CUDA_FETCH(fetch_1d, "1d", type, ptx, letter, float, "f32",                                      \
                       (type, cudaTextureObject_t t, float x), "{%5}", "f"(x))                               \
    WARPKIT_CUDA_FETCH(fetch_2d, "2d", type, ptx, letter, float, "f32",                                      \
                       (type, cudaTextureObject_t t, float x, float y), "{%5, %6}", "f"(x), "f"(y))          \
    WARPKIT_CUDA_FETCH(fetch_3d, "3d", type, ptx, letter, float, "f32",                                      \
                       (type, cudaTextureObject_t t, float x, float y, float z), "{%5, %6, %7, %7}", "f"(x), \
                       "f"(y), "f"(z))
WARPKIT_CUDA_FETCHES(float, "f32", "f")
WARPKIT_CUDA_FETCHES(int, "s32", "r")
WARPKIT_CUDA_FETCHES(unsigned int, "u32", "r")
#undef WARPKIT_CUDA_FETCHES
#undef WARPKIT_CUDA_FETCH

/* A reference is its handle in device code. */
template <class T>
WARPKIT_CUDA_DEVICE cudaTextureObject_t handle(T t) {
    return *(cudaTextureObject_t*)&t;
}
} // namespace warpkit_cuda

/* By reference; by object; by object, into a variable. */
#define WARPKIT_CUDA_TEXTURE(name, dimensions, fetch, parameters, ...)                                       \
    template <class T, cudaTextureReadMode M>                                                                \
    WARPKIT_CUDA_DEVICE typename warpkit_cuda::result<T, M>::type name(texture<T, dimensions, M> t,          \
                                                                       parameters) {                         \
        using element = warpkit_cuda::element<typename warpkit_cuda::result<T, M>::type>;                    \
        return element::make(                                                                                \
            warpkit_cuda::fetch(typename element::as(), warpkit_cuda::handle(t), __VA_ARGS__));              \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE T name(cudaTextureObject_t t, parameters) {                                          \
        using element = warpkit_cuda::element<T>;                                                            \
        return element::make(warpkit_cuda::fetch(typename element::as(), t, __VA_ARGS__));                   \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE void name(T* to, cudaTextureObject_t t, parameters) {                                \
        *to = name<T>(t, __VA_ARGS__);                                                                       \
    }
#define WARPKIT_CUDA_COORDINATES_2 float x, float y
#define WARPKIT_CUDA_COORDINATES_3 float x, float y, float z
WARPKIT_CUDA_TEXTURE(tex1Dfetch, cudaTextureType1D, fetch_1d_at, int x, x)
WARPKIT_CUDA_TEXTURE(tex1D, cudaTextureType1D, fetch_1d, float x, x)
WARPKIT_CUDA_TEXTURE(tex2D, cudaTextureType2D, fetch_2d, WARPKIT_CUDA_COORDINATES_2, x, y)
WARPKIT_CUDA_TEXTURE(tex3D, cudaTextureType3D, fetch_3d, WARPKIT_CUDA_COORDINATES_3, x, y, z)
/* Layers: each has a handle, and the object says how many there are above the first one's. */
namespace warpkit_cuda {
WARPKIT_CUDA_DEVICE cudaTextureObject_t layer_of(cudaTextureObject_t t, int layer) {
    int const last = (int)(t >> 32) - 1;
    return (t & 0xffffffffu) + (unsigned int)(layer < 0 ? 0 : layer > last ? last : layer);
}
/* The face that a direction meets, and where (CUDA C++ Programming Guide, "Cubemap Textures"). */
struct cube_place {
    int face;
    float s, t;
};
WARPKIT_CUDA_DEVICE cube_place place_on_cube(float x, float y, float z) {
    float const ax = x < 0 ? -x : x, ay = y < 0 ? -y : y, az = z < 0 ? -z : z;
    float s, t, m;
    int face;
    if (ax > ay && ax > az) {
        face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
    } else if (ay > az) {
        face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
    }
    cube_place const p = {face, (s / m + 1) / 2, (t / m + 1) / 2};
    return p;
}
} // namespace warpkit_cuda
template <class T>
WARPKIT_CUDA_DEVICE T tex1DLayered(cudaTextureObject_t t, float x, int layer) {
    return tex1D<T>(warpkit_cuda::layer_of(t, layer), x);
}
template <class T>
WARPKIT_CUDA_DEVICE T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer) {
    return tex2D<T>(warpkit_cuda::layer_of(t, layer), x, y);
}
template <class T>
WARPKIT_CUDA_DEVICE T texCubemap(cudaTextureObject_t t, float x, float y, float z) {
    warpkit_cuda::cube_place const p = warpkit_cuda::place_on_cube(x, y, z);
    return tex2D<T>(warpkit_cuda::layer_of(t, p.face), p.s, p.t);
}
template <class T>
WARPKIT_CUDA_DEVICE T texCubemapLayered(cudaTextureObject_t t, float x, float y, float z, int layer) {
    warpkit_cuda::cube_place const p = warpkit_cuda::place_on_cube(x, y, z);
    return tex2D<T>(warpkit_cuda::layer_of(t, 6 * layer + p.face), p.s, p.t);
}
/* Levels: a texture has one, whichever is asked for. */
template <class T>
WARPKIT_CUDA_DEVICE T tex1DLod(cudaTextureObject_t t, float x, float) {
    return tex1D<T>(t, x);
}
template <class T>
WARPKIT_CUDA_DEVICE T tex2DLod(cudaTextureObject_t t, float x, float y, float) {
    return tex2D<T>(t, x, y);
}
template <class T>
WARPKIT_CUDA_DEVICE T tex3DLod(cudaTextureObject_t t, float x, float y, float z, float) {
    return tex3D<T>(t, x, y, z);
}
template <class T>
WARPKIT_CUDA_DEVICE T tex1DGrad(cudaTextureObject_t t, float x, float, float) {
    return tex1D<T>(t, x);
}
template <class T>
WARPKIT_CUDA_DEVICE T tex2DGrad(cudaTextureObject_t t, float x, float y, float2, float2) {
    return tex2D<T>(t, x, y);
}
template <class T>
WARPKIT_CUDA_DEVICE T tex3DGrad(cudaTextureObject_t t, float x, float y, float z, float4, float4) {
    return tex3D<T>(t, x, y, z);
}
#undef WARPKIT_CUDA_COORDINATES_3
#undef WARPKIT_CUDA_COORDINATES_2
#undef WARPKIT_CUDA_TEXTURE
#endif

#endif
