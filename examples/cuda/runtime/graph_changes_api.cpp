// What nodes of graphs are changed to, how clones are found again, and objects that graphs keep.
#include "graphs.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace warpkit::cuda;

namespace {

kernel_contents const& kernel_of(session& s, cudaGraphNode_t node) {
    auto const* const known =
        std::get_if<std::shared_ptr<kernel_contents>>(&find_node(s, node, cudaGraphNodeTypeKernel)->contents);
    if (known == nullptr) throw failure(cudaErrorNotSupported, "what this node was captured of is not kept");
    return **known;
}
// The same kernel with other attributes; a clone may have the old ones.
void give_attributes(session& s, cudaGraphNode_t node, kernel_attributes attributes) {
    auto const& old = kernel_of(s, node);
    node->run = run_of(s, old.parameters, attributes);
    node->contents = contents_of(s, old.parameters, old.block, std::move(attributes));
}
constexpr cudaLaunchAttributeID kernel_node_attributes[] = {
    cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative,
    cudaLaunchAttributeClusterDimension, cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributePriority};
void require_kernel_attribute(cudaLaunchAttributeID attribute) {
    if (std::find(std::begin(kernel_node_attributes), std::end(kernel_node_attributes), attribute) ==
        std::end(kernel_node_attributes))
        throw failure(cudaErrorInvalidValue,
                      "nodes of kernels have no such attribute: " + std::to_string(attribute));
}

// A copy to a variable or from it: what it does, and the same as a box.
struct symbol_copy {
    std::function<void()> run;
    cudaMemcpy3DParms box;
};
symbol_copy to_variable(session& s, void const* symbol, void const* from, std::size_t bytes,
                        std::size_t offset, cudaMemcpyKind kind) {
    static_cast<void>(s.symbol_bytes(symbol, bytes, offset));
    return {[=, &s] { succeed(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, s.graph_stream)); },
            as_box(pointer(s.symbol_address(symbol) + offset), from, bytes, kind)};
}
symbol_copy from_variable(session& s, void* to, void const* symbol, std::size_t bytes, std::size_t offset,
                          cudaMemcpyKind kind) {
    static_cast<void>(s.symbol_bytes(symbol, bytes, offset));
    return {[=, &s] { succeed(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, s.graph_stream)); },
            as_box(to, pointer(s.symbol_address(symbol) + offset), bytes, kind)};
}
void change(session& s, cudaGraphNode_t node, symbol_copy copy) {
    auto* const n = find_node(s, node, cudaGraphNodeTypeMemcpy);
    n->run = std::move(copy.run);
    n->contents = copy.box;
}
void change_event(session& s, cudaGraphNode_t node, cudaGraphNodeType type, cudaEvent_t event) {
    auto* const n = find_node(s, node, type);
    n->run = type == cudaGraphNodeTypeEventRecord ? run_of_record(s, event) : run_of_wait(s, event);
    n->contents = event;
}

cudaKernelNodeParams plain(cudaKernelNodeParamsV2 const& k) {
    return {k.func, k.gridDim, k.blockDim, k.sharedMemBytes, k.kernelParams, k.extra};
}
cudaError_t not_changed(char const* name, cudaGraphNodeType type) {
    return call(name, [type](session&) {
        throw failure(cudaErrorNotSupported, "nodes of type " + std::to_string(type) + " are not changed");
    });
}

void require_count(unsigned count) {
    if (count == 0 || count > static_cast<unsigned>(std::numeric_limits<int>::max()))
        throw failure(cudaErrorInvalidValue, std::to_string(count) + " references");
}
// The object itself, for as long as somebody holds it.
std::shared_ptr<CUuserObject_st> object_of(session& s, cudaUserObject_t object) {
    std::shared_ptr<CUuserObject_st> found;
    auto const look = [&](held_objects const& held) {
        if (auto const o = held.find(object); o != held.end()) found = o->second.object;
    };
    look(s.objects);
    s.graphs.for_each([&](CUgraph_st& g) { look(g.objects); });
    s.streams.for_each([&](CUstream_st& stream) {
        if (stream.captures != nullptr) look(stream.captures->objects);
    });
    if (!found) throw failure(cudaErrorInvalidValue, "not, or no longer, the handle of a user object");
    return found;
}
void take_references(held_objects& from, cudaUserObject_t object, unsigned count, char const* whose) {
    auto const held = from.find(object);
    auto const has = held == from.end() ? 0 : held->second.count;
    if (has < count)
        throw failure(cudaErrorInvalidValue, std::to_string(count) + " references are given back, " + whose +
                                                 " has " + std::to_string(has));
    held->second.count -= count;
    if (held->second.count != 0) return;
    auto const last = std::move(held->second.object); // whose end may be here, with nothing half done
    from.erase(held);
}
void add_references(held_objects& to, std::shared_ptr<CUuserObject_st> const& object, unsigned count) {
    auto& held = to[object.get()];
    held.object = object;
    held.count += count;
}
CUgraph_st& graph_of(session& s, cudaGraph_t graph) {
    if (s.captured_graph(graph) == nullptr) require_graph(s, graph);
    return *graph;
}

} // namespace

