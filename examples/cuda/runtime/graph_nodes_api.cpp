// Nodes of graphs: what they are made of, what comes behind what, and nodes that run by a condition.
#include "copies.hpp"
#include "graphs.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace warpkit::cuda {

namespace {

launch_shape shape_of(cudaKernelNodeParams const& p, kernel_attributes const& attributes) {
    launch_shape shape{{p.gridDim.x, p.gridDim.y, p.gridDim.z},
                       {p.blockDim.x, p.blockDim.y, p.blockDim.z},
                       p.sharedMemBytes,
                       {0, 0, 0}};
    if (auto const a = attributes.find(cudaLaunchAttributeClusterDimension); a != attributes.end())
        shape.cluster = {a->second.clusterDim.x, a->second.clusterDim.y, a->second.clusterDim.z};
    if (auto const a = attributes.find(cudaLaunchAttributeCooperative); a != attributes.end())
        shape.cooperative = a->second.cooperative != 0;
    return shape;
}

} // namespace

kernel_attributes attributes_of(launch_shape const& shape) {
    kernel_attributes all;
    if (shape.cluster.x != 0) {
        auto& size = all[cudaLaunchAttributeClusterDimension].clusterDim;
        size.x = shape.cluster.x, size.y = shape.cluster.y, size.z = shape.cluster.z;
    }
    if (shape.cooperative) all[cudaLaunchAttributeCooperative].cooperative = 1;
    return all;
}
node_contents contents_of(session& s, cudaKernelNodeParams const& p, std::vector<std::byte> block,
                          kernel_attributes attributes) {
    auto made =
        std::make_shared<kernel_contents>(kernel_contents{p, std::move(block), {}, std::move(attributes)});
    made->in_the_block = s.arguments_in(p.func, made->block);
    made->parameters.kernelParams = made->in_the_block.data();
    made->parameters.extra = nullptr;
    return made;
}
std::function<void()> run_of(session& s, cudaKernelNodeParams const& p, kernel_attributes const& attributes) {
    require(p.func, "the kernel");
    if (p.extra != nullptr) throw failure(cudaErrorNotSupported, "arguments in one buffer are not supported");
    return [&s, function = p.func, shape = shape_of(p, attributes),
            arguments = s.packed(p.func, p.kernelParams)] {
        s.launch(function, shape, arguments, s.graph_stream);
    };
}
std::function<void()> run_of(cudaMemcpy3DParms const& p) {
    return [what = p] { succeed(cudaMemcpy3DAsync(&what, session::instance().graph_stream)); };
}
std::function<void()> run_of_copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    return [=] { succeed(cudaMemcpyAsync(to, from, bytes, kind, session::instance().graph_stream)); };
}
std::function<void()> run_of(cudaMemsetParams const& p) {
    if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
        throw failure(cudaErrorInvalidValue, "elements of " + std::to_string(p.elementSize) + " bytes");
    return [what = p] {
        auto& s = session::instance();
        auto rows = what;
        if (rows.height == 0) rows.height = 1;
        take_turn(s, s.graph_stream);
        fill_elements(s, rows);
    };
}
std::function<void()> run_of(cudaHostNodeParams const& p) {
    if (p.fn == nullptr) throw failure(cudaErrorInvalidValue, "the function is a null pointer");
    return [what = p] { what.fn(what.userData); };
}
std::function<void()> run_of_record(session& s, cudaEvent_t event) {
    s.events.require(event, cudaErrorInvalidResourceHandle, "event");
    return [&s, event] { succeed(cudaEventRecord(event, s.graph_stream)); };
}
std::function<void()> run_of_wait(session& s, cudaEvent_t event) {
    s.events.require(event, cudaErrorInvalidResourceHandle, "event");
    return [&s, event] { succeed(cudaStreamWaitEvent(s.graph_stream, event, 0)); };
}
std::function<void()> run_of_child(session& s, cudaGraph_t child) {
    require_graph(s, child);
    return [what = instantiated(*child)] { what.run(); };
}
cudaMemcpy3DParms as_box(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p{};
    p.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
    p.dstPtr = {to, bytes, bytes, 1};
    p.extent = {bytes, 1, 1};
    p.kind = kind;
    return p;
}

} // namespace warpkit::cuda

