/* cuBLAS; libraries/cublas.cu has the kernels of what works there. What is declared here and not there is named when
 * a program is linked. */
#ifndef WARPKIT_CUDA_CUBLAS_API_H
#define WARPKIT_CUDA_CUBLAS_API_H
#define CUBLAS_API_H_ /* programs ask for it */

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime_api.h"
#include "library_types.h"

#include <stdint.h>

#define CUBLASAPI
#define CUBLASWINAPI
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VERSION 120000

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
#define cublasStatus cublasStatus_t
typedef enum {
    CUBLAS_FILL_MODE_LOWER = 0,
    CUBLAS_FILL_MODE_UPPER = 1,
    CUBLAS_FILL_MODE_FULL = 2
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
    CUBLAS_OP_N = 0,
    CUBLAS_OP_T = 1,
    CUBLAS_OP_C = 2,
    CUBLAS_OP_HERMITAN = 2,
    CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
    CUBLAS_GEMM_DFALT = -1,
    CUBLAS_GEMM_DEFAULT = -1,
    CUBLAS_GEMM_ALGO0 = 0,
    CUBLAS_GEMM_ALGO1 = 1,
    CUBLAS_GEMM_ALGO2 = 2,
    CUBLAS_GEMM_ALGO23 = 23,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
    CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
    CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
    CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;
typedef struct cublasContext* cublasHandle_t;

#if defined(__cplusplus)
extern "C" {
#endif
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
char const* cublasGetStatusName(cublasStatus_t status);
char const* cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetVector(int n, int bytes, void const* from, int from_step, void* to, int to_step);
cublasStatus_t cublasGetVector(int n, int bytes, void const* from, int from_step, void* to, int to_step);
cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                               int to_ld);
cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                               int to_ld);
cublasStatus_t cublasSetVectorAsync(int n, int bytes, void const* from, int from_step, void* to, int to_step,
                                    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int bytes, void const* from, int from_step, void* to, int to_step,
                                    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                                    int to_ld, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int bytes, void const* from, int from_ld, void* to,
                                    int to_ld, cudaStream_t stream);

/* Vectors. */
#define WARPKIT_CUBLAS_VECTORS(L, I, T)                                                                      \
    cublasStatus_t cublas##L##axpy_v2(cublasHandle_t h, int n, T const* alpha, T const* x, int x_step, T* y, \
                                      int y_step);                                                           \
    cublasStatus_t cublas##L##copy_v2(cublasHandle_t h, int n, T const* x, int x_step, T* y, int y_step);    \
    cublasStatus_t cublas##L##swap_v2(cublasHandle_t h, int n, T* x, int x_step, T* y, int y_step);          \
    cublasStatus_t cublas##L##scal_v2(cublasHandle_t h, int n, T const* alpha, T* x, int x_step);            \
    cublasStatus_t cublasI##I##amax_v2(cublasHandle_t h, int n, T const* x, int x_step, int* result);        \
    cublasStatus_t cublasI##I##amin_v2(cublasHandle_t h, int n, T const* x, int x_step, int* result);        \
    cublasStatus_t cublas##L##gemv_v2(cublasHandle_t h, cublasOperation_t op, int m, int n, T const* alpha,  \
                                      T const* a, int lda, T const* x, int x_step, T const* beta, T* y,      \
                                      int y_step);                                                           \
    cublasStatus_t cublas##L##gemm_v2(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,      \
                                      int m, int n, int k, T const* alpha, T const* a, int lda, T const* b,  \
                                      int ldb, T const* beta, T* c, int ldc);                                \
    cublasStatus_t cublas##L##gemmBatched(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,  \
                                          int m, int n, int k, T const* alpha, T const* const a[], int lda,  \
                                          T const* const b[], int ldb, T const* beta, T* const c[], int ldc, \
                                          int count);                                                        \
    cublasStatus_t cublas##L##gemmStridedBatched(                                                            \
        cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,               \
        T const* alpha, T const* a, int lda, long long int a_step, T const* b, int ldb,                      \
        long long int b_step, T const* beta, T* c, int ldc, long long int c_step, int count);                \
    cublasStatus_t cublas##L##geam(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,  \
                                   int n, T const* alpha, T const* a, int lda, T const* beta, T const* b,    \
                                   int ldb, T* c, int ldc);                                                  \
    cublasStatus_t cublas##L##syrk_v2(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t op, int n,  \
                                      int k, T const* alpha, T const* a, int lda, T const* beta, T* c,       \
                                      int ldc);                                                              \
    cublasStatus_t cublas##L##trsm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill,        \
                                      cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,         \
                                      T const* alpha, T const* a, int lda, T* b, int ldb);                   \
    cublasStatus_t cublas##L##symm_v2(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t fill, int m, \
                                      int n, T const* alpha, T const* a, int lda, T const* b, int ldb,       \
                                      T const* beta, T* c, int ldc);                                         \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n, T* const a[], int lda, int* pivots,      \
                                           int* info, int count);                                            \
    cublasStatus_t cublas##L##getriBatched(cublasHandle_t h, int n, T const* const a[], int lda,             \
                                           int const* pivots, T* const c[], int ldc, int* info, int count);  \
    cublasStatus_t cublas##L##getrsBatched(cublasHandle_t h, cublasOperation_t op, int n, int columns,       \
                                           T const* const a[], int lda, int const* pivots, T* const b[],     \
                                           int ldb, int* info, int count);
