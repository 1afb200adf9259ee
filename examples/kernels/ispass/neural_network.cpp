#include "kernels/host.hpp"
#include "neural_network.ptx.hpp"

#include <cmath>

namespace warpkit::kernels::neural_network {
namespace {

constexpr parameter parameters[] = {
    {"images", "digits", "to recognise", 2, 28, 1, 4096},
    seed,
};

// A layer whose neurons see a window of each map before: `side` neurons each way in each of `maps`.
struct layer {
    std::size_t maps, side, window;
};
constexpr layer image{1, 29, 0};
constexpr layer layers[] = {{6, 13, 5}, {50, 5, 5}, {100, 1, 5}, {10, 1, 1}};

std::vector<float> after(layer const& from, layer const& to, std::vector<float> const& in,
                         std::vector<float> const& weights, std::size_t images) {
    std::vector<float> out;
    auto const seen = from.maps * to.window * to.window;
    for (std::size_t i = 0; i < images; ++i)
        for (std::size_t map = 0; map < to.maps; ++map)
            for (std::size_t y = 0; y < to.side; ++y)
                for (std::size_t x = 0; x < to.side; ++x) {
                    auto const* weight = &weights[map * (1 + seen)];
                    double sum = static_cast<double>(*weight++);
                    for (std::size_t m = 0; m < from.maps; ++m)
                        for (std::size_t row = 0; row < to.window; ++row)
                            for (std::size_t column = 0; column < to.window; ++column)
                                sum += static_cast<double>(*weight++) *
                                       static_cast<double>(
                                           in[((i * from.maps + m) * from.side + 2 * y + row) * from.side +
                                              2 * x + column]);
                    out.push_back(static_cast<float>(1.7159 * std::tanh(sum * 2 / 3)));
                }
    return out;
}

void run(device& d, values const& v) {
    auto const images = v.u32("images");
    random_numbers random(v["seed"]);
    auto expected = random.units(images * image.side * image.side);
    auto in = d.upload(expected);
    auto const* from = &image;
    for (auto const& to : layers) {
        auto const seen = from->maps * to.window * to.window;
        auto const scale = 3 / std::sqrt(static_cast<float>(seen));
        auto const weights = random.vector(to.maps * (1 + seen),
                                           [scale](random_numbers& r) { return scale * (r.unit() - 0.5f); });
        expected = after(*from, to, expected, weights, images);
        auto const out = d.allocate<float>(expected.size());
        auto const number = std::to_string(&to - layers + 1);
        auto const side = static_cast<std::uint32_t>(to.side);
        d.launch("neural_network_" + number, {static_cast<std::uint32_t>(to.maps), images}, {side, side}, 0,
                 in, d.upload(weights), out);
        check_close(v, "layer " + number, d.download(out), expected, 1e-4f);
        in = out;
        from = &to;
    }
}

constexpr paper_row rows[] = {{paper::owl, "NN"}};

constexpr workload shipped[] = {{
    .name = "neural_network",
    .title = "a convolutional network that reads digits, a launch per layer",
    .origin = "NN (GPGPU-Sim's set, ISPASS 2009)",
    .rows = rows,
    .input = "random images and weights",
    .differs = "Random weights, which make no difference to what is done. The full size is GPGPU-Sim's: 28 "
               "digits, CTAs of "
               "13 x 13, 5 x 5 and, in the last two layers, one thread.",
    .ptx = neural_network_ptx,
    .ptx_name = "neural_network.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::neural_network
