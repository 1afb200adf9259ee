// The runtime, call by call: what each leaves behind, and what it says when it is asked for the impossible.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda.h>
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

__constant__ int factor = 3; // initialised by the module
__constant__ int table[4];
__device__ float total = 0.5f;
__device__ unsigned int arrivals;

__global__ void scale(int const* from, int* to, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = factor * from[i] + table[i % 4];
}
__global__ void accumulate(float x) { atomicAdd(&total, x); }
__global__ void read_symbol(int const* p, int* to) { *to = p[1]; }

// All blocks add; the last to arrive writes.
__global__ void last_block(unsigned int* to) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&arrivals, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) *to = gridDim.x;
}

__global__ void dynamic(int* to) {
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

// A variable in shared memory whose address nobody takes must be read again behind a barrier.
__global__ void flag(int* to) {
    __shared__ int value;
    for (int round = 0; round < 2; ++round) {
        if (threadIdx.x == blockDim.x - 1) value = 10 * round + 7;
        __syncthreads();
        to[round * blockDim.x + threadIdx.x] = value;
        __syncthreads();
    }
}

texture<float, cudaTextureType1D, cudaReadModeElementType> line;
texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> picture;
texture<float, cudaTextureType2D, cudaReadModeElementType> field;
__global__ void fetch(float* to) {
    int const i = threadIdx.x;
    to[i] = tex1Dfetch(line, i);
    float4 const p = tex2D(picture, i % 4 + 0.5f, i / 4 + 0.5f);
    to[32 + i] = p.x + 2 * p.w;
    to[64 + i] = tex2D(field, i * 0.25f, 1.0f);
}
__global__ void fetch_object(cudaTextureObject_t t, float* to) {
    to[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}

__global__ void warp_functions(unsigned int* to) {
    namespace cg = cooperative_groups;
    unsigned int const lane = threadIdx.x % 32;
    auto const tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned int sum = lane;
    for (unsigned int by = 4; by > 0; by /= 2) sum += tile.shfl_xor(sum, by);
    unsigned int const r[] = {__ballot_sync(0xffffffff, lane % 3 == 0),
                              (unsigned int)__any_sync(0xffffffff, lane == 5),
                              (unsigned int)__all_sync(0xffffffff, lane < 31),
                              (unsigned int)__shfl_down_sync(0xffffffff, (int)lane, 4),
                              sum,
                              (unsigned int)__syncthreads_count(lane < 10),
                              (unsigned int)__popc(0xf0f0u) + __clz(1) + __ffs(8),
                              __brev(1u) >> 28,
                              __byte_perm(0x33221100, 0x77665544, 0x5410),
                              (unsigned int)__float2int_ru(1.25f),
                              __funnelshift_l(0x80000000u, 1u, 4),
                              tile.meta_group_rank()};
    for (int k = 0; k < 12; ++k) to[k * blockDim.x + threadIdx.x] = r[k];
}

__global__ void say(int n) {
    if (threadIdx.x < 2) printf("thread %d of %s: %5.2f %u%%\n", (int)threadIdx.x, "a kernel", 0.5 * n, 7u);
}
__global__ void out_of_bounds(int* p) { p[1 << 20] = 1; }
__global__ void must_hold(int n) { assert(n == 1 && "as asked"); }

void memory() {
    std::vector<int> host(1000), back(1000);
    for (int i = 0; i < 1000; ++i) host[i] = i;
    int *from = nullptr, *to = nullptr;
    OK(cudaMalloc(&from, 4000));
    OK(cudaMalloc((void**)&to, 4000));
    int const values[] = {10, 20, 30, 40};
    OK(cudaMemcpyToSymbol(table, values, sizeof values));
    OK(cudaMemcpy(from, host.data(), 4000, cudaMemcpyHostToDevice));
    OK(cudaMemset(to, 0xff, 4000));
    scale<<<4, 256>>>(from, to, 999);
    OK(cudaMemcpy(back.data(), to, 4000, cudaMemcpyDefault));
    bool good = true;
    for (int i = 0; i < 999; ++i) good = good && back[i] == 3 * i + values[i % 4];
    EXPECT(good && back[999] == -1);
    int const five = 5;
    OK(cudaMemcpyToSymbol(factor, &five, sizeof five));
    void* arguments[] = {&from, &to, const_cast<int*>(&five)};
    OK(cudaLaunchKernel((void const*)scale, dim3(1), dim3(32), arguments, 0, 0));
    OK(cudaMemcpy(back.data(), to, 40, cudaMemcpyDeviceToHost));
    EXPECT(back[4] == 5 * 4 + 10 && back[5] == 3 * 5 + 20);

    float x = 0;
    accumulate<<<2, 32>>>(0.25f);
    OK(cudaMemcpyFromSymbol(&x, total, sizeof x));
    EXPECT(x == 0.5f + 64 * 0.25f + 32); // device() has added, too
    int* constant = nullptr;
    size_t bytes = 0;
    OK(cudaGetSymbolAddress((void**)&constant, table));
    OK(cudaGetSymbolSize(&bytes, table));
    EXPECT(bytes == 16);
    read_symbol<<<1, 1>>>(constant, to);
    OK(cudaMemcpy(back.data(), to, 4, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 20);

    // Rows: 3 x 5 bytes in and out of a pitched allocation.
    char* pitched = nullptr;
    size_t pitch = 0;
    OK(cudaMallocPitch(&pitched, &pitch, 5, 3));
    EXPECT(pitch >= 5);
    char const text[] = "abcdefghijklmno";
    char rows[16] = {};
    OK(cudaMemset2D(pitched, pitch, 'z', 5, 3));
    OK(cudaMemcpy2D(pitched, pitch, text, 5, 5, 2, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(rows, 5, pitched, pitch, 5, 3, cudaMemcpyDeviceToHost));
    EXPECT(std::strcmp(rows, "abcdefghijzzzzz") == 0);
    OK(cudaFree(pitched));
    cudaPitchedPtr cube;
    OK(cudaMalloc3D(&cube, make_cudaExtent(8, 4, 2)));
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(host.data(), 8, 8, 4);
    box.dstPtr = cube;
    box.extent = make_cudaExtent(8, 4, 2);
    box.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&box));
    OK(cudaMemcpy(back.data(), (char*)cube.ptr + (1 * 4 + 2) * cube.pitch, 8, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 12 && back[1] == 13);
    OK(cudaFree(cube.ptr));

    // Memory that both sides see.
    int* both = nullptr;
    OK(cudaMallocManaged(&both, 4096));
    for (int i = 0; i < 32; ++i) both[i] = i;
    scale<<<1, 32>>>(both, both + 32, 32);
    OK(cudaDeviceSynchronize());
    EXPECT(both[32 + 7] == 5 * 7 + 40);
    OK(cudaFree(both));
    int *pinned = nullptr, *seen = nullptr;
    OK(cudaHostAlloc(&pinned, 4096, cudaHostAllocMapped));
    pinned[3] = 9;
    OK(cudaHostGetDevicePointer(&seen, pinned, 0));
    scale<<<1, 32>>>(seen, to, 4);
    OK(cudaMemcpy(back.data(), to, 16, cudaMemcpyDeviceToHost));
    EXPECT(back[3] == 5 * 9 + 40);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, to));
    EXPECT(attributes.type == cudaMemoryTypeDevice);
    OK(cudaFreeHost(pinned));
    size_t available = 0, all = 0;
    OK(cudaMemGetInfo(&available, &all));
    EXPECT(available > 0 && available <= all);
    OK(cudaFree(from));
    OK(cudaFree(to));
    OK(cudaFree(nullptr));
}

void kernels() {
    unsigned int* to = nullptr;
    OK(cudaMalloc(&to, 1 << 16));
    std::vector<unsigned int> r(1 << 14);
    last_block<<<7, 64>>>(to);
    OK(cudaMemcpy(r.data(), to, 4, cudaMemcpyDeviceToHost));
    EXPECT(r[0] == 7);
    dynamic<<<1, 64, 64 * sizeof(int)>>>((int*)to);
    OK(cudaMemcpy(r.data(), to, 256, cudaMemcpyDeviceToHost));
    EXPECT(r[0] == 63 && r[63] == 0);
    flag<<<1, 96>>>((int*)to);
    OK(cudaMemcpy(r.data(), to, 2 * 96 * 4, cudaMemcpyDeviceToHost));
    bool good = true;
    for (int i = 0; i < 96; ++i) good = good && r[i] == 7 && r[96 + i] == 17;
    EXPECT(good);
    warp_functions<<<1, 64>>>(to);
    OK(cudaMemcpy(r.data(), to, 12 * 64 * 4, cudaMemcpyDeviceToHost));
    unsigned int const expected[] = {0x49249249, 1, 0, 9, 28 - 0, 20, 8 + 31 + 4, 8, 0x55441100, 2, 0x18, 0};
    for (int k = 0; k < 12; ++k)
        expect(r[k * 64 + 5] == expected[k], ("warp function " + std::to_string(k)).c_str(), __LINE__);
    EXPECT(r[11 * 64 + 63] == 7);
    say<<<1, 32>>>(3);
    OK(cudaDeviceSynchronize());
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, flag));
    EXPECT(attributes.sharedSizeBytes == 4 && attributes.numRegs > 0 && attributes.maxThreadsPerBlock >= 256);
    OK(cudaFuncSetCacheConfig(flag, cudaFuncCachePreferShared));
    int blocks = 0, grid = 0, block = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, flag, 256, 0));
    EXPECT(blocks >= 1);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, flag));
    EXPECT(grid > 0 && block >= 32 && block % 32 == 0);
    OK(cudaFree(to));
}

