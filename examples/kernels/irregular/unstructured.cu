// Two loops of a flow solver on an unstructured mesh, each node's part of them by one thread. Over edges: the
// differences to the neighbours' four quantities, weighted, are added up. Over tetrahedra: the mean of the four
// corners of each is worked out, a thread per tetrahedron, and then added up at the nodes.
#include "cuda.hpp"

extern "C" __global__ void unstructured_edges(int const* first, int const* neighbour, int const* edge,
                                              float const* weight, float4 const* state, float4* change,
                                              int nodes) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    float4 const own = state[i];
    float4 sum = 0;
    int const end = first[i + 1];
    for (int k = first[i]; k < end; ++k) sum += (state[neighbour[k]] - own) * weight[edge[k]];
    change[i] = sum;
}

extern "C" __global__ void unstructured_means(int4 const* cells, float4 const* state, float4* mean,
                                              int count) {
    int const c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= count) return;
    int4 const cell = cells[c];
    mean[c] = (state[cell.x] + state[cell.y] + state[cell.z] + state[cell.w]) * 0.25f;
}

extern "C" __global__ void unstructured_cells(int const* first, int const* cell, float4 const* mean,
                                              float4* change, int nodes) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    float4 sum = change[i];
    int const end = first[i + 1];
    for (int k = first[i]; k < end; ++k) sum += mean[cell[k]];
    change[i] = sum;
}
