#include "gemm_tcgen05.ptx.hpp"
#include "kernels/language/gemm_boxes.hpp"

namespace warpkit::kernels::gemm_tcgen05 {
namespace {

constexpr parameter parameters[] = {
    gemm_boxes::parameters[0],
    gemm_boxes::parameters[1],
    gemm_boxes::parameters[2],
    {"skew", "stages", "of k that CTAs side by side begin apart; 0: all begin with the first", 1, 1, 0, 256},
    seed,
};

void run(device& d, values const& v) { gemm_boxes::run(d, v, "gemm_tcgen05", 192, 3, 16, v.u32("skew")); }

constexpr workload shipped[] = {
    {
        .name = "gemm_tcgen05",
        .title =
            "dense product of half-precision matrices into tensor memory (tcgen05); one warp fills a ring "
            "of three stages (TMA), a thread of another orders the products",
        .origin =
            "CUTLASS 3 on Blackwell, warp specialised; the first product of a feed-forward layer of GPT-2 "
            "small: 2,048 tokens, 3,072 x 768",
        .input = "random multiples of 1/8 from -1 to 1",
        .differs = "Tiles are 128 x 128 x 64, in the order of rows; no cluster shares what is brought, and a "
                   "CTA makes one tile. Exact.",
        .ptx = gemm_tcgen05_ptx,
        .ptx_name = "gemm_tcgen05.ptx",
        .parameters = parameters,
        .run = run,
        .needs = {.bulk_copies = true, .tensor_memory = true},
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gemm_tcgen05
