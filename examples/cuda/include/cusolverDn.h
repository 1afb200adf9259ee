/* cuSOLVER's dense interface, declared: what a program calls of it is named when it is linked. */
#ifndef WARPKIT_CUDA_CUSOLVER_DN_H
#define WARPKIT_CUDA_CUSOLVER_DN_H
#define CUSOLVERDN_H_ /* programs ask for it */

#include "cublas_v2.h"
#include "cusolver_common.h"

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct syevjInfo* syevjInfo_t;
typedef struct gesvdjInfo* gesvdjInfo_t;

#if defined(__cplusplus)
extern "C" {
#endif
cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream);
#define WARPKIT_CUSOLVER(L, T)                                                                               \
    cusolverStatus_t cusolverDn##L##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t fill, int n,     \
                                                     T* a, int lda, int* words);                             \
    cusolverStatus_t cusolverDn##L##potrf(cusolverDnHandle_t h, cublasFillMode_t fill, int n, T* a, int lda, \
                                          T* work, int words, int* info);                                    \
    cusolverStatus_t cusolverDn##L##potrs(cusolverDnHandle_t h, cublasFillMode_t fill, int n, int columns,   \
                                          T const* a, int lda, T* b, int ldb, int* info);                    \
    cusolverStatus_t cusolverDn##L##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T* a, int lda,      \
                                                     int* words);                                            \
    cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* work,        \
                                          int* pivots, int* info);                                           \
    cusolverStatus_t cusolverDn##L##getrs(cusolverDnHandle_t h, cublasOperation_t op, int n, int columns,    \
                                          T const* a, int lda, int const* pivots, T* b, int ldb, int* info); \
    cusolverStatus_t cusolverDn##L##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T* a, int lda,      \
                                                     int* words);                                            \
    cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* tau,         \
                                          T* work, int words, int* info);
WARPKIT_CUSOLVER(S, float)
WARPKIT_CUSOLVER(D, double)
WARPKIT_CUSOLVER(C, cuComplex)
WARPKIT_CUSOLVER(Z, cuDoubleComplex)
#undef WARPKIT_CUSOLVER
#define WARPKIT_CUSOLVER_Q(name, T)                                                                          \
    cusolverStatus_t cusolverDn##name##_bufferSize(cusolverDnHandle_t h, cublasSideMode_t side,              \
                                                   cublasOperation_t op, int m, int n, int k, T const* a,    \
                                                   int lda, T const* tau, T const* c, int ldc, int* words);  \
    cusolverStatus_t cusolverDn##name(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t op,     \
                                      int m, int n, int k, T const* a, int lda, T const* tau, T* c, int ldc, \
                                      T* work, int words, int* info);
WARPKIT_CUSOLVER_Q(Sormqr, float)
WARPKIT_CUSOLVER_Q(Dormqr, double)
WARPKIT_CUSOLVER_Q(Cunmqr, cuComplex)
WARPKIT_CUSOLVER_Q(Zunmqr, cuDoubleComplex)
#undef WARPKIT_CUSOLVER_Q
cusolverStatus_t cusolverDnSsyevd_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                             cublasFillMode_t fill, int n, float const* a, int lda,
                                             float const* w, int* words);
cusolverStatus_t cusolverDnSsyevd(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t fill, int n,
                                  float* a, int lda, float* w, float* work, int words, int* info);
cusolverStatus_t cusolverDnDsyevd_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode,
                                             cublasFillMode_t fill, int n, double const* a, int lda,
                                             double const* w, int* words);
cusolverStatus_t cusolverDnDsyevd(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t fill, int n,
                                  double* a, int lda, double* w, double* work, int words, int* info);
#if defined(__cplusplus)
}
#endif

#endif
