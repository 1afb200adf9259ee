#include "backprop.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::backprop {
namespace {

constexpr std::uint32_t side = 16;
constexpr std::uint32_t hidden = 16;

constexpr parameter parameters[] = {
    {"inputs", "units", "of the input layer", 1024, 65536, 16, 1u << 22, parameter::rule::multiple_of_16},
    seed,
};

void run(device& d, values const& v) {
    auto const inputs = v.u32("inputs");
    std::size_t const width = hidden + 1;
    random_numbers random(v["seed"]);
    // Index 0 is the bias in all of them.
    auto const input = random.units(inputs + 1);
    auto const weights = random.units((inputs + 1) * width);
    auto const delta = random.units(width);
    auto const previous = random.units((inputs + 1) * width);

    auto const input_device = d.upload(input);
    auto const weights_device = d.upload(weights);
    auto const partial = d.allocate<float>(inputs / side * hidden);
    dim3 const grid{1, inputs / side};
    d.launch("layer_forward", grid, {side, side}, 0, input_device, weights_device, partial, hidden);
    auto const products = d.download(weights_device); // the kernel leaves its trees there
    d.write(weights_device, weights);
    auto const delta_device = d.upload(delta);
    auto const previous_device = d.upload(previous);
    d.launch("adjust_weights", grid, {side, side}, 0, delta_device, input_device, weights_device,
             previous_device, hidden);

    std::vector<float> sums(inputs / side * hidden);
    auto trees = weights;
    for (std::size_t block = 0; block < inputs / side; ++block)
        for (std::size_t unit = 0; unit < hidden; ++unit) {
            auto const at = [&](std::size_t row) -> float& {
                return trees[width * (side * block + row + 1) + unit + 1];
            };
            for (std::size_t row = 0; row < side; ++row) at(row) *= input[side * block + row + 1];
            for (std::size_t step = 2; step <= side; step *= 2)
                for (std::size_t row = 0; row < side; row += step) at(row) += at(row + step / 2);
            sums[block * hidden + unit] = at(0);
        }
    check_equal(v, "products", products, trees);
    check_equal(v, "partial", d.download(partial), sums);

    auto expected = weights;
    auto changes = previous;
    for (std::size_t y = 0; y <= inputs; ++y)
        for (std::size_t x = 1; x <= hidden; ++x) {
            auto const rate = 0.3f;
            auto& change = changes[width * y + x];
            change = y == 0 ? std::fma(rate, delta[x], rate * change)
                            : std::fma(rate * delta[x], input[y], rate * change);
            expected[width * y + x] += change;
        }
    check_equal(v, "weights", d.download(weights_device), expected);
    check_equal(v, "changes", d.download(previous_device), changes);
}

constexpr paper_row rows[] = {{paper::owl, "BP"},
                              {paper::elf, "BP", "bpnn_layerforward", "layer_forward"},
                              {paper::elf, "BP", "bpnn_adjust_weights", "adjust_weights"},
                              {paper::precomputation, "BP"}};

constexpr workload shipped[] = {{
    .name = "backprop",
    .title = "a layer of a neural network: products summed in shared memory, then weights adjusted",
    .origin = "backprop (Rodinia)",
    .rows = rows,
    .input = "random inputs, weights, errors and earlier changes, all below 1",
    .differs =
        "The errors are random, where Rodinia's host works them out from the forward pass. The thesis on "
        "address pre-computation ran the same 65,536 inputs (4,096 CTAs twice).",
    .ptx = backprop_ptx,
    .ptx_name = "backprop.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::backprop
