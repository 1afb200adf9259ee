#include "heartwall.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>

namespace warpkit::kernels::heartwall {
namespace {

constexpr std::size_t block = 256;

constexpr parameter parameters[] = {
    {"points", "points", "to track, a CTA each", 6, 51, 1, 1024},
    {"frames", "frames", "one launch each", 1, 1, 1, 100},
    {"template", "pixels", "on either side of a template's centre", 3, 12, 1, 25},
    {"window", "pixels", "on either side of a point in which it is looked for", 6, 20, 1, 40},
    seed,
};

struct sides {
    std::int32_t tile, window, full, padded;
};

struct place {
    std::int32_t x, y;
};

// The best place for a template about a point, in the kernel's order of operations.
place tracked(std::vector<float> const& frame, std::size_t columns, place p, float const* tile,
              sides const& s) {
    auto const t = static_cast<std::size_t>(s.tile);
    auto const w = static_cast<std::size_t>(s.window);
    auto const f = static_cast<std::size_t>(s.full);
    std::vector<float> window(w * w);
    for (std::size_t i = 0; i < w * w; ++i)
        window[i] = frame[(static_cast<std::size_t>(p.y) - w / 2 + i / w) * columns +
                          static_cast<std::size_t>(p.x) - w / 2 + i % w];
    std::vector<float> sum(block), square(block);
    for (std::size_t i = 0; i < t * t; ++i) {
        sum[i % block] += tile[i];
        square[i % block] = std::fma(tile[i], tile[i], square[i % block]);
    }
    for (auto step = block / 2; step > 0; step /= 2)
        for (std::size_t i = 0; i < step; ++i) {
            sum[i] += sum[i + step];
            square[i] += square[i + step];
        }
    // Of the pixels in the rows and columns that the template covers: differences of running sums, down and along.
    auto const under = [&](bool squares) {
        auto const padded = static_cast<std::size_t>(s.padded);
        std::vector<float> down(padded * padded), along(f * padded), all(f * f);
        for (std::size_t row = 0; row < padded; ++row)
            for (std::size_t column = 0; column < padded; ++column) {
                float x = 0;
                if (row >= t && row < t + w && column >= t && column < t + w)
                    x = window[(row - t) * w + column - t];
                down[row * padded + column] =
                    (row == 0 ? 0 : down[(row - 1) * padded + column]) + (squares ? x * x : x);
            }
        for (std::size_t row = 0; row < f; ++row)
            for (std::size_t column = 0; column < padded; ++column)
                along[row * padded + column] =
                    (column == 0 ? 0 : along[row * padded + column - 1]) +
                    (down[(row + t) * padded + column] - down[row * padded + column]);
        for (std::size_t row = 0; row < f; ++row)
            for (std::size_t column = 0; column < f; ++column)
                all[row * f + column] = along[row * padded + column + t] - along[row * padded + column];
        return all;
    };
    auto const sums = under(false);
    auto const squares = under(true);
    auto const elements = static_cast<float>(s.tile * s.tile);
    auto const deviation = [&](float square_sum, float plain) {
        return std::sqrt(std::max(square_sum - plain * plain / elements, 1e-6f));
    };
    auto const template_deviation = deviation(square[0], sum[0]);
    // Of equals the one whose thread comes first, and then the first.
    float highest = -1e30f;
    std::size_t at = 0;
    for (std::size_t thread = 0; thread < block; ++thread)
        for (auto i = thread; i < f * f; i += block) {
            auto const row = i / f;
            auto const column = i % f;
            if (row < t - 1 || row >= w || column < t - 1 || column >= w) continue;
            float product = 0;
            for (auto y = row - (t - 1); y <= row; ++y)
                for (auto x = column - (t - 1); x <= column; ++x)
                    product =
                        std::fma(tile[t * t - 1 - ((row - y) * t + column - x)], window[y * w + x], product);
            auto const correlation = (product - sums[i] * sum[0] / elements) /
                                     (deviation(squares[i], sums[i]) * template_deviation);
            if (correlation > highest) {
                highest = correlation;
                at = i;
            }
        }
    auto const offset = [&](std::size_t i) { return static_cast<std::int32_t>(i) - s.full / 2; };
    return {p.x + offset(at % f), p.y + offset(at / f)};
}

void run(device& d, values const& v) {
    auto const count = v.u32("points");
    auto const frames = v.u32("frames");
    sides s{};
    s.tile = 2 * static_cast<std::int32_t>(v["template"]) + 1;
    s.window = std::max(2 * static_cast<std::int32_t>(v["window"]) + 1, s.tile);
    s.full = s.window + s.tile - 1;
    s.padded = s.window + 2 * s.tile;
    // Room for each point to go as far as it can.
    auto const margin = s.window * static_cast<std::int32_t>(frames + 1);
    auto const side = static_cast<std::uint32_t>(2 * margin + 64);
    random_numbers random(v["seed"]);
    auto frame = random.units(std::size_t{side} * side);
    auto points = random.vector(count, [&](random_numbers& r) {
        auto const x = margin + static_cast<std::int32_t>(r.below(64));
        return place{x, margin + static_cast<std::int32_t>(r.below(64))};
    });
    std::vector<float> templates;
    for (auto const& p : points)
        for (auto y = p.y - s.tile / 2; y <= p.y + s.tile / 2; ++y)
            for (auto x = p.x - s.tile / 2; x <= p.x + s.tile / 2; ++x)
                templates.push_back(frame[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x)]);

    auto const points_device = d.upload(points);
    auto const templates_device = d.upload(templates);
    auto const scratch = d.allocate<float>(
        count * static_cast<std::size_t>(s.window * s.window + s.tile * s.tile + 3 * s.full * s.full +
                                         s.padded * s.padded + s.full * s.padded));
    for (std::uint32_t f = 0; f < frames; ++f) {
        // What was seen moves a pixel to the right, and there is noise.
        for (std::size_t y = 0; y < side; ++y)
            for (std::size_t x = side; x-- > 0;)
                frame[y * side + x] = frame[y * side + (x > 0 ? x - 1 : side - 1)] + 0.02f * random.unit();
        auto const frame_device = d.upload(frame);
        d.launch("heartwall", {count}, {block}, 0, frame_device, side, points_device, templates_device,
                 scratch, s);
        for (std::size_t i = 0; i < count; ++i)
            points[i] =
                tracked(frame, side, points[i], &templates[i * static_cast<std::size_t>(s.tile * s.tile)], s);
        std::vector<std::int32_t> found, expected;
        for (auto const& p : d.download(points_device)) found.insert(found.end(), {p.x, p.y});
        for (auto const& p : points) expected.insert(expected.end(), {p.x, p.y});
        check_equal(v, "points", found, expected);
    }
}

constexpr paper_row rows[] = {{paper::owl, "HW"}, {paper::elf, "HW", "kernel", "heartwall"}};

constexpr workload shipped[] = {{
    .name = "heartwall",
    .title = "tracking of points by correlating templates, all stages of a frame in one CTA per point",
    .origin = "heartwall (Rodinia)",
    .rows = rows,
    .input = "noise that moves a pixel per frame, with points anywhere in it",
    .differs = "Like it, not it: templates do not age, and there is one kind of point. Templates of 25 x "
               "25 in windows of 41 x 41 at full size where Rodinia has 51 x 51 in 81 x 81 (a sixteenth "
               "of the products), and one frame of its 20.",
    .ptx = heartwall_ptx,
    .ptx_name = "heartwall.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::heartwall
