// Speckle-reducing anisotropic diffusion, two launches per step: the diffusion coefficient of each pixel from its
// neighbours, then the pixel from the coefficients. A tile of 16 x 16 and its four borders go through shared memory.
#include "cuda.hpp"

enum { side = 16 };

extern "C" __global__ void srad_coefficient(float* east, float* west, float* north, float* south,
                                            float const* image, float* coefficient, int columns, float q0) {
    __shared__ float tile[side][side];
    __shared__ float above[side][side];
    __shared__ float below[side][side];
    __shared__ float left[side][side];
    __shared__ float right[side][side];
    int const bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int const last_x = static_cast<int>(gridDim.x) - 1, last_y = static_cast<int>(gridDim.y) - 1;
    int const last = columns * side * static_cast<int>(gridDim.y) - 1;
    int const corner = columns * side * by + side * bx;
    int const at = corner + columns * ty + tx;
    // Every row of threads loads the border rows, and every column of threads the border columns; at the image's edges
    // once more, as the original does, because there the first load was of something else.
    above[ty][tx] = image[max(corner + tx - columns, 0)];
    below[ty][tx] = image[min(corner + columns * side + tx, last)];
    if (by == 0) above[ty][tx] = image[corner + tx];
    if (by == last_y) below[ty][tx] = image[corner + columns * (side - 1) + tx];
    __syncthreads();
    left[ty][tx] = image[max(corner + columns * ty - 1, 0)];
    right[ty][tx] = image[min(corner + columns * ty + side, last)];
    if (bx == 0) left[ty][tx] = image[corner + columns * ty];
    if (bx == last_x) right[ty][tx] = image[corner + columns * ty + side - 1];
    __syncthreads();
    tile[ty][tx] = image[at];
    __syncthreads();

    float const here = tile[ty][tx];
    float const dn = (ty == 0 ? above[ty][tx] : tile[ty - 1][tx]) - here;
    float const ds = (ty == side - 1 ? below[ty][tx] : tile[ty + 1][tx]) - here;
    float const dw = (tx == 0 ? left[ty][tx] : tile[ty][tx - 1]) - here;
    float const de = (tx == side - 1 ? right[ty][tx] : tile[ty][tx + 1]) - here;

    float const g2 = fmaf(de, de, fmaf(dw, dw, fmaf(ds, ds, dn * dn))) / (here * here);
    float const l = (dn + ds + dw + de) / here;
    float const num = fmaf(0.5f, g2, -(0.0625f * (l * l)));
    float const den = fmaf(0.25f, l, 1.0f);
    float const q = num / (den * den);
    float const c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    coefficient[at] = c < 0 ? 0 : c > 1 ? 1 : c;
    east[at] = de;
    west[at] = dw;
    south[at] = ds;
    north[at] = dn;
}

extern "C" __global__ void srad_update(float const* east, float const* west, float const* north,
                                       float const* south, float* image, float const* coefficient,
                                       int columns, float lambda) {
    __shared__ float tile[side][side];
    __shared__ float below[side][side];
    __shared__ float right[side][side];
    int const bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int const last_x = static_cast<int>(gridDim.x) - 1, last_y = static_cast<int>(gridDim.y) - 1;
    int const last = columns * side * static_cast<int>(gridDim.y) - 1;
    int const corner = columns * side * by + side * bx;
    int const at = corner + columns * ty + tx;
    below[ty][tx] = coefficient[min(corner + columns * side + tx, last)];
    if (by == last_y) below[ty][tx] = coefficient[corner + columns * (side - 1) + tx];
    __syncthreads();
    right[ty][tx] = coefficient[min(corner + columns * ty + side, last)];
    if (bx == last_x) right[ty][tx] = coefficient[corner + columns * ty + side - 1];
    __syncthreads();
    float const old = image[at];
    tile[ty][tx] = coefficient[at];
    __syncthreads();
    float const here = tile[ty][tx];
    float const cs = ty == side - 1 ? below[ty][tx] : tile[ty + 1][tx];
    float const ce = tx == side - 1 ? right[ty][tx] : tile[ty][tx + 1];
    float const divergence = fmaf(ce, east[at], fmaf(here, west[at], fmaf(cs, south[at], here * north[at])));
    image[at] = fmaf(0.25f * lambda, divergence, old);
}
