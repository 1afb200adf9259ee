// What programs ask for by the way: copies between arrays, what was said of managed memory, handles for other
// processes, what graphs' nodes are changed to, what textures and kernels were made of. A call that did nothing would
// be found out.
#include "handles.hpp"

#include <cstring>
#include <string>
#include <vector>

__device__ int variable[4];
__device__ int beside[4];
__global__ void take(int* to, int index, int n) { to[index] += n; }

namespace {

int* managed(size_t bytes) {
    int* p = nullptr;
    OK(cudaMallocManaged(&p, bytes));
    return p;
}

// An array of 4 x 3 numbers, and what is in it.
cudaArray_t array_of(int first) {
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<int>();
    cudaArray_t a = nullptr;
    OK(cudaMallocArray(&a, &format, 4, 3));
    int numbers[12];
    for (int i = 0; i < 12; ++i) numbers[i] = first + i;
    OK(cudaMemcpy2DToArrayAsync(a, 0, 0, numbers, 16, 16, 3, cudaMemcpyHostToDevice, 0));
    return a;
}
std::vector<int> inside(cudaArray_t a) {
    std::vector<int> numbers(12);
    OK(cudaMemcpy2DFromArrayAsync(numbers.data(), 16, a, 0, 0, 16, 3, cudaMemcpyDeviceToHost, 0));
    return numbers;
}
void copies() {
    cudaArray_t const one = array_of(100), two = array_of(200);
    OK(cudaMemcpy2DArrayToArray(two, 4, 1, one, 8, 0, 8, 2));
    auto n = inside(two);
    EXPECT(n[0] == 200 && n[5] == 102 && n[6] == 103 && n[9] == 106 && n[10] == 107 && n[7] == 207);
    OK(cudaMemcpyArrayToArray(one, 12, 0, two, 0, 0, 8)); // over the end of a row
    n = inside(one);
    EXPECT(n[2] == 102 && n[3] == 200 && n[4] == 201 && n[5] == 105);
    int some[6] = {};
    OK(cudaMemcpyFromArrayAsync(some, one, 8, 0, sizeof some, cudaMemcpyDeviceToHost, 0));
    EXPECT(some[0] == 102 && some[1] == 200 && some[5] == 107);
    FAILS(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(two, 12, 0, one, 0, 0, 8, 1));
    FAILS(cudaErrorInvalidValue, cudaMemcpyArrayToArray(two, 0, 0, one, 0, 2, 20));
    FAILS(cudaErrorInvalidMemcpyDirection,
          cudaMemcpyArrayToArray(two, 0, 0, one, 0, 0, 4, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue, cudaMemcpyFromArrayAsync(some, one, 8, 0, 48, cudaMemcpyDeviceToHost, 0));

    int *p = nullptr, *q = nullptr;
    OK(cudaMalloc(&p, 64));
    OK(cudaMalloc(&q, 64));
    cudaPitchedPtr const box = make_cudaPitchedPtr(p, 16, 16, 2);
    OK(cudaMemset(p, 0, 64));
    OK(cudaMemset3DAsync(box, 1, make_cudaExtent(4, 2, 2), 0));
    cudaMemcpy3DPeerParms peer{};
    peer.srcPtr = box;
    peer.dstPtr = make_cudaPitchedPtr(q, 16, 16, 2);
    peer.extent = make_cudaExtent(16, 2, 2);
    OK(cudaMemcpy3DPeer(&peer));
    int back[16] = {};
    OK(cudaMemcpy(back, q, 64, cudaMemcpyDeviceToHost));
    EXPECT(back[0] == 0x01010101 && back[1] == 0 && back[4] == 0x01010101 && back[12] == 0x01010101);
    OK(cudaMemset(p, 3, 64));
    OK(cudaMemcpy3DPeerAsync(&peer, 0));
    OK(cudaMemcpy(back, q, 64, cudaMemcpyDeviceToHost));
    EXPECT(back[15] == 0x03030303);
    peer.dstDevice = 1;
    FAILS(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&peer));
    FAILS(cudaErrorInvalidDevice, cudaMemcpy3DPeerAsync(&peer, 0));
    FAILS(cudaErrorInvalidValue, cudaMemset3DAsync(box, 1, make_cudaExtent(4, 2, 3), 0));
    OK(cudaFree(p));
    OK(cudaFree(q));
    OK(cudaFreeArray(one));
    OK(cudaFreeArray(two));
}
// What is copied into a captured stream happens when the graph is launched, and not before; what waits is refused.
void captured_copies() {
    cudaArray_t const array = array_of(0);
    int* p = managed(256);
    std::memset(p, 0, 256);
    static int given[12];
    static int result[12];
    for (int i = 0; i < 12; ++i) given[i] = 50 + i;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    cudaMemcpy3DParms box{};
    box.srcPtr = make_cudaPitchedPtr(given, 8, 8, 1);
    box.dstPtr = make_cudaPitchedPtr(p, 8, 8, 1);
    box.extent = make_cudaExtent(8, 1, 1);
    box.kind = cudaMemcpyDefault;
    OK(cudaMemcpy3DAsync(&box, s));
    OK(cudaMemcpyToSymbolAsync(variable, given, 16, 0, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyFromSymbolAsync(p + 4, variable, 16, 0, cudaMemcpyDefault, s));
    OK(cudaMemcpyToArrayAsync(array, 0, 0, given, 16, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpy2DToArrayAsync(array, 0, 1, given, 16, 16, 2, cudaMemcpyHostToDevice, s));
    OK(cudaMemcpyFromArrayAsync(result, array, 0, 0, 16, cudaMemcpyDeviceToHost, s));
    OK(cudaMemcpy2DFromArrayAsync(result + 4, 16, array, 0, 1, 16, 2, cudaMemcpyDeviceToHost, s));
    OK(cudaMemcpy2DAsync(p + 10, 8, given, 8, 8, 1, cudaMemcpyDefault, s));
    OK(cudaMemcpyPeerAsync(p + 14, 0, p, 0, 8, s));
    OK(cudaMemset3DAsync(make_cudaPitchedPtr(p + 20, 4, 4, 1), 9, make_cudaExtent(4, 1, 1), s));
    OK(cuMemsetD16Async((CUdeviceptr)(p + 22), 0x1234, 2, s));
    OK(cuMemsetD32Async((CUdeviceptr)(p + 24), 77, 2, s));
    OK(cuMemsetD2D32Async((CUdeviceptr)(p + 28), 8, 78, 1, 2, s));
    FAILS(cudaErrorStreamCaptureImplicit, cudaMemcpy2D(p, 4, given, 4, 4, 1, cudaMemcpyDefault));
    FAILS(cudaErrorStreamCaptureImplicit, cudaMemset2D(p, 4, 1, 4, 1));
    FAILS(cudaErrorStreamCaptureImplicit, cudaMemcpyToSymbol(variable, given, 4));
    FAILS(cudaErrorStreamCaptureImplicit, cudaMemcpyAsync(p, given, 4, cudaMemcpyDefault, 0));
    FAILS(cudaErrorStreamCaptureImplicit, cuMemsetD32((CUdeviceptr)p, 1, 1));
    cudaGraph_t graph;
    OK(cudaStreamEndCapture(s, &graph));
    bool untouched = true;
    for (int i = 0; i < 64; ++i) untouched = untouched && p[i] == 0;
    for (int const r : result) untouched = untouched && r == 0;
    EXPECT(untouched);
    cudaGraphExec_t ready;
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphLaunch(ready, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(p[0] == 50 && p[1] == 51 && p[4] == 50 && p[7] == 53 && p[10] == 50 && p[11] == 51 && p[14] == 50);
    EXPECT(p[20] == 0x09090909 && p[22] == 0x12341234 && p[24] == 77 && p[25] == 77);
    EXPECT(p[28] == 78 && p[29] == 0 && p[30] == 78 && p[31] == 0);
    EXPECT(result[0] == 50 && result[3] == 53 && result[4] == 50 && result[11] == 57);
    OK(cudaGraphExecDestroy(ready));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(p));
    OK(cudaFreeArray(array));
}

int attribute(cudaMemRangeAttribute which, void const* p, size_t bytes) {
    int value = 99;
    OK(cudaMemRangeGetAttribute(&value, sizeof value, which, p, bytes));
    return value;
}
void ranges() {
    size_t const page = 4096;
    char* const p = reinterpret_cast<char*>(managed(4 * page));
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, p, 4 * page) == 0);
    EXPECT(attribute(cudaMemRangeAttributePreferredLocation, p, 4 * page) == cudaInvalidDeviceId);
    EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, p, 4 * page) == cudaInvalidDeviceId);
    OK(cudaMemAdvise(p + page, 2 * page, cudaMemAdviseSetReadMostly, 0));
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, p + page, 2 * page) == 1);
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, p, 2 * page) == 0);
    OK(cudaMemAdvise(p + 2 * page, 1, cudaMemAdviseUnsetReadMostly, 0)); // all of its page
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, p + page, page) == 1);
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, p + page, 2 * page) == 0);
    OK(cudaMemAdvise(p, page, cudaMemAdviseSetPreferredLocation, 0));
    OK(cudaMemAdvise(p + page, page, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    EXPECT(attribute(cudaMemRangeAttributePreferredLocation, p, page) == 0);
    EXPECT(attribute(cudaMemRangeAttributePreferredLocationType, p, page) == cudaMemLocationTypeDevice);
    EXPECT(attribute(cudaMemRangeAttributePreferredLocation, p + page, page) == cudaCpuDeviceId);
    EXPECT(attribute(cudaMemRangeAttributePreferredLocationType, p + page, page) == cudaMemLocationTypeHost);
    EXPECT(attribute(cudaMemRangeAttributePreferredLocation, p, 2 * page) == cudaInvalidDeviceId);
    OK(cudaMemAdvise(p, 4 * page, cudaMemAdviseSetAccessedBy, 0));
    OK(cudaMemAdvise(p, page, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
    int by[3] = {};
    OK(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, p, page));
    EXPECT(by[0] == 0 && by[1] == cudaCpuDeviceId && by[2] == cudaInvalidDeviceId);
    OK(cudaMemPrefetchAsync(p, 2 * page, 0));
    OK(cudaMemPrefetchAsync(p + page, page, cudaCpuDeviceId));
    int first = 9, all = 9;
    void* results[] = {&first, by};
    size_t sizes[] = {sizeof first, sizeof by};
    cudaMemRangeAttribute wanted[] = {cudaMemRangeAttributeLastPrefetchLocation,
                                      cudaMemRangeAttributeAccessedBy};
    OK(cudaMemRangeGetAttributes(results, sizes, wanted, 2, p, page));
    EXPECT(first == 0);
    OK(cudaMemRangeGetAttributes(results, sizes, wanted, 2, p, 2 * page));
    EXPECT(first == cudaInvalidDeviceId && by[0] == 0 && by[1] == cudaInvalidDeviceId);
    EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, p + page, page) == cudaCpuDeviceId);
    FAILS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&all, 8, cudaMemRangeAttributeReadMostly, p, page));
    FAILS(cudaErrorInvalidValue,
          cudaMemRangeGetAttribute(&all, 4, cudaMemRangeAttributeReadMostly, p, 5 * page));
    FAILS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&all, 4, (cudaMemRangeAttribute)99, p, page));
    FAILS(cudaErrorInvalidValue, cudaMemRangeGetAttributes(results, sizes, wanted, 0, p, page));
    // The driver's forms, with a device and with a place.
    auto const d = (CUdeviceptr)p;
    OK(cuMemAdvise(d, page, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(cuMemPrefetchAsync(d, 4 * page, 0, 0));
    int value = 9;
    OK(cuMemRangeGetAttribute(&value, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, d, page));
    EXPECT(value == 1);
    EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, p, 4 * page) == 0);
    CUmemLocation const host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    OK(cuMemAdvise(d, page, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
    OK(cuMemPrefetchAsync(d, page, host, 0, 0));
    CUmem_range_attribute both[] = {CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
    void* two[] = {&first, &all};
    size_t four[] = {4, 4};
    OK(cuMemRangeGetAttributes(two, four, both, 2, d, page));
    EXPECT(first == -1 && all == -1);
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuMemAdvise(d, page, CU_MEM_ADVISE_SET_ACCESSED_BY, 3));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync(d, page, 3, 0));
    OK(cudaFree(p));
    // What comes to lie there has been told nothing.
    char* const q = reinterpret_cast<char*>(managed(4 * page));
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, q, page) == 0);
    OK(cudaFree(q));
}

