/* Functions of integers and of bits. */
#ifndef WARPKIT_CUDA_DEVICE_BITS_H
#define WARPKIT_CUDA_DEVICE_BITS_H

WARPKIT_CUDA_DEVICE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WARPKIT_CUDA_DEVICE unsigned int __umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
WARPKIT_CUDA_DEVICE int mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
WARPKIT_CUDA_DEVICE unsigned int umul24(unsigned int a, unsigned int b) { return __nvvm_mul24_ui(a, b); }
WARPKIT_CUDA_DEVICE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
WARPKIT_CUDA_DEVICE unsigned int __umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
WARPKIT_CUDA_DEVICE int mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
WARPKIT_CUDA_DEVICE unsigned int umulhi(unsigned int a, unsigned int b) { return __nvvm_mulhi_ui(a, b); }
WARPKIT_CUDA_DEVICE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
WARPKIT_CUDA_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return __nvvm_mulhi_ull(a, b);
}
WARPKIT_CUDA_DEVICE int __popc(unsigned int x) { return __builtin_popcount(x); }
WARPKIT_CUDA_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WARPKIT_CUDA_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned int)x) : 32; }
WARPKIT_CUDA_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
WARPKIT_CUDA_DEVICE int __ffs(int x) { return x ? 32 - __clz(x & -x) : 0; }
WARPKIT_CUDA_DEVICE int __ffsll(long long x) { return x ? 64 - __clzll(x & -x) : 0; }
WARPKIT_CUDA_DEVICE unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
WARPKIT_CUDA_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
WARPKIT_CUDA_DEVICE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int s) {
    return __nvvm_prmt(a, b, s & 0x7777);
}
WARPKIT_CUDA_DEVICE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int s) {
    return (unsigned int)(((((unsigned long long)high << 32) | low) << (s & 31)) >> 32);
}
WARPKIT_CUDA_DEVICE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int s) {
    return (unsigned int)((((unsigned long long)high << 32) | low) >> (s & 31));
}
WARPKIT_CUDA_DEVICE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int s) {
    return s >= 32 ? low : __funnelshift_l(low, high, s);
}
WARPKIT_CUDA_DEVICE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int s) {
    return s >= 32 ? high : __funnelshift_r(low, high, s);
}
WARPKIT_CUDA_DEVICE unsigned int __sad(int a, int b, unsigned int c) {
    return (a > b ? (unsigned int)a - (unsigned int)b : (unsigned int)b - (unsigned int)a) + c;
}
WARPKIT_CUDA_DEVICE unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
    return (a > b ? a - b : b - a) + c;
}
WARPKIT_CUDA_DEVICE int __hadd(int a, int b) { return (a >> 1) + (b >> 1) + (a & b & 1); }
WARPKIT_CUDA_DEVICE int __rhadd(int a, int b) { return (a >> 1) + (b >> 1) + ((a | b) & 1); }
WARPKIT_CUDA_DEVICE unsigned int __uhadd(unsigned int a, unsigned int b) {
    return (a >> 1) + (b >> 1) + (a & b & 1);
}
WARPKIT_CUDA_DEVICE unsigned int __urhadd(unsigned int a, unsigned int b) {
    return (a >> 1) + (b >> 1) + ((a | b) & 1);
}
WARPKIT_CUDA_DEVICE int __dp4a(int a, int b, int c) {
    int r;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
WARPKIT_CUDA_DEVICE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
    unsigned int r;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}

