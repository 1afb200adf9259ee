#include "kernels/language/halves.hpp"
#include "layer_norm.ptx.hpp"

namespace warpkit::kernels::layer_norm {
namespace {

constexpr parameter parameters[] = {
    {"tokens", "rows", "of a batch", 128, 8192, 1, 1u << 20},
    {"columns", "columns", "elements of a token", 768, 768, 16, 16384, parameter::rule::multiple_of_16},
    {"block", "threads", "per CTA, a warp a token", 128, 128, 32, 1024, parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const tokens = v.u32("tokens");
    auto const columns = v.u32("columns");
    auto const block = v.u32("block");
    constexpr float epsilon = 1e-5f;
    random_numbers random(v["seed"]);
    auto const x = halves::random_halves(random, std::size_t{tokens} * columns, 4);
    auto const weight = halves::random_halves(random, columns);
    auto const bias = halves::random_halves(random, columns);
    auto const out = d.allocate<halves::half>(x.size());
    auto const x_device = d.upload(x);
    auto const weight_device = d.upload(weight);
    auto const bias_device = d.upload(bias);
    d.launch("layer_norm", {ceil_div(tokens, block / 32)}, {block}, 0, x_device, weight_device, bias_device,
             out, tokens, columns, epsilon);

    auto const found = d.download(out);
    for (std::size_t token = 0; token < tokens; ++token) {
        auto const at = token * columns;
        double mean = 0;
        for (std::size_t c = 0; c < columns; ++c) mean += halves::double_of(x[at + c]) / columns;
        double variance = 0;
        for (std::size_t c = 0; c < columns; ++c) {
            auto const off = halves::double_of(x[at + c]) - mean;
            variance += off * off / columns;
        }
        auto const scale = 1 / std::sqrt(variance + epsilon);
        for (std::size_t c = 0; c < columns; ++c) {
            auto const expected =
                (halves::double_of(x[at + c]) - mean) * scale * halves::double_of(weight[c]) +
                halves::double_of(bias[c]);
            // The two terms may cancel; each is as large as a few.
            halves::check_number(v, "out", at + c, halves::double_of(found[at + c]), expected,
                                 halves::rounding, 0x1p-20);
        }
    }
}

constexpr workload shipped[] = {
    {
        .name = "layer_norm",
        .title = "layer normalisation of rows, a warp a row",
        .origin = "GPT-2 small: 8 sequences of 1,024 tokens of 768 elements",
        .input = "elements uniform from -4 to 4, weights and biases from -1 to 1",
        .differs = "Half precision. Checked against double precision to 5.2e-4 of a value, of which rounding "
                   "is 4.9e-4, plus 2^-20.",
        .ptx = layer_norm_ptx,
        .ptx_name = "layer_norm.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::layer_norm
