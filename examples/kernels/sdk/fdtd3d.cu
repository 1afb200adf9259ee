// One step of a finite-difference scheme in three dimensions, radius 4. A CTA of 32 x 16 threads marches up a
// column of the volume: the plane that it is in lies in shared memory with a halo, what is above and below in
// registers. The volume has a margin as wide as the radius.
#include "cuda.hpp"

enum { radius = 4, across = 32, down = 16 };

__constant__ float coefficient[radius + 1];

// `pitch` elements from row to row, `plane` from plane to plane.
extern "C" __global__ void fdtd3d(float const* in, float* out, int nx, int ny, int nz, int pitch, int plane) {
    __shared__ float tile[down + 2 * radius][across + 2 * radius];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const x = blockIdx.x * across + tx, y = blockIdx.y * down + ty;
    bool const inside = x < nx && y < ny;
    bool const readable = x < nx + radius && y < ny + radius; // without the halo's far side
    float above[radius], below[radius], current;
    int const column = (y + radius) * pitch + x + radius;
    int from = column;
    for (int i = radius - 2; i >= 0; --i, from += plane) below[i] = readable ? in[from] : 0;
    current = readable ? in[from] : 0;
    int to = from; // of `current`
    from += plane;
    for (int i = 0; i < radius; ++i, from += plane) above[i] = readable ? in[from] : 0;

    for (int z = 0; z < nz; ++z) {
        for (int i = radius - 1; i > 0; --i) below[i] = below[i - 1];
        below[0] = current;
        current = above[0];
        for (int i = 0; i < radius - 1; ++i) above[i] = above[i + 1];
        above[radius - 1] = readable ? in[from] : 0;
        from += plane;
        to += plane;

        __syncthreads();
        if (ty < radius && readable) {
            tile[ty][tx + radius] = in[to - radius * pitch];
            if (y + down < ny + radius) tile[ty + down + radius][tx + radius] = in[to + down * pitch];
        }
        if (tx < radius && readable) {
            tile[ty + radius][tx] = in[to - radius];
            if (x + across < nx + radius) tile[ty + radius][tx + across + radius] = in[to + across];
        }
        tile[ty + radius][tx + radius] = current;
        __syncthreads();

        float value = coefficient[0] * current;
        for (int i = 1; i <= radius; ++i)
            value = fmaf(coefficient[i],
                         above[i - 1] + below[i - 1] + tile[ty + radius - i][tx + radius] +
                             tile[ty + radius + i][tx + radius] + tile[ty + radius][tx + radius - i] +
                             tile[ty + radius][tx + radius + i],
                         value);
        if (inside) out[to] = value;
    }
}
