#include "hotspot.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>
#include <utility>

namespace warpkit::kernels::hotspot {
namespace {

constexpr parameter parameters[] = {
    {"columns", "cells", "width of the chip", 112, 512, 1, 4096},
    {"rows", "cells", "height of the chip", 112, 512, 1, 4096},
    {"iterations", "steps", "of time", 4, 2, 1, 10000},
    {"pyramid", "steps", "of time per launch", 2, 2, 1, 7},
    seed,
};

// Everything that a cell's temperature depends on besides its neighbours'.
constexpr float rate = 0.25f;
constexpr float across_x = 0.5f;
constexpr float across_y = 0.375f;
constexpr float across_z = 0.0625f;
constexpr float ambient = 80.0f;

// One step of time, operation by operation as the kernel does it.
std::vector<float> step(std::vector<float> const& from, std::vector<float> const& power, std::size_t columns,
                        std::size_t rows) {
    std::vector<float> to(from.size());
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x) {
            auto const at = y * columns + x;
            auto const t = from[at];
            auto const west = from[x > 0 ? at - 1 : at];
            auto const east = from[x + 1 < columns ? at + 1 : at];
            auto const north = from[y > 0 ? at - columns : at];
            auto const south = from[y + 1 < rows ? at + columns : at];
            auto flow = std::fma(std::fma(-2.0f, t, south + north), across_y, power[at]);
            flow = std::fma(std::fma(-2.0f, t, east + west), across_x, flow);
            flow = std::fma(ambient - t, across_z, flow);
            to[at] = std::fma(rate, flow, t);
        }
    return to;
}

void run(device& d, values const& v) {
    auto const columns = v.u32("columns");
    auto const rows = v.u32("rows");
    auto const cells = std::size_t{columns} * rows;
    random_numbers random(v["seed"]);
    auto const power = random.units(cells);
    auto expected = random.vector(cells, [](random_numbers& r) { return 320 + 16 * r.unit(); });

    auto const power_device = d.upload(power);
    auto from = d.upload(expected);
    auto to = d.allocate<float>(cells);
    for (auto left = v.u32("iterations"); left > 0;) {
        auto const steps = std::min(left, v.u32("pyramid"));
        auto const inner = 16 - 2 * steps;
        d.launch("hotspot", {ceil_div(columns, inner), ceil_div(rows, inner)}, {16, 16}, 0, power_device,
                 from, to, columns, rows, steps, rate, across_x, across_y, across_z, ambient);
        std::swap(from, to);
        left -= steps;
        for (std::uint32_t i = 0; i < steps; ++i) expected = step(expected, power, columns, rows);
    }
    check_equal(v, "temperature", d.download(from), expected);
}

constexpr paper_row rows[] = {{paper::owl, "HS"},
                              {paper::elf, "HS", "calculate_temp", "hotspot"},
                              {paper::degree, "Hotspot"},
                              {paper::precomputation, "HS"}};

constexpr workload shipped[] = {
    {
        .name = "hotspot",
        .title = "heat on a chip: five-point stencil in shared memory with ghost zones",
        .origin = "hotspot (Rodinia)",
        .rows = rows,
        .input = "random power below 1, temperatures from 320 to 336",
        .differs = "Constants of our own, within the stable range, in place of the chip's data; the ghost "
                   "zone is as wide as the launch's steps, also in a last launch of fewer. The thesis on "
                   "address pre-computation ran 1024 x 1024 (7396 CTAs).",
        .ptx = hotspot_ptx,
        .ptx_name = "hotspot.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::hotspot
