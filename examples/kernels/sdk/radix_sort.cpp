#include "kernels/host.hpp"
#include "radix_sort.ptx.hpp"
#include "scan_host.hpp"

namespace warpkit::kernels::radix_sort {
namespace {

constexpr parameter parameters[] = {
    {"blocks", "blocks", "of 1024 keys", 8, 256, 1, 1u << 14},
    {"digits", "digits", "of four bits each, from the low end, to sort by", 2, 8, 1, 8},
    seed,
};

void run(device& d, values const& v) {
    auto const blocks = v.u32("blocks");
    auto const digits = v.u32("digits");
    auto const n = blocks * 1024;
    random_numbers random(v["seed"]);
    auto const keys =
        random.vector(n, [](random_numbers& r) { return static_cast<std::uint32_t>(r.next()); });
    auto expected = keys;
    auto const mask = static_cast<std::uint32_t>((std::uint64_t{1} << 4 * digits) - 1);
    std::stable_sort(expected.begin(), expected.end(),
                     [mask](std::uint32_t a, std::uint32_t b) { return (a & mask) < (b & mask); });

    auto const halves = 2 * blocks;
    auto const sorted = d.upload(keys);
    auto const in_blocks = d.allocate<std::uint32_t>(n);
    auto const begins = d.allocate<std::uint32_t>(16 * halves);
    auto const counts = d.allocate<std::uint32_t>(16 * halves);
    auto const first = d.allocate<std::uint32_t>(16 * halves);
    for (std::uint32_t bit = 0; bit < 4 * digits; bit += 4) {
        d.launch("radix_sort_blocks", {blocks}, {256}, 0, sorted, in_blocks, bit);
        d.launch("radix_find_offsets", {halves}, {256}, 0, in_blocks, begins, counts, bit);
        launch_scan(d, counts, first);
        d.launch("radix_reorder", {halves}, {256}, 0, in_blocks, sorted, begins, first, bit);
    }
    check_equal(v, "sorted", d.download(sorted), expected);
}

constexpr paper_row rows[] = {{paper::elf, "RS", "radixSortBlocks", "radix_sort_blocks"},
                              {paper::elf, "RS", "findRadixOffsets", "radix_find_offsets"},
                              {paper::elf, "RS", "reorderData", "radix_reorder"}};

constexpr workload shipped[] = {
    {
        .name = "radix_sort",
        .title = "radix sort, four bits a pass",
        .origin = "radixSort (CUDA SDK)",
        .rows = rows,
        .input = "uniform 32-bit keys",
        .differs = "The scan between is that of `scan`. The full size is a quarter of the sample's "
                   "million keys.",
        .ptx = radix_sort_ptx,
        .ptx_name = "radix_sort.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::radix_sort
