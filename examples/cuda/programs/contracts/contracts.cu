// What the runtime answers to what cannot be: sizes that wrap, handles that are none, places that are null, launches
// that no device takes. Each call gives the code that CUDA's documentation names for it, and leaves everything as it
// was.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_occupancy.h>
#include <string>
#include <vector>

namespace {

int failures = 0;
void expect(bool good, char const* what, int line) {
    if (good) return;
    ++failures;
    std::printf("FAILED: line %d: %s\n", line, what);
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)
#define OK(call) expect((call) == cudaSuccess, #call, __LINE__)
// The code is also the last error, once.
#define FAILS(code, call)                                                                                    \
    do {                                                                                                     \
        cudaGetLastError();                                                                                  \
        cudaError_t const found = (call);                                                                    \
        if (found != (code)) std::printf("found %s\n", cudaGetErrorName(found));                             \
        expect(found == (code) && cudaGetLastError() == (code) && cudaGetLastError() == cudaSuccess, #call,  \
               __LINE__);                                                                                    \
    } while (0)
// The driver's, in its own words.
#define REFUSES(code, call) expect((call) == (code), #call, __LINE__)

size_t const huge = (size_t)-1;
size_t const exa = (size_t)1 << 60;

__constant__ int table[4];
__global__ void add(int* p, int n) { atomicAdd(p + threadIdx.x, n); }
__global__ void shares(int* p) {
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = p[0];
    __syncthreads();
    p[threadIdx.x] = buffer[0];
}

struct buffers {
    char* p = nullptr; // 4096 bytes of 'p' on the device
    char* q = nullptr; // 4096 bytes beside it
    std::vector<char> h = std::vector<char>(4096, 'h');
    buffers() {
        OK(cudaMalloc(&p, 4096));
        OK(cudaMalloc(&q, 4096));
        OK(cudaMemset(p, 'p', 4096));
    }
    ~buffers() {
        char all[4096];
        OK(cudaMemcpy(all, p, 4096, cudaMemcpyDeviceToHost));
        bool untouched = true;
        for (char const c : all) untouched = untouched && c == 'p';
        for (char const c : h) untouched = untouched && c == 'h';
        EXPECT(untouched);
        OK(cudaFree(p));
        OK(cudaFree(q));
    }
};

void copies() {
    buffers b;
    for (size_t const bytes : {huge, (size_t)-16, (size_t)-4096, exa, (size_t)4097, (size_t)1 << 32}) {
        FAILS(cudaErrorInvalidValue, cudaMemcpy(b.p, b.h.data(), bytes, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue, cudaMemcpy(b.h.data(), b.p, bytes, cudaMemcpyDeviceToHost));
        FAILS(cudaErrorInvalidValue, cudaMemcpy(b.q, b.p, bytes, cudaMemcpyDeviceToDevice));
        FAILS(cudaErrorInvalidValue, cudaMemcpy(b.q, b.p, bytes, cudaMemcpyDefault));
        FAILS(cudaErrorInvalidValue, cudaMemcpyAsync(b.p, b.h.data(), bytes, cudaMemcpyHostToDevice, 0));
        FAILS(cudaErrorInvalidValue, cudaMemcpyPeer(b.q, 0, b.p, 0, bytes));
        FAILS(cudaErrorInvalidValue, cudaMemset(b.p, 0, bytes));
        FAILS(cudaErrorInvalidValue, cudaMemsetAsync(b.p, 0, bytes, 0));
        FAILS(cudaErrorInvalidValue, cudaMemset2D(b.p, 64, 0, 64, bytes));
        FAILS(cudaErrorInvalidValue, cudaMemset2D(b.p, bytes, 0, bytes, 1));
        FAILS(cudaErrorInvalidValue, cudaMemset2D(b.p, bytes, 0, 64, 2));
        FAILS(cudaErrorInvalidValue, cudaMemset2DAsync(b.p, 64, 0, 64, bytes, 0));
        FAILS(cudaErrorInvalidValue,
              cudaMemcpy2D(b.p, 64, b.h.data(), 64, 64, bytes, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue,
              cudaMemcpy2D(b.h.data(), 64, b.p, 64, 64, bytes, cudaMemcpyDeviceToHost));
        FAILS(cudaErrorInvalidValue, cudaMemcpy2D(b.q, 64, b.p, 64, 64, bytes, cudaMemcpyDeviceToDevice));
        FAILS(cudaErrorInvalidValue,
              cudaMemcpy2DAsync(b.p, 64, b.h.data(), 64, 64, bytes, cudaMemcpyHostToDevice, 0));
        FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, b.h.data(), bytes));
        FAILS(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, b.h.data(), 4, bytes));
        FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(b.h.data(), table, bytes));
        FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(b.h.data(), table, 16, bytes));
    }
    for (size_t const bytes : {huge, (size_t)-16, exa})
        FAILS(cudaErrorInvalidValue, cudaMemcpy(b.h.data(), b.h.data() + 1, bytes, cudaMemcpyHostToHost));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(b.p, 63, b.h.data(), 64, 64, 2, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(b.p, 64, b.h.data(), 63, 64, 2, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue, cudaMemcpy2D(b.p, 64, b.h.data(), exa, 64, 2, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidPitchValue,
          cudaMemcpy2D(b.p, huge, b.h.data(), huge, huge, 2, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(b.p, b.h.data(), 4, (cudaMemcpyKind)5));
    FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(b.p, b.h.data(), 4, (cudaMemcpyKind)-1));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyToSymbol(table, b.h.data(), 4, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyFromSymbol(b.h.data(), table, 4, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(b.q, 1, b.p, 0, 4));
    FAILS(cudaErrorInvalidDevice, cudaMemcpyPeer(b.q, 0, b.p, -1, 4));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(nullptr, b.p, 4, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaMemcpy(b.p, nullptr, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 4));
    int none = 0;
    FAILS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(none, b.h.data(), 4));
}

void boxes() {
    buffers b;
    cudaPitchedPtr const small = make_cudaPitchedPtr(b.p, 64, 64, 8);
    cudaPitchedPtr const flat = make_cudaPitchedPtr(b.p, 64, 64, 0); // planes of no rows
    cudaMemcpy3DParms box = {};
    auto const from_host = [&](cudaPitchedPtr const& to, cudaExtent extent, cudaPos at = {0, 0, 0}) {
        box.srcPtr = make_cudaPitchedPtr(b.h.data(), 64, 64, 8);
        box.dstPtr = to;
        box.dstPos = at;
        box.extent = extent;
        box.kind = cudaMemcpyHostToDevice;
        return cudaMemcpy3D(&box);
    };
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(nullptr));
    FAILS(cudaErrorInvalidValue, from_host(small, make_cudaExtent(64, 8, exa)));
    FAILS(cudaErrorInvalidValue, from_host(small, make_cudaExtent(64, exa, 1)));
    FAILS(cudaErrorInvalidPitchValue, from_host(small, make_cudaExtent(huge, 1, 1)));
    FAILS(cudaErrorInvalidValue, from_host(flat, make_cudaExtent(64, 1, exa)));
    for (size_t const far : {huge, exa, (size_t)-64})
        for (cudaPos const at : {make_cudaPos(far, 0, 0), make_cudaPos(0, far, 0), make_cudaPos(0, 0, far)})
            FAILS(cudaErrorInvalidValue, from_host(small, make_cudaExtent(4, 1, 1), at));
    FAILS(cudaErrorInvalidMemcpyDirection, (box.kind = (cudaMemcpyKind)9, cudaMemcpy3D(&box)));
    box = {};
    FAILS(cudaErrorInvalidValue, (box.extent = make_cudaExtent(4, 1, 1), cudaMemcpy3D(&box)));
    FAILS(cudaErrorInvalidValue, cudaMemset3D(small, 0, make_cudaExtent(64, 8, exa)));
    FAILS(cudaErrorInvalidValue, cudaMemset3D(small, 0, make_cudaExtent(64, exa, 1)));
    FAILS(cudaErrorInvalidValue, cudaMemset3D(small, 0, make_cudaExtent(huge, 1, 1)));
    FAILS(cudaErrorInvalidValue, cudaMemset3D(flat, 0, make_cudaExtent(64, 1, exa)));
}

