#include "kernels/language/halves.hpp"
#include "swiglu.ptx.hpp"

namespace warpkit::kernels::swiglu {
namespace {

constexpr parameter parameters[] = {
    {"tokens", "rows", "of a batch", 2, 1024, 1, 65535},
    {"columns", "columns", "elements of a token", 14336, 14336, 16, 65536, parameter::rule::multiple_of_16},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const tokens = v.u32("tokens");
    auto const columns = v.u32("columns");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const x = halves::random_halves(random, std::size_t{tokens} * 2 * columns, 4);
    auto const out = d.allocate<halves::half>(std::size_t{tokens} * columns);
    d.launch("swiglu", {ceil_div(columns, 8 * block), tokens}, {block}, 0, d.upload(x), out, columns);

    auto const found = d.download(out);
    for (std::size_t token = 0; token < tokens; ++token)
        for (std::size_t c = 0; c < columns; ++c) {
            auto const gate = halves::double_of(x[token * 2 * columns + c]);
            auto const up = halves::double_of(x[(token * 2 + 1) * columns + c]);
            auto const i = token * columns + c;
            halves::check_number(v, "out", i, halves::double_of(found[i]), gate / (1 + std::exp(-gate)) * up,
                                 halves::rounding, halves::least);
        }
}

constexpr workload shipped[] = {
    {
        .name = "swiglu",
        .title = "SwiGLU: gate and value of each element, in one",
        .origin = "the feed-forward layers of Llama-3-8B: 1,024 tokens, 14,336 elements",
        .input = "elements uniform from -4 to 4",
        .differs = "Half precision, where Llama has bfloat16; the exponential is approximate. Checked "
                   "against double precision to 5.2e-4 of a value, of which rounding is 4.9e-4.",
        .ptx = swiglu_ptx,
        .ptx_name = "swiglu.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::swiglu
