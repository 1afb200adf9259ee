// Fluxes of a flow solver on an unstructured mesh, each node's sum over its edges by one thread. The five quantities of
// a node lie together and are read word by word; edges lie coalesced. Density and energy come from where the flow does.
#include "cuda.hpp"

enum { quantities = 5 }; // density, momentum along x, y and z, energy

extern "C" __global__ void unstructured_flow(int const* neighbour, float const* area, float const* state,
                                             float* change, int nodes, int most) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    float const* const own = state + i * quantities;
    float const density = own[0], mx = own[1], my = own[2], mz = own[3], energy = own[4];
    float sum[quantities] = {0, 0, 0, 0, 0};
#pragma unroll 1
    for (int k = 0; k < most; ++k) {
        int const j = neighbour[k * nodes + i];
        if (j < 0) break;
        float const a = area[k * nodes + i];
        float const* const other = state + j * quantities;
        float const x = 0.5f * (mx + other[1]), y = 0.5f * (my + other[2]), z = 0.5f * (mz + other[3]);
        float const through = a * (x + y + z);
        float carried = density, heat = energy;
        if (through < 0) {
            carried = other[0];
            heat = other[4];
        }
        float const speed = through / carried;
        sum[0] += through;
        sum[1] = fmaf(speed, x, sum[1]);
        sum[2] = fmaf(speed, y, sum[2]);
        sum[3] = fmaf(speed, z, sum[3]);
        sum[4] = fmaf(speed, heat, sum[4]);
    }
    for (int q = 0; q < quantities; ++q) change[i * quantities + q] = sum[q];
}
