// Forces within a cutoff: each thread has a molecule and goes through its list of those that may be near
// enough.
#include "cuda.hpp"

extern "C" __global__ void moldyn(float const* x, float const* y, float const* z, int const* first,
                                  int const* partner, float* fx, float* fy, float* fz, int molecules,
                                  float cutoff_squared) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= molecules) return;
    float const at_x = x[i], at_y = y[i], at_z = z[i];
    float sum_x = 0, sum_y = 0, sum_z = 0;
    int const end = first[i + 1];
    for (int k = first[i]; k < end; ++k) {
        int const j = partner[k];
        float const dx = at_x - x[j], dy = at_y - y[j], dz = at_z - z[j];
        float const squared = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
        if (squared < cutoff_squared) {
            float const inverse = 1.0f / squared;
            float const sixth = inverse * inverse * inverse;
            float const force = fmaf(2.0f, sixth, -1.0f) * sixth * inverse;
            sum_x = fmaf(force, dx, sum_x);
            sum_y = fmaf(force, dy, sum_y);
            sum_z = fmaf(force, dz, sum_z);
        }
    }
    fx[i] = sum_x;
    fy[i] = sum_y;
    fz[i] = sum_z;
}