using namespace warpkit::cuda;

namespace {

// The whole of a list, or how long it is, as CUDA's functions give it.
template <class T>
void give(std::vector<T> const& all, T* list, std::size_t* count) {
    require(count, "the count");
    auto const room = list == nullptr ? 0 : *count;
    for (std::size_t i = 0; i < room; ++i) list[i] = i < all.size() ? all[i] : T{};
    *count = list == nullptr ? all.size() : std::min(room, all.size());
}
template <class T>
T const& contents(session& s, cudaGraphNode_t node, cudaGraphNodeType type) {
    auto const* const known = std::get_if<T>(&find_node(s, node, type)->contents);
    if (known == nullptr) throw failure(cudaErrorNotSupported, "what this node was captured of is not kept");
    return *known;
}
template <class T>
cudaError_t get(char const* name, cudaGraphNode_t node, cudaGraphNodeType type, T* result) {
    return call(name, [&](session& s) {
        require(result, "the result");
        *result = contents<T>(s, node, type);
    });
}
template <class T>
cudaError_t set(char const* name, cudaGraphNode_t node, cudaGraphNodeType type, T const* p) {
    return call(name, [&](session& s) {
        require(p, "the parameters");
        auto* const n = find_node(s, node, type);
        n->run = run_of(*p);
        n->contents = *p;
    });
}
std::vector<cudaGraphNode_t> behind(CUgraph_st const& g, CUgraphNode_st* node) {
    std::vector<cudaGraphNode_t> all;
    for (auto const& n : g.nodes)
        if (std::find(n->after.begin(), n->after.end(), node) != n->after.end()) all.push_back(n.get());
    return all;
}
char const* name_of(cudaGraphNodeType type) {
    static constexpr char const* names[] = {
        "KERNEL",       "MEMCPY", "MEMSET", "HOST",      "GRAPH",    "EMPTY", "EVENT_WAIT",
        "EVENT_RECORD", "",       "",       "MEM_ALLOC", "MEM_FREE", "",      "CONDITIONAL"};
    return names[type];
}
// The word in device memory that a handle of a condition names.
std::uint32_t& word_of(session& s, cudaGraphConditionalHandle handle) {
    return *reinterpret_cast<std::uint32_t*>(s.memory().find(handle, sizeof(std::uint32_t)));
}
// A node whose bodies run as its condition says: known when the graph is instantiated.
void add_condition(session& s, cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                   std::size_t count, cudaConditionalNodeParams& p) {
    auto const handle = p.handle;
    if (s.memory().find(handle, sizeof(std::uint32_t)) == nullptr)
        throw failure(cudaErrorInvalidValue, "this is no handle of a condition");
    auto const type = p.type;
    unsigned const most = type == cudaGraphCondTypeWhile ? 1 : type == cudaGraphCondTypeIf ? 2 : p.size;
    if (type > cudaGraphCondTypeSwitch || p.size == 0 || p.size > most)
        throw failure(cudaErrorInvalidValue, "a condition of type " + std::to_string(type) + " with " +
                                                 std::to_string(p.size) + " bodies");
    std::vector<CUgraph_st*> bodies;
    for (unsigned i = 0; i < p.size; ++i) bodies.push_back(s.graphs.add({}));
    auto* const made = add_node(s, node, graph, after, count, cudaGraphNodeTypeConditional, [] {});
    made->bodies = bodies;
    made->settle = [&s, handle, type, bodies]() -> std::function<void()> {
        std::vector<CUgraphExec_st> ready;
        for (auto* b : bodies) ready.push_back(instantiated(*b));
        return [&s, handle, type, ready] {
            auto const value = [&] { return word_of(s, handle); };
            if (type == cudaGraphCondTypeWhile)
                while (value() != 0) ready[0].run();
            else if (auto const which = type == cudaGraphCondTypeSwitch ? value()
                                        : value() != 0                  ? 0U
                                                                        : 1U;
                     which < ready.size())
                ready[which].run();
        };
    };
    p.phGraph_out = made->bodies.data();
}

} // namespace