void textures() {
    float* to = nullptr;
    OK(cudaMalloc(&to, 4096));
    std::vector<float> r(96), numbers(16);
    for (int i = 0; i < 16; ++i) numbers[i] = 1.5f * i;
    float* linear = nullptr;
    OK(cudaMalloc(&linear, 64));
    OK(cudaMemcpy(linear, numbers.data(), 64, cudaMemcpyHostToDevice));
    OK(cudaBindTexture(nullptr, line, linear, 64));
    std::vector<uchar4> pixels(12);
    for (int i = 0; i < 12; ++i) pixels[i] = make_uchar4(i * 20, 0, 0, 255 - i * 20);
    cudaArray_t array = nullptr;
    auto const format = cudaCreateChannelDesc<uchar4>();
    OK(cudaMallocArray(&array, &format, 4, 3));
    OK(cudaMemcpyToArray(array, 0, 0, pixels.data(), 48, cudaMemcpyHostToDevice));
    OK(cudaBindTextureToArray(picture, array));
    cudaArray_t plane = nullptr;
    auto const reals = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&plane, &reals, 8, 2));
    OK(cudaMemcpy2DToArray(plane, 0, 0, numbers.data(), 32, 32, 2, cudaMemcpyHostToDevice));
    field.filterMode = cudaFilterModeLinear;
    OK(cudaBindTextureToArray(field, plane));
    fetch<<<1, 32>>>(to);
    OK(cudaMemcpy(r.data(), to, 384, cudaMemcpyDeviceToHost));
    EXPECT(r[3] == 4.5f && r[15] == 22.5f && r[16] == 0.0f); // outside a linear texture: zeros
    auto const close = [](float a, float b) { return a - b < 1e-4f && b - a < 1e-4f; };
    EXPECT(close(r[32 + 5], 100 / 255.0f + 2 * 155 / 255.0f));
    // Halfway between rows 0 and 1 (12 apart); x = 1.0 is halfway between columns 0 and 1.
    EXPECT(close(r[64 + 4], 0.75f + 6.0f));
    EXPECT(close(r[64 + 0], 0.0f + 6.0f));
    OK(cudaUnbindTexture(line));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.desc = reals;
    resource.res.linear.sizeInBytes = 64;
    cudaTextureDesc how = {};
    cudaTextureObject_t object = 0;
    OK(cudaCreateTextureObject(&object, &resource, &how, nullptr));
    fetch_object<<<1, 16>>>(object, to);
    OK(cudaMemcpy(r.data(), to, 64, cudaMemcpyDeviceToHost));
    EXPECT(r[9] == 13.5f);
    OK(cudaDestroyTextureObject(object));
    OK(cudaFreeArray(array));
    OK(cudaFreeArray(plane));
    OK(cudaFree(linear));
    OK(cudaFree(to));
}

