#include "flash_attention.ptx.hpp"
#include "kernels/language/attention.hpp"

namespace warpkit::kernels::flash_attention {
namespace {

constexpr auto gpt2 = attention::inputs(64, {1, 4}, {2, 12}, {2, 12});
constexpr auto llama = attention::inputs(64, {1, 1}, {2, 32}, {1, 8});

template <std::uint32_t Dim>
void run(device& d, values const& v) {
    attention::run(v, Dim, [&](attention::input const& in) {
        auto const out = d.allocate<halves::half>(in.q.size());
        auto const q = d.upload(in.q);
        auto const k = d.upload(in.k);
        auto const v_device = d.upload(in.v);
        d.launch("flash_attention_" + std::to_string(Dim), {in.tokens / 64, in.heads, in.sequences}, {128}, 0,
                 q, k, v_device, out, in.tokens, in.key_heads, v.u32("causal"), in.scale_to_base_2());
        return d.download(out);
    });
}

constexpr workload shipped[] = {
    {
        .name = "flash_attention_64",
        .title = "attention in one kernel: tiles of keys and values, softmax online, mma.sync; heads of 64 "
                 "elements",
        .origin = "FlashAttention-2; GPT-2 small, 4 sequences of 1,024 tokens, 12 heads",
        .input = "queries uniform from -8 to 8, keys and values from -1 to 1",
        .differs = "Tokens are a multiple of 64. Tiles are 64 x 64. Checked against double precision to "
                   "5.2e-4 of a value, of which rounding is 4.9e-4, plus 2^-11.",
        .ptx = flash_attention_ptx,
        .ptx_name = "flash_attention.ptx",
        .parameters = gpt2,
        .run = run<64>,
    },
    {
        .name = "flash_attention_128",
        .title = "the same for heads of 128 elements, four heads of queries to one of keys",
        .origin = "FlashAttention-2; prefill of Llama-3-8B, 1,024 tokens, 32 heads of queries and 8 of keys",
        .input = "queries uniform from -8 to 8, keys and values from -1 to 1",
        .differs = "Tokens are a multiple of 64. Tiles are 64 x 32, so that 48 KiB of shared memory hold "
                   "them. Checked as flash_attention_64.",
        .ptx = flash_attention_ptx,
        .ptx_name = "flash_attention.ptx",
        .parameters = llama,
        .run = run<128>,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::flash_attention
