#include "kernels/host.hpp"
#include "sift.ptx.hpp"

#include <utility>

namespace warpkit::kernels::sift {
namespace {

constexpr parameter parameters[] = {
    {"width", "pixels", "of the image", 36, 640, 3, 4096},
    {"height", "pixels", "of the image", 36, 480, 3, 4096},
    {"scales", "scales", "at which features are looked for", 1, 3, 1, 8},
    {"down", "", "1: the column pass numbers its CTAs down the columns, 0: along the rows", 0, 0, 0, 1},
    seed,
};

constexpr int radius = 6;
constexpr float threshold = 0.01f;

using picture = std::vector<float>;

struct shape {
    int width, height;

    std::size_t at(int x, int y) const {
        return static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1));
    }
};

picture blur(shape s, picture const& in, std::vector<float> const& taps) {
    auto const along = [&](picture const& from, int dx, int dy) {
        picture to(from.size());
        for (int y = 0; y < s.height; ++y)
            for (int x = 0; x < s.width; ++x) {
                float sum = 0;
                for (int i = -radius; i <= radius; ++i)
                    sum = std::fma(taps[static_cast<std::size_t>(i + radius)],
                                   from[s.at(x + i * dx, y + i * dy)], sum);
                to[s.at(x, y)] = sum;
            }
        return to;
    };
    return along(along(in, 1, 0), 0, 1);
}

// 1 where the middle one of three differences has a maximum, 2 where it has a minimum.
std::vector<std::uint8_t> extrema(shape s, picture const* differences) {
    auto const& here = differences[1];
    std::vector<std::uint8_t> marks(here.size());
    for (int y = 1; y < s.height - 1; ++y)
        for (int x = 1; x < s.width - 1; ++x) {
            auto const value = here[s.at(x, y)];
            if (std::abs(value) < threshold) continue;
            int above = 0;
            int below = 0;
            for (int scale = 0; scale < 3; ++scale)
                for (int j = -1; j <= 1; ++j)
                    for (int i = -1; i <= 1; ++i) {
                        auto const other = differences[scale][s.at(x + i, y + j)];
                        above += other > value ? 1 : 0;
                        below += other < value ? 1 : 0;
                    }
            if (below == 26) marks[s.at(x, y)] = 1;
            if (above == 26) marks[s.at(x, y)] = 2;
        }
    return marks;
}

void run(device& d, values const& v) {
    auto const width = v.u32("width");
    auto const height = v.u32("height");
    auto const scales = v.u32("scales");
    shape const s{static_cast<int>(width), static_cast<int>(height)};
    auto const count = width * height;
    random_numbers random(v["seed"]);
    auto const image = random.units(count);
    dim3 const tiles{ceil_div(width, 32), ceil_div(height, 8)};
    dim3 const columns{width, ceil_div(height, 64)};

    // scales + 3 blurred pictures, each from the one before, and scales + 2 differences.
    std::vector<picture> differences;
    std::vector<device_array<float>> differences_device;
    auto now = image;
    auto now_device = d.upload(image);
    auto const between = d.allocate<float>(count);
    double sigma = 1;
    for (std::uint32_t i = 0; i < scales + 3; ++i, sigma *= std::exp2(1.0 / scales)) {
        std::vector<float> taps;
        double sum = 0;
        for (int k = -radius; k <= radius; ++k) sum += std::exp(-k * k / (2 * sigma * sigma));
        for (int k = -radius; k <= radius; ++k)
            taps.push_back(static_cast<float>(std::exp(-k * k / (2 * sigma * sigma)) / sum));

        auto const blurred_device = d.allocate<float>(count);
        d.write_symbol("taps", taps);
        d.launch("sift_rows", tiles, {32, 8}, 0, now_device, between, width, height);
        if (v["down"] == 0)
            d.launch("sift_columns", columns, {64}, 0, between, blurred_device, width, height);
        else
            d.launch("sift_columns_down", {columns.y, columns.x}, {64}, 0, between, blurred_device, width,
                     height);
        auto blurred = blur(s, now, taps);
        if (i > 0) {
            auto const difference = d.allocate<float>(count);
            d.launch("sift_difference", {ceil_div(count, 256)}, {256}, 0, blurred_device, now_device,
                     difference, count);
            differences_device.push_back(difference);
            differences.emplace_back(count);
            for (std::size_t p = 0; p < count; ++p) differences.back()[p] = blurred[p] - now[p];
        }
        now = std::move(blurred);
        now_device = blurred_device;
    }
    check_equal(v, "difference", d.download(differences_device.back()), differences.back());

    auto const found = d.allocate<std::uint32_t>(1);
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < scales; ++i) {
        auto const marks = d.allocate<std::uint8_t>(count);
        d.launch("sift_extrema", tiles, {32, 8}, 0, differences_device[i], differences_device[i + 1],
                 differences_device[i + 2], marks, found, threshold, width, height);
        auto const marked = extrema(s, &differences[i]);
        for (auto const m : marked) expected += m != 0 ? 1 : 0;
        check_equal(v, "marks", d.download(marks), marked);
    }
    check_equal(v, "found", d.download(found), {expected});
}

constexpr paper_row rows[] = {{paper::precomputation, "SIFT"}};

constexpr workload shipped[] = {
    {
        .name = "sift",
        .title = "feature detector: blurred scales, their differences, and the extrema among them",
        .origin = "SIFT of the 2016 thesis, its detector",
        .rows = rows,
        .input = "a uniform random image",
        .differs = "The thesis gives two launches of 131,582 CTAs and no source. Ours is the detector "
                   "only, one octave, with a launch per step; the pass down columns has CTAs that are "
                   "columns, as the thesis counts SIFT among the kernels with column-major accesses; how it "
                   "numbers them is not known: `down`.",
        .ptx = sift_ptx,
        .ptx_name = "sift.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::sift
