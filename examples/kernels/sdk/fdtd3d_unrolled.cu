// fdtd3d as the sample's directive has it: nine planes a round, one after the other in the code, so that a thread's loop
// is more than an instruction cache of 2 KiB holds.
#include "cuda.hpp"

enum { radius = 4, across = 32, down = 16, unrolled = 9 };

__constant__ float coefficient[radius + 1];

// What a thread knows of its column, and where it is: `from` is read next, `to` is of `current`.
struct column {
    float above[radius], below[radius], current;
    int from, to;
    bool readable; // without the halo's far side
    bool inside;
};

// `pitch` elements from row to row, `plane` from plane to plane.
struct volume {
    int nx, ny, pitch, plane;
};

typedef float tile_row[across + 2 * radius];

WARPKIT_DEVICE void one_plane(float const* in, float* out, tile_row* tile, volume const& v, column& c, int x,
                              int y) {
    int const tx = threadIdx.x, ty = threadIdx.y;
    for (int i = radius - 1; i > 0; --i) c.below[i] = c.below[i - 1];
    c.below[0] = c.current;
    c.current = c.above[0];
    for (int i = 0; i < radius - 1; ++i) c.above[i] = c.above[i + 1];
    c.above[radius - 1] = c.readable ? in[c.from] : 0;
    c.from += v.plane;
    c.to += v.plane;
    asm(""
        : "+r"(c.from),
          "+r"(c.to)); // a place is not worked out for each of the planes in a register of its own

    __syncthreads();
    if (ty < radius && c.readable) {
        tile[ty][tx + radius] = in[c.to - radius * v.pitch];
        if (y + down < v.ny + radius) tile[ty + down + radius][tx + radius] = in[c.to + down * v.pitch];
    }
    if (tx < radius && c.readable) {
        tile[ty + radius][tx] = in[c.to - radius];
        if (x + across < v.nx + radius) tile[ty + radius][tx + across + radius] = in[c.to + across];
    }
    tile[ty + radius][tx + radius] = c.current;
    __syncthreads();

    float value = coefficient[0] * c.current;
    for (int i = 1; i <= radius; ++i)
        value = fmaf(coefficient[i],
                     c.above[i - 1] + c.below[i - 1] + tile[ty + radius - i][tx + radius] +
                         tile[ty + radius + i][tx + radius] + tile[ty + radius][tx + radius - i] +
                         tile[ty + radius][tx + radius + i],
                     value);
    if (c.inside) out[c.to] = value;
}

// The planes that are left go in a loop.
extern "C" __global__ void fdtd3d_unrolled(float const* in, float* out, int nx, int ny, int nz, int pitch,
                                           int plane) {
    __shared__ tile_row tile[down + 2 * radius];
    int const x = blockIdx.x * across + threadIdx.x, y = blockIdx.y * down + threadIdx.y;
    volume const v = {nx, ny, pitch, plane};
    column c;
    c.inside = x < nx && y < ny;
    c.readable = x < nx + radius && y < ny + radius;
    c.from = (y + radius) * pitch + x + radius;
    for (int i = radius - 2; i >= 0; --i, c.from += plane) c.below[i] = c.readable ? in[c.from] : 0;
    c.current = c.readable ? in[c.from] : 0;
    c.to = c.from;
    c.from += plane;
    for (int i = 0; i < radius; ++i, c.from += plane) c.above[i] = c.readable ? in[c.from] : 0;

    int z = nz;
#pragma unroll 1
    for (; z >= unrolled; z -= unrolled)
#pragma unroll
        for (int i = 0; i < unrolled; ++i) one_plane(in, out, tile, v, c, x, y);
#pragma unroll 1
    for (; z > 0; --z) one_plane(in, out, tile, v, c, x, y);
}
