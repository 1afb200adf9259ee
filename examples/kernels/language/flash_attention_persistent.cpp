#include "flash_attention_persistent.ptx.hpp"
#include "kernels/language/attention.hpp"

#include <algorithm>

namespace warpkit::kernels::flash_attention_persistent {
namespace {

constexpr auto common = attention::inputs(128, {1, 2}, {2, 32}, {1, 8});
constexpr parameter parameters[] = {
    common[0],
    common[1],
    common[2],
    common[3],
    {"ctas", "CTAs", "of the grid; the cores of the machine", 4, 132, 1, 1024},
    common[4],
    common[5],
};

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
        // A tile of q and one of out, two of each k and v, ten mbarriers.
        constexpr std::uint32_t shared = 6 * 128 * dim * 2 + 10 * 8;
        auto const tiles = in.tokens / 128 * in.heads * in.sequences;
        d.launch("flash_attention_persistent", {std::min(v.u32("ctas"), tiles)}, {384}, shared, q, k, v_map,
                 out_map, in.tokens, in.sequences, in.heads, in.key_heads, v.u32("causal"),
                 in.scale_to_base_2());
        return d.download(out);
    });
}

constexpr workload shipped[] = {
    {
        .name = "flash_attention_persistent",
        .title =
            "flash_attention_wgmma by as many CTAs as there are cores, each of which makes one tile of rows "
            "after the other",
        .origin = "FlashAttention-3; prefill of Llama-3-8B, 2 sequences of 1,024 tokens, 32 heads of queries "
                  "and 8 of keys",
        .input = "queries uniform from -8 to 8, keys and values from -1 to 1",
        .differs = "Tokens are a multiple of 128; tiles are 128 x 128 (there 128 x 176 without a mask), "
                   "heads of 128 "
                   "elements; a CTA takes every `ctas`th tile. Checked as flash_attention_64.",
        .ptx = flash_attention_persistent_ptx,
        .ptx_name = "flash_attention_persistent.ptx",
        .parameters = parameters,
        .run = run,
        .needs = {.bulk_copies = true, .group_products = true},
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::flash_attention_persistent
