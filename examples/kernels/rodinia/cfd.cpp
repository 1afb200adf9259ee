#include "cfd.ptx.hpp"
#include "kernels/host.hpp"

#include <array>
#include <utility>

namespace warpkit::kernels::cfd {
namespace {

constexpr std::size_t neighbours = 4;
constexpr std::int32_t wall = -1;
constexpr std::int32_t far_field = -2;

constexpr parameter parameters[] = {
    {"side", "elements", "along each edge of the mesh, a cube", 10, 46, 2, 128},
    {"iterations", "steps", "of time, of three stages each", 1, 2, 1, 2000},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

struct flow {
    float density, x, y, z, energy;
};

struct state {
    float density, mx, my, mz, energy;
    float vx, vy, vz, pressure, sound;
};

state derived(float density, float mx, float my, float mz, float energy) {
    state s{density, mx, my, mz, energy, mx / density, my / density, mz / density, 0, 0};
    auto const square = std::fma(s.vx, s.vx, std::fma(s.vy, s.vy, s.vz * s.vz));
    s.pressure = 0.4f * std::fma(-0.5f * density, square, energy);
    s.sound = std::sqrt(1.4f * s.pressure / density);
    return s;
}

float speed(state const& s) { return std::sqrt(std::fma(s.vx, s.vx, std::fma(s.vy, s.vy, s.vz * s.vz))); }

using fluxes = std::array<float, 5>;

void add_flux(fluxes& flux, state const& s, float fx, float fy, float fz) {
    flux[0] = std::fma(fx, s.mx, std::fma(fy, s.my, std::fma(fz, s.mz, flux[0])));
    auto const through = std::fma(fx, s.vx, std::fma(fy, s.vy, fz * s.vz));
    flux[1] = std::fma(fx, s.pressure, std::fma(through, s.mx, flux[1]));
    flux[2] = std::fma(fy, s.pressure, std::fma(through, s.my, flux[2]));
    flux[3] = std::fma(fz, s.pressure, std::fma(through, s.mz, flux[3]));
    flux[4] = std::fma(through, s.energy + s.pressure, flux[4]);
}

struct mesh {
    std::vector<std::int32_t> surrounding; // of element i: i, i + count, ...
    std::vector<float> normals;            // likewise, all of x, then of y, then of z
    std::vector<float> areas;
};

// Each element of a cube has four of its six neighbours. Beyond the bottom is a wall, beyond the other sides the far
// field. Elements are numbered at random within stretches, as mesh generators leave them.
mesh make_mesh(std::uint32_t side, random_numbers& random) {
    auto const count = side * side * side;
    std::vector<std::uint32_t> number(count);
    for (std::uint32_t i = 0; i < count; ++i) number[i] = i;
    for (std::uint32_t i = 0; i + 1 < count; ++i)
        std::swap(number[i], number[i + random.below(std::min(1024u, count - i))]);
    mesh m;
    m.surrounding.resize(neighbours * count);
    m.normals.resize(3 * neighbours * count);
    m.areas.resize(count);
    for (std::uint32_t z = 0; z < side; ++z)
        for (std::uint32_t y = 0; y < side; ++y)
            for (std::uint32_t x = 0; x < side; ++x) {
                auto const place = (z * side + y) * side + x;
                std::size_t const i = number[place];
                m.areas[i] = 0.5f + random.unit();
                // Alternately those along x and y, and those along x and z.
                auto const step = (x + y + z) % 2 == 0 ? side : side * side;
                auto const along = (x + y + z) % 2 == 0 ? y : z;
                auto const at = [&](bool there, std::uint32_t to, std::int32_t outside) {
                    return there ? static_cast<std::int32_t>(number[to]) : outside;
                };
                std::int32_t const others[neighbours] = {
                    at(x > 0, place - 1, far_field), at(x + 1 < side, place + 1, far_field),
                    at(along > 0, place - step, wall), at(along + 1 < side, place + step, far_field)};
                for (std::size_t j = 0; j < neighbours; ++j) {
                    m.surrounding[i + j * count] = others[j];
                    for (std::size_t k = 0; k < 3; ++k)
                        m.normals[i + (j + k * neighbours) * count] = 0.2f * random.unit() - 0.1f;
                }
            }
    return m;
}

void run(device& d, values const& v) {
    auto const side = v.u32("side");
    auto const block = v.u32("block");
    auto const n = side * side * side;
    random_numbers random(v["seed"]);
    auto const m = make_mesh(side, random);
    // Mach 1.2 at density 1.4 and pressure 1, so that sound has speed 1.
    flow const around{1.4f, 1.4f * 1.2f, 0, 0, 1 / 0.4f + 0.5f * 1.4f * 1.2f * 1.2f};

    auto const surrounding = d.upload(m.surrounding);
    auto const normals = d.upload(m.normals);
    auto const areas = d.upload(m.areas);
    auto const variables = d.allocate<float>(5 * std::size_t{n});
    auto const old = d.allocate<float>(5 * std::size_t{n});
    auto const flux_device = d.allocate<float>(5 * std::size_t{n});
    auto const factors = d.allocate<float>(n);
    dim3 const grid{ceil_div(n, block)};
    d.launch("cfd_initialise", grid, {block}, 0, variables, around, n);
    for (auto left = v.u32("iterations"); left > 0; --left) {
        d.write(old, d.download(variables));
        d.launch("cfd_step_factor", grid, {block}, 0, variables, areas, factors, n);
        for (std::int32_t stage = 1; stage <= 3; ++stage) {
            d.launch("cfd_flux", grid, {block}, 0, surrounding, normals, variables, flux_device, around, n);
            d.launch("cfd_time_step", grid, {block}, 0, stage, old, variables, factors, flux_device, n);
        }
    }

    std::vector<float> now(5 * std::size_t{n});
    auto const put = [n](std::vector<float>& all, std::size_t i, fluxes const& f) {
        for (std::size_t k = 0; k < 5; ++k) all[i + k * n] = f[k];
    };
    auto const element = [n](std::vector<float> const& all, std::size_t i) {
        return derived(all[i], all[i + n], all[i + 2 * n], all[i + 3 * std::size_t{n}],
                       all[i + 4 * std::size_t{n}]);
    };
    for (std::size_t i = 0; i < n; ++i)
        put(now, i, {around.density, around.x, around.y, around.z, around.energy});
    auto const outside = derived(around.density, around.x, around.y, around.z, around.energy);
    for (auto left = v.u32("iterations"); left > 0; --left) {
        auto const before = now;
        std::vector<float> factor(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto const s = element(now, i);
            factor[i] = 0.5f / (std::sqrt(m.areas[i]) * (speed(s) + s.sound));
        }
        for (int stage = 1; stage <= 3; ++stage) {
            std::vector<float> all(now.size());
            for (std::size_t i = 0; i < n; ++i) {
                auto const mine = element(now, i);
                fluxes flux{};
                for (std::size_t j = 0; j < neighbours; ++j) {
                    auto const other = m.surrounding[i + j * n];
                    auto const nx = m.normals[i + j * n];
                    auto const ny = m.normals[i + (j + neighbours) * n];
                    auto const nz = m.normals[i + (j + 2 * neighbours) * n];
                    if (other == wall) {
                        flux[1] = std::fma(nx, mine.pressure, flux[1]);
                        flux[2] = std::fma(ny, mine.pressure, flux[2]);
                        flux[3] = std::fma(nz, mine.pressure, flux[3]);
                        continue;
                    }
                    auto const s = other >= 0 ? element(now, static_cast<std::size_t>(other)) : outside;
                    if (other >= 0) {
                        auto const length = std::sqrt(std::fma(nx, nx, std::fma(ny, ny, nz * nz)));
                        auto const viscosity =
                            -length * 0.2f * 0.5f * (speed(mine) + speed(s) + mine.sound + s.sound);
                        flux[0] = std::fma(viscosity, mine.density - s.density, flux[0]);
                        flux[1] = std::fma(viscosity, mine.mx - s.mx, flux[1]);
                        flux[2] = std::fma(viscosity, mine.my - s.my, flux[2]);
                        flux[3] = std::fma(viscosity, mine.mz - s.mz, flux[3]);
                        flux[4] = std::fma(viscosity, mine.energy - s.energy, flux[4]);
                    }
                    add_flux(flux, s, 0.5f * nx, 0.5f * ny, 0.5f * nz);
                    add_flux(flux, mine, 0.5f * nx, 0.5f * ny, 0.5f * nz);
                }
                put(all, i, flux);
            }
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t k = 0; k < 5; ++k)
                    now[i + k * n] = std::fma(factor[i] / static_cast<float>(4 - stage), all[i + k * n],
                                              before[i + k * n]);
        }
    }
    check_equal(v, "variables", d.download(variables), now);
}

constexpr paper_row rows[] = {{paper::owl, "CFD"}};

constexpr workload shipped[] = {{
    .name = "cfd",
    .title = "Euler's equations on an unstructured mesh: fluxes through four faces, three stages per step",
    .origin = "cfd, euler3d (Rodinia)",
    .rows = rows,
    .input =
        "a cube of elements with four neighbours each, numbered at random within stretches of some 1,024",
    .differs =
        "Rodinia reads meshes of a wing with 97,046 to 232,536 elements, and makes 2,000 steps; "
        "the full size here has 97,336 elements and two steps. The flow around is an argument, not "
        "constant memory. Faces do not close, which the kernel cannot tell. On OWL's cores `block=128` "
        "leaves room for four CTAs of cfd_flux, two groups, where two of 192 threads are one.",
    .ptx = cfd_ptx,
    .ptx_name = "cfd.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::cfd
