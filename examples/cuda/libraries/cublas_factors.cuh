// Factorisations of many small matrices: a block for a matrix, and what follows from L and U: a thread for a column.
#pragma once

namespace {

// A = P L U, L with ones on its diagonal (Golub and Van Loan, "Matrix Computations", algorithm 3.4.1). Without pivots P
// is the identity.
template <class T>
__global__ void factor_lu(int n, T* const* all, int lda, int* all_pivots, int* info) {
    T* const a = all[blockIdx.x];
    int* const pivots = all_pivots == nullptr ? nullptr : all_pivots + (size_t)blockIdx.x * n;
    __shared__ int pivot, singular;
    if (threadIdx.x == 0) singular = 0;
    for (int k = 0; k < n; ++k) {
        T* const column = a + (size_t)k * lda;
        if (threadIdx.x == 0) {
            pivot = k;
            for (int i = k + 1; pivots != nullptr && i < n; ++i)
                if (number<T>::size_1(column[i]) > number<T>::size_1(column[pivot])) pivot = i;
            if (pivots != nullptr) pivots[k] = pivot + 1;
            if (singular == 0 && number<T>::is_zero(column[pivot])) singular = k + 1;
        }
        __syncthreads();
        for (int j = threadIdx.x; pivot != k && j < n; j += blockDim.x) {
            T const v = a[k + (size_t)j * lda];
            a[k + (size_t)j * lda] = a[pivot + (size_t)j * lda];
            a[pivot + (size_t)j * lda] = v;
        }
        __syncthreads();
        T const d = column[k];
        if (!number<T>::is_zero(d))
            for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
                column[i] = number<T>::quotient(column[i], d);
        __syncthreads();
        for (int at = threadIdx.x; at < (n - k - 1) * (n - k - 1); at += blockDim.x) {
            int const i = k + 1 + at % (n - k - 1), j = k + 1 + at / (n - k - 1);
            T& to = a[i + (size_t)j * lda];
            to = number<T>::sum(to,
                                number<T>::negative(number<T>::product(column[i], a[k + (size_t)j * lda])));
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) info[blockIdx.x] = singular;
}
// x = op(A)^-1 x for a column, in place.
template <class T>
__device__ void solve_lu(int n, T const* lu, int lda, int const* pivots, cublasOperation_t op, T* x) {
    auto const swap_rows = [&](int i) {
        int const other = pivots[i] - 1;
        T const v = x[i];
        x[i] = x[other];
        x[other] = v;
    };
    auto const at = [&](int i, int j) {
        T const v = op == CUBLAS_OP_N ? lu[i + (size_t)j * lda] : lu[j + (size_t)i * lda];
        return op == CUBLAS_OP_C ? number<T>::conjugate(v) : v;
    };
    // The lower factor of op(A) first: L, or U transposed.
    bool const straight = op == CUBLAS_OP_N;
    for (int i = 0; straight && pivots != nullptr && i < n; ++i) swap_rows(i);
    for (int i = 0; i < n; ++i) {
        T v = x[i];
        for (int j = 0; j < i; ++j)
            v = number<T>::sum(v, number<T>::negative(number<T>::product(at(i, j), x[j])));
        x[i] = straight ? v : number<T>::quotient(v, at(i, i));
    }
    for (int i = n - 1; i >= 0; --i) {
        T v = x[i];
        for (int j = i + 1; j < n; ++j)
            v = number<T>::sum(v, number<T>::negative(number<T>::product(at(i, j), x[j])));
        x[i] = straight ? number<T>::quotient(v, at(i, i)) : v;
    }
    for (int i = n - 1; !straight && pivots != nullptr && i >= 0; --i) swap_rows(i);
}
template <class T>
__global__ void solve_columns(int n, int columns, cublasOperation_t op, T const* const* all, int lda,
                              int const* all_pivots, T* const* results, int ld, bool of_identity, int* info) {
    T const* const lu = all[blockIdx.y];
    int const j = blockIdx.x * blockDim.x + threadIdx.x;
    if (info != nullptr && j == 0) {
        int zero = 0;
        for (int i = n; i > 0; --i)
            if (number<T>::is_zero(lu[i - 1 + (size_t)(i - 1) * lda])) zero = i;
        info[blockIdx.y] = zero;
    }
    if (j >= columns) return;
    T* const x = results[blockIdx.y] + (size_t)j * ld;
    for (int i = 0; of_identity && i < n; ++i) x[i] = i == j ? number<T>::one() : number<T>::zero();
    solve_lu(n, lu, lda, all_pivots == nullptr ? nullptr : all_pivots + (size_t)blockIdx.y * n, op, x);
}

} // namespace

extern "C" {

#define FACTORS(L, T)                                                                                        \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T* const a[], int lda, int* pivots,      \
                                           int* info, int count) {                                           \
        if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (n < 0 || count < 0 || lda < max(1, n)) return CUBLAS_STATUS_INVALID_VALUE;                       \
        if (n > 0 && count > 0) factor_lu<<<count, 128, 0, h->stream>>>(n, a, lda, pivots, info);            \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, T const* const a[], int lda,             \
                                           int const* pivots, T* const c[], int ldc, int* info, int count) { \
        if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        if (n < 0 || count < 0 || count > 65535 || lda < max(1, n) || ldc < max(1, n))                       \
            return CUBLAS_STATUS_INVALID_VALUE;                                                              \
        if (n > 0 && count > 0)                                                                              \
            solve_columns<<<dim3(blocks(n, 64), (unsigned)count), 64, 0, h->stream>>>(                       \
                n, n, CUBLAS_OP_N, a, lda, pivots, c, ldc, true, info);                                      \
        return launched();                                                                                   \
    }                                                                                                        \
    cublasStatus_t cublas##L##getrsBatched(cublasHandle_t h, cublasOperation_t op, int n, int columns,       \
                                           T const* const a[], int lda, int const* pivots, T* const b[],     \
                                           int ldb, int* info, int count) {                                  \
        if (h == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;                                              \
        bool const good =                                                                                    \
            n >= 0 && columns >= 0 && count >= 0 && count <= 65535 && lda >= max(1, n) && ldb >= max(1, n);  \
        if (info != nullptr) *info = good ? 0 : -1; /* on the host */                                        \
        if (!good) return CUBLAS_STATUS_INVALID_VALUE;                                                       \
        if (n > 0 && count > 0 && columns > 0)                                                               \
            solve_columns<<<dim3(blocks(columns, 64), (unsigned)count), 64, 0, h->stream>>>(                 \
                n, columns, op, a, lda, pivots, b, ldb, false, (int*)nullptr);                               \
        return launched();                                                                                   \
    }
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, cuComplex)
FACTORS(Z, cuDoubleComplex)
#undef FACTORS

} // extern "C"
