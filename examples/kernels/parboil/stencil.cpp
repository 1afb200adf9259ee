#include "kernels/host.hpp"
#include "stencil.ptx.hpp"

#include <utility>

namespace warpkit::kernels::stencil {
namespace {

constexpr parameter parameters[] = {
    {"nx", "points", "of the box in x", 96, 512, 3, 1024},
    {"ny", "points", "of the box in y", 36, 512, 3, 1024},
    {"nz", "points", "of the box in z", 12, 64, 3, 256},
    {"iterations", "sweeps", "one launch each", 2, 1, 1, 1000},
    seed,
};

void run(device& d, values const& v) {
    auto const nx = v.u32("nx");
    auto const ny = v.u32("ny");
    auto const nz = v.u32("nz");
    random_numbers random(v["seed"]);
    auto const area = std::size_t{nx} * ny;
    auto const start = random.units(area * nz);
    constexpr float centre = 1.0f / 6;
    constexpr float side = 1.0f / 6 / 6;

    auto now = start; // the boundary stays
    auto next = start;
    auto now_device = d.upload(start);
    auto next_device = d.upload(start);
    dim3 const grid{ceil_div(nx, 64), ceil_div(ny, 4)};
    for (auto left = v["iterations"]; left > 0; --left) {
        for (std::size_t z = 1; z + 1 < nz; ++z)
            for (std::size_t y = 1; y + 1 < ny; ++y)
                for (std::size_t x = 1; x + 1 < nx; ++x) {
                    auto const at = z * area + y * nx + x;
                    auto const sum = now[at + area] + now[at - area] + now[at + nx] + now[at - nx] +
                                     now[at - 1] + now[at + 1];
                    next[at] = std::fma(sum, side, -(now[at] * centre));
                }
        d.launch("stencil", grid, {32, 4}, 0, now_device, next_device, centre, side, nx, ny, nz);
        std::swap(now, next);
        std::swap(now_device, next_device);
    }
    check_equal(v, "out", d.download(now_device), now);
}

constexpr paper_row rows[] = {{paper::elf, "ST", "hybrid_coarsen_x", "stencil"}};

constexpr workload shipped[] = {
    {
        .name = "stencil",
        .title = "seven-point stencil over a box, a plane at a time",
        .origin = "stencil (Parboil), its hybrid kernel with two points per thread",
        .rows = rows,
        .input = "a box of uniform random numbers",
        .differs = "One sweep at full size; Parboil makes 100, all alike. The launch shape is the "
                   "original's.",
        .ptx = stencil_ptx,
        .ptx_name = "stencil.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::stencil