WARPKIT_CUBLAS_VECTORS(S, s, float)
WARPKIT_CUBLAS_VECTORS(D, d, double)
WARPKIT_CUBLAS_VECTORS(C, c, cuComplex)
WARPKIT_CUBLAS_VECTORS(Z, z, cuDoubleComplex)
#undef WARPKIT_CUBLAS_VECTORS
#define WARPKIT_CUBLAS_REAL(L, T)                                                                            \
    cublasStatus_t cublas##L##dot_v2(cublasHandle_t h, int n, T const* x, int x_step, T const* y,            \
                                     int y_step, T* result);                                                 \
    cublasStatus_t cublas##L##nrm2_v2(cublasHandle_t h, int n, T const* x, int x_step, T* result);           \
    cublasStatus_t cublas##L##asum_v2(cublasHandle_t h, int n, T const* x, int x_step, T* result);           \
    cublasStatus_t cublas##L##rot_v2(cublasHandle_t h, int n, T* x, int x_step, T* y, int y_step,            \
                                     T const* c, T const* s);                                                \
    cublasStatus_t cublas##L##ger_v2(cublasHandle_t h, int m, int n, T const* alpha, T const* x, int x_step, \
                                     T const* y, int y_step, T* a, int lda);                                 \
    cublasStatus_t cublas##L##symv_v2(cublasHandle_t h, cublasFillMode_t fill, int n, T const* alpha,        \
                                      T const* a, int lda, T const* x, int x_step, T const* beta, T* y,      \
                                      int y_step);
WARPKIT_CUBLAS_REAL(S, float)
WARPKIT_CUBLAS_REAL(D, double)
#undef WARPKIT_CUBLAS_REAL
#define WARPKIT_CUBLAS_COMPLEX(L, N, T, R)                                                                   \
    cublasStatus_t cublas##L##dotu_v2(cublasHandle_t h, int n, T const* x, int x_step, T const* y,           \
                                      int y_step, T* result);                                                \
    cublasStatus_t cublas##L##dotc_v2(cublasHandle_t h, int n, T const* x, int x_step, T const* y,           \
                                      int y_step, T* result);                                                \
    cublasStatus_t cublas##N##nrm2_v2(cublasHandle_t h, int n, T const* x, int x_step, R* result);           \
    cublasStatus_t cublas##N##asum_v2(cublasHandle_t h, int n, T const* x, int x_step, R* result);
