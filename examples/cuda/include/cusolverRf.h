/* cuSOLVER's refactorisation, declared: what a program calls of it is named when it is linked. */
#ifndef WARPKIT_CUDA_CUSOLVER_RF_H
#define WARPKIT_CUDA_CUSOLVER_RF_H
#define CUSOLVERRF_H_ /* programs ask for it */

#include "cuda_runtime.h"
#include "cusolver_common.h"

typedef struct cusolverRfCommon* cusolverRfHandle_t;
typedef enum {
    CUSOLVERRF_RESET_VALUES_FAST_MODE_OFF = 0,
    CUSOLVERRF_RESET_VALUES_FAST_MODE_ON = 1
} cusolverRfResetValuesFastMode_t;
typedef enum { CUSOLVERRF_MATRIX_FORMAT_CSR = 0, CUSOLVERRF_MATRIX_FORMAT_CSC = 1 } cusolverRfMatrixFormat_t;
typedef enum {
    CUSOLVERRF_UNIT_DIAGONAL_STORED_L = 0,
    CUSOLVERRF_UNIT_DIAGONAL_STORED_U = 1,
    CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L = 2,
    CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U = 3
} cusolverRfUnitDiagonal_t;
typedef enum {
    CUSOLVERRF_FACTORIZATION_ALG0 = 0,
    CUSOLVERRF_FACTORIZATION_ALG1 = 1,
    CUSOLVERRF_FACTORIZATION_ALG2 = 2
} cusolverRfFactorization_t;
typedef enum {
    CUSOLVERRF_TRIANGULAR_SOLVE_ALG1 = 1,
    CUSOLVERRF_TRIANGULAR_SOLVE_ALG2 = 2,
    CUSOLVERRF_TRIANGULAR_SOLVE_ALG3 = 3
} cusolverRfTriangularSolve_t;
typedef enum {
    CUSOLVERRF_NUMERIC_BOOST_NOT_USED = 0,
    CUSOLVERRF_NUMERIC_BOOST_USED = 1
} cusolverRfNumericBoostReport_t;

#if defined(__cplusplus)
extern "C" {
#endif
cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t* handle);
cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle);
cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t h, cusolverRfMatrixFormat_t* format,
                                           cusolverRfUnitDiagonal_t* diagonal);
cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t h, cusolverRfMatrixFormat_t format,
                                           cusolverRfUnitDiagonal_t diagonal);
cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t h, double zero, double boost);
cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t h, double* zero, double* boost);
cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t h,
                                                 cusolverRfNumericBoostReport_t* report);
cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t h, cusolverRfFactorization_t factorization,
                                   cusolverRfTriangularSolve_t solve);
cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t h, cusolverRfFactorization_t* factorization,
                                   cusolverRfTriangularSolve_t* solve);
cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t h, cusolverRfResetValuesFastMode_t mode);
cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t h,
                                                  cusolverRfResetValuesFastMode_t* mode);

/* A = P^T L U Q^T, each CSR. */
cusolverStatus_t cusolverRfSetupHost(int n, int a_nnz, int* a_rows, int* a_columns, double* a_values,
                                     int l_nnz, int* l_rows, int* l_columns, double* l_values, int u_nnz,
                                     int* u_rows, int* u_columns, double* u_values, int* p, int* q,
                                     cusolverRfHandle_t h);
cusolverStatus_t cusolverRfSetupDevice(int n, int a_nnz, int* a_rows, int* a_columns, double* a_values,
                                       int l_nnz, int* l_rows, int* l_columns, double* l_values, int u_nnz,
                                       int* u_rows, int* u_columns, double* u_values, int* p, int* q,
                                       cusolverRfHandle_t h);
cusolverStatus_t cusolverRfResetValues(int n, int a_nnz, int* a_rows, int* a_columns, double* a_values,
                                       int* p, int* q, cusolverRfHandle_t h);
cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t h);
cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t h);
cusolverStatus_t cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t h, int* nnz, int** rows,
                                                      int** columns, double** values);
cusolverStatus_t cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t h, int* nnz, int** rows,
                                                     int** columns, double** values);
cusolverStatus_t cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t h, int* l_nnz, int** l_rows,
                                                   int** l_columns, double** l_values, int* u_nnz,
                                                   int** u_rows, int** u_columns, double** u_values);
cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t h, int* p, int* q, int count, double* room, int room_ld,
                                 double* x, int ldx);

cusolverStatus_t cusolverRfBatchSetupHost(int batch, int n, int a_nnz, int* a_rows, int* a_columns,
                                          double* a_values[], int l_nnz, int* l_rows, int* l_columns,
                                          double* l_values, int u_nnz, int* u_rows, int* u_columns,
                                          double* u_values, int* p, int* q, cusolverRfHandle_t h);
cusolverStatus_t cusolverRfBatchResetValues(int batch, int n, int a_nnz, int* a_rows, int* a_columns,
                                            double* a_values[], int* p, int* q, cusolverRfHandle_t h);
cusolverStatus_t cusolverRfBatchAnalyze(cusolverRfHandle_t h);
cusolverStatus_t cusolverRfBatchRefactor(cusolverRfHandle_t h);
cusolverStatus_t cusolverRfBatchSolve(cusolverRfHandle_t h, int* p, int* q, int count, double* room,
                                      int room_ld, double* x[], int ldx);
cusolverStatus_t cusolverRfBatchZeroPivot(cusolverRfHandle_t h, int* position);
#if defined(__cplusplus)
}
#endif

#endif