void allocations() {
    size_t before = 0, after = 0, all = 0;
    OK(cudaMemGetInfo(&before, &all));
    void* const untouched = &before;
    void* p = untouched;
    size_t pitch = 7;
    for (size_t const bytes : {huge, (size_t)-5, exa, (size_t)1 << 63, (size_t)1 << 40}) {
        FAILS(cudaErrorMemoryAllocation, cudaMalloc(&p, bytes));
        FAILS(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, 64, bytes));
        FAILS(cudaErrorInvalidValue, cudaMallocPitch(&p, &pitch, bytes, 1));
    }
    FAILS(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, 64, (size_t)1 << 61));
    FAILS(cudaErrorMemoryAllocation, cudaMallocPitch(&p, &pitch, 512, (size_t)1 << 55)); // 2^64 bytes are 0
    for (size_t const bytes : {huge, (size_t)-4096, (size_t)1 << 60}) {
        FAILS(cudaErrorMemoryAllocation, cudaMallocHost(&p, bytes));
        FAILS(cudaErrorMemoryAllocation, cudaHostAlloc(&p, bytes, 0));
        FAILS(cudaErrorMemoryAllocation, cudaMallocManaged(&p, bytes));
    }
    EXPECT(p == untouched && pitch == 7);
    cudaPitchedPtr cube = make_cudaPitchedPtr(untouched, 7, 7, 7);
    FAILS(cudaErrorInvalidValue, cudaMalloc3D(&cube, make_cudaExtent(huge, 1, 1)));
    FAILS(cudaErrorMemoryAllocation, cudaMalloc3D(&cube, make_cudaExtent(64, exa, 1)));
    FAILS(cudaErrorMemoryAllocation,
          cudaMalloc3D(&cube, make_cudaExtent(64, (size_t)1 << 30, (size_t)1 << 30)));
    EXPECT(cube.ptr == untouched);
    cudaArray_t const none = (cudaArray_t)untouched;
    cudaArray_t array = none;
    auto const reals = cudaCreateChannelDesc<float>();
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, &reals, huge));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, &reals, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, &reals, 4, exa));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(&array, nullptr, 4));
    FAILS(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &reals, make_cudaExtent(4, 4, huge)));
    FAILS(cudaErrorInvalidValue, cudaMalloc3DArray(&array, &reals, make_cudaExtent(4, 0, 4)));
    FAILS(cudaErrorInvalidValue,
          cudaMalloc3DArray(&array, &reals, make_cudaExtent(4, 4, 0), cudaArrayLayered));
    FAILS(cudaErrorInvalidValue,
          cudaMalloc3DArray(&array, &reals, make_cudaExtent(4, 3, 6), cudaArrayCubemap));
    for (cudaChannelFormatDesc odd : {reals, reals, reals}) {
        static int which = 0;
        (which == 0 ? odd.x : which == 1 ? odd.y : odd.w) = which == 0 ? -8 : which == 1 ? 7 : 32;
        ++which;
        FAILS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &odd, 4));
    }
    EXPECT(array == none);
    FAILS(cudaErrorInvalidValue, cudaMallocManaged(&p, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocManaged(&p, 4, 7));
    FAILS(cudaErrorInvalidValue, cudaHostAlloc(&p, 4, 1 << 20));
    // Nowhere to put it.
    FAILS(cudaErrorInvalidValue, cudaMalloc((void**)nullptr, 4));
    FAILS(cudaErrorInvalidValue, cudaMallocHost((void**)nullptr, 4));
    FAILS(cudaErrorInvalidValue, cudaHostAlloc((void**)nullptr, 4, 0));
    FAILS(cudaErrorInvalidValue, cudaMallocManaged((void**)nullptr, 4));
    FAILS(cudaErrorInvalidValue, cudaMallocPitch((void**)nullptr, &pitch, 4, 4));
    FAILS(cudaErrorInvalidValue, cudaMallocPitch(&p, nullptr, 4, 4));
    FAILS(cudaErrorInvalidValue, cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)));
    FAILS(cudaErrorInvalidValue, cudaMallocArray(nullptr, &reals, 4));
    FAILS(cudaErrorInvalidValue, cudaMemGetInfo(nullptr, &all));
    FAILS(cudaErrorInvalidValue, cudaMemGetInfo(&all, nullptr));
    FAILS(cudaErrorInvalidValue, cudaGetSymbolAddress(nullptr, table));
    FAILS(cudaErrorInvalidValue, cudaGetSymbolSize(nullptr, table));
    FAILS(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, p));
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer((void**)nullptr, p, 0));
    // All that was asked for and not given is still there, and so is what was released.
    OK(cudaMemGetInfo(&after, &all));
    EXPECT(after == before);
    for (int i = 0; i < 3; ++i) {
        OK(cudaMalloc(&p, all / 2));
        OK(cudaFree(p));
    }
    OK(cudaMemGetInfo(&after, &all));
    EXPECT(after == before);
    OK(cudaMalloc(&p, 0));
    EXPECT(p == nullptr);
}

