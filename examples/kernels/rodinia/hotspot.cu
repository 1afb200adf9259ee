// Heat on a chip: several time steps of a five-point stencil per launch. A CTA of 16 x 16 threads loads a
// square of cells with a ghost zone `steps` wide, and the square that it computes shrinks by one ring per
// step.
#include "cuda.hpp"

enum { side = 16 };

extern "C" __global__ void hotspot(float const* power, float const* from, float* to, int columns, int rows,
                                   int steps, float rate, float across_x, float across_y, float across_z,
                                   float ambient) {
    __shared__ float now[side][side];
    __shared__ float next[side][side];
    __shared__ float heat[side][side];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const inner = side - 2 * steps;
    int const x0 = static_cast<int>(blockIdx.x) * inner - steps;
    int const y0 = static_cast<int>(blockIdx.y) * inner - steps;
    int const x = x0 + tx, y = y0 + ty;
    bool const inside = x >= 0 && x < columns && y >= 0 && y < rows;
    if (inside) {
        now[ty][tx] = from[y * columns + x];
        heat[ty][tx] = power[y * columns + x];
    }
    __syncthreads();

    // At the chip's edge a cell is its own neighbour.
    int const west = max(tx - 1, max(-x0, 0)), east = min(tx + 1, min(columns - 1 - x0, side - 1));
    int const north = max(ty - 1, max(-y0, 0)), south = min(ty + 1, min(rows - 1 - y0, side - 1));
    bool mine = false;
    for (int i = 0; i < steps; ++i) {
        mine = inside && tx > i && tx < side - 1 - i && ty > i && ty < side - 1 - i;
        if (mine) {
            float const t = now[ty][tx];
            float const vertical = fmaf(-2.0f, t, now[south][tx] + now[north][tx]);
            float const horizontal = fmaf(-2.0f, t, now[ty][east] + now[ty][west]);
            float flow = fmaf(vertical, across_y, heat[ty][tx]);
            flow = fmaf(horizontal, across_x, flow);
            flow = fmaf(ambient - t, across_z, flow);
            next[ty][tx] = fmaf(rate, flow, t);
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (mine) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (mine) to[y * columns + x] = next[ty][tx];
}
