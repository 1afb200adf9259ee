// What it would cost, point by point, to open one more centre: each point finds whether it is nearer to it than to its
// own, and what that saves. Coordinates are stored dimension by dimension.
#include "cuda.hpp"

struct point {
    float weight;
    float const* coordinates; // the host's; only there to take up room
    long assigned;
    float cost;
};

extern "C" __global__ void compute_cost(int count, int dimensions, long candidate, point const* points,
                                        int centres, int stride, float const* coordinates, float* savings,
                                        int const* centre_table, char* switches) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float* const mine = &savings[i * stride];
    float distance = 0;
    for (int k = 0; k < dimensions; ++k) {
        float const difference = coordinates[k * count + i] - coordinates[k * count + candidate];
        distance = fmaf(difference, difference, distance);
    }
    float const cost = distance * points[i].weight;
    float const before = points[i].cost;
    if (cost < before) {
        switches[i] = 1;
        mine[centres] += cost - before;
    } else {
        mine[centre_table[points[i].assigned]] += before - cost;
    }
}