void releases() {
    char *p = nullptr, *pinned = nullptr, *managed = nullptr, *seen = nullptr;
    OK(cudaMalloc(&p, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&managed, 64));
    std::vector<char> own(8192);
    OK(cudaHostRegister(own.data(), 4096, cudaHostRegisterMapped));
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own.data(), 4096, 0));
    FAILS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(own.data() + 4095, 4096, 0));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(own.data() + 4096, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(own.data() + 4096, huge, 0));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(nullptr, 64, 0));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(p, 64, 0));
    FAILS(cudaErrorInvalidValue, cudaHostRegister(own.data() + 4096, 64, 1 << 20));
    OK(cudaHostGetDevicePointer(&seen, own.data() + 5, 0));
    EXPECT(seen == own.data() + 5);
    FAILS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&seen, own.data() + 5000, 0));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(pinned));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data() + 1));
    OK(cudaHostUnregister(own.data()));
    FAILS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data()));
    unsigned flags = 0;
    OK(cudaHostGetFlags(&flags, pinned + 3));
    FAILS(cudaErrorInvalidValue, cudaHostGetFlags(&flags, own.data()));
    FAILS(cudaErrorInvalidValue, cudaHostGetFlags(nullptr, pinned));
    cudaPointerAttributes what;
    OK(cudaPointerGetAttributes(&what, pinned + 63));
    EXPECT(what.type == cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&what, managed));
    EXPECT(what.type == cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&what, own.data()));
    EXPECT(what.type == cudaMemoryTypeUnregistered);
    OK(cudaMemPrefetchAsync(managed, 64, 0));
    OK(cudaMemPrefetchAsync(managed, 64, cudaCpuDeviceId));
    FAILS(cudaErrorInvalidDevice, cudaMemPrefetchAsync(managed, 64, 3));
    FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, 65, 0));
    FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(managed, huge, 0));
    FAILS(cudaErrorInvalidValue, cudaMemPrefetchAsync(p, 64, 0));
    OK(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, 5));
    FAILS(cudaErrorInvalidValue, cudaMemAdvise(managed, huge, cudaMemAdviseSetReadMostly, 0));
    FAILS(cudaErrorInvalidValue, cudaMemAdvise(managed, 64, (cudaMemoryAdvise)77, 0));
    FAILS(cudaErrorInvalidDevice, cudaMemAdvise(managed, 64, cudaMemAdviseSetAccessedBy, 5));
    OK(cudaStreamAttachMemAsync(0, managed));
    FAILS(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, managed, huge));
    FAILS(cudaErrorInvalidValue, cudaStreamAttachMemAsync(0, nullptr));
    // Each kind of memory goes back the way it came, once.
    FAILS(cudaErrorInvalidValue, cudaFree(p + 1));
    FAILS(cudaErrorInvalidValue, cudaFree(pinned));
    FAILS(cudaErrorInvalidValue, cudaFree(own.data()));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(p));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(managed));
    OK(cudaFree(p));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
    FAILS(cudaErrorInvalidValue, cudaFree(p));
    FAILS(cudaErrorInvalidValue, cudaFreeHost(pinned));
    FAILS(cudaErrorInvalidValue, cudaFree(managed));
    OK(cudaFree(nullptr));
    OK(cudaFreeHost(nullptr));
    FAILS(cudaErrorInvalidValue, cudaMemset(managed, 0, 4)); // it is gone
}

