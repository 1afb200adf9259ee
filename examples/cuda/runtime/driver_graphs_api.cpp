// The driver's graphs and captures: the runtime's in other words.
#include "driver_modules.hpp"
#include "graphs.hpp"

#include <cstring>

using namespace warpkit::cuda;

namespace {

// In the runtime's words; a kernel's arguments in one buffer are refused there.
cudaKernelNodeParams kernel_of(CUDA_KERNEL_NODE_PARAMS const& p) {
    cudaKernelNodeParams q{};
    q.func = p.func != nullptr ? static_cast<void*>(p.func) : p.kern;
    q.gridDim = {p.gridDimX, p.gridDimY, p.gridDimZ};
    q.blockDim = {p.blockDimX, p.blockDimY, p.blockDimZ};
    q.sharedMemBytes = p.sharedMemBytes;
    q.kernelParams = p.kernelParams;
    q.extra = p.extra;
    return q;
}
template <class Params>
cudaMemsetParams fill_of(Params const& p) {
    return {pointer(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
}
// What a function of the runtime says of a copy, whose description is checked first.
template <class Then>
CUresult with_box(char const* name, CUDA_MEMCPY3D const* what, Then const& then) {
    cudaMemcpy3DParms p{};
    auto const e = call(name, [&](session&) {
        require(what, "the parameters");
        p = parameters_of(*what);
    });
    return e != cudaSuccess ? result(e) : result(then(&p));
}
template <class To, class From>
To same_layout(From const& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to{};
    std::memcpy(&to, &from, sizeof to);
    return to;
}

} // namespace

extern "C" {

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    return result(cudaStreamBeginCapture(stream, mode));
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
    return result(cudaStreamEndCapture(stream, graph));
}
CUresult cuGraphCreate(CUgraph* graph, unsigned flags) { return result(cudaGraphCreate(graph, flags)); }
CUresult cuGraphDestroy(CUgraph graph) { return result(cudaGraphDestroy(graph)); }
CUresult cuGraphClone(CUgraph* clone, CUgraph graph) { return result(cudaGraphClone(clone, graph)); }
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    return result(cudaGraphGetNodes(graph, nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
    return result(cudaGraphGetRootNodes(graph, nodes, count));
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
    return result(cudaGraphNodeGetType(node, type));
}
CUresult cuGraphAddDependencies(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                std::size_t count) {
    return result(cudaGraphAddDependencies(graph, from, to, count));
}
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count) {
    return result(cudaGraphAddEmptyNode(node, graph, after, count));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after,
                                  std::size_t count, CUgraph child) {
    return result(cudaGraphAddChildGraphNode(node, graph, after, count, child));
}
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                            CUDA_HOST_NODE_PARAMS const* p) {
    return result(cudaGraphAddHostNode(node, graph, after, count, p));
}
CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                              CUDA_MEMSET_NODE_PARAMS const* p, CUcontext) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaMemsetParams const q{pointer(p->dst), p->pitch, p->value, p->elementSize, p->width, p->height};
    return result(cudaGraphAddMemsetNode(node, graph, after, count, &q));
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
    return result(cudaGraphInstantiateWithFlags(executable, graph, flags));
}
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
    return result(cudaGraphUpload(executable, stream));
}
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
    return result(cudaGraphLaunch(executable, stream));
}
CUresult cuGraphExecDestroy(CUgraphExec executable) { return result(cudaGraphExecDestroy(executable)); }
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        CUDA_KERNEL_NODE_PARAMS const* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const q = kernel_of(*p);
    return result(cudaGraphExecKernelNodeSetParams(executable, node, &q));
}
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                              CUDA_KERNEL_NODE_PARAMS const* p) {
    if (p == nullptr || p->extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const q = kernel_of(*p);
    return result(cudaGraphAddKernelNode(node, graph, after, count, &q));
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS const* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const q = kernel_of(*p);
    return result(cudaGraphKernelNodeSetParams(node, &q));
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaKernelNodeParams q{};
    auto const e = cudaGraphKernelNodeGetParams(node, &q);
    if (e != cudaSuccess) return result(e);
    *p = {static_cast<CUfunction>(q.func),
          q.gridDim.x,
          q.gridDim.y,
          q.gridDim.z,
          q.blockDim.x,
          q.blockDim.y,
          q.blockDim.z,
          q.sharedMemBytes,
          q.kernelParams,
          q.extra,
          nullptr,
          &the_context};
    return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue const* value) {
    if (attribute == cudaLaunchAttributeIgnore) return CUDA_SUCCESS;
    return result(cudaGraphKernelNodeSetAttribute(node, attribute, value));
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue* value) {
    return result(cudaGraphKernelNodeGetAttribute(node, attribute, value));
}
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    return result(cudaGraphKernelNodeCopyAttributes(to, from));
}
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* number,
                                CUgraph* graph, CUgraphNode const** after, std::size_t* count) {
    static_assert(sizeof(cuuint64_t) == sizeof(unsigned long long));
    return result(cudaStreamGetCaptureInfo_v2(stream, reinterpret_cast<cudaStreamCaptureStatus*>(status),
                                              reinterpret_cast<unsigned long long*>(number), graph, after,
                                              count));
}
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* after, std::size_t count,
                                           unsigned flags) {
    return result(cudaStreamUpdateCaptureDependencies(stream, after, count, flags));
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* after,
                                              CUgraphEdgeData const* edges, std::size_t count,
                                              unsigned flags) {
    auto const e = warpkit_cuda_check_edges(edges, count);
    return e != cudaSuccess ? result(e) : cuStreamUpdateCaptureDependencies(stream, after, count, flags);
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, CUgraphNode const* after,
                                     CUgraphEdgeData const* edges, std::size_t count,
                                     CUstreamCaptureMode mode) {
    return result(cudaStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode));
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    return result(cudaThreadExchangeStreamCaptureMode(mode));
}
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                              CUDA_MEMCPY3D const* p, CUcontext) {
    return with_box("cuGraphAddMemcpyNode", p, [&](cudaMemcpy3DParms const* q) {
        return cudaGraphAddMemcpyNode(node, graph, after, count, q);
    });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, CUDA_MEMCPY3D const* p) {
    return with_box("cuGraphMemcpyNodeSetParams", p,
                    [&](cudaMemcpy3DParms const* q) { return cudaGraphMemcpyNodeSetParams(node, q); });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaMemcpy3DParms q{};
    auto const e = cudaGraphMemcpyNodeGetParams(node, &q);
    if (e == cudaSuccess) *p = description_of(q);
    return result(e);
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node, CUDA_MEMCPY3D const* p,
                                        CUcontext) {
    return with_box("cuGraphExecMemcpyNodeSetParams", p, [&](cudaMemcpy3DParms const* q) {
        return cudaGraphExecMemcpyNodeSetParams(executable, node, q);
    });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaMemsetParams q{};
    auto const e = cudaGraphMemsetNodeGetParams(node, &q);
    if (e == cudaSuccess) *p = {address(q.dst), q.pitch, q.value, q.elementSize, q.width, q.height};
    return result(e);
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS const* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const q = fill_of(*p);
    return result(cudaGraphMemsetNodeSetParams(node, &q));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        CUDA_MEMSET_NODE_PARAMS const* p, CUcontext) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const q = fill_of(*p);
    return result(cudaGraphExecMemsetNodeSetParams(executable, node, &q));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* p) {
    return result(cudaGraphHostNodeGetParams(node, p));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS const* p) {
    return result(cudaGraphHostNodeSetParams(node, p));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                      CUDA_HOST_NODE_PARAMS const* p) {
    return result(cudaGraphExecHostNodeSetParams(executable, node, p));
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph) {
    return result(cudaGraphChildGraphNodeGetGraph(node, graph));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child) {
    return result(cudaGraphExecChildGraphNodeSetParams(executable, node, child));
}
CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after,
                                   std::size_t count, CUevent event) {
    return result(cudaGraphAddEventRecordNode(node, graph, after, count, event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after,
                                 std::size_t count, CUevent event) {
    return result(cudaGraphAddEventWaitNode(node, graph, after, count, event));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event) {
    return result(cudaGraphEventRecordNodeGetEvent(node, event));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
    return result(cudaGraphEventRecordNodeSetEvent(node, event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event) {
    return result(cudaGraphEventWaitNodeGetEvent(node, event));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
    return result(cudaGraphEventWaitNodeSetEvent(node, event));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event) {
    return result(cudaGraphExecEventRecordNodeSetEvent(executable, node, event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event) {
    return result(cudaGraphExecEventWaitNodeSetEvent(executable, node, event));
}
CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto q = same_layout<cudaMemAllocNodeParams>(*p);
    auto const e = cudaGraphAddMemAllocNode(node, graph, after, count, &q);
    if (e == cudaSuccess) p->dptr = address(q.dptr);
    return result(e);
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    cudaMemAllocNodeParams q{};
    auto const e = cudaGraphMemAllocNodeGetParams(node, &q);
    if (e == cudaSuccess) *p = same_layout<CUDA_MEM_ALLOC_NODE_PARAMS>(q);
    return result(e);
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                               CUdeviceptr p) {
    return result(cudaGraphAddMemFreeNode(node, graph, after, count, pointer(p)));
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* p) {
    return result(cudaGraphMemFreeNodeGetParams(node, p));
}
// In the runtime's words, by whose function it is added.
CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, CUgraphNode const* after,
                           CUgraphEdgeData const* edges, std::size_t count, CUgraphNodeParams* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (auto const e = warpkit_cuda_check_edges(edges, count); e != cudaSuccess) return result(e);
    cudaGraphNodeParams q{};
    q.type = p->type;
    switch (p->type) {
    case cudaGraphNodeTypeKernel:
        return cuGraphAddKernelNode(node, graph, after, count, &p->kernel);
    case cudaGraphNodeTypeMemcpy:
        return cuGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams, p->memcpy.copyCtx);
    case cudaGraphNodeTypeMemset:
        q.memset = fill_of(p->memset);
        break;
    case cudaGraphNodeTypeHost:
        q.host = p->host;
        break;
    case cudaGraphNodeTypeGraph:
        q.graph.graph = p->graph.graph;
        break;
    case cudaGraphNodeTypeEventRecord:
        q.eventRecord.event = p->eventRecord.event;
        break;
    case cudaGraphNodeTypeWaitEvent:
        q.eventWait.event = p->eventWait.event;
        break;
    case cudaGraphNodeTypeMemAlloc:
        return cuGraphAddMemAllocNode(node, graph, after, count, &p->alloc);
    case cudaGraphNodeTypeMemFree:
        q.free.dptr = pointer(p->free.dptr);
        break;
    case cudaGraphNodeTypeConditional: {
        q.conditional = {p->conditional.handle, p->conditional.type, p->conditional.size, nullptr};
        auto const e = cudaGraphAddNode(node, graph, after, nullptr, count, &q);
        if (e == cudaSuccess) p->conditional.phGraph_out = q.conditional.phGraph_out;
        return result(e);
    }
    default: // one of no content, or refused there
        break;
    }
    return result(cudaGraphAddNode(node, graph, after, nullptr, count, &q));
}
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, std::size_t count,
                        CUgraphNodeParams* p) {
    return cuGraphAddNode_v2(node, graph, after, nullptr, count, p);
}
CUresult cuGraphDestroyNode(CUgraphNode node) { return result(cudaGraphDestroyNode(node)); }
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
    return result(cudaGraphGetEdges(graph, from, to, count));
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
    return result(cudaGraphNodeGetDependencies(node, nodes, count));
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, std::size_t* count) {
    return result(cudaGraphNodeGetDependentNodes(node, nodes, count));
}
CUresult cuGraphRemoveDependencies(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                   std::size_t count) {
    return result(cudaGraphRemoveDependencies(graph, from, to, count));
}
CUresult cuGraphNodeFindInClone(CUgraphNode* node, CUgraphNode original, CUgraph clone) {
    return result(cudaGraphNodeFindInClone(node, original, clone));
}
CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled) {
    return result(cudaGraphNodeSetEnabled(executable, node, enabled));
}
CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned* enabled) {
    return result(cudaGraphNodeGetEnabled(executable, node, enabled));
}
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph, CUcontext,
                                        unsigned value, unsigned flags) {
    return result(cudaGraphConditionalHandleCreate(reinterpret_cast<cudaGraphConditionalHandle*>(handle),
                                                   graph, value, flags));
}
CUresult cuGraphDebugDotPrint(CUgraph graph, char const* path, unsigned flags) {
    return result(cudaGraphDebugDotPrint(graph, path, flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* p) {
    if (p == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto q = same_layout<cudaGraphInstantiateParams>(*p);
    auto const e = cudaGraphInstantiateWithParams(executable, graph, &q);
    *p = same_layout<CUDA_GRAPH_INSTANTIATE_PARAMS>(q);
    return result(e);
}
CUresult cuGraphExecGetFlags(CUgraphExec executable, cuuint64_t* flags) {
    return result(cudaGraphExecGetFlags(executable, reinterpret_cast<unsigned long long*>(flags)));
}
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo* told) {
    int same = 0;
    auto const e = warpkit_cuda_update_graph(executable, graph, &same);
    if (told != nullptr)
        *told = {same != 0 ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateError, nullptr, nullptr};
    return result(e);
}
CUresult cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy, unsigned count,
                            unsigned flags) {
    return result(cudaUserObjectCreate(object, data, destroy, count, flags));
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
    return result(cudaUserObjectRetain(object, count));
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
    return result(cudaUserObjectRelease(object, count));
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
    return result(cudaGraphRetainUserObject(graph, object, count, flags));
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
    return result(cudaGraphReleaseUserObject(graph, object, count));
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
    return result(cudaDeviceGetGraphMemAttribute(device, attribute, value));
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
    return result(cudaDeviceSetGraphMemAttribute(device, attribute, value));
}
CUresult cuDeviceGraphMemTrim(CUdevice device) { return result(cudaDeviceGraphMemTrim(device)); }

} // extern "C"
