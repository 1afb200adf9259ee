// Many transforms of 256 complex points, one per CTA of 128 threads: eight passes of radix 2. Each thread has
// two points in registers; between passes they change hands through shared memory, real and imaginary parts
// in two arrays.
#include "cuda.hpp"

enum { points = 256, threads = points / 2 };

extern "C" __global__ void fft(float2* data) {
    __shared__ float real[points];
    __shared__ float imaginary[points];
    int const t = threadIdx.x;
    data += blockIdx.x * points;
    float2 a = data[t], b = data[t + threads];
    for (int span = 1; span < points; span *= 2) {
        int const low = t & (span - 1);
        float const angle = -3.1415927f * low / span;
        float const c = cosf(angle), s = sinf(angle);
        float2 turned;
        turned.x = fmaf(b.x, c, -(b.y * s));
        turned.y = fmaf(b.x, s, b.y * c);
        b = a - turned;
        a = a + turned;
        int const to = 2 * (t - low) + low;
        __syncthreads();
        real[to] = a.x;
        imaginary[to] = a.y;
        real[to + span] = b.x;
        imaginary[to + span] = b.y;
        __syncthreads();
        a.x = real[t];
        a.y = imaginary[t];
        b.x = real[t + threads];
        b.y = imaginary[t + threads];
    }
    data[t] = a;
    data[t + threads] = b;
}