void device() {
    int n = 0;
    OK(cudaGetDeviceCount(&n));
    EXPECT(n == 1);
    OK(cudaSetDevice(0));
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    EXPECT(p.warpSize == 32 && p.multiProcessorCount > 0 && p.maxThreadsPerBlock >= 512);
    OK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(n == p.multiProcessorCount);
    cudaStream_t stream;
    cudaEvent_t start, end;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(start, stream));
    accumulate<<<1, 32, 0, stream>>>(1.0f);
    OK(cudaEventRecord(end, stream));
    OK(cudaEventSynchronize(end));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms > 0 && ms < 10);
    OK(cudaStreamQuery(stream));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(stream));
}

void driver() {
    CUdevice d;
    CUcontext c;
    CUmodule m;
    CUfunction f;
    EXPECT(cuInit(0) == CUDA_SUCCESS && cuDeviceGet(&d, 0) == CUDA_SUCCESS &&
           cuCtxCreate(&c, 0, d) == CUDA_SUCCESS);
    char const text[] = ".version 6.0\n.target sm_70\n.address_size 64\n"
                        ".visible .entry twice(.param .u64 p)\n{\n.reg .u64 %a;\n.reg .u32 %x;\n"
                        "ld.param.u64 %a, [p];\nld.global.u32 %x, [%a];\nadd.u32 %x, %x, %x;\n"
                        "st.global.u32 [%a], %x;\nret;\n}\n";
    EXPECT(cuModuleLoadData(&m, text) == CUDA_SUCCESS && cuModuleGetFunction(&f, m, "twice") == CUDA_SUCCESS);
    CUdeviceptr p = 0;
    unsigned int x = 21;
    EXPECT(cuMemAlloc(&p, 4) == CUDA_SUCCESS && cuMemcpyHtoD(p, &x, 4) == CUDA_SUCCESS);
    void* arguments[] = {&p};
    EXPECT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
    EXPECT(cuMemcpyDtoH(&x, p, 4) == CUDA_SUCCESS && x == 42 && cuMemFree(p) == CUDA_SUCCESS);
    CUctxCreateParams none = {};
    EXPECT(cuCtxCreate(&c, &none, 0, d) == CUDA_SUCCESS &&
           decltype (&cuCtxCreate) (&cuCtxCreate)(&c, 0, d) == CUDA_SUCCESS);
    int grid = 0, block = 0, blocks = 0;
    EXPECT(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, nullptr, 0, 96) == CUDA_SUCCESS &&
           block <= 96 && block % 32 == 0);
    EXPECT(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, block, 0) == CUDA_SUCCESS && blocks > 0 &&
           grid % blocks == 0);
}

