// Half, bfloat16, floats of 8, 6 and 4 bits, and the SIMD intrinsics: what kernels give is what the host gives.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <vector>

namespace {
int wrong = 0;
void check(char const* what, bool good, unsigned a = 0, unsigned b = 0, unsigned have = 0,
           unsigned want = 0) {
    if (good) return;
    if (++wrong <= 20) std::printf("%s(%#x, %#x) gives %#x, expected %#x\n", what, a, b, have, want);
}
constexpr unsigned most = 1 << 16;

template <class T>
__host__ __device__ T from_bits(unsigned short b) {
    T x;
    memcpy(&x, &b, 2);
    return x;
}
template <class T>
__host__ __device__ unsigned bits(T const& x) {
    unsigned b = 0;
    memcpy(&b, &x, sizeof(T));
    return b;
}

__host__ __device__ __half2 halves(__half a, __half b) { return __halves2half2(a, b); }
__host__ __device__ signed char to_char(__half a) { return __half2char_rz(a); }
__host__ __device__ unsigned char to_unsigned_char(__half a) { return __half2uchar_rz(a); }
__host__ __device__ __nv_bfloat162 halves(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __halves2bfloat162(a, b);
}
__host__ __device__ signed char to_char(__nv_bfloat16 a) { return __bfloat162char_rz(a); }
__host__ __device__ unsigned char to_unsigned_char(__nv_bfloat16 a) { return __bfloat162uchar_rz(a); }

// Function number `which` of two numbers and a third made of them; the same text for both sides.
constexpr int functions = 36;
template <class T, class T2>
__host__ __device__ unsigned evaluate(int which, unsigned a, unsigned b) {
    T const x = from_bits<T>((unsigned short)a), y = from_bits<T>((unsigned short)b),
            z = from_bits<T>((unsigned short)(a * 3 + b));
    T2 const u(x, z), v(y, x), w(z, y);
    switch (which) {
    case 0:
        return bits(__hadd(x, y));
    case 1:
        return bits(__hsub(x, y));
    case 2:
        return bits(__hmul(x, y));
    case 3:
        return bits(__hdiv(x, y));
    case 4:
        return bits(__hfma(x, y, z));
    case 5:
        return bits(__hfma_relu(x, y, z));
    case 6:
        return bits(__hfma_sat(x, y, z));
    case 7:
        return bits(__hneg(x));
    case 8:
        return bits(__habs(x));
    case 9:
        return bits(__hmin(x, y));
    case 10:
        return bits(__hmax(x, y));
    case 11:
        return bits(__hmin_nan(x, y));
    case 12:
        return bits(__hmax_nan(x, y));
    case 13:
        return bits(__hadd2(u, v));
    case 14:
        return bits(__hsub2(u, v));
    case 15:
        return bits(__hmul2(u, v));
    case 16:
        return bits(__hfma2(u, v, w));
    case 17:
        return bits(__hfma2_relu(u, v, w));
    case 18:
        return bits(__hmin2(u, v));
    case 19:
        return bits(__hmax2_nan(u, v));
    case 20:
        return bits(__hneg2(u)) ^ bits(__habs2(v));
    case 21:
        return (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5;
    case 22:
        return __heq(x, y) | __hne(x, y) << 1 | __hequ(x, y) << 2 | __hltu(x, y) << 3 | __hleu(x, y) << 4 |
               __hgtu(x, y) << 5 | __hgeu(x, y) << 6;
    case 23:
        return bits(__heq2(u, v)) ^ bits(__hltu2(u, v));
    case 24:
        return bits(__hge2(u, v)) ^ bits(__hneu2(u, v));
    case 25:
        return bits((float)x);
    case 26:
        return bits(T((int)(a * 65537 + b))) | bits(T((unsigned)(a * 65537 + b))) << 16;
    case 27:
        return bits(T((long long)((unsigned long long)a << 40 | (unsigned long long)b << 9 | 1)));
    case 28:
        return bits(T((double)(float)x * (double)(float)y));
    case 29:
        return (unsigned)(int)x ^ (unsigned)(short)y ^ (unsigned)(unsigned char)x << 8 ^
               (unsigned)((long long)y >> 9);
    case 30:
        return __hisnan(x) | (unsigned)(__hisinf(y) + 1) << 1;
    case 31:
        return bits(T((unsigned long long)a * 0x123456789abcdull + b));
    case 32:
        return __hbgt2(u, v) | __hble2(u, v) << 1;
    case 33:
        return bits(__hcmadd(u, v, w));
    case 34:
        return bits(halves(x, z)) ^ (unsigned)(unsigned char)to_char(x) ^ (unsigned)to_unsigned_char(y) << 8;
    default:
        return bits(__lowhigh2highlow(u)) ^ bits(u / v);
    }
}

template <class T, class T2>
__global__ void evaluate_all(unsigned* out, unsigned const* second) {
    unsigned const a = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < functions; ++i) out[i * most + a] = evaluate<T, T2>(i, a, second[a]);
}
// Conversions with a rounding, from floats that lie between two numbers.
template <class T>
__host__ __device__ void round_all(unsigned a, unsigned* out);
template <>
__host__ __device__ void round_all<__half>(unsigned a, unsigned* out) {
    float x;
    unsigned const b = a * 65537u + 0x1234u;
    memcpy(&x, &b, 4);
    out[0] = bits(__float2half_rn(x)) | bits(__float2half_rz(x)) << 16;
    out[1] = bits(__float2half_rd(x)) | bits(__float2half_ru(x)) << 16;
    __half const h = from_bits<__half>((unsigned short)a);
    out[2] = (unsigned)__half2int_rn(h) ^ __half2uint_rz(h);
    out[3] = (unsigned)(unsigned short)__half2short_rd(h) ^ (unsigned)__half2ll_ru(h) ^
             (unsigned)(__half2ull_rn(h) >> 7);
}
template <>
__host__ __device__ void round_all<__nv_bfloat16>(unsigned a, unsigned* out) {
    float x;
    unsigned const b = a * 65537u + 0x1234u;
    memcpy(&x, &b, 4);
    out[0] = bits(__float2bfloat16_rn(x)) | bits(__float2bfloat16_rz(x)) << 16;
    out[1] = bits(__float2bfloat16_rd(x)) | bits(__float2bfloat16_ru(x)) << 16;
    __nv_bfloat16 const h = from_bits<__nv_bfloat16>((unsigned short)a);
    out[2] = (unsigned)__bfloat162int_rn(h) ^ __bfloat162uint_rz(h);
    out[3] = (unsigned)(unsigned short)__bfloat162short_rd(h) ^ (unsigned)__bfloat162ll_ru(h) ^
             (unsigned)(__bfloat162ull_rn(h) >> 7);
}
template <class T>
__global__ void round_kernel(unsigned* out) {
    unsigned const a = blockIdx.x * blockDim.x + threadIdx.x;
    round_all<T>(a, out + 4 * a);
}
template <class T, class T2>
void compare(char const* name) {
    unsigned *out, *second;
    cudaMallocManaged(&out, functions * most * 4);
    cudaMallocManaged(&second, most * 4);
    unsigned state = 7;
    for (unsigned a = 0; a < most; ++a) {
        state = state * 1664525u + 1013904223u;
        unsigned const kind = state >> 30; // a number nearby, its negative, or any
        second[a] = (kind == 0 ? a + (state >> 20 & 63) : kind == 1 ? a ^ 0x8000 : state >> 13) & 0xffff;
    }
    evaluate_all<T, T2><<<most / 256, 256>>>(out, second);
    check(name, cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < functions; ++i)
        for (unsigned a = 0; a < most; ++a) {
            auto const want = evaluate<T, T2>(i, a, second[a]);
            char what[64];
            if (out[i * most + a] != want) std::snprintf(what, sizeof what, "%s function %d", name, i);
            check(what, out[i * most + a] == want, a, second[a], out[i * most + a], want);
        }
    round_kernel<T><<<most / 256, 256>>>(out);
    cudaDeviceSynchronize();
    for (unsigned a = 0; a < most; ++a) {
        unsigned want[4];
        round_all<T>(a, want);
        for (int i = 0; i < 4; ++i)
            check(name, out[4 * a + i] == want[i], a, (unsigned)i, out[4 * a + i], want[i]);
    }
    cudaFree(out);
    cudaFree(second);
}

// Sums of one cell by all threads; shuffles and functions.
template <class T, class T2>
__global__ void add_up(T* cell, T2* pair, float* out) {
    atomicAdd(cell, T(1.0f));
    atomicAdd(pair, T2(T(1.0f), T(0.5f)));
    T const mine(float(threadIdx.x));
    out[threadIdx.x] = float(__shfl_xor_sync(~0u, mine, 1)) +
                       float(__shfl_down_sync(~0u, T2(mine, mine), 0).y) + float(hsqrt(T(4.0f))) +
                       float(h2floor(T2(T(2.5f), T(-2.5f))).y) + float(hexp2(T(3.0f)));
}
template <class T, class T2>
void sums(char const* name) {
    T* cell;
    T2* pair;
    float* out;
    cudaMallocManaged(&cell, 4);
    cudaMallocManaged(&pair, 4);
    cudaMallocManaged(&out, 128);
    *cell = T(0.0f);
    *pair = T2(T(0.0f), T(0.0f));
    add_up<T, T2><<<2, 32>>>(cell, pair, out);
    check(name, cudaDeviceSynchronize() == cudaSuccess);
    check(name, float(*cell) == 64 && float(pair->x) == 64 && float(pair->y) == 32);
    for (unsigned i = 0; i < 32; ++i) check(name, out[i] == float((i ^ 1) + i + 2 - 3 + 8), i);
}

template <class Byte>
__host__ __device__ unsigned byte_all(unsigned a) {
    float x;
    unsigned const b = (0x36u << 24) + a * 8192u + (a & 31) * 255u; // 2^-19 to 2^13 and beyond
    memcpy(&x, &b, 4);
    Byte low, high(a % 3 == 0 ? -x : x);
    low.__x = (unsigned char)a;
    return high.__x | (unsigned)__half_as_ushort((__half)low) << 8 | (bits((float)high) >> 20 & 0xff) << 24;
}
template <class Byte>
__global__ void bytes_kernel(unsigned* out) {
    unsigned const a = blockIdx.x * blockDim.x + threadIdx.x;
    out[a] = byte_all<Byte>(a);
}
template <class Byte>
void bytes(char const* name, float greatest) {
    unsigned* out;
    cudaMallocManaged(&out, most * 4);
    bytes_kernel<Byte><<<most / 256, 256>>>(out);
    check(name, cudaDeviceSynchronize() == cudaSuccess);
    for (unsigned a = 0; a < most; ++a)
        check(name, out[a] == byte_all<Byte>(a), a, 0, out[a], byte_all<Byte>(a));
    check(name, float(Byte(1e9f)) == greatest && float(Byte(-1e9)) == -greatest && float(Byte(1.0f)) == 1.0f);
    for (int i = 0; i < 0x7c; ++i) { // every number is what it is converted to
        Byte b;
        b.__x = (unsigned char)i;
        check(name, Byte(float(b)).__x == i && Byte(double(b)).__x == i, (unsigned)i);
    }
    cudaFree(out);
}

// Floats of 6 and 4 bits. What a code stands for is computed by the format's definition; the code of a number is found
// by going through all values.
#define TINY(name, fp, kind, exponent_bits, mantissa_bits, distance)                                         \
    struct name {                                                                                            \
        using one = __nv_##fp##_##name;                                                                      \
        using two = __nv_##fp##x2_##name;                                                                    \
        using four = __nv_##fp##x4_##name;                                                                   \
        static constexpr int exponent = exponent_bits, mantissa = mantissa_bits, apart = distance;           \
        static __host__ __device__ unsigned of_double(double x, cudaRoundMode mode) {                        \
            return __nv_cvt_double_to_##fp(x, kind, mode);                                                   \
        }                                                                                                    \
        static __host__ __device__ unsigned of_half(__half x, cudaRoundMode mode) {                          \
            return __nv_cvt_halfraw_to_##fp(x, kind, mode);                                                  \
        }                                                                                                    \
        static __host__ __device__ unsigned of_bfloat16(__nv_bfloat16 x, cudaRoundMode mode) {               \
            return __nv_cvt_bfloat16raw_to_##fp(x, kind, mode);                                              \
        }                                                                                                    \
        static __host__ __device__ unsigned of_two(float2 x) {                                               \
            return __nv_cvt_float2_to_##fp##x2(x, kind, cudaRoundZero);                                      \
        }                                                                                                    \
        static __host__ __device__ __half half_of(unsigned code) {                                           \
            return __nv_cvt_##fp##_to_halfraw((__nv_##fp##_storage_t)code, kind);                            \
        }                                                                                                    \
    };
TINY(e2m3, fp6, __NV_E2M3, 2, 3, 8)
TINY(e3m2, fp6, __NV_E3M2, 3, 2, 8)
TINY(e2m1, fp4, __NV_E2M1, 2, 1, 4)
#undef TINY
template <class F>
double tiny_value(unsigned code) {
    int const e = (int)(code >> F::mantissa) & ((1 << F::exponent) - 1);
    double const m = code & ((1u << F::mantissa) - 1);
    int const bias = (1 << (F::exponent - 1)) - 1;
    double v = e == 0 ? m : m + (1 << F::mantissa);
    for (int i = (e == 0 ? 1 : e) - bias - F::mantissa; i != 0; i += i < 0 ? 1 : -1)
        v = i < 0 ? v / 2 : v * 2;
    return (code >> (F::exponent + F::mantissa) & 1) != 0 ? -v : v;
}
template <class F>
unsigned tiny_code(double x, cudaRoundMode mode) {
    static auto const values = [] {
        std::vector<double> all(1u << (F::exponent + F::mantissa));
        for (unsigned code = 0; code < all.size(); ++code) all[code] = tiny_value<F>(code);
        return all;
    }();
    unsigned const last = (unsigned)values.size() - 1;
    if (x != x) return last;
    unsigned const sign = std::signbit(x) ? last + 1 : 0;
    double const a = std::fabs(x);
    unsigned below = 0;
    while (below < last && values[below + 1] <= a) ++below;
    if (below == last || mode == cudaRoundZero) return sign | below;
    double const down = a - values[below], up = values[below + 1] - a;
    return sign | (up < down || (up == down && below % 2 == 1) ? below + 1 : below);
}
// Of a half's, and of a bfloat16's, bits: codes by each way to have one, and what they are as other numbers.
struct tiny_results {
    unsigned short code[10];
    float two_x, two_y, four_z, half, other;
    int whole;
};
template <class F>
__host__ __device__ tiny_results tiny_all(unsigned a) {
    auto const x = from_bits<__half>((unsigned short)a);
    auto const y = from_bits<__nv_bfloat16>((unsigned short)a);
    float const f = (float)x, g = (float)y;
    typename F::one const one(f);
    typename F::two const two(make_float2(g, f));
    typename F::four const four(make_float4(f, g, -f, 1.0f)), halves(__half2(x, x), __half2(x, x));
    typename F::one loose;
    loose.__x = (unsigned char)a;
    unsigned const codes[] = {F::of_half(x, cudaRoundNearest),
                              F::of_half(x, cudaRoundZero),
                              F::of_bfloat16(y, cudaRoundNearest),
                              F::of_bfloat16(y, cudaRoundZero),
                              one.__x,
                              typename F::one((double)g).__x,
                              two.__x,
                              F::of_two(make_float2(f, g)),
                              (unsigned)four.__x ^ (unsigned)four.__x >> 16,
                              (unsigned)halves.__x & 0xffff};
    tiny_results r;
    for (int i = 0; i < 10; ++i) r.code[i] = (unsigned short)codes[i];
    r.two_x = ((float2)two).x;
    r.two_y = ((float2)two).y;
    r.four_z = ((float4)four).z;
    r.half = (float)F::half_of(a & 255);
    r.other = (float)(__nv_bfloat16)loose + (float)(double)loose + (bool)loose;
    r.whole = (int)loose * 100 + (unsigned char)loose;
    return r;
}
template <class F>
__global__ void tiny_kernel(tiny_results* out) {
    unsigned const a = blockIdx.x * blockDim.x + threadIdx.x;
    out[a] = tiny_all<F>(a);
}
template <class F>
void tiny(char const* name) {
    tiny_results* out;
    cudaMallocManaged(&out, most * sizeof *out);
    tiny_kernel<F><<<most / 256, 256>>>(out);
    check(name, cudaDeviceSynchronize() == cudaSuccess);
    auto const nearest = [](double x) { return tiny_code<F>(x, cudaRoundNearest); };
    auto const cut = [](double x) { return tiny_code<F>(x, cudaRoundZero); };
    for (unsigned a = 0; a < most; ++a) {
        tiny_results const there = out[a], here = tiny_all<F>(a);
        double const x = (float)from_bits<__half>((unsigned short)a);
        double const y = (float)from_bits<__nv_bfloat16>((unsigned short)a);
        unsigned const four =
            nearest(x) | nearest(y) << F::apart | nearest(-x) << 2 * F::apart | nearest(1.0) << 3 * F::apart;
        unsigned const two_of_four = nearest(x) | nearest(x) << F::apart;
        unsigned const codes[] = {nearest(x),
                                  cut(x),
                                  nearest(y),
                                  cut(y),
                                  nearest(x),
                                  nearest(y),
                                  nearest(y) | nearest(x) << F::apart,
                                  cut(x) | cut(y) << F::apart,
                                  (four ^ four >> 16) & 0xffff,
                                  (two_of_four | two_of_four << 2 * F::apart) & 0xffff};
        for (int i = 0; i < 10; ++i)
            check(name, here.code[i] == codes[i], a, (unsigned)i, here.code[i], codes[i]);
        double const v = tiny_value<F>(a & 255);
        check(name, here.two_x == tiny_value<F>(nearest(y)) && here.two_y == tiny_value<F>(nearest(x)), a);
        check(name, here.four_z == tiny_value<F>(nearest(-x)) && here.half == v, a);
        check(name, here.other == 2 * v + (v != 0) && here.whole == (int)v * 100 + (v < 0 ? 0 : (int)v), a);
        check(name, memcmp(&there, &here, sizeof here) == 0, a, 1);
    }
    // Doubles beside the middle of two values, and integers.
    for (unsigned code = 0; code + 1 < 1u << (F::exponent + F::mantissa); ++code)
        for (double const off : {-1e-12, 0.0, 1e-12}) {
            double const x = (tiny_value<F>(code) + tiny_value<F>(code + 1)) / 2 + off;
            check(name,
                  F::of_double(x, cudaRoundNearest) == nearest(x) &&
                      F::of_double(-x, cudaRoundZero) == cut(-x),
                  code);
        }
    for (int i = -40; i <= 40; ++i)
        check(name,
              typename F::one(i).__x == nearest(i) && typename F::one((short)i).__x == nearest(i) &&
                  typename F::one((long long)i).__x == nearest(i),
              (unsigned)i);
    cudaFree(out);
}

// Bytes and halves of a word, one by one.
__global__ void simd(unsigned const* a, unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned const x = a[i], y = a[i ^ 1];
    unsigned const r[] = {__vadd4(x, y),    __vaddss2(x, y),  __vaddus4(x, y),    __vsub2(x, y),
                          __vsubss4(x, y),  __vsubus2(x, y),  __vabsdiffs4(x, y), __vabsdiffu2(x, y),
                          __vavgs4(x, y),   __vavgu2(x, y),   __vmaxs2(x, y),     __vminu4(x, y),
                          __vcmpgts4(x, y), __vsetleu2(x, y), __vabs4(x),         __vabsss2(x),
                          __vneg2(x),       __vnegss4(x),     __vsadu4(x, y),     __vsads2(x, y)};
    for (int k = 0; k < 20; ++k) out[20 * i + k] = r[k];
}
void words() {
    unsigned *a, *out;
    constexpr unsigned count = 4096;
    cudaMallocManaged(&a, count * 4);
    cudaMallocManaged(&out, count * 80);
    unsigned state = 1;
    for (unsigned i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        a[i] = i % 7 == 0 ? 0x80807fffu ^ (state & 0x01010001u) : state ^ state >> 11;
    }
    simd<<<count / 128, 128>>>(a, out);
    check("SIMD", cudaDeviceSynchronize() == cudaSuccess);
    for (unsigned i = 0; i < count; ++i) {
        unsigned want[20] = {};
        int const parts[] = {4, 2, 4, 2, 4, 2, 4, 2, 4, 2, 2, 4, 4, 2, 4, 2, 2, 4, 4, 2};
        for (int k = 0; k < 20; ++k)
            for (int p = 0; p < parts[k]; ++p) {
                int const width = 32 / parts[k], top = 1 << width;
                int const xu = (int)(a[i] >> (p * width)) & (top - 1),
                          yu = (int)(a[i ^ 1] >> (p * width)) & (top - 1);
                int const xs = xu >= top / 2 ? xu - top : xu, ys = yu >= top / 2 ? yu - top : yu;
                auto const clamp = [&](int v, int low, int high) {
                    return v < low ? low : v > high ? high : v;
                };
                auto const fit = [&](int v) { return clamp(v, -top / 2, top / 2 - 1); };
                int const magnitude = xs < 0 ? -xs : xs, apart = xs > ys ? xs - ys : ys - xs;
                int const apart_u = xu > yu ? xu - yu : yu - xu, sum = xs + ys;
                int const away = sum >= 0 ? (sum + 1) / 2 : -((1 - sum) / 2); // half away from zero
                int const v[] = {xu + yu,
                                 fit(sum),
                                 clamp(xu + yu, 0, top - 1),
                                 xu - yu,
                                 fit(xs - ys),
                                 clamp(xu - yu, 0, top - 1),
                                 apart,
                                 apart_u,
                                 away,
                                 (xu + yu + 1) / 2,
                                 xs > ys ? xs : ys,
                                 xu < yu ? xu : yu,
                                 xs > ys ? -1 : 0,
                                 xu <= yu ? 1 : 0,
                                 magnitude,
                                 fit(magnitude),
                                 -xs,
                                 fit(-xs),
                                 apart_u,
                                 apart};
                if (k >= 18)
                    want[k] += (unsigned)v[k];
                else
                    want[k] |= ((unsigned)v[k] & (unsigned)(top - 1)) << (p * width);
            }
        for (int k = 0; k < 20; ++k)
            check("SIMD", out[20 * i + k] == want[k], a[i], (unsigned)k, out[20 * i + k], want[k]);
    }
}
// Minima, maxima and products of words and of their parts, beside what they are by definition.
constexpr int extrema = 26;
__host__ __device__ void extrema_of(unsigned a, unsigned b, unsigned c, unsigned* r) {
    int const x = (int)a, y = (int)b, z = (int)c;
    bool p = false, q = false;
    int i = 0;
    r[i++] = (unsigned)__vimax3_s32(x, y, z);
    r[i++] = (unsigned)__vimin3_s32(x, y, z);
    r[i++] = __vimax3_u32(a, b, c);
    r[i++] = __vimin3_u32(a, b, c);
    r[i++] = (unsigned)__vimax_s32_relu(x, y);
    r[i++] = (unsigned)__vimin3_s32_relu(x, y, z);
    r[i++] = (unsigned)__viaddmax_s32(x, y, z);
    r[i++] = __viaddmin_u32(a, b, c);
    r[i++] = (unsigned)__viaddmin_s32_relu(x, y, z);
    r[i++] = (unsigned)__vibmax_s32(x, y, &p) + p;
    r[i++] = __vibmin_u32(a, b, &p) + p;
    r[i++] = __vimax3_s16x2(a, b, c);
    r[i++] = __vimin3_u16x2(a, b, c);
    r[i++] = __vimin3_s16x2_relu(a, b, c);
    r[i++] = __vimax_s16x2_relu(a, b);
    r[i++] = __viaddmax_s16x2(a, b, c);
    r[i++] = __viaddmin_u16x2(a, b, c);
    r[i++] = __viaddmax_s16x2_relu(a, b, c);
    r[i++] = __vibmin_s16x2(a, b, &p, &q);
    r[i++] = (unsigned)p << 1 | q;
    r[i++] = __vibmax_u16x2(a, b, &p, &q);
    r[i++] = (unsigned)p << 1 | q;
}
__global__ void extrema_kernel(unsigned const* a, unsigned* out) {
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned const x = a[i], y = a[i ^ 1], z = a[i ^ 2];
    extrema_of(x, y, z, out + extrema * i);
    out[extrema * i + 22] = (unsigned)__dp2a_lo((int)x, (int)y, (int)z);
    out[extrema * i + 23] = __dp2a_hi(x, y, z);
    out[extrema * i + 24] = __fns(x, y & 31, (int)(z % 7) - 3);
    out[extrema * i + 25] = (unsigned)__dp4a(
        make_char4((signed char)x, (signed char)(x >> 8), (signed char)(x >> 16), (signed char)(x >> 24)),
        make_char4(1, -2, 3, -4), (int)z);
}
void extrema_by_definition(unsigned a, unsigned b, unsigned c, unsigned* r) {
    auto const s = [](unsigned v, int width, int part) -> long long { // signed
        auto const u = (long long)(v >> (part * width)) & ((1ll << width) - 1);
        return u >= 1ll << (width - 1) ? u - (1ll << width) : u;
    };
    auto const u = [](unsigned v, int width, int part) {
        return (long long)(v >> (part * width)) & ((1ll << width) - 1);
    };
    auto const wrapped = [&](long long v, int width) { return s((unsigned)v, width, 0); };
    auto const least = [](long long x, long long y) { return x < y ? x : y; };
    auto const most = [](long long x, long long y) { return x > y ? x : y; };
    auto const both = [](long long high, long long low) {
        return ((unsigned)high & 0xffff) << 16 | ((unsigned)low & 0xffff);
    };
    long long h[3][2], g[3][2]; // halves: signed, unsigned; the higher one first
    for (int part = 0; part < 2; ++part) {
        unsigned const v[] = {a, b, c};
        for (int k = 0; k < 3; ++k) h[k][part] = s(v[k], 16, 1 - part), g[k][part] = u(v[k], 16, 1 - part);
    }
    long long const x = s(a, 32, 0), y = s(b, 32, 0), z = s(c, 32, 0), xu = a, yu = b, zu = c;
    unsigned const want[] = {(unsigned)most(most(x, y), z),
                             (unsigned)least(least(x, y), z),
                             (unsigned)most(most(xu, yu), zu),
                             (unsigned)least(least(xu, yu), zu),
                             (unsigned)most(most(x, y), 0),
                             (unsigned)most(least(least(x, y), z), 0),
                             (unsigned)most(wrapped(x + y, 32), z),
                             (unsigned)least((unsigned)(xu + yu), zu),
                             (unsigned)most(least(wrapped(x + y, 32), z), 0),
                             (unsigned)most(x, y) + (x >= y),
                             (unsigned)least(xu, yu) + (xu <= yu)};
    for (int k = 0; k < 11; ++k) r[k] = want[k];
    long long t[9][2];
    for (int p = 0; p < 2; ++p) {
        t[0][p] = most(most(h[0][p], h[1][p]), h[2][p]);
        t[1][p] = least(least(g[0][p], g[1][p]), g[2][p]);
        t[2][p] = most(least(least(h[0][p], h[1][p]), h[2][p]), 0);
        t[3][p] = most(most(h[0][p], h[1][p]), 0);
        t[4][p] = most(wrapped(h[0][p] + h[1][p], 16), h[2][p]);
        t[5][p] = least((g[0][p] + g[1][p]) & 0xffff, g[2][p]);
        t[6][p] = most(t[4][p], 0);
        t[7][p] = least(h[0][p], h[1][p]);
        t[8][p] = most(g[0][p], g[1][p]);
    }
    for (int k = 0; k < 8; ++k) r[11 + k] = both(t[k][0], t[k][1]);
    r[19] = (unsigned)(h[0][0] <= h[1][0]) << 1 | (h[0][1] <= h[1][1]);
    r[20] = both(t[8][0], t[8][1]);
    r[21] = (unsigned)(g[0][0] >= g[1][0]) << 1 | (g[0][1] >= g[1][1]);
    r[22] = (unsigned)(z + s(a, 16, 0) * s(b, 8, 0) + s(a, 16, 1) * s(b, 8, 1));
    r[23] = (unsigned)(zu + u(a, 16, 0) * u(b, 8, 2) + u(a, 16, 1) * u(b, 8, 3));
    int const n = (int)(c % 7) - 3, base = (int)(b & 31);
    r[24] = ~0u;
    for (int at = base, seen = 0; at >= 0 && at < 32; at += n < 0 ? -1 : 1) {
        if (n == 0 && at != base) break;
        if ((a >> at & 1) != 0 && ++seen >= (n < 0 ? -n : n)) {
            r[24] = (unsigned)at;
            break;
        }
    }
    r[25] = (unsigned)(z + s(a, 8, 0) - 2 * s(a, 8, 1) + 3 * s(a, 8, 2) - 4 * s(a, 8, 3));
}
void extrema_everywhere() {
    unsigned *a, *out;
    constexpr unsigned count = 4096;
    cudaMallocManaged(&a, count * 4);
    cudaMallocManaged(&out, count * extrema * 4);
    unsigned state = 5;
    for (unsigned i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        a[i] = i % 5 == 0 ? 0x80007fffu ^ (state & 0x01010001u) : state ^ state >> 11;
    }
    extrema_kernel<<<count / 128, 128>>>(a, out);
    check("extrema", cudaDeviceSynchronize() == cudaSuccess);
    for (unsigned i = 0; i < count; ++i) {
        unsigned want[extrema], host[extrema] = {};
        extrema_by_definition(a[i], a[i ^ 1], a[i ^ 2], want);
        extrema_of(a[i], a[i ^ 1], a[i ^ 2], host);
        for (unsigned k = 0; k < extrema; ++k) {
            check("extrema", out[extrema * i + k] == want[k], a[i], k, out[extrema * i + k], want[k]);
            if (k < 22) check("extrema on the host", host[k] == want[k], a[i], k, host[k], want[k]);
        }
    }
}

// Counts in 16 bits by compare and swap, and CUDA 12.8's builtins.
__global__ void count(unsigned short* cells, unsigned* words) {
    for (unsigned short seen = __nv_atomic_load_n(cells, __NV_ATOMIC_RELAXED);;) {
        unsigned short const before = atomicCAS(cells, seen, (unsigned short)(seen + 3));
        if (before == seen) break;
        seen = before;
    }
    unsigned expected = 0;
    while (!__nv_atomic_compare_exchange_n(words, &expected, expected + 2, false, __NV_ATOMIC_ACQ_REL,
                                           __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE)) {}
    __nv_atomic_fetch_add(words + 1, 1u, __NV_ATOMIC_RELAXED);
    __nv_atomic_fetch_max(words + 2, threadIdx.x, __NV_ATOMIC_RELAXED);
    if (threadIdx.x == 0) __nv_atomic_store_n(words + 3, 9u, __NV_ATOMIC_RELEASE);
}
void atomics() {
    unsigned short* cells;
    unsigned* words;
    cudaMallocManaged(&cells, 4);
    cudaMallocManaged(&words, 16);
    cells[0] = 65535;
    cells[1] = 77;
    for (int i = 0; i < 4; ++i) words[i] = 0;
    count<<<2, 64>>>(cells, words);
    check("atomics", cudaDeviceSynchronize() == cudaSuccess);
    check("atomicCAS", cells[0] == 128 * 3 - 1 && cells[1] == 77, cells[0], cells[1]);
    check("builtins", words[0] == 256 && words[1] == 128 && words[2] == 63 && words[3] == 9, words[0],
          words[1]);
}

// cuComplex.h beside std::complex.
__global__ void complex_kernel(cuDoubleComplex* p, cuFloatComplex* f) {
    p[0] = cuCdiv(cuCmul(p[1], p[2]), cuCadd(p[3], make_cuDoubleComplex(1, -2)));
    f[0] = cuCdivf(cuCfmaf(f[1], f[2], f[4]), cuCsubf(cuConjf(f[3]), make_cuComplex(1, -2)));
    p[4].x = cuCabs(p[1]);
}
void complex_numbers() {
    cuDoubleComplex* p;
    cuFloatComplex* f;
    cudaMallocManaged(&p, 5 * sizeof *p);
    cudaMallocManaged(&f, 5 * sizeof *f);
    for (int i = 0; i < 5; ++i) {
        p[i] = make_cuDoubleComplex(1.5 + i, 0.25 * i - 1);
        f[i] = cuComplexDoubleToFloat(p[i]);
    }
    complex_kernel<<<1, 1>>>(p, f);
    check("cuComplex", cudaDeviceSynchronize() == cudaSuccess);
    auto const of = [](auto v) { return std::complex<double>(v.x, v.y); };
    auto const twice = of(p[1]) * of(p[2]) / (of(p[3]) + std::complex<double>(1, -2));
    auto const single =
        (of(f[1]) * of(f[2]) + of(f[4])) / (std::conj(of(f[3])) - std::complex<double>(1, -2));
    check("cuCdiv", std::abs(twice - of(p[0])) < 1e-14);
    check("cuCdivf", std::abs(single - of(f[0])) < 1e-6);
    check("cuCabs", std::abs(p[4].x - std::abs(of(p[1]))) < 1e-14);
    check("cuCabs", cuCabs(make_cuDoubleComplex(3e300, -4e300)) == 5e300);
    check("cuCdiv", cuCreal(cuCdiv(make_cuDoubleComplex(4e300, 0), make_cuDoubleComplex(0, 4e300))) == 0);
}
} // namespace

int main() {
    atomics();
    complex_numbers();
    compare<__half, __half2>("half");
    compare<__nv_bfloat16, __nv_bfloat162>("bfloat16");
    sums<__half, __half2>("half");
    sums<__nv_bfloat16, __nv_bfloat162>("bfloat16");
    bytes<__nv_fp8_e4m3>("e4m3", 448.0f);
    bytes<__nv_fp8_e5m2>("e5m2", 57344.0f);
    tiny<e2m3>("e2m3");
    tiny<e3m2>("e3m2");
    tiny<e2m1>("e2m1");
    words();
    extrema_everywhere();
    std::printf(wrong == 0 ? "PASSED\n" : "FAILED: %d\n", wrong);
    return wrong == 0 ? 0 : 1;
}
