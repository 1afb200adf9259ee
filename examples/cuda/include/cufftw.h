/* FFTW's calls, forwarded to cuFFT: arrays may lie on the host, from where they are copied, or on the device. The flags
 * mean nothing, and planning leaves the arrays alone. What is declared without a body is named when it is linked. */
#ifndef WARPKIT_CUDA_CUFFTW_H
#define WARPKIT_CUDA_CUFFTW_H
#define _CUFFTW_H_ /* programs ask for it */

#include "cufft.h"
#include "letters_away.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FFTW_FORWARD -1
#define FFTW_INVERSE 1
#define FFTW_BACKWARD 1
#define FFTW_ESTIMATE 0x01
#define FFTW_MEASURE 0x02
#define FFTW_PATIENT 0x03
#define FFTW_EXHAUSTIVE 0x04
#define FFTW_WISDOM_ONLY 0x05
#define FFTW_DESTROY_INPUT 0x08
#define FFTW_PRESERVE_INPUT 0x0C
#define FFTW_UNALIGNED 0x10

/* C's complex numbers, where they are included. */
#if !defined(FFTW_NO_Complex) && defined(_Complex_I) && defined(complex)
typedef double _Complex fftw_complex;
typedef float _Complex fftwf_complex;
#else
typedef double fftw_complex[2];
typedef float fftwf_complex[2];
#endif
typedef void* fftw_plan;
typedef void* fftwf_plan;
typedef struct {
    int n;
    int is;
    int os;
} fftw_iodim;
typedef fftw_iodim fftwf_iodim;
typedef struct {
    ptrdiff_t n;
    ptrdiff_t is;
    ptrdiff_t os;
} fftw_iodim64;
typedef fftw_iodim64 fftwf_iodim64;

#if defined(__GNUC__)
#define WARPKIT_CUDA_FFTW static __inline__ __attribute__((unused))
#else
#define WARPKIT_CUDA_FFTW static __inline__
#endif

/* A plan: cuFFT's, and how many bytes of its arrays a transform may touch. */
typedef struct warpkit_cuda_fftw_plan {
    cufftHandle handle;
    cufftType type;
    int sign;
    void* in;
    void* out;
    size_t in_bytes;
    size_t out_bytes;
} warpkit_cuda_fftw_plan;

/* The place behind the last element of so many arrays. */
WARPKIT_CUDA_FFTW size_t warpkit_cuda_fftw_span(int rank, int const* n, int const* embed, int last,
                                                int stride, int dist, int batch) {
    size_t place = 0;
    int i;
    for (i = 0; i < rank; ++i) place = place * (size_t)embed[i] + (size_t)((i == rank - 1 ? last : n[i]) - 1);
    return place * (size_t)stride + (size_t)(batch - 1) * (size_t)dist + 1;
}
/* Null where there is no such transform. Without embeddings the arrays are dense; a real array that is transformed in
 * place has two elements more in a row, or one (FFTW, "Multi-dimensional DFTs of Real Data"). */
