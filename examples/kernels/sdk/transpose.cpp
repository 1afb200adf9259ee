#include "kernels/host.hpp"
#include "transpose.ptx.hpp"

namespace warpkit::kernels::transpose {
namespace {

constexpr parameter parameters[] = {
    {"width", "elements", "columns of the input", 256, 1024, 1, 8192},
    {"height", "elements", "rows of the input", 256, 1024, 1, 8192},
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
    d.launch(v.of().name, {ceil_div(width, 32), ceil_div(height, 32)}, {32, 8}, 0, in_device, out_device,
             width, height);
    check_equal(v, "out", d.download(out_device), expected);
}

constexpr paper_row rows[] = {{paper::precomputation, "TRAN"}};

constexpr workload shipped[] = {
    {
        .name = "transpose_naive",
        .title = "matrix transpose straight from memory to memory",
        .origin = "transpose, its naive kernel (CUDA SDK)",
        .rows = rows,
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
        .rows = rows,
        .input = "random floats below 1",
        .differs = "As `transpose_naive`.",
        .ptx = transpose_ptx,
        .ptx_name = "transpose.ptx",
        .parameters = parameters,
        .run = transpose,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::transpose
