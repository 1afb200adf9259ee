#include "kernels/language/halves.hpp"
#include "rotary_embedding.ptx.hpp"

namespace warpkit::kernels::rotary_embedding {
namespace {

constexpr parameter parameters[] = {
    {"tokens", "rows", "of a batch", 16, 8192, 1, 1u << 17},
    {"heads", "heads", "of queries", 32, 32, 1, 128},
    {"key_heads", "heads", "of keys", 8, 8, 1, 128},
    {"dim", "elements", "of a head", 128, 128, 16, 256, parameter::rule::multiple_of_16},
    {"block", "threads", "per CTA, of one token", 128, 128, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const tokens = v.u32("tokens");
    auto const heads = v.u32("heads");
    auto const key_heads = v.u32("key_heads");
    auto const dim = v.u32("dim");
    constexpr std::uint32_t longest = 8192;
    constexpr double base = 500000; // of Llama 3
    random_numbers random(v["seed"]);
    auto const queries = halves::random_halves(random, std::size_t{tokens} * heads * dim);
    auto const keys = halves::random_halves(random, std::size_t{tokens} * key_heads * dim);
    auto const positions =
        random.vector(tokens, [](random_numbers& r) { return static_cast<std::int32_t>(r.below(longest)); });
    std::vector<float> cosines, sines;
    for (std::uint32_t position = 0; position < longest; ++position)
        for (std::uint32_t i = 0; i < dim / 2; ++i) {
            auto const angle = position * std::pow(base, -2.0 * i / dim);
            cosines.push_back(static_cast<float>(std::cos(angle)));
            sines.push_back(static_cast<float>(std::sin(angle)));
        }
    auto const queries_device = d.upload(queries);
    auto const keys_device = d.upload(keys);
    auto const positions_device = d.upload(positions);
    auto const cosines_device = d.upload(cosines);
    auto const sines_device = d.upload(sines);
    d.launch("rotary_embedding", {tokens}, {v.u32("block")}, 0, queries_device, keys_device, positions_device,
             cosines_device, sines_device, heads, key_heads, dim / 2);

    auto const check = [&](char const* array, std::vector<halves::half> const& before,
                           std::vector<halves::half> const& found, std::size_t of) {
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (i % dim >= dim / 2) continue;
            auto const at = static_cast<std::size_t>(positions[i / dim / of]) * (dim / 2) + i % dim;
            auto const x = halves::double_of(before[i]);
            auto const y = halves::double_of(before[i + dim / 2]);
            auto const cosine = double{cosines[at]};
            auto const sine = double{sines[at]};
            // The two terms may cancel.
            halves::check_number(v, array, i, halves::double_of(found[i]), x * cosine - y * sine,
                                 halves::rounding, 0x1p-22);
            halves::check_number(v, array, i + dim / 2, halves::double_of(found[i + dim / 2]),
                                 y * cosine + x * sine, halves::rounding, 0x1p-22);
        }
    };
    check("queries", queries, d.download(queries_device), heads);
    check("keys", keys, d.download(keys_device), key_heads);
}

constexpr workload shipped[] = {
    {
        .name = "rotary_embedding",
        .title = "pairs of elements of queries and keys turned by their positions, in place, a CTA a token",
        .origin = "Llama-3-8B: 8,192 tokens, 32 heads of queries and 8 of keys, of 128 elements",
        .input = "elements uniform from -1 to 1, positions below 8,192",
        .differs =
            "Half precision, where Llama has bfloat16; cosines and sines from a table, as in vLLM. Checked "
            "against double precision to 5.2e-4 of a value, of which rounding is 4.9e-4, plus 2^-22.",
        .ptx = rotary_embedding_ptx,
        .ptx_name = "rotary_embedding.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::rotary_embedding
