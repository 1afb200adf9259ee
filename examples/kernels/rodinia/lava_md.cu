// Forces between particles in boxes: a CTA per box, which brings the particles of each neighbouring box into shared
// memory and lets each of its own meet all of them. Double precision.
#include "cuda.hpp"

enum { block = 128, most = 128 };

struct particle {
    double v, x, y, z;
};

struct box {
    int first; // of its particles
    int neighbours;
    int neighbour[26];
};

// e^x for x from -700 to 0, operation by operation as the host does it.
WARPKIT_DEVICE double exponential(double x) {
    double const n = __builtin_rint(x * 1.4426950408889634);
    double const r = __builtin_fma(n, -1.9082149292705877e-10, __builtin_fma(n, -0.6931471803691238, x));
    double p = 2.505210838544172e-8;
    double const c[] = {2.755731922398589e-7,
                        2.7557319223985893e-6,
                        2.48015873015873e-5,
                        1.984126984126984e-4,
                        1.388888888888889e-3,
                        8.333333333333333e-3,
                        4.1666666666666664e-2,
                        1.6666666666666666e-1,
                        0.5,
                        1.0,
                        1.0};
    for (double const k : c) p = __builtin_fma(p, r, k);
    return p * __nvvm_bitcast_ll2d((static_cast<long long>(n) + 1023) << 52);
}

extern "C" __global__ void lava_md(box const* boxes, particle const* particles, double const* charges,
                                   particle* forces, int count, double a2) {
    __shared__ particle mine[most];
    __shared__ particle theirs[most];
    __shared__ double charge[most];
    box const* const home = &boxes[blockIdx.x];
    int const first = home->first;
    for (int i = threadIdx.x; i < count; i += block) mine[i] = particles[first + i];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 1 + home->neighbours; ++k) {
        int const other = k == 0 ? first : boxes[home->neighbour[k - 1]].first;
        for (int i = threadIdx.x; i < count; i += block) {
            theirs[i] = particles[other + i];
            charge[i] = charges[other + i];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < count; i += block) {
            particle force = forces[first + i];
            particle const a = mine[i];
#pragma unroll 1
            for (int j = 0; j < count; ++j) {
                particle const b = theirs[j];
                double const dot = __builtin_fma(a.x, b.x, __builtin_fma(a.y, b.y, a.z * b.z));
                double const vij = exponential(-(a2 * (a.v + b.v - dot)));
                double const fs = 2 * vij;
                force.v = __builtin_fma(charge[j], vij, force.v);
                force.x = __builtin_fma(charge[j], fs * (a.x - b.x), force.x);
                force.y = __builtin_fma(charge[j], fs * (a.y - b.y), force.y);
                force.z = __builtin_fma(charge[j], fs * (a.z - b.z), force.z);
            }
            forces[first + i] = force;
        }
        __syncthreads();
    }
}