// A texture of bytes by the driver's API: written to its array by rows, read as numbers from 0 to 1.
__global__ void sample(cudaTextureObject_t t, float* out, int width) {
    for (int i = 0; i < width; ++i) out[i] = tex2D<float>(t, i + 0.5f, 1.5f);
}
void driver_arrays() {
    int const width = 5, height = 3;
    CUDA_ARRAY_DESCRIPTOR what = {width, height, CU_AD_FORMAT_UNSIGNED_INT8, 1}, found = {};
    CUarray array = nullptr;
    EXPECT(cuArrayCreate(&array, &what) == CUDA_SUCCESS &&
           cuArrayGetDescriptor(&found, array) == CUDA_SUCCESS);
    EXPECT(found.Width == 5 && found.Height == 3 && found.Format == CU_AD_FORMAT_UNSIGNED_INT8 &&
           found.NumChannels == 1);
    unsigned char rows[height][8] = {};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) rows[y][x] = static_cast<unsigned char>(50 * y + 10 * x);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = rows;
    copy.srcPitch = sizeof rows[0];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = width;
    copy.Height = height;
    EXPECT(cuMemcpy2D(&copy) == CUDA_SUCCESS);
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CUDA_TEXTURE_DESC texture = {};
    for (auto& mode : texture.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject t = 0;
    EXPECT(cuTexObjectCreate(&t, &resource, &texture, nullptr) == CUDA_SUCCESS);
    float* out = nullptr;
    float read[width];
    OK(cudaMalloc(&out, sizeof read));
    sample<<<1, 1>>>(t, out, width);
    OK(cudaMemcpy(read, out, sizeof read, cudaMemcpyDeviceToHost));
    for (int x = 0; x < width; ++x) EXPECT(read[x] == static_cast<float>(rows[1][x]) / 255);
    // A piece of the array, from its second column and row on.
    unsigned char piece[2][4] = {};
    copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.srcXInBytes = 1;
    copy.srcY = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = piece;
    copy.dstPitch = 4;
    copy.WidthInBytes = 3;
    copy.Height = 2;
    EXPECT(cuMemcpy2D(&copy) == CUDA_SUCCESS);
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 4; ++x) EXPECT(piece[y][x] == (x < 3 ? rows[y + 1][x + 1] : 0));
    copy.WidthInBytes = 5;
    EXPECT(cuMemcpy2D(&copy) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuTexObjectDestroy(t) == CUDA_SUCCESS && cuArrayDestroy(array) == CUDA_SUCCESS);
    what.NumChannels = 3;
    EXPECT(cuArrayCreate(&array, &what) == CUDA_ERROR_INVALID_VALUE);
    OK(cudaFree(out));
}

