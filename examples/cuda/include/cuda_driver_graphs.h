/* The driver's graphs, as the runtime has them: a part of cuda.h. */
#ifndef WARPKIT_CUDA_DRIVER_GRAPHS_H
#define WARPKIT_CUDA_DRIVER_GRAPHS_H

#define CU_STREAM_CAPTURE_MODE_GLOBAL cudaStreamCaptureModeGlobal
#define CU_STREAM_CAPTURE_MODE_THREAD_LOCAL cudaStreamCaptureModeThreadLocal
#define CU_STREAM_CAPTURE_MODE_RELAXED cudaStreamCaptureModeRelaxed
typedef enum cudaStreamCaptureMode CUstreamCaptureMode;
typedef enum cudaGraphNodeType CUgraphNodeType;
typedef struct cudaHostNodeParams CUDA_HOST_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st {
    CUdeviceptr dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
} CUDA_MEMSET_NODE_PARAMS;
#define CU_GRAPH_NODE_TYPE_KERNEL cudaGraphNodeTypeKernel
#define CU_GRAPH_NODE_TYPE_MEMCPY cudaGraphNodeTypeMemcpy
#define CU_GRAPH_NODE_TYPE_MEMSET cudaGraphNodeTypeMemset
#define CU_GRAPH_NODE_TYPE_HOST cudaGraphNodeTypeHost
#define CU_GRAPH_NODE_TYPE_GRAPH cudaGraphNodeTypeGraph
#define CU_GRAPH_NODE_TYPE_EMPTY cudaGraphNodeTypeEmpty
#define CU_GRAPH_NODE_TYPE_WAIT_EVENT cudaGraphNodeTypeWaitEvent
#define CU_GRAPH_NODE_TYPE_EVENT_RECORD cudaGraphNodeTypeEventRecord
#define CU_GRAPH_NODE_TYPE_MEM_ALLOC cudaGraphNodeTypeMemAlloc
#define CU_GRAPH_NODE_TYPE_MEM_FREE cudaGraphNodeTypeMemFree
#define CU_GRAPH_NODE_TYPE_CONDITIONAL cudaGraphNodeTypeConditional
#define CU_STREAM_ADD_CAPTURE_DEPENDENCIES cudaStreamAddCaptureDependencies
#define CU_STREAM_SET_CAPTURE_DEPENDENCIES cudaStreamSetCaptureDependencies
#define CU_USER_OBJECT_NO_DESTRUCTOR_SYNC cudaUserObjectNoDestructorSync
#define CU_GRAPH_USER_OBJECT_MOVE cudaGraphUserObjectMove
#define CU_GRAPH_COND_ASSIGN_DEFAULT cudaGraphCondAssignDefault
#define CU_GRAPH_COND_TYPE_IF cudaGraphCondTypeIf
#define CU_GRAPH_COND_TYPE_WHILE cudaGraphCondTypeWhile
#define CU_GRAPH_COND_TYPE_SWITCH cudaGraphCondTypeSwitch
#define CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT cudaGraphMemAttrUsedMemCurrent
#define CU_GRAPH_MEM_ATTR_USED_MEM_HIGH cudaGraphMemAttrUsedMemHigh
#define CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT cudaGraphMemAttrReservedMemCurrent
#define CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH cudaGraphMemAttrReservedMemHigh
#define CU_GRAPH_EXEC_UPDATE_SUCCESS cudaGraphExecUpdateSuccess
#define CU_GRAPH_EXEC_UPDATE_ERROR cudaGraphExecUpdateError
#define CUDA_GRAPH_INSTANTIATE_SUCCESS cudaGraphInstantiateSuccess
#define CUDA_GRAPH_INSTANTIATE_ERROR cudaGraphInstantiateError
#define CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH cudaGraphInstantiateFlagAutoFreeOnLaunch
#define CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD cudaGraphInstantiateFlagUpload
#define CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH cudaGraphInstantiateFlagDeviceLaunch
#define CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY cudaGraphInstantiateFlagUseNodePriority
typedef cudaGraphEdgeData CUgraphEdgeData;
typedef cudaGraphExecUpdateResultInfo CUgraphExecUpdateResultInfo;
typedef enum cudaGraphExecUpdateResult CUgraphExecUpdateResult;
typedef enum cudaGraphInstantiateResult CUgraphInstantiateResult;
typedef enum cudaGraphConditionalNodeType CUgraphConditionalNodeType;
typedef enum cudaGraphMemAttributeType CUgraphMem_attribute;
typedef struct CUuserObject_st* CUuserObject;
typedef cuuint64_t CUgraphConditionalHandle;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
    cuuint64_t flags;
    CUstream hUploadStream;
    CUgraphNode hErrNode_out;
    CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_st {
    CUmemPoolProps poolProps;
    CUmemAccessDesc const* accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;
/* What CUgraphNodeParams has of each kind of node. */
typedef struct CUDA_MEMCPY_NODE_PARAMS_st {
    int flags;
    int reserved;
    CUcontext copyCtx;
    CUDA_MEMCPY3D copyParams;
} CUDA_MEMCPY_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_v2_st {
    CUdeviceptr dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
    CUcontext ctx;
} CUDA_MEMSET_NODE_PARAMS_v2;
typedef struct CUDA_CHILD_GRAPH_NODE_PARAMS_st {
    CUgraph graph;
} CUDA_CHILD_GRAPH_NODE_PARAMS;
typedef struct CUDA_EVENT_NODE_PARAMS_st {
    CUevent event;
} CUDA_EVENT_RECORD_NODE_PARAMS;
typedef CUDA_EVENT_RECORD_NODE_PARAMS CUDA_EVENT_WAIT_NODE_PARAMS;
typedef struct CUDA_MEM_FREE_NODE_PARAMS_st {
    CUdeviceptr dptr;
} CUDA_MEM_FREE_NODE_PARAMS;
typedef struct CUDA_CONDITIONAL_NODE_PARAMS_st {
    CUgraphConditionalHandle handle;
    CUgraphConditionalNodeType type;
    unsigned int size;
    CUgraph* phGraph_out;
    CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;
typedef struct CUgraphNodeParams_st {
    CUgraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        CUDA_KERNEL_NODE_PARAMS kernel;
        CUDA_MEMCPY_NODE_PARAMS memcpy;
        CUDA_MEMSET_NODE_PARAMS_v2 memset;
        CUDA_HOST_NODE_PARAMS host;
        CUDA_CHILD_GRAPH_NODE_PARAMS graph;
        CUDA_EVENT_WAIT_NODE_PARAMS eventWait;
        CUDA_EVENT_RECORD_NODE_PARAMS eventRecord;
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        CUDA_MEM_FREE_NODE_PARAMS free;
        CUDA_CONDITIONAL_NODE_PARAMS conditional;
    };
    long long reserved2;
} CUgraphNodeParams;

#if defined(__cplusplus)
extern "C" {
#endif
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph);
CUresult cuGraphCreate(CUgraph* graph, unsigned int flags);
CUresult cuGraphDestroy(CUgraph graph);
CUresult cuGraphClone(CUgraph* clone, CUgraph graph);
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* count);
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* count);
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type);
CUresult cuGraphAddDependencies(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to, size_t count);
CUresult cuGraphAddEmptyNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count);
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                                  CUgraph child);
CUresult cuGraphAddHostNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                            CUDA_HOST_NODE_PARAMS const* parameters);
CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                              CUDA_MEMSET_NODE_PARAMS const* parameters, CUcontext context);
CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags);
CUresult cuGraphUpload(CUgraphExec executable, CUstream stream);
CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream);
CUresult cuGraphExecDestroy(CUgraphExec executable);
#define cuGraphInstantiate cuGraphInstantiateWithFlags /* as CUDA 12 has it */
CUresult cuGraphAddKernelNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                              CUDA_KERNEL_NODE_PARAMS const* parameters);
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue const* value);
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                       CUkernelNodeAttrValue* value);
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from);
CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* number,
                                CUgraph* graph, CUgraphNode const** after, size_t* count);
CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* after, size_t count,
                                           unsigned int flags);
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* after,
                                              CUgraphEdgeData const* edges, size_t count, unsigned int flags);
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, CUgraphNode const* after,
                                     CUgraphEdgeData const* edges, size_t count, CUstreamCaptureMode mode);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode);
CUresult cuGraphAddMemcpyNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                              CUDA_MEMCPY3D const* parameters, CUcontext context);
CUresult cuGraphAddEventRecordNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                                   CUevent event);
CUresult cuGraphAddEventWaitNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                                 CUevent event);
CUresult cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* parameters);
CUresult cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                               CUdeviceptr address);
CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, CUgraphNode const* after, size_t count,
                        CUgraphNodeParams* parameters);
CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, CUgraphNode const* after,
                           CUgraphEdgeData const* edges, size_t count, CUgraphNodeParams* parameters);
CUresult cuGraphDestroyNode(CUgraphNode node);
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count);
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, size_t* count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, size_t* count);
CUresult cuGraphRemoveDependencies(CUgraph graph, CUgraphNode const* from, CUgraphNode const* to,
                                   size_t count);
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* parameters);
CUresult cuGraphKernelNodeSetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS const* parameters);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D* parameters);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, CUDA_MEMCPY3D const* parameters);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* parameters);
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS const* parameters);
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS* parameters);
CUresult cuGraphHostNodeSetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS const* parameters);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph* graph);
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent* event);
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent* event);
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* parameters);
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr* address);
CUresult cuGraphNodeFindInClone(CUgraphNode* node, CUgraphNode original, CUgraph clone);
CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned int enabled);
CUresult cuGraphNodeGetEnabled(CUgraphExec executable, CUgraphNode node, unsigned int* enabled);
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph graph, CUcontext context,
                                        unsigned int value, unsigned int flags);
CUresult cuGraphDebugDotPrint(CUgraph graph, char const* path, unsigned int flags);
CUresult cuGraphInstantiateWithParams(CUgraphExec* executable, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* parameters);
CUresult cuGraphExecGetFlags(CUgraphExec executable, cuuint64_t* flags);
CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphExecUpdateResultInfo* result);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        CUDA_KERNEL_NODE_PARAMS const* parameters);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        CUDA_MEMCPY3D const* parameters, CUcontext context);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                        CUDA_MEMSET_NODE_PARAMS const* parameters, CUcontext context);
CUresult cuGraphExecHostNodeSetParams(CUgraphExec executable, CUgraphNode node,
                                      CUDA_HOST_NODE_PARAMS const* parameters);
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec executable, CUgraphNode node, CUgraph child);
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event);
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec executable, CUgraphNode node, CUevent event);
CUresult cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy, unsigned int count,
                            unsigned int flags);
CUresult cuUserObjectRetain(CUuserObject object, unsigned int count);
CUresult cuUserObjectRelease(CUuserObject object, unsigned int count);
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags);
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned int count);
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value);
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value);
CUresult cuDeviceGraphMemTrim(CUdevice device);
#if defined(__cplusplus)
}
#endif

#endif