WARPKIT_CUDA_DEVICE int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
WARPKIT_CUDA_DEVICE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
    return __dp4a(__builtin_bit_cast(unsigned int, a), __builtin_bit_cast(unsigned int, b), c);
}
/* Two 16-bit numbers times two bytes of the lower or the higher half. */
#define WARPKIT_CUDA_DP2A(name, half, T, type, T2, T4)                                                       \
    WARPKIT_CUDA_DEVICE T name(T a, T b, T c) {                                                              \
        T r;                                                                                                 \
        asm("dp2a." half "." type "." type " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));           \
        return r;                                                                                            \
    }                                                                                                        \
    WARPKIT_CUDA_DEVICE T name(T2 a, T4 b, T c) {                                                            \
        return name(__builtin_bit_cast(T, a), __builtin_bit_cast(T, b), c);                                  \
    }
WARPKIT_CUDA_DP2A(__dp2a_lo, "lo", int, "s32", short2, char4)
WARPKIT_CUDA_DP2A(__dp2a_hi, "hi", int, "s32", short2, char4)
WARPKIT_CUDA_DP2A(__dp2a_lo, "lo", unsigned int, "u32", ushort2, uchar4)
WARPKIT_CUDA_DP2A(__dp2a_hi, "hi", unsigned int, "u32", ushort2, uchar4)
#undef WARPKIT_CUDA_DP2A
/* The place of the n-th set bit of a mask from `base` on, upwards, or downwards where n is negative; of n = 0 `base`, if
 * it is set; all bits set if there is none (PTX ISA, "fns"). */
WARPKIT_CUDA_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int n) {
    if (base > 31) return 0xffffffffu;
    if (n == 0) return mask >> base & 1 ? base : 0xffffffffu;
    int const step = n > 0 ? 1 : -1;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (mask >> at & 1 && (n -= step) == 0) return (unsigned int)at;
    return 0xffffffffu;
}

WARPKIT_CUDA_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WARPKIT_CUDA_DEVICE unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
WARPKIT_CUDA_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WARPKIT_CUDA_DEVICE float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
WARPKIT_CUDA_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WARPKIT_CUDA_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WARPKIT_CUDA_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
WARPKIT_CUDA_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
WARPKIT_CUDA_DEVICE double __hiloint2double(int high, int low) {
    return __longlong_as_double(
        (long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

/* Both sides, as CUDA has them. */
#define WARPKIT_CUDA_MINIMUM(type)                                                                           \
    WARPKIT_CUDA_BOTH type min(type a, type b) { return a < b ? a : b; }                                     \
    WARPKIT_CUDA_BOTH type max(type a, type b) { return a > b ? a : b; }
WARPKIT_CUDA_MINIMUM(int)
WARPKIT_CUDA_MINIMUM(unsigned int)
WARPKIT_CUDA_MINIMUM(long)
WARPKIT_CUDA_MINIMUM(unsigned long)
WARPKIT_CUDA_MINIMUM(long long)
WARPKIT_CUDA_MINIMUM(unsigned long long)
#undef WARPKIT_CUDA_MINIMUM
#define WARPKIT_CUDA_MIXED(wide, a_type, b_type)                                                             \
    WARPKIT_CUDA_BOTH wide min(a_type a, b_type b) { return min((wide)a, (wide)b); }                         \
    WARPKIT_CUDA_BOTH wide max(a_type a, b_type b) { return max((wide)a, (wide)b); }
WARPKIT_CUDA_MIXED(unsigned int, int, unsigned int)
WARPKIT_CUDA_MIXED(unsigned int, unsigned int, int)
WARPKIT_CUDA_MIXED(unsigned long, long, unsigned long)
WARPKIT_CUDA_MIXED(unsigned long, unsigned long, long)
WARPKIT_CUDA_MIXED(unsigned long long, long long, unsigned long long)
WARPKIT_CUDA_MIXED(unsigned long long, unsigned long long, long long)
WARPKIT_CUDA_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
WARPKIT_CUDA_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
WARPKIT_CUDA_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
WARPKIT_CUDA_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
WARPKIT_CUDA_MIXED(double, float, double)
WARPKIT_CUDA_MIXED(double, double, float)
#undef WARPKIT_CUDA_MIXED
WARPKIT_CUDA_BOTH unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
WARPKIT_CUDA_BOTH unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
WARPKIT_CUDA_BOTH long long llmin(long long a, long long b) { return a < b ? a : b; }
WARPKIT_CUDA_BOTH long long llmax(long long a, long long b) { return a > b ? a : b; }
WARPKIT_CUDA_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}
WARPKIT_CUDA_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}

#endif