extern "C" {

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
    return call("cudaGraphKernelNodeGetAttribute", [&](session& s) {
        require(value, "the result");
        require_kernel_attribute(attribute);
        auto const& known = kernel_of(s, node).attributes;
        auto const found = known.find(attribute);
        *value = found == known.end() ? cudaLaunchAttributeValue{} : found->second;
    });
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue const* value) {
    return call("cudaGraphKernelNodeSetAttribute", [&](session& s) {
        require(value, "the value");
        require_kernel_attribute(attribute);
        auto attributes = kernel_of(s, node).attributes;
        attributes[attribute] = *value;
        give_attributes(s, node, std::move(attributes));
    });
}
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    return call("cudaGraphKernelNodeCopyAttributes",
                [&](session& s) { give_attributes(s, to, kernel_of(s, from).attributes); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           cudaGraphNode_t const* after, std::size_t count,
                                           void const* symbol, void const* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
    return call("cudaGraphAddMemcpyNodeToSymbol", [&](session& s) {
        auto copy = to_variable(s, symbol, from, bytes, offset, kind);
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemcpy, std::move(copy.run), copy.box);
    });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             cudaGraphNode_t const* after, std::size_t count, void* to,
                                             void const* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
    return call("cudaGraphAddMemcpyNodeFromSymbol", [&](session& s) {
        auto copy = from_variable(s, to, symbol, bytes, offset, kind);
        add_node(s, node, graph, after, count, cudaGraphNodeTypeMemcpy, std::move(copy.run), copy.box);
    });
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, void const* symbol, void const* from,
                                                 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
    return call("cudaGraphMemcpyNodeSetParamsToSymbol",
                [&](session& s) { change(s, node, to_variable(s, symbol, from, bytes, offset, kind)); });
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, void const* symbol,
                                                   std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind kind) {
    return call("cudaGraphMemcpyNodeSetParamsFromSymbol",
                [&](session& s) { change(s, node, from_variable(s, to, symbol, bytes, offset, kind)); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     void const* symbol, void const* from, std::size_t bytes,
                                                     std::size_t offset, cudaMemcpyKind kind) {
    return call("cudaGraphExecMemcpyNodeSetParamsToSymbol", [&](session& s) {
        step_of(s, executable, node, cudaGraphNodeTypeMemcpy).run =
            to_variable(s, symbol, from, bytes, offset, kind).run;
    });
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       void* to, void const* symbol, std::size_t bytes,
                                                       std::size_t offset, cudaMemcpyKind kind) {
    return call("cudaGraphExecMemcpyNodeSetParamsFromSymbol", [&](session& s) {
        step_of(s, executable, node, cudaGraphNodeTypeMemcpy).run =
            from_variable(s, to, symbol, bytes, offset, kind).run;
    });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return call("cudaGraphEventRecordNodeSetEvent",
                [&](session& s) { change_event(s, node, cudaGraphNodeTypeEventRecord, event); });
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return call("cudaGraphEventWaitNodeSetEvent",
                [&](session& s) { change_event(s, node, cudaGraphNodeTypeWaitEvent, event); });
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
    return call("cudaGraphExecEventRecordNodeSetEvent", [&](session& s) {
        step_of(s, executable, node, cudaGraphNodeTypeEventRecord).run = run_of_record(s, event);
    });
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event) {
    return call("cudaGraphExecEventWaitNodeSetEvent", [&](session& s) {
        step_of(s, executable, node, cudaGraphNodeTypeWaitEvent).run = run_of_wait(s, event);
    });
}
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
    return call("cudaGraphNodeFindInClone", [&](session& s) {
        require(node, "the result");
        require(original, "the node");
        require_graph(s, clone);
        for (auto const& n : clone->nodes)
            if (n->original == original) {
                *node = n.get();
                return;
            }
        throw failure(cudaErrorInvalidValue, "the graph has no clone of this node");
    });
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
    return call("cudaGraphMemAllocNodeGetParams", [&](session& s) {
        require(p, "the result");
        *p = std::get<cudaMemAllocNodeParams>(find_node(s, node, cudaGraphNodeTypeMemAlloc)->contents);
    });
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* p) {
    return call("cudaGraphMemFreeNodeGetParams", [&](session& s) {
        require(p, "the result");
        auto const& freed =
            std::get<cudaMemFreeNodeParams>(find_node(s, node, cudaGraphNodeTypeMemFree)->contents);
        std::memcpy(p, &freed.dptr, sizeof freed.dptr);
    });
}

// Each kind by the function that changes it.
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
    auto const code = call("cudaGraphNodeSetParams", [&](session&) { require(p, "the parameters"); });
    if (code != cudaSuccess) return code;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        auto const k = plain(p->kernel);
        return cudaGraphKernelNodeSetParams(node, &k);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphMemcpyNodeSetParams(node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphMemsetNodeSetParams(node, &p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphHostNodeSetParams(node, &p->host);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphEventRecordNodeSetEvent(node, p->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphEventWaitNodeSetEvent(node, p->eventWait.event);
    default:
        return not_changed("cudaGraphNodeSetParams", p->type);
    }
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
    auto const code = call("cudaGraphExecNodeSetParams", [&](session&) { require(p, "the parameters"); });
    if (code != cudaSuccess) return code;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        auto const k = plain(p->kernel);
        return cudaGraphExecKernelNodeSetParams(executable, node, &k);
    }
    case cudaGraphNodeTypeMemcpy:
        return cudaGraphExecMemcpyNodeSetParams(executable, node, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return cudaGraphExecMemsetNodeSetParams(executable, node, &p->memset);
    case cudaGraphNodeTypeHost:
        return cudaGraphExecHostNodeSetParams(executable, node, &p->host);
    case cudaGraphNodeTypeGraph:
        return cudaGraphExecChildGraphNodeSetParams(executable, node, p->graph.graph);
    case cudaGraphNodeTypeEventRecord:
        return cudaGraphExecEventRecordNodeSetEvent(executable, node, p->eventRecord.event);
    case cudaGraphNodeTypeWaitEvent:
        return cudaGraphExecEventWaitNodeSetEvent(executable, node, p->eventWait.event);
    default:
        return not_changed("cudaGraphExecNodeSetParams", p->type);
    }
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
    return call("cudaUserObjectCreate", [&](session& s) {
        require(object, "the result");
        if (destroy == nullptr) throw failure(cudaErrorInvalidValue, "the destructor is a null pointer");
        require_count(count);
        if (flags != cudaUserObjectNoDestructorSync)
            throw failure(cudaErrorInvalidValue, "expected cudaUserObjectNoDestructorSync");
        auto made = std::make_shared<CUuserObject_st>(data, destroy);
        *object = made.get();
        add_references(s.objects, made, count);
    });
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
    return call("cudaUserObjectRetain", [&](session& s) {
        require_count(count);
        add_references(s.objects, object_of(s, object), count);
    });
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
    return call("cudaUserObjectRelease", [&](session& s) {
        require_count(count);
        take_references(s.objects, object, count, "the program");
    });
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
    return call("cudaGraphRetainUserObject", [&](session& s) {
        auto& g = graph_of(s, graph);
        require_count(count);
        require_flags(flags, cudaGraphUserObjectMove);
        auto const kept = object_of(s, object);
        if (flags == cudaGraphUserObjectMove) take_references(s.objects, object, count, "the program");
        add_references(g.objects, kept, count);
    });
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
    return call("cudaGraphReleaseUserObject", [&](session& s) {
        require_count(count);
        take_references(graph_of(s, graph).objects, object, count, "the graph");
    });
}

} // extern "C"
