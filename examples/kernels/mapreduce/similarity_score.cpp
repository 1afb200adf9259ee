#include "kernels/host.hpp"
#include "similarity_score.ptx.hpp"

namespace warpkit::kernels::similarity_score {
namespace {

constexpr parameter parameters[] = {
    {"documents", "documents", "all pairs of which are compared", 64, 512, 1, 4096},
    {"dimensions", "features", "of each document", 32, 128, 1, 1024},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("documents");
    auto const dimensions = v.u32("dimensions");
    auto const block = v.u32("block");
    auto const pairs = n * n;
    random_numbers random(v["seed"]);
    auto const features =
        random.vector(std::size_t{n} * dimensions, [](random_numbers& r) { return r.unit() + 0.01f; });

    auto const features_device = d.upload(features);
    auto const key_sizes = d.allocate<std::int32_t>(pairs);
    auto const value_sizes = d.allocate<std::int32_t>(pairs);
    auto const keys_device = d.allocate<std::int32_t>(2 * std::size_t{pairs});
    auto const scores_device = d.allocate<float>(pairs);
    dim3 const grid{ceil_div(pairs, block)};
    d.launch("map_count", grid, {block}, 0, key_sizes, value_sizes, pairs);
    d.launch("map_emit", grid, {block}, 0, features_device, keys_device, scores_device, n, dimensions);

    std::vector<std::int32_t> keys;
    std::vector<float> scores, squares;
    auto const product = [&](std::size_t row, std::size_t column) {
        float sum = 0;
        for (std::size_t k = 0; k < dimensions; ++k)
            sum = std::fma(features[row * dimensions + k], features[column * dimensions + k], sum);
        return sum;
    };
    for (std::uint32_t i = 0; i < n; ++i) squares.push_back(product(i, i));
    for (std::uint32_t row = 0; row < n; ++row)
        for (std::uint32_t column = 0; column < n; ++column) {
            keys.insert(keys.end(), {static_cast<std::int32_t>(row), static_cast<std::int32_t>(column)});
            scores.push_back(product(row, column) / std::sqrt(squares[row] * squares[column]));
        }
    check_equal(v, "key sizes", d.download(key_sizes), std::vector<std::int32_t>(pairs, 8));
    check_equal(v, "value sizes", d.download(value_sizes), std::vector<std::int32_t>(pairs, 4));
    check_equal(v, "scores", d.download(scores_device), scores);
    check_equal(v, "keys", d.download(keys_device), keys);
}

constexpr paper_row rows[] = {{paper::owl, "SSC"}};

constexpr workload shipped[] = {{
    .name = "similarity_score",
    .title = "similarity of all pairs of documents: two rows of features per thread",
    .origin = "SimilarityScore (Mars, MapReduce)",
    .rows = rows,
    .input = "random features below 1.01",
    .differs = "All ordered pairs, and no reduction, which the original has not either.",
    .ptx = similarity_score_ptx,
    .ptx_name = "similarity_score.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::similarity_score