WARPKIT_CUDA_FFTW void* warpkit_cuda_fftw_make(int rank, int const* n, int batch, void* in,
                                               int const* inembed, int istride, int idist, void* out,
                                               int const* onembed, int ostride, int odist, cufftType type,
                                               int sign) {
    int const real_in = type == CUFFT_R2C || type == CUFFT_D2Z,
              real_out = type == CUFFT_C2R || type == CUFFT_Z2D;
    int const is_double = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
    size_t const real = is_double ? sizeof(double) : sizeof(float);
    int sizes[3], in_embed[3], out_embed[3], i, half;
    warpkit_cuda_fftw_plan* p;
    if (rank < 1 || rank > 3 || !n || !in || !out || batch < 1 ||
        (sign != FFTW_FORWARD && sign != FFTW_INVERSE))
        return NULL;
    for (i = 0; i < rank; ++i) {
        if (n[i] < 1) return NULL;
        sizes[i] = n[i];
        in_embed[i] = inembed ? inembed[i] : n[i];
        out_embed[i] = onembed ? onembed[i] : n[i];
    }
    half = n[rank - 1] / 2 + 1;
    if (real_in && !inembed && in == out) in_embed[rank - 1] = 2 * half;
    if (real_in && !onembed) out_embed[rank - 1] = half;
    if (real_out && !inembed) in_embed[rank - 1] = half;
    if (real_out && !onembed && in == out) out_embed[rank - 1] = 2 * half;
    p = (warpkit_cuda_fftw_plan*)malloc(sizeof *p);
    if (!p) return NULL;
    p->type = type;
    p->sign = sign;
    p->in = in;
    p->out = out;
    p->in_bytes =
        (real_in ? 1 : 2) * real *
        warpkit_cuda_fftw_span(rank, n, in_embed, real_out ? half : n[rank - 1], istride, idist, batch);
    p->out_bytes =
        (real_out ? 1 : 2) * real *
        warpkit_cuda_fftw_span(rank, n, out_embed, real_in ? half : n[rank - 1], ostride, odist, batch);
    if (cufftPlanMany(&p->handle, rank, sizes, in_embed, istride, idist, out_embed, ostride, odist, type,
                      batch) != CUFFT_SUCCESS) {
        free(p);
        return NULL;
    }
    return p;
}
/* An array where the device reaches it: itself, or a copy. */
WARPKIT_CUDA_FFTW void* warpkit_cuda_fftw_reach(void* array, size_t bytes) {
    struct cudaPointerAttributes attributes;
    void* there = NULL;
    if (cudaPointerGetAttributes(&attributes, array) != cudaSuccess)
        cudaGetLastError();
    else if (attributes.type != cudaMemoryTypeUnregistered)
        return array;
    if (cudaMalloc(&there, bytes) != cudaSuccess ||
        cudaMemcpy(there, array, bytes, cudaMemcpyHostToDevice) != cudaSuccess) {
        fprintf(stderr, "warpkit: cuFFTW: no memory on the device for %zu bytes\n", bytes);
        exit(1);
    }
    return there;
}
WARPKIT_CUDA_FFTW void warpkit_cuda_fftw_run(void const* plan, void* in, void* out) {
    warpkit_cuda_fftw_plan const* const p = (warpkit_cuda_fftw_plan const*)plan;
    size_t const both = p->in_bytes > p->out_bytes ? p->in_bytes : p->out_bytes;
    void* const x = warpkit_cuda_fftw_reach(in, in == out ? both : p->in_bytes);
    void* const y = in == out ? x : warpkit_cuda_fftw_reach(out, p->out_bytes);
    cufftResult result = CUFFT_INVALID_TYPE;
    switch (p->type) {
    case CUFFT_C2C:
        result = cufftExecC2C(p->handle, (cufftComplex*)x, (cufftComplex*)y, p->sign);
        break;
    case CUFFT_R2C:
        result = cufftExecR2C(p->handle, (cufftReal*)x, (cufftComplex*)y);
        break;
    case CUFFT_C2R:
        result = cufftExecC2R(p->handle, (cufftComplex*)x, (cufftReal*)y);
        break;
    case CUFFT_Z2Z:
        result = cufftExecZ2Z(p->handle, (cufftDoubleComplex*)x, (cufftDoubleComplex*)y, p->sign);
        break;
    case CUFFT_D2Z:
        result = cufftExecD2Z(p->handle, (cufftDoubleReal*)x, (cufftDoubleComplex*)y);
        break;
    case CUFFT_Z2D:
        result = cufftExecZ2D(p->handle, (cufftDoubleComplex*)x, (cufftDoubleReal*)y);
        break;
    }
    if (cudaDeviceSynchronize() != cudaSuccess || result != CUFFT_SUCCESS)
        fprintf(stderr, "warpkit: cuFFTW: a transform has failed (cufftResult %d)\n", (int)result);
    if (y != out) cudaMemcpy(out, y, p->out_bytes, cudaMemcpyDeviceToHost);
    if (x != in) cudaFree(x);
    if (y != x && y != out) cudaFree(y);
}
WARPKIT_CUDA_FFTW void warpkit_cuda_fftw_end(void* plan) {
    if (!plan) return;
    cufftDestroy(((warpkit_cuda_fftw_plan*)plan)->handle);
    free(plan);
}

