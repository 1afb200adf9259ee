// Tracking an object through a video with particles, five launches per frame: move the particles and weigh them by what
// they see, add up the weights, normalise them and sum them up in order (one thread), and draw the next generation.
#include "cuda.hpp"

enum { block = 128 };

WARPKIT_DEVICE float uniform(unsigned* seeds, int i) {
    seeds[i] = seeds[i] * 1103515245u + 12345u;
    return static_cast<float>((seeds[i] >> 8) + 1) * 5.9604644775390625e-8f; // not 0
}

WARPKIT_DEVICE float normal(unsigned* seeds, int i) {
    float const u = uniform(seeds, i);
    float const v = uniform(seeds, i);
    return sqrtf(-2.0f * logf(u)) * cosf(6.283185307f * v);
}

extern "C" __global__ void likelihood(float* array_x, float* array_y, float const* xj, float const* yj,
                                      int* index, int const* object, float* likelihoods,
                                      unsigned char const* video, float* weights, int particles, int ones,
                                      int pixels, int frame, int height, int frames, unsigned* seeds,
                                      float* partial) {
    __shared__ float sum[block];
    int const i = blockIdx.x * block + threadIdx.x;
    int const t = threadIdx.x;
    if (i < particles) {
        array_x[i] = xj[i] + fmaf(5.0f, normal(seeds, i), 1.0f);
        array_y[i] = yj[i] + fmaf(2.0f, normal(seeds, i), -2.0f);
    }
    __syncthreads();
    sum[t] = 0;
    if (i < particles) {
#pragma unroll 1
        for (int k = 0; k < ones; ++k) {
            int const x = static_cast<int>(floorf(array_x[i] + 0.5f)) + object[2 * k + 1];
            int const y = static_cast<int>(floorf(array_y[i] + 0.5f)) + object[2 * k];
            int const at = __builtin_abs(x * height * frames + y * frames + frame);
            index[i * ones + k] = at < pixels ? at : 0;
        }
        float all = 0;
#pragma unroll 1
        for (int k = 0; k < ones; ++k) {
            float const p = static_cast<float>(video[index[i * ones + k]]);
            all += fmaf(p - 100.0f, p - 100.0f, -((p - 228.0f) * (p - 228.0f))) / 50.0f;
        }
        likelihoods[i] = all / static_cast<float>(ones) / 8.0f;
        weights[i] = expf(likelihoods[i]) / static_cast<float>(particles);
        sum[t] = weights[i];
    }
#pragma unroll 1
    for (int step = block / 2; step > 0; step /= 2) {
        __syncthreads();
        if (t < step) sum[t] += sum[t + step];
    }
    if (t == 0) partial[blockIdx.x] = sum[0];
}

extern "C" __global__ void sum_partial(float* partial, int count) {
    if (blockIdx.x * blockDim.x + threadIdx.x != 0) return;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < count; ++k) sum += partial[k];
    partial[0] = sum;
}

extern "C" __global__ void normalise_weights(float* weights, int particles, float const* partial, float* u,
                                             unsigned const* seeds) {
    __shared__ float start;
    __shared__ float all;
    int const i = blockIdx.x * block + threadIdx.x;
    if (threadIdx.x == 0) all = partial[0];
    __syncthreads();
    if (i < particles) weights[i] = weights[i] / all;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned const seed = seeds[0] * 1103515245u + 12345u;
        start = static_cast<float>(seed >> 8) * 5.9604644775390625e-8f / static_cast<float>(particles);
    }
    __syncthreads();
    if (i < particles) u[i] = start + static_cast<float>(i) / static_cast<float>(particles);
}

// In order, by one thread; a launch of its own, so that all weights are there.
extern "C" __global__ void accumulate_weights(float const* weights, int particles, float* cdf) {
    if (blockIdx.x * block + threadIdx.x != 0) return;
    cdf[0] = weights[0];
#pragma unroll 1
    for (int k = 1; k < particles; ++k) cdf[k] = weights[k] + cdf[k - 1];
}

extern "C" __global__ void find_index(float const* array_x, float const* array_y, float const* cdf,
                                      float const* u, float* xj, float* yj, int particles) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles) return;
    int found = particles - 1;
#pragma unroll 1
    for (int k = 0; k < particles; ++k)
        if (cdf[k] >= u[i]) {
            found = k;
            break;
        }
    xj[i] = array_x[found];
    yj[i] = array_y[found];
}
