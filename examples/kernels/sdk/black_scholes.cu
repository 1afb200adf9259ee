// Prices of European call and put options by the Black-Scholes formula, a grid of threads going through all of
// them in strides.
#include "cuda.hpp"

// The normal distribution up to `d`, by a polynomial of degree five.
WARPKIT_DEVICE float cumulative(float d) {
    float const k = fdividef(1.0f, fmaf(0.2316419f, fabsf(d), 1.0f));
    float const polynomial =
        k * fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f),
                 0.31938153f);
    float const tail = 0.39894228f * expf(-0.5f * d * d) * polynomial;
    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(float* call, float* put, float const* price, float const* strike,
                                         float const* years, float rate, float volatility, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float const s = price[i], x = strike[i], t = years[i];
        float const spread = volatility * sqrtf(t);
        float const d1 =
            fdividef(fmaf(fmaf(0.5f * volatility, volatility, rate), t, logf(fdividef(s, x))), spread);
        float const d2 = d1 - spread;
        float const below1 = cumulative(d1), below2 = cumulative(d2);
        float const discounted = x * expf(-rate * t);
        call[i] = fmaf(s, below1, -(discounted * below2));
        put[i] = fmaf(discounted, 1.0f - below2, -(s * (1.0f - below1)));
    }
}
