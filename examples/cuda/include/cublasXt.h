/* cuBLAS-XT: products of matrices that may lie on the host. There is one device: operands that it cannot reach are
 * copied there and back as a whole, so the block's dimension and pinning are remembered and mean nothing. gemm, syrk,
 * symm and trsm are there; what else a program calls is named when it is linked. */
#ifndef WARPKIT_CUDA_CUBLASXT_H
#define WARPKIT_CUDA_CUBLASXT_H
#define CUBLAS_XT_H_ /* programs ask for it */

#include "cublas_v2.h"

typedef struct cublasXtContext* cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;
typedef enum {
    CUBLASXT_FLOAT = 0,
    CUBLASXT_DOUBLE = 1,
    CUBLASXT_COMPLEX = 2,
    CUBLASXT_DOUBLECOMPLEX = 3
} cublasXtOpType_t;
typedef enum {
    CUBLASXT_GEMM = 0,
    CUBLASXT_SYRK = 1,
    CUBLASXT_HERK = 2,
    CUBLASXT_SYMM = 3,
    CUBLASXT_HEMM = 4,
    CUBLASXT_TRSM = 5,
    CUBLASXT_SYR2K = 6,
    CUBLASXT_HER2K = 7,
    CUBLASXT_SPMM = 8,
    CUBLASXT_SYRKX = 9,
    CUBLASXT_HERKX = 10,
    CUBLASXT_TRMM = 11,
    CUBLASXT_ROUTINE_MAX = 12
} cublasXtBlasOp_t;

#if defined(__cplusplus)
extern "C" {
#endif
cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
/* How many boards the devices are on. */
cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int* boards);
cublasStatus_t cublasXtMaxBoards(int* boards);
/* Before the first product. There is device 0: others are CUBLAS_STATUS_INVALID_VALUE. */
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]);
/* Rows and columns of a block; at first 2048. */
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int dimension);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* dimension);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode);
/* A part that the host's own BLAS is to compute. */
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t operation,
                                     cublasXtOpType_t type, void* function);
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t operation, cublasXtOpType_t type,
                                   float ratio);

#define WARPKIT_CUBLASXT(L, T)                                                                               \
    cublasStatus_t cublasXt##L##gemm(cublasXtHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,     \
                                     size_t m, size_t n, size_t k, T const* alpha, T const* a, size_t lda,   \
                                     T const* b, size_t ldb, T const* beta, T* c, size_t ldc);               \
    cublasStatus_t cublasXt##L##syrk(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op,        \
                                     size_t n, size_t k, T const* alpha, T const* a, size_t lda,             \
                                     T const* beta, T* c, size_t ldc);                                       \
    cublasStatus_t cublasXt##L##symm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
                                     size_t m, size_t n, T const* alpha, T const* a, size_t lda, T const* b, \
                                     size_t ldb, T const* beta, T* c, size_t ldc);                           \
    cublasStatus_t cublasXt##L##trsm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
                                     cublasOperation_t op, cublasDiagType_t diagonal, size_t m, size_t n,    \
                                     T const* alpha, T const* a, size_t lda, T* b, size_t ldb);              \
    /* Declared alone. */                                                                                    \
    cublasStatus_t cublasXt##L##syr2k(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op,       \
                                      size_t n, size_t k, T const* alpha, T const* a, size_t lda,            \
                                      T const* b, size_t ldb, T const* beta, T* c, size_t ldc);              \
    cublasStatus_t cublasXt##L##syrkx(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op,       \
                                      size_t n, size_t k, T const* alpha, T const* a, size_t lda,            \
                                      T const* b, size_t ldb, T const* beta, T* c, size_t ldc);              \
    cublasStatus_t cublasXt##L##trmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
                                     cublasOperation_t op, cublasDiagType_t diagonal, size_t m, size_t n,    \
                                     T const* alpha, T const* a, size_t lda, T const* b, size_t ldb, T* c,   \
                                     size_t ldc);                                                            \
    cublasStatus_t cublasXt##L##spmm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
                                     size_t m, size_t n, T const* alpha, T const* packed, T const* b,        \
                                     size_t ldb, T const* beta, T* c, size_t ldc);
WARPKIT_CUBLASXT(S, float)
WARPKIT_CUBLASXT(D, double)
WARPKIT_CUBLASXT(C, cuComplex)
WARPKIT_CUBLASXT(Z, cuDoubleComplex)
#undef WARPKIT_CUBLASXT
#define WARPKIT_CUBLASXT_HERMITIAN(L, T, R)                                                                  \
    cublasStatus_t cublasXt##L##herk(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op,        \
                                     size_t n, size_t k, R const* alpha, T const* a, size_t lda,             \
                                     R const* beta, T* c, size_t ldc);                                       \
    cublasStatus_t cublasXt##L##herkx(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op,       \
                                      size_t n, size_t k, T const* alpha, T const* a, size_t lda,            \
                                      T const* b, size_t ldb, R const* beta, T* c, size_t ldc);              \
    cublasStatus_t cublasXt##L##her2k(cublasXtHandle_t h, cublasFillMode_t fill, cublasOperation_t op,       \
                                      size_t n, size_t k, T const* alpha, T const* a, size_t lda,            \
                                      T const* b, size_t ldb, R const* beta, T* c, size_t ldc);              \
    cublasStatus_t cublasXt##L##hemm(cublasXtHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,       \
                                     size_t m, size_t n, T const* alpha, T const* a, size_t lda, T const* b, \
                                     size_t ldb, T const* beta, T* c, size_t ldc);
WARPKIT_CUBLASXT_HERMITIAN(C, cuComplex, float)
WARPKIT_CUBLASXT_HERMITIAN(Z, cuDoubleComplex, double)
#undef WARPKIT_CUBLASXT_HERMITIAN
#if defined(__cplusplus)
}
#endif

#endif
