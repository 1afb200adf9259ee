// make_ptx: sm_80 ptx70
// y = W x, W of 8-bit integers with a scale for each 32 in a row, as when a language model makes one token: x is
// brought into the same form, then integers are multiplied four at a time (dp4a). Four warps a row.
#include "language/device.hpp"

enum { group = 32 };

// A warp a group: integers from -127 to 127, and the scale that they are to be multiplied by.
extern "C" __global__ void quantize_int8(half_bits const* x, signed char* quantized, float* scales) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float const value = float_of_half(x[i]);
    float most = fabsf(value);
    for (int bits = 16; bits > 0; bits /= 2) most = fmaxf(most, from_lane_across(most, bits));
    float const scale = most / 127;
    int rounded;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(rounded) : "f"(most == 0 ? 0.0f : value / scale));
    quantized[i] = static_cast<signed char>(rounded);
    if (i % group == 0) scales[i / group] = scale;
}

WARPKIT_DEVICE int dot_of_four(unsigned a, unsigned b, int sum) {
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
    return sum;
}

extern "C" __global__ void matvec_int8(signed char const* w, half_bits const* w_scales, signed char const* x,
                                       float const* x_scales, float* y, int columns) {
    __shared__ float partial[32];
    unsigned long long const row = blockIdx.x;
    signed char const* const from = w + row * columns;
    half_bits const* const scales = w_scales + row * (columns / group);
    float sum = 0;
    for (int c = 16 * threadIdx.x; c < columns; c += 16 * blockDim.x) {
        uint4 const a = load_16_bytes(from + c), b = load_16_bytes(x + c);
        int dot = 0;
        for (int i = 0; i < 4; ++i) dot = dot_of_four(a[i], b[i], dot);
        sum = fmaf(static_cast<float>(dot), float_of_half(scales[c / group]) * x_scales[c / group], sum);
    }
    sum = sum_of_cta(sum, partial);
    if (threadIdx.x == 0) y[row] = sum;
}
