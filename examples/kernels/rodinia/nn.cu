// The distance of each record, a pair of coordinates, from a target.
#include "cuda.hpp"

extern "C" __global__ void nearest_neighbour(float2 const* records, float* distances, int count,
                                             float latitude, float longitude) {
    int const i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
    if (i >= count) return;
    float2 const at = records[i];
    float const dy = latitude - at.x, dx = longitude - at.y;
    distances[i] = sqrtf(fmaf(dy, dy, dx * dx));
}