#define WARPKIT_CUDA_FFTW_PLANS(kind, From, To, has_sign, sign_is, type)                                     \
    WARPKIT_CUDA_FFTW void* kind(int rank, int const* n, From* in, To* out has_sign, unsigned flags) {       \
        (void)flags;                                                                                         \
        return warpkit_cuda_fftw_make(rank, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, type, sign_is);           \
    }                                                                                                        \
    WARPKIT_CUDA_FFTW void* kind##_1d(int n, From* in, To* out has_sign, unsigned flags) {                   \
        (void)flags;                                                                                         \
        return warpkit_cuda_fftw_make(1, &n, 1, in, NULL, 1, 0, out, NULL, 1, 0, type, sign_is);             \
    }                                                                                                        \
    WARPKIT_CUDA_FFTW void* kind##_2d(int n0, int n1, From* in, To* out has_sign, unsigned flags) {          \
        int const n[2] = {n0, n1};                                                                           \
        (void)flags;                                                                                         \
        return warpkit_cuda_fftw_make(2, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, type, sign_is);              \
    }                                                                                                        \
    WARPKIT_CUDA_FFTW void* kind##_3d(int n0, int n1, int n2, From* in, To* out has_sign, unsigned flags) {  \
        int const n[3] = {n0, n1, n2};                                                                       \
        (void)flags;                                                                                         \
        return warpkit_cuda_fftw_make(3, n, 1, in, NULL, 1, 0, out, NULL, 1, 0, type, sign_is);              \
    }
#define WARPKIT_CUDA_FFTW_MANY(name, From, To, has_sign, sign_is, type)                                      \
    WARPKIT_CUDA_FFTW void* name(int rank, int const* n, int batch, From* in, int const* inembed,            \
                                 int istride, int idist, To* out, int const* onembed, int ostride,           \
                                 int odist has_sign, unsigned flags) {                                       \
        (void)flags;                                                                                         \
        return warpkit_cuda_fftw_make(rank, n, batch, in, inembed, istride, idist, out, onembed, ostride,    \
                                      odist, type, sign_is);                                                 \
    }
