// One sweep of a seven-point stencil over a box: a CTA of 32 x 4 threads has a column of 64 x 4 points, two
// per thread, and marches up through the planes. The plane that it is in lies in shared memory, those above
// and below in registers; neighbours outside the column come from global memory.
#include "cuda.hpp"

enum { threads_x = 32, threads_y = 4, width = 2 * threads_x };

extern "C" __global__ void stencil(float const* in, float* out, float centre, float side, int nx, int ny,
                                   int nz) {
    __shared__ float plane[threads_y][width];
    int const tx = threadIdx.x, ty = threadIdx.y;
    int const x[2] = {int(blockIdx.x) * width + tx, int(blockIdx.x) * width + tx + threads_x};
    int const y = blockIdx.y * threads_y + ty;
    int const area = nx * ny;
    float below[2] = {0, 0}, above[2] = {0, 0};
    for (int h = 0; h < 2; ++h) {
        plane[ty][tx + h * threads_x] = 0;
        if (x[h] < nx && y < ny) {
            below[h] = in[y * nx + x[h]];
            plane[ty][tx + h * threads_x] = in[area + y * nx + x[h]];
        }
    }
    __syncthreads();
    for (int z = 1; z < nz - 1; ++z) {
        for (int h = 0; h < 2; ++h) {
            int const at = z * area + y * nx + x[h];
            int const in_plane = tx + h * threads_x;
            if (x[h] < nx && y < ny) above[h] = in[at + area];
            if (x[h] > 0 && y > 0 && x[h] < nx - 1 && y < ny - 1) {
                float const north = ty == threads_y - 1 ? in[at + nx] : plane[ty + 1][in_plane];
                float const south = ty == 0 ? in[at - nx] : plane[ty - 1][in_plane];
                float const west = h == 0 && tx == 0 ? in[at - 1] : plane[ty][in_plane - 1];
                float const east = h == 1 && tx == threads_x - 1 ? in[at + 1] : plane[ty][in_plane + 1];
                float const sum = above[h] + below[h] + north + south + west + east;
                out[at] = fmaf(sum, side, -(plane[ty][in_plane] * centre));
            }
        }
        __syncthreads();
        for (int h = 0; h < 2; ++h) {
            below[h] = plane[ty][tx + h * threads_x];
            plane[ty][tx + h * threads_x] = above[h];
        }
        __syncthreads();
    }
}
