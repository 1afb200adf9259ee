#include "kernels/host.hpp"
#include "transpose_variants.ptx.hpp"

namespace warpkit::kernels::transpose_variants {
namespace {

constexpr parameter parameters[] = {
    {"width", "elements", "columns of the input", 64, 1024, 1, 8192},
    {"height", "elements", "rows of the input", 64, 1024, 1, 8192},
    {"repeats", "launches", "of each of the eight kernels", 1, 3, 1, 1000},
    seed,
};

constexpr std::size_t tile = 16;

void run(device& d, values const& v) {
    auto const width = v.u32("width");
    auto const height = v.u32("height");
    random_numbers random(v["seed"]);
    auto const in = random.units(std::size_t{width} * height);
    std::vector<float> transposed(in.size()), fine(in.size()), coarse(in.size());
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) {
            auto const left = x / tile * tile;
            auto const top = y / tile * tile;
            bool const whole = left + tile <= width && top + tile <= height;
            auto const value = in[y * width + x];
            transposed[x * height + y] = value;
            fine[whole ? (top + x - left) * width + left + y - top : y * width + x] = value;
            coarse[whole ? (left + y - top) * height + top + x - left : x * height + y] = value;
        }

    struct variant {
        char const* kernel;
        std::vector<float> const& expected;
    };
    variant const variants[] = {
        {"transpose_copy", in},
        {"transpose_copy_shared", in},
        {"transpose_direct", transposed},
        {"transpose_coalesced", transposed},
        {"transpose_no_conflicts", transposed},
        {"transpose_diagonal", transposed},
        {"transpose_fine_grained", fine},
        {"transpose_coarse_grained", coarse},
    };
    auto const in_device = d.upload(in);
    auto const out = d.allocate<float>(in.size());
    dim3 const grid{ceil_div(width, tile), ceil_div(height, tile)};
    for (auto const& [kernel, expected] : variants) {
        d.write(out, std::vector<float>(in.size(), -1.0f)); // what the kernel before left is no answer
        for (auto left = v["repeats"]; left > 0; --left)
            d.launch(kernel, grid, {tile, tile}, 0, in_device, out, width, height);
        check_equal(v, std::string("out of ") + kernel, d.download(out), expected);
    }
}

constexpr paper_row rows[] = {{paper::precomputation, "TRAN"}};

constexpr workload shipped[] = {{
    .name = "transpose_variants",
    .title = "matrix copied, half transposed and transposed in eight ways",
    .origin = "transpose, all its kernels (CUDA SDK)",
    .rows = rows,
    .input = "random floats below 1",
    .differs =
        "Each kernel is launched three times at full size, which makes the 24 launches of 4,096 CTAs of the "
        "thesis on address pre-computation.",
    .ptx = transpose_variants_ptx,
    .ptx_name = "transpose_variants.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::transpose_variants
