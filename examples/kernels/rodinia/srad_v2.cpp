#include "kernels/host.hpp"
#include "srad_v2.ptx.hpp"

#include <algorithm>

namespace warpkit::kernels::srad_v2 {
namespace {

constexpr std::uint32_t side = 16;
constexpr float lambda = 0.5f;

constexpr parameter parameters[] = {
    {"columns", "pixels", "width of the image", 96, 2048, 16, 4096, parameter::rule::multiple_of_16},
    {"rows", "pixels", "height of the image", 96, 2048, 16, 4096, parameter::rule::multiple_of_16},
    {"iterations", "steps", "of diffusion", 1, 2, 1, 1000},
    seed,
};

// The speckle scale: variance over squared mean of the image's upper left part.
float speckle(std::vector<float> const& image, std::size_t columns, std::size_t rows) {
    float sum = 0;
    float sum2 = 0;
    auto const height = std::min<std::size_t>(rows, 128);
    auto const width = std::min<std::size_t>(columns, 128);
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) {
            auto const p = image[y * columns + x];
            sum += p;
            sum2 += p * p;
        }
    auto const n = static_cast<float>(width * height);
    auto const mean = sum / n;
    return (sum2 / n - mean * mean) / (mean * mean);
}

// One step, operation by operation as the kernels do it.
void step(std::vector<float>& image, std::size_t columns, std::size_t rows, float q0) {
    auto const cells = image.size();
    std::vector<float> n(cells), s(cells), w(cells), e(cells), c(cells);
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x) {
            auto const at = y * columns + x;
            auto const here = image[at];
            n[at] = image[y > 0 ? at - columns : at] - here;
            s[at] = image[y + 1 < rows ? at + columns : at] - here;
            w[at] = image[x > 0 ? at - 1 : at] - here;
            e[at] = image[x + 1 < columns ? at + 1 : at] - here;
            auto const g2 =
                std::fma(e[at], e[at], std::fma(w[at], w[at], std::fma(s[at], s[at], n[at] * n[at]))) /
                (here * here);
            auto const l = (n[at] + s[at] + w[at] + e[at]) / here;
            auto const num = std::fma(0.5f, g2, -(0.0625f * (l * l)));
            auto const den = std::fma(0.25f, l, 1.0f);
            auto const q = num / (den * den);
            c[at] = std::clamp(1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0))), 0.0f, 1.0f);
        }
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x) {
            auto const at = y * columns + x;
            auto const south = c[y + 1 < rows ? at + columns : at];
            auto const east = c[x + 1 < columns ? at + 1 : at];
            auto const divergence =
                std::fma(east, e[at], std::fma(c[at], w[at], std::fma(south, s[at], c[at] * n[at])));
            image[at] = std::fma(0.25f * lambda, divergence, image[at]);
        }
}

void run(device& d, values const& v) {
    auto const columns = v.u32("columns");
    auto const rows = v.u32("rows");
    auto const cells = std::size_t{columns} * rows;
    random_numbers random(v["seed"]);
    auto expected = random.vector(cells, [](random_numbers& r) { return 1 + 1.5f * r.unit(); });

    auto const image = d.upload(expected);
    auto const coefficient = d.allocate<float>(cells);
    auto const east = d.allocate<float>(cells);
    auto const west = d.allocate<float>(cells);
    auto const north = d.allocate<float>(cells);
    auto const south = d.allocate<float>(cells);
    dim3 const grid{columns / side, rows / side};
    for (std::uint32_t left = v.u32("iterations"); left > 0; --left) {
        auto const q0 = speckle(d.download(image), columns, rows);
        d.launch("srad_coefficient", grid, {side, side}, 0, east, west, north, south, image, coefficient,
                 columns, q0);
        d.launch("srad_update", grid, {side, side}, 0, east, west, north, south, image, coefficient, columns,
                 lambda);
        step(expected, columns, rows, q0);
        check_equal(v, "image", d.download(image), expected);
    }
}

constexpr paper_row rows[] = {{paper::owl, "SD2"},
                              {paper::elf, "SRAD", "srad_cuda_1", "srad_coefficient"},
                              {paper::elf, "SRAD", "srad_cuda_2", "srad_update"},
                              {paper::degree, "Srad_v2"},
                              {paper::precomputation, "SRAD"}};

constexpr workload shipped[] = {{
    .name = "srad_v2",
    .title = "speckle-reducing diffusion of an image: two stencils through shared memory per step",
    .origin = "srad, version 2 (Rodinia)",
    .rows = rows,
    .input = "pixels from 1 to 2.5",
    .differs = "The image is what Rodinia gets from exponentials of random numbers. Neighbours are chosen "
               "between tile and border where the original has a branch for each of nine cases.",
    .ptx = srad_v2_ptx,
    .ptx_name = "srad_v2.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::srad_v2
