// Surfaces of all shapes, layered textures and cubemaps, beside the arrays that they are made of.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

static int wrong = 0;
static void expect(bool right, char const* what) {
    if (!right) ++wrong;
    if (!right) std::printf("WRONG: %s\n", what);
}

__global__ void write(cudaSurfaceObject_t s, int depth) {
    int const x = threadIdx.x, y = blockIdx.x;
    for (int z = 0; z < depth; ++z) surf3Dwrite(100 * z + 10 * y + x, s, x * 4, y, z);
}
__global__ void modes(cudaSurfaceObject_t s, int* out) {
    out[0] = surf2Dread<int>(s, -4, 1, cudaBoundaryModeZero);
    out[1] = surf2Dread<int>(s, 4000, 1, cudaBoundaryModeClamp);
    surf2Dwrite(5, s, 400000, 0, cudaBoundaryModeZero);
    surf2Dread(&out[2], s, 8, 2);
}
__global__ void layers(cudaTextureObject_t t, float* out, int count) {
    for (int i = -1; i <= count; ++i) out[i + 1] = tex2DLayered<float>(t, 2.5f, 1.5f, i);
}
__global__ void faces(cudaTextureObject_t t, float* out) {
    float const d[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 6; ++i) out[i] = texCubemap<float>(t, d[i][0], d[i][1], d[i][2]);
    out[6] = texCubemap<float>(t, 1, 0.9f, 0.9f); // of face 0: left, top
}
template <class T>
__global__ void copy(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int const x = threadIdx.x * sizeof(T), y = blockIdx.x;
    T v;
    surf2Dread(&v, from, x, y);
    surf2Dwrite(v, to, x, y);
}
__global__ void set_level(cudaSurfaceObject_t s, float value) {
    surf2Dwrite(value, s, threadIdx.x * sizeof(float), threadIdx.y);
}
__global__ void levels(cudaTextureObject_t t, float* out) {
    for (int i = 0; i < 5; ++i) out[i] = tex2DLod<float>(t, 0.3f, 0.6f, i * 0.75f);
    out[5] = tex2D<float>(t, 0.3f, 0.6f);
    out[6] =
        tex2DGrad<float>(t, 0.3f, 0.6f, make_float2(0.25f, 0), make_float2(0, 0.125f)); // two texels of eight
    tex2DLod(&out[7], t, 0.3f, 0.6f, 100.0f);
}
__global__ void gather(cudaTextureObject_t t, float4* out, int component) {
    out[0] = tex2Dgather<float4>(t, 2, 1);
    out[1] = tex2Dgather<float4>(t, 2, 1, component);
}
__global__ void layered_cubes(cudaTextureObject_t t, float* out) {
    for (int layer = 0; layer < 2; ++layer) {
        out[2 * layer] = texCubemapLayered<float>(t, 0, 0, -1, layer);
        out[2 * layer + 1] = texCubemapLayeredLod<float>(t, 0, -1, 0, layer, 0);
    }
}
__global__ void lines(cudaTextureObject_t t, cudaSurfaceObject_t s, float* out) {
    surf1DLayeredwrite(-5.0f, s, 3 * 4, 2);
    out[0] = tex1DLayered<float>(t, 1.5f, 1);
    out[1] = tex1DLayered<float>(t, 3.5f, 2);
    out[2] = surf1DLayeredread<float>(s, 4, 0);
}
static cudaSurfaceObject_t surface_of(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s = 0;
    expect(cudaCreateSurfaceObject(&s, &r) == cudaSuccess, "cudaCreateSurfaceObject");
    return s;
}
static void fill(cudaArray_t a, std::vector<float>& v, cudaExtent e) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(v.data(), e.width * sizeof(float), e.width, e.height);
    p.dstArray = a;
    p.extent = e;
    p.kind = cudaMemcpyHostToDevice;
    expect(cudaMemcpy3D(&p) == cudaSuccess, "cudaMemcpy3D");
}
static cudaTextureObject_t texture_of(cudaArray_t a, bool normalised) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeClamp;
    d.normalizedCoords = normalised;
    cudaTextureObject_t t = 0;
    expect(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaSuccess, "cudaCreateTextureObject");
    return t;
}

