// What cuSPARSE's handles stand for, and its kernels: rows of a sparse matrix by warps, and what must be done in order by
// one of them. Sums are taken in the type of the values.
#pragma once
#include "numbers.cuh"

#include <cstdio>
#include <cusparse.h>

struct cusparseContext {
    cudaStream_t stream = nullptr;
    cusparsePointerMode_t pointers = CUSPARSE_POINTER_MODE_HOST;
};
struct cusparseMatDescr {
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};
struct cusparseDnVecDescr {
    long long size;
    void* values;
    cudaDataType type;
};
struct cusparseSpVecDescr {
    long long size, nonzeros;
    void *indices, *values;
    cusparseIndexType_t index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    long long rows, columns, ld;
    void* values;
    cudaDataType type;
    cusparseOrder_t order;
    int batch = 1;
    long long step = 0;
};
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    long long rows, columns, nonzeros;
    void *offsets, *indices, *values; // of COO: the rows' indices for the offsets
    cusparseIndexType_t offset_type, index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    int batch = 1;
    long long offsets_step = 0, values_step = 0;
};
struct cusparseSpSVDescr {};
struct cusparseSpSMDescr {};
struct cusparseSpGEMMDescr {
    void *begins = nullptr, *counts = nullptr, *columns = nullptr, *values = nullptr;
};
struct csrilu02Info {
    int* pivot = nullptr; // on the device: the first row without one, or -1
};