extern "C" {

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return call("cudaGraphNodeGetType", [&](session& s) {
        require(type, "the result");
        *type = find_node(s, node).node->type;
    });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* list, std::size_t* count) {
    return call("cudaGraphGetNodes", [&](session& s) {
        require_graph(s, graph);
        std::vector<cudaGraphNode_t> all;
        for (auto const& n : graph->nodes) all.push_back(n.get());
        give(all, list, count);
    });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* list, std::size_t* count) {
    return call("cudaGraphGetRootNodes", [&](session& s) {
        require_graph(s, graph);
        std::vector<cudaGraphNode_t> all;
        for (auto const& n : graph->nodes)
            if (n->after.empty()) all.push_back(n.get());
        give(all, list, count);
    });
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              std::size_t* count) {
    return call("cudaGraphGetEdges", [&](session& s) {
        require_toolkit_12(s);
        require_graph(s, graph);
        require(count, "the count");
        if ((from == nullptr) != (to == nullptr))
            throw failure(cudaErrorInvalidValue, "one list of two is missing");
        std::vector<cudaGraphNode_t> first, second;
        for (auto const& n : graph->nodes)
            for (auto* a : n->after) first.push_back(a), second.push_back(n.get());
        auto room = *count;
        give(first, from, &room);
        give(second, to, count);
    });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* list, std::size_t* count) {
    return call("cudaGraphNodeGetDependencies", [&](session& s) {
        require_toolkit_12(s);
        give(find_node(s, node).node->after, list, count);
    });
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* list, std::size_t* count) {
    return call("cudaGraphNodeGetDependentNodes", [&](session& s) {
        require_toolkit_12(s);
        auto const found = find_node(s, node);
        give(behind(*found.graph, found.node), list, count);
    });
}
cudaError_t warpkit_cuda_check_edges(cudaGraphEdgeData const* edges, std::size_t count) {
    return call("cudaGraphEdgeData", [&](session&) { check_edges(edges, count); });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                     cudaGraphNode_t const* to, std::size_t count) {
    return call("cudaGraphAddDependencies", [&](session& s) {
        require_toolkit_12(s);
        require_graph(s, graph);
        if (count != 0) require(from, "the first list"), require(to, "the second list");
        for (std::size_t i = 0; i < count; ++i)
            node_of(*graph, to[i])->after.push_back(node_of(*graph, from[i]));
    });
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                        cudaGraphNode_t const* to, std::size_t count) {
    return call("cudaGraphRemoveDependencies", [&](session& s) {
        require_toolkit_12(s);
        require_graph(s, graph);
        if (count != 0) require(from, "the first list"), require(to, "the second list");
        for (std::size_t i = 0; i < count; ++i) {
            auto& after = node_of(*graph, to[i])->after;
            auto const at = std::find(after.begin(), after.end(), node_of(*graph, from[i]));
            if (at == after.end()) throw failure(cudaErrorInvalidValue, "the graph has no such dependency");
            after.erase(at);
        }
    });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
    return call("cudaGraphDestroyNode", [&](session& s) {
        auto const found = find_node(s, node);
        for (auto* n : behind(*found.graph, found.node))
            n->after.erase(std::remove(n->after.begin(), n->after.end(), node), n->after.end());
        auto& all = found.graph->nodes;
        all.erase(std::find_if(all.begin(), all.end(), [&](auto const& n) { return n.get() == node; }));
    });
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, char const* path, unsigned) {
    return call("cudaGraphDebugDotPrint", [&](session& s) {
        require_graph(s, graph);
        require(path, "the path");
        std::ofstream out(path);
        out << "digraph {\n";
        for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
            auto const& n = *graph->nodes[i];
            out << "  n" << i << " [label=\"" << i << " " << name_of(n.type) << "\"];\n";
            for (std::size_t k = 0; k < graph->nodes.size(); ++k)
                if (std::find(n.after.begin(), n.after.end(), graph->nodes[k].get()) != n.after.end())
                    out << "  n" << k << " -> n" << i << ";\n";
        }
        out << "}\n";
        if (!out.flush()) throw failure(cudaErrorOperatingSystem, std::string("cannot write ") + path);
    });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   std::size_t count, cudaKernelNodeParams const* p) {
    return call("cudaGraphAddKernelNode", [&](session& s) {
        require(p, "the parameters");
        auto run = run_of(s, *p);
        add_node(s, node, graph, after, count, cudaGraphNodeTypeKernel, std::move(run),
                 contents_of(s, *p, s.packed(p->func, p->kernelParams)));
    });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, cudaKernelNodeParams const* p) {
    return call("cudaGraphKernelNodeSetParams", [&](session& s) {
        require(p, "the parameters");
        auto* const n = find_node(s, node, cudaGraphNodeTypeKernel);
        kernel_attributes attributes;
        if (auto const* const known = std::get_if<std::shared_ptr<kernel_contents>>(&n->contents))
            attributes = (*known)->attributes;
        n->run = run_of(s, *p, attributes);
        n->contents = contents_of(s, *p, s.packed(p->func, p->kernelParams), attributes);
    });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
    return call("cudaGraphKernelNodeGetParams", [&](session& s) {
        require(p, "the result");
        *p = contents<std::shared_ptr<kernel_contents>>(s, node, cudaGraphNodeTypeKernel)->parameters;
    });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   std::size_t count, cudaMemcpy3DParms const* p) {
    return call("cudaGraphAddMemcpyNode", [&](session& s) {
        require(p, "the parameters");
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemcpy, run_of(*p), *p);
    });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                     std::size_t count, void* to, void const* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
    return call("cudaGraphAddMemcpyNode1D", [&](session& s) {
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemcpy, run_of_copy(to, from, bytes, kind),
                 as_box(to, from, bytes, kind));
    });
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
    return get("cudaGraphMemcpyNodeGetParams", node, cudaGraphNodeTypeMemcpy, p);
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, cudaMemcpy3DParms const* p) {
    return set("cudaGraphMemcpyNodeSetParams", node, cudaGraphNodeTypeMemcpy, p);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, void const* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
    return call("cudaGraphMemcpyNodeSetParams1D", [&](session& s) {
        auto* const n = find_node(s, node, cudaGraphNodeTypeMemcpy);
        n->run = run_of_copy(to, from, bytes, kind);
        n->contents = as_box(to, from, bytes, kind);
    });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                   std::size_t count, cudaMemsetParams const* p) {
    return call("cudaGraphAddMemsetNode", [&](session& s) {
        require(p, "the parameters");
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemset, run_of(*p), *p);
    });
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
    return get("cudaGraphMemsetNodeGetParams", node, cudaGraphNodeTypeMemset, p);
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, cudaMemsetParams const* p) {
    return set("cudaGraphMemsetNodeSetParams", node, cudaGraphNodeTypeMemset, p);
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                 std::size_t count, cudaHostNodeParams const* p) {
    return call("cudaGraphAddHostNode", [&](session& s) {
        require(p, "the parameters");
        add_node(s, node, graph, after, count, cudaGraphNodeTypeHost, run_of(*p), *p);
    });
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
    return get("cudaGraphHostNodeGetParams", node, cudaGraphNodeTypeHost, p);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, cudaHostNodeParams const* p) {
    return set("cudaGraphHostNodeSetParams", node, cudaGraphNodeTypeHost, p);
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                  std::size_t count) {
    return call("cudaGraphAddEmptyNode",
                [&](session& s) { add_node(s, node, graph, after, count, cudaGraphNodeTypeEmpty, [] {}); });
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        cudaGraphNode_t const* after, std::size_t count, cudaEvent_t event) {
    return call("cudaGraphAddEventRecordNode", [&](session& s) {
        add_node(s, node, graph, after, count, cudaGraphNodeTypeEventRecord, run_of_record(s, event), event);
    });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                      std::size_t count, cudaEvent_t event) {
    return call("cudaGraphAddEventWaitNode", [&](session& s) {
        add_node(s, node, graph, after, count, cudaGraphNodeTypeWaitEvent, run_of_wait(s, event), event);
    });
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return get("cudaGraphEventRecordNodeGetEvent", node, cudaGraphNodeTypeEventRecord, event);
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
    return get("cudaGraphEventWaitNodeGetEvent", node, cudaGraphNodeTypeWaitEvent, event);
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                       std::size_t count, cudaGraph_t child) {
    return call("cudaGraphAddChildGraphNode", [&](session& s) {
        auto run = run_of_child(s, child); // as it is now
        auto* const own = s.graphs.add(*child);
        add_node(s, node, graph, after, count, cudaGraphNodeTypeGraph, std::move(run), own);
    });
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
    return get("cudaGraphChildGraphNodeGetGraph", node, cudaGraphNodeTypeGraph, child);
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
    return call("cudaGraphConditionalHandleCreate", [&](session& s) {
        require(handle, "the result");
        if (s.captured_graph(graph) == nullptr) require_graph(s, graph);
        require_flags(flags, cudaGraphCondAssignDefault);
        *handle = s.memory().allocate(sizeof(std::uint32_t));
        word_of(s, *handle) = value;
        if (flags != 0) graph->at_launch.push_back([&s, at = *handle, value] { word_of(s, at) = value; });
    });
}
// Each kind by the function that adds it.
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                             cudaGraphEdgeData const* edges, std::size_t count, cudaGraphNodeParams* p) {
    auto code = call("cudaGraphAddNode", [&](session&) {
        require(p, "the parameters");
        check_edges(edges, count);
    });
    if (code != cudaSuccess) return code;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        cudaKernelNodeParams const k{p->kernel.func,           p->kernel.gridDim,      p->kernel.blockDim,
                                     p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra};
        return cudaGraphAddKernelNode(node, graph, after, count, &k);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphAddMemcpyNode(node, graph, after, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
        auto const& m = p->memset;
        cudaMemsetParams const q{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
        return cudaGraphAddMemsetNode(node, graph, after, count, &q);
    }
    case cudaGraphNodeTypeHost: {
        cudaHostNodeParams const q{p->host.fn, p->host.userData};
        return cudaGraphAddHostNode(node, graph, after, count, &q);
    }
    case cudaGraphNodeTypeGraph:
        return cudaGraphAddChildGraphNode(node, graph, after, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphAddEventRecordNode(node, graph, after, count, p->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphAddEventWaitNode(node, graph, after, count, p->eventWait.event);
    case cudaGraphNodeTypeMemAlloc: {
        auto& a = p->alloc;
        cudaMemAllocNodeParams q{a.poolProps, a.accessDescs, a.accessDescCount, a.bytesize, nullptr};
        auto const made = cudaGraphAddMemAllocNode(node, graph, after, count, &q);
        a.dptr = q.dptr;
        return made;
    }
    case cudaGraphNodeTypeMemFree:
        return cudaGraphAddMemFreeNode(node, graph, after, count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
        return call("cudaGraphAddNode",
                    [&](session& s) { add_condition(s, node, graph, after, count, p->conditional); });
    default:
        return call("cudaGraphAddNode", [&](session&) {
            throw failure(cudaErrorNotSupported, "a node of type " + std::to_string(p->type));
        });
    }
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
        p->dptr = pointer(at);
        auto kept = *p;
        kept.accessDescs = nullptr; // the program's list, which it need not keep
        kept.accessDescCount = 0;
        add_node(
            s, node, graph, after, count, cudaGraphNodeTypeMemAlloc, [&s, at] { s.take_graph_block(at); },
            kept);
    });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNode_t const* after,
                                    std::size_t count, void* p) {
    return call("cudaGraphAddMemFreeNode", [&](session& s) {
        auto const at = address(p);
        if (s.graph_memory.blocks.count(at) == 0)
            throw failure(cudaErrorInvalidValue, "no node of a graph allocates " + hexadecimal(p));
        add_node(
            s, node, graph, after, count, cudaGraphNodeTypeMemFree,
            [&s, at] { static_cast<void>(s.free_graph_block(at)); }, cudaMemFreeNodeParams{p});
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

} // extern "C"