void arrays() {
    cudaArray_t array = nullptr;
    auto const reals = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &reals, 8, 4));
    std::vector<float> h(32, 1.0f);
    OK(cudaMemcpyToArray(array, 0, 0, h.data(), 128, cudaMemcpyHostToDevice));
    for (size_t const n : {huge, exa, (size_t)129, (size_t)-4}) {
        FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, 0, 0, h.data(), n, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue, cudaMemcpyFromArray(h.data(), array, 0, 0, n, cudaMemcpyDeviceToHost));
        FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, n, 0, h.data(), 4, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, 0, n, h.data(), 4, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, n, 0, h.data(), 32, 32, 1, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, 0, n, h.data(), 32, 32, 1, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue,
              cudaMemcpy2DToArray(array, 0, 0, h.data(), 32, 32, n, cudaMemcpyHostToDevice));
        FAILS(cudaErrorInvalidValue,
              cudaMemcpy2DFromArray(h.data(), n, array, 0, 0, n, 1, cudaMemcpyDeviceToHost));
    }
    EXPECT(h[0] == 1.0f && h[31] == 1.0f);
    cudaMemcpy3DParms box = {};
    box.dstArray = array;
    box.srcPtr = make_cudaPitchedPtr(h.data(), 32, 32, 4);
    box.kind = cudaMemcpyHostToDevice;
    box.extent = make_cudaExtent(8, 4, 1);
    OK(cudaMemcpy3D(&box));
    for (cudaExtent const e : {make_cudaExtent(9, 4, 1), make_cudaExtent(8, 5, 1), make_cudaExtent(8, 4, 2),
                               make_cudaExtent(huge, 1, 1)}) {
        box.extent = e;
        FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&box));
    }
    box.extent = make_cudaExtent(1, 1, 1);
    box.dstPtr = box.srcPtr;
    FAILS(cudaErrorInvalidValue, cudaMemcpy3D(&box)); // either, not both
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(nullptr, 0, 0, h.data(), 4, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc format;
    FAILS(cudaErrorInvalidValue, cudaGetChannelDesc(nullptr, array));
    FAILS(cudaErrorInvalidValue, cudaGetChannelDesc(&format, nullptr));
    // Textures.
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    cudaTextureObject_t object = 0;
    OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
    OK(cudaDestroyTextureObject(object));
    FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject(object));
    FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject(0));
    FAILS(cudaErrorInvalidValue, cudaDestroyTextureObject(huge));
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(nullptr, &resource, &how, nullptr));
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, nullptr, &how, nullptr));
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, nullptr, nullptr));
    how.filterMode = (cudaTextureFilterMode)9;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
    how = {};
    char* p = nullptr;
    OK(cudaMalloc(&p, 4096));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {p, reals, 8, 4, 32};
    OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
    for (size_t const n : {huge, exa, ((size_t)1 << 32) + 8, (size_t)200000}) {
        resource.res.pitch2D = {p, reals, n, 4, 32};
        FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
        resource.res.pitch2D = {p, reals, 8, n, 32};
        FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
        resource.res.pitch2D = {p, reals, 8, 4, n};
        FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
    }
    resource.resType = cudaResourceTypeLinear;
    for (size_t const n : {huge, exa, ((size_t)1 << 29) + 4}) {
        resource.res.linear = {p, reals, n};
        FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
    }
    resource.res.linear = {h.data(), reals, 64};
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
    resource.resType = (cudaResourceType)77;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
    resource.resType = cudaResourceTypeMipmappedArray;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
    OK(cudaFree(p));
    OK(cudaFreeArray(array));
    FAILS(cudaErrorInvalidValue, cudaFreeArray(array));
    FAILS(cudaErrorInvalidValue, cudaMemcpyToArray(array, 0, 0, h.data(), 4, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    FAILS(cudaErrorInvalidValue, cudaCreateTextureObject(&object, &resource, &how, nullptr));
    OK(cudaFreeArray(nullptr));
}

void streams_and_events() {
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr, other = nullptr;
    FAILS(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(nullptr, 0));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithPriority(nullptr, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 8));
    FAILS(cudaErrorInvalidValue, cudaEventCreate(nullptr));
    FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(nullptr, 0));
    FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, 64));
    FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&other));
    float ms = 0;
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, other)); // not recorded
    OK(cudaEventQuery(event));
    OK(cudaEventSynchronize(event));
    OK(cudaEventRecord(event, stream));
    OK(cudaEventRecord(other, cudaStreamPerThread));
    FAILS(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, event, other));
    OK(cudaEventElapsedTime(&ms, event, other));
    cudaEvent_t quiet = nullptr;
    OK(cudaEventCreateWithFlags(&quiet, cudaEventDisableTiming));
    OK(cudaEventRecord(quiet, 0));
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event, quiet));
    FAILS(cudaErrorInvalidValue, cudaStreamWaitEvent(stream, event, 8));
    OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
    // Destroyed ones, ones that never were, and none.
    cudaStream_t const streams[] = {stream, (cudaStream_t)0x1234, (cudaStream_t)&ms};
    for (cudaStream_t const s : streams) {
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamQuery(s));
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(s, other, 0));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(other, s));
        FAILS(cudaErrorInvalidResourceHandle, cudaMemcpyAsync(&ms, &ms, 0, cudaMemcpyHostToHost, s));
        FAILS(cudaErrorInvalidResourceHandle,
              cudaMemcpy2DAsync(&ms, 4, &ms, 4, 0, 0, cudaMemcpyHostToHost, s));
        FAILS(cudaErrorInvalidResourceHandle, cudaMemsetAsync(&ms, 0, 0, s));
        FAILS(cudaErrorInvalidResourceHandle, cudaMemset2DAsync(&ms, 4, 0, 0, 0, s));
        FAILS(cudaErrorInvalidResourceHandle, cudaMemPrefetchAsync(&ms, 4, 0, s));
        FAILS(cudaErrorInvalidResourceHandle,
              cudaMemcpyToSymbolAsync(table, &ms, 4, 0, cudaMemcpyHostToDevice, s));
        FAILS(cudaErrorInvalidResourceHandle,
              cudaMemcpyFromSymbolAsync(&ms, table, 4, 0, cudaMemcpyDeviceToHost, s));
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamAttachMemAsync(s, &ms));
        FAILS(cudaErrorInvalidResourceHandle, cudaLaunchHostFunc(
                                                  s, [](void*) {}, nullptr));
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamAddCallback(
                                                  s, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0));
        FAILS(cudaErrorInvalidResourceHandle, (add<<<1, 1, 0, s>>>(nullptr, 0), cudaPeekAtLastError()));
    }
    for (cudaStream_t const s : {(cudaStream_t)0, cudaStreamLegacy, cudaStreamPerThread}) {
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
        OK(cudaStreamSynchronize(s));
        OK(cudaStreamQuery(s));
    }
    cudaEvent_t const events[] = {event, (cudaEvent_t)0x1234, nullptr};
    for (cudaEvent_t const e : events) {
        FAILS(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(e, 0));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventQuery(e));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventSynchronize(e));
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(0, e, 0));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, e, other));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, other, e));
    }
    FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(0, nullptr, nullptr));
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(0, nullptr, nullptr, 0));
    FAILS(cudaErrorInvalidValue, cudaStreamAddCallback(
                                     0, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1));
    OK(cudaEventDestroy(other));
    OK(cudaEventDestroy(quiet));
}

