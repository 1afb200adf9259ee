/* Texture fetches, by reference and by object. A fetch gives four components; how many are kept, and as what, the
 * element type says. */
#ifndef WARPKIT_CUDA_DEVICE_TEXTURES_H
#define WARPKIT_CUDA_DEVICE_TEXTURES_H

#if __cplusplus >= 201103L
#define WARPKIT_CUDA_LIST(...) __VA_ARGS__
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

/* Fetches as PTX has them: `at` is where, after the four results. */
#define WARPKIT_CUDA_FETCH(name, form, type, ptx, letter, coordinate, parameters, at, ...)                   \
    WARPKIT_CUDA_DEVICE texel<type> name parameters {                                                        \
        texel<type> v;                                                                                       \
        asm volatile(form ".v4." ptx "." coordinate " {%0, %1, %2, %3}, " at ";"                             \
                     : "=" letter(v.x), "=" letter(v.y), "=" letter(v.z), "=" letter(v.w)                    \
                     : [t] "l"(t), __VA_ARGS__);                                                             \
        return v;                                                                                            \
    }
#define WARPKIT_CUDA_IN_1 [x] "f"(x)
#define WARPKIT_CUDA_IN_2 WARPKIT_CUDA_IN_1, [y] "f"(y)
#define WARPKIT_CUDA_IN_3 WARPKIT_CUDA_IN_2, [z] "f"(z)
#define WARPKIT_CUDA_SLOPES_1 [dx] "f"(dx), [dy] "f"(dy)
#define WARPKIT_CUDA_SLOPES_2 [xx] "f"(dx.x), [xy] "f"(dx.y), [yx] "f"(dy.x), [yy] "f"(dy.y)
#define WARPKIT_CUDA_SLOPES_3 WARPKIT_CUDA_SLOPES_2, [xz] "f"(dx.z), [yz] "f"(dy.z)
/* A shape by its coordinates, at level 0, at a level, and at that of two gradients. */
#define WARPKIT_CUDA_SHAPE(type, ptx, letter, shape, coordinates, at, slope, slopes_at, slopes, ...)         \
    WARPKIT_CUDA_FETCH(fetch_##shape, "tex." #shape, type, ptx, letter, "f32",                               \
                       (type, cudaTextureObject_t t, WARPKIT_CUDA_LIST coordinates), "[%[t], {" at "}]",     \
                       __VA_ARGS__)                                                                          \
    WARPKIT_CUDA_FETCH(level_##shape, "tex.level." #shape, type, ptx, letter, "f32",                         \
                       (type, cudaTextureObject_t t, WARPKIT_CUDA_LIST coordinates, float level),            \
                       "[%[t], {" at "}], %[level]", __VA_ARGS__, [level] "f"(level))                        \
    WARPKIT_CUDA_FETCH(grad_##shape, "tex.grad." #shape, type, ptx, letter, "f32",                           \
                       (type, cudaTextureObject_t t, WARPKIT_CUDA_LIST coordinates, slope dx, slope dy),     \
                       "[%[t], {" at "}], " slopes_at, __VA_ARGS__, slopes)
#define WARPKIT_CUDA_FETCHES(type, ptx, letter)                                                              \
    WARPKIT_CUDA_FETCH(fetch_1d_at, "tex.1d", type, ptx, letter, "s32",                                      \
                       (type, cudaTextureObject_t t, int x), "[%[t], {%[x]}]", [x] "r"(x))                   \
    WARPKIT_CUDA_SHAPE(type, ptx, letter, 1d, (float x), "%[x]", float, "{%[dx]}, {%[dy]}",                  \
                       WARPKIT_CUDA_LIST(WARPKIT_CUDA_SLOPES_1), WARPKIT_CUDA_IN_1)                          \
    WARPKIT_CUDA_SHAPE(type, ptx, letter, 2d, (float x, float y), "%[x], %[y]", float2,                      \
                       "{%[xx], %[xy]}, {%[yx], %[yy]}", WARPKIT_CUDA_LIST(WARPKIT_CUDA_SLOPES_2),           \
                       WARPKIT_CUDA_IN_2)                                                                    \
    WARPKIT_CUDA_SHAPE(type, ptx, letter, 3d, (float x, float y, float z), "%[x], %[y], %[z], %[z]", float4, \
                       "{%[xx], %[xy], %[xz], %[xz]}, {%[yx], %[yy], %[yz], %[yz]}",                         \
                       WARPKIT_CUDA_LIST(WARPKIT_CUDA_SLOPES_3), WARPKIT_CUDA_IN_3)                          \
    WARPKIT_CUDA_SHAPE(type, ptx, letter, a1d, (float x, int layer), "%[layer], %[x]", float,                \
                       "{%[dx]}, {%[dy]}", WARPKIT_CUDA_LIST(WARPKIT_CUDA_SLOPES_1), [layer] "r"(layer),     \
                       WARPKIT_CUDA_IN_1)                                                                    \
    WARPKIT_CUDA_SHAPE(type, ptx, letter, a2d, (float x, float y, int layer),                                \
                       "%[layer], %[x], %[y], %[y]", float2, "{%[xx], %[xy]}, {%[yx], %[yy]}",               \
                       WARPKIT_CUDA_LIST(WARPKIT_CUDA_SLOPES_2), [layer] "r"(layer), WARPKIT_CUDA_IN_2)      \
    WARPKIT_CUDA_SHAPE(type, ptx, letter, cube, (float x, float y, float z), "%[x], %[y], %[z], %[z]",       \
                       float4, "{%[xx], %[xy], %[xz], %[xz]}, {%[yx], %[yy], %[yz], %[yz]}",                 \
                       WARPKIT_CUDA_LIST(WARPKIT_CUDA_SLOPES_3), WARPKIT_CUDA_IN_3)                          \
    WARPKIT_CUDA_SHAPE(type, ptx, letter, acube, (float x, float y, float z, int layer),                     \
                       "%[layer], %[x], %[y], %[z]", float4,                                                 \
                       "{%[xx], %[xy], %[xz], %[xz]}, {%[yx], %[yy], %[yz], %[yz]}",                         \
                       WARPKIT_CUDA_LIST(WARPKIT_CUDA_SLOPES_3), [layer] "r"(layer), WARPKIT_CUDA_IN_3)      \
    WARPKIT_CUDA_GATHER(type, ptx, letter, r)                                                                \
    WARPKIT_CUDA_GATHER(type, ptx, letter, g)                                                                \
    WARPKIT_CUDA_GATHER(type, ptx, letter, b)                                                                \
    WARPKIT_CUDA_GATHER(type, ptx, letter, a)                                                                \
    WARPKIT_CUDA_DEVICE texel<type> gather_2d(type of, cudaTextureObject_t t, float x, float y, int which) { \
        return which == 1   ? gather_g(of, t, x, y)                                                          \
               : which == 2 ? gather_b(of, t, x, y)                                                          \
               : which == 3 ? gather_a(of, t, x, y)                                                          \
                            : gather_r(of, t, x, y);                                                         \
    }
