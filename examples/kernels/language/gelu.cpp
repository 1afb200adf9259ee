#include "gelu.ptx.hpp"
#include "kernels/language/halves.hpp"

namespace warpkit::kernels::gelu {
namespace {

constexpr parameter parameters[] = {
    {"tokens", "rows", "of a batch", 16, 4096, 1, 1u << 17},
    {"columns", "columns", "elements of a token", 3072, 3072, 16, 8192, parameter::rule::multiple_of_16},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const columns = v.u32("columns");
    auto const elements = v.u32("tokens") * columns;
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const x = halves::random_halves(random, elements, 4);
    auto const bias = halves::random_halves(random, columns);
    auto const out = d.allocate<halves::half>(elements);
    auto const x_device = d.upload(x);
    auto const bias_device = d.upload(bias);
    d.launch("gelu", {ceil_div(elements, 8 * block)}, {block}, 0, x_device, bias_device, out, columns,
             elements);

    auto const found = d.download(out);
    auto const root = std::sqrt(2 / std::acos(-1.0));
    for (std::size_t i = 0; i < elements; ++i) {
        auto const a = halves::double_of(x[i]) + halves::double_of(bias[i % columns]);
        auto const expected = 0.5 * a * (1 + std::tanh(root * (a + 0.044715 * a * a * a)));
        // The hyperbolic tangent is right to 2^-11 of itself.
        halves::check_number(v, "out", i, halves::double_of(found[i]), expected, halves::rounding,
                             std::abs(a) * 0x1p-12 + halves::least);
    }
}

constexpr workload shipped[] = {
    {
        .name = "gelu",
        .title = "bias added and GELU by the hyperbolic tangent, in one",
        .origin = "the feed-forward layers of GPT-2 small: 4 sequences of 1,024 tokens, 3,072 elements",
        .input = "elements uniform from -4 to 4, biases from -1 to 1",
        .differs = "Half precision, tanh.approx. Checked against double precision to 5.2e-4 of a value, of "
                   "which rounding is 4.9e-4, plus 2^-12 of x.",
        .ptx = gelu_ptx,
        .ptx_name = "gelu.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gelu