void launches() {
    int* p = nullptr;
    OK(cudaMalloc(&p, 8192));
    OK(cudaMemset(p, 0, 8192));
    dim3 const one(1);
    for (dim3 const grid : {dim3(1, 70000), dim3(1, 1, 70000), dim3(1, 65536), dim3(0), dim3(1, 0),
                            dim3(1, 1, 0), dim3(0x80000000u), dim3(0xffffffffu, 65535, 65535)}) {
        add<<<grid, one>>>(p, 1);
        FAILS(cudaErrorInvalidConfiguration, (add<<<grid, one>>>(p, 1), cudaPeekAtLastError()));
    }
    for (dim3 const block : {dim3(1, 1, 65), dim3(1025), dim3(1, 1025), dim3(0), dim3(1, 0), dim3(1, 1, 0),
                             dim3(32, 32, 2), dim3(0x80000000u, 2, 1), dim3(0x10000u, 0x10000u, 0x10000u)})
        FAILS(cudaErrorInvalidConfiguration, (add<<<one, block>>>(p, 1), cudaPeekAtLastError()));
    add<<<one, dim3(1, 1, 64)>>>(p, 1);
    add<<<dim3(1, 3, 2), one>>>(p, 1);
    OK(cudaGetLastError());
    int found = 0;
    OK(cudaMemcpy(&found, p, 4, cudaMemcpyDeviceToHost));
    EXPECT(found == 64 + 6);
    // More than a core has: refused whether kernels are timed or not, and nothing else is broken.
    for (size_t const bytes : {(size_t)1 << 20, ((size_t)1 << 32) + 64, huge, huge - 3})
        FAILS(cudaErrorLaunchOutOfResources, (shares<<<1, 32, bytes>>>(p), cudaPeekAtLastError()));
    shares<<<1, 32, 128>>>(p);
    OK(cudaDeviceSynchronize());

    void* nowhere[] = {nullptr, nullptr};
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel((void const*)add, one, one, nullptr, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaLaunchKernel((void const*)add, one, one, nowhere, 0, 0));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(nullptr, one, one, nowhere, 0, 0));
    FAILS(cudaErrorInvalidDeviceFunction, cudaLaunchKernel(p, one, one, nowhere, 0, 0));
    FAILS(cudaErrorMissingConfiguration, cudaLaunch((void const*)add));
    FAILS(cudaErrorMissingConfiguration, cudaSetupArgument(p, 8, 0));
    OK(cudaConfigureCall(one, one));
    FAILS(cudaErrorInvalidValue, cudaSetupArgument(nullptr, 8, 0));
    FAILS(cudaErrorInvalidValue, cudaSetupArgument(&p, huge, 0));
    FAILS(cudaErrorInvalidValue, cudaSetupArgument(&p, 8, huge - 7));
    int const n = 5;
    OK(cudaSetupArgument(&p, 8, 0));
    OK(cudaSetupArgument(&n, 4, 8));
    OK(cudaLaunch((void const*)add));

    cudaFuncAttributes attributes;
    FAILS(cudaErrorInvalidValue, cudaFuncGetAttributes(nullptr, (void const*)add));
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&attributes, p));
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncSetCacheConfig((void const*)p, cudaFuncCachePreferL1));
    FAILS(cudaErrorInvalidValue, cudaFuncSetAttribute((void const*)add, (cudaFuncAttribute)77, 0));
    FAILS(cudaErrorInvalidValue,
          cudaFuncSetAttribute((void const*)add, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    int blocks = 0, grid = 0;
    FAILS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, add, 32, 0));
    FAILS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, -32, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, huge));
    EXPECT(blocks == 0);
    EXPECT(cudaOccupancyMaxPotentialBlockSize((int*)nullptr, &blocks, add) == cudaErrorInvalidValue);
    EXPECT(cudaOccupancyMaxPotentialBlockSize(&grid, (int*)nullptr, add) == cudaErrorInvalidValue);
    OK(cudaFree(p));
}

