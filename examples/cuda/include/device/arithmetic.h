/* Arithmetic with a rounding in its name, and the approximate operations. */
#ifndef WARPKIT_CUDA_DEVICE_ARITHMETIC_H
#define WARPKIT_CUDA_DEVICE_ARITHMETIC_H

/* The PTX is written out: clang contracts a * b + c, these must stay as they are. */
#define WARPKIT_CUDA_ROUNDED(name, type, letter, operation, width)                                           \
    WARPKIT_CUDA_DEVICE type name(type a, type b) {                                                          \
        type r;                                                                                              \
        asm(operation "." width " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b));                      \
        return r;                                                                                            \
    }
#define WARPKIT_CUDA_ROUNDED_1(name, type, letter, operation, width)                                         \
    WARPKIT_CUDA_DEVICE type name(type a) {                                                                  \
        type r;                                                                                              \
        asm(operation "." width " %0, %1;" : "=" letter(r) : letter(a));                                     \
        return r;                                                                                            \
    }
#define WARPKIT_CUDA_ROUNDED_3(name, type, letter, operation, width)                                         \
    WARPKIT_CUDA_DEVICE type name(type a, type b, type c) {                                                  \
        type r;                                                                                              \
        asm(operation "." width " %0, %1, %2, %3;" : "=" letter(r) : letter(a), letter(b), letter(c));       \
        return r;                                                                                            \
    }
#define WARPKIT_CUDA_ROUNDINGS(cuda, ptx)                                                                    \
    WARPKIT_CUDA_ROUNDED(__fadd_##cuda, float, "f", "add." ptx, "f32")                                       \
    WARPKIT_CUDA_ROUNDED(__fsub_##cuda, float, "f", "sub." ptx, "f32")                                       \
    WARPKIT_CUDA_ROUNDED(__fmul_##cuda, float, "f", "mul." ptx, "f32")                                       \
    WARPKIT_CUDA_ROUNDED(__fdiv_##cuda, float, "f", "div." ptx, "f32")                                       \
    WARPKIT_CUDA_ROUNDED_1(__frcp_##cuda, float, "f", "rcp." ptx, "f32")                                     \
    WARPKIT_CUDA_ROUNDED_1(__fsqrt_##cuda, float, "f", "sqrt." ptx, "f32")                                   \
    WARPKIT_CUDA_ROUNDED_3(__fmaf_##cuda, float, "f", "fma." ptx, "f32")                                     \
    WARPKIT_CUDA_ROUNDED_3(__fmaf_ieee_##cuda, float, "f", "fma." ptx, "f32")                                \
    WARPKIT_CUDA_ROUNDED(__dadd_##cuda, double, "d", "add." ptx, "f64")                                      \
    WARPKIT_CUDA_ROUNDED(__dsub_##cuda, double, "d", "sub." ptx, "f64")                                      \
    WARPKIT_CUDA_ROUNDED(__dmul_##cuda, double, "d", "mul." ptx, "f64")                                      \
    WARPKIT_CUDA_ROUNDED(__ddiv_##cuda, double, "d", "div." ptx, "f64")                                      \
    WARPKIT_CUDA_ROUNDED_1(__drcp_##cuda, double, "d", "rcp." ptx, "f64")                                    \
    WARPKIT_CUDA_ROUNDED_1(__dsqrt_##cuda, double, "d", "sqrt." ptx, "f64")                                  \
    WARPKIT_CUDA_ROUNDED_3(__fma_##cuda, double, "d", "fma." ptx, "f64")
WARPKIT_CUDA_ROUNDINGS(rn, "rn")
WARPKIT_CUDA_ROUNDINGS(rz, "rz")
WARPKIT_CUDA_ROUNDINGS(ru, "rp")
WARPKIT_CUDA_ROUNDINGS(rd, "rm")
#undef WARPKIT_CUDA_ROUNDINGS
#undef WARPKIT_CUDA_ROUNDED_3
#undef WARPKIT_CUDA_ROUNDED_1
#undef WARPKIT_CUDA_ROUNDED

/* Rounded once from double: no quotient of a float lies close enough to half a unit for that to matter. */
WARPKIT_CUDA_DEVICE float __frsqrt_rn(float x) { return (float)(1.0 / __nvvm_sqrt_rn_d((double)x)); }
WARPKIT_CUDA_DEVICE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
WARPKIT_CUDA_DEVICE double fdivide(double a, double b) { return a / b; }
WARPKIT_CUDA_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
WARPKIT_CUDA_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
WARPKIT_CUDA_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.3219280948873624f); }
WARPKIT_CUDA_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718055994531f; }
WARPKIT_CUDA_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
WARPKIT_CUDA_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566398120f; }
WARPKIT_CUDA_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
WARPKIT_CUDA_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
WARPKIT_CUDA_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
WARPKIT_CUDA_DEVICE float __tanhf(float x) {
    float r;
    asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
WARPKIT_CUDA_DEVICE float __tanf(float x) { return __nvvm_div_approx_f(__sinf(x), __cosf(x)); }
WARPKIT_CUDA_DEVICE void __sincosf(float x, float* s, float* c) {
    *s = __sinf(x);
    *c = __cosf(x);
}

#endif
