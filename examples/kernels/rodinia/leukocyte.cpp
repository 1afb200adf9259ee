#include "kernels/host.hpp"
#include "leukocyte.ptx.hpp"

#include <algorithm>
#include <cmath>

namespace warpkit::kernels::leukocyte {
namespace {

constexpr std::size_t circles = 7;
constexpr std::size_t samples = 150;
constexpr std::uint32_t margin = 22;
constexpr std::size_t cell_rows = 41;
constexpr std::size_t cell_columns = 81;
constexpr std::uint32_t flow_block = 320;
constexpr float vx = 1;
constexpr float vy = 0.5f;
constexpr float cutoff = 0.001f;

constexpr parameter parameters[] = {
    {"rows", "pixels", "height of the image", 60, 220, 45, 1024},
    {"columns", "pixels", "width of the image", 47, 180, 45, 4096},
    {"reach", "pixels", "of the dilation, to either side", 2, 12, 0, 12},
    {"cells", "cells", "to track, a CTA each", 2, 36, 1, 1024},
    {"steps", "steps", "of relaxation at most", 1, 20, 1, 500},
    seed,
};

float heaviside(float x) { return x > 0.0001f ? 1.0f : x > -0.0001f ? 0.5f : 0.0f; }

// The flow about one cell after at most that many steps, in the kernel's order of operations.
std::vector<float> relaxed(std::vector<float> const& image, std::uint32_t steps) {
    auto flow = image;
    for (std::uint32_t step = 0; step < steps; ++step) {
        auto next = flow;
        std::vector<float> change(512);
        for (std::size_t i = 0; i < flow.size(); ++i) {
            auto const row = i / cell_columns;
            auto const column = i % cell_columns;
            auto const up = row == 0 ? 0 : row - 1;
            auto const down = std::min(row + 1, cell_rows - 1);
            auto const left = column == 0 ? 0 : column - 1;
            auto const right = std::min(column + 1, cell_columns - 1);
            auto const old = flow[i];
            auto const pull = [&](std::size_t y, std::size_t x) { return flow[y * cell_columns + x] - old; };
            auto const ul = pull(up, left), u = pull(up, column), ur = pull(up, right), l = pull(row, left),
                       r = pull(row, right), dl = pull(down, left), d = pull(down, column),
                       dr = pull(down, right);
            auto pulled = heaviside(ul * (vy - vx)) * ul;
            pulled = std::fma(heaviside(u * vy), u, pulled);
            pulled = std::fma(heaviside(ur * (vx + vy)), ur, pulled);
            pulled = std::fma(heaviside(-(l * vx)), l, pulled);
            pulled = std::fma(heaviside(r * vx), r, pulled);
            pulled = std::fma(heaviside(-(dl * (vx + vy))), dl, pulled);
            pulled = std::fma(heaviside(-(d * vy)), d, pulled);
            pulled = std::fma(heaviside(dr * (vx - vy)), dr, pulled);
            auto const middle = std::fma(0.1f, pulled, old);
            next[i] = std::fma(-0.2f * image[i], middle - image[i], middle);
            change[i % flow_block] += std::abs(next[i] - old);
        }
        for (std::size_t half = 256; half > 0; half /= 2)
            for (std::size_t t = 0; t < half; ++t) change[t] += change[t + half];
        flow = std::move(next);
        if (change[0] / static_cast<float>(flow.size()) < cutoff) break;
    }
    return flow;
}

void run(device& d, values const& v) {
    auto const rows = v.u32("rows");
    auto const columns = v.u32("columns");
    auto const reach = static_cast<std::int32_t>(v["reach"]);
    auto const cells = v.u32("cells");
    auto const pixels = std::size_t{rows} * columns;
    random_numbers random(v["seed"]);
    // Points on circles with radii from 8 to 20; by turning, so that they are the same everywhere.
    std::vector<float> sine, cosine;
    std::vector<std::int32_t> offset_x(circles * samples), offset_y(circles * samples);
    double c = 1;
    double s = 0;
    for (std::size_t n = 0; n < samples; ++n) {
        sine.push_back(static_cast<float>(s));
        cosine.push_back(static_cast<float>(c));
        for (std::size_t k = 0; k < circles; ++k) {
            auto const radius = static_cast<double>(8 + 2 * k);
            offset_x[k * samples + n] = static_cast<std::int32_t>(radius * c);
            offset_y[k * samples + n] = static_cast<std::int32_t>(radius * s);
        }
        auto const turned = c * 0.99912283009885838 - s * 0.041875653729199617;
        s = s * 0.99912283009885838 + c * 0.041875653729199617;
        c = turned;
    }
    auto const side = static_cast<std::size_t>(2 * reach + 1);
    std::vector<float> strel(side * side); // a disc
    for (auto y = -reach; y <= reach; ++y)
        for (auto x = -reach; x <= reach; ++x)
            strel[static_cast<std::size_t>((y + reach)) * side + static_cast<std::size_t>(x + reach)] =
                x * x + y * y <= reach * reach ? 1 : 0;
    auto const signed_unit = [](random_numbers& r) { return 2 * r.unit() - 1; };
    auto const gradient_x = random.vector(pixels, signed_unit);
    auto const gradient_y = random.vector(pixels, signed_unit);
    auto const images = random.units(cells * cell_rows * cell_columns);

    d.write_symbol("sine", sine);
    d.write_symbol("cosine", cosine);
    d.write_symbol("offset_x", offset_x);
    d.write_symbol("offset_y", offset_y);
    d.write_symbol("strel", strel);
    auto const gradient_x_device = d.upload(gradient_x);
    auto const gradient_y_device = d.upload(gradient_y);
    auto const scores_device = d.allocate<float>(pixels);
    d.launch("circle_scores", {columns - 2 * margin}, {rows - 2 * margin}, 0, gradient_x_device,
             gradient_y_device, scores_device, rows);
    auto const dilated_device = d.allocate<float>(pixels);
    d.launch("dilate", {ceil_div(rows * columns, 176)}, {176}, 0, scores_device, dilated_device, rows,
             columns, reach);
    auto const images_device = d.upload(images);
    auto const flows_device = d.allocate<float>(images.size());
    d.launch("gradient_flow", {cells}, {flow_block}, 0, images_device, flows_device, vx, vy, v.u32("steps"),
             cutoff);

    std::vector<float> scores(pixels);
    for (auto x = margin; x < columns - margin; ++x)
        for (auto y = margin; y < rows - margin; ++y) {
            auto& highest = scores[std::size_t{x} * rows + y];
            for (std::size_t k = 0; k < circles; ++k) {
                float sum = 0;
                float squares = 0;
                for (std::size_t n = 0; n < samples; ++n) {
                    auto const column = static_cast<std::int32_t>(x) + offset_x[k * samples + n];
                    auto const row = static_cast<std::int32_t>(y) + offset_y[k * samples + n];
                    auto const at = static_cast<std::size_t>(column) * rows + static_cast<std::size_t>(row);
                    auto const p = std::fma(gradient_x[at], cosine[n], gradient_y[at] * sine[n]);
                    sum += p;
                    squares = std::fma(p, p, squares);
                }
                auto const mean = sum / static_cast<float>(samples);
                highest = std::max(highest,
                                   mean * mean / ((squares - sum * mean) / static_cast<float>(samples - 1)));
            }
        }
    check_equal(v, "scores", d.download(scores_device), scores);

    std::vector<float> dilated(pixels);
    for (std::int64_t x = 0; x < columns; ++x)
        for (std::int64_t y = 0; y < rows; ++y)
            for (auto dy = -reach; dy <= reach; ++dy)
                for (auto dx = -reach; dx <= reach; ++dx) {
                    if (y + dy < 0 || y + dy >= rows || x + dx < 0 || x + dx >= columns ||
                        dx * dx + dy * dy > reach * reach)
                        continue;
                    auto& highest = dilated[static_cast<std::size_t>(x * rows + y)];
                    highest = std::max(highest, scores[static_cast<std::size_t>((x + dx) * rows + y + dy)]);
                }
    check_equal(v, "dilated", d.download(dilated_device), dilated);

    std::vector<float> flows;
    for (std::size_t k = 0; k < cells; ++k) {
        auto const first = images.begin() + static_cast<std::ptrdiff_t>(k * cell_rows * cell_columns);
        auto const flow = relaxed({first, first + cell_rows * cell_columns}, v.u32("steps"));
        flows.insert(flows.end(), flow.begin(), flow.end());
    }
    check_equal(v, "flows", d.download(flows_device), flows);
}

constexpr paper_row rows[] = {{paper::owl, "LYTE"},
                              {paper::elf, "LC", "GICOV_kernel", "circle_scores"},
                              {paper::elf, "LC", "dilate_kernel", "dilate"},
                              {paper::elf, "LC", "IMGVF_kernel", "gradient_flow"}};

constexpr workload shipped[] = {{
    .name = "leukocyte",
    .title =
        "white blood cells: circles that fit gradients, dilation, and gradient flow relaxed in shared memory",
    .origin = "leukocyte (Rodinia)",
    .rows = rows,
    .input = "random gradients, and cells of random pixels, 41 x 81 each",
    .differs = "Like it, not it: one direction of flow, no splines, gradients in global memory where the "
               "original has textures; circles in constant memory as there. The full size is a quarter of "
               "Rodinia's image, 36 cells and at most 20 steps for each.",
    .ptx = leukocyte_ptx,
    .ptx_name = "leukocyte.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::leukocyte