#define WARPKIT_CUDA_GATHER(type, ptx, letter, component)                                                    \
    WARPKIT_CUDA_FETCH(gather_##component, "tld4." #component ".2d", type, ptx, letter, "f32",               \
                       (type, cudaTextureObject_t t, float x, float y), "[%[t], {%[x], %[y]}]",              \
                       WARPKIT_CUDA_IN_2)
WARPKIT_CUDA_FETCHES(float, "f32", "f")
WARPKIT_CUDA_FETCHES(int, "s32", "r")
WARPKIT_CUDA_FETCHES(unsigned int, "u32", "r")
#undef WARPKIT_CUDA_GATHER
#undef WARPKIT_CUDA_FETCHES
#undef WARPKIT_CUDA_SHAPE
#undef WARPKIT_CUDA_SLOPES_3
#undef WARPKIT_CUDA_SLOPES_2
#undef WARPKIT_CUDA_SLOPES_1
#undef WARPKIT_CUDA_IN_3
#undef WARPKIT_CUDA_IN_2
#undef WARPKIT_CUDA_IN_1
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
                                                                       WARPKIT_CUDA_LIST parameters) {       \
        using element = warpkit_cuda::element<typename warpkit_cuda::result<T, M>::type>;                    \
        return element::make(                                                                                \
            warpkit_cuda::fetch(typename element::as(), warpkit_cuda::handle(t), __VA_ARGS__));              \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE T name(cudaTextureObject_t t, WARPKIT_CUDA_LIST parameters) {                        \
        using element = warpkit_cuda::element<T>;                                                            \
        return element::make(warpkit_cuda::fetch(typename element::as(), t, __VA_ARGS__));                   \
    }                                                                                                        \
    template <class T>                                                                                       \
    WARPKIT_CUDA_DEVICE void name(T* to, cudaTextureObject_t t, WARPKIT_CUDA_LIST parameters) {              \
        *to = name<T>(t, __VA_ARGS__);                                                                       \
    }
/* Fetched at level 0, at a level, and at that of two gradients. */
#define WARPKIT_CUDA_LEVELS(name, type, shape, slope, parameters, ...)                                       \
    WARPKIT_CUDA_TEXTURE(name, type, fetch_##shape, parameters, __VA_ARGS__)                                 \
    WARPKIT_CUDA_TEXTURE(name##Lod, type, level_##shape, (WARPKIT_CUDA_LIST parameters, float level),        \
                         __VA_ARGS__, level)                                                                 \
    WARPKIT_CUDA_TEXTURE(name##Grad, type, grad_##shape,                                                     \
                         (WARPKIT_CUDA_LIST parameters, slope dx, slope dy), __VA_ARGS__, dx, dy)
WARPKIT_CUDA_TEXTURE(tex1Dfetch, cudaTextureType1D, fetch_1d_at, (int x), x)
WARPKIT_CUDA_LEVELS(tex1D, cudaTextureType1D, 1d, float, (float x), x)
WARPKIT_CUDA_LEVELS(tex2D, cudaTextureType2D, 2d, float2, (float x, float y), x, y)
WARPKIT_CUDA_LEVELS(tex3D, cudaTextureType3D, 3d, float4, (float x, float y, float z), x, y, z)
WARPKIT_CUDA_LEVELS(tex1DLayered, cudaTextureType1DLayered, a1d, float, (float x, int layer), x, layer)
WARPKIT_CUDA_LEVELS(tex2DLayered, cudaTextureType2DLayered, a2d, float2, (float x, float y, int layer), x, y,
                    layer)
WARPKIT_CUDA_LEVELS(texCubemap, cudaTextureTypeCubemap, cube, float4, (float x, float y, float z), x, y, z)
WARPKIT_CUDA_LEVELS(texCubemapLayered, cudaTextureTypeCubemapLayered, acube, float4,
                    (float x, float y, float z, int layer), x, y, z, layer)
/* Of the four texels around a place one component. */
WARPKIT_CUDA_TEXTURE(tex2Dgather, cudaTextureType2D, gather_2d, (float x, float y, int component = 0), x, y,
                     component)
#undef WARPKIT_CUDA_LEVELS
#undef WARPKIT_CUDA_TEXTURE
#undef WARPKIT_CUDA_LIST
#endif

#endif
