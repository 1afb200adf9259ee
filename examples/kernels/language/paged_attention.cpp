#include "kernels/language/halves.hpp"
#include "paged_attention.ptx.hpp"

namespace warpkit::kernels::paged_attention {
namespace {

constexpr std::uint32_t dim = 128;
constexpr std::uint32_t shared_heads = 4;
constexpr std::uint32_t tokens_of_block = 16;
constexpr std::uint32_t part = 256;

constexpr parameter parameters[] = {
    {"sequences", "sequences", "of a batch", 2, 16, 1, 256},
    {"key_heads", "heads", "of keys, each for four of queries", 2, 8, 1, 16},
    {"tokens", "tokens", "of the longest sequence", 528, 4096, 16, 65536, parameter::rule::multiple_of_16},
    seed,
};

void run(device& d, values const& v) {
    auto const sequences = v.u32("sequences");
    auto const key_heads = v.u32("key_heads");
    auto const longest = v.u32("tokens");
    auto const heads = key_heads * shared_heads;
    auto const blocks_of_sequence = longest / tokens_of_block;
    auto const parts = ceil_div(longest, part);
    random_numbers random(v["seed"]);
    // The first is the longest; the others have at least half its length.
    std::vector<std::int32_t> lengths;
    for (std::uint32_t i = 0; i < sequences; ++i)
        lengths.push_back(
            static_cast<std::int32_t>(i == 0 ? longest : longest / 2 + random.below(longest / 2)));
    std::vector<std::int32_t> table(std::size_t{sequences} * blocks_of_sequence);
    for (std::size_t i = 0; i < table.size(); ++i) {
        auto const other = random.below(static_cast<std::uint32_t>(i + 1));
        table[i] = table[other];
        table[other] = static_cast<std::int32_t>(i);
    }
    auto const cached = table.size() * tokens_of_block * key_heads * dim;
    auto const queries = halves::random_halves(random, std::size_t{sequences} * heads * dim, 8);
    auto const keys = halves::random_halves(random, cached);
    auto const stored = halves::random_halves(random, cached);

    auto const all_heads = std::size_t{sequences} * heads;
    auto const sums = d.allocate<float>(all_heads * parts * dim);
    auto const most = d.allocate<float>(all_heads * parts);
    auto const weight = d.allocate<float>(all_heads * parts);
    auto const out = d.allocate<halves::half>(all_heads * dim);
    auto const lengths_device = d.upload(lengths);
    auto const to_base_2 = static_cast<float>(1 / std::log(2.0) / std::sqrt(double{dim}));
    auto const queries_device = d.upload(queries);
    auto const keys_device = d.upload(keys);
    auto const stored_device = d.upload(stored);
    auto const table_device = d.upload(table);
    d.launch("paged_attention", {parts, key_heads, sequences}, {dim}, 0, queries_device, keys_device,
             stored_device, table_device, lengths_device, sums, most, weight, blocks_of_sequence, to_base_2);
    d.launch("paged_attention_join", {heads, sequences}, {dim}, 0, sums, most, weight, lengths_device, out,
             parts);

    auto const found = d.download(out);
    std::vector<double> scores(longest);
    for (std::size_t sequence = 0; sequence < sequences; ++sequence)
        for (std::size_t head = 0; head < heads; ++head) {
            auto const length = static_cast<std::size_t>(lengths[sequence]);
            auto const row = [&](std::size_t token) {
                auto const block =
                    static_cast<std::size_t>(table[sequence * blocks_of_sequence + token / tokens_of_block]);
                return ((block * key_heads + head / shared_heads) * tokens_of_block +
                        token % tokens_of_block) *
                       dim;
            };
            auto const query = (sequence * heads + head) * dim;
            double greatest = -1e300;
            for (std::size_t token = 0; token < length; ++token) {
                double dot = 0;
                for (std::size_t i = 0; i < dim; ++i)
                    dot += halves::double_of(queries[query + i]) * halves::double_of(keys[row(token) + i]);
                scores[token] = dot / std::sqrt(double{dim});
                greatest = std::max(greatest, scores[token]);
            }
            double sum = 0;
            std::vector<double> expected(dim);
            for (std::size_t token = 0; token < length; ++token) {
                auto const share = std::exp(scores[token] - greatest);
                sum += share;
                for (std::size_t i = 0; i < dim; ++i)
                    expected[i] += share * halves::double_of(stored[row(token) + i]);
            }
            for (std::size_t i = 0; i < dim; ++i)
                halves::check_number(v, "out", query + i, halves::double_of(found[query + i]),
                                     expected[i] / sum, halves::rounding, 0x1p-16);
        }
}

constexpr workload shipped[] = {
    {
        .name = "paged_attention",
        .title = "attention of one token of each sequence to keys and values in blocks that a table names, "
                 "split over the sequence",
        .origin = "decode of Llama-3-8B: 16 sequences of up to 4,096 tokens, 32 heads of queries and 8 of "
                  "keys; vLLM, Flash-Decoding",
        .input = "queries uniform from -8 to 8, keys and values from -1 to 1, lengths from half the longest "
                 "on, blocks in random places",
        .differs =
            "Half precision, where Llama has bfloat16; blocks of 16 tokens with elements contiguous. Checked "
            "against double precision to 5.2e-4 of a value, of which rounding is 4.9e-4, plus 2^-16.",
        .ptx = paged_attention_ptx,
        .ptx_name = "paged_attention.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::paged_attention
