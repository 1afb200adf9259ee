// One layer of a neural network with 16 hidden units. Forward: CTAs of 16 x 16 multiply 16 inputs with their weights and
// add up the products of each unit in a tree. Backward: every weight is moved by its unit's error, with momentum.
#include "cuda.hpp"

enum { side = 16 };

extern "C" __global__ void layer_forward(float const* input, float* weights, float* partial, int hidden) {
    __shared__ float node[side];
    __shared__ float product[side][side];
    int const tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
    int const at = (hidden + 1) * (side * by + ty + 1) + tx + 1;
    if (tx == 0) node[ty] = input[side * by + ty + 1];
    __syncthreads();
    product[ty][tx] = weights[at];
    __syncthreads();
    product[ty][tx] = product[ty][tx] * node[ty];
    __syncthreads();
#pragma unroll 1
    for (int step = 2; step <= side; step *= 2) {
        if (ty % step == 0) product[ty][tx] = product[ty][tx] + product[ty + step / 2][tx];
        __syncthreads();
    }
    weights[at] = product[ty][tx];
    __syncthreads();
    if (tx == 0) partial[by * hidden + ty] = product[tx][ty];
}

extern "C" __global__ void adjust_weights(float const* delta, float const* input, float* weights,
                                          float* previous, int hidden) {
    int const tx = threadIdx.x, ty = threadIdx.y, by = blockIdx.y;
    int const y = side * by + ty + 1, x = tx + 1;
    int const at = (hidden + 1) * y + x;
    float const rate = 0.3f, momentum = 0.3f;
    // Written twice, as in the original: what was stored may be what is loaded, so all is loaded again.
    weights[at] += fmaf(rate * delta[x], input[y], momentum * previous[at]);
    previous[at] = fmaf(rate * delta[x], input[y], momentum * previous[at]);
    __syncthreads();
    if (ty == 0 && by == 0) { // the bias
        weights[x] += fmaf(rate, delta[x], momentum * previous[x]);
        previous[x] = fmaf(rate, delta[x], momentum * previous[x]);
    }
}
