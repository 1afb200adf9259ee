// Arithmetic of the types that libraries compute with, under the same names.
#pragma once
#include <cuComplex.h>
#include <cuda_runtime.h>

namespace {

template <class T>
struct number {
    static __host__ __device__ T zero() { return T(0); }
    static __host__ __device__ T one() { return T(1); }
    static __host__ __device__ T conjugate(T a) { return a; }
    static __host__ __device__ T sum(T a, T b) { return a + b; }
    static __host__ __device__ T product(T a, T b) { return a * b; }
    static __host__ __device__ T quotient(T a, T b) { return a / b; }
    static __host__ __device__ T negative(T a) { return -a; }
    static __host__ __device__ bool is_zero(T a) { return a == T(0); }
    static __host__ __device__ double size_1(T a) { return a < T(0) ? -(double)a : (double)a; }
    static __host__ __device__ double square(T a) { return (double)a * (double)a; }
};
#define COMPLEX(T, real, make)                                                                               \
    template <>                                                                                              \
    struct number<T> {                                                                                       \
        static __host__ __device__ T zero() { return make(0, 0); }                                           \
        static __host__ __device__ T one() { return make(1, 0); }                                            \
        static __host__ __device__ T conjugate(T a) { return make(a.x, -a.y); }                              \
        static __host__ __device__ T sum(T a, T b) { return make(a.x + b.x, a.y + b.y); }                    \
        static __host__ __device__ T product(T a, T b) {                                                     \
            return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                       \
        }                                                                                                    \
        static __host__ __device__ T quotient(T a, T b) {                                                    \
            real const d = b.x * b.x + b.y * b.y;                                                            \
            return make((a.x * b.x + a.y * b.y) / d, (a.y * b.x - a.x * b.y) / d);                           \
        }                                                                                                    \
        static __host__ __device__ T negative(T a) { return make(-a.x, -a.y); }                              \
        static __host__ __device__ bool is_zero(T a) { return a.x == 0 && a.y == 0; }                        \
        static __host__ __device__ double size_1(T a) { return fabs((double)a.x) + fabs((double)a.y); }      \
        static __host__ __device__ double square(T a) {                                                      \
            return (double)a.x * (double)a.x + (double)a.y * (double)a.y;                                    \
        }                                                                                                    \
    };
COMPLEX(cuComplex, float, make_float2)
COMPLEX(cuDoubleComplex, double, make_double2)
#undef COMPLEX
} // namespace
