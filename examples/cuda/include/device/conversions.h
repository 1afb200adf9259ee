/* Conversions with a rounding in their name: rn nearest, rz to zero, ru up, rd down. */
#ifndef WARPKIT_CUDA_DEVICE_CONVERSIONS_H
#define WARPKIT_CUDA_DEVICE_CONVERSIONS_H

#define WARPKIT_CUDA_CONVERT(name, to, from, builtin)                                                        \
    WARPKIT_CUDA_DEVICE to name##_rn(from x) { return (to)__nvvm_##builtin##_rn(x); }                        \
    WARPKIT_CUDA_DEVICE to name##_rz(from x) { return (to)__nvvm_##builtin##_rz(x); }                        \
    WARPKIT_CUDA_DEVICE to name##_ru(from x) { return (to)__nvvm_##builtin##_rp(x); }                        \
    WARPKIT_CUDA_DEVICE to name##_rd(from x) { return (to)__nvvm_##builtin##_rm(x); }
WARPKIT_CUDA_CONVERT(__float2int, int, float, f2i)
WARPKIT_CUDA_CONVERT(__float2uint, unsigned int, float, f2ui)
WARPKIT_CUDA_CONVERT(__float2ll, long long, float, f2ll)
WARPKIT_CUDA_CONVERT(__float2ull, unsigned long long, float, f2ull)
WARPKIT_CUDA_CONVERT(__double2int, int, double, d2i)
WARPKIT_CUDA_CONVERT(__double2uint, unsigned int, double, d2ui)
WARPKIT_CUDA_CONVERT(__double2ll, long long, double, d2ll)
WARPKIT_CUDA_CONVERT(__double2ull, unsigned long long, double, d2ull)
WARPKIT_CUDA_CONVERT(__double2float, float, double, d2f)
WARPKIT_CUDA_CONVERT(__int2float, float, int, i2f)
WARPKIT_CUDA_CONVERT(__uint2float, float, unsigned int, ui2f)
WARPKIT_CUDA_CONVERT(__ll2float, float, long long, ll2f)
WARPKIT_CUDA_CONVERT(__ull2float, float, unsigned long long, ull2f)
WARPKIT_CUDA_CONVERT(__ll2double, double, long long, ll2d)
WARPKIT_CUDA_CONVERT(__ull2double, double, unsigned long long, ull2d)
#undef WARPKIT_CUDA_CONVERT
WARPKIT_CUDA_DEVICE double __int2double_rn(int x) { return (double)x; }
WARPKIT_CUDA_DEVICE double __uint2double_rn(unsigned int x) { return (double)x; }
WARPKIT_CUDA_DEVICE int float2int(float x) { return (int)x; }

#endif
