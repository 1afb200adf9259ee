// Graphs: what a stream is given while it is captured, or what nodes are added one by one, to be run as often as one
// likes.
#include "session.hpp"

#include <algorithm>
#include <cstring>

using namespace warpkit::cuda;

namespace {

using nodes = std::vector<CUgraphNode_st*>;

void require_graph(session const& s, cudaGraph_t graph) {
    s.graphs.require(graph, cudaErrorInvalidValue, "graph");
}
void require_executable(session const& s, cudaGraphExec_t executable) {
    s.executables.require(executable, cudaErrorInvalidValue, "graph that was instantiated");
}
CUgraphNode_st* node_of(CUgraph_st& graph, cudaGraphNode_t node) {
    for (auto const& n : graph.nodes)
        if (n.get() == node) return n.get();
    throw failure(cudaErrorInvalidValue, "this is no node of the graph");
}
// Fails where the API function that a node stands for has failed; that one has said why.
void succeed(cudaError_t code) {
    if (code != cudaSuccess) throw failure(code, "a node of the graph failed");
}
CUgraphNode_st* add_node(session& s, cudaGraphNode_t* result, cudaGraph_t graph, cudaGraphNode_t const* after,
                         std::size_t count, cudaGraphNodeType type, std::function<void()> run) {
    require(result, "the result");
    require_graph(s, graph);
    if (count != 0) require(after, "the list of dependencies");
    nodes before;
    for (std::size_t i = 0; i < count; ++i) before.push_back(node_of(*graph, after[i]));
    *result = graph->add(type, std::move(before), std::move(run));
    return *result;
}
std::function<void()> kernel_run(session& s, cudaKernelNodeParams const& p) {
    require(p.func, "the kernel");
    launch_shape const shape{{p.gridDim.x, p.gridDim.y, p.gridDim.z},
                             {p.blockDim.x, p.blockDim.y, p.blockDim.z},
                             p.sharedMemBytes,
                             {0, 0, 0}};
    if (p.extra != nullptr) throw failure(cudaErrorNotSupported, "arguments in one buffer are not supported");
    return [&s, function = p.func, shape, arguments = s.packed(p.func, p.kernelParams)] {
        s.launch(function, shape, arguments, s.graph_stream);
    };
}
std::function<void()> memset_run(cudaMemsetParams const& p) {
    if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
        throw failure(cudaErrorInvalidValue, "elements of " + std::to_string(p.elementSize) + " bytes");
    return [p] {
        std::vector<std::byte> row(p.width * p.elementSize);
        for (std::size_t i = 0; i < row.size(); i += p.elementSize)
            std::memcpy(row.data() + i, &p.value, p.elementSize);
        for (std::size_t y = 0; y < std::max<std::size_t>(p.height, 1); ++y)
            succeed(cudaMemcpy(static_cast<std::byte*>(p.dst) + y * p.pitch, row.data(), row.size(),
                               cudaMemcpyHostToDevice));
    };
}
// Every node behind those that it depends on.
void order(CUgraph_st const& graph, std::vector<CUgraphExec_st::step>& steps) {
    std::vector<CUgraphNode_st const*> done;
    auto const is_done = [&](CUgraphNode_st const* n) {
        return std::find(done.begin(), done.end(), n) != done.end();
    };
    while (done.size() < graph.nodes.size()) {
        auto const before = done.size();
        for (auto const& n : graph.nodes)
            if (!is_done(n.get()) && std::all_of(n->after.begin(), n->after.end(), is_done)) {
                done.push_back(n.get());
                steps.push_back({n.get(), n->type, n->run});
            }
        if (done.size() == before) throw failure(cudaErrorInvalidValue, "the graph has a cycle");
    }
}
// Ends the capture that this stream began; null where something spoilt it.
std::unique_ptr<CUgraph_st> end_capture(session& s, cudaStream_t stream) {
    auto* const captured = stream->captures;
    s.streams.for_each([captured](CUstream_st& other) {
        if (other.captures != captured) return;
        other.captures = nullptr;
        other.began = false;
        other.last.clear();
    });
    s.events.for_each([captured](CUevent_st& e) {
        if (e.captured == captured) e.captured = nullptr, e.last.clear();
    });
    std::unique_ptr<CUgraph_st> graph(captured);
    return graph;
}

} // namespace

