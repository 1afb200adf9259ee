// y = A x for a sparse matrix in jagged diagonals: rows sorted by length, those of a warp padded to the same
// length, their k-th nonzeros side by side. A row per thread; what the next step needs is loaded ahead. Where
// diagonals begin and how long each warp's rows are is in constant memory.
#include "cuda.hpp"

enum { most_warps = 5120, most_diagonals = 512 };

__constant__ int diagonal[most_diagonals];
__constant__ int length[most_warps];

extern "C" __global__ void spmv_jds(float* y, float const* value, int const* column, int const* permutation,
                                    float const* x, int rows) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) return;
    int const count = length[i >> 5];
    float sum = 0;
    int at = diagonal[0] + i;
    float factor = value[at];
    float operand = x[column[at]];
    if (count > 1) {
        at = diagonal[1] + i;
        int next = column[at]; // for the step after this one
        for (int k = 2; k < count; ++k) {
            float const next_factor = value[at];
            at = diagonal[k] + i;
            int const after = column[at];
            float const next_operand = x[next];
            sum = fmaf(factor, operand, sum);
            next = after;
            factor = next_factor;
            operand = next_operand;
        }
        float const last_factor = value[at];
        float const last_operand = x[next];
        sum = fmaf(factor, operand, sum);
        factor = last_factor;
        operand = last_operand;
    }
    y[permutation[i]] = fmaf(factor, operand, sum);
}
