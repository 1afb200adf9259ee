// Euler's equations on an unstructured mesh: five conserved quantities per element, each in an array of its own, and per
// element four neighbours. A stage of Runge-Kutta is a launch for the fluxes and one for the step in time.
#include "cuda.hpp"

enum { neighbours = 4, wall = -1, far_field = -2 };

// The undisturbed flow.
struct flow {
    float density, x, y, z, energy;
};

struct state {
    float density, mx, my, mz, energy; // momentum along x, y, z
    float vx, vy, vz, pressure, sound;
};

WARPKIT_DEVICE state derived(float density, float mx, float my, float mz, float energy) {
    state s = {density, mx, my, mz, energy, 0, 0, 0, 0, 0};
    s.vx = mx / density;
    s.vy = my / density;
    s.vz = mz / density;
    float const square = fmaf(s.vx, s.vx, fmaf(s.vy, s.vy, s.vz * s.vz));
    s.pressure = 0.4f * fmaf(-0.5f * density, square, energy);
    s.sound = sqrtf(1.4f * s.pressure / density);
    return s;
}

WARPKIT_DEVICE state element(float const* variables, int i, int count) {
    return derived(variables[i], variables[i + count], variables[i + 2 * count], variables[i + 3 * count],
                   variables[i + 4 * count]);
}

WARPKIT_DEVICE float speed(state const& s) { return sqrtf(fmaf(s.vx, s.vx, fmaf(s.vy, s.vy, s.vz * s.vz))); }

extern "C" __global__ void cfd_initialise(float* variables, flow around, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    variables[i] = around.density;
    variables[i + count] = around.x;
    variables[i + 2 * count] = around.y;
    variables[i + 3 * count] = around.z;
    variables[i + 4 * count] = around.energy;
}

extern "C" __global__ void cfd_step_factor(float const* variables, float const* areas, float* factors,
                                           int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    state const s = element(variables, i, count);
    factors[i] = 0.5f / (sqrtf(areas[i]) * (speed(s) + s.sound));
}

// Adds a neighbour's flux through a face: `scale` times the normal, component by component.
WARPKIT_DEVICE void add_flux(float* flux, state const& s, float fx, float fy, float fz) {
    flux[0] = fmaf(fx, s.mx, fmaf(fy, s.my, fmaf(fz, s.mz, flux[0])));
    float const through = fmaf(fx, s.vx, fmaf(fy, s.vy, fz * s.vz));
    flux[1] = fmaf(fx, s.pressure, fmaf(through, s.mx, flux[1]));
    flux[2] = fmaf(fy, s.pressure, fmaf(through, s.my, flux[2]));
    flux[3] = fmaf(fz, s.pressure, fmaf(through, s.mz, flux[3]));
    flux[4] = fmaf(through, s.energy + s.pressure, flux[4]);
}

extern "C" __global__ void cfd_flux(int const* surrounding, float const* normals, float const* variables,
                                    float* fluxes, flow around, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    state const mine = element(variables, i, count);
    float const my_speed = speed(mine);
    float flux[5] = {0, 0, 0, 0, 0};
#pragma unroll 1
    for (int j = 0; j < neighbours; ++j) {
        int const other = surrounding[i + j * count];
        float const nx = normals[i + (j + 0 * neighbours) * count];
        float const ny = normals[i + (j + 1 * neighbours) * count];
        float const nz = normals[i + (j + 2 * neighbours) * count];
        if (other >= 0) {
            state const s = element(variables, other, count);
            // Artificial viscosity.
            float const length = sqrtf(fmaf(nx, nx, fmaf(ny, ny, nz * nz)));
            float const viscosity = -length * 0.2f * 0.5f * (my_speed + speed(s) + mine.sound + s.sound);
            flux[0] = fmaf(viscosity, mine.density - s.density, flux[0]);
            flux[1] = fmaf(viscosity, mine.mx - s.mx, flux[1]);
            flux[2] = fmaf(viscosity, mine.my - s.my, flux[2]);
            flux[3] = fmaf(viscosity, mine.mz - s.mz, flux[3]);
            flux[4] = fmaf(viscosity, mine.energy - s.energy, flux[4]);
            add_flux(flux, s, 0.5f * nx, 0.5f * ny, 0.5f * nz);
            add_flux(flux, mine, 0.5f * nx, 0.5f * ny, 0.5f * nz);
        } else if (other == wall) {
            flux[1] = fmaf(nx, mine.pressure, flux[1]);
            flux[2] = fmaf(ny, mine.pressure, flux[2]);
            flux[3] = fmaf(nz, mine.pressure, flux[3]);
        } else if (other == far_field) {
            state const s = derived(around.density, around.x, around.y, around.z, around.energy);
            add_flux(flux, s, 0.5f * nx, 0.5f * ny, 0.5f * nz);
            add_flux(flux, mine, 0.5f * nx, 0.5f * ny, 0.5f * nz);
        }
    }
    for (int k = 0; k < 5; ++k) fluxes[i + k * count] = flux[k];
}

extern "C" __global__ void cfd_time_step(int stage, float const* old, float* variables, float const* factors,
                                         float const* fluxes, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float const factor = factors[i] / static_cast<float>(3 + 1 - stage);
    for (int k = 0; k < 5; ++k)
        variables[i + k * count] = fmaf(factor, fluxes[i + k * count], old[i + k * count]);
}