void processes() {
    int *p = nullptr, *on_host = nullptr;
    OK(cudaMalloc(&p, 64));
    OK(cudaMallocHost(&on_host, 64));
    cudaIpcMemHandle_t memory{}, none{};
    OK(cudaIpcGetMemHandle(&memory, p));
    EXPECT(std::memcmp(&memory, &none, sizeof none) != 0);
    FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&memory, on_host));
    void* opened = nullptr;
    FAILS(cudaErrorDeviceUninitialized,
          cudaIpcOpenMemHandle(&opened, memory, cudaIpcMemLazyEnablePeerAccess));
    FAILS(CUDA_ERROR_INVALID_CONTEXT,
          cuIpcOpenMemHandle((CUdeviceptr*)&opened, memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    FAILS(cudaErrorInvalidValue, cudaIpcOpenMemHandle(&opened, memory, 0));
    FAILS(cudaErrorInvalidValue, cudaIpcOpenMemHandle(&opened, none, cudaIpcMemLazyEnablePeerAccess));
    cudaIpcMemHandle_t other = memory;
    other.reserved[8] = static_cast<char>(other.reserved[8] ^ 1); // the process
    FAILS(cudaErrorNotSupported, cudaIpcOpenMemHandle(&opened, other, cudaIpcMemLazyEnablePeerAccess));
    FAILS(cudaErrorInvalidValue, cudaIpcCloseMemHandle(p));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle((CUdeviceptr)p));
    cudaEvent_t shared, alone, back;
    OK(cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming));
    OK(cudaEventCreate(&alone));
    cudaIpcEventHandle_t event{};
    OK(cudaIpcGetEventHandle(&event, shared));
    FAILS(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&event, alone));
    FAILS(cudaErrorDeviceUninitialized, cudaIpcOpenEventHandle(&back, event));
    CUipcMemHandle driver{};
    OK(cuIpcGetMemHandle(&driver, (CUdeviceptr)p));
    EXPECT(std::memcmp(&driver, &memory, sizeof driver) == 0);
    OK(cuIpcGetEventHandle(&event, shared));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuIpcOpenEventHandle(&back, event));
    OK(cudaEventDestroy(shared));
    OK(cudaEventDestroy(alone));
    OK(cudaFree(p));
    OK(cudaFreeHost(on_host));
}

