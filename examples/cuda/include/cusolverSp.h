/* cuSOLVER's sparse interface, declared: what a program calls of it is named when it is linked. Matrices are CSR; those
 * of the functions whose names end in Host are on the host. */
#ifndef WARPKIT_CUDA_CUSOLVER_SP_H
#define WARPKIT_CUDA_CUSOLVER_SP_H
#define CUSOLVERSP_H_ /* programs ask for it */

#include "cublas_v2.h"
#include "cusolver_common.h"
#include "cusparse.h"
#include "letters_away.h"

#include <stdint.h>

typedef struct cusolverSpContext* cusolverSpHandle_t;
typedef struct csrqrInfo* csrqrInfo_t;

#if defined(__cplusplus)
extern "C" {
#endif
cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t* handle);
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle);
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t* stream);
cusolverStatus_t cusolverSpCreateCsrqrInfo(csrqrInfo_t* info);
cusolverStatus_t cusolverSpDestroyCsrqrInfo(csrqrInfo_t info);

/* Orders and permutations. */
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t h, int m, int nnz, cusparseMatDescr_t const a,
                                         int const* rows, int const* row_ends, int const* columns,
                                         int* is_symmetric);
#define WARPKIT_CUSOLVER_ORDER(name)                                                                         \
    cusolverStatus_t cusolverSpXcsr##name##Host(cusolverSpHandle_t h, int n, int nnz,                        \
                                                cusparseMatDescr_t const a, int const* rows,                 \
                                                int const* columns, int* p);
WARPKIT_CUSOLVER_ORDER(symrcm)
WARPKIT_CUSOLVER_ORDER(symmdq)
WARPKIT_CUSOLVER_ORDER(symamd)
#undef WARPKIT_CUSOLVER_ORDER
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t const a,
                                           int const* rows, int const* columns, int64_t const* options,
                                           int* p);
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t h, int m, int n, int nnz,
                                                   cusparseMatDescr_t const a, int const* rows,
                                                   int const* columns, int const* p, int const* q,
                                                   size_t* bytes);
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t h, int m, int n, int nnz,
                                        cusparseMatDescr_t const a, int* rows, int* columns, int const* p,
                                        int const* q, int* map, void* buffer);
cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t h, int m, int n, int nnz,
                                                 cusparseMatDescr_t const a, int const* rows,
                                                 int const* columns, csrqrInfo_t info);

/* Systems and eigenvalues. */
#define WARPKIT_CUSOLVER_SOLVE(name, T, R)                                                                   \
    cusolverStatus_t cusolverSp##name(cusolverSpHandle_t h, int m, int nnz, cusparseMatDescr_t const a,      \
                                      T const* values, int const* rows, int const* columns, T const* b,      \
                                      R tolerance, int reorder, T* x, int* singularity);
#define WARPKIT_CUSOLVER_NEAREST(name, T, R)                                                                 \
    cusolverStatus_t cusolverSp##name(cusolverSpHandle_t h, int m, int nnz, cusparseMatDescr_t const a,      \
                                      T const* values, int const* rows, int const* columns, T mu0,           \
                                      T const* x0, int iterations, R tolerance, T* mu, T* x);
#define WARPKIT_CUSOLVER_SPARSE(L, T, R, Complex)                                                            \
    WARPKIT_CUSOLVER_SOLVE(L##csrlsvluHost, T, R)                                                            \
    WARPKIT_CUSOLVER_SOLVE(L##csrlsvqr, T, R)                                                                \
    WARPKIT_CUSOLVER_SOLVE(L##csrlsvqrHost, T, R)                                                            \
    WARPKIT_CUSOLVER_SOLVE(L##csrlsvchol, T, R)                                                              \
    WARPKIT_CUSOLVER_SOLVE(L##csrlsvcholHost, T, R)                                                          \
    WARPKIT_CUSOLVER_NEAREST(L##csreigvsi, T, R)                                                             \
    WARPKIT_CUSOLVER_NEAREST(L##csreigvsiHost, T, R)                                                         \
    cusolverStatus_t cusolverSp##L##csrlsqvqrHost(                                                           \
        cusolverSpHandle_t h, int m, int n, int nnz, cusparseMatDescr_t const a, T const* values,            \
        int const* rows, int const* columns, T const* b, R tolerance, int* rank, T* x, int* p, R* norm);     \
    cusolverStatus_t cusolverSp##L##csreigsHost(                                                             \
        cusolverSpHandle_t h, int m, int nnz, cusparseMatDescr_t const a, T const* values, int const* rows,  \
        int const* columns, Complex left_bottom, Complex right_top, int* count);                             \
    cusolverStatus_t cusolverSp##L##csrzfdHost(cusolverSpHandle_t h, int n, int nnz,                         \
                                               cusparseMatDescr_t const a, T const* values, int const* rows, \
                                               int const* columns, int* p, int* count);                      \
    cusolverStatus_t cusolverSp##L##csrqrBufferInfoBatched(                                                  \
        cusolverSpHandle_t h, int m, int n, int nnz, cusparseMatDescr_t const a, T const* values,            \
        int const* rows, int const* columns, int batch, csrqrInfo_t info, size_t* internal_bytes,            \
        size_t* buffer_bytes);                                                                               \
    cusolverStatus_t cusolverSp##L##csrqrsvBatched(                                                          \
        cusolverSpHandle_t h, int m, int n, int nnz, cusparseMatDescr_t const a, T const* values,            \
        int const* rows, int const* columns, T const* b, T* x, int batch, csrqrInfo_t info, void* buffer);
WARPKIT_CUSOLVER_SPARSE(S, float, float, cuComplex)
WARPKIT_CUSOLVER_SPARSE(D, double, double, cuDoubleComplex)
WARPKIT_CUSOLVER_SPARSE(C, cuComplex, float, cuComplex)
WARPKIT_CUSOLVER_SPARSE(Z, cuDoubleComplex, double, cuDoubleComplex)
#undef WARPKIT_CUSOLVER_SPARSE
#undef WARPKIT_CUSOLVER_NEAREST
#undef WARPKIT_CUSOLVER_SOLVE
#if defined(__cplusplus)
}
#endif

#include "letters_back.h"

#endif
