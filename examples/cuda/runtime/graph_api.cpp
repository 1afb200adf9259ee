// Graphs: what a stream is given while it is captured, or what nodes are added one by one, to be run as often as one
// likes.
#include "graphs.hpp"

#include <algorithm>
#include <cstring>

namespace warpkit::cuda {

void require_graph(session const& s, cudaGraph_t graph) {
    s.graphs.require(graph, cudaErrorInvalidValue, "graph");
}
CUgraphNode_st* node_of(CUgraph_st& graph, cudaGraphNode_t node) {
    for (auto const& n : graph.nodes)
        if (n.get() == node) return n.get();
    throw failure(cudaErrorInvalidValue, "this is no node of the graph");
}
found_node find_node(session& s, cudaGraphNode_t node) {
    found_node found{};
    auto const look = [&](CUgraph_st& g) {
        for (auto const& n : g.nodes)
            if (n.get() == node) found = {&g, n.get()};
    };
    s.graphs.for_each(look);
    s.streams.for_each([&](CUstream_st& stream) {
        if (stream.captures != nullptr) look(*stream.captures);
    });
    if (found.node == nullptr) throw failure(cudaErrorInvalidValue, "this is no node of a graph");
    return found;
}
CUgraphNode_st* find_node(session& s, cudaGraphNode_t node, cudaGraphNodeType type) {
    auto const found = find_node(s, node);
    if (found.node->type != type)
        throw failure(cudaErrorInvalidValue, "this node of a graph is of another type");
    return found.node;
}
CUgraphNode_st* add_node(session& s, cudaGraphNode_t* result, cudaGraph_t graph, cudaGraphNode_t const* after,
                         std::size_t count, cudaGraphNodeType type, std::function<void()> run,
                         node_contents contents) {
    require(result, "the result");
    auto* const captured = s.captured_graph(graph);
    if (captured == nullptr) require_graph(s, graph);
    if (count != 0) require(after, "the list of dependencies");
    std::vector<CUgraphNode_st*> before;
    for (std::size_t i = 0; i < count; ++i) before.push_back(node_of(*graph, after[i]));
    *result = graph->add(type, std::move(before), std::move(run), std::move(contents));
    return *result;
}
CUgraphExec_st instantiated(CUgraph_st const& graph) {
    CUgraphExec_st made;
    made.at_launch = graph.at_launch;
    made.objects = graph.objects;
    std::vector<CUgraphNode_st const*> done;
    auto const is_done = [&](CUgraphNode_st const* n) {
        return std::find(done.begin(), done.end(), n) != done.end();
    };
    while (done.size() < graph.nodes.size()) {
        auto const before = done.size();
        for (auto const& n : graph.nodes)
            if (!is_done(n.get()) && std::all_of(n->after.begin(), n->after.end(), is_done)) {
                done.push_back(n.get());
                made.steps.push_back({n.get(), n->type, n->settle ? n->settle() : n->run});
                if (auto const* const k = std::get_if<std::shared_ptr<kernel_contents>>(&n->contents))
                    made.steps.back().attributes = (*k)->attributes;
            }
        if (done.size() == before) throw failure(cudaErrorInvalidValue, "the graph has a cycle");
    }
    return made;
}
namespace {
void require_executable(session const& s, cudaGraphExec_t executable) {
    s.executables.require(executable, cudaErrorInvalidValue, "graph that was instantiated");
}
CUgraphExec_st::step& step_of(session& s, cudaGraphExec_t executable, cudaGraphNode_t node) {
    require_executable(s, executable);
    for (auto& step : executable->steps)
        if (step.from == node) return step;
    throw failure(cudaErrorInvalidValue, "this is no node of the graph that was instantiated");
}
} // namespace
CUgraphExec_st::step& step_of(session& s, cudaGraphExec_t executable, cudaGraphNode_t node,
                              cudaGraphNodeType type) {
    auto& step = step_of(s, executable, node);
    if (step.type != type) throw failure(cudaErrorInvalidValue, "this node of the graph is of another type");
    return step;
}

} // namespace warpkit::cuda

using namespace warpkit::cuda;

namespace {

// Another content for a node of an instantiated graph.
template <class Run>
cudaError_t change(char const* name, cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraphNodeType type,
                   void const* parameters, Run const& run) {
    return call(name, [&](session& s) {
        require(parameters, "the parameters");
        step_of(s, executable, node, type).run = run(s);
    });
}
// Ends the capture that this stream began; null where it went on in a graph that there was before.
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
    if (s.graphs.holds(captured)) return nullptr;
    std::unique_ptr<CUgraph_st> graph(captured);
    return graph;
}

} // namespace

