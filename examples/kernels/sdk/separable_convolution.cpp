#include "kernels/host.hpp"
#include "separable_convolution.ptx.hpp"

namespace warpkit::kernels::separable_convolution {
namespace {

constexpr parameter parameters[] = {
    {"columns", "tiles", "of 128 pixels across the image", 1, 8, 1, 64},
    {"rows", "tiles", "of 64 pixels down the image", 1, 16, 1, 128},
    {"iterations", "iterations", "of both launches, on the same image", 1, 2, 1, 1000},
    seed,
};

constexpr int radius = 8;

// Rows, or with `down` columns.
std::vector<float> convolve(std::vector<float> const& in, int width, int height,
                            std::vector<float> const& taps, bool down) {
    auto const inside = [&](int x, int y) { return x >= 0 && x < width && y >= 0 && y < height; };
    std::vector<float> out;
    out.reserve(in.size());
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            float sum = 0;
            for (int j = -radius; j <= radius; ++j) {
                auto const from_x = down ? x : x + j;
                auto const from_y = down ? y + j : y;
                auto const pixel =
                    inside(from_x, from_y) ? in[static_cast<std::size_t>(from_y * width + from_x)] : 0.0f;
                sum = std::fma(taps[static_cast<std::size_t>(radius - j)], pixel, sum);
            }
            out.push_back(sum);
        }
    return out;
}

void run(device& d, values const& v) {
    auto const width = v.u32("columns") * 128;
    auto const height = v.u32("rows") * 64;
    random_numbers random(v["seed"]);
    auto const taps = random.units(2 * radius + 1);
    auto const image = random.units(std::size_t{width} * height);
    auto const w = static_cast<int>(width);
    auto const h = static_cast<int>(height);
    auto const expected = convolve(convolve(image, w, h, taps, false), w, h, taps, true);

    auto const in = d.upload(image);
    auto const between = d.allocate<float>(image.size());
    auto const out = d.allocate<float>(image.size());
    d.write_symbol("taps", taps);
    for (auto left = v["iterations"]; left > 0; --left) {
        d.launch("convolve_rows", {width / 128, height / 4}, {16, 4}, 0, in, between, width);
        d.launch("convolve_columns", {width / 16, height / 64}, {16, 8}, 0, between, out, width, height);
    }
    check_equal(v, "out", d.download(out), expected);
}

constexpr paper_row rows[] = {{paper::owl, "CON"}, {paper::precomputation, "CONV"}};

constexpr workload shipped[] = {
    {
        .name = "separable_convolution",
        .title = "image filter with 17 taps, along rows, then along columns",
        .origin = "convolutionSeparable (CUDA SDK)",
        .rows = rows,
        .input = "a uniform random image and random taps",
        .differs = "The full size is the image of 1024 x 1024 that the 1536 CTAs per launch of the 2016 "
                   "thesis come from; twice the two launches, not 17.",
        .ptx = separable_convolution_ptx,
        .ptx_name = "separable_convolution.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::separable_convolution
