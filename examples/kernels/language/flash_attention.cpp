#include "flash_attention.ptx.hpp"
#include "kernels/language/attention.hpp"

namespace warpkit::kernels::flash_attention {
namespace {

constexpr parameter gpt2[] = {
    {"sequences", "sequences", "of a batch", 1, 4, 1, 1024},
    {"heads", "heads", "of queries", 2, 12, 1, 128},
    {"key_heads", "heads", "of keys and values; the heads are a multiple", 2, 12, 1, 128},
    {"tokens", "tokens", "of a sequence", 128, 1024, 64, 16384, parameter::rule::multiple_of_64},
    {"causal", "", "1: a token attends to none behind it; 0: to all", 1, 1, 0, 1},
    seed,
};
constexpr parameter llama[] = {
    {"sequences", "sequences", "of a batch", 1, 1, 1, 1024},
    {"heads", "heads", "of queries", 2, 32, 1, 128},
    {"key_heads", "heads", "of keys and values; the heads are a multiple", 1, 8, 1, 128},
    {"tokens", "tokens", "of a sequence", 128, 1024, 64, 16384, parameter::rule::multiple_of_64},
    {"causal", "", "1: a token attends to none behind it; 0: to all", 1, 1, 0, 1},
    seed,
};

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