void device() {
    FAILS(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
    FAILS(cudaErrorInvalidValue, cudaGetDevice(nullptr));
    FAILS(cudaErrorInvalidValue, cudaChooseDevice(nullptr, nullptr));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceFlags(nullptr));
    FAILS(cudaErrorInvalidValue, cudaSetDeviceFlags(1 << 20));
    FAILS(cudaErrorInvalidValue, cudaGetDeviceProperties(nullptr, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    int n = 0;
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 1));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&n, (cudaDeviceAttr)5000, 0));
    char text[16];
    FAILS(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(nullptr, 16, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(text, -1, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    size_t value = 0;
    FAILS(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&value, (cudaLimit)99));
    FAILS(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((cudaLimit)99, 1));
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 0));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(&n, (cudaDeviceP2PAttr)99, 0, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0));
    cudaLaunchAttributeValue given{}, taken{};
    given.accessPolicyWindow.num_bytes = 512;
    FAILS(cudaErrorInvalidValue, cudaStreamSetAttribute(nullptr, cudaLaunchAttributeCooperative, &given));
    FAILS(cudaErrorInvalidValue,
          cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, nullptr));
    FAILS(cudaErrorInvalidValue,
          cudaStreamGetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, nullptr));
    OK(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &given));
    cudaStream_t other;
    OK(cudaStreamCreate(&other));
    OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &taken));
    EXPECT(taken.accessPolicyWindow.num_bytes == 0);
    OK(cudaStreamCopyAttributes(other, nullptr));
    OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &taken));
    EXPECT(taken.accessPolicyWindow.num_bytes == 512);
    OK(cudaStreamDestroy(other));
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamGetAttribute(other, cudaStreamAttributePriority, &taken));
    OK(cudaCtxResetPersistingL2Cache());
    FAILS(cudaErrorInvalidValue, cudaDeviceGetCacheConfig(nullptr));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetSharedMemConfig(nullptr));
    FAILS(cudaErrorInvalidValue, cudaDeviceCanAccessPeer(nullptr, 0, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&n, 0, 1));
    FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(1, 0));
    FAILS(cudaErrorInvalidValue, cudaDriverGetVersion(nullptr));
    FAILS(cudaErrorInvalidValue, cudaRuntimeGetVersion(nullptr));
    FAILS(cudaErrorInvalidValue, cudaSetValidDevices(nullptr, 1));
    OK(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
}

void driver() {
    CUdevice d;
    CUcontext c;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p = 0;
    int n = 0;
    size_t bytes = 0;
    char name[8];
    char const* text = nullptr;
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuDeviceGet(nullptr, 0));
    REFUSES(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&d, 1));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetCount(nullptr));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(nullptr, 8, 0));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuDeviceGetName(name, -8, 0));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuDeviceTotalMem(nullptr, 0));
    REFUSES(CUDA_ERROR_INVALID_DEVICE, cuDeviceTotalMem(&bytes, 4));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(nullptr, &n, 0));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuDeviceComputeCapability(&n, nullptr, 0));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuCtxCreate(nullptr, 0, 0));
    REFUSES(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(nullptr));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(CUDA_SUCCESS, nullptr));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuGetErrorString(CUDA_SUCCESS, nullptr));
    REFUSES(CUDA_SUCCESS, cuGetErrorName(CUDA_SUCCESS, &text));
    REFUSES(CUDA_SUCCESS, cuCtxCreate(&c, 0, 0));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(nullptr, 4));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
    REFUSES(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, huge));
    REFUSES(CUDA_SUCCESS, cuMemAlloc(&p, 4096));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 1, huge));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p, 1, huge));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p, 1, (size_t)1 << 62)); // times four, that is 0
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 1, 1, 1));
    REFUSES(CUDA_SUCCESS, cuMemsetD32(p, 7, 1024));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD(p, p, (size_t)-16));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, &n, huge));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&n, p, huge));
    REFUSES(CUDA_SUCCESS, cuMemcpyDtoH(&n, p + 4092, 4));
    EXPECT(n == 7);
    char const ptx[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
                       ".visible .entry none()\n{\nret;\n}\n";
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(nullptr, ptx));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&m, nullptr));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuModuleLoad(&m, nullptr));
    REFUSES(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "no/such/file"));
    REFUSES(CUDA_SUCCESS, cuModuleLoadData(&m, ptx));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(nullptr, m, "none"));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuModuleGetFunction(&f, m, nullptr));
    REFUSES(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&f, nullptr, "none"));
    REFUSES(CUDA_SUCCESS, cuModuleGetFunction(&f, m, "none"));
    REFUSES(CUDA_SUCCESS, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    REFUSES(CUDA_ERROR_INVALID_HANDLE,
            cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    REFUSES(CUDA_ERROR_INVALID_HANDLE,
            cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)0x1234, nullptr, nullptr));
    REFUSES((CUresult)cudaErrorInvalidConfiguration,
            cuLaunchKernel(f, 1, 1, 70000, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    REFUSES(CUDA_SUCCESS, cuModuleUnload(m));
    REFUSES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(m));
    REFUSES(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(nullptr));
    REFUSES(CUDA_SUCCESS, cuMemFree(p));
    REFUSES(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    cudaGetLastError();
}

// What is destroyed when the program ends may use the device up to the report; then it is told so.
struct lasting {
    int* p = nullptr;
    ~lasting() {
        add<<<1, 1>>>(p, 1);
        cudaError_t const code = cudaGetLastError();
        if (code != cudaSuccess && code != cudaErrorCudartUnloading) std::_Exit(3);
        if (cudaFree(p) != cudaSuccess) std::_Exit(4);
    }
};
lasting from_the_start;

// Memory in the order of a stream, and pools.
void pools() {
    char *p = nullptr, *q = nullptr;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaMemPool_t usual = nullptr, own = nullptr;
    OK(cudaDeviceGetDefaultMemPool(&usual, 0));
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&usual, 1));
    cudaMemPoolProps properties{};
    FAILS(cudaErrorInvalidValue, cudaMemPoolCreate(&own, &properties));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    OK(cudaMemPoolCreate(&own, &properties));
    auto const used = [](cudaMemPool_t pool, cudaMemPoolAttr which) {
        unsigned long long n = 0;
        OK(cudaMemPoolGetAttribute(pool, which, &n));
        return n;
    };
    OK(cudaMallocAsync(&p, 1000, stream));
    OK(cudaMallocAsync(&q, 500, own, stream));
    EXPECT(used(usual, cudaMemPoolAttrUsedMemCurrent) == 1000);
    EXPECT(used(own, cudaMemPoolAttrUsedMemCurrent) == 500);
    OK(cudaMemsetAsync(p, 3, 1000, stream));
    char last = 0;
    OK(cudaMemcpyAsync(&last, p + 999, 1, cudaMemcpyDefault, stream));
    EXPECT(last == 3);
    OK(cudaFreeAsync(p, stream));
    FAILS(cudaErrorInvalidValue, cudaFreeAsync(p, stream));
    OK(cudaFree(q)); // what a pool gave may be given back so, too
    EXPECT(used(own, cudaMemPoolAttrUsedMemCurrent) == 0);
    EXPECT(used(own, cudaMemPoolAttrUsedMemHigh) == 500);
    unsigned long long threshold = 1 << 20;
    OK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    EXPECT(used(own, cudaMemPoolAttrReleaseThreshold) == threshold);
    FAILS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &threshold));
    OK(cudaMemPoolTrimTo(own, 0));
    OK(cudaDeviceSetMemPool(0, own));
    OK(cudaMallocAsync(&p, 64, stream));
    EXPECT(used(own, cudaMemPoolAttrUsedMemCurrent) == 64);
    OK(cudaFreeAsync(p, stream));
    OK(cudaMemPoolDestroy(own));
    FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(own));
    FAILS(cudaErrorInvalidValue, cudaMemPoolDestroy(usual));
    OK(cudaDeviceGetMemPool(&own, 0));
    EXPECT(own == usual);
    OK(cudaStreamDestroy(stream));
    FAILS(cudaErrorInvalidResourceHandle, cudaMallocAsync(&p, 64, stream));
}

