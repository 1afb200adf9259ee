// One sweep over the edges of a mesh, as solvers of partial differential equations make: each thread has an
// edge and adds what flows along it to the nodes at both ends.
#include "cuda.hpp"

extern "C" __global__ void irreg(int2 const* edges, float const* x, float* y, int count) {
    int const e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count) return;
    int const a = edges[e].x, b = edges[e].y;
    float const flow = 0.5f * (x[a] - x[b]);
    atomicAdd(&y[a], -flow);
    atomicAdd(&y[b], flow);
}
