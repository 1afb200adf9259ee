#pragma once
// What the calls of graphs share (graph_api.cpp, graph_nodes_api.cpp).

#include "session.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace warpkit::cuda {

void require_graph(session const& s, cudaGraph_t graph);
CUgraphNode_st* node_of(CUgraph_st& graph, cudaGraphNode_t node);
// A node of any graph, and which that is.
struct found_node {
    CUgraph_st* graph;
    CUgraphNode_st* node;
};
found_node find_node(session& s, cudaGraphNode_t node);
CUgraphNode_st* find_node(session& s, cudaGraphNode_t node, cudaGraphNodeType type);
// A node that comes after those of a list, which must be of this graph.
CUgraphNode_st* add_node(session& s, cudaGraphNode_t* result, cudaGraph_t graph, cudaGraphNode_t const* after,
                         std::size_t count, cudaGraphNodeType type, std::function<void()> run,
                         node_contents contents = {});
// Every node behind those that it depends on, as it is now.
CUgraphExec_st instantiated(CUgraph_st const& graph);

// A node of an instantiated graph.
CUgraphExec_st::step& step_of(session& s, cudaGraphExec_t executable, cudaGraphNode_t node,
                              cudaGraphNodeType type);

node_contents contents_of(session& s, cudaKernelNodeParams const& p, std::vector<std::byte> block,
                          kernel_attributes attributes = {});
// Of a launch, what its node has as attributes.
kernel_attributes attributes_of(launch_shape const& shape);
// Fails where the API function that a node stands for has failed; that one has said why.
inline void succeed(cudaError_t code) {
    if (code != cudaSuccess) throw failure(code, "a node of the graph failed");
}
// By their data, edges may let a kernel begin before the one in front has ended. Here it waits, which it may as well.
inline void check_edges(cudaGraphEdgeData const* edges, std::size_t count) {
    if (edges == nullptr) return;
    for (std::size_t i = 0; i < count; ++i)
        if (edges[i].type > cudaGraphDependencyTypeProgrammatic || edges[i].to_port != 0 ||
            edges[i].from_port > cudaGraphKernelNodePortLaunchCompletion)
            throw failure(cudaErrorInvalidValue,
                          "an edge of a graph is of no known type or port (cudaGraphKernelNodePortDefault, "
                          "Programmatic or LaunchCompletion, to port 0)");
}
// Of the functions that have edges' data among their arguments from CUDA 13 on, under the same names.
inline void require_toolkit_12(session const& s) {
    if (s.of_toolkit_13())
        throw failure(
            cudaErrorNotSupported,
            "nvcc of CUDA 13 hands over other arguments here: compile with warpkit-cuda, or with CUDA 12");
}
// What such a node does.
std::function<void()> run_of(session& s, cudaKernelNodeParams const& p,
                             kernel_attributes const& attributes = {});
std::function<void()> run_of_record(session& s, cudaEvent_t event);
std::function<void()> run_of_wait(session& s, cudaEvent_t event);
std::function<void()> run_of_child(session& s, cudaGraph_t child);
std::function<void()> run_of(cudaMemcpy3DParms const& p);
std::function<void()> run_of(cudaMemsetParams const& p);
std::function<void()> run_of(cudaHostNodeParams const& p);
std::function<void()> run_of_copy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind);
// A copy of bytes in a row, as one of boxes.
cudaMemcpy3DParms as_box(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind);

} // namespace warpkit::cuda
