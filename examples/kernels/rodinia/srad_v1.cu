// Speckle-reducing anisotropic diffusion as six kernels on a one-dimensional grid: the image out of its logarithm, and per
// step its sum and sum of squares (copied, then reduced launch by launch), the diffusion coefficients and the pixels;
// at the end the logarithm again. Pixels are stored column by column, neighbours found through tables.
#include "cuda.hpp"

enum { block = 512 };

extern "C" __global__ void srad_extract(float* image, int cells) {
    int const i = blockIdx.x * block + threadIdx.x;
    if (i < cells) image[i] = expf(image[i] / 255.0f);
}

extern "C" __global__ void srad_prepare(float const* image, float* sums, float* squares, int cells) {
    int const i = blockIdx.x * block + threadIdx.x;
    if (i >= cells) return;
    sums[i] = image[i];
    squares[i] = image[i] * image[i];
}

// Adds up the `count` elements that stand `stride` apart; the sum of each CTA takes the place of its first.
extern "C" __global__ void srad_reduce(float* sums, float* squares, int count, int stride) {
    __shared__ float sum[block];
    __shared__ float square[block];
    int const t = threadIdx.x;
    int const i = blockIdx.x * block + t;
    sum[t] = i < count ? sums[i * stride] : 0;
    square[t] = i < count ? squares[i * stride] : 0;
#pragma unroll 1
    for (int step = 2; step <= block; step *= 2) {
        __syncthreads();
        if ((t + 1) % step == 0) {
            sum[t] = sum[t] + sum[t - step / 2];
            square[t] = square[t] + square[t - step / 2];
        }
    }
    if (t == block - 1) {
        sums[blockIdx.x * block * stride] = sum[t];
        squares[blockIdx.x * block * stride] = square[t];
    }
}

extern "C" __global__ void srad_coefficient(int const* north, int const* south, int const* west,
                                            int const* east, float* dn, float* ds, float* dw, float* de,
                                            float q0, float* coefficient, float const* image, int rows,
                                            int cells) {
    int const i = blockIdx.x * block + threadIdx.x;
    if (i >= cells) return;
    int const row = i % rows, column = i / rows;
    float const here = image[i];
    float const n = image[north[row] + rows * column] - here;
    float const s = image[south[row] + rows * column] - here;
    float const w = image[row + rows * west[column]] - here;
    float const e = image[row + rows * east[column]] - here;
    float const g2 = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (here * here);
    float const l = (n + s + w + e) / here;
    float const num = fmaf(0.5f, g2, -(0.0625f * (l * l)));
    float const den = fmaf(0.25f, l, 1.0f);
    float const q = num / (den * den);
    float const c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    dn[i] = n;
    ds[i] = s;
    dw[i] = w;
    de[i] = e;
    coefficient[i] = c < 0 ? 0 : c > 1 ? 1 : c;
}

extern "C" __global__ void srad_update(int const* south, int const* east, float const* dn, float const* ds,
                                       float const* dw, float const* de, float const* coefficient,
                                       float* image, float lambda, int rows, int cells) {
    int const i = blockIdx.x * block + threadIdx.x;
    if (i >= cells) return;
    int const row = i % rows, column = i / rows;
    float const here = coefficient[i];
    float const cs = coefficient[south[row] + rows * column];
    float const ce = coefficient[row + rows * east[column]];
    float const divergence = fmaf(ce, de[i], fmaf(here, dw[i], fmaf(cs, ds[i], here * dn[i])));
    image[i] = fmaf(0.25f * lambda, divergence, image[i]);
}

extern "C" __global__ void srad_compress(float* image, int cells) {
    int const i = blockIdx.x * block + threadIdx.x;
    if (i < cells) image[i] = logf(image[i]) * 255.0f;
}
