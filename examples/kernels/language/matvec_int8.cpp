#include "kernels/language/halves.hpp"
#include "matvec_int8.ptx.hpp"

namespace warpkit::kernels::matvec_int8 {
namespace {

constexpr std::uint32_t group = 32;

constexpr parameter parameters[] = {
    {"rows", "rows", "of the matrix", 128, 14336, 1, 1u << 18},
    {"columns", "columns", "of the matrix", 1024, 4096, 64, 65536, parameter::rule::multiple_of_64},
    {"block", "threads", "per CTA, of one row; whole warps", 128, 128, 32, 1024,
     parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const rows = v.u32("rows");
    auto const columns = v.u32("columns");
    random_numbers random(v["seed"]);
    auto const groups = columns / group;
    auto const w = random.vector(std::size_t{rows} * columns, [](random_numbers& r) {
        return static_cast<std::int8_t>(static_cast<int>(r.below(255)) - 127);
    });
    auto const scales = halves::random_halves(random, std::size_t{rows} * groups, 0x1p-7);
    auto const x = halves::random_halves(random, columns);

    // As the kernel does it, in single precision.
    std::vector<std::int8_t> quantized(columns);
    std::vector<float> x_scales(groups);
    for (std::size_t i = 0; i < columns; ++i) {
        auto const of_group = static_cast<std::size_t>(i / group);
        if (i % group == 0) {
            float most = 0;
            for (std::size_t j = i; j < i + group; ++j)
                most = std::max(most, std::abs(static_cast<float>(halves::double_of(x[j]))));
            x_scales[of_group] = most / 127;
        }
        quantized[i] = static_cast<std::int8_t>(
            std::nearbyint(static_cast<float>(halves::double_of(x[i])) / x_scales[of_group]));
    }

    auto const quantized_device = d.allocate<std::int8_t>(columns);
    auto const x_scales_device = d.allocate<float>(groups);
    auto const y = d.allocate<float>(rows);
    auto const w_device = d.upload(w);
    auto const scales_device = d.upload(scales);
    auto const x_device = d.upload(x);
    d.launch("quantize_int8", {columns / 64}, {64}, 0, x_device, quantized_device, x_scales_device);
    d.launch("matvec_int8", {rows}, {v.u32("block")}, 0, w_device, scales_device, quantized_device,
             x_scales_device, y, columns);
    check_equal(v, "quantized", d.download(quantized_device), quantized);
    check_equal(v, "x_scales", d.download(x_scales_device), x_scales);

    auto const found = d.download(y);
    for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0;
        double size = 0;
        for (std::size_t g = 0; g < groups; ++g) {
            int dot = 0;
            for (std::size_t i = g * group; i < (g + 1) * group; ++i)
                dot += w[row * columns + i] * quantized[i];
            auto const term = dot * halves::double_of(scales[row * groups + g]) * double{x_scales[g]};
            sum += term;
            size += std::abs(term);
        }
        halves::check_number(v, "y", row, double{found[row]}, sum, 0, 0x1p-19 * size);
    }
}

constexpr workload shipped[] = {
    {
        .name = "matvec_int8",
        .title = "matrix of 8-bit integers with a scale for each 32, times a vector that is quantised alike; "
                 "four warps a row",
        .origin =
            "decode of Llama-3-8B with weights of 8 bits: 14,336 x 4,096; the products of llama.cpp (Q8_0)",
        .input = "integers uniform from -127 to 127, scales to 2^-7, elements from -1 to 1",
        .differs = "Scales lie apart from the integers. The quantised vector is exact, the product checked "
                   "against double precision to 2^-19 of the sum of its terms' sizes.",
        .ptx = matvec_int8_ptx,
        .ptx_name = "matvec_int8.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::matvec_int8