void count_end(void* n) { ++*static_cast<int*>(n); }
void objects() {
    int ended = 0;
    cudaUserObject_t object;
    OK(cudaUserObjectCreate(&object, &ended, count_end, 1, cudaUserObjectNoDestructorSync));
    OK(cudaUserObjectRetain(object, 2));
    OK(cudaUserObjectRelease(object, 2));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    FAILS(cudaErrorInvalidValue, cudaUserObjectRelease(object)); // the graph has that reference now
    OK(cudaGraphReleaseUserObject(graph, object, 1));
    cudaGraphExec_t ready;
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphDestroy(graph));
    EXPECT(ended == 0); // what is instantiated holds it
    OK(cudaGraphExecDestroy(ready));
    EXPECT(ended == 1);
    FAILS(cudaErrorInvalidValue, cudaUserObjectRetain(object));
    FAILS(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &ended, count_end, 0, 1));
    CUuserObject by_driver;
    OK(cuUserObjectCreate(&by_driver, &ended, count_end, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cuUserObjectRetain(by_driver, 1));
    OK(cuUserObjectRelease(by_driver, 1));
    OK(cudaGraphCreate(&graph, 0));
    OK(cuGraphRetainUserObject(graph, by_driver, 1, 0));
    OK(cuGraphReleaseUserObject(graph, by_driver, 1));
    EXPECT(ended == 1);
    OK(cuUserObjectRelease(by_driver, 1));
    EXPECT(ended == 2);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphReleaseUserObject(graph, by_driver, 1));
    OK(cudaGraphDestroy(graph));
}

