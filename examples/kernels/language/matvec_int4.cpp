#include "kernels/language/halves.hpp"
#include "matvec_int4.ptx.hpp"

namespace warpkit::kernels::matvec_int4 {
namespace {

constexpr std::uint32_t group = 128;

constexpr parameter parameters[] = {
    {"rows", "rows", "of the matrix", 128, 28672, 64, 1u << 18, parameter::rule::multiple_of_64},
    {"columns", "columns", "of the matrix", 1024, 4096, 128, 65536, parameter::rule::power_of_two},
    {"block", "threads", "per CTA, two rows a warp", 128, 128, 32, 1024, parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const rows = v.u32("rows");
    auto const columns = v.u32("columns");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const groups = columns / group;
    auto const words = random.vector(std::size_t{rows} * columns / 8, [](random_numbers& r) {
        return static_cast<std::uint32_t>(r.next() >> 32);
    });
    auto const scales = halves::random_halves(random, std::size_t{rows} * groups, 0x1p-4);
    std::vector<std::uint32_t> scaling;
    for (auto const scale : scales)
        scaling.push_back(scale | std::uint32_t{halves::half_of(4 + random.below(8))} << 16);
    auto const x = halves::random_halves(random, columns);
    auto const y = d.allocate<float>(rows);
    auto const words_device = d.upload(words);
    auto const scaling_device = d.upload(scaling);
    auto const x_device = d.upload(x);
    d.launch("matvec_int4", {rows / (block / 32 * 2)}, {block}, 0, words_device, scaling_device, x_device, y,
             columns);

    auto const found = d.download(y);
    auto const numbers = halves::doubles_of(x);
    for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0;
        double size = 0;
        for (std::size_t g = 0; g < groups; ++g) {
            auto const scale = halves::double_of(scales[row * groups + g]);
            auto const zero = halves::double_of(static_cast<halves::half>(scaling[row * groups + g] >> 16));
            for (std::size_t i = g * group; i < (g + 1) * group; ++i) {
                auto const word = words[(row * columns + i) / 8];
                auto const q = word >> (i % 8 / 2 + i % 2 * 4) * 4 & 15;
                sum += scale * (q - zero) * numbers[i];
                size += std::abs(scale * q * numbers[i]) + std::abs(scale * zero * numbers[i]);
            }
        }
        halves::check_number(v, "y", row, double{found[row]}, sum, 0, 0x1p-19 * size);
    }
}

constexpr workload shipped[] = {
    {
        .name = "matvec_int4",
        .title = "matrix of 4-bit integers with a scale and a zero for each 128, times a vector of half "
                 "precision; two rows a warp",
        .origin = "decode of Llama-3-8B with weights of 4 bits (GPTQ, AWQ): the two products of a "
                  "feed-forward layer as one, 28,672 x 4,096",
        .input = "integers uniform from 0 to 15, scales to 2^-4, zeros from 4 to 11, elements from -1 to 1",
        .differs = "A scale and its zero are a word, and the order of the integers in a word is our own. "
                   "Checked against double precision to 2^-19 of the sum of its terms' sizes.",
        .ptx = matvec_int4_ptx,
        .ptx_name = "matvec_int4.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::matvec_int4
