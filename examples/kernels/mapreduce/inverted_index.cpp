#include "inverted_index.ptx.hpp"
#include "kernels/mapreduce/mapreduce.hpp"

#include <string_view>

namespace warpkit::kernels::inverted_index {
namespace {

constexpr std::string_view opening = "<a href=\"";

constexpr parameter parameters[] = {
    {"documents", "documents", "to look through", 512, 65536, 1, 1u << 20},
    {"words", "words", "in a document on average; an eighth of them are links", 4, 8, 1, 1024},
    {"addresses", "addresses", "that are linked to", 300, 5000, 1, 1u << 20},
    {"block", "threads", "per CTA", 256, 256, 32, 1024, parameter::rule::power_of_two},
    seed,
};

text_records make_documents(values const& v) {
    random_numbers random(v["seed"]);
    text_records all;
    for (auto left = v["documents"]; left > 0; --left) {
        all.first.push_back(static_cast<std::int32_t>(all.text.size()));
        std::string text;
        for (auto words = v.u32("words") / 2 + random.below(v.u32("words") + 1); words > 0; --words) {
            if (random.below(8) == 0) {
                auto const address = random.below(v.u32("addresses"));
                text.append(opening);
                text +=
                    "http://" + std::string(address % 17, 'w') + std::to_string(address) + "/\">here</a> ";
            } else {
                text += random.below(12) == 0 ? "<b>so</b> " : std::string(1 + random.below(9), 'e') + ' ';
            }
        }
        all.text.insert(all.text.end(), text.begin(), text.end());
    }
    all.first.push_back(static_cast<std::int32_t>(all.text.size()));
    return all;
}

void run(device& d, values const& v) {
    auto const n = v.u32("documents");
    auto const block = v.u32("block");
    auto const documents = make_documents(v);

    d.write_symbol("opening", std::vector<char>(opening.begin(), opening.end()));
    auto const text = d.upload(documents.text);
    auto const first = d.upload(documents.first);
    auto const links_device = d.allocate<std::int32_t>(n);
    dim3 const grid{ceil_div(n, block)};
    d.launch("map_count", grid, {block}, 0, text, first, links_device, n);
    std::vector<std::int32_t> links;
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < n; ++i) {
        auto const before = keys.size();
        auto const end = documents.text.begin() + documents.first[i + 1];
        for (auto at = documents.text.begin() + documents.first[i];;) {
            at = std::search(at, end, opening.begin(), opening.end());
            if (at == end) break;
            at += static_cast<std::ptrdiff_t>(opening.size());
            auto const quote = std::find(at, end, '"');
            keys.push_back(std::uint64_t{hash_of(&*at, &*quote)} << 32 | i);
            at = quote;
        }
        links.push_back(static_cast<std::int32_t>(keys.size() - before));
    }
    check_equal(v, "links", d.download(links_device), links);

    auto const places = d.upload(begins(links));
    auto const keys_device = d.upload(std::vector<std::uint64_t>(sorted_size(keys.size()), no_key));
    d.launch("map_emit", grid, {block}, 0, text, first, places, keys_device, n);
    sort_on_device(d, keys_device, block);
    keys.resize(keys_device.count, no_key);
    std::sort(keys.begin(), keys.end());
    check_equal(v, "keys", d.download(keys_device), keys);
}

constexpr paper_row rows[] = {{paper::owl, "IIX"}};

constexpr workload shipped[] = {{
    .name = "inverted_index",
    .title = "the documents that link to each address: texts searched byte by byte, then sorted",
    .origin = "InvertedIndex (Mars, MapReduce)",
    .rows = rows,
    .input = "documents of words, tags and links to random addresses",
    .differs = "Addresses are compared by their hashes, and the sums between the passes are the host's.",
    .ptx = inverted_index_ptx,
    .ptx_name = "inverted_index.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::inverted_index