void nodes() {
    int* p = managed(64);
    std::memset(p, 0, 64);
    cudaGraph_t graph, clone;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t kernel, other, to, from, record, wait, found;
    int index = 0, n = 5;
    void* arguments[] = {&p, &index, &n};
    cudaKernelNodeParams k{(void*)take, dim3(1), dim3(1), 0, arguments, nullptr};
    OK(cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &k));
    OK(cudaGraphAddKernelNode(&other, graph, &kernel, 1, &k));
    cudaLaunchAttributeValue value{}, back{};
    value.priority = -3;
    OK(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &value));
    OK(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority, &back));
    EXPECT(back.priority == 0);
    OK(cudaGraphKernelNodeCopyAttributes(other, kernel));
    OK(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority, &back));
    EXPECT(back.priority == -3);
    FAILS(cudaErrorInvalidValue,
          cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeSynchronizationPolicy, &back));
    FAILS(cudaErrorInvalidValue, cudaGraphKernelNodeSetAttribute(kernel, (cudaLaunchAttributeID)99, &value));

    static int const given[] = {11, 12, 13, 14};
    static int result[4];
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, &other, 1, variable, given, 8, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, result, variable, 8, 4,
                                        cudaMemcpyDeviceToHost));
    OK(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, given, 16, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphMemcpyNodeSetParamsFromSymbol(from, result, variable, 8, 8, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue,
          cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, given, 17, 0, cudaMemcpyHostToDevice));
    FAILS(cudaErrorInvalidValue,
          cudaGraphMemcpyNodeSetParamsFromSymbol(kernel, result, variable, 8, 8, cudaMemcpyDeviceToHost));
    cudaEvent_t one, two, asked;
    OK(cudaEventCreate(&one));
    OK(cudaEventCreate(&two));
    OK(cudaGraphAddEventRecordNode(&record, graph, &from, 1, one));
    OK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, one));
    OK(cudaGraphEventRecordNodeSetEvent(record, two));
    OK(cudaGraphEventRecordNodeGetEvent(record, &asked));
    EXPECT(asked == two);
    OK(cudaGraphEventWaitNodeSetEvent(wait, two));
    OK(cudaGraphEventWaitNodeGetEvent(wait, &asked));
    EXPECT(asked == two);
    FAILS(cudaErrorInvalidValue, cudaGraphEventRecordNodeSetEvent(wait, two));
    FAILS(cudaErrorInvalidResourceHandle, cudaGraphEventWaitNodeSetEvent(wait, nullptr));

    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, record, clone));
    cudaGraphNodeType type{};
    OK(cudaGraphNodeGetType(found, &type));
    EXPECT(found != record && type == cudaGraphNodeTypeEventRecord);
    FAILS(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, record, graph));

    cudaGraphExec_t ready;
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphLaunch(ready, 0));
    OK(cudaDeviceSynchronize());
    EXPECT(p[0] == 10 && result[0] == 13 && result[1] == 14);
    float milliseconds = 0;
    FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, one, two)); // `one` never was
    OK(cudaGraphExecEventRecordNodeSetEvent(ready, record, one));
    OK(cudaGraphExecEventWaitNodeSetEvent(ready, wait, one));
    OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(ready, to, beside, given, 16, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(ready, from, result, beside, 8, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParamsFromSymbol(ready, kernel, result, beside, 8,
                                                                            0, cudaMemcpyDeviceToHost));
    n = 100;
    cudaGraphNodeParams all{};
    all.type = cudaGraphNodeTypeKernel;
    all.kernel.func = (void*)take;
    all.kernel.gridDim = all.kernel.blockDim = dim3(1);
    all.kernel.kernelParams = arguments;
    OK(cudaGraphExecNodeSetParams(ready, kernel, &all));
    OK(cudaGraphLaunch(ready, 0));
    OK(cudaDeviceSynchronize());
    EXPECT(p[0] == 115 && result[0] == 11 && result[1] == 12);
    OK(cudaEventElapsedTime(&milliseconds, one, two));
    OK(cudaGraphNodeSetParams(other, &all));
    cudaGraphExec_t again;
    OK(cudaGraphInstantiate(&again, graph, 0));
    OK(cudaGraphLaunch(again, 0));
    OK(cudaDeviceSynchronize());
    EXPECT(p[0] == 220);
    all.type = cudaGraphNodeTypeEmpty;
    FAILS(cudaErrorNotSupported, cudaGraphNodeSetParams(other, &all));
    FAILS(cudaErrorNotSupported, cudaGraphExecNodeSetParams(again, other, &all));
    all.type = cudaGraphNodeTypeMemset;
    FAILS(cudaErrorInvalidValue, cudaGraphNodeSetParams(other, &all));

    cudaMemAllocNodeParams a{}, kept{};
    a.poolProps.allocType = cudaMemAllocationTypePinned;
    a.poolProps.location = {cudaMemLocationTypeDevice, 0};
    a.bytesize = 64;
    cudaGraphNode_t alloc, release;
    OK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &a));
    OK(cudaGraphAddMemFreeNode(&release, graph, &alloc, 1, a.dptr));
    OK(cudaGraphMemAllocNodeGetParams(alloc, &kept));
    EXPECT(kept.bytesize == 64 && kept.dptr == a.dptr);
    void* freed = nullptr;
    OK(cudaGraphMemFreeNodeGetParams(release, &freed));
    EXPECT(freed == a.dptr);
    FAILS(cudaErrorInvalidValue, cudaGraphMemAllocNodeGetParams(release, &kept));
    FAILS(cudaErrorInvalidValue, cudaGraphMemFreeNodeGetParams(alloc, &freed));
    for (cudaGraphExec_t const e : {ready, again}) OK(cudaGraphExecDestroy(e));
    for (cudaGraph_t const g : {graph, clone}) OK(cudaGraphDestroy(g));
    for (cudaEvent_t const e : {one, two}) OK(cudaEventDestroy(e));
    OK(cudaFree(p));
}

