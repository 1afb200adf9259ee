// The driver's functions that say what things are and were told, its fills, its graphs, and PTX that is linked.
#include "handles.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace {

char const one[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry first(.param .u64 p, .param .u32 n)
{
.reg .b32 %r<2>; .reg .b64 %rd<2>;
ld.param.u64 %rd0, [p]; ld.param.u32 %r0, [n];
st.global.u32 [%rd0], %r0;
ret;
}
)";
char const two[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry second(.param .u64 p)
{
.reg .b32 %r<2>; .reg .b64 %rd<2>;
ld.param.u64 %rd0, [p]; mov.u32 %r0, 22;
st.global.u32 [%rd0+4], %r0;
ret;
}
)";

void contexts() {
    CUcontext context = nullptr, attached = nullptr;
    OK(cuCtxGetCurrent(&context));
    OK(cuCtxAttach(&attached, 0));
    EXPECT(attached == context);
    OK(cuCtxDetach(attached));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxAttach(&attached, 1));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxDetach(nullptr));
    unsigned flags = 0;
    OK(cuCtxSetFlags(CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cuCtxGetFlags(&flags));
    EXPECT(flags == (CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxSetFlags(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD));
    std::size_t limit = 0;
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    OK(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    EXPECT(limit == 2048);
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 1024));
    FAILS(cudaErrorUnsupportedLimit, cuCtxGetLimit(&limit, static_cast<CUlimit>(99)));
    FAILS(cudaErrorUnsupportedLimit, cuCtxSetLimit(static_cast<CUlimit>(99), 1));
    CUfunc_cache cache = CU_FUNC_CACHE_PREFER_L1;
    OK(cuCtxGetCacheConfig(&cache));
    EXPECT(cache == CU_FUNC_CACHE_PREFER_NONE);
    CUsharedconfig shared = CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    OK(cuCtxGetSharedMemConfig(&shared));
    EXPECT(shared == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    int least = 9, greatest = 9;
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    EXPECT(least == 0 && greatest == 0);
    unsigned long long id = 0;
    OK(cuCtxGetId(context, &id));
    EXPECT(id != 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxGetId(context, nullptr));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuCtxEnablePeerAccess(context, 0));
    FAILS(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(context));
    OK(cuCtxResetPersistingL2Cache());

    char name[32];
    CUdevice device = 7;
    OK(cuDeviceGetPCIBusId(name, sizeof name, 0));
    OK(cuDeviceGetByPCIBusId(&device, name));
    EXPECT(device == 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceGetByPCIBusId(&device, "?"));
    int value = 0;
    FAILS(CUDA_ERROR_INVALID_DEVICE,
          cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 1));
    CUdevprop properties{};
    OK(cuDeviceGetProperties(&properties, 0));
    EXPECT(properties.SIMDWidth == 32 && properties.maxGridSize[1] == 65535);
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetProperties(&properties, 1));
    CUmemoryPool pool = nullptr, before = nullptr, made = nullptr;
    OK(cuDeviceGetMemPool(&before, 0));
    CUmemPoolProps of{};
    of.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    of.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    OK(cuMemPoolCreate(&made, &of));
    OK(cuDeviceSetMemPool(0, made));
    OK(cuDeviceGetMemPool(&pool, 0));
    EXPECT(pool == made && pool != before);
    OK(cuMemPoolDestroy(made));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(0, made));
}

