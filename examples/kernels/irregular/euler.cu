// The fluxes of a finite-volume solver of Euler's equations, over the edges of a mesh: each thread has an edge,
// works out what flows through the face between its two nodes, and adds it to the balance of both. The five
// quantities of a node (density, momentum, energy) lie together, and so do its five balances.
#include "cuda.hpp"

enum { quantities = 5 };

struct edge {
    int a, b;
    float x, y, z; // normal of the face, as long as its area
};

// What flows through a face with one node's quantities.
WARPKIT_DEVICE void flux(float const* node, edge const& through, float* result) {
    float const density = node[0], mx = node[1], my = node[2], mz = node[3], energy = node[4];
    float const inverse = 1.0f / density;
    float const square = fmaf(mz, mz, fmaf(my, my, mx * mx));
    float const pressure = 0.4f * fmaf(-0.5f * square, inverse, energy);
    float const volume = fmaf(mz, through.z, fmaf(my, through.y, mx * through.x)) * inverse;
    result[0] = density * volume;
    result[1] = fmaf(mx, volume, pressure * through.x);
    result[2] = fmaf(my, volume, pressure * through.y);
    result[3] = fmaf(mz, volume, pressure * through.z);
    result[4] = (energy + pressure) * volume;
}

extern "C" __global__ void euler(edge const* edges, float const* state, float* balance, int count) {
    int const e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count) return;
    edge const through = edges[e];
    float from_a[quantities], from_b[quantities];
    flux(state + quantities * through.a, through, from_a);
    flux(state + quantities * through.b, through, from_b);
    for (int q = 0; q < quantities; ++q) {
        float const mean = 0.5f * (from_a[q] + from_b[q]);
        atomicAdd(&balance[quantities * through.a + q], -mean);
        atomicAdd(&balance[quantities * through.b + q], mean);
    }
}
