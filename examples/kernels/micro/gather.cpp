#include "gather.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::gather {
namespace {

constexpr parameter parameters[] = {
    {"threads", "threads", "that follow pointers", 8192, 65536, 1, 1u << 22},
    {"hops", "loads", "per thread", 32, 64, 1, 4096},
    {"regions", "regions", "that the table is made of; warps take them in turn", 256, 2048, 1, 1u << 16},
    {"region", "nodes", "of 8 bytes per region; no pointer leads out of its region", 256, 256, 1, 1024},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

struct alignas(8) node {
    std::uint32_t next;
    std::uint32_t value;
};

void run(device& d, values const& v) {
    auto const threads = v.u32("threads");
    auto const hops = v.u32("hops");
    auto const regions = v.u32("regions");
    auto const region = v.u32("region");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    std::vector<node> nodes(std::size_t{regions} * region);
    for (std::uint32_t r = 0; r < regions; ++r)
        for (std::uint32_t i = 0; i < region; ++i)
            nodes[r * region + i] = {r * region + random.below(region), random.below(1u << 20)};
    std::vector<std::uint32_t> start(threads);
    for (std::uint32_t i = 0; i < threads; ++i) start[i] = i / 32 % regions * region + random.below(region);
    std::vector<std::uint32_t> expected(threads);
    for (std::size_t i = 0; i < threads; ++i) {
        auto at = start[i];
        for (std::uint32_t h = 0; h < hops; ++h) {
            expected[i] += nodes[at].value;
            at = nodes[at].next;
        }
        expected[i] ^= at;
    }

    auto const nodes_device = d.upload(nodes);
    auto const start_device = d.upload(start);
    auto const sums = d.allocate<std::uint32_t>(threads);
    d.launch("gather", {ceil_div(threads, block)}, {block}, 0, nodes_device, start_device, sums, threads,
             hops);
    check_equal(v, "sums", d.download(sums), expected);
}

constexpr workload shipped[] = {
    {
        .name = "gather",
        .title = "pointer chase through a table, each warp again and again through its own part",
        .origin = "the cache-sensitive kernels of the scheduling papers",
        .input = "a table of (next, value) in regions, pointers at random within a region; warps take the "
                 "regions in turn",
        .differs = "Nobody's kernel, but a dial: with `regions` at least the number of warps, each warp's "
                   "working set is `8 * region` bytes, read `hops` times per lane in no order, so what "
                   "fits in the L1 with few warps does not with many.",
        .ptx = gather_ptx,
        .ptx_name = "gather.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gather
