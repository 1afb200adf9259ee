#include "histo.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::histo {
namespace {

constexpr parameter parameters[] = {
    {"pairs", "pairs of pixels", "in a line", 64, 498, 1, 1024},
    {"lines", "lines", "of the image", 32, 1040, 16, 8192, parameter::rule::multiple_of_16},
    {"ranges", "ranges", "of 24,576 bins, of which the input lies in one or two", 3, 43, 2, 255},
    {"shares", "shares", "of the input, a CTA each for every range with input", 3, 14, 1, 1024},
    seed,
};

constexpr std::uint32_t range_bins = 24576;

void run(device& d, values const& v) {
    auto const pairs = v.u32("pairs");
    auto const lines = v.u32("lines");
    auto const shares = v.u32("shares");
    auto const bins = v.u32("ranges") * range_bins;
    auto const size = 2 * pairs * lines;
    random_numbers random(v["seed"]);
    // A bell around the middle of the histogram, one pixel of 16 at its top; and one of 4096 anywhere.
    auto const in = random.vector(size, [bins](random_numbers& r) {
        if (r.below(4096) == 0) return r.below(bins);
        if (r.below(16) == 0) return bins / 2;
        std::uint32_t sum = 0;
        for (int i = 0; i < 4; ++i) sum += r.below(1024);
        return bins / 2 + sum - 2048;
    });
    std::vector<std::uint32_t> count(bins);
    for (auto const bin : in) ++count[bin];
    std::vector<std::uint8_t> expected;
    for (auto const c : count) expected.push_back(static_cast<std::uint8_t>(std::min(c, 255u)));

    auto const in_device = d.upload(in);
    auto const limits = d.upload(std::vector<std::uint32_t>{~0u, 0});
    d.launch("histo_prescan", {64}, {512}, 0, in_device, size, limits);
    auto const found_limits = d.download(limits);
    auto const lowest = std::min(found_limits[0], bins / range_bins - 1);
    auto const highest = std::min(found_limits[1], bins / range_bins - 1);
    if (lowest > highest)
        throw error("histo: wrong value left in memory: limits are " + std::to_string(lowest) + " and " +
                    std::to_string(highest) + ", expected a lower and a higher one");

    auto const parts = d.allocate<std::uint32_t>(size);
    auto const found = d.allocate<std::uint32_t>(std::size_t{shares} * bins / 4);
    auto const outside = d.allocate<std::uint16_t>(bins);
    auto const overflow = d.allocate<std::uint32_t>(bins);
    auto const out = d.allocate<std::uint8_t>(bins);
    d.launch("histo_intermediates", {lines / 16}, {pairs}, 0, in_device, parts);
    d.launch("histo_main", {shares, highest - lowest + 1}, {768}, 0, parts, size, lowest, highest, bins / 4,
             found, outside, overflow);
    d.launch("histo_final", {3 * shares}, {512}, 0, lowest, highest, bins / 4, shares, found, outside,
             overflow, out);
    check_equal(v, "out", d.download(out), expected);
}

constexpr paper_row rows[] = {{paper::elf, "HIST", "prescan_kernel", "histo_prescan"},
                              {paper::elf, "HIST", "intermediates_kernel", "histo_intermediates"},
                              {paper::elf, "HIST", "main_kernel", "histo_main"},
                              {paper::elf, "HIST", "final_kernel", "histo_final"}};

constexpr workload shipped[] = {
    {
        .name = "histo",
        .title = "large histogram that saturates at 255, most of it in shared memory",
        .origin = "histo (Parboil)",
        .rows = rows,
        .input = "pixels whose bins make a bell around the middle, one of 16 in one bin, one of 4096 "
                 "anywhere",
        .differs = "Counters that overflow into their neighbours in a word are put right by our own "
                   "rule. One iteration; Parboil makes 20 to 10,000, all alike. The full size is "
                   "Parboil's image of 996 x 1040.",
        .ptx = histo_ptx,
        .ptx_name = "histo.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::histo
