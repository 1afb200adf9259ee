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
    std::printf(wrong == 0 ? "PASSED\n" : "%d wrong\n", wrong);
    return wrong != 0;
}