// Last: each of the two kernels' faults stays until the device is reset.
void errors() {
    int* p = nullptr;
    OK(cudaMalloc(&p, 64));
    EXPECT(cudaSetDevice(3) == cudaErrorInvalidDevice);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaSuccess);
    EXPECT(cudaMemcpy(p, &p, 65, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    EXPECT(cudaFree(p + 1) == cudaErrorInvalidValue);
    void* none = nullptr;
    EXPECT(cudaMalloc(&none, size_t{1} << 40) == cudaErrorMemoryAllocation);
    scale<<<1, 2048>>>(p, p, 0);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    dynamic<<<1, 32, 1 << 20>>>(p);
    EXPECT(cudaGetLastError() == cudaErrorLaunchOutOfResources);
    EXPECT(std::string(cudaGetErrorName(cudaErrorLaunchFailure)) == "cudaErrorLaunchFailure");
    EXPECT(std::string(cudaGetErrorString(cudaErrorMemoryAllocation)) == "out of memory");
    out_of_bounds<<<1, 1>>>(p);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&p, 64) == cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&p, 64));
    must_hold<<<1, 1>>>(1);
    OK(cudaDeviceSynchronize());
    must_hold<<<1, 1>>>(2);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
    OK(cudaDeviceReset());
    // PTX of nvcc's asks the driver to say so.
    char const text[] = R"(.version 6.0
.target sm_70
.address_size 64
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 word[2] = {120, 0};
.visible .entry fails()
{
.reg .b64 %a;
mov.u64 %a, word;
cvta.global.u64 %a, %a;
{
.param .b64 p0; st.param.b64 [p0], %a;
.param .b64 p1; st.param.b64 [p1], %a;
.param .b32 p2; st.param.b32 [p2], 5;
.param .b64 p3; st.param.b64 [p3], %a;
.param .b64 p4; st.param.b64 [p4], 1;
call.uni __assertfail, (p0, p1, p2, p3, p4);
}
ret;
}
)";
    CUmodule m;
    CUfunction f;
    EXPECT(cuModuleLoadData(&m, text) == CUDA_SUCCESS && cuModuleGetFunction(&f, m, "fails") == CUDA_SUCCESS);
    EXPECT(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_ASSERT);
    OK(cudaDeviceReset());
}

