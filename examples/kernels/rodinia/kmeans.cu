// The assignment step of k-means: each point's nearest centre. Points are stored feature by feature
// (coalesced), centres centre by centre (all lanes read the same word).
#include "cuda.hpp"

extern "C" __global__ void kmeans(float const* points, float const* centres, int* nearest, int n,
                                  int features, int clusters) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    float best_distance = 3.402823466e+38f;
    for (int c = 0; c < clusters; ++c) {
        float distance = 0;
        for (int f = 0; f < features; ++f) {
            float const d = points[f * n + i] - centres[c * features + f];
            distance = fmaf(d, d, distance);
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = c;
        }
    }
    nearest[i] = best;
}

enum { most_clusters = 64, most_features = 64 };
__constant__ float constant_centres[most_clusters * most_features];

// The same with the centres in constant memory.
extern "C" __global__ void kmeans_point(float const* points, int* nearest, int n, int features,
                                        int clusters) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    float best_distance = 3.402823466e+38f;
#pragma unroll 1
    for (int c = 0; c < clusters; ++c) {
        float distance = 0;
#pragma unroll 1
        for (int f = 0; f < features; ++f) {
            float const d = points[f * n + i] - constant_centres[c * features + f];
            distance = fmaf(d, d, distance);
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = c;
        }
    }
    nearest[i] = best;
}

// The same with the points, feature by feature, in a texture as well.
extern "C" __global__ void kmeans_point_texture(unsigned long long points, int* nearest, int n, int features,
                                                int clusters) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    float best_distance = 3.402823466e+38f;
#pragma unroll 1
    for (int c = 0; c < clusters; ++c) {
        float distance = 0;
#pragma unroll 1
        for (int f = 0; f < features; ++f) {
            float const d = tex1d_float(points, f * n + i).x - constant_centres[c * features + f];
            distance = fmaf(d, d, distance);
        }
        if (distance < best_distance) {
            best_distance = distance;
            best = c;
        }
    }
    nearest[i] = best;
}

// Turns points that lie one behind the other into features that do.
extern "C" __global__ void invert_mapping(float const* points, float* inverted, int n, int features) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#pragma unroll 1
    for (int f = 0; f < features; ++f) inverted[f * n + i] = points[i * features + f];
}
