/* cuSOLVER's sparse factorisations step by step, declared: what a program calls of it is named when it is linked. */
#ifndef WARPKIT_CUDA_CUSOLVER_SP_LOWLEVEL_H
#define WARPKIT_CUDA_CUSOLVER_SP_LOWLEVEL_H
#define CUSOLVERSP_LOWLEVEL_PREVIEW_H_ /* programs ask for it */

#include "cusolverSp.h"
#include "letters_away.h"

typedef struct csrluInfoHost* csrluInfoHost_t;
typedef struct csrqrInfoHost* csrqrInfoHost_t;
typedef struct csrcholInfoHost* csrcholInfoHost_t;
typedef struct csrcholInfo* csrcholInfo_t;

#if defined(__cplusplus)
extern "C" {
#endif
#define WARPKIT_CUSOLVER_INFO(name)                                                                          \
    cusolverStatus_t cusolverSpCreateCsr##name(csr##name##_t* info);                                         \
    cusolverStatus_t cusolverSpDestroyCsr##name(csr##name##_t info);
WARPKIT_CUSOLVER_INFO(luInfoHost)
WARPKIT_CUSOLVER_INFO(qrInfoHost)
WARPKIT_CUSOLVER_INFO(cholInfoHost)
WARPKIT_CUSOLVER_INFO(cholInfo)
#undef WARPKIT_CUSOLVER_INFO
cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t h, int n, int nnz,
                                              cusparseMatDescr_t const a, int const* rows, int const* columns,
                                              csrluInfoHost_t info);
cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t h, int* l_nnz, int* u_nnz, csrluInfoHost_t info);

/* On the host, and on the device. */
#define WARPKIT_CUSOLVER_STEPS(L, T, R, where)                                                               \
    cusolverStatus_t cusolverSp##L##csrqrBufferInfo##where(                                                  \
        cusolverSpHandle_t h, int m, int n, int nnz, cusparseMatDescr_t const a, T const* values,            \
        int const* rows, int const* columns, csrqrInfo##where##_t info, size_t* internal_bytes,              \
        size_t* buffer_bytes);                                                                               \
    cusolverStatus_t cusolverSp##L##csrqrSetup##where(                                                       \
        cusolverSpHandle_t h, int m, int n, int nnz, cusparseMatDescr_t const a, T const* values,            \
        int const* rows, int const* columns, T mu, csrqrInfo##where##_t info);                               \
    cusolverStatus_t cusolverSp##L##csrqrFactor##where(cusolverSpHandle_t h, int m, int n, int nnz, T* b,    \
                                                       T* x, csrqrInfo##where##_t info, void* buffer);       \
    cusolverStatus_t cusolverSp##L##csrqrZeroPivot##where(cusolverSpHandle_t h, csrqrInfo##where##_t info,   \
                                                          R tolerance, int* position);                       \
    cusolverStatus_t cusolverSp##L##csrqrSolve##where(cusolverSpHandle_t h, int m, int n, T* b, T* x,        \
                                                      csrqrInfo##where##_t info, void* buffer);              \
    cusolverStatus_t cusolverSp##L##csrcholBufferInfo##where(                                                \
        cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t const a, T const* values, int const* rows,  \
        int const* columns, csrcholInfo##where##_t info, size_t* internal_bytes, size_t* buffer_bytes);      \
    cusolverStatus_t cusolverSp##L##csrcholFactor##where(                                                    \
        cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t const a, T const* values, int const* rows,  \
        int const* columns, csrcholInfo##where##_t info, void* buffer);                                      \
    cusolverStatus_t cusolverSp##L##csrcholZeroPivot##where(                                                 \
        cusolverSpHandle_t h, csrcholInfo##where##_t info, R tolerance, int* position);                      \
    cusolverStatus_t cusolverSp##L##csrcholSolve##where(cusolverSpHandle_t h, int n, T const* b, T* x,       \
                                                        csrcholInfo##where##_t info, void* buffer);
#define WARPKIT_CUSOLVER_ANALYSES(where)                                                                     \
    cusolverStatus_t cusolverSpXcsrqrAnalysis##where(cusolverSpHandle_t h, int m, int n, int nnz,            \
                                                     cusparseMatDescr_t const a, int const* rows,            \
                                                     int const* columns, csrqrInfo##where##_t info);         \
    cusolverStatus_t cusolverSpXcsrcholAnalysis##where(cusolverSpHandle_t h, int n, int nnz,                 \
                                                       cusparseMatDescr_t const a, int const* rows,          \
                                                       int const* columns, csrcholInfo##where##_t info);
#define WARPKIT_CUSOLVER_TYPE(L, T, R)                                                                       \
    WARPKIT_CUSOLVER_STEPS(L, T, R, Host)                                                                    \
    WARPKIT_CUSOLVER_STEPS(L, T, R, )                                                                        \
    cusolverStatus_t cusolverSp##L##csrcholDiag(cusolverSpHandle_t h, csrcholInfo_t info, R* diagonal);      \
    cusolverStatus_t cusolverSp##L##csrluBufferInfoHost(                                                     \
        cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t const a, T const* values, int const* rows,  \
        int const* columns, csrluInfoHost_t info, size_t* internal_bytes, size_t* buffer_bytes);             \
    cusolverStatus_t cusolverSp##L##csrluFactorHost(                                                         \
        cusolverSpHandle_t h, int n, int nnz, cusparseMatDescr_t const a, T const* values, int const* rows,  \
        int const* columns, csrluInfoHost_t info, R pivot_threshold, void* buffer);                          \
    cusolverStatus_t cusolverSp##L##csrluZeroPivotHost(cusolverSpHandle_t h, csrluInfoHost_t info,           \
                                                       R tolerance, int* position);                          \
    cusolverStatus_t cusolverSp##L##csrluSolveHost(cusolverSpHandle_t h, int n, T const* b, T* x,            \
                                                   csrluInfoHost_t info, void* buffer);                      \
    cusolverStatus_t cusolverSp##L##csrluExtractHost(                                                        \
        cusolverSpHandle_t h, int* p, int* q, cusparseMatDescr_t const l, T* l_values, int* l_rows,          \
        int* l_columns, cusparseMatDescr_t const u, T* u_values, int* u_rows, int* u_columns,                \
        csrluInfoHost_t info, void* buffer);
WARPKIT_CUSOLVER_ANALYSES(Host)
WARPKIT_CUSOLVER_ANALYSES()
WARPKIT_CUSOLVER_TYPE(S, float, float)
WARPKIT_CUSOLVER_TYPE(D, double, double)
WARPKIT_CUSOLVER_TYPE(C, cuComplex, float)
WARPKIT_CUSOLVER_TYPE(Z, cuDoubleComplex, double)
#undef WARPKIT_CUSOLVER_TYPE
#undef WARPKIT_CUSOLVER_ANALYSES
#undef WARPKIT_CUSOLVER_STEPS
#if defined(__cplusplus)
}
#endif

#include "letters_back.h"

#endif
