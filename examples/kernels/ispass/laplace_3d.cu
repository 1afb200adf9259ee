// A step of Jacobi's iteration for Laplace's equation on a box, one plane after the other: each CTA keeps three planes
// of its column of the box in shared memory, with a border of neighbours' points around them.
#include "cuda.hpp"

enum {
    across = 32,
    down = 4,
    row = across + 2,
    plane = row * (down + 2),
    border = 2 * (across + down) // points around a tile, without corners
};

extern "C" __global__ void laplace_3d(float const* in, float* out, int nx, int ny, int nz, int pitch) {
    __shared__ float u[3 * plane];
    int const x = blockIdx.x * across + threadIdx.x, y = blockIdx.y * down + threadIdx.y;
    int const own = plane + (threadIdx.y + 1) * row + threadIdx.x + 1; // in the middle plane
    bool const inside = x < nx && y < ny;
    int at = y * pitch + x;

    // A thread's point of the border: those above and below first, then those left and right.
    int const t = threadIdx.y * across + threadIdx.x;
    int const left = t < 2 * across ? t % across : (t - 2 * across) / down != 0 ? across : -1;
    int const top = t < 2 * across ? (t / across != 0 ? int(down) : -1) : (t - 2 * across) % down;
    int const beside_x = blockIdx.x * across + left, beside_y = blockIdx.y * down + top;
    int const beside = plane + (top + 1) * row + left + 1;
    bool const has_border = t < border && beside_x >= 0 && beside_x < nx && beside_y >= 0 && beside_y < ny;
    int border_at = beside_y * pitch + beside_x;

    int const step = pitch * ny;
    if (inside) u[own + plane] = in[at];
    if (has_border) u[beside + plane] = in[border_at];
#pragma unroll 1
    for (int k = 0; k < nz; ++k, at += step, border_at += step) {
        if (inside) {
            u[own - plane] = u[own];
            u[own] = u[own + plane];
            if (k + 1 < nz) u[own + plane] = in[at + step];
        }
        if (has_border) {
            u[beside - plane] = u[beside];
            u[beside] = u[beside + plane];
            if (k + 1 < nz) u[beside + plane] = in[border_at + step];
        }
        __syncthreads();
        if (inside) {
            float value = u[own];
            if (x > 0 && x + 1 < nx && y > 0 && y + 1 < ny && k > 0 && k + 1 < nz)
                value = (u[own - 1] + u[own + 1] + u[own - row] + u[own + row] + u[own - plane] +
                         u[own + plane]) *
                        (1.0f / 6);
            out[at] = value;
        }
        __syncthreads();
    }
}
