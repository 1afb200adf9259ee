// The fluxes of a finite-volume solver of Euler's equations: each thread has a node of a mesh, works out what
// flows through the faces between it and its neighbours, and adds it up. The five quantities of a node
// (density, momentum, energy) lie together, and so do its five balances. A face's normal points from the lower
// to the higher node of its edge.
#include "cuda.hpp"

enum { quantities = 5 };

struct vector {
    float x, y, z;
};

// What flows through a face with one node's quantities.
WARPKIT_DEVICE void flux(float const* node, vector normal, float* result) {
    float const density = node[0], mx = node[1], my = node[2], mz = node[3], energy = node[4];
    float const inverse = 1.0f / density;
    float const square = fmaf(mz, mz, fmaf(my, my, mx * mx));
    float const pressure = 0.4f * fmaf(-0.5f * square, inverse, energy);
    float const volume = fmaf(mz, normal.z, fmaf(my, normal.y, mx * normal.x)) * inverse;
    result[0] = density * volume;
    result[1] = fmaf(mx, volume, pressure * normal.x);
    result[2] = fmaf(my, volume, pressure * normal.y);
    result[3] = fmaf(mz, volume, pressure * normal.z);
    result[4] = (energy + pressure) * volume;
}

extern "C" __global__ void euler(int const* first, int const* neighbour, int const* edge,
                                 vector const* normals, float const* state, float* balance, int nodes) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    float own[quantities], sum[quantities];
    for (int q = 0; q < quantities; ++q) {
        own[q] = state[quantities * i + q];
        sum[q] = 0;
    }
    int const end = first[i + 1];
    for (int k = first[i]; k < end; ++k) {
        int const other = neighbour[k];
        vector const normal = normals[edge[k]];
        float from_own[quantities], from_other[quantities];
        flux(own, normal, from_own);
        flux(state + quantities * other, normal, from_other);
        float const half = other > i ? -0.5f : 0.5f;
        for (int q = 0; q < quantities; ++q) sum[q] = fmaf(half, from_own[q] + from_other[q], sum[q]);
    }
    for (int q = 0; q < quantities; ++q) balance[quantities * i + q] = sum[q];
}
