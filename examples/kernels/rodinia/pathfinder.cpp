#include "kernels/host.hpp"
#include "pathfinder.ptx.hpp"

#include <algorithm>
#include <utility>

namespace warpkit::kernels::pathfinder {
namespace {

constexpr parameter parameters[] = {
    {"columns", "cells", "width of the wall", 8192, 100000, 1, 1u << 18},
    {"rows", "cells", "height of the wall", 21, 100, 2, 1024},
    {"pyramid", "rows", "per launch", 10, 20, 1, 127},
    seed,
};

void run(device& d, values const& v) {
    auto const columns = v.u32("columns");
    auto const rows = v.u32("rows");
    random_numbers random(v["seed"]);
    auto const wall = random.vector(std::size_t{columns} * rows,
                                    [](random_numbers& r) { return static_cast<std::int32_t>(r.below(10)); });
    std::vector<std::int32_t> expected(wall.begin(), wall.begin() + columns);

    auto const wall_device = d.upload(wall);
    auto from = d.upload(expected);
    auto to = d.allocate<std::int32_t>(columns);
    for (std::uint32_t row = 1; row < rows;) {
        auto const steps = std::min(rows - row, v.u32("pyramid"));
        d.launch("pathfinder", {ceil_div(columns, 256 - 2 * steps)}, {256}, 0, wall_device, from, to, columns,
                 row, steps);
        std::swap(from, to);
        row += steps;
    }
    for (std::size_t row = 1; row < rows; ++row) {
        auto const above = expected;
        for (std::size_t x = 0; x < columns; ++x) {
            auto const first = above.begin() + static_cast<std::ptrdiff_t>(x > 0 ? x - 1 : 0);
            auto const last =
                above.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(columns, x + 2));
            expected[x] = wall[row * columns + x] + *std::min_element(first, last);
        }
    }
    check_equal(v, "cost", d.download(from), expected);
}

constexpr paper_row rows[] = {{paper::degree, "Pathfinder"}};

constexpr workload shipped[] = {
    {
        .name = "pathfinder",
        .title = "cheapest way down a wall: dynamic programming in shared memory with ghost zones",
        .origin = "pathfinder (Rodinia)",
        .rows = rows,
        .input = "random weights below 10",
        .differs = "As `hotspot` in its ghost zone.",
        .ptx = pathfinder_ptx,
        .ptx_name = "pathfinder.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::pathfinder