void modules() {
    CUlinkState linker = nullptr;
    OK(cuLinkCreate(0, nullptr, nullptr, &linker));
    OK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, const_cast<char*>(one), sizeof one, "one", 0, nullptr,
                     nullptr));
    std::FILE* const file = std::fopen("second.ptx", "w");
    std::fputs(two, file);
    std::fclose(file);
    OK(cuLinkAddFile(linker, CU_JIT_INPUT_PTX, "second.ptx", 0, nullptr, nullptr));
    FAILS(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(linker, CU_JIT_INPUT_PTX, "none", 0, nullptr, nullptr));
    FAILS(CUDA_ERROR_NOT_SUPPORTED,
          cuLinkAddData(linker, CU_JIT_INPUT_CUBIN, const_cast<char*>(one), 4, "", 0, nullptr, nullptr));
    void* image = nullptr;
    std::size_t bytes = 0;
    OK(cuLinkComplete(linker, &image, &bytes));
    EXPECT(bytes > sizeof one);
    CUmodule module = nullptr, asked = nullptr;
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(linker));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(linker));
    unsigned count = 0;
    OK(cuModuleGetFunctionCount(&count, module));
    EXPECT(count == 2);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunctionCount(&count, nullptr));
    CUfunction list[2] = {}, named = nullptr;
    OK(cuModuleEnumerateFunctions(list, 2, module));
    OK(cuModuleGetFunction(&named, module, "second"));
    EXPECT(list[0] != named && list[1] == named);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuModuleEnumerateFunctions(nullptr, 2, module));
    char const* name = nullptr;
    OK(cuFuncGetName(&name, list[0]));
    EXPECT(std::string(name) == "first");
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&name, nullptr));
    OK(cuFuncGetModule(&asked, named));
    EXPECT(asked == module);
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuFuncGetModule(&asked, nullptr));
    std::size_t offset = 0;
    OK(cuFuncGetParamInfo(list[0], 1, &offset, &bytes));
    EXPECT(offset == 8 && bytes == 4);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(list[0], 2, &offset, &bytes));
    CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
    OK(cuFuncIsLoaded(&state, named));
    EXPECT(state == CU_FUNCTION_LOADING_STATE_LOADED);
    OK(cuFuncSetSharedMemConfig(named, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    CUmoduleLoadingMode mode = CU_MODULE_EAGER_LOADING;
    OK(cuModuleGetLoadingMode(&mode));
    EXPECT(mode == CU_MODULE_LAZY_LOADING);
    int blocks = 0;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, named, 32, 0, 0));
    EXPECT(blocks > 0);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, named, 1, 32));
    EXPECT(bytes > 0);
    CUlaunchConfig shape{1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0};
    int clusters = 0, ctas = 0;
    OK(cuOccupancyMaxActiveClusters(&clusters, named, &shape));
    OK(cuOccupancyMaxPotentialClusterSize(&ctas, named, &shape));
    EXPECT(clusters > 0 && ctas > 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&clusters, named, nullptr));

    CUdeviceptr p = 0;
    OK(cuMemAlloc(&p, 64));
    unsigned n = 11;
    void* arguments[] = {&p, &n};
    OK(cuLaunchKernel(list[0], 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuLaunchKernel(list[1], 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    unsigned back[2] = {};
    OK(cuMemcpyDtoH(back, p, sizeof back));
    EXPECT(back[0] == 11 && back[1] == 22);
    OK(cuMemFree(p));
    OK(cuModuleUnload(module));

    CUlibrary library = nullptr, home = nullptr;
    OK(cuLibraryLoadFromFile(&library, "second.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetModule(&module, library));
    OK(cuLibraryGetKernelCount(&count, library));
    EXPECT(count == 1);
    CUkernel kernels[1] = {}, kernel = nullptr;
    OK(cuLibraryEnumerateKernels(kernels, 1, library));
    OK(cuLibraryGetKernel(&kernel, library, "second"));
    EXPECT(kernel == kernels[0]);
    OK(cuKernelGetName(&name, kernel));
    EXPECT(std::string(name) == "second");
    OK(cuKernelGetParamInfo(kernel, 0, &offset, &bytes));
    EXPECT(offset == 0 && bytes == 8);
    OK(cuKernelGetLibrary(&home, kernel));
    EXPECT(home == library);
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 16, kernel, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE,
          cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1, kernel, 0));
    OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 0));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_L1, 1));
    OK(cuLibraryUnload(library));
    FAILS(CUDA_ERROR_INVALID_HANDLE, cuLibraryGetKernelCount(&count, library));
    FAILS(CUDA_ERROR_FILE_NOT_FOUND,
          cuLibraryLoadFromFile(&library, "none", nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuModuleLoadFatBinary(&module, one));
    OK(cuModuleGetFunction(&named, module, "first"));
    OK(cuModuleUnload(module));
    // The runtime's words for the same.
    cudaLibrary_t loaded = nullptr;
    cudaKernel_t found = nullptr, enumerated = nullptr;
    OK(cudaLibraryLoadData(&loaded, one, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernelCount(&count, loaded));
    OK(cudaLibraryGetKernel(&found, loaded, "first"));
    OK(cudaLibraryEnumerateKernels(&enumerated, 1, loaded));
    EXPECT(count == 1 && found == enumerated);
    FAILS(cudaErrorSymbolNotFound,
          cudaLibraryGetGlobal(reinterpret_cast<void**>(&p), &bytes, loaded, "none"));
    FAILS(cudaErrorSymbolNotFound,
          cudaLibraryGetManaged(reinterpret_cast<void**>(&p), &bytes, loaded, "none"));
    OK(cudaLibraryUnload(loaded));
    FAILS(cudaErrorInvalidResourceHandle, cudaLibraryUnload(loaded));
    OK(cudaLibraryLoadFromFile(&loaded, "second.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernel(&found, loaded, "second"));
    OK(cudaLibraryUnload(loaded));
}

void memory() {
    CUcontext context = nullptr;
    OK(cuCtxGetCurrent(&context));
    CUdeviceptr p = 0, q = 0, base = 0;
    std::size_t bytes = 0;
    OK(cuMemAlloc(&p, 1000));
    OK(cuMemAlloc(&q, 1000));
    OK(cuMemGetAddressRange(&base, &bytes, p + 700));
    EXPECT(base == p && bytes == 1000);
    FAILS(CUDA_ERROR_NOT_FOUND, cuMemGetAddressRange(&base, &bytes, 64));
    void* host = nullptr;
    unsigned flags = 0;
    OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetFlags(&flags, host));
    EXPECT((flags & CU_MEMHOSTALLOC_DEVICEMAP) != 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemHostGetFlags(&flags, &flags));
    OK(cuMemFreeHost(host));

    std::vector<unsigned char> back(64);
    auto const read = [&](CUdeviceptr from) { OK(cuMemcpyDtoH(back.data(), from, back.size())); };
    OK(cuMemsetD8(p, 0, 1000));
    OK(cuMemsetD2D8(p, 16, 1, 3, 2));
    OK(cuMemsetD2D16(p + 32, 8, 0x0302, 2, 2));
    OK(cuMemsetD2D32(p + 48, 8, 0x07060504, 1, 2));
    read(p);
    EXPECT(back[2] == 1 && back[3] == 0 && back[18] == 1 && back[32] == 2 && back[35] == 3 && back[36] == 0);
    EXPECT(back[40] == 2 && back[48] == 4 && back[51] == 7 && back[52] == 0 && back[56] == 4);
    OK(cuMemcpyPeer(q, context, p, context, 64));
    read(q);
    EXPECT(back[51] == 7);
    OK(cuMemsetD2D8Async(p, 16, 9, 3, 2, nullptr));
    OK(cuMemsetD2D16Async(p + 32, 8, 0x0a0a, 2, 2, nullptr));
    OK(cuMemsetD2D32Async(p + 48, 8, 0x0b0b0b0b, 1, 2, nullptr));
    OK(cuMemcpyPeerAsync(q, context, p, context, 64, nullptr));
    read(q);
    EXPECT(back[0] == 9 && back[32] == 10 && back[36] == 0 && back[48] == 11 && back[52] == 0);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32(p, 6, 0, 1, 2));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D16Async(p + 1, 8, 0, 1, 2, nullptr));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D8Async(p, 16, 9, 3, 200, nullptr));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeer(q, nullptr, p, context, 64));
    FAILS(CUDA_ERROR_INVALID_CONTEXT, cuMemcpyPeerAsync(q, nullptr, p, context, 64, nullptr));

    CUDA_ARRAY_DESCRIPTOR const row{16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUarray from = nullptr, to = nullptr;
    OK(cuArrayCreate(&from, &row));
    OK(cuArrayCreate(&to, &row));
    unsigned char given[16], taken[16] = {};
    for (unsigned char i = 0; i < 16; ++i) given[i] = static_cast<unsigned char>(i + 1);
    OK(cuMemcpyHtoAAsync(from, 0, given, 16, nullptr));
    OK(cuMemcpyHtoAAsync(to, 0, given, 16, nullptr));
    OK(cuMemcpyAtoA(to, 4, from, 0, 8));
    OK(cuMemcpyAtoHAsync(taken, to, 0, 16, nullptr));
    EXPECT(taken[3] == 4 && taken[4] == 1 && taken[11] == 8 && taken[12] == 13);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoA(to, 10, from, 0, 8));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoHAsync(taken, to, 0, 17, nullptr));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoAAsync(nullptr, 0, given, 16, nullptr));
    OK(cuArrayDestroy(from));
    OK(cuArrayDestroy(to));

    // Words that streams write and wait for.
    OK(cuStreamWriteValue32(nullptr, p, 5, CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cuStreamWriteValue64(nullptr, p + 8, 1ULL << 40, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
    OK(cuStreamWaitValue32(nullptr, p, 4, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuStreamWaitValue32(nullptr, p, 5, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWaitValue64(nullptr, p + 8, 3ULL << 40, CU_STREAM_WAIT_VALUE_AND));
    OK(cuStreamWaitValue64(nullptr, p + 8, 0, CU_STREAM_WAIT_VALUE_NOR));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32(nullptr, p, 6, CU_STREAM_WAIT_VALUE_GEQ));
    FAILS(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue64(nullptr, p + 8, 1, CU_STREAM_WAIT_VALUE_AND));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(nullptr, p + 2, 5, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue64(nullptr, 64, 5, 0));

    CUstream s = nullptr, t = nullptr;
    CUevent event = nullptr;
    OK(cuStreamCreate(&s, 0));
    OK(cuStreamCreate(&t, 0));
    CUlaunchAttributeValue value{}, asked{};
    value.priority = 2;
    OK(cuStreamSetAttribute(s, cudaLaunchAttributePriority, &value));
    OK(cuStreamCopyAttributes(t, s));
    OK(cuStreamGetAttribute(t, cudaLaunchAttributePriority, &asked));
    EXPECT(asked.priority == 2);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamSetAttribute(s, cudaLaunchAttributeCooperative, &value));
    CUdevice device = 7;
    OK(cuStreamGetDevice(s, &device));
    EXPECT(device == 0);
    OK(cuEventCreate(&event, 0));
    OK(cuEventRecordWithFlags(event, s, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuEventRecordWithFlags(event, s, 8));
    OK(cuEventDestroy(event));
    CUdeviceptr shared = 0;
    OK(cuMemAllocManaged(&shared, 64, CU_MEM_ATTACH_GLOBAL));
    OK(cuStreamAttachMemAsync(s, shared, 0, CU_MEM_ATTACH_SINGLE));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(s, p, 0, CU_MEM_ATTACH_SINGLE));
    OK(cuMemFree(shared));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
    OK(cuMemFree(p));
    OK(cuMemFree(q));
}

void add_one(void* n) { ++*static_cast<int*>(n); }
void graphs() {
    CUmodule module = nullptr;
    CUfunction first = nullptr;
    OK(cuModuleLoadData(&module, one));
    OK(cuModuleGetFunction(&first, module, "first"));
    CUdeviceptr p = 0;
    OK(cuMemAlloc(&p, 64));
    OK(cuMemsetD8(p, 0, 64));
    CUgraph graph = nullptr, child = nullptr, asked_graph = nullptr, clone = nullptr;
    OK(cuGraphCreate(&graph, 0));
    CUgraphNode kernel = nullptr, fill = nullptr, copy = nullptr, host = nullptr, record = nullptr,
                wait = nullptr, inner = nullptr, again = nullptr, found = nullptr;
    unsigned n = 31;
    void* arguments[] = {&p, &n};
    CUDA_KERNEL_NODE_PARAMS k{first, 1, 1, 1, 1, 1, 1, 0, arguments, nullptr, nullptr, nullptr}, k_back{};
    CUgraphNodeParams node{};
    node.type = CU_GRAPH_NODE_TYPE_KERNEL;
    node.kernel = k;
    OK(cuGraphAddNode(&kernel, graph, nullptr, 0, &node));
    OK(cuGraphKernelNodeGetParams(kernel, &k_back));
    EXPECT(k_back.func == first && k_back.blockDimX == 1);
    n = 32;
    OK(cuGraphKernelNodeSetParams(kernel, &k));
    CUlaunchAttributeValue priority{}, priority_back{};
    priority.priority = 4;
    OK(cuGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &priority));
    OK(cuGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &priority_back));
    EXPECT(priority_back.priority == 4);
    OK(cuGraphKernelNodeCopyAttributes(kernel, kernel));
    CUDA_MEMSET_NODE_PARAMS f{p + 8, 4, 7, 4, 1, 1}, f_back{};
    OK(cuGraphAddMemsetNode(&fill, graph, &kernel, 1, &f, nullptr));
    OK(cuGraphMemsetNodeGetParams(fill, &f_back));
    EXPECT(f_back.dst == p + 8 && f_back.value == 7);
    f.value = 8;
    OK(cuGraphMemsetNodeSetParams(fill, &f));
    static unsigned result[4];
    CUDA_MEMCPY3D c{}, c_back{};
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = p;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = result;
    c.WidthInBytes = 8;
    c.Height = c.Depth = 1;
    OK(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &c, nullptr));
    OK(cuGraphMemcpyNodeGetParams(copy, &c_back));
    EXPECT(c_back.srcDevice == p && c_back.dstHost == result && c_back.WidthInBytes == 8);
    c.WidthInBytes = 16;
    OK(cuGraphMemcpyNodeSetParams(copy, &c));
    int called = 0;
    CUDA_HOST_NODE_PARAMS h{add_one, &called}, h_back{};
    OK(cuGraphAddHostNode(&host, graph, &copy, 1, &h));
    OK(cuGraphHostNodeGetParams(host, &h_back));
    EXPECT(h_back.userData == &called);
    OK(cuGraphHostNodeSetParams(host, &h));
    CUevent event = nullptr, other = nullptr, asked = nullptr;
    OK(cuEventCreate(&event, 0));
    OK(cuEventCreate(&other, 0));
    OK(cuGraphAddEventRecordNode(&record, graph, &host, 1, event));
    OK(cuGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    OK(cuGraphEventRecordNodeSetEvent(record, other));
    OK(cuGraphEventRecordNodeGetEvent(record, &asked));
    EXPECT(asked == other);
    OK(cuGraphEventWaitNodeSetEvent(wait, other));
    OK(cuGraphEventWaitNodeGetEvent(wait, &asked));
    EXPECT(asked == other);
    OK(cuGraphCreate(&child, 0));
    OK(cuGraphAddHostNode(&again, child, nullptr, 0, &h));
    OK(cuGraphAddChildGraphNode(&inner, graph, nullptr, 0, child));
    OK(cuGraphChildGraphNodeGetGraph(inner, &asked_graph));
    EXPECT(asked_graph != nullptr && asked_graph != child);
    std::size_t count = 8;
    CUgraphNode from[8], to[8];
    OK(cuGraphGetEdges(graph, from, to, &count));
    EXPECT(count == 5 && from[0] == kernel && to[0] == fill);
    count = 8;
    OK(cuGraphNodeGetDependencies(copy, from, &count));
    EXPECT(count == 1 && from[0] == fill);
    count = 8;
    OK(cuGraphNodeGetDependentNodes(copy, to, &count));
    EXPECT(count == 1 && to[0] == host);
    OK(cuGraphClone(&clone, graph));
    OK(cuGraphNodeFindInClone(&found, copy, clone));
    EXPECT(found != copy);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&found, again, clone));

    CUDA_GRAPH_INSTANTIATE_PARAMS how{};
    how.flags = CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    CUgraphExec ready = nullptr;
    OK(cuGraphInstantiateWithParams(&ready, graph, &how));
    EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
    cuuint64_t flags = 0;
    OK(cuGraphExecGetFlags(ready, &flags));
    EXPECT(flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    OK(cuGraphLaunch(ready, nullptr));
    OK(cuCtxSynchronize());
    EXPECT(result[0] == 32 && result[2] == 8 && called == 2);
    n = 33;
    f.value = 9;
    OK(cuGraphExecKernelNodeSetParams(ready, kernel, &k));
    OK(cuGraphExecMemsetNodeSetParams(ready, fill, &f, nullptr));
    c.WidthInBytes = 12;
    OK(cuGraphExecMemcpyNodeSetParams(ready, copy, &c, nullptr));
    OK(cuGraphExecEventRecordNodeSetEvent(ready, record, event));
    OK(cuGraphExecEventWaitNodeSetEvent(ready, wait, event));
    static int elsewhere = 0;
    CUDA_HOST_NODE_PARAMS const h_else{add_one, &elsewhere};
    OK(cuGraphExecHostNodeSetParams(ready, host, &h_else));
    OK(cuGraphExecChildGraphNodeSetParams(ready, inner, child));
    unsigned enabled = 9;
    OK(cuGraphNodeGetEnabled(ready, fill, &enabled));
    EXPECT(enabled == 1);
    OK(cuGraphLaunch(ready, nullptr));
    OK(cuCtxSynchronize());
    EXPECT(result[0] == 33 && result[2] == 9 && called == 3 && elsewhere == 1);
    OK(cuGraphNodeSetEnabled(ready, fill, 0));
    OK(cuMemsetD32(p + 8, 1, 1));
    OK(cuGraphLaunch(ready, nullptr));
    EXPECT(result[2] == 1);
    CUgraphExecUpdateResultInfo told{};
    OK(cuGraphExecUpdate(ready, graph, &told));
    EXPECT(told.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    OK(cuGraphLaunch(ready, nullptr));
    EXPECT(result[0] == 32);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphExecMemsetNodeSetParams(ready, kernel, &f, nullptr));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphMemcpyNodeGetParams(kernel, &c_back));
    OK(cuGraphRemoveDependencies(graph, &record, &wait, 1));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph, &record, &wait, 1));
    OK(cuGraphDestroyNode(wait));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(wait));
    OK(cuGraphDebugDotPrint(graph, "driver.dot", 0));
    FAILS(cudaErrorOperatingSystem, cuGraphDebugDotPrint(graph, "no/such/folder/x.dot", 0));
    OK(cuGraphExecDestroy(ready));

    CUDA_MEM_ALLOC_NODE_PARAMS a{}, a_back{};
    a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    a.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    a.bytesize = 64;
    CUgraphNode alloc = nullptr, release = nullptr;
    CUdeviceptr freed = 0;
    OK(cuGraphAddMemAllocNode(&alloc, child, nullptr, 0, &a));
    OK(cuGraphMemAllocNodeGetParams(alloc, &a_back));
    EXPECT(a.dptr != 0 && a_back.dptr == a.dptr && a_back.bytesize == 64);
    OK(cuGraphAddMemFreeNode(&release, child, &alloc, 1, a.dptr));
    OK(cuGraphMemFreeNodeGetParams(release, &freed));
    EXPECT(freed == a.dptr);
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&release, child, &alloc, 1, 64));
    cuuint64_t reserved = 0, zero = 0;
    OK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved));
    EXPECT(reserved >= 64);
    OK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero));
    OK(cuDeviceGraphMemTrim(0));
    FAILS(CUDA_ERROR_INVALID_DEVICE, cuDeviceGraphMemTrim(1));
    // A body that runs where the word is not 0.
    CUgraphConditionalHandle handle = 0;
    CUgraph whole = nullptr;
    OK(cuGraphCreate(&whole, 0));
    OK(cuGraphConditionalHandleCreate(&handle, whole, nullptr, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNodeParams condition{};
    condition.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    condition.conditional.handle = handle;
    condition.conditional.type = CU_GRAPH_COND_TYPE_IF;
    condition.conditional.size = 1;
    OK(cuGraphAddNode_v2(&found, whole, nullptr, nullptr, 0, &condition));
    OK(cuGraphAddHostNode(&again, condition.conditional.phGraph_out[0], nullptr, 0, &h));
    called = 0;
    OK(cuGraphInstantiateWithFlags(&ready, whole, 0));
    OK(cuGraphLaunch(ready, nullptr));
    EXPECT(called == 1);
    OK(cuGraphExecDestroy(ready));

    CUstream s = nullptr;
    OK(cuStreamCreate(&s, 0));
    CUgraph captured = nullptr, into = nullptr;
    CUstreamCaptureStatus status{};
    CUgraphNode const* last = nullptr;
    cuuint64_t number = 0;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT(mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    OK(cuGraphCreate(&into, 0));
    OK(cuStreamBeginCaptureToGraph(s, into, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, s, arguments, nullptr));
    OK(cuStreamGetCaptureInfo(s, &status, &number, &captured, &last, &count));
    EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && captured == into && count == 1 && number != 0);
    OK(cuGraphKernelNodeGetParams(last[0], &k_back)); // what a capture was made of is kept
    EXPECT(k_back.func == first);
    OK(cuStreamUpdateCaptureDependencies(s, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cuStreamGetCaptureInfo(s, &status, nullptr, nullptr, nullptr, &count));
    EXPECT(count == 0);
    OK(cuStreamEndCapture(s, &captured));
    FAILS(CUDA_ERROR_ILLEGAL_STATE, cuStreamUpdateCaptureDependencies(s, nullptr, 0, 0));
    FAILS(CUDA_ERROR_INVALID_VALUE, cuGraphAddNode(&found, into, nullptr, 0, nullptr));
    for (CUgraph const g : {graph, child, clone, whole, into}) OK(cuGraphDestroy(g));
    for (CUevent const e : {event, other}) OK(cuEventDestroy(e));
    OK(cuStreamDestroy(s));
    OK(cuMemFree(p));
    OK(cuModuleUnload(module));
}

} // namespace

void check_driver() {
    contexts();
    modules();
    memory();
    graphs();
}
