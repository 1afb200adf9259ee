#include "kernels/mapreduce/mapreduce.hpp"
#include "page_view_rank.ptx.hpp"

namespace warpkit::kernels::page_view_rank {
namespace {

constexpr parameter parameters[] = {
    {"pages", "lines", "with a page's address and its views", 1024, 131072, 1, 1u << 20},
    {"block", "threads", "per CTA", 256, 256, 32, 1024, parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("pages");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    text_records lines;
    std::vector<std::int32_t> sizes;
    std::vector<std::uint8_t> addresses;
    std::vector<std::uint64_t> keys;
    for (std::uint32_t i = 0; i < n; ++i) {
        auto const address = "http://www.site" + std::to_string(random.below(97)) + ".org/" +
                             std::string(random.below(30), static_cast<char>('a' + i % 26)) +
                             std::to_string(i);
        auto const views = random.below(1u << random.below(20));
        auto const line = address + '\t' + std::to_string(views) + '\n';
        lines.first.push_back(static_cast<std::int32_t>(lines.text.size()));
        lines.text.insert(lines.text.end(), line.begin(), line.end());
        addresses.insert(addresses.end(), address.begin(), address.end());
        sizes.push_back(static_cast<std::int32_t>(address.size()));
        keys.push_back(std::uint64_t{views} << 32 | i);
    }

    auto const text = d.upload(lines.text);
    auto const first = d.upload(lines.first);
    auto const sizes_device = d.allocate<std::int32_t>(n);
    dim3 const grid{ceil_div(n, block)};
    d.launch("map_count", grid, {block}, 0, text, first, sizes_device, n);
    check_equal(v, "sizes", d.download(sizes_device), sizes);
    auto const places = d.upload(begins(sizes));
    auto const addresses_device = d.allocate<std::uint8_t>(addresses.size());
    auto const keys_device = d.upload(std::vector<std::uint64_t>(sorted_size(n), no_key));
    d.launch("map_emit", grid, {block}, 0, text, first, places, addresses_device, keys_device, n);
    check_equal(v, "addresses", d.download(addresses_device), addresses);
    sort_on_device(d, keys_device, block);
    keys.resize(keys_device.count, no_key);
    std::sort(keys.begin(), keys.end());
    check_equal(v, "keys", d.download(keys_device), keys);
}

constexpr paper_row rows[] = {{paper::owl, "PVR"}};

constexpr workload shipped[] = {{
    .name = "page_view_rank",
    .title = "pages in the order of their views: lines read byte by byte, then sorted",
    .origin = "PageViewRank (Mars, MapReduce)",
    .rows = rows,
    .input = "lines of an address and a number, small ones likelier",
    .differs = "The sums between the passes are the host's.",
    .ptx = page_view_rank_ptx,
    .ptx_name = "page_view_rank.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::page_view_rank
