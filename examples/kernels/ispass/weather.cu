// A step of the cloud physics of a weather model, a thread per column of air (Hong, Dudhia and Chen: A revised approach
// to ice microphysical processes, 2004; Michalakes and Vachharajani: GPU acceleration of numerical weather prediction,
// 2008). Vapour, cloud water, cloud ice, rain and snow in g/kg, temperature in K, pressure in hPa, lengths in m.
#include "cuda.hpp"

enum { most_levels = 64 };

extern "C" __global__ void weather(float* temperature, float* vapour, float* cloud, float* ice, float* rain,
                                   float* snow, float const* pressure, float const* density,
                                   float const* thickness, float* fallen, int nx, int ny, int nz,
                                   float step) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= nx || y >= ny) return;
    int const layer = nx * ny, column = y * nx + x;

    // What falls out of each level in a second; it cannot be more than there is.
    float rain_flux[most_levels], snow_flux[most_levels];
#pragma unroll 1
    for (int k = 0, at = column; k < nz; ++k, at += layer) {
        float const r = density[at] * rain[at], s = density[at] * snow[at], most = thickness[at] / step;
        rain_flux[k] = fminf(4.0f * r * sqrtf(sqrtf(r)), r * most);
        snow_flux[k] = fminf(0.8f * s * sqrtf(sqrtf(s)), s * most);
    }
    float rain_above = 0, snow_above = 0;
#pragma unroll 1
    for (int k = nz - 1, at = column + (nz - 1) * layer; k >= 0; --k, at -= layer) {
        float const gain = step / (density[at] * thickness[at]);
        rain[at] += (rain_above - rain_flux[k]) * gain;
        snow[at] += (snow_above - snow_flux[k]) * gain;
        rain_above = rain_flux[k];
        snow_above = snow_flux[k];
    }
    fallen[column] += (rain_above + snow_above) * step;

#pragma unroll 1
    for (int k = 0, at = column; k < nz; ++k, at += layer) {
        float t = temperature[at], q = vapour[at], c = cloud[at], i = ice[at], r = rain[at], s = snow[at];
        float const above_pole = t - 29.65f;
        float const saturated = 6.112f * expf(17.67f * (t - 273.15f) / above_pole);
        float const holds = 622.0f * saturated / (pressure[at] - saturated);
        // Condensation, or evaporation of cloud water.
        float moved = fmaxf((q - holds) / (1 + 2.5f * holds * 4302.645f / (above_pole * above_pole)), -c);
        q -= moved;
        c += moved;
        t += 2.5f * moved;
        // Cloud becomes rain: by itself, and where rain falls through it.
        moved = fminf(step * (0.001f * fmaxf(c - 0.5f, 0.0f) + 0.0022f * c * sqrtf(r)), c);
        c -= moved;
        r += moved;
        // Freezing; ice becomes snow; snow melts.
        moved = fminf(step * 0.0001f * fmaxf(273.15f - t, 0.0f) * c, c);
        c -= moved;
        i += moved;
        t += 0.334f * moved;
        moved = fminf(step * 0.001f * fmaxf(i - 0.1f, 0.0f), i);
        i -= moved;
        s += moved;
        moved = fminf(step * 0.001f * fmaxf(t - 273.15f, 0.0f) * sqrtf(s), s);
        s -= moved;
        r += moved;
        t -= 0.334f * moved;
        // Rain evaporates where the air is dry.
        moved = fminf(step * 0.0001f * fmaxf(holds - q, 0.0f) * sqrtf(r), r);
        r -= moved;
        q += moved;
        t -= 2.5f * moved;
        temperature[at] = t;
        vapour[at] = q;
        cloud[at] = c;
        ice[at] = i;
        rain[at] = r;
        snow[at] = s;
    }
}