__global__ void add(unsigned* p, std::size_t n, unsigned value) {
    std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
    if (i < n) p[i] += value;
}
// Two pieces of physical memory side by side, seen at a second place too, and unmapped again.
void virtual_memory() {
    CUmemAllocationProp like{};
    like.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    like.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    int there = 0;
    EXPECT(cuDeviceGetAttribute(&there, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) ==
           CUDA_SUCCESS);
    EXPECT(there == 1);
    std::size_t grain = 0;
    EXPECT(cuMemGetAllocationGranularity(&grain, &like, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS);
    EXPECT(grain != 0 && (grain & (grain - 1)) == 0);
    CUmemGenericAllocationHandle one = 0, two = 0, none = 0;
    EXPECT(cuMemCreate(&one, grain, &like, 0) == CUDA_SUCCESS &&
           cuMemCreate(&two, 2 * grain, &like, 0) == CUDA_SUCCESS);
    EXPECT(cuMemCreate(&none, grain + 1, &like, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemCreate(&none, grain << 40, &like, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    CUdeviceptr p = 0, second = 0, more = 0;
    EXPECT(cuMemAddressReserve(&p, 4 * grain, 0, 0, 0) == CUDA_SUCCESS && p % grain == 0);
    EXPECT(cuMemAddressReserve(&second, 2 * grain, 8 * grain, 0, 0) == CUDA_SUCCESS &&
           second % (8 * grain) == 0);
    EXPECT(cuMemMap(p, grain, 0, one, 0) == CUDA_SUCCESS &&
           cuMemMap(p + grain, 2 * grain, 0, two, 0) == CUDA_SUCCESS);
    EXPECT(cuMemMap(p, grain, 0, two, 0) == CUDA_ERROR_INVALID_VALUE); // taken
    EXPECT(cuMemMap(p + 3 * grain, 2 * grain, 0, two, 0) ==
           CUDA_ERROR_INVALID_VALUE); // not all of it reserved
    // Without access it is not there.
    EXPECT(cuMemsetD32(p, 0, 1) == CUDA_ERROR_INVALID_VALUE);
    CUmemAccessDesc const both{like.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    EXPECT(cuMemSetAccess(p, 4 * grain, &both, 1) ==
           CUDA_ERROR_INVALID_VALUE); // the last piece is not mapped
    EXPECT(cuMemSetAccess(p, 3 * grain, &both, 1) == CUDA_SUCCESS);
    unsigned long long flags = 0;
    EXPECT(cuMemGetAccess(&flags, &like.location, p) == CUDA_SUCCESS &&
           flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    EXPECT(cuMemMap(second, 2 * grain, 0, two, 0) == CUDA_SUCCESS);
    EXPECT(cuMemSetAccess(second, 2 * grain, &both, 1) == CUDA_SUCCESS);
    EXPECT(cuMemRelease(two) == CUDA_SUCCESS && cuMemRelease(two) == CUDA_ERROR_INVALID_VALUE);
    // A copy and a kernel's warp reach over the border of the pieces.
    std::size_t const words = 64, at = (grain - 128) / 4;
    std::vector<unsigned> given(words), got(words);
    for (std::size_t i = 0; i < words; ++i) given[i] = 7 * static_cast<unsigned>(i);
    EXPECT(cuMemcpyHtoD(p + 4 * at, given.data(), 4 * words) == CUDA_SUCCESS);
    add<<<1, 64>>>(reinterpret_cast<unsigned*>(p) + at, words, 1000);
    OK(cudaDeviceSynchronize());
    EXPECT(cuMemcpyDtoH(got.data(), p + 4 * at, 4 * words) == CUDA_SUCCESS);
    for (std::size_t i = 0; i < words; ++i) EXPECT(got[i] == given[i] + 1000);
    // The second half of the words lies in the second piece, which is seen at both places.
    EXPECT(cuMemcpyDtoH(got.data(), second, 4 * words / 2) == CUDA_SUCCESS);
    for (std::size_t i = 0; i < words / 2; ++i) EXPECT(got[i] == given[words / 2 + i] + 1000);
    EXPECT(cuMemUnmap(p, grain / 2) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemUnmap(p + grain, 2 * grain) == CUDA_SUCCESS);
    EXPECT(cuMemcpyDtoH(got.data(), p + 4 * at, 4 * words) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoH(got.data(), p, 4 * words) == CUDA_SUCCESS);
    EXPECT(cuMemAddressFree(p, 4 * grain) == CUDA_ERROR_INVALID_VALUE); // something is mapped
    // What nobody holds but a mapping is there until that ends, and its handle can be had again.
    EXPECT(cuMemRetainAllocationHandle(&two, reinterpret_cast<void*>(second + 4)) == CUDA_SUCCESS);
    EXPECT(cuMemUnmap(second, 2 * grain) == CUDA_SUCCESS &&
           cuMemMap(p + 2 * grain, 2 * grain, 0, two, 0) == CUDA_SUCCESS);
    EXPECT(cuMemSetAccess(p + 2 * grain, 2 * grain, &both, 1) == CUDA_SUCCESS);
    EXPECT(cuMemcpyDtoH(got.data(), p + 2 * grain, 4 * words / 2) == CUDA_SUCCESS &&
           got[0] == given[words / 2] + 1000);
    int file = -1;
    EXPECT(cuMemExportToShareableHandle(&file, two, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) ==
           CUDA_SUCCESS);
    EXPECT(cuMemImportFromShareableHandle(&none, reinterpret_cast<void*>(static_cast<std::intptr_t>(file)),
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == CUDA_SUCCESS);
    EXPECT(cuMemMap(second, 2 * grain, 0, none, 0) == CUDA_SUCCESS);
    EXPECT(cuMemSetAccess(second, 2 * grain, &both, 1) == CUDA_SUCCESS);
    EXPECT(cuMemcpyDtoH(got.data(), second, 4) == CUDA_SUCCESS && got[0] == given[words / 2] + 1000);
    // A fault beside it is told as any other.
    EXPECT(cuMemUnmap(p, grain) == CUDA_SUCCESS && cuMemUnmap(p + 2 * grain, 2 * grain) == CUDA_SUCCESS);
    EXPECT(cuMemAddressFree(p, 4 * grain) == CUDA_SUCCESS);
    EXPECT(cuMemAddressReserve(&more, grain, 0, p, 0) == CUDA_SUCCESS);
    add<<<1, 1>>>(reinterpret_cast<unsigned*>(more), 1, 1);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    EXPECT(cuMemRelease(one) == CUDA_ERROR_INVALID_VALUE); // all is gone
}

} // namespace

int main() {
    device();
    memory();
    kernels();
    textures();
    driver();
    driver_arrays();
    virtual_memory();
    errors();
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