// Graphs: captured, or made node by node.
__global__ void scale(int* p, int by) { p[threadIdx.x] *= by; }
void raise(void* n) { ++*static_cast<int*>(n); }
void graphs() {
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    int *p = nullptr, *q = nullptr, result[2] = {}, calls = 0;
    OK(cudaMalloc(&p, 4));
    OK(cudaMalloc(&q, 4));
    OK(cudaMemset(p, 0, 4));
    OK(cudaMemset(q, 0, 4));
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    cudaGraph_t graph;
    FAILS(cudaErrorIllegalState, cudaStreamEndCapture(a, &graph));
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    FAILS(cudaErrorIllegalState, cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(a, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(a));
    FAILS(cudaErrorStreamCaptureImplicit, cudaMemcpy(result, p, 4, cudaMemcpyDeviceToHost));
    OK(cudaMemsetAsync(p, 0, 4, a));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    add<<<1, 1, 0, a>>>(p, 5);
    add<<<1, 1, 0, b>>>(q, 7);
    OK(cudaEventRecord(join, b));
    FAILS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(b, &graph));
    OK(cudaStreamWaitEvent(a, join, 0));
    OK(cudaMemcpyAsync(&result[0], p, 4, cudaMemcpyDeviceToHost, a));
    OK(cudaMemcpyAsync(&result[1], q, 4, cudaMemcpyDeviceToHost, a));
    OK(cudaLaunchHostFunc(a, raise, &calls));
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaStreamSynchronize(b));         // its own again
    EXPECT(result[0] == 0 && calls == 0); // nothing has run yet
    size_t count = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &count));
    EXPECT(count == 6);
    cudaGraphExec_t run;
    OK(cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0));
    for (int i = 1; i <= 3; ++i) {
        OK(cudaGraphLaunch(run, a));
        OK(cudaStreamSynchronize(a));
        EXPECT(result[0] == 5 && result[1] == 7 * i && calls == i);
    }
    OK(cudaGraphExecDestroy(run));
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch(run, a));
    OK(cudaGraphDestroy(graph));
    FAILS(cudaErrorInvalidValue, cudaGraphDestroy(graph));

    // What joined the capture has to come back.
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    add<<<1, 1, 0, b>>>(q, 7);
    FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(a, &graph));

    // Memory of a graph: its address is known when the node is made, by hand or captured, and it is free between a free
    // and the next launch.
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams wanted{};
    wanted.poolProps.allocType = cudaMemAllocationTypePinned;
    wanted.poolProps.location.type = cudaMemLocationTypeDevice;
    cudaGraphNode_t take, set, back, give;
    FAILS(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &wanted)); // of 0 bytes
    wanted.bytesize = 4;
    OK(cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &wanted));
    cudaMemsetParams sevens{wanted.dptr, 4, 7, 1, 4, 1};
    OK(cudaGraphAddMemsetNode(&set, graph, &take, 1, &sevens));
    OK(cudaGraphAddMemcpyNode1D(&back, graph, &set, 1, result, wanted.dptr, 4, cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&run, graph));
    FAILS(cudaErrorInvalidValue, cudaFree(wanted.dptr)); // not launched yet
    OK(cudaGraphLaunch(run, a));
    EXPECT(result[0] == 0x07070707);
    unsigned long long used = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    EXPECT(used == 4);
    FAILS(cudaErrorInvalidValue, cudaGraphLaunch(run, a)); // not free yet
    OK(cudaFreeAsync(wanted.dptr, a));
    OK(cudaGraphLaunch(run, a));
    OK(cudaFree(wanted.dptr));
    OK(cudaGraphAddMemFreeNode(&give, graph, &back, 1, wanted.dptr));
    FAILS(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&give, graph, &back, 1, p));
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphInstantiate(&run, graph));
    OK(cudaGraphLaunch(run, a));
    OK(cudaGraphLaunch(run, a));
    OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    EXPECT(used == 0);
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(graph));
    int* own = nullptr;
    OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&own, 4, a));
    OK(cudaMemsetAsync(own, 9, 4, a));
    OK(cudaMemcpyAsync(result, own, 4, cudaMemcpyDeviceToHost, a));
    OK(cudaFreeAsync(own, a));
    OK(cudaStreamEndCapture(a, &graph));
    OK(cudaGraphInstantiate(&run, graph));
    for (int i = 0; i < 2; ++i) {
        result[0] = 0;
        OK(cudaGraphLaunch(run, a));
        EXPECT(result[0] == 0x09090909);
    }
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(graph));

    // By hand, the nodes added against their order: p = (0 + 5) * 3.
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t copy, sum, product, clear;
    int value = 5, by = 3;
    void* sum_arguments[] = {&p, &value};
    void* product_arguments[] = {&p, &by};
    cudaKernelNodeParams kernel{};
    kernel.gridDim = kernel.blockDim = dim3(1);
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, result, p, 4, cudaMemcpyDeviceToHost));
    kernel.func = reinterpret_cast<void*>(scale);
    kernel.kernelParams = product_arguments;
    OK(cudaGraphAddKernelNode(&product, graph, nullptr, 0, &kernel));
    OK(cudaGraphAddDependencies(graph, &product, &copy, 1));
    kernel.func = reinterpret_cast<void*>(static_cast<void (*)(int*, int)>(add));
    kernel.kernelParams = sum_arguments;
    OK(cudaGraphAddKernelNode(&sum, graph, nullptr, 0, &kernel));
    OK(cudaGraphAddDependencies(graph, &sum, &product, 1));
    cudaMemsetParams zero{p, 4, 0, 4, 1, 1};
    OK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero));
    OK(cudaGraphAddDependencies(graph, &clear, &sum, 1));
    OK(cudaGraphInstantiate(&run, graph));
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result[0] == 15);
    value = 6; // arguments were copied
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result[0] == 15);
    OK(cudaGraphExecKernelNodeSetParams(run, sum, &kernel));
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result[0] == 18);
    cudaGraph_t other;
    OK(cudaGraphClone(&other, graph));
    cudaGraphExecUpdateResultInfo updated;
    OK(cudaGraphExecUpdate(run, other, &updated));
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result[0] == 15 && updated.result == cudaGraphExecUpdateSuccess);
    OK(cudaGraphAddEmptyNode(&clear, other, nullptr, 0));
    FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(run, other, &updated));
    OK(cudaGraphAddDependencies(graph, &copy, &sum, 1));
    cudaGraphExec_t never;
    FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&never, graph)); // a cycle
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(other));
    OK(cudaEventDestroy(fork));
    OK(cudaEventDestroy(join));
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
    OK(cudaFree(p));
    OK(cudaFree(q));
}