void textures() {
    cudaArray_t const array = array_of(0);
    cudaResourceDesc resource{}, back{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture{}, asked{};
    texture.addressMode[0] = cudaAddressModeMirror;
    cudaTextureObject_t object = 0;
    cudaSurfaceObject_t surface = 0;
    OK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    OK(cudaCreateSurfaceObject(&surface, &resource));
    OK(cudaGetTextureObjectResourceDesc(&back, object));
    EXPECT(back.resType == cudaResourceTypeArray && back.res.array.array == array);
    OK(cudaGetTextureObjectTextureDesc(&asked, object));
    EXPECT(asked.addressMode[0] == cudaAddressModeMirror);
    cudaResourceViewDesc view{};
    FAILS(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc(&view, object));
    back = {};
    OK(cudaGetSurfaceObjectResourceDesc(&back, surface));
    EXPECT(back.res.array.array == array);
    FAILS(cudaErrorInvalidValue, cudaGetSurfaceObjectResourceDesc(&back, object));
    FAILS(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&back, surface));
    OK(cudaDestroyTextureObject(object));
    FAILS(cudaErrorInvalidValue, cudaGetTextureObjectTextureDesc(&asked, object));
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(array));
    size_t texels = 0;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &format, 0));
    EXPECT(texels == (size_t)1 << 27);
    format.x = 5;
    FAILS(cudaErrorInvalidChannelDescriptor, cudaDeviceGetTexture1DLinearMaxWidth(&texels, &format, 0));
}