// Elements of each size, one array to another.
template <class T>
static void copies(char const* what) {
    auto const bytes = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t from, to;
    cudaMallocArray(&from, &bytes, 8 * sizeof(T), 3, cudaArraySurfaceLoadStore);
    cudaMallocArray(&to, &bytes, 8 * sizeof(T), 3, cudaArraySurfaceLoadStore);
    std::vector<unsigned char> v(8 * 3 * sizeof(T)), got(v.size());
    for (size_t i = 0; i < v.size(); ++i) v[i] = (unsigned char)(37 * i + 1);
    size_t const row = 8 * sizeof(T);
    cudaMemcpy2DToArray(from, 0, 0, v.data(), row, row, 3, cudaMemcpyHostToDevice);
    copy<T><<<3, 8>>>(surface_of(from), surface_of(to));
    cudaMemcpy2DFromArray(got.data(), row, to, 0, 0, row, 3, cudaMemcpyDeviceToHost);
    expect(got == v, what);
}
static void mipmaps(float* raw) {
    auto const floats = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    expect(cudaMallocMipmappedArray(&m, &floats, make_cudaExtent(8, 8, 0), 99, cudaArraySurfaceLoadStore) ==
               cudaSuccess,
           "cudaMallocMipmappedArray");
    cudaArray_t level;
    for (unsigned k = 0; k < 4; ++k) {
        expect(cudaGetMipmappedArrayLevel(&level, m, k) == cudaSuccess, "cudaGetMipmappedArrayLevel");
        cudaExtent e;
        cudaArrayGetInfo(nullptr, &e, nullptr, level);
        expect(e.width == 8u >> k && e.height == 8u >> k, "the extent of a level");
        set_level<<<1, dim3(e.width, e.height)>>>(surface_of(level), (float)(10 << k));
    }
    expect(cudaGetMipmappedArrayLevel(&level, m, 4) == cudaErrorInvalidValue, "a level that there is not");
    expect(cudaFreeArray(level) == cudaErrorInvalidValue, "a level is freed with the whole");
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    expect(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaErrorInvalidValue, "coordinates in texels");
    d.normalizedCoords = 1;
    d.filterMode = d.mipmapFilterMode = cudaFilterModeLinear;
    d.maxMipmapLevelClamp = 99;
    expect(cudaCreateTextureObject(&t, &r, &d, nullptr) == cudaSuccess, "the texture of a mipmap");
    levels<<<1, 1>>>(t, raw);
    float f[8];
    cudaMemcpy(f, raw, sizeof f, cudaMemcpyDeviceToHost);
    expect(f[0] == 10 && f[1] == 17.5f && f[2] == 30 && f[3] == 50 && f[4] == 80, "tex2DLod");
    expect(f[5] == 10 && f[6] == 20 && f[7] == 80, "tex2D, tex2DGrad, the last level");
    cudaDestroyTextureObject(t);
    expect(cudaFreeMipmappedArray(m) == cudaSuccess, "cudaFreeMipmappedArray");
    expect(cudaFreeMipmappedArray(m) == cudaErrorInvalidResourceHandle, "a mipmap that was freed");
}
static void others(float* raw) {
    auto const floats = cudaCreateChannelDesc<float>();
    auto const pairs = cudaCreateChannelDesc<float2>();
    float f[8];
    // Texels (x, -x) in rows of four.
    cudaArray_t a;
    cudaMallocArray(&a, &pairs, 4, 3, cudaArrayTextureGather);
    std::vector<float> v(24);
    for (int i = 0; i < 12; ++i) v[2 * i] = (float)i, v[2 * i + 1] = (float)-i;
    cudaMemcpy2DToArray(a, 0, 0, v.data(), 32, 32, 3, cudaMemcpyHostToDevice);
    gather<<<1, 1>>>(texture_of(a, false), (float4*)raw, 1);
    cudaMemcpy(f, raw, sizeof f, cudaMemcpyDeviceToHost);
    expect(f[0] == 5 && f[1] == 6 && f[2] == 2 && f[3] == 1, "tex2Dgather");
    expect(f[4] == -5 && f[5] == -6 && f[6] == -2 && f[7] == -1, "tex2Dgather of the second component");

    cudaExtent const cubes = make_cudaExtent(2, 2, 12);
    expect(cudaMalloc3DArray(&a, &floats, cubes, cudaArrayCubemap | cudaArrayLayered) == cudaSuccess,
           "two cubes");
    v.resize(48);
    for (int i = 0; i < 48; ++i) v[i] = (float)i;
    fill(a, v, cubes);
    layered_cubes<<<1, 1>>>(texture_of(a, true), raw);
    cudaMemcpy(f, raw, sizeof f, cudaMemcpyDeviceToHost);
    expect(f[0] == 5 * 4 + 3 && f[1] == 3 * 4 + 3 && f[2] == 11 * 4 + 3 && f[3] == 9 * 4 + 3,
           "texCubemapLayered");

    cudaExtent const rows = make_cudaExtent(4, 0, 3);
    expect(cudaMalloc3DArray(&a, &floats, rows, cudaArrayLayered | cudaArraySurfaceLoadStore) == cudaSuccess,
           "lines in layers");
    v.resize(12);
    for (int i = 0; i < 12; ++i) v[i] = (float)i;
    fill(a, v, make_cudaExtent(4, 1, 3));
    lines<<<1, 1>>>(texture_of(a, false), surface_of(a), raw);
    cudaMemcpy(f, raw, sizeof f, cudaMemcpyDeviceToHost);
    expect(f[0] == 5 && f[1] == -5 && f[2] == 1, "layers of lines");
}

