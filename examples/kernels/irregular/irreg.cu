// One sweep over a mesh, as solvers of partial differential equations make: each thread has a node and adds up
// what flows to it along its edges.
#include "cuda.hpp"

extern "C" __global__ void irreg(int const* first, int const* neighbour, float const* x, float* y,
                                 int nodes) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    float const own = x[i];
    float sum = y[i];
    int const end = first[i + 1];
    for (int k = first[i]; k < end; ++k) sum = fmaf(0.5f, x[neighbour[k]] - own, sum);
    y[i] = sum;
}