void device_and_kernels() {
    char name[32];
    int device = 7;
    OK(cudaDeviceGetPCIBusId(name, sizeof name, 0));
    for (char const* const text : {(char const*)name, "00:00.0", "0000:00:00"}) {
        device = 7;
        OK(cudaDeviceGetByPCIBusId(&device, text));
        EXPECT(device == 0);
    }
    FAILS(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:01:00.0"));
    FAILS(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&device, "none"));
    unsigned flags = 0;
    OK(cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid));
    OK(cudaGetDeviceFlags(&flags));
    EXPECT(flags == (cudaDeviceScheduleYield | cudaDeviceMapHost));
    FAILS(cudaErrorInvalidDevice, cudaInitDevice(1, 0, 0));
    device = 7;
    OK(cudaStreamGetDevice(0, &device));
    EXPECT(device == 0);
    FAILS(cudaErrorInvalidResourceHandle, cudaStreamGetDevice((cudaStream_t)99, &device));

    char const* function = nullptr;
    OK(cudaFuncGetName(&function, take));
    EXPECT(std::string(function).find("take") != std::string::npos);
    FAILS(cudaErrorInvalidDeviceFunction, cudaFuncGetName(&function, name));
    size_t offset = 0, bytes = 0;
    OK(cudaFuncGetParamInfo((void const*)take, 2, &offset, &bytes));
    EXPECT(offset == 12 && bytes == 4);
    FAILS(cudaErrorInvalidValue, cudaFuncGetParamInfo((void const*)take, 3, &offset, &bytes));
    size_t shared = 0, half = 0;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, take, 1, 32));
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&half, take, 2, 32));
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, take, 32, half));
    EXPECT(half != 0 && half < shared && blocks == 2);
    FAILS(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&half, take, 10000, 32));
    cudaKernel_t kernel = nullptr;
    OK(cudaGetKernel(&kernel, take));
    int* const p = managed(64);
    p[1] = 0;
    int index = 1, n = 3;
    void* arguments[] = {(void*)&p, &index, &n};
    OK(cudaLaunchKernel((void const*)kernel, dim3(1), dim3(1), arguments, 0, 0));
    OK(cudaDeviceSynchronize());
    EXPECT(p[1] == 3);
    OK(cudaFree(p));
    OK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 16, 0));
    FAILS(cudaErrorInvalidValue,
          cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, -1, 0));
    FAILS(cudaErrorInvalidDevice,
          cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 16, 1));
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    cudaMemLocation place = {cudaMemLocationTypeDevice, 0};
    cudaMemAccessFlags access = cudaMemAccessFlagsProtNone;
    OK(cudaMemPoolGetAccess(&access, pool, &place));
    EXPECT(access == cudaMemAccessFlagsProtReadWrite);
    cudaMemAccessDesc taken = {place, cudaMemAccessFlagsProtNone};
    FAILS(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, &taken, 1));
    place.id = 1;
    FAILS(cudaErrorInvalidDevice, cudaMemPoolGetAccess(&access, pool, &place));
}

} // namespace

int main() {
    copies();
    captured_copies();
    ranges();
    processes();
    objects();
    nodes();
    textures();
    device_and_kernels();
    check_streams_per_thread();
    check_driver();
    std::puts(failures == 0 ? "PASSED" : "FAILED");
    return failures == 0 ? 0 : 1;
}