int main() {
    auto const ints = cudaCreateChannelDesc<int>();
    auto const floats = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    expect(cudaMalloc3DArray(&a, &ints, make_cudaExtent(8, 5, 3), cudaArraySurfaceLoadStore) == cudaSuccess,
           "array");
    auto const s = surface_of(a);
    write<<<5, 8>>>(s, 3);
    std::vector<int> got(8 * 5 * 3);
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(got.data(), 8 * sizeof(int), 8, 5);
    p.extent = make_cudaExtent(8, 5, 3);
    p.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&p);
    bool right = true;
    for (int i = 0; i < 120; ++i) right = right && got[i] == 100 * (i / 40) + 10 * (i / 8 % 5) + i % 8;
    expect(right, "surf3Dwrite");
    void* raw;
    cudaMalloc(&raw, 64);
    modes<<<1, 1>>>(s, (int*)raw);
    int m[3];
    cudaMemcpy(m, raw, sizeof m, cudaMemcpyDeviceToHost);
    expect(m[0] == 0 && m[1] == 17 && m[2] == 22, "boundary modes");
    expect(cudaDestroySurfaceObject(s) == cudaSuccess, "cudaDestroySurfaceObject");
    expect(cudaDestroySurfaceObject(s) == cudaErrorInvalidValue, "a surface that was destroyed");

    cudaExtent const extent = make_cudaExtent(4, 3, 5);
    expect(cudaMalloc3DArray(&a, &floats, extent, cudaArrayLayered) == cudaSuccess, "layered array");
    std::vector<float> v(60);
    for (int i = 0; i < 60; ++i) v[i] = (float)i;
    fill(a, v, extent);
    auto t = texture_of(a, false);
    layers<<<1, 1>>>(t, (float*)raw, 5);
    float f[7];
    cudaMemcpy(f, raw, sizeof f, cudaMemcpyDeviceToHost);
    right = true;
    for (int i = 0; i < 7; ++i) right = right && f[i] == v[12 * (i < 1 ? 0 : i > 5 ? 4 : i - 1) + 4 * 1 + 2];
    expect(right, "tex2DLayered");
    expect(cudaDestroyTextureObject(t) == cudaSuccess, "cudaDestroyTextureObject");

    cudaExtent const cube = make_cudaExtent(4, 4, 6);
    expect(cudaMalloc3DArray(&a, &floats, make_cudaExtent(4, 4, 5), cudaArrayCubemap) ==
               cudaErrorInvalidValue,
           "a cube of five faces");
    expect(cudaMalloc3DArray(&a, &floats, cube, cudaArrayCubemap) == cudaSuccess, "cubemap");
    v.resize(96);
    for (int i = 0; i < 96; ++i) v[i] = (float)(100 * (i / 16) + i % 16);
    fill(a, v, cube);
    t = texture_of(a, true);
    faces<<<1, 1>>>(t, (float*)raw);
    cudaMemcpy(f, raw, sizeof f, cudaMemcpyDeviceToHost);
    right = true;
    for (int i = 0; i < 6; ++i) right = right && f[i] == 100 * i + 10; // the middle: element (2, 2)
    expect(right && f[6] == 0, "texCubemap");
    copies<unsigned char>("bytes");
    copies<short>("two bytes");
    copies<uchar4>("four bytes");
    copies<float2>("eight bytes");
    copies<float4>("sixteen bytes");
    mipmaps((float*)raw);
    others((float*)raw);
    std::printf(wrong == 0 ? "PASSED\n" : "%d wrong\n", wrong);
    return wrong != 0;
}
