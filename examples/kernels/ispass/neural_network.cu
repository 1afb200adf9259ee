// A convolutional neural network that reads handwritten digits (Simard, Steinkraus and Platt: Best practices for
// convolutional neural networks, ICDAR 2003), a launch per layer, a thread per neuron, a CTA per map and image. Weights
// of a neuron lie together, the bias first.
#include "cuda.hpp"

enum {
    image = 29, // pixels each way
    maps_1 = 6,
    side_1 = 13,
    maps_2 = 50,
    side_2 = 5,
    window = 5,
    neurons_2 = maps_2 * side_2 * side_2,
    neurons_3 = 100,
    neurons_4 = 10
};

// 1.7159 tanh(2/3 x).
WARPKIT_DEVICE float activated(float x) { return 1.7159f * (1 - 2 / (1 + expf(x * (4.0f / 3)))); }

extern "C" __global__ void neural_network_1(float const* images, float const* weights, float* out) {
    int const map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    float const* const weight = weights + map * (1 + window * window);
    float const* const from = images + (blockIdx.y * image + 2 * y) * image + 2 * x;
    float sum = weight[0];
#pragma unroll 1
    for (int row = 0; row < window; ++row)
        for (int column = 0; column < window; ++column)
            sum = fmaf(from[row * image + column], weight[1 + row * window + column], sum);
    out[((blockIdx.y * maps_1 + map) * side_1 + y) * side_1 + x] = activated(sum);
}

extern "C" __global__ void neural_network_2(float const* in, float const* weights, float* out) {
    int const map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    float const* const weight = weights + map * (1 + maps_1 * window * window);
    float sum = weight[0];
#pragma unroll 1
    for (int from = 0; from < maps_1; ++from) {
        float const* const at = in + ((blockIdx.y * maps_1 + from) * side_1 + 2 * y) * side_1 + 2 * x;
        for (int row = 0; row < window; ++row)
            for (int column = 0; column < window; ++column)
                sum =
                    fmaf(at[row * side_1 + column], weight[1 + (from * window + row) * window + column], sum);
    }
    out[((blockIdx.y * maps_2 + map) * side_2 + y) * side_2 + x] = activated(sum);
}

// CTAs of one thread.
WARPKIT_DEVICE void connect(float const* in, float const* weights, float* out, int inputs) {
    float const* const weight = weights + blockIdx.x * (1 + inputs);
    float const* const from = in + blockIdx.y * inputs;
    float sum = weight[0];
#pragma unroll 1
    for (int i = 0; i < inputs; ++i) sum = fmaf(from[i], weight[1 + i], sum);
    out[blockIdx.y * gridDim.x + blockIdx.x] = activated(sum);
}
extern "C" __global__ void neural_network_3(float const* in, float const* weights, float* out) {
    connect(in, weights, out, neurons_2);
}
extern "C" __global__ void neural_network_4(float const* in, float const* weights, float* out) {
    connect(in, weights, out, neurons_3);
}