CUgraphNode_st* CUgraph_st::add(cudaGraphNodeType type, std::vector<CUgraphNode_st*> after,
                                std::function<void()> run) {
    nodes.push_back(std::make_shared<CUgraphNode_st>());
    auto* const n = nodes.back().get();
    n->type = type;
    n->after = std::move(after);
    n->run = std::move(run);
    return n;
}

bool session::capture(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> run) {
    if (!streams.holds(stream) || stream->captures == nullptr) return false;
    stream->last = {stream->captures->add(type, stream->last, std::move(run))};
    return true;
}
std::uint64_t session::add_graph_block(std::size_t bytes) {
    if (bytes == 0) throw failure(cudaErrorInvalidValue, "a node of a graph that allocates 0 bytes");
    auto const p = memory_.allocate(bytes);
    graph_memory.blocks[p] = {bytes, false};
    return p;
}
void session::take_graph_block(std::uint64_t at) {
    auto& b = graph_memory.blocks.at(at);
    if (b.live)
        throw failure(cudaErrorInvalidValue,
                      "what the graph allocates has not been freed since it was launched before");
    b.live = true;
    graph_memory.used_high = std::max(graph_memory.used_high, graph_memory.used());
}
bool session::free_graph_block(std::uint64_t at) {
    auto const b = graph_memory.blocks.find(at);
    if (b == graph_memory.blocks.end()) return false;
    if (!b->second.live)
        throw failure(cudaErrorInvalidValue,
                      "the memory of a graph at " + hexadecimal(pointer(at)) + " is free");
    b->second.live = false;
    return true;
}
void session::capture_event(cudaEvent_t event, cudaStream_t stream) {
    event->captured = stream->captures;
    event->last = stream->last;
}
bool session::join_capture(cudaStream_t stream, cudaEvent_t event) {
    if (event->captured == nullptr) return false;
    if (!streams.holds(stream) || (stream->captures != nullptr && stream->captures != event->captured))
        throw failure(cudaErrorStreamCaptureIsolation, "the event belongs to the capture of another stream");
    stream->captures = event->captured;
    for (auto* n : event->last)
        if (std::find(stream->last.begin(), stream->last.end(), n) == stream->last.end())
            stream->last.push_back(n);
    return true;
}
void session::require_no_capture() {
    bool any = false;
    streams.for_each([&any](CUstream_st& s) { any = any || s.captures != nullptr; });
    if (any) throw failure(cudaErrorStreamCaptureImplicit, "a stream is being captured");
}

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    return call("cudaStreamBeginCapture", [&](session& s) {
        if (!s.streams.holds(stream))
            throw failure(cudaErrorStreamCaptureUnsupported, "only a stream that was created is captured");
        if (stream->captures != nullptr)
            throw failure(cudaErrorIllegalState, "the stream is being captured already");
        stream->captures = new CUgraph_st;
        stream->began = true;
    });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return call("cudaStreamEndCapture", [&](session& s) {
        require(graph, "the result");
        if (!s.streams.holds(stream) || stream->captures == nullptr)
            throw failure(cudaErrorIllegalState, "the stream is not being captured");
        if (!stream->began)
            throw failure(cudaErrorStreamCaptureUnmatched, "the capture began on another stream");
        // What joined the capture has to come back to this stream before its end.
        bool joined = true;
        s.streams.for_each([&](CUstream_st& other) {
            if (&other == stream || other.captures != stream->captures) return;
            for (auto* n : other.last) {
                bool waited = false;
                for (auto const& m : stream->captures->nodes)
                    waited = waited || std::find(m->after.begin(), m->after.end(), n) != m->after.end();
                joined = joined && (waited || std::find(stream->last.begin(), stream->last.end(), n) !=
                                                  stream->last.end());
            }
        });
        auto const made = end_capture(s, stream);
        if (!joined)
            throw failure(cudaErrorStreamCaptureUnjoined, "another stream of the capture was not joined");
        *graph = s.graphs.add(*made);
    });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return call("cudaStreamIsCapturing", [&](session& s) {
        require(status, "the result");
        *status = s.streams.holds(stream) && stream->captures != nullptr ? cudaStreamCaptureStatusActive
                                                                         : cudaStreamCaptureStatusNone;
    });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return call("cudaGraphCreate", [&](session& s) {
        require(graph, "the result");
        require_flags(flags, 0);
        *graph = s.graphs.add({});
    });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return call("cudaGraphDestroy", [&](session& s) {
        require_graph(s, graph);
        s.graphs.remove(graph);
    });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* list, std::size_t* count) {
    return call("cudaGraphGetNodes", [&](session& s) {
        require_graph(s, graph);
        require(count, "the count");
        auto const room = list == nullptr ? 0 : *count;
        for (std::size_t i = 0; i < room; ++i)
            list[i] = i < graph->nodes.size() ? graph->nodes[i].get() : nullptr;
        *count = list == nullptr ? graph->nodes.size() : std::min(room, graph->nodes.size());
    });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return call("cudaGraphNodeGetType", [&](session& s) {
        require(type, "the result");
        bool found = false;
        s.graphs.for_each([&](CUgraph_st& g) {
            for (auto const& n : g.nodes)
                if (n.get() == node) *type = n->type, found = true;
        });
        if (!found) throw failure(cudaErrorInvalidValue, "this is no node of a graph");
    });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   std::size_t count, cudaKernelNodeParams const* p) {
    return call("cudaGraphAddKernelNode", [&](session& s) {
        require(p, "the parameters");
        add_node(s, node, graph, after, count, cudaGraphNodeTypeKernel, kernel_run(s, *p));
    });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   std::size_t count, cudaMemcpy3DParms const* p) {
    return call("cudaGraphAddMemcpyNode", [&](session& s) {
        require(p, "the parameters");
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemcpy,
                 [what = *p] { succeed(cudaMemcpy3D(&what)); });
    });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                     std::size_t count, void* to, void const* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
    return call("cudaGraphAddMemcpyNode1D", [&](session& s) {
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemcpy,
                 [=] { succeed(cudaMemcpy(to, from, bytes, kind)); });
    });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   std::size_t count, cudaMemsetParams const* p) {
    return call("cudaGraphAddMemsetNode", [&](session& s) {
        require(p, "the parameters");
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemset, memset_run(*p));
    });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                 std::size_t count, cudaHostNodeParams const* p) {
    return call("cudaGraphAddHostNode", [&](session& s) {
        require(p, "the parameters");
        if (p->fn == nullptr) throw failure(cudaErrorInvalidValue, "the function is a null pointer");
        add_node(s, node, graph, after, count, cudaGraphNodeTypeHost,
                 [what = *p] { what.fn(what.userData); });
    });
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                  std::size_t count) {
    return call("cudaGraphAddEmptyNode",
                [&](session& s) { add_node(s, node, graph, after, count, cudaGraphNodeTypeEmpty, [] {}); });
}
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                     std::size_t count, cudaMemAllocNodeParams* p) {
    return call("cudaGraphAddMemAllocNode", [&](session& s) {
        require(p, "the parameters");
        if (p->poolProps.allocType != cudaMemAllocationTypePinned ||
            p->poolProps.location.type != cudaMemLocationTypeDevice)
            throw failure(cudaErrorInvalidValue, "graphs allocate pinned memory of a device");
        require_device(p->poolProps.location.id);
        require_graph(s, graph);
        auto const at = s.add_graph_block(p->bytesize);
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemAlloc,
                 [&s, at] { s.take_graph_block(at); });
        p->dptr = pointer(at);
    });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                    std::size_t count, void* p) {
    return call("cudaGraphAddMemFreeNode", [&](session& s) {
        auto const at = address(p);
        if (s.graph_memory.blocks.count(at) == 0)
            throw failure(cudaErrorInvalidValue, "no node of a graph allocates " + hexadecimal(p));
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemFree,
                 [&s, at] { static_cast<void>(s.free_graph_block(at)); });
    });
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return call("cudaDeviceGetGraphMemAttribute", [&](session& s) {
        require_device(device);
        require(value, "the value");
        auto& to = *static_cast<std::uint64_t*>(value);
        switch (attribute) {
        case cudaGraphMemAttrUsedMemCurrent:
            to = s.graph_memory.used();
            return;
        case cudaGraphMemAttrUsedMemHigh:
            to = s.graph_memory.used_high;
            return;
        case cudaGraphMemAttrReservedMemCurrent:
        case cudaGraphMemAttrReservedMemHigh: // nothing goes back before the device is reset
            to = s.graph_memory.reserved();
            return;
        }
        throw failure(cudaErrorInvalidValue,
                      "expected a cudaGraphMemAttr..., found " + std::to_string(attribute));
    });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return call("cudaDeviceSetGraphMemAttribute", [&](session& s) {
        require_device(device);
        require(value, "the value");
        bool const high =
            attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
        if (!high || *static_cast<std::uint64_t const*>(value) != 0)
            throw failure(cudaErrorInvalidValue, "only the highest values can be set, to 0");
        if (attribute == cudaGraphMemAttrUsedMemHigh) s.graph_memory.used_high = s.graph_memory.used();
    });
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
    return call("cudaDeviceGraphMemTrim", [&](session&) { require_device(device); });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                       std::size_t count, cudaGraph_t child) {
    return call("cudaGraphAddChildGraphNode", [&](session& s) {
        require_graph(s, child);
        std::vector<CUgraphExec_st::step> steps;
        order(*child, steps); // as it is now
        add_node(s, node, graph, after, count, cudaGraphNodeTypeGraph, [steps] {
            for (auto const& step : steps) step.run();
        });
    });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                     cudaGraphNode_t const* to, std::size_t count) {
    return call("cudaGraphAddDependencies", [&](session& s) {
        require_graph(s, graph);
        if (count != 0) require(from, "the first list"), require(to, "the second list");
        for (std::size_t i = 0; i < count; ++i)
            node_of(*graph, to[i])->after.push_back(node_of(*graph, from[i]));
    });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, cudaKernelNodeParams const* p) {
    return call("cudaGraphKernelNodeSetParams", [&](session& s) {
        require(p, "the parameters");
        bool found = false;
        s.graphs.for_each([&](CUgraph_st& g) {
            for (auto const& n : g.nodes)
                if (n.get() == node && n->type == cudaGraphNodeTypeKernel)
                    n->run = kernel_run(s, *p), found = true;
        });
        if (!found) throw failure(cudaErrorInvalidValue, "this is no kernel of a graph");
    });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
    return call("cudaGraphInstantiate", [&](session& s) {
        require(executable, "the result");
        require_graph(s, graph);
        if ((flags & ~11ULL) != 0) // free on launch, upload, node priorities: they change nothing here
            throw failure(cudaErrorNotSupported, "graphs that kernels launch are not supported");
        CUgraphExec_st made;
        order(*graph, made.steps);
        *executable = s.executables.add(made);
    });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return call("cudaGraphExecDestroy", [&](session& s) {
        require_executable(s, executable);
        s.executables.remove(executable);
    });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return call("cudaGraphUpload", [&](session& s) {
        require_executable(s, executable);
        require_stream(s, stream);
    });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    return call("cudaGraphLaunch", [&](session& s) {
        require_executable(s, executable);
        auto const steps = executable->steps;
        auto const run = [steps] {
            for (auto const& step : steps) step.run();
        };
        if (s.capture(stream, cudaGraphNodeTypeGraph, run)) return;
        require_stream(s, stream);
        s.graph_stream = stream;
        run();
    });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             cudaKernelNodeParams const* p) {
    return call("cudaGraphExecKernelNodeSetParams", [&](session& s) {
        require(p, "the parameters");
        require_executable(s, executable);
        for (auto& step : executable->steps)
            if (step.from == node && step.type == cudaGraphNodeTypeKernel) {
                step.run = kernel_run(s, *p);
                return;
            }
        throw failure(cudaErrorInvalidValue, "this is no kernel of the graph that was instantiated");
    });
}
cudaError_t warpkit_cuda_update_graph(cudaGraphExec_t executable, cudaGraph_t graph, int* same) {
    return call("cudaGraphExecUpdate", [&](session& s) {
        require_executable(s, executable);
        require_graph(s, graph);
        std::vector<CUgraphExec_st::step> steps;
        order(*graph, steps);
        *same = steps.size() == executable->steps.size() ? 1 : 0;
        for (std::size_t i = 0; i < steps.size() && *same != 0; ++i)
            if (steps[i].type != executable->steps[i].type) *same = 0;
        if (*same == 0)
            throw failure(cudaErrorGraphExecUpdateFailure,
                          "the graph has other nodes than the one instantiated");
        // The nodes keep their names: those of the first graph.
        for (std::size_t i = 0; i < steps.size(); ++i) executable->steps[i].run = steps[i].run;
    });
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    return call("cudaGraphClone", [&](session& s) {
        require(clone, "the result");
        require_graph(s, graph);
        CUgraph_st copy;
        std::map<CUgraphNode_st*, CUgraphNode_st*> to;
        for (auto const& n : graph->nodes) to[n.get()] = copy.add(n->type, n->after, n->run);
        for (auto const& n : copy.nodes)
            for (auto& a : n->after) a = to.at(a);
        *clone = s.graphs.add(copy);
    });
}

} // extern "C"
