// Graphs: what nodes say of themselves and of each other, what can be changed in them, captures that others look into,
// and nodes that run by a condition.
#include <cstdio>
#include <cstring>
#include <cuda.h>

static bool good = true;
#define EXPECT(what)                                                                                         \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            std::printf("FAILED in line %d: %s\n", __LINE__, #what);                                         \
            good = false;                                                                                    \
        }                                                                                                    \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

__global__ void add(int* p, int n) { *p += n; }
__global__ void set_if(int* p, cudaGraphConditionalHandle handle, int at_least) {
    cudaGraphSetConditional(handle, *p >= at_least ? 1 : 0);
}
__global__ void count_down(int* p, cudaGraphConditionalHandle handle) {
    if (--*p == 0) cudaGraphSetConditional(handle, 0);
}
__global__ void choose(int* p, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *p); }

static void shape(cudaGraphNodeParams& p, void* function, void** arguments) {
    p.kernel.func = function;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = arguments;
}
static void host_adds(void* p) { *static_cast<int*>(p) += 1000; }

// A chain of a fill, two kernels, a copy and the host, made by hand.
static void nodes(int* p) {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t clear, one, two, back, host;
    int result = 0, first = 1, second = 20, called = 0;
    cudaMemsetParams const zero{p, 4, 0, 4, 1, 1};
    OK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero));
    void* arguments[] = {&p, &first};
    cudaKernelNodeParams kernel{reinterpret_cast<void*>(add), dim3(1), dim3(1), 0, arguments, nullptr};
    OK(cudaGraphAddKernelNode(&one, graph, &clear, 1, &kernel));
    arguments[1] = &second;
    OK(cudaGraphAddKernelNode(&two, graph, &one, 1, &kernel));
    OK(cudaGraphAddMemcpyNode1D(&back, graph, &two, 1, &result, p, 4, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call{host_adds, &called};
    OK(cudaGraphAddHostNode(&host, graph, &back, 1, &call));

    size_t count = 0;
    OK(cudaGraphGetRootNodes(graph, nullptr, &count));
    EXPECT(count == 1);
    cudaGraphNode_t list[8], to[8];
    count = 8;
    OK(cudaGraphGetRootNodes(graph, list, &count));
    EXPECT(count == 1 && list[0] == clear && list[1] == nullptr);
    count = 8;
    OK(cudaGraphGetEdges(graph, list, to, &count));
    EXPECT(count == 4 && list[0] == clear && to[0] == one && list[3] == back && to[3] == host);
    count = 8;
    OK(cudaGraphNodeGetDependencies(two, list, &count));
    EXPECT(count == 1 && list[0] == one);
    count = 8;
    OK(cudaGraphNodeGetDependentNodes(two, list, &count));
    EXPECT(count == 1 && list[0] == back);
    OK(cudaGraphDebugDotPrint(graph, "graph.dot", cudaGraphDebugDotFlagsVerbose));

    cudaKernelNodeParams known{};
    OK(cudaGraphKernelNodeGetParams(two, &known));
    EXPECT(known.func == kernel.func && known.blockDim.x == 1);
    EXPECT(*static_cast<int*>(known.kernelParams[1]) == 20 &&
           *static_cast<int**>(known.kernelParams[0]) == p);
    EXPECT(cudaGraphKernelNodeGetParams(back, &known) == cudaErrorInvalidValue);
    cudaMemsetParams fill{};
    OK(cudaGraphMemsetNodeGetParams(clear, &fill));
    EXPECT(fill.dst == p && fill.width == 1);
    fill.value = 300;
    cudaGraphExec_t run;
    OK(cudaGraphInstantiate(&run, graph));
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result == 21 && called == 1000);
    OK(cudaGraphExecMemsetNodeSetParams(run, clear, &fill)); // of this one alone
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result == 321);
    OK(cudaGraphNodeSetEnabled(run, one, 0));
    unsigned enabled = 1;
    OK(cudaGraphNodeGetEnabled(run, one, &enabled));
    EXPECT(enabled == 0);
    EXPECT(cudaGraphNodeSetEnabled(run, host, 0) == cudaErrorInvalidValue);
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result == 320);
    int other = 0;
    OK(cudaGraphExecMemcpyNodeSetParams1D(run, back, &other, p, 4, cudaMemcpyDeviceToHost));
    call.userData = &other;
    OK(cudaGraphExecHostNodeSetParams(run, host, &call));
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result == 320 && other == 1320);
    OK(cudaGraphExecDestroy(run));

    // The graph itself is as it was; now it changes.
    *static_cast<int*>(known.kernelParams[1]) = 30;
    OK(cudaGraphKernelNodeSetParams(two, &known));
    OK(cudaGraphMemsetNodeSetParams(clear, &fill));
    OK(cudaGraphRemoveDependencies(graph, &back, &host, 1));
    EXPECT(cudaGraphRemoveDependencies(graph, &back, &host, 1) == cudaErrorInvalidValue);
    OK(cudaGraphDestroyNode(host));
    EXPECT(cudaGraphHostNodeGetParams(host, &call) == cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&run, graph));
    OK(cudaGraphLaunch(run, nullptr));
    EXPECT(result == 331 && called == 3000);
    OK(cudaGraphExecDestroy(run));

    // In another graph, between two events.
    cudaGraph_t around, child;
    OK(cudaGraphCreate(&around, 0));
    cudaEvent_t began, ended, event;
    OK(cudaEventCreate(&began));
    OK(cudaEventCreate(&ended));
    cudaGraphNode_t begin, middle, end;
    OK(cudaGraphAddEventRecordNode(&begin, around, nullptr, 0, began));
    OK(cudaGraphAddChildGraphNode(&middle, around, &begin, 1, graph));
    OK(cudaGraphAddEventRecordNode(&end, around, &middle, 1, ended));
    OK(cudaGraphEventRecordNodeGetEvent(end, &event));
    EXPECT(event == ended);
    OK(cudaGraphChildGraphNodeGetGraph(middle, &child));
    count = 0;
    OK(cudaGraphGetNodes(child, nullptr, &count));
    EXPECT(count == 4);
    result = 0;
    OK(cudaGraphInstantiate(&run, around));
    OK(cudaGraphLaunch(run, nullptr));
    OK(cudaDeviceSynchronize());
    float milliseconds = -1;
    OK(cudaEventElapsedTime(&milliseconds, began, ended));
    EXPECT(result == 331 && milliseconds >= 0);
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(around));
    OK(cudaGraphDestroy(graph));
}