CUgraphNode_st* CUgraph_st::add(cudaGraphNodeType type, std::vector<CUgraphNode_st*> after,
                                std::function<void()> run, node_contents contents) {
    nodes.push_back(std::make_shared<CUgraphNode_st>());
    auto* const n = nodes.back().get();
    n->type = type;
    n->after = std::move(after);
    n->run = std::move(run);
    n->contents = std::move(contents);
    return n;
}

bool session::capture(cudaStream_t stream, cudaGraphNodeType type, std::function<void()> run,
                      node_contents contents) {
    if (!streams.holds(stream) || stream->captures == nullptr) return false;
    stream->last = {stream->captures->add(type, stream->last, std::move(run), std::move(contents))};
    return true;
}
CUgraph_st* session::captured_graph(CUgraph_st const* graph) {
    CUgraph_st* found = nullptr;
    streams.for_each([&](CUstream_st& s) {
        if (s.captures != nullptr && s.captures == graph) found = s.captures;
    });
    return found;
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
void session::require_no_blocking_capture() {
    bool any = false;
    streams.for_each([&any](CUstream_st& s) {
        any = any || (s.captures != nullptr && (s.flags & cudaStreamNonBlocking) == 0);
    });
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
        stream->capture = ++s.captures;
    });
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          cudaGraphNode_t const* after, cudaGraphEdgeData const* edges,
                                          std::size_t count, cudaStreamCaptureMode) {
    return call("cudaStreamBeginCaptureToGraph", [&](session& s) {
        if (!s.streams.holds(stream))
            throw failure(cudaErrorStreamCaptureUnsupported, "only a stream that was created is captured");
        if (stream->captures != nullptr)
            throw failure(cudaErrorIllegalState, "the stream is being captured already");
        require_graph(s, graph);
        check_edges(edges, count);
        if (count != 0) require(after, "the list of dependencies");
        std::vector<CUgraphNode_st*> last;
        for (std::size_t i = 0; i < count; ++i) last.push_back(node_of(*graph, after[i]));
        stream->captures = graph;
        stream->began = true;
        stream->capture = ++s.captures;
        stream->last = std::move(last);
    });
}
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* number, cudaGraph_t* graph,
                                        cudaGraphNode_t const** after, std::size_t* count) {
    return call("cudaStreamGetCaptureInfo", [&](session& s) {
        require(status, "the result");
        bool const captured = s.streams.holds(stream) && stream->captures != nullptr;
        *status = captured ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
        if (!captured) return;
        if (number != nullptr) *number = stream->capture;
        if (graph != nullptr) *graph = stream->captures;
        if (after != nullptr) *after = stream->last.data();
        if (count != nullptr) *count = stream->last.size();
    });
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after,
                                                std::size_t count, unsigned flags) {
    return call("cudaStreamUpdateCaptureDependencies", [&](session& s) {
        require_toolkit_12(s);
        if (!s.streams.holds(stream) || stream->captures == nullptr)
            throw failure(cudaErrorIllegalState, "the stream is not being captured");
        require_flags(flags, cudaStreamSetCaptureDependencies);
        if (count != 0) require(after, "the list of dependencies");
        std::vector<CUgraphNode_st*> last;
        for (std::size_t i = 0; i < count; ++i) last.push_back(node_of(*stream->captures, after[i]));
        if (flags != cudaStreamSetCaptureDependencies)
            last.insert(last.begin(), stream->last.begin(), stream->last.end());
        stream->last = std::move(last);
    });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return call("cudaThreadExchangeStreamCaptureMode", [&](session& s) {
        require(mode, "the mode");
        std::swap(*mode, s.capture_mode);
    });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return call("cudaStreamEndCapture", [&](session& s) {
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
        auto* const known = stream->captures;
        auto made = end_capture(s, stream);
        if (!joined)
            throw failure(cudaErrorStreamCaptureUnjoined, "another stream of the capture was not joined");
        // Of a capture into a graph nobody needs to be told the graph; of another it is not to be lost.
        if (made) require(graph, "the result");
        auto* const result = made ? s.graphs.keep(std::move(made)) : known;
        if (graph != nullptr) *graph = result;
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

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
    return call("cudaGraphInstantiate", [&](session& s) {
        require(executable, "the result");
        require_graph(s, graph);
        if ((flags & ~11ULL) != 0) // free on launch, upload, node priorities: they change nothing here
            throw failure(cudaErrorNotSupported, "graphs that kernels launch are not supported");
        auto made = instantiated(*graph);
        made.flags = flags;
        *executable = s.executables.add(made);
    });
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
    if (p == nullptr) return cudaGraphInstantiateWithFlags(nullptr, graph, 0);
    auto const code = cudaGraphInstantiateWithFlags(executable, graph, p->flags);
    p->errNode_out = nullptr;
    p->result_out = code == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return code;
}
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
    return call("cudaGraphExecGetFlags", [&](session& s) {
        require(flags, "the result");
        require_executable(s, executable);
        *flags = executable->flags;
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
        auto const run = [what = *executable] { what.run(); };
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
        auto& step = step_of(s, executable, node, cudaGraphNodeTypeKernel);
        step.run = run_of(s, *p, step.attributes);
    });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             cudaMemcpy3DParms const* p) {
    return change("cudaGraphExecMemcpyNodeSetParams", executable, node, cudaGraphNodeTypeMemcpy, p,
                  [p](session&) { return run_of(*p); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    return change("cudaGraphExecMemcpyNodeSetParams1D", executable, node, cudaGraphNodeTypeMemcpy, from,
                  [=](session&) { return run_of_copy(to, from, bytes, kind); });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             cudaMemsetParams const* p) {
    return change("cudaGraphExecMemsetNodeSetParams", executable, node, cudaGraphNodeTypeMemset, p,
                  [p](session&) { return run_of(*p); });
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           cudaHostNodeParams const* p) {
    return change("cudaGraphExecHostNodeSetParams", executable, node, cudaGraphNodeTypeHost, p,
                  [p](session&) { return run_of(*p); });
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
    return change("cudaGraphExecChildGraphNodeSetParams", executable, node, cudaGraphNodeTypeGraph, child,
                  [child](session& s) { return run_of_child(s, child); });
}
// Of a kernel, a copy or a fill: whether launches leave it out.
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled) {
    return call("cudaGraphNodeSetEnabled", [&](session& s) {
        auto& step = step_of(s, executable, node);
        if (step.type > cudaGraphNodeTypeMemset)
            throw failure(cudaErrorInvalidValue, "only kernels, copies and fills are left out");
        step.enabled = enabled != 0;
    });
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled) {
    return call("cudaGraphNodeGetEnabled", [&](session& s) {
        require(enabled, "the result");
        *enabled = step_of(s, executable, node).enabled ? 1 : 0;
    });
}
cudaError_t warpkit_cuda_update_graph(cudaGraphExec_t executable, cudaGraph_t graph, int* same) {
    return call("cudaGraphExecUpdate", [&](session& s) {
        require_executable(s, executable);
        require_graph(s, graph);
        auto const steps = instantiated(*graph).steps;
        *same = steps.size() == executable->steps.size() ? 1 : 0;
        for (std::size_t i = 0; i < steps.size() && *same != 0; ++i)
            if (steps[i].type != executable->steps[i].type) *same = 0;
        if (*same == 0)
            throw failure(cudaErrorGraphExecUpdateFailure,
                          "the graph has other nodes than the one instantiated");
        // The nodes keep their names: those of the first graph.
        for (std::size_t i = 0; i < steps.size(); ++i) {
            executable->steps[i].run = steps[i].run;
            executable->steps[i].attributes = steps[i].attributes;
        }
        executable->objects = graph->objects;
    });
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
    return call("cudaGraphClone", [&](session& s) {
        require(clone, "the result");
        require_graph(s, graph);
        CUgraph_st copy;
        std::map<CUgraphNode_st*, CUgraphNode_st*> to;
        for (auto const& n : graph->nodes) {
            to[n.get()] = copy.add(n->type, n->after, n->run, n->contents);
            to[n.get()]->settle = n->settle;
            to[n.get()]->original = n.get();
        }
        copy.at_launch = graph->at_launch;
        copy.objects = graph->objects;
        for (auto const& n : copy.nodes)
            for (auto& a : n->after) a = to.at(a);
        *clone = s.graphs.add(copy);
    });
}

} // extern "C"
