// Two loops of a flow solver on an unstructured mesh. Over edges: differences of the four quantities of both
// nodes, weighted, are added to both. Over tetrahedra: the mean of the four nodes is added to each.
#include "cuda.hpp"

extern "C" __global__ void unstructured_edges(int2 const* edges, float const* weight, float4 const* state,
                                              float* change, int count) {
    int const e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count) return;
    int const a = edges[e].x, b = edges[e].y;
    float4 const flow = (state[b] - state[a]) * weight[e];
    for (int q = 0; q < 4; ++q) {
        atomicAdd(&change[4 * a + q], flow[q]);
        atomicAdd(&change[4 * b + q], -flow[q]);
    }
}

extern "C" __global__ void unstructured_cells(int4 const* cells, float4 const* state, float* change,
                                              int count) {
    int const c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= count) return;
    int4 const cell = cells[c];
    float4 const mean = (state[cell.x] + state[cell.y] + state[cell.z] + state[cell.w]) * 0.25f;
    for (int corner = 0; corner < 4; ++corner)
        for (int q = 0; q < 4; ++q) atomicAdd(&change[4 * cell[corner] + q], mean[q]);
}
