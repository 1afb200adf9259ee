#include "kernels/host.hpp"
#include "lbm.ptx.hpp"

#include <array>

namespace warpkit::kernels::lbm {
namespace {

constexpr parameter parameters[] = {
    {"nx", "cells", "of the lattice in x: the threads of a CTA", 40, 120, 1, 1024},
    {"ny", "cells", "of the lattice in y", 20, 120, 1, 1024},
    {"nz", "cells", "of the lattice in z", 6, 150, 1, 1024},
    {"steps", "steps", "one launch each", 1, 1, 1, 1000},
    seed,
};

struct direction {
    int x, y, z;
    std::size_t opposite;
};
constexpr std::array<direction, 19> directions{{
    {0, 0, 0, 0},   {0, 1, 0, 2},   {0, -1, 0, 1},  {1, 0, 0, 4},    {-1, 0, 0, 3},
    {0, 0, 1, 6},   {0, 0, -1, 5},  {1, 1, 0, 10},  {-1, 1, 0, 9},   {1, -1, 0, 8},
    {-1, -1, 0, 7}, {0, 1, 1, 14},  {0, 1, -1, 13}, {0, -1, 1, 12},  {0, -1, -1, 11},
    {1, 0, 1, 18},  {1, 0, -1, 17}, {-1, 0, 1, 16}, {-1, 0, -1, 15},
}};
constexpr float omega = 1.95f;

struct lattice {
    std::size_t row, ny, nz; // a row with its padding

    std::size_t plane() const { return row * ny; }
    std::size_t cells() const { return plane() * nz; }
    std::size_t pitch() const { return cells() + 4 * plane(); } // two planes of margin at either end
    // Where direction `q` of the cell lies.
    std::size_t at(std::size_t q, std::size_t cell) const { return q * pitch() + 2 * plane() + cell; }
    // The same of what streams from the cell.
    std::size_t streamed(std::size_t q, std::size_t cell) const {
        auto const& to = directions[q];
        auto const step =
            to.x + to.y * static_cast<std::ptrdiff_t>(row) + to.z * static_cast<std::ptrdiff_t>(plane());
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(at(q, cell)) + step);
    }
};

// One step: `out` of every cell, in the kernel's order of operations.
void step(lattice const& l, std::size_t nx, std::vector<float> const& in,
          std::vector<std::uint8_t> const& obstacle, std::vector<float>& out) {
    // The signs with which directions enter each velocity, in the kernel's order.
    constexpr std::array<std::size_t, 10> along_x{3, 4, 7, 8, 9, 10, 15, 16, 17, 18};
    constexpr std::array<std::size_t, 10> along_y{1, 2, 7, 8, 9, 10, 11, 12, 13, 14};
    constexpr std::array<std::size_t, 10> along_z{5, 6, 11, 12, 13, 14, 15, 16, 17, 18};
    for (std::size_t cell = 0; cell < l.cells(); ++cell) {
        if (cell % l.row >= nx) continue;
        std::array<float, 19> f;
        for (std::size_t q = 0; q < 19; ++q) f[q] = in[l.at(q, cell)];
        if (obstacle[cell] != 0) {
            for (std::size_t q = 0; q < 19; ++q) out[l.streamed(q, cell)] = f[directions[q].opposite];
            continue;
        }
        auto density = f[0];
        for (std::size_t q = 1; q < 19; ++q) density += f[q];
        auto const velocity = [&](std::array<std::size_t, 10> const& along, int direction::*axis) {
            auto sum = f[along[0]];
            for (std::size_t i = 1; i < along.size(); ++i)
                sum += directions[along[i]].*axis > 0 ? f[along[i]] : -f[along[i]];
            return sum / density;
        };
        auto const ux = velocity(along_x, &direction::x);
        auto const uy = velocity(along_y, &direction::y);
        auto const uz = velocity(along_z, &direction::z);
        auto const still = std::fma(-1.5f, std::fma(uz, uz, std::fma(uy, uy, ux * ux)), 1.0f);
        auto const keep = 1.0f - omega;
        for (std::size_t q = 0; q < 19; ++q) {
            auto const& to = directions[q];
            auto const axes = to.x * to.x + to.y * to.y + to.z * to.z;
            auto const weight = omega * density * (axes == 0 ? 1.0f / 3 : axes == 1 ? 1.0f / 18 : 1.0f / 36);
            auto const u = static_cast<float>(to.x) * ux + static_cast<float>(to.y) * uy +
                           static_cast<float>(to.z) * uz; // at most two terms: one rounding, as in the kernel
            auto const equilibrium = axes == 0 ? still : std::fma(u, std::fma(4.5f, u, 3.0f), still);
            out[l.streamed(q, cell)] = std::fma(keep, f[q], weight * equilibrium);
        }
    }
}

void run(device& d, values const& v) {
    auto const nx = v.u32("nx");
    auto const ny = v.u32("ny");
    auto const nz = v.u32("nz");
    lattice const l{ceil_div(nx, 32) * 32, ny, nz};
    random_numbers random(v["seed"]);
    std::vector<float> from(19 * l.pitch());
    for (auto& f : from) f = (1 + random.unit() / 8) / 19;
    // Walls around, and one cell in 16 inside.
    std::vector<std::uint8_t> obstacle(l.cells());
    for (std::size_t cell = 0; cell < l.cells(); ++cell) {
        auto const x = cell % l.row;
        auto const y = cell / l.row % ny;
        auto const z = cell / l.plane();
        obstacle[cell] =
            x == 0 || x + 1 == nx || y == 0 || y == ny - 1 || z == 0 || z == nz - 1 || random.below(16) == 0;
    }

    auto const obstacle_device = d.upload(obstacle);
    device_array<float> const lattices[] = {d.upload(from), d.upload(from)};
    auto to = from;
    for (std::uint64_t i = 0; i < v["steps"]; ++i) {
        d.launch("lbm", {ny, nz}, {nx}, 0, lattices[i % 2], lattices[(i + 1) % 2], obstacle_device,
                 static_cast<std::uint32_t>(l.row), static_cast<std::uint32_t>(l.plane()), nz, omega);
        step(l, nx, from, obstacle, to);
        from.swap(to);
    }
    check_equal(v, "to", d.download(lattices[v["steps"] % 2]), from);
}

constexpr paper_row rows[] = {{paper::elf, "LBM", "performStrideCollide", "lbm"}};

constexpr workload shipped[] = {
    {
        .name = "lbm",
        .title = "a step of a lattice-Boltzmann flow, 19 directions per cell",
        .origin = "lbm (Parboil)",
        .rows = rows,
        .input = "distributions near equilibrium; walls around and obstacles in one cell of 16 inside",
        .differs = "One step at full size; Parboil makes 100 or 3000, all alike. Parboil reads its "
                   "obstacles from a file and has cells that accelerate the flow; ours has none, and "
                   "one flag per cell in an array of bytes, not in a 20th distribution. Rows are padded "
                   "to 128 bytes, as there.",
        .ptx = lbm_ptx,
        .ptx_name = "lbm.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::lbm
