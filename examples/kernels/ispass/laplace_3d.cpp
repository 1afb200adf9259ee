#include "kernels/host.hpp"
#include "laplace_3d.ptx.hpp"

#include <utility>

namespace warpkit::kernels::laplace_3d {
namespace {

constexpr parameter parameters[] = {
    {"nx", "points", "of the box along x", 70, 100, 1, 1024},
    {"ny", "points", "of the box along y", 14, 100, 1, 1024},
    {"nz", "points", "of the box along z", 8, 100, 1, 1024},
    {"iterations", "steps", "one launch each", 1, 1, 1, 1000},
    seed,
};

void run(device& d, values const& v) {
    auto const nx = v.u32("nx");
    auto const ny = v.u32("ny");
    auto const nz = v.u32("nz");
    auto const pitch = ceil_div(nx, 32) * 32;
    random_numbers random(v["seed"]);
    auto field = random.units(std::size_t{pitch} * ny * nz);

    auto from = d.upload(field);
    auto to = d.upload(field); // what is between nx and pitch stays
    std::size_t const row = pitch, plane = std::size_t{pitch} * ny;
    for (auto left = v["iterations"]; left > 0; --left) {
        d.launch("laplace_3d", {ceil_div(nx, 32), ceil_div(ny, 4)}, {32, 4}, 0, from, to, nx, ny, nz, pitch);
        std::swap(from, to);
        auto const u = field;
        for (std::size_t z = 1; z + 1 < nz; ++z)
            for (std::size_t y = 1; y + 1 < ny; ++y)
                for (std::size_t x = 1; x + 1 < nx; ++x) {
                    auto const i = z * plane + y * row + x;
                    field[i] = (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] + u[i - plane] + u[i + plane]) *
                               (1.0f / 6);
                }
    }
    check_equal(v, "field", d.download(from), field);
}

constexpr paper_row rows[] = {{paper::owl, "LPS"}, {paper::elf, "LPS", "GPU_laplace3d", "laplace_3d"}};

constexpr workload shipped[] = {{
    .name = "laplace_3d",
    .title = "a step of Laplace's equation on a box, a plane at a time through shared memory",
    .origin = "LPS (GPGPU-Sim's set, ISPASS 2009; by Giles)",
    .rows = rows,
    .input = "a box of uniform random numbers",
    .differs = "The full size is GPGPU-Sim's, 100 x 100 x 100 points in 100 CTAs, but one step. Rows are "
               "padded to 128 "
               "bytes.",
    .ptx = laplace_3d_ptx,
    .ptx_name = "laplace_3d.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::laplace_3d
