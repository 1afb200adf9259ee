// The electrostatic potential of atoms at the points of a plane, each atom at each point: all threads read the same
// atom from constant memory, and each has two points, a CTA's width apart so that their accesses coalesce.
#include "cuda.hpp"

enum { points_per_thread = 2, most_atoms = 4000 };

// x, y, the square of the distance from the plane, charge.
__constant__ float4 atoms[most_atoms];

extern "C" __global__ void coulombic_potential(float* plane, int count, int width, float spacing) {
    int const x = blockIdx.x * blockDim.x * points_per_thread + threadIdx.x;
    int const y = blockIdx.y * blockDim.y + threadIdx.y;
    float const at_x = spacing * static_cast<float>(x), at_y = spacing * static_cast<float>(y);
    float const apart = spacing * static_cast<float>(blockDim.x);
    float energy[points_per_thread] = {0, 0};
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
        float4 const atom = atoms[i];
        float const dy = at_y - atom.y;
        float const beside = fmaf(dy, dy, atom.z);
        float dx = at_x - atom.x;
        for (int p = 0; p < points_per_thread; ++p, dx += apart)
            energy[p] = fmaf(atom.w, rsqrtf(fmaf(dx, dx, beside)), energy[p]);
    }
    float* const to = plane + y * width + x;
    for (int p = 0; p < points_per_thread; ++p) to[p * blockDim.x] += energy[p];
}
