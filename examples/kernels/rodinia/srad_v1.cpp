#include "kernels/host.hpp"
#include "srad_v1.ptx.hpp"

#include <algorithm>

namespace warpkit::kernels::srad_v1 {
namespace {

constexpr std::uint32_t block = 512;
constexpr float lambda = 0.5f;
constexpr float tolerance = 1e-4f;

constexpr parameter parameters[] = {
    {"rows", "pixels", "height of the image", 100, 502, 1, 4096},
    {"columns", "pixels", "width of the image", 80, 458, 1, 4096},
    {"iterations", "steps", "of diffusion", 1, 20, 1, 1000},
    seed,
};

// The sum as srad_reduce finds it, launch by launch.
float tree_sum(std::vector<float> sums) {
    while (sums.size() > 1) {
        std::vector<float> next;
        for (std::size_t first = 0; first < sums.size(); first += block) {
            std::vector<float> part(block);
            std::copy(sums.begin() + static_cast<std::ptrdiff_t>(first),
                      sums.begin() + static_cast<std::ptrdiff_t>(std::min(first + block, sums.size())),
                      part.begin());
            for (std::size_t step = 2; step <= block; step *= 2)
                for (auto t = step - 1; t < block; t += step) part[t] = part[t] + part[t - step / 2];
            next.push_back(part.back());
        }
        sums = std::move(next);
    }
    return sums[0];
}

// One step, operation by operation as the kernels do it.
void step(std::vector<float>& image, std::size_t rows, std::size_t columns, float q0) {
    auto const cells = image.size();
    std::vector<float> n(cells), s(cells), w(cells), e(cells), c(cells);
    for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row) {
            auto const i = row + rows * column;
            auto const here = image[i];
            n[i] = image[row > 0 ? i - 1 : i] - here;
            s[i] = image[row + 1 < rows ? i + 1 : i] - here;
            w[i] = image[column > 0 ? i - rows : i] - here;
            e[i] = image[column + 1 < columns ? i + rows : i] - here;
            auto const g2 =
                std::fma(e[i], e[i], std::fma(w[i], w[i], std::fma(s[i], s[i], n[i] * n[i]))) / (here * here);
            auto const l = (n[i] + s[i] + w[i] + e[i]) / here;
            auto const num = std::fma(0.5f, g2, -(0.0625f * (l * l)));
            auto const den = std::fma(0.25f, l, 1.0f);
            auto const q = num / (den * den);
            c[i] = std::clamp(1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0))), 0.0f, 1.0f);
        }
    for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t row = 0; row < rows; ++row) {
            auto const i = row + rows * column;
            auto const south = c[row + 1 < rows ? i + 1 : i];
            auto const east = c[column + 1 < columns ? i + rows : i];
            auto const divergence =
                std::fma(east, e[i], std::fma(c[i], w[i], std::fma(south, s[i], c[i] * n[i])));
            image[i] = std::fma(0.25f * lambda, divergence, image[i]);
        }
}

// The tables of neighbours, and a stop at the edge: before[i] = i - 1, after[i] = i + 1.
std::vector<std::int32_t> before(std::uint32_t count) {
    std::vector<std::int32_t> table(count);
    for (std::uint32_t i = 1; i < count; ++i) table[i] = static_cast<std::int32_t>(i - 1);
    return table;
}
std::vector<std::int32_t> after(std::uint32_t count) {
    std::vector<std::int32_t> table(count);
    for (std::uint32_t i = 0; i < count; ++i)
        table[i] = static_cast<std::int32_t>(std::min(i + 1, count - 1));
    return table;
}

void run(device& d, values const& v) {
    auto const rows = v.u32("rows");
    auto const columns = v.u32("columns");
    auto const cells = rows * columns;
    random_numbers random(v["seed"]);
    auto const picture =
        random.vector(cells, [](random_numbers& r) { return static_cast<float>(r.below(256)); });

    auto const image = d.upload(picture);
    auto const sums = d.allocate<float>(cells);
    auto const squares = d.allocate<float>(cells);
    auto const coefficient = d.allocate<float>(cells);
    auto const dn = d.allocate<float>(cells);
    auto const ds = d.allocate<float>(cells);
    auto const dw = d.allocate<float>(cells);
    auto const de = d.allocate<float>(cells);
    auto const north = d.upload(before(rows));
    auto const south = d.upload(after(rows));
    auto const west = d.upload(before(columns));
    auto const east = d.upload(after(columns));
    dim3 const grid{ceil_div(cells, block)};

    d.launch("srad_extract", grid, {block}, 0, image, cells);
    auto expected = picture;
    for (auto& p : expected) p = std::exp(p / 255.0f);
    auto now = d.download(image);
    check_close(v, "exponentials", now, expected, tolerance);
    expected = now; // from here on to the last bit
    for (auto left = v.u32("iterations"); left > 0; --left) {
        d.launch("srad_prepare", grid, {block}, 0, image, sums, squares, cells);
        for (std::uint32_t count = cells, stride = 1; count > 1; stride *= block) {
            d.launch("srad_reduce", {ceil_div(count, block)}, {block}, 0, sums, squares, count, stride);
            count = ceil_div(count, block);
        }
        auto const n = static_cast<float>(cells);
        auto const sum = d.download(sums)[0];
        auto const square = d.download(squares)[0];
        auto const mean = sum / n;
        auto const q0 = (square / n - mean * mean) / (mean * mean);
        d.launch("srad_coefficient", grid, {block}, 0, north, south, west, east, dn, ds, dw, de, q0,
                 coefficient, image, rows, cells);
        d.launch("srad_update", grid, {block}, 0, south, east, dn, ds, dw, de, coefficient, image, lambda,
                 rows, cells);
        auto squared = expected;
        for (auto& p : squared) p *= p;
        check_equal(v, "sum", std::vector{sum, square}, {tree_sum(expected), tree_sum(squared)});
        step(expected, rows, columns, q0);
        check_equal(v, "image", d.download(image), expected);
    }
    d.launch("srad_compress", grid, {block}, 0, image, cells);
    for (auto& p : expected) p = std::log(p) * 255.0f;
    check_close(v, "logarithms", d.download(image), expected, tolerance);
}

constexpr paper_row rows[] = {{paper::owl, "SD1"}};

constexpr workload shipped[] = {{
    .name = "srad_v1",
    .title = "speckle-reducing diffusion of an image: six kernels, neighbours through tables",
    .origin = "srad, version 1 (Rodinia)",
    .rows = rows,
    .input = "pixels from 0 to 255",
    .differs = "20 steps at full size where Rodinia makes 100; each step is like the others.",
    .ptx = srad_v1_ptx,
    .ptx_name = "srad_v1.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::srad_v1
