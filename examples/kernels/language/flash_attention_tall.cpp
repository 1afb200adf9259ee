#include "flash_attention_tall.ptx.hpp"
#include "kernels/language/attention.hpp"

namespace warpkit::kernels::flash_attention_tall {
namespace {

constexpr auto gpt2 = attention::inputs(128, {1, 4}, {2, 12}, {2, 12});
constexpr auto llama = attention::inputs(128, {1, 1}, {2, 32}, {1, 8});

template <std::uint32_t Dim, std::uint32_t Columns>
void run(device& d, values const& v) {
    attention::run(v, Dim, [&](attention::input const& in) {
        auto const out = d.allocate<halves::half>(in.q.size());
        auto const q = d.upload(in.q);
        auto const k = d.upload(in.k);
        auto const v_device = d.upload(in.v);
        constexpr std::uint32_t shared = (128 + 2 * Columns) * Dim * 2;
        d.launch("flash_attention_" + std::to_string(Dim) + "_tall",
                 {in.tokens / 128, in.heads, in.sequences}, {128}, shared, q, k, v_device, out, in.tokens,
                 in.key_heads, v.u32("causal"), in.scale_to_base_2());
        return d.download(out);
    });
}

constexpr workload shipped[] = {
    {
        .name = "flash_attention_64_tall",
        .title = "attention in one kernel by mma.sync; a warp has 32 rows of queries, and each fragment of "
                 "keys and "
                 "values is used twice; heads of 64 elements",
        .origin = "FlashAttention-2 of its authors, tiles of sm_80; GPT-2 small, 4 sequences of 1,024 "
                  "tokens, 12 heads",
        .input = "queries uniform from -8 to 8, keys and values from -1 to 1",
        .differs = "Tokens are a multiple of 128. Tiles are 128 x 128. Checked as flash_attention_64.",
        .ptx = flash_attention_tall_ptx,
        .ptx_name = "flash_attention_tall.ptx",
        .parameters = gpt2,
        .run = run<64, 128>,
    },
    {
        .name = "flash_attention_128_tall",
        .title = "the same for heads of 128 elements, four heads of queries to one of keys",
        .origin = "FlashAttention-2 of its authors, tiles of sm_80; prefill of Llama-3-8B, 1,024 tokens, 32 "
                  "heads of "
                  "queries and 8 of keys",
        .input = "queries uniform from -8 to 8, keys and values from -1 to 1",
        .differs = "Tokens are a multiple of 128. Tiles are 128 x 64. Checked as flash_attention_64.",
        .ptx = flash_attention_tall_ptx,
        .ptx_name = "flash_attention_tall.ptx",
        .parameters = llama,
        .run = run<128, 64>,
        .needs = {.shared_bytes = (128 + 2 * 64) * 128 * 2},
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::flash_attention_tall
