#include "kernels/language/halves.hpp"
#include "rms_norm.ptx.hpp"

namespace warpkit::kernels::rms_norm {
namespace {

constexpr parameter parameters[] = {
    {"tokens", "rows", "of a batch", 16, 8192, 1, 1u << 20},
    {"columns", "columns", "elements of a token", 4096, 4096, 16, 16384, parameter::rule::multiple_of_16},
    {"block", "threads", "per CTA, of one token; whole warps", 256, 256, 32, 1024,
     parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const tokens = v.u32("tokens");
    auto const columns = v.u32("columns");
    constexpr float epsilon = 1e-5f;
    random_numbers random(v["seed"]);
    auto const x = halves::random_halves(random, std::size_t{tokens} * columns);
    auto const residual = halves::random_halves(random, x.size(), 4);
    auto const weight = halves::random_halves(random, columns);
    auto const residual_device = d.upload(residual);
    auto const out = d.allocate<halves::half>(x.size());
    auto const x_device = d.upload(x);
    auto const weight_device = d.upload(weight);
    d.launch("rms_norm", {tokens}, {v.u32("block")}, 0, x_device, residual_device, weight_device, out,
             columns, epsilon);

    auto const found = d.download(out);
    auto const sums = d.download(residual_device);
    for (std::size_t token = 0; token < tokens; ++token) {
        auto const at = token * columns;
        auto const sum = [&](std::size_t c) {
            return halves::double_of(x[at + c]) + halves::double_of(residual[at + c]);
        };
        double squares = 0;
        for (std::size_t c = 0; c < columns; ++c) squares += sum(c) * sum(c);
        auto const scale = 1 / std::sqrt(squares / columns + epsilon);
        for (std::size_t c = 0; c < columns; ++c) {
            auto const rounded = halves::double_of(halves::half_of(sum(c)));
            halves::check_number(v, "residual", at + c, halves::double_of(sums[at + c]), rounded, 0, 0);
            halves::check_number(v, "out", at + c, halves::double_of(found[at + c]),
                                 rounded * scale * halves::double_of(weight[c]), halves::rounding,
                                 halves::least);
        }
    }
}

constexpr workload shipped[] = {
    {
        .name = "rms_norm",
        .title = "residual added and root mean square normalised, in one, a CTA a row",
        .origin = "Llama-3-8B: 8,192 tokens of 4,096 elements; the fused kernel of vLLM",
        .input = "elements and weights uniform from -1 to 1, residuals from -4 to 4",
        .differs = "Half precision, where Llama has bfloat16. The sum is exact, the rest checked against "
                   "double precision to 5.2e-4 of a value, of which rounding is 4.9e-4.",
        .ptx = rms_norm_ptx,
        .ptx_name = "rms_norm.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::rms_norm
