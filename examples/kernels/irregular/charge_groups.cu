// Forces between molecules by charge groups: the 32 molecules of a warp, neighbours in space, share one list of
// partners, so that all lanes read the same partner, one after the other in the order of the list.
#include "cuda.hpp"

enum { group = 32 };

struct vector {
    float x, y, z;
};

WARPKIT_DEVICE void add_force(vector& sum, float dx, float dy, float dz, float squared) {
    float const inverse = 1.0f / squared;
    float const sixth = inverse * inverse * inverse;
    float const force = fmaf(2.0f, sixth, -1.0f) * sixth * inverse;
    sum.x = fmaf(force, dx, sum.x);
    sum.y = fmaf(force, dy, sum.y);
    sum.z = fmaf(force, dz, sum.z);
}

// Lists of equal length.
extern "C" __global__ void nbf_groups(vector const* place, int const* partner, vector* forces, int molecules,
                                      int partners) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= molecules) return;
    vector const own = place[i];
    vector sum = {0, 0, 0};
    int const first = i / group * partners;
#pragma unroll 1
    for (int k = first; k < first + partners; ++k) {
        vector const other = place[partner[k]];
        float const dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        add_force(sum, dx, dy, dz, fmaf(dz, dz, fmaf(dy, dy, dx * dx)));
    }
    forces[i] = sum;
}

// Lists of all that may be near enough, and a cutoff.
extern "C" __global__ void moldyn_groups(vector const* place, int const* first, int const* partner,
                                         vector* forces, int molecules, float cutoff_squared) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= molecules) return;
    vector const own = place[i];
    vector sum = {0, 0, 0};
    int const end = first[i / group + 1];
#pragma unroll 1
    for (int k = first[i / group]; k < end; ++k) {
        int const j = partner[k];
        vector const other = place[j];
        float const dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
        float const squared = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
        if (squared < cutoff_squared && j != i) add_force(sum, dx, dy, dz, squared);
    }
    forces[i] = sum;
}
