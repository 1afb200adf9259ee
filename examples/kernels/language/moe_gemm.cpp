#include "kernels/tensor/half_matrices.hpp"
#include "moe_gemm.ptx.hpp"

namespace warpkit::kernels::moe_gemm {
namespace {

constexpr std::uint32_t tile = 64;

constexpr parameter parameters[] = {
    {"tokens", "tokens", "of a batch", 96, 256, 1, 65536},
    {"experts", "experts", "to choose two from", 4, 8, 2, 64},
    {"n", "columns", "of an expert's matrix", 128, 1792, 64, 16384, parameter::rule::multiple_of_64},
    {"k", "elements", "of a token, rows of an expert's matrix", 128, 4096, 64, 4096,
     parameter::rule::multiple_of_64},
    seed,
};

void run(device& d, values const& v) {
    auto const tokens = v.u32("tokens");
    auto const experts = v.u32("experts");
    auto const n = v.u32("n");
    auto const k = v.u32("k");
    random_numbers random(v["seed"]);
    auto const x = half_matrices::random_eighths(random, std::size_t{tokens} * k);
    auto const w = half_matrices::random_eighths(random, std::size_t{experts} * k * n);

    // Two experts for each token, of which the first ones are liked better, and their weights, in sixteenths.
    std::vector<std::uint32_t> chosen;
    std::vector<float> weights;
    for (std::uint32_t token = 0; token < tokens; ++token) {
        auto const first = std::min(random.below(experts), random.below(experts));
        auto const second = (first + 1 + random.below(experts - 1)) % experts;
        auto const share = static_cast<float>(8 + random.below(8)) / 16;
        chosen.insert(chosen.end(), {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(second)});
        weights.insert(weights.end(), {share, 1 - share});
    }
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> places(chosen.size());
    std::vector<std::int32_t> offsets{0};
    for (std::uint32_t e = 0; e < experts; ++e) {
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            if (chosen[i] != e) continue;
            places[i] = static_cast<std::int32_t>(sources.size());
            sources.push_back(static_cast<std::int32_t>(i));
        }
        offsets.push_back(static_cast<std::int32_t>(sources.size()));
    }

    std::vector<float> expected(std::size_t{tokens} * n);
    std::vector<int> sums(n);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        auto const token = i / 2;
        std::fill(sums.begin(), sums.end(), 0);
        for (std::size_t j = 0; j < k; ++j) {
            auto const of_token = x[token * k + j];
            auto const* const row = &w[(std::size_t{chosen[i]} * k + j) * n];
            for (std::size_t column = 0; column < n; ++column) sums[column] += of_token * row[column];
        }
        for (std::size_t column = 0; column < n; ++column)
            expected[token * n + column] += weights[i] * static_cast<float>(sums[column]) / 64;
    }

    auto const x_device = half_matrices::upload_eighths(d, x);
    auto const w_device = half_matrices::upload_eighths(d, w);
    auto const c = d.allocate<float>(chosen.size() * n);
    auto const y = d.allocate<float>(expected.size());
    auto const most_tiles = static_cast<std::uint32_t>(chosen.size() / tile) + experts;
    d.launch("moe_gemm", {n / tile, most_tiles}, {128}, 0, x_device, w_device, d.upload(sources),
             d.upload(offsets), c, experts, n, k);
    d.launch("moe_combine", {tokens}, {128}, 0, c, d.upload(places), d.upload(weights), y, n);
    check_equal(v, "y", d.download(y), expected);
}

constexpr workload shipped[] = {
    {
        .name = "moe_gemm",
        .title =
            "layer of a mixture of experts: the experts' products as one grouped product, the two of each "
            "token added up",
        .origin =
            "Mixtral 8x7B: 256 tokens of 4,096 elements, the 1,792 columns of 14,336 that one of eight GPUs "
            "has, 8 experts; fused_moe of vLLM",
        .input = "random multiples of 1/8 from -1 to 1; experts with low numbers are chosen more often; "
                 "weights in "
                 "sixteenths",
        .differs =
            "One of the layer's three matrices, without its activation. Tiles are 64 x 64 x 32. Exact.",
        .ptx = moe_gemm_ptx,
        .ptx_name = "moe_gemm.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::moe_gemm
