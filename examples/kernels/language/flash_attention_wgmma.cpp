#include "flash_attention_wgmma.ptx.hpp"
#include "kernels/language/attention.hpp"

namespace warpkit::kernels::flash_attention_wgmma {
namespace {

constexpr auto parameters = attention::inputs(128, {1, 2}, {2, 32}, {1, 8});

void run(device& d, values const& v) {
    constexpr std::uint32_t dim = 128;
    attention::run(v, dim, [&](attention::input const& in) {
        auto const rows = std::uint64_t{in.sequences} * in.tokens;
        auto const map = [&](device_array<halves::half> of, std::uint32_t heads, std::uint32_t box_rows) {
            return halves::map_of(d, of, rows, std::uint64_t{heads} * dim, box_rows);
        };
        auto const out = d.allocate<halves::half>(in.q.size());
        auto const q = map(d.upload(in.q), in.heads, 128);
        auto const k = map(d.upload(in.k), in.key_heads, 128);
        auto const v_map = map(d.upload(in.v), in.key_heads, 128);
        auto const out_map = map(out, in.heads, 64);
        // A tile of q, three of each k and v, thirteen mbarriers.
        constexpr std::uint32_t shared = 7 * 128 * dim * 2 + 13 * 8;
        d.launch("flash_attention_wgmma", {in.tokens / 128, in.heads, in.sequences}, {384}, shared, q, k,
                 v_map, out_map, in.tokens, in.key_heads, v.u32("causal"), in.scale_to_base_2());
        return d.download(out);
    });
}

constexpr workload shipped[] = {
    {
        .name = "flash_attention_wgmma",
        .title = "attention in one kernel by products of warpgroups; a warpgroup of its own has keys and "
                 "values brought (TMA)",
        .origin = "FlashAttention-3; prefill of Llama-3-8B, 2 sequences of 1,024 tokens, 32 heads of queries "
                  "and 8 of keys",
        .input = "queries uniform from -8 to 8, keys and values from -1 to 1",
        .differs =
            "Tokens are a multiple of 128; tiles are 128 x 128, heads of 128 elements; a CTA has one tile "
            "of queries. Checked as flash_attention_64.",
        .ptx = flash_attention_wgmma_ptx,
        .ptx_name = "flash_attention_wgmma.ptx",
        .parameters = parameters,
        .run = run,
        .needs = {.bulk_copies = true, .group_products = true},
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::flash_attention_wgmma
