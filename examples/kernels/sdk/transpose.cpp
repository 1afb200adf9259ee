#include "kernels/host.hpp"
#include "transpose.ptx.hpp"

namespace warpkit::kernels::transpose {
namespace {

constexpr parameter parameters[] = {
    {"width", "elements", "columns of the input", 256, 1024, 1, 8192},
    {"height", "elements", "rows of the input", 256, 1024, 1, 8192},
    seed,
};

constexpr parameter tiled_parameters[] = {
    parameters[0],
    parameters[1],
    {"tile", "elements", "side of a tile", 32, 32, 16, 32, parameter::rule::multiple_of_16},
    {"order", "", "in which CTAs take tiles of 16: 0 along rows, 1 down columns, 2 along diagonals", 0, 0, 0,
     2},
    seed,
};

void transpose(device& d, values const& v) {
    auto const width = v.u32("width");
    auto const height = v.u32("height");
    random_numbers random(v["seed"]);
    auto const in = random.units(std::size_t{width} * height);
    std::vector<float> expected(in.size());
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];

    auto const in_device = d.upload(in);
    auto const out_device = d.allocate<float>(in.size());
    if (v.of().name == "transpose_naive" || v["tile"] == 32) {
        d.launch(v.of().name, {ceil_div(width, 32), ceil_div(height, 32)}, {32, 8}, 0, in_device, out_device,
                 width, height);
    } else {
        constexpr char const* kernel[] = {"transpose_rows", "transpose_columns", "transpose_diagonals"};
        dim3 const along_rows{ceil_div(width, 16), ceil_div(height, 16)};
        dim3 const down{along_rows.y, along_rows.x};
        d.launch(kernel[v["order"]], v["order"] == 0 ? along_rows : down, {16, 16}, 0, in_device, out_device,
                 width, height);
    }
    check_equal(v, "out", d.download(out_device), expected);
}

constexpr workload shipped[] = {
    {
        .name = "transpose_naive",
        .title = "matrix transpose straight from memory to memory",
        .origin = "transpose, its naive kernel (CUDA SDK)",
        .input = "random floats below 1",
        .differs = "The sample's sizes, 1024 x 1024, from memory. Tiles of 32 with CTAs of 32 x 8.",
        .ptx = transpose_ptx,
        .ptx_name = "transpose.ptx",
        .parameters = parameters,
        .run = transpose,
    },
    {
        .name = "transpose_tiled",
        .title = "matrix transpose through tiles in shared memory",
        .origin = "transpose, its tiled kernel (CUDA SDK)",
        .input = "random floats below 1",
        .differs =
            "As `transpose_naive`. With `tile=16` a thread per element, as in the sample, and `order` "
            "tells which CTA takes which tile: the sample has a kernel for rows and one for diagonals.",
        .ptx = transpose_ptx,
        .ptx_name = "transpose.ptx",
        .parameters = tiled_parameters,
        .run = transpose,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::transpose
