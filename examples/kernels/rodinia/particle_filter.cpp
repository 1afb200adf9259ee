#include "kernels/host.hpp"
#include "particle_filter.ptx.hpp"

#include <algorithm>
#include <cmath>

namespace warpkit::kernels::particle_filter {
namespace {

constexpr std::uint32_t block = 128;

constexpr parameter parameters[] = {
    {"particles", "particles", "that follow the object", 192, 1000, 1, 1u << 16},
    {"frames", "frames", "of the video, one more than are tracked through", 3, 10, 2, 100},
    {"side", "pixels", "width and height of the video", 128, 128, 32, 1024},
    seed,
};

constexpr parameter naive_parameters[] = {
    {"particles", "particles", "to draw", 512, 10000, 1, 1u << 16},
    {"frames", "frames", "one launch each", 2, 2, 1, 100},
    {"block", "threads", "per CTA", 512, 512, 1, 1024},
    seed,
};

float next_uniform(std::uint32_t& state) {
    state = state * 1103515245u + 12345u;
    return static_cast<float>((state >> 8) + 1) * 5.9604644775390625e-8f;
}

float next_normal(std::uint32_t& state) {
    auto const u = next_uniform(state);
    auto const w = next_uniform(state);
    return std::sqrt(-2.0f * std::log(u)) * std::cos(6.283185307f * w);
}

// The particles that the next generation is drawn from.
std::vector<std::size_t> drawn(std::vector<float> const& cdf, std::vector<float> const& u) {
    std::vector<std::size_t> found;
    for (auto const x : u) {
        std::size_t k = 0;
        while (k + 1 < cdf.size() && !(cdf[k] >= x)) ++k;
        found.push_back(k);
    }
    return found;
}

std::vector<float> picked(std::vector<float> const& from, std::vector<std::size_t> const& which) {
    std::vector<float> to;
    for (auto const k : which) to.push_back(from[k]);
    return to;
}

struct video {
    std::uint32_t side;
    std::uint32_t frames;
    std::vector<std::uint8_t> pixels; // [x][y][frame]
};

// A bright disc on a dark ground, which moves one pixel right and two up per frame; noise on both.
video make_video(std::uint32_t side, std::uint32_t frames, random_numbers& random) {
    video film{side, frames, std::vector<std::uint8_t>(std::size_t{side} * side * frames)};
    for (std::int64_t x = 0; x < side; ++x)
        for (std::int64_t y = 0; y < side; ++y)
            for (std::int64_t f = 0; f < frames; ++f) {
                auto const dx = x - (side / 2 + f);
                auto const dy = y - (side / 2 - 2 * f);
                auto const level = (dx * dx + dy * dy < 25 ? 228u : 100u) + random.below(21) - 10;
                film.pixels[static_cast<std::size_t>((x * side + y) * frames + f)] =
                    static_cast<std::uint8_t>(level);
            }
    return film;
}

void run(device& d, values const& v) {
    auto const n = v.u32("particles");
    auto const side = v.u32("side");
    auto const frames = v.u32("frames");
    random_numbers random(v["seed"]);
    auto const film = make_video(side, frames, random);
    std::vector<std::int32_t> object; // y, x of each pixel of the disc
    for (std::int32_t y = -4; y <= 4; ++y)
        for (std::int32_t x = -4; x <= 4; ++x)
            if (x * x + y * y < 25) object.insert(object.end(), {y, x});
    auto const ones = static_cast<std::uint32_t>(object.size() / 2);
    auto const pixels = static_cast<std::int32_t>(film.pixels.size());
    auto seeds =
        random.vector(n, [](random_numbers& r) { return static_cast<std::uint32_t>(r.next() >> 32); });
    std::vector<float> xj(n, static_cast<float>(side / 2)), yj(xj);

    auto const pixels_device = d.upload(film.pixels);
    auto const object_device = d.upload(object);
    auto const seeds_device = d.upload(seeds);
    auto const xj_device = d.upload(xj);
    auto const yj_device = d.upload(yj);
    auto const x_device = d.allocate<float>(n);
    auto const y_device = d.allocate<float>(n);
    auto const index_device = d.allocate<std::int32_t>(std::size_t{n} * ones);
    auto const likelihoods = d.allocate<float>(n);
    auto const weights_device = d.allocate<float>(n);
    dim3 const grid{ceil_div(n, block)};
    auto const partial_device = d.allocate<float>(grid.x);
    auto const cdf_device = d.allocate<float>(n);
    auto const u_device = d.allocate<float>(n);

    // What is approximate is compared with a tolerance, and then taken over; everything else to the last bit.
    for (std::uint32_t f = 1; f < frames; ++f) {
        d.launch("likelihood", grid, {block}, 0, x_device, y_device, xj_device, yj_device, index_device,
                 object_device, likelihoods, pixels_device, weights_device, n, ones, pixels, f, side, frames,
                 seeds_device, partial_device);
        std::vector<float> x(n), y(n), weights(n), partial(grid.x);
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = xj[i] + std::fma(5.0f, next_normal(seeds[i]), 1.0f);
            y[i] = yj[i] + std::fma(2.0f, next_normal(seeds[i]), -2.0f);
        }
        auto const found_x = d.download(x_device);
        auto const found_y = d.download(y_device);
        check_close(v, "x", found_x, x, 1e-4f);
        check_close(v, "y", found_y, y, 1e-4f);
        for (std::size_t i = 0; i < n; ++i) {
            float all = 0;
            for (std::size_t k = 0; k < ones; ++k) {
                auto const px = static_cast<std::int32_t>(std::floor(found_x[i] + 0.5f)) + object[2 * k + 1];
                auto const py = static_cast<std::int32_t>(std::floor(found_y[i] + 0.5f)) + object[2 * k];
                auto const at =
                    std::abs((px * static_cast<std::int32_t>(side) + py) * static_cast<std::int32_t>(frames) +
                             static_cast<std::int32_t>(f));
                auto const p =
                    static_cast<float>(film.pixels[static_cast<std::size_t>(at < pixels ? at : 0)]);
                all += std::fma(p - 100.0f, p - 100.0f, -((p - 228.0f) * (p - 228.0f))) / 50.0f;
            }
            weights[i] = std::exp(all / static_cast<float>(ones) / 8.0f) / static_cast<float>(n);
        }
        auto const found_weights = d.download(weights_device);
        check_close(v, "weights", found_weights, weights, 1e-4f);
        for (std::size_t b = 0; b < partial.size(); ++b) {
            std::vector<float> tree(block);
            for (std::size_t t = 0; t < block && b * block + t < n; ++t)
                tree[t] = found_weights[b * block + t];
            for (auto step = block / 2; step > 0; step /= 2)
                for (std::size_t t = 0; t < step; ++t) tree[t] += tree[t + step];
            partial[b] = tree[0];
        }
        check_equal(v, "partial", d.download(partial_device), partial);

        d.launch("sum_partial", {1}, {block}, 0, partial_device, grid.x);
        d.launch("normalise_weights", grid, {block}, 0, weights_device, n, partial_device, u_device,
                 seeds_device);
        d.launch("accumulate_weights", grid, {block}, 0, weights_device, n, cdf_device);
        float all = 0;
        for (auto const p : partial) all += p;
        std::vector<float> cdf(n), u(n);
        auto start = seeds[0];
        auto const first = (next_uniform(start), static_cast<float>(start >> 8) * 5.9604644775390625e-8f) /
                           static_cast<float>(n);
        for (std::size_t i = 0; i < n; ++i) {
            weights[i] = found_weights[i] / all;
            cdf[i] = i == 0 ? weights[0] : weights[i] + cdf[i - 1];
            u[i] = first + static_cast<float>(i) / static_cast<float>(n);
        }
        check_equal(v, "normalised weights", d.download(weights_device), weights);
        check_equal(v, "cdf", d.download(cdf_device), cdf);
        check_equal(v, "u", d.download(u_device), u);

        d.launch("find_index", grid, {block}, 0, x_device, y_device, cdf_device, u_device, xj_device,
                 yj_device, n);
        auto const which = drawn(cdf, u);
        xj = picked(found_x, which);
        yj = picked(found_y, which);
        check_equal(v, "xj", d.download(xj_device), xj);
        check_equal(v, "yj", d.download(yj_device), yj);
    }
}

// Only the drawing is on the device.
void run_naive(device& d, values const& v) {
    auto const n = v.u32("particles");
    auto const block_size = v.u32("block");
    random_numbers random(v["seed"]);
    auto const xj_device = d.allocate<float>(n);
    auto const yj_device = d.allocate<float>(n);
    for (auto left = v.u32("frames"); left > 0; --left) {
        auto const x = random.units(n);
        auto const y = random.units(n);
        // Few particles have most of the weight.
        auto weights = random.vector(n, [](random_numbers& r) {
            auto const w = r.unit();
            return w * w * w * w;
        });
        float all = 0;
        for (auto const w : weights) all += w;
        std::vector<float> cdf(n), u(n);
        auto const start = random.unit() / static_cast<float>(n);
        for (std::size_t i = 0; i < n; ++i) {
            cdf[i] = weights[i] / all + (i == 0 ? 0 : cdf[i - 1]);
            u[i] = start + static_cast<float>(i) / static_cast<float>(n);
        }
        auto const x_device = d.upload(x);
        auto const y_device = d.upload(y);
        auto const cdf_device = d.upload(cdf);
        auto const u_device = d.upload(u);
        d.launch("find_index", {ceil_div(n, block_size)}, {block_size}, 0, x_device, y_device, cdf_device,
                 u_device, xj_device, yj_device, n);
        auto const which = drawn(cdf, u);
        check_equal(v, "xj", d.download(xj_device), picked(x, which));
        check_equal(v, "yj", d.download(yj_device), picked(y, which));
    }
}

constexpr paper_row rows[] = {{paper::elf, "PF", "likelihood", "likelihood"},
                              {paper::elf, "PF", "sum", "sum_partial"},
                              {paper::elf, "PF", "normalize_weight", "normalise_weights"},
                              {paper::elf, "PF", "find_index", "find_index"}};
constexpr paper_row naive_rows[] = {{paper::owl, "PFN"}};

constexpr workload shipped[] = {
    {
        .name = "particle_filter",
        .title = "tracking through a video with particles: weighing, summing, drawing",
        .origin = "particlefilter, float (Rodinia)",
        .rows = rows,
        .input = "a noisy video of a bright disc that moves, made as Rodinia's",
        .differs =
            "The weights are summed in order by a launch of its own: the original's one thread does so while "
            "other "
            "CTAs may still be at their weights. Likelihoods are scaled so that no exponential overflows.",
        .ptx = particle_filter_ptx,
        .ptx_name = "particle_filter.ptx",
        .parameters = parameters,
        .run = run,
    },
    {
        .name = "particle_filter_naive",
        .title = "the drawing of particles alone: a linear search per thread",
        .origin = "particlefilter, naive (Rodinia)",
        .rows = naive_rows,
        .input = "particles of which few have most of the weight",
        .differs = "What the host of the original works out between launches is random. 10,000 particles "
                   "at full size: with Rodinia's 1,000, two CTAs, most cores would have none, which OWL's "
                   "10 % of inactive time excludes.",
        .ptx = particle_filter_ptx,
        .ptx_name = "particle_filter.ptx",
        .parameters = naive_parameters,
        .run = run_naive,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::particle_filter