// A reset takes everything with it, and the device is as new.
void reset() {
    char *pinned = nullptr, *managed = nullptr, *p = nullptr;
    std::vector<char> own(4096, 'o');
    cudaStream_t stream;
    cudaEvent_t event;
    cudaArray_t array;
    auto const reals = cudaCreateChannelDesc<float>();
    for (int round = 0; round < 2; ++round) {
        OK(cudaMallocHost(&pinned, 100000));
        OK(cudaMallocManaged(&managed, 100000));
        OK(cudaHostRegister(own.data(), own.size(), 0));
        OK(cudaMalloc(&p, 64));
        OK(cudaStreamCreate(&stream));
        OK(cudaEventCreate(&event));
        OK(cudaMallocArray(&array, &reals, 8));
        std::memset(pinned, 1, 100000);
        std::memset(managed, 1, 100000);
        OK(cudaDeviceReset());
        EXPECT(own[0] == 'o' && own[4095] == 'o');
        FAILS(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
        FAILS(cudaErrorInvalidResourceHandle, cudaEventQuery(event));
        FAILS(cudaErrorInvalidValue, cudaFreeArray(array));
        FAILS(cudaErrorInvalidValue, cudaFreeHost(pinned));
        FAILS(cudaErrorInvalidValue, cudaFree(managed));
        FAILS(cudaErrorInvalidValue, cudaFree(p));
    }
    int* q = nullptr;
    OK(cudaMalloc(&q, 128));
    OK(cudaMemset(q, 0, 128));
    add<<<1, 32>>>(q, 3);
    int found = 0;
    OK(cudaMemcpy(&found, q, 4, cudaMemcpyDeviceToHost));
    EXPECT(found == 3);
    OK(cudaFree(q));
}

// The calculator for any device, in a kernel and beside it, with what the runtime says of this one.
__global__ void calculate(cudaOccDeviceProp d, cudaOccFuncAttributes f, cudaOccDeviceState s, int* blocks) {
    cudaOccResult r;
    bool const good = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &d, &f, &s, 96, 4096) == CUDA_OCC_SUCCESS;
    *blocks = good ? r.activeBlocksPerMultiprocessor : -1;
}
void occupancy() {
    cudaDeviceProp device;
    OK(cudaGetDeviceProperties(&device, 0));
    cudaFuncAttributes function;
    OK(cudaFuncGetAttributes(&function, (void const*)shares));
    cudaOccDeviceProp const d = device;
    cudaOccFuncAttributes const f = function;
    cudaOccDeviceState const s;
    EXPECT(d.computeMajor == device.major &&
           d.sharedMemPerMultiprocessor == device.sharedMemPerMultiprocessor);
    EXPECT(f.numRegs == function.numRegs && f.shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN);
    cudaOccResult r;
    EXPECT(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &d, &f, &s, 96, 4096) == CUDA_OCC_SUCCESS);
    EXPECT(r.activeBlocksPerMultiprocessor > 0);
    int* blocks = nullptr;
    OK(cudaMallocManaged(&blocks, sizeof(int)));
    calculate<<<1, 1>>>(d, f, s, blocks);
    OK(cudaDeviceSynchronize());
    EXPECT(*blocks == r.activeBlocksPerMultiprocessor);
    OK(cudaFree(blocks));
}

} // namespace

int check_occupancy();

int main() {
    EXPECT(check_occupancy() == 0);
    device();
    occupancy();
    copies();
    boxes();
    allocations();
    releases();
    arrays();
    streams_and_events();
    pools();
    graphs();
    launches();
    driver();
    reset();
    static lasting from_now_on;
    OK(cudaMalloc(&from_the_start.p, 64));
    OK(cudaMalloc(&from_now_on.p, 64));
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
