#include "gemm_wgmma.ptx.hpp"
#include "kernels/language/gemm_boxes.hpp"

namespace warpkit::kernels::gemm_wgmma {
namespace {

void run(device& d, values const& v) { gemm_boxes::run(d, v, "gemm_wgmma", 384, 4, 0); }

constexpr workload shipped[] = {
    {
        .name = "gemm_wgmma",
        .title = "dense product of half-precision matrices by warpgroups (wgmma); a warpgroup of its own "
                 "fills a ring of four stages (TMA)",
        .origin = "CUTLASS 3 on Hopper, warp specialised; the first product of a feed-forward layer of GPT-2 "
                  "small: 2,048 tokens, 3,072 x 768",
        .input = "random multiples of 1/8 from -1 to 1",
        .differs = "Tiles are 128 x 128 x 64, in the order of rows; no cluster shares what is brought, and a "
                   "CTA makes one tile. Exact.",
        .ptx = gemm_wgmma_ptx,
        .ptx_name = "gemm_wgmma.ptx",
        .parameters = gemm_boxes::parameters,
        .run = run,
        .needs = {.bulk_copies = true, .group_products = true},
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gemm_wgmma
