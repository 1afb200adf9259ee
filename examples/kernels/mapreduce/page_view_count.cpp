#include "kernels/mapreduce/mapreduce.hpp"
#include "page_view_count.ptx.hpp"

namespace warpkit::kernels::page_view_count {
namespace {

constexpr parameter parameters[] = {
    {"lines", "views", "in the log", 1024, 131072, 1, 1u << 20},
    {"pages", "pages", "that there are", 200, 5000, 1, 1u << 20},
    {"block", "threads", "per CTA", 256, 256, 32, 1024, parameter::rule::power_of_two},
    seed,
};

text_records make_log(std::uint32_t lines, std::uint32_t pages, random_numbers& random) {
    text_records log;
    for (std::uint32_t i = 0; i < lines; ++i) {
        // Few pages have most of the views.
        auto const page = std::min(random.below(pages), random.below(pages));
        auto line = "http://www.site" + std::to_string(page % 97) + ".org/" +
                    std::string(page * 31 % 40, static_cast<char>('a' + page % 26)) + "/page" +
                    std::to_string(page) + ".html\t10.";
        for (int k = 0; k < 3; ++k) line += std::to_string(random.below(256)) + (k < 2 ? '.' : '\t');
        line += std::to_string(random.below(1u << 30)) + '\n';
        log.first.push_back(static_cast<std::int32_t>(log.text.size()));
        log.text.insert(log.text.end(), line.begin(), line.end());
    }
    return log;
}

void run(device& d, values const& v) {
    auto const n = v.u32("lines");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const log = make_log(n, v.u32("pages"), random);

    auto const text = d.upload(log.text);
    auto const first = d.upload(log.first);
    auto const sizes_device = d.allocate<std::int32_t>(n);
    dim3 const grid{ceil_div(n, block)};
    d.launch("map_count", grid, {block}, 0, text, first, sizes_device, n);
    std::vector<std::int32_t> sizes;
    std::vector<std::uint8_t> addresses;
    std::vector<std::uint64_t> keys;
    for (auto const begin : log.first) {
        auto const* const at = log.text.data() + begin;
        auto const* const end = std::find(at, log.text.data() + log.text.size(), '\t');
        addresses.insert(addresses.end(), at, end);
        sizes.push_back(static_cast<std::int32_t>(end - at));
        keys.push_back(std::uint64_t{hash_of(at, end)} << 32 | keys.size());
    }
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

    auto const views_device = d.allocate<std::int32_t>(n);
    d.launch("reduce", grid, {block}, 0, keys_device, views_device, n);
    std::vector<std::int32_t> views(n);
    for (std::size_t i = 0, start = 0; i < n; ++i) {
        if (keys[i] >> 32 != keys[start] >> 32) start = i;
        ++views[start];
    }
    check_equal(v, "views", d.download(views_device), views);
}

constexpr paper_row rows[] = {{paper::owl, "PVC"}};

constexpr workload shipped[] = {{
    .name = "page_view_count",
    .title = "views per page out of a log: map byte by byte, bitonic sort, reduce",
    .origin = "PageViewCount (Mars, MapReduce)",
    .rows = rows,
    .input = "a log of lines with an address, a visitor and a cookie; few pages have most of the views",
    .differs =
        "One round where the original has two, the first of which removes views counted twice. Keys are "
        "compared by their hashes, and the sums between the passes are the host's.",
    .ptx = page_view_count_ptx,
    .ptx_name = "page_view_count.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::page_view_count
