// Electrostatic potential with a cutoff on a lattice of points. Atoms lie in bins of eight; a CTA of 8 x 2 x 8
// threads has a region of 8 x 8 x 8 points, four per thread, and goes through the bins around it (their
// offsets in constant memory), 32 at a time, through shared memory.
#include "cuda.hpp"

enum { depth = 8, words = 4 * depth, cached = 32, most_neighbours = 11 * 11 * 11, region = 512 };

struct offset {
    int x, y, z;
};

__constant__ int neighbours;
__constant__ offset neighbour[most_neighbours];

// `bins` is that at the origin; bins are 4 long, a region is as long as a bin.
extern "C" __global__ void cutcp(float const* bins, int bins_x, int bins_y, float spacing,
                                 float cutoff_squared, float inverse, float* potential, int region_z) {
    __shared__ float cache[cached * words];
    int const tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    int const t = (tz * 2 + ty) * 8 + tx;
    int const rx = blockIdx.x, ry = blockIdx.y;
    float const x = (8 * rx + tx) * spacing;
    float const y = (8 * ry + ty) * spacing;
    float const z = (8 * region_z + tz) * spacing;
    float energy[4] = {0, 0, 0, 0};
    int next = t / 16; // half a warp copies a bin
    for (int first = 0; first < neighbours; first += cached) {
        for (int i = t / 16; i < cached && next < neighbours; i += 8, next += 8) {
            offset const& to = neighbour[next];
            float const* const from =
                bins + (((region_z + to.z) * bins_y + ry + to.y) * bins_x + rx + to.x) * words;
            cache[i * words + t % 16] = from[t % 16];
            cache[i * words + t % 16 + 16] = from[t % 16 + 16];
        }
        __syncthreads();
        int const count = min(int(cached), neighbours - first);
        for (int bin = 0; bin < count; ++bin)
            for (int a = 0; a < depth; ++a) {
                float const* const atom = cache + bin * words + 4 * a;
                float const charge = atom[3];
                if (charge == 0) break; // no more in this bin
                float const dx = atom[0] - x, dz = atom[2] - z;
                float dy = atom[1] - y;
                float const flat = fmaf(dx, dx, dz * dz);
                for (int i = 0; i < 4; ++i) {
                    float const squared = fmaf(dy, dy, flat);
                    if (squared < cutoff_squared) {
                        float const s = fmaf(-squared, inverse, 1.0f);
                        energy[i] = fmaf(charge * rsqrtf(squared) * s, s, energy[i]);
                    }
                    dy -= 2 * spacing;
                }
            }
        __syncthreads();
    }
    float* const to = potential + ((region_z * gridDim.y + ry) * gridDim.x + rx) * region;
    for (int i = 0; i < 4; ++i) to[tz * 64 + i * 16 + ty * 8 + tx] = energy[i];
}
