#include "gabor.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::gabor {
namespace {

constexpr parameter parameters[] = {
    {"width", "pixels", "of the image", 32, 480, 1, 4096},
    {"height", "pixels", "of the image", 32, 384, 1, 4096},
    {"orientations", "filters", "of different orientation, one launch each", 1, 2, 1, 64},
    seed,
};

constexpr int radius = 7;
constexpr int across = 2 * radius + 1;

struct tap {
    float even, odd;
};

std::vector<tap> make_filter(double angle) {
    constexpr double wavelength = 6;
    constexpr double sigma = 3;
    std::vector<tap> taps;
    for (int y = -radius; y <= radius; ++y)
        for (int x = -radius; x <= radius; ++x) {
            auto const along = x * std::cos(angle) + y * std::sin(angle);
            auto const bell = std::exp(-(x * x + y * y) / (2 * sigma * sigma));
            auto const phase = 2 * 3.141592653589793 * along / wavelength;
            taps.push_back(
                {static_cast<float>(bell * std::cos(phase)), static_cast<float>(bell * std::sin(phase))});
        }
    return taps;
}

void run(device& d, values const& v) {
    auto const width = v.u32("width");
    auto const height = v.u32("height");
    auto const orientations = v.u32("orientations");
    random_numbers random(v["seed"]);
    auto const image = random.units(std::size_t{width} * height);
    auto const w = static_cast<int>(width);
    auto const h = static_cast<int>(height);
    auto const image_device = d.upload(image);
    auto const response = d.allocate<float>(image.size());
    std::vector<float> expected(image.size());
    for (std::uint32_t o = 0; o < orientations; ++o) {
        auto const taps = make_filter(3.141592653589793 * o / orientations);
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                float even = 0;
                float odd = 0;
                for (int j = -radius; j <= radius; ++j)
                    for (int i = -radius; i <= radius; ++i) {
                        if (x + i < 0 || x + i >= w || y + j < 0 || y + j >= h) continue;
                        auto const pixel = image[static_cast<std::size_t>((y + j) * w + x + i)];
                        auto const& t = taps[static_cast<std::size_t>((j + radius) * across + i + radius)];
                        even = std::fma(t.even, pixel, even);
                        odd = std::fma(t.odd, pixel, odd);
                    }
                expected[static_cast<std::size_t>(y * w + x)] = std::sqrt(std::fma(even, even, odd * odd));
            }
        d.write_symbol("taps", taps);
        d.launch("gabor", {ceil_div(width, 16), ceil_div(height, 16)}, {16, 16}, 0, image_device, response,
                 width, height);
        check_equal(v, "response", d.download(response), expected);
    }
}

constexpr paper_row rows[] = {{paper::precomputation, "Gabor"}};

constexpr workload shipped[] = {
    {
        .name = "gabor",
        .title = "Gabor filter, 15 x 15 complex taps, a pixel per thread",
        .origin = "Gabor filters of the 2016 thesis",
        .rows = rows,
        .input = "a uniform random image, filters of evenly spaced orientations",
        .differs = "The thesis gives 68 launches of some 720 CTAs each and no source; an image of 480 x "
                   "384 in CTAs of 16 x 16 has 720. Two launches at full size.",
        .ptx = gabor_ptx,
        .ptx_name = "gabor.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gabor
