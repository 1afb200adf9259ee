// Finding and tracking white blood cells: how well a circle about each pixel fits the gradients, the highest such score
// around each pixel, and the gradient flow about a cell, relaxed in shared memory by a CTA per cell until it rests.
#include "cuda.hpp"

enum {
    circles = 7,
    samples = 150,
    margin = 22,
    strel_most = 25,
    cell_rows = 41,
    cell_columns = 81,
    flow_block = 320
};

__constant__ float sine[samples];
__constant__ float cosine[samples];
__constant__ int offset_x[circles * samples];
__constant__ int offset_y[circles * samples];
__constant__ float strel[strel_most * strel_most];

// A CTA per column, a thread per row; images are stored column by column.
extern "C" __global__ void circle_scores(float const* gradient_x, float const* gradient_y, float* scores,
                                         int rows) {
    int const column = blockIdx.x + margin, row = threadIdx.x + margin;
    float highest = 0;
#pragma unroll 1
    for (int k = 0; k < circles; ++k) {
        float sum = 0, squares = 0;
#pragma unroll 1
        for (int n = 0; n < samples; ++n) {
            int const at = (column + offset_x[k * samples + n]) * rows + row + offset_y[k * samples + n];
            float const p = fmaf(gradient_x[at], cosine[n], gradient_y[at] * sine[n]);
            sum += p;
            squares = fmaf(p, p, squares);
        }
        float const mean = sum / static_cast<float>(samples);
        float const variance = (squares - sum * mean) / static_cast<float>(samples - 1);
        highest = fmaxf(highest, mean * mean / variance);
    }
    scores[column * rows + row] = highest;
}

extern "C" __global__ void dilate(float const* image, float* dilated, int rows, int columns, int reach) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns) return;
    int const row = i % rows, column = i / rows;
    int const side = 2 * reach + 1;
    float highest = 0;
#pragma unroll 1
    for (int k = 0; k < side; ++k) {
        int const y = row - reach + k;
        if (y < 0 || y >= rows) continue;
#pragma unroll 1
        for (int j = 0; j < side; ++j) {
            int const x = column - reach + j;
            if (x < 0 || x >= columns || strel[k * side + j] == 0) continue;
            highest = fmaxf(highest, image[x * rows + y]);
        }
    }
    dilated[i] = highest;
}

// A step's fast version of the Heaviside function.
WARPKIT_DEVICE float heaviside(float x) { return x > 0.0001f ? 1.0f : x > -0.0001f ? 0.5f : 0.0f; }

extern "C" __global__ void gradient_flow(float const* images, float* flows, float vx, float vy, int most,
                                         float cutoff) {
    __shared__ float flow[cell_rows * cell_columns];
    __shared__ float next[cell_rows * cell_columns];
    __shared__ float change[512];
    __shared__ int rests;
    int const t = threadIdx.x;
    float const* const image = images + blockIdx.x * cell_rows * cell_columns;
#pragma unroll 1
    for (int i = t; i < cell_rows * cell_columns; i += flow_block) flow[i] = image[i];
    if (t == 0) rests = 0;
    __syncthreads();
    float const along = vx, across = vy;
#pragma unroll 1
    for (int step = 0; step < most && rests == 0; ++step) {
        float changed = 0;
#pragma unroll 1
        for (int i = t; i < cell_rows * cell_columns; i += flow_block) {
            int const row = i / cell_columns, column = i % cell_columns;
            int const up = row == 0 ? 0 : row - 1, down = row == cell_rows - 1 ? row : row + 1;
            int const left = column == 0 ? 0 : column - 1,
                      right = column == cell_columns - 1 ? column : column + 1;
            float const old = flow[i];
            float const ul = flow[up * cell_columns + left] - old, u = flow[up * cell_columns + column] - old,
                        ur = flow[up * cell_columns + right] - old, l = flow[row * cell_columns + left] - old,
                        r = flow[row * cell_columns + right] - old,
                        dl = flow[down * cell_columns + left] - old,
                        d = flow[down * cell_columns + column] - old,
                        dr = flow[down * cell_columns + right] - old;
            float pulled = heaviside(ul * (across - along)) * ul;
            pulled = fmaf(heaviside(u * across), u, pulled);
            pulled = fmaf(heaviside(ur * (along + across)), ur, pulled);
            pulled = fmaf(heaviside(-(l * along)), l, pulled);
            pulled = fmaf(heaviside(r * along), r, pulled);
            pulled = fmaf(heaviside(-(dl * (along + across))), dl, pulled);
            pulled = fmaf(heaviside(-(d * across)), d, pulled);
            pulled = fmaf(heaviside(dr * (along - across)), dr, pulled);
            float const middle = fmaf(0.1f, pulled, old);
            float const seen = image[i];
            float const now = fmaf(-0.2f * seen, middle - seen, middle);
            next[i] = now;
            changed += fabsf(now - old);
        }
        change[t] = changed;
        if (t < 512 - flow_block) change[t + flow_block] = 0;
        __syncthreads();
#pragma unroll 1
        for (int i = t; i < cell_rows * cell_columns; i += flow_block) flow[i] = next[i];
#pragma unroll 1
        for (int half = 256; half > 0; half /= 2) {
            if (t < half) change[t] += change[t + half];
            __syncthreads();
        }
        if (t == 0 && change[0] / static_cast<float>(cell_rows * cell_columns) < cutoff) rests = 1;
        __syncthreads();
    }
#pragma unroll 1
    for (int i = t; i < cell_rows * cell_columns; i += flow_block)
        flows[blockIdx.x * cell_rows * cell_columns + i] = flow[i];
}
