#include "kernels/language/halves.hpp"
#include "softmax_rows.ptx.hpp"

namespace warpkit::kernels::softmax_rows {
namespace {

constexpr parameter parameters[] = {
    {"rows", "rows", "heads times tokens", 48, 12288, 1, 1u << 20},
    {"columns", "columns", "tokens that are attended to", 256, 1024, 16, 16384,
     parameter::rule::multiple_of_16},
    {"block", "threads", "per CTA, of one row; whole warps", 128, 128, 32, 1024,
     parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const rows = v.u32("rows");
    auto const columns = v.u32("columns");
    random_numbers random(v["seed"]);
    auto const x = halves::random_halves(random, std::size_t{rows} * columns, 8);
    auto const out = d.allocate<halves::half>(x.size());
    d.launch("softmax_rows", {rows}, {v.u32("block")}, 0, d.upload(x), out, columns);

    auto const found = d.download(out);
    std::vector<double> shares(columns);
    for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (std::size_t c = 0; c < columns; ++c)
            sum += shares[c] = std::exp(halves::double_of(x[row * columns + c]) - 8);
        for (std::size_t c = 0; c < columns; ++c) {
            auto const i = row * columns + c;
            halves::check_number(v, "out", i, halves::double_of(found[i]), shares[c] / sum, halves::rounding,
                                 halves::least);
        }
    }
}

constexpr workload shipped[] = {
    {
        .name = "softmax_rows",
        .title = "softmax of rows of scores by the online algorithm, a CTA a row",
        .origin = "the softmax of attention that is not fused: GPT-2 small, 12 heads of 1,024 tokens",
        .input = "scores uniform from -8 to 8",
        .differs = "Half precision; exponentials are approximate. Checked against double precision to 5.2e-4 "
                   "of a value, of which rounding is 4.9e-4.",
        .ptx = softmax_rows_ptx,
        .ptx_name = "softmax_rows.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::softmax_rows