namespace {

// Indices of either width, from the base on.
struct index_list {
    void* list;
    bool wide;
    int base;
    __device__ long long at(long long i) const {
        return (wide ? ((long long const*)list)[i] : ((int const*)list)[i]) - base;
    }
    __device__ void set(long long i, long long v) const {
        if (wide)
            ((long long*)list)[i] = v + base;
        else
            ((int*)list)[i] = (int)v + base;
    }
    index_list from(long long first) const { return {(char*)list + first * (wide ? 8 : 4), wide, base}; }
};
// A matrix by rows, or by columns, which is its transpose by rows; or as a list of entries.
template <class T>
struct sparse {
    long long rows, columns, nonzeros;
    index_list offsets, indices;
    T* values;
    bool is_list;
    __device__ long long begin(long long row) const { return offsets.at(row); }
    __device__ long long end(long long row) const { return offsets.at(row + 1); }
};
template <class T>
sparse<T> sparse_of(cusparseSpMatDescr const& m, int batch = 0) {
    bool const by_columns = m.format == CUSPARSE_FORMAT_CSC;
    sparse<T> s{by_columns ? m.columns : m.rows,
                by_columns ? m.rows : m.columns,
                m.nonzeros,
                {m.offsets, m.offset_type == CUSPARSE_INDEX_64I, m.base},
                {m.indices, m.index_type == CUSPARSE_INDEX_64I, m.base},
                (T*)m.values,
                m.format == CUSPARSE_FORMAT_COO};
    s.offsets = s.offsets.from(batch * m.offsets_step);
    s.indices = s.indices.from(batch * m.values_step);
    s.values += batch * m.values_step;
    return s;
}
// A dense matrix, perhaps transposed, perhaps conjugated.
template <class T>
struct dense {
    T* first;
    long long row_step, column_step;
    bool conjugated;
    __device__ T& at(long long row, long long column) const {
        return first[row * row_step + column * column_step];
    }
    __device__ T value(long long row, long long column) const {
        return conjugated ? number<T>::conjugate(at(row, column)) : at(row, column);
    }
};
template <class T>
dense<T> dense_of(cusparseDnMatDescr const& m, cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE,
                  int batch = 0) {
    bool const by_rows = (m.order == CUSPARSE_ORDER_ROW) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
    return {(T*)m.values + batch * m.step, by_rows ? m.ld : 1, by_rows ? 1 : m.ld,
            op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
}
// A factor that lies on the host or on the device.
template <class T>
struct scalar {
    T value;
    T const* there;
    __device__ T get() const { return there != nullptr ? *there : value; }
};
template <class T>
scalar<T> scalar_of(cusparseHandle_t h, void const* p) {
    auto const* const t = (T const*)p;
    return h->pointers == CUSPARSE_POINTER_MODE_DEVICE ? scalar<T>{number<T>::zero(), t}
                                                       : scalar<T>{*t, nullptr};
}

__device__ void add_to(float* to, float v) { atomicAdd(to, v); }
__device__ void add_to(double* to, double v) { atomicAdd(to, v); }
__device__ void add_to(cuComplex* to, cuComplex v) {
    atomicAdd(&to->x, v.x);
    atomicAdd(&to->y, v.y);
}
__device__ void add_to(cuDoubleComplex* to, cuDoubleComplex v) {
    atomicAdd(&to->x, v.x);
    atomicAdd(&to->y, v.y);
}
__device__ float shuffled(float v, int by) { return __shfl_xor_sync(0xffffffffu, v, by); }
__device__ double shuffled(double v, int by) { return __shfl_xor_sync(0xffffffffu, v, by); }
__device__ cuComplex shuffled(cuComplex v, int by) {
    return make_float2(shuffled(v.x, by), shuffled(v.y, by));
}
__device__ cuDoubleComplex shuffled(cuDoubleComplex v, int by) {
    return make_double2(shuffled(v.x, by), shuffled(v.y, by));
}
template <class T>
__device__ T warp_sum(T v) {
    for (int by = 16; by > 0; by /= 2) v = number<T>::sum(v, shuffled(v, by));
    return v;
}
// What is multiplied by 0 may be NaN, or nothing yet.
template <class T>
__device__ T kept(T factor, T before) {
    return number<T>::is_zero(factor) ? number<T>::zero() : number<T>::product(factor, before);
}
__device__ long long thread_number() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }
unsigned blocks(long long items, int each) { return (unsigned)((items + each - 1) / each); }

cusparseStatus_t launched() {
    return cudaPeekAtLastError() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}
cusparseStatus_t unsupported(char const* what) {
    std::fprintf(stderr, "warpkit: cuSPARSE: %s is not supported\n", what);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}
// Calls `body` with a value of the type that a descriptor names.
template <class Body>
cusparseStatus_t by_type(cudaDataType type, Body const& body) {
    switch (type) {
    case CUDA_R_32F:
        return body(float());
    case CUDA_R_64F:
        return body(double());
    case CUDA_C_32F:
        return body(cuComplex());
    case CUDA_C_64F:
        return body(cuDoubleComplex());
    default:
        return unsupported("a type of values other than float, double and their complex numbers");
    }
}
// Whether rows of what is stored are rows of op(A); and whether values are conjugated.
bool rows_stay(cusparseSpMatDescr const& a, cusparseOperation_t op) {
    return (a.format == CUSPARSE_FORMAT_CSC) != (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
}

// Products ------------------------------------------------------------------------------------------------------------
// C = beta C, before products are added to it.
template <class T>
__global__ void scale(long long rows, long long columns, scalar<T> beta, dense<T> c) {
    auto const i = thread_number();
    if (i >= rows * columns) return;
    T& to = c.at(i % rows, i / rows);
    to = kept(beta.get(), to);
}
// A warp for a row of A, a block's y for a column of C.
template <class T>
__global__ void multiply_rows(sparse<T> a, bool conjugated, scalar<T> alpha, dense<T> b, scalar<T> beta,
                              dense<T> c) {
    auto const row = thread_number() / 32;
    auto const column = (long long)blockIdx.y;
    if (row >= a.rows) return;
    T sum = number<T>::zero();
    for (auto i = a.begin(row) + threadIdx.x % 32; i < a.end(row); i += 32) {
        T const v = conjugated ? number<T>::conjugate(a.values[i]) : a.values[i];
        sum = number<T>::sum(sum, number<T>::product(v, b.value(a.indices.at(i), column)));
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 != 0) return;
    T& to = c.at(row, column);
    to = number<T>::sum(number<T>::product(alpha.get(), sum), kept(beta.get(), to));
}
// Entries one by one: of a list, or of rows that are columns of op(A).
template <class T>
__global__ void scatter_products(sparse<T> a, bool transposed, bool conjugated, scalar<T> alpha, dense<T> b,
                                 dense<T> c) {
    auto const column = (long long)blockIdx.y;
    auto const add = [&](long long row, long long i) {
        auto const other = a.indices.at(i);
        T const v = conjugated ? number<T>::conjugate(a.values[i]) : a.values[i];
        T const p =
            number<T>::product(alpha.get(), number<T>::product(v, b.value(transposed ? row : other, column)));
        add_to(&c.at(transposed ? other : row, column), p);
    };
    auto const n = thread_number();
    if (a.is_list) {
        if (n < a.nonzeros) add(a.offsets.at(n), n);
    } else if (n / 32 < a.rows) {
        for (auto i = a.begin(n / 32) + n % 32; i < a.end(n / 32); i += 32) add(n / 32, i);
    }
}
template <class T>
cusparseStatus_t multiply(cusparseHandle_t h, cusparseOperation_t op, scalar<T> alpha,
                          cusparseSpMatDescr const& m, int batch, dense<T> b, scalar<T> beta, dense<T> c,
                          long long columns) {
    auto const a = sparse_of<T>(m, batch);
    bool const conjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    auto const rows = op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m.rows : m.columns;
    if (rows == 0 || columns == 0) return CUSPARSE_STATUS_SUCCESS;
    if (columns > 65535) return unsupported("a product with more than 65,535 columns");
    auto const across = (unsigned)columns;
    if (!a.is_list && rows_stay(m, op)) {
        multiply_rows<<<dim3(blocks(a.rows, 8), across), 256, 0, h->stream>>>(a, conjugated, alpha, b, beta,
                                                                              c);
        return launched();
    }
    scale<<<blocks(rows * columns, 256), 256, 0, h->stream>>>(rows, columns, beta, c);
    bool const transposed = a.is_list ? op != CUSPARSE_OPERATION_NON_TRANSPOSE : true;
    auto const threads = a.is_list ? a.nonzeros : a.rows * 32;
    if (threads > 0)
        scatter_products<<<dim3(blocks(threads, 256), across), 256, 0, h->stream>>>(a, transposed, conjugated,
                                                                                    alpha, b, c);
    return launched();
}
// C = alpha (A B at the places of C) + beta C: a warp for a row, a lane for an entry.
template <class T>
__global__ void multiply_places(sparse<T> c, long long depth, scalar<T> alpha, dense<T> a, dense<T> b,
                                scalar<T> beta) {
    auto const n = thread_number();
    auto const row = n / 32;
    if (row >= c.rows) return;
    for (auto i = c.begin(row) + n % 32; i < c.end(row); i += 32) {
        auto const column = c.indices.at(i);
        T sum = number<T>::zero();
        for (long long k = 0; k < depth; ++k)
            sum = number<T>::sum(sum, number<T>::product(a.value(row, k), b.value(k, column)));
        c.values[i] = number<T>::sum(number<T>::product(alpha.get(), sum), kept(beta.get(), c.values[i]));
    }
}

// Triangular systems: a warp for a right-hand side, row after row -------------------------------------------------------
template <class T>
__global__ void solve(sparse<T> a, bool by_rows, bool conjugated, bool lower, bool unit, scalar<T> alpha,
                      dense<T> b, dense<T> x) {
    auto const column = (long long)blockIdx.x;
    auto const lane = (int)threadIdx.x;
    auto const value = [&](long long i) {
        return conjugated ? number<T>::conjugate(a.values[i]) : a.values[i];
    };
    if (!by_rows) {
        for (long long row = lane; row < a.rows; row += 32)
            x.at(row, column) = number<T>::product(alpha.get(), b.value(row, column));
        __syncwarp();
    }
    // Stored rows are columns of the transpose, whose triangle is the other one.
    bool const forward = lower == by_rows;
    for (long long k = 0; k < a.rows; ++k) {
        auto const row = forward ? k : a.rows - 1 - k;
        T sum = number<T>::zero(), diagonal = number<T>::zero();
        if (by_rows) {
            for (auto i = a.begin(row) + lane; i < a.end(row); i += 32) {
                auto const other = a.indices.at(i);
                if (other == row)
                    diagonal = value(i);
                else if ((other < row) == lower)
                    sum = number<T>::sum(sum, number<T>::product(value(i), x.at(other, column)));
            }
        } else {
            for (auto i = a.begin(row) + lane; i < a.end(row); i += 32)
                if (a.indices.at(i) == row) diagonal = value(i);
        }
        sum = warp_sum(sum);
        diagonal = warp_sum(diagonal);
        if (lane == 0) {
            T v = by_rows ? number<T>::product(alpha.get(), b.value(row, column)) : x.at(row, column);
            v = number<T>::sum(v, number<T>::negative(sum));
            x.at(row, column) = unit ? v : number<T>::quotient(v, diagonal);
        }
        __syncwarp();
        if (!by_rows) {
            T const v = x.at(row, column);
            for (auto i = a.begin(row) + lane; i < a.end(row); i += 32) {
                auto const other = a.indices.at(i);
                if (other != row && (other < row) == lower)
                    add_to(&x.at(other, column), number<T>::negative(number<T>::product(value(i), v)));
            }
            __syncwarp();
        }
    }
}
template <class T>
cusparseStatus_t solve_all(cusparseHandle_t h, cusparseOperation_t op, void const* alpha,
                           cusparseSpMatDescr const& a, dense<T> b, dense<T> x, long long columns) {
    if (a.format == CUSPARSE_FORMAT_COO) return unsupported("a triangular system in COO");
    if (a.rows != a.columns) return CUSPARSE_STATUS_INVALID_VALUE;
    if (a.rows == 0 || columns == 0) return CUSPARSE_STATUS_SUCCESS;
    // The triangle is one of A; in what is stored by columns it is the other.
    bool const lower = (a.fill == CUSPARSE_FILL_MODE_LOWER) == (a.format == CUSPARSE_FORMAT_CSR);
    solve<<<(unsigned)columns, 32, 0, h->stream>>>(
        sparse_of<T>(a), rows_stay(a, op), op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, lower,
        a.diagonal == CUSPARSE_DIAG_TYPE_UNIT, scalar_of<T>(h, alpha), b, x);
    return launched();
}

// From one form to another -----------------------------------------------------------------------------------------------
// offsets[i + 1] holds the number of entries of row i: becomes where rows begin.
__global__ void begin_rows(long long rows, index_list offsets) {
    long long sum = 0;
    offsets.set(0, 0);
    for (long long i = 0; i < rows; ++i) {
        sum += offsets.at(i + 1);
        offsets.set(i + 1, sum);
    }
}
template <class T>
__global__ void count_row(long long rows, long long columns, dense<T> a, index_list counts, int shift) {
    auto const row = thread_number();
    if (row >= rows) return;
    long long n = 0;
    for (long long j = 0; j < columns; ++j) n += number<T>::is_zero(a.at(row, j)) ? 0 : 1;
    counts.set(row + shift, n);
}
template <class T>
__global__ void gather_row(dense<T> a, sparse<T> b) {
    auto const row = thread_number();
    if (row >= b.rows) return;
    auto to = b.begin(row);
    for (long long j = 0; j < b.columns; ++j) {
        T const v = a.at(row, j);
        if (number<T>::is_zero(v)) continue;
        b.indices.set(to, j);
        b.values[to++] = v;
    }
}
template <class T>
__global__ void place_entries(sparse<T> a, dense<T> b, bool transposed) {
    auto const n = thread_number();
    auto const put = [&](long long row, long long i) {
        auto const other = a.indices.at(i);
        b.at(transposed ? other : row, transposed ? row : other) = a.values[i];
    };
    if (a.is_list) {
        if (n < a.nonzeros) put(a.offsets.at(n), n);
    } else if (n < a.rows) {
        for (auto i = a.begin(n); i < a.end(n); ++i) put(n, i);
    }
}
// Row after row, so that a column's entries are in the order of their rows: a thread for a column.
template <class T>
__global__ void transpose(sparse<T> a, index_list offsets, index_list indices, T* values, bool count) {
    auto const column = thread_number();
    if (column >= a.columns) return;
    auto to = count ? 0 : offsets.at(column);
    for (long long row = 0; row < a.rows; ++row)
        for (auto i = a.begin(row); i < a.end(row); ++i) {
            if (a.indices.at(i) != column) continue;
            if (!count) {
                indices.set(to, row);
                if (values != nullptr) values[to] = a.values[i];
            }
            ++to;
        }
    if (count) offsets.set(column + 1, to);
}
// The entries of a row by their columns, with the permutation that this is.
__global__ void sort_row(int m, int const* offsets, int base, int* indices, int* p) {
    auto const row = thread_number();
    if (row >= m) return;
    for (int i = offsets[row] - base + 1; i < offsets[row + 1] - base; ++i)
        for (int k = i; k > offsets[row] - base && indices[k - 1] > indices[k]; --k) {
            int const index = indices[k];
            indices[k] = indices[k - 1];
            indices[k - 1] = index;
            if (p == nullptr) continue;
            int const from = p[k];
            p[k] = p[k - 1];
            p[k - 1] = from;
        }
}
__global__ void count_up(int n, int* p) {
    auto const i = thread_number();
    if (i < n) p[i] = (int)i;
}
__global__ void rows_to_offsets(int nonzeros, int m, int const* rows, int base, int* offsets) {
    auto const row = thread_number();
    if (row > m) return;
    int low = 0, high = nonzeros; // the first entry of this row or a later one
    while (low < high) {
        int const middle = (low + high) / 2;
        if (rows[middle] - base < row)
            low = middle + 1;
        else
            high = middle;
    }
    offsets[row] = low + base;
}
__global__ void offsets_to_rows(int m, int const* offsets, int base, int* rows) {
    auto const row = thread_number();
    if (row >= m) return;
    for (int i = offsets[row] - base; i < offsets[row + 1] - base; ++i) rows[i] = (int)row + base;
}

// Sparse vectors ---------------------------------------------------------------------------------------------------------
template <class T>
__global__ void add_sparse(long long n, scalar<T> alpha, index_list indices, T const* x, T* y) {
    auto const i = thread_number();
    if (i < n) add_to(&y[indices.at(i)], number<T>::product(alpha.get(), x[i]));
}
template <class T>
__global__ void gather_or_scatter(long long n, index_list indices, T* x, T* y, bool scatter) {
    auto const i = thread_number();
    if (i >= n) return;
    if (scatter)
        y[indices.at(i)] = x[i];
    else
        x[i] = y[indices.at(i)];
}

// Products of two sparse matrices: a thread for a row, which keeps its products sorted by column -------------------------
template <class T>
__global__ void bound_row(sparse<T> a, sparse<T> b, long long* bounds) {
    auto const row = thread_number();
    if (row >= a.rows) return;
    long long n = 0;
    for (auto i = a.begin(row); i < a.end(row); ++i) {
        auto const k = a.indices.at(i);
        n += b.end(k) - b.begin(k);
    }
    bounds[row + 1] = n;
}
template <class T>
__global__ void multiply_row(sparse<T> a, sparse<T> b, scalar<T> alpha, long long const* begins,
                             long long* counts, long long* columns, T* values) {
    auto const row = thread_number();
    if (row >= a.rows) return;
    auto* const column = columns + begins[row];
    T* const value = values + begins[row];
    long long n = 0;
    for (auto i = a.begin(row); i < a.end(row); ++i) {
        auto const k = a.indices.at(i);
        T const factor = number<T>::product(alpha.get(), a.values[i]);
        for (auto j = b.begin(k); j < b.end(k); ++j) {
            auto const at = b.indices.at(j);
            T const p = number<T>::product(factor, b.values[j]);
            long long low = 0, high = n;
            while (low < high) {
                auto const middle = (low + high) / 2;
                if (column[middle] < at)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < n && column[low] == at) {
                value[low] = number<T>::sum(value[low], p);
                continue;
            }
            for (auto m = n++; m > low; --m) column[m] = column[m - 1], value[m] = value[m - 1];
            column[low] = at;
            value[low] = p;
        }
    }
    counts[row + 1] = n;
}
template <class T>
__global__ void copy_row(sparse<T> c, long long const* begins, long long const* columns, T const* values) {
    auto const row = thread_number();
    if (row >= c.rows) return;
    auto const first = c.begin(row);
    for (auto i = first; i < c.end(row); ++i) {
        c.indices.set(i, columns[begins[row] + (i - first)]);
        c.values[i] = values[begins[row] + (i - first)];
    }
}
__global__ void copy_counts(long long rows, long long const* counts, index_list offsets) {
    auto const row = thread_number();
    if (row <= rows) offsets.set(row, counts[row]);
}

__global__ void add_counts(int n, int const* counts, int* sum) {
    int total = 0;
    for (int i = 0; i < n; ++i) total += counts[i];
    *sum = total;
}

// A = L U at the places of A (Saad, "Iterative Methods for Sparse Linear Systems", algorithm 10.4): one thread, row by row.
template <class T>
__global__ void factor(int m, int const* offsets, int const* indices, int base, T* values, int* pivot) {
    auto const find = [&](int row, int column) {
        for (int i = offsets[row] - base; i < offsets[row + 1] - base; ++i)
            if (indices[i] - base == column) return i;
        return -1;
    };
    *pivot = -1;
    for (int row = 0; row < m; ++row) {
        for (int i = offsets[row] - base; i < offsets[row + 1] - base; ++i) {
            int const k = indices[i] - base;
            if (k >= row) continue;
            int const d = find(k, k);
            if (d < 0) continue;
            values[i] = number<T>::quotient(values[i], values[d]);
            for (int j = offsets[k] - base; j < offsets[k + 1] - base; ++j) {
                if (indices[j] - base <= k) continue;
                int const to = find(row, indices[j] - base);
                if (to >= 0)
                    values[to] = number<T>::sum(
                        values[to], number<T>::negative(number<T>::product(values[i], values[j])));
            }
        }
        int const d = find(row, row);
        if (*pivot < 0 && (d < 0 || number<T>::is_zero(values[d]))) *pivot = row + base;
    }
}

} // namespace