// A capture that is looked into, and one that goes on in a graph.
static void captures(int* p) {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaStreamCaptureStatus status;
    cudaGraph_t graph = nullptr, same = nullptr;
    cudaGraphNode_t const* after = nullptr;
    size_t count = 9;
    unsigned long long number = 0;
    OK(cudaStreamGetCaptureInfo(stream, &status, &number));
    EXPECT(status == cudaStreamCaptureStatusNone);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(p, 0, 4, stream));
    add<<<1, 1, 0, stream>>>(p, 2);
    OK(cudaStreamGetCaptureInfo(stream, &status, &number, &graph, &after, &count));
    EXPECT(status == cudaStreamCaptureStatusActive && number != 0 && count == 1);
    // A node by hand behind what was captured, and the capture goes on behind it.
    cudaGraphNodeParams more = {cudaGraphNodeTypeKernel};
    int n = 3;
    void* arguments[] = {&p, &n};
    shape(more, reinterpret_cast<void*>(add), arguments);
    cudaGraphNode_t node;
    // Data of edges let a kernel begin sooner, which it need not.
    cudaGraphEdgeData edge = {};
    edge.from_port = 7;
    EXPECT(cudaGraphAddNode(&node, graph, after, &edge, count, &more) == cudaErrorInvalidValue);
    EXPECT(cudaGraphAddDependencies(graph, after, after, &edge, 1) == cudaErrorInvalidValue);
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    OK(cudaGraphAddNode(&node, graph, after, &edge, count, &more));
    OK(cudaStreamUpdateCaptureDependencies(stream, &node, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, stream>>>(p, 4);
    OK(cudaStreamEndCapture(stream, &same));
    EXPECT(same == graph);
    // More, into the same graph, behind its last node.
    cudaGraphNode_t all[8];
    count = 8;
    OK(cudaGraphGetNodes(graph, all, &count));
    EXPECT(count == 4);
    OK(cudaStreamBeginCaptureToGraph(stream, graph, &all[3], nullptr, 1, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(p, 5);
    OK(cudaStreamEndCapture(stream, nullptr));
    cudaGraphExec_t run;
    OK(cudaGraphInstantiate(&run, graph));
    OK(cudaGraphLaunch(run, stream));
    int result = 0;
    OK(cudaMemcpy(&result, p, 4, cudaMemcpyDeviceToHost));
    EXPECT(result == 14);
    cudaKernelNodeParams known{};
    OK(cudaGraphKernelNodeGetParams(all[1], &known)); // of one that was captured
    EXPECT(*static_cast<int*>(known.kernelParams[1]) == 2);
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

// The same by the driver's API.
static void by_the_driver(int* p) {
    CUgraph graph, copy;
    CUgraphExec run;
    CUgraphNode clear, host, empty;
    int called = 0;
    EXPECT(cuGraphCreate(&graph, 0) == CUDA_SUCCESS);
    CUDA_MEMSET_NODE_PARAMS const nines{reinterpret_cast<CUdeviceptr>(p), 4, 9, 1, 4, 1};
    EXPECT(cuGraphAddMemsetNode(&clear, graph, nullptr, 0, &nines, nullptr) == CUDA_SUCCESS);
    CUDA_HOST_NODE_PARAMS const call{host_adds, &called};
    EXPECT(cuGraphAddHostNode(&host, graph, &clear, 1, &call) == CUDA_SUCCESS);
    EXPECT(cuGraphAddEmptyNode(&empty, graph, nullptr, 0) == CUDA_SUCCESS);
    EXPECT(cuGraphAddDependencies(graph, &host, &empty, 1) == CUDA_SUCCESS);
    size_t count = 0;
    EXPECT(cuGraphGetRootNodes(graph, nullptr, &count) == CUDA_SUCCESS && count == 1);
    EXPECT(cuGraphClone(&copy, graph) == CUDA_SUCCESS);
    EXPECT(cuGraphInstantiate(&run, copy, 0) == CUDA_SUCCESS);
    EXPECT(cuGraphLaunch(run, nullptr) == CUDA_SUCCESS);
    int result = 0;
    OK(cudaMemcpy(&result, p, 4, cudaMemcpyDeviceToHost));
    EXPECT(result == 0x09090909 && called == 1000);
    EXPECT(cuGraphExecDestroy(run) == CUDA_SUCCESS);
    EXPECT(cuGraphDestroy(copy) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS);
    EXPECT(cuGraphDestroy(graph) == CUDA_ERROR_INVALID_VALUE);
}

static void kernel_in(cudaGraph_t graph, cudaGraphNode_t* node, cudaGraphNode_t const* after, void* function,
                      void** arguments) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
    shape(p, function, arguments);
    OK(cudaGraphAddNode(node, graph, after, after == nullptr ? 0 : 1, &p));
}
static cudaGraph_t* condition(cudaGraph_t graph, cudaGraphNode_t const* after,
                              cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                              unsigned bodies) {
    cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = bodies;
    cudaGraphNode_t node;
    OK(cudaGraphAddNode(&node, graph, after, after == nullptr ? 0 : 1, &p));
    return p.conditional.phGraph_out;
}
static int launched(cudaGraphExec_t run, int* p, int value) {
    OK(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(run, nullptr));
    OK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
}
static void conditions(int* p) {
    cudaGraph_t graph;
    cudaGraphExec_t run;
    cudaGraphNode_t node, inner;
    cudaGraphConditionalHandle handle;
    int limit = 5, ten = 10, hundred = 100, thousand = 1000;
    void* ask[] = {&p, &handle, &limit};
    void* tens[] = {&p, &ten};
    void* hundreds[] = {&p, &hundred};
    void* thousands[] = {&p, &thousand};
    auto* const adds = reinterpret_cast<void*>(add);

    // If and else.
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph));
    kernel_in(graph, &node, nullptr, reinterpret_cast<void*>(set_if), ask);
    auto* bodies = condition(graph, &node, handle, cudaGraphCondTypeIf, 2);
    kernel_in(bodies[0], &inner, nullptr, adds, tens);
    kernel_in(bodies[1], &inner, nullptr, adds, hundreds);
    OK(cudaGraphInstantiate(&run, graph));
    EXPECT(launched(run, p, 7) == 17);
    EXPECT(launched(run, p, 4) == 104);
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(graph));

    // While: at least once, since the default is 1 at each launch.
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    bodies = condition(graph, nullptr, handle, cudaGraphCondTypeWhile, 1);
    kernel_in(bodies[0], &inner, nullptr, reinterpret_cast<void*>(count_down), ask);
    OK(cudaGraphInstantiate(&run, graph));
    EXPECT(launched(run, p, 6) == 0);
    EXPECT(launched(run, p, 1) == 0);
    OK(cudaGraphExecDestroy(run));
    OK(cudaGraphDestroy(graph));

    // Switch: none where there is none of that number.
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph));
    kernel_in(graph, &node, nullptr, reinterpret_cast<void*>(choose), ask);
    bodies = condition(graph, &node, handle, cudaGraphCondTypeSwitch, 3);
    kernel_in(bodies[0], &inner, nullptr, adds, tens);
    kernel_in(bodies[1], &inner, nullptr, adds, hundreds);
    kernel_in(bodies[2], &inner, nullptr, adds, thousands);
    OK(cudaGraphInstantiate(&run, graph));
    EXPECT(launched(run, p, 0) == 10);
    EXPECT(launched(run, p, 1) == 101);
    EXPECT(launched(run, p, 2) == 1002);
    EXPECT(launched(run, p, 3) == 3);
    OK(cudaGraphExecDestroy(run));

    cudaGraphNodeParams wrong = {cudaGraphNodeTypeConditional};
    wrong.conditional.handle = handle;
    wrong.conditional.type = cudaGraphCondTypeWhile;
    wrong.conditional.size = 2;
    EXPECT(cudaGraphAddNode(&node, graph, nullptr, 0, &wrong) == cudaErrorInvalidValue);
    wrong.conditional.size = 1;
    wrong.conditional.handle = 5;
    EXPECT(cudaGraphAddNode(&node, graph, nullptr, 0, &wrong) == cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
}

int main() {
    int* p = nullptr;
    OK(cudaMalloc(&p, 64));
    nodes(p);
    captures(p);
    by_the_driver(p);
    conditions(p);
    std::puts(good ? "PASSED" : "FAILED");
}