WARPKIT_CUBLAS_COMPLEX(C, Sc, cuComplex, float)
WARPKIT_CUBLAS_COMPLEX(Z, Dz, cuDoubleComplex, double)
#undef WARPKIT_CUBLAS_COMPLEX
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, void const* x, cudaDataType x_type, int x_step,
                           void const* y, cudaDataType y_type, int y_step, void* result,
                           cudaDataType result_type, cudaDataType execution);
cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, void const* x, cudaDataType x_type, int x_step,
                            void* result, cudaDataType result_type, cudaDataType execution);
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, void const* alpha, cudaDataType alpha_type,
                            void const* x, cudaDataType x_type, int x_step, void* y, cudaDataType y_type,
                            int y_step, cudaDataType execution);
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, void const* alpha, cudaDataType alpha_type, void* x,
                            cudaDataType x_type, int x_step, cudaDataType execution);
#if defined(__cplusplus)
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                           int k, __half const* alpha, __half const* a, int lda, __half const* b, int ldb,
                           __half const* beta, __half* c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,
                                         int m, int n, int k, __half const* alpha, __half const* a, int lda,
                                         long long int a_step, __half const* b, int ldb, long long int b_step,
                                         __half const* beta, __half* c, int ldc, long long int c_step,
                                         int count);
#endif
cublasStatus_t cublasSgemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                             int k, float const* alpha, void const* a, cudaDataType a_type, int lda,
                             void const* b, cudaDataType b_type, int ldb, float const* beta, void* c,
                             cudaDataType c_type, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,
                            int k, void const* alpha, void const* a, cudaDataType a_type, int lda,
                            void const* b, cudaDataType b_type, int ldb, void const* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,
                                          int m, int n, int k, void const* alpha, void const* a,
                                          cudaDataType a_type, int lda, long long int a_step, void const* b,
                                          cudaDataType b_type, int ldb, long long int b_step,
                                          void const* beta, void* c, cudaDataType c_type, int ldc,
                                          long long int c_step, int count, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m,
                                   int n, int k, void const* alpha, void const* const a[],
                                   cudaDataType a_type, int lda, void const* const b[], cudaDataType b_type,
                                   int ldb, void const* beta, void* const c[], cudaDataType c_type, int ldc,
                                   int count, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
#if defined(__cplusplus)
}
/* Old programs give the type of computation as one of data. */
static inline cublasComputeType_t warpkit_cublas_compute(cudaDataType type) {
    return type == CUDA_R_16F                         ? CUBLAS_COMPUTE_16F
           : type == CUDA_R_64F || type == CUDA_C_64F ? CUBLAS_COMPUTE_64F
           : type == CUDA_R_32I                       ? CUBLAS_COMPUTE_32I
                                                      : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b,
                                          int m, int n, int k, void const* alpha, void const* a,
                                          cudaDataType a_type, int lda, void const* b, cudaDataType b_type,
                                          int ldb, void const* beta, void* c, cudaDataType c_type, int ldc,
                                          cudaDataType compute, cublasGemmAlgo_t algorithm) {
    return cublasGemmEx(h, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
                        warpkit_cublas_compute(compute), algorithm);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, void const* alpha,
    void const* a, cudaDataType a_type, int lda, long long int a_step, void const* b, cudaDataType b_type,
    int ldb, long long int b_step, void const* beta, void* c, cudaDataType c_type, int ldc,
    long long int c_step, int count, cudaDataType compute, cublasGemmAlgo_t algorithm) {
    return cublasGemmStridedBatchedEx(h, op_a, op_b, m, n, k, alpha, a, a_type, lda, a_step, b, b_type, ldb,
                                      b_step, beta, c, c_type, ldc, c_step, count,
                                      warpkit_cublas_compute(compute), algorithm);
}
#endif

#endif