#define WARPKIT_CUDA_FFTW_SIGN , int sign
#define WARPKIT_CUDA_FFTW_NO_SIGN
#define WARPKIT_CUDA_FFTW_ALL(f, Real, C2C, R2C, C2R)                                                        \
    WARPKIT_CUDA_FFTW_PLANS(f##_plan_dft, f##_complex, f##_complex, WARPKIT_CUDA_FFTW_SIGN, sign, C2C)       \
    WARPKIT_CUDA_FFTW_PLANS(f##_plan_dft_r2c, Real, f##_complex, WARPKIT_CUDA_FFTW_NO_SIGN, FFTW_FORWARD,    \
                            R2C)                                                                             \
    WARPKIT_CUDA_FFTW_PLANS(f##_plan_dft_c2r, f##_complex, Real, WARPKIT_CUDA_FFTW_NO_SIGN, FFTW_BACKWARD,   \
                            C2R)                                                                             \
    WARPKIT_CUDA_FFTW_MANY(f##_plan_many_dft, f##_complex, f##_complex, WARPKIT_CUDA_FFTW_SIGN, sign, C2C)   \
    WARPKIT_CUDA_FFTW_MANY(f##_plan_many_dft_r2c, Real, f##_complex, WARPKIT_CUDA_FFTW_NO_SIGN,              \
                           FFTW_FORWARD, R2C)                                                                \
    WARPKIT_CUDA_FFTW_MANY(f##_plan_many_dft_c2r, f##_complex, Real, WARPKIT_CUDA_FFTW_NO_SIGN,              \
                           FFTW_BACKWARD, C2R)                                                               \
    WARPKIT_CUDA_FFTW void f##_execute(void* const plan) {                                                   \
        warpkit_cuda_fftw_plan const* const p = (warpkit_cuda_fftw_plan const*)plan;                         \
        warpkit_cuda_fftw_run(plan, p->in, p->out);                                                          \
    }                                                                                                        \
    WARPKIT_CUDA_FFTW void f##_execute_dft(void* const plan, f##_complex* in, f##_complex* out) {            \
        warpkit_cuda_fftw_run(plan, in, out);                                                                \
    }                                                                                                        \
    WARPKIT_CUDA_FFTW void f##_execute_dft_r2c(void* const plan, Real* in, f##_complex* out) {               \
        warpkit_cuda_fftw_run(plan, in, out);                                                                \
    }                                                                                                        \
    WARPKIT_CUDA_FFTW void f##_execute_dft_c2r(void* const plan, f##_complex* in, Real* out) {               \
        warpkit_cuda_fftw_run(plan, in, out);                                                                \
    }                                                                                                        \
    WARPKIT_CUDA_FFTW void f##_destroy_plan(void* plan) { warpkit_cuda_fftw_end(plan); }                     \
    WARPKIT_CUDA_FFTW void* f##_malloc(size_t bytes) { return malloc(bytes); }                               \
    WARPKIT_CUDA_FFTW void f##_free(void* p) { free(p); }                                                    \
    WARPKIT_CUDA_FFTW void f##_cleanup(void) {}                                                              \
    WARPKIT_CUDA_FFTW void f##_set_timelimit(double seconds) { (void)seconds; }                              \
    /* Declared alone. */                                                                                    \
    f##_plan f##_plan_guru_dft(int rank, f##_iodim const* dims, int batch_rank, f##_iodim const* batch_dims, \
                               f##_complex* in, f##_complex* out, int sign, unsigned flags);                 \
    f##_plan f##_plan_guru_dft_r2c(int rank, f##_iodim const* dims, int batch_rank,                          \
                                   f##_iodim const* batch_dims, Real* in, f##_complex* out, unsigned flags); \
    f##_plan f##_plan_guru_dft_c2r(int rank, f##_iodim const* dims, int batch_rank,                          \
                                   f##_iodim const* batch_dims, f##_complex* in, Real* out, unsigned flags); \
    f##_plan f##_plan_guru64_dft(int rank, f##_iodim64 const* dims, int batch_rank,                          \
                                 f##_iodim64 const* batch_dims, f##_complex* in, f##_complex* out, int sign, \
                                 unsigned flags);                                                            \
    f##_plan f##_plan_guru64_dft_r2c(int rank, f##_iodim64 const* dims, int batch_rank,                      \
                                     f##_iodim64 const* batch_dims, Real* in, f##_complex* out,              \
                                     unsigned flags);                                                        \
    f##_plan f##_plan_guru64_dft_c2r(int rank, f##_iodim64 const* dims, int batch_rank,                      \
                                     f##_iodim64 const* batch_dims, f##_complex* in, Real* out,              \
                                     unsigned flags);                                                        \
    void f##_export_wisdom_to_file(FILE* file);                                                              \
    int f##_import_wisdom_from_file(FILE* file);                                                             \
    void f##_print_plan(f##_plan const plan);                                                                \
    double f##_cost(f##_plan const plan);                                                                    \
    void f##_flops(f##_plan const plan, double* add, double* mul, double* fma);
#if defined(__cplusplus)
extern "C" {
#endif
WARPKIT_CUDA_FFTW_ALL(fftw, double, CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D)
WARPKIT_CUDA_FFTW_ALL(fftwf, float, CUFFT_C2C, CUFFT_R2C, CUFFT_C2R)
#if defined(__cplusplus)
}
#endif
#undef WARPKIT_CUDA_FFTW_ALL
#undef WARPKIT_CUDA_FFTW_NO_SIGN
#undef WARPKIT_CUDA_FFTW_SIGN
#undef WARPKIT_CUDA_FFTW_MANY
#undef WARPKIT_CUDA_FFTW_PLANS
#undef WARPKIT_CUDA_FFTW

#include "letters_back.h"

#endif
