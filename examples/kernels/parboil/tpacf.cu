// Two-point angular correlation: histograms of the angles between points on a sphere. CTA 0 has the data with
// itself, the next `sets` CTAs a random set with itself each, the others the data with a random set. 256
// points of one set lie in shared memory, each thread has a point of the other; a binary search in constant
// memory finds the bin. Two threads share a histogram; the 128 of a CTA are added up at the end.
#include "cuda.hpp"

enum { block = 256, bins = 20, histograms = block / 2 };

struct point {
    float x, y, z;
};

__constant__ float boundary[bins + 1]; // cosines, falling

extern "C" __global__ void tpacf(unsigned* counts, float const* x, float const* y, float const* z, int sets,
                                 int points) {
    __shared__ point near[block];
    __shared__ unsigned histogram[bins][histograms];
    int const t = threadIdx.x;
    int const b = blockIdx.x;
    bool const self = b <= sets;
    int const one = self ? b * points : 0;
    int const other = self ? one : (b - sets) * points;
    for (int i = t; i < bins * histograms; i += block) histogram[i / histograms][i % histograms] = 0;

    for (int i = 0; i < points; i += block) {
        __syncthreads();
        if (i + t < points) {
            near[t].x = x[one + i + t];
            near[t].y = y[one + i + t];
            near[t].z = z[one + i + t];
        }
        __syncthreads();
        for (int j = self ? i : 0; j < points; j += block) {
            point far{0, 0, 0};
            if (j + t < points) {
                far.x = x[other + j + t];
                far.y = y[other + j + t];
                far.z = z[other + j + t];
            }
            for (int k = 0; k < block && i + k < points; ++k) {
                float const cosine = fmaf(near[k].z, far.z, fmaf(near[k].y, far.y, near[k].x * far.x));
                int low = 0, high = bins;
                while (high > low + 1) {
                    int const middle = (low + high) / 2;
                    if (cosine >= boundary[middle])
                        high = middle;
                    else
                        low = middle;
                }
                if (cosine < boundary[low] && cosine >= boundary[high] && (!self || j + t > i + k) &&
                    j + t < points)
                    atomicAdd(&histogram[low][t / 2], 1u);
            }
        }
    }

    for (int half = histograms / 2; half > 0; half /= 2) {
        __syncthreads();
        for (int i = t; i < bins * half; i += block)
            histogram[i / half][i % half] += histogram[i / half][i % half + half];
    }
    __syncthreads();
    if (t < bins) counts[b * bins + t] = histogram[t][0];
}
