// Tracking points of a heart's wall through a video, a CTA per point and a launch per frame: the point's template is
// convolved with the window around it, the window's sums and sums of squares under the template are found by running sums
// along columns and rows, and where the correlation is highest is the point's new place.
#include "cuda.hpp"

enum { block = 256 };

// Sides: of the template, of the window, of what their convolution covers, of the window with margins for the sums.
struct sides {
    int tile, window, full, padded;
};

// The sums under a template of all places, of the squares too if asked: running sums down columns, their differences,
// running sums along rows, and their differences.
WARPKIT_DEVICE void window_sums(float const* window, float* padded, float* columns, float* sums, sides s,
                                bool squares) {
    int const t = threadIdx.x;
#pragma unroll 1
    for (int i = t; i < s.padded * s.padded; i += block) {
        int const row = i / s.padded - s.tile, column = i % s.padded - s.tile;
        float x = 0;
        if (row >= 0 && row < s.window && column >= 0 && column < s.window)
            x = window[row * s.window + column];
        padded[i] = squares ? x * x : x;
    }
    __syncthreads();
    if (t < s.padded) {
        float sum = 0;
#pragma unroll 1
        for (int row = 0; row < s.padded; ++row)
            padded[row * s.padded + t] = sum += padded[row * s.padded + t];
    }
    __syncthreads();
#pragma unroll 1
    for (int i = t; i < s.full * s.padded; i += block) columns[i] = padded[i + s.tile * s.padded] - padded[i];
    __syncthreads();
    if (t < s.full) {
        float sum = 0;
#pragma unroll 1
        for (int column = 0; column < s.padded; ++column)
            columns[t * s.padded + column] = sum += columns[t * s.padded + column];
    }
    __syncthreads();
#pragma unroll 1
    for (int i = t; i < s.full * s.full; i += block) {
        int const at = i / s.full * s.padded + i % s.full;
        sums[i] = columns[at + s.tile] - columns[at];
    }
    __syncthreads();
}

extern "C" __global__ void heartwall(float const* frame, int frame_columns, int2* points,
                                     float const* templates, float* scratch, sides s) {
    __shared__ float best[block];
    __shared__ int place[block];
    __shared__ float template_sum[block];
    __shared__ float template_square[block];
    int const t = threadIdx.x;
    int2 const point = points[blockIdx.x];
    float const* const tile = templates + blockIdx.x * s.tile * s.tile;
    float* const window =
        scratch + blockIdx.x * (s.window * s.window + s.tile * s.tile + 3 * s.full * s.full +
                                s.padded * s.padded + s.full * s.padded);
    float* const turned = window + s.window * s.window;
    float* const products = turned + s.tile * s.tile;
    float* const sums = products + s.full * s.full;
    float* const squares = sums + s.full * s.full;
    float* const padded = squares + s.full * s.full;
    float* const columns = padded + s.padded * s.padded;

#pragma unroll 1
    for (int i = t; i < s.window * s.window; i += block)
        window[i] = frame[(point.y - s.window / 2 + i / s.window) * frame_columns + point.x - s.window / 2 +
                          i % s.window];
    float sum = 0, square = 0;
#pragma unroll 1
    for (int i = t; i < s.tile * s.tile; i += block) {
        float const x = tile[i];
        turned[s.tile * s.tile - 1 - i] = x;
        sum += x;
        square = fmaf(x, x, square);
    }
    template_sum[t] = sum;
    template_square[t] = square;
#pragma unroll 1
    for (int step = block / 2; step > 0; step /= 2) {
        __syncthreads();
        if (t < step) {
            template_sum[t] += template_sum[t + step];
            template_square[t] += template_square[t + step];
        }
    }
    __syncthreads();

#pragma unroll 1
    for (int i = t; i < s.full * s.full; i += block) {
        int const row = i / s.full, column = i % s.full;
        float product = 0;
        int const first = max(0, column - s.tile + 1), last = min(s.window - 1, column);
#pragma unroll 1
        for (int y = max(0, row - s.tile + 1); y <= min(s.window - 1, row); ++y)
#pragma unroll 1
            for (int x = first; x <= last; ++x)
                product = fmaf(turned[(row - y) * s.tile + column - x], window[y * s.window + x], product);
        products[i] = product;
    }
    __syncthreads();
    window_sums(window, padded, columns, sums, s, false);
    window_sums(window, padded, columns, squares, s, true);

    float const elements = static_cast<float>(s.tile * s.tile);
    float const template_deviation =
        sqrtf(fmaxf(template_square[0] - template_sum[0] * template_sum[0] / elements, 1e-6f));
    float highest = -1e30f;
    int at = 0;
#pragma unroll 1
    for (int i = t; i < s.full * s.full; i += block) {
        float const numerator = products[i] - sums[i] * template_sum[0] / elements;
        float const deviation = sqrtf(fmaxf(squares[i] - sums[i] * sums[i] / elements, 1e-6f));
        float const correlation = numerator / (deviation * template_deviation);
        // Only where the whole template lies in the window.
        int const row = i / s.full, column = i % s.full;
        if (row >= s.tile - 1 && row < s.window && column >= s.tile - 1 && column < s.window &&
            correlation > highest) {
            highest = correlation;
            at = i;
        }
    }
    best[t] = highest;
    place[t] = at;
    __syncthreads();
    if (t != 0) return;
#pragma unroll 1
    for (int i = 1; i < block; ++i)
        if (best[i] > highest) {
            highest = best[i];
            at = place[i];
        }
    int2 moved;
    moved.x = point.x + at % s.full - s.full / 2;
    moved.y = point.y + at / s.full - s.full / 2;
    points[blockIdx.x] = moved;
}
