// y = A x for a sparse matrix in compressed rows, one row per thread.
#include "cuda.hpp"

extern "C" __global__ void spmv(int const* row_begin, int const* column, float const* value, float const* x,
                                float* y, int rows) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    int const end = row_begin[row + 1];
    for (int e = row_begin[row]; e < end; ++e) sum = fmaf(value[e], x[column[e]], sum);
    y[row] = sum;
}
