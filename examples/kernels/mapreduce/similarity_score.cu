// The similarity of all pairs of documents, each a row of features: a thread per pair multiplies two rows. Lanes take
// neighbouring documents, so that their rows lie far apart.
#include "cuda.hpp"

extern "C" __global__ void map_count(int* key_sizes, int* value_sizes, int pairs) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    key_sizes[i] = 8;
    value_sizes[i] = 4;
}

extern "C" __global__ void map_emit(float const* features, int2* keys, float* scores, int documents,
                                    int dimensions) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= documents * documents) return;
    int const row = i / documents, column = i % documents;
    float const* const a = features + row * dimensions;
    float const* const b = features + column * dimensions;
    float product = 0, square_a = 0, square_b = 0;
#pragma unroll 1
    for (int k = 0; k < dimensions; ++k) {
        product = fmaf(a[k], b[k], product);
        square_a = fmaf(a[k], a[k], square_a);
        square_b = fmaf(b[k], b[k], square_b);
    }
    int2 key;
    key.x = row;
    key.y = column;
    keys[i] = key;
    scores[i] = product / sqrtf(square_a * square_b);
}
