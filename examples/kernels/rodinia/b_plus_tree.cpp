#include "b_plus_tree.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>
#include <limits>

namespace warpkit::kernels::b_plus_tree {
namespace {

constexpr std::uint32_t order = 256;

constexpr parameter parameters[] = {
    {"keys", "keys", "in the tree", 20000, 1000000, 1, 1u << 22},
    {"queries", "CTAs", "each of which looks for one key", 80, 10000, 1, 1u << 16},
    {"ranges", "CTAs", "each of which looks for both ends of a range", 60, 6000, 1, 1u << 16},
    seed,
};

struct node {
    std::int32_t location;
    std::int32_t indices[order + 1];
    std::int32_t keys[order + 1];
    std::int32_t is_leaf;
    std::int32_t count;
};

struct tree {
    std::vector<node> nodes; // the root is the first
    std::int32_t height = 0; // levels above the leaves
};

// A tree of nodes as full as `fill` says over ascending keys, level by level from the leaves up; then the root comes
// first.
tree make_tree(std::vector<std::int32_t> const& keys, std::size_t fill) {
    struct entry {
        std::int32_t key;
        std::int32_t index;
    };
    std::vector<entry> below;
    for (std::size_t i = 0; i < keys.size(); ++i) below.push_back({keys[i], static_cast<std::int32_t>(i)});
    tree t;
    for (bool leaves = true;; leaves = false) {
        std::vector<entry> level;
        for (std::size_t first = 0; first < below.size(); first += fill) {
            node n{};
            n.location = static_cast<std::int32_t>(t.nodes.size());
            n.is_leaf = leaves ? 1 : 0;
            n.count = static_cast<std::int32_t>(std::min(fill, below.size() - first));
            std::fill(std::begin(n.keys), std::end(n.keys), std::numeric_limits<std::int32_t>::max());
            for (std::size_t i = 0; i < static_cast<std::size_t>(n.count); ++i) {
                n.keys[i] = below[first + i].key;
                n.indices[i] = below[first + i].index;
            }
            level.push_back({n.keys[0], n.location});
            t.nodes.push_back(n);
        }
        if (level.size() == 1) break;
        below = std::move(level);
        ++t.height;
    }
    std::swap(t.nodes.front(), t.nodes.back());
    auto const last = static_cast<std::int32_t>(t.nodes.size() - 1);
    for (auto& n : t.nodes)
        if (n.is_leaf == 0)
            for (auto& i : n.indices) i = i == 0 ? last : i == last ? 0 : i;
    std::swap(t.nodes.front().location, t.nodes.back().location);
    return t;
}

void run(device& d, values const& v) {
    auto const count = v.u32("keys");
    auto const queries = v.u32("queries");
    auto const ranges = v.u32("ranges");
    random_numbers random(v["seed"]);
    std::vector<std::int32_t> keys(count);
    std::int32_t key = 0;
    for (auto& k : keys) k = key += 1 + static_cast<std::int32_t>(random.below(3));
    auto const records = random.vector(
        count, [](random_numbers& r) { return static_cast<std::int32_t>(r.below(1u << 30)) + 1; });
    auto const t = make_tree(keys, order - 1);
    std::vector<std::int32_t> wanted(queries), answers(queries);
    for (std::size_t i = 0; i < queries; ++i) {
        auto const at = random.below(count);
        wanted[i] = keys[at];
        answers[i] = records[at];
    }
    std::vector<std::int32_t> start(ranges), end(ranges), record(ranges), length(ranges);
    for (std::size_t i = 0; i < ranges; ++i) {
        auto const first = random.below(count);
        auto const last = std::min(first + random.below(1000), count - 1);
        start[i] = keys[first];
        end[i] = keys[last];
        record[i] = static_cast<std::int32_t>(first);
        length[i] = static_cast<std::int32_t>(last - first + 1);
    }

    auto const nodes = d.upload(t.nodes);
    auto const node_count = static_cast<std::uint32_t>(t.nodes.size());
    auto const records_device = d.upload(records);
    auto const wanted_device = d.upload(wanted);
    auto const current = d.allocate<std::int32_t>(queries);
    auto const next = d.allocate<std::int32_t>(queries);
    auto const answers_device = d.allocate<std::int32_t>(queries);
    d.launch("find_key", {queries}, {order}, 0, t.height, nodes, node_count, records_device, current, next,
             wanted_device, answers_device);
    auto const start_device = d.upload(start);
    auto const end_device = d.upload(end);
    auto const first = d.allocate<std::int32_t>(ranges);
    auto const next_first = d.allocate<std::int32_t>(ranges);
    auto const last = d.allocate<std::int32_t>(ranges);
    auto const next_last = d.allocate<std::int32_t>(ranges);
    auto const record_device = d.allocate<std::int32_t>(ranges);
    auto const length_device = d.allocate<std::int32_t>(ranges);
    d.launch("find_range", {ranges}, {order}, 0, t.height, nodes, node_count, first, next_first, last,
             next_last, start_device, end_device, record_device, length_device);
    check_equal(v, "answers", d.download(answers_device), answers);
    check_equal(v, "record", d.download(record_device), record);
    check_equal(v, "length", d.download(length_device), length);
}

constexpr paper_row rows[] = {{paper::elf, "BT", "findK", "find_key"},
                              {paper::elf, "BT", "findRangeK", "find_range"}};

constexpr workload shipped[] = {{
    .name = "b_plus_tree",
    .title = "searches for keys and for ranges in a B+ tree, a CTA per query",
    .origin = "b+tree (Rodinia)",
    .rows = rows,
    .input = "a tree of order 256 over ascending random keys, and queries for keys that are there",
    .differs = "The tree is built in one go, with 255 keys to a node. Numbers of queries from memory.",
    .ptx = b_plus_tree_ptx,
    .ptx_name = "b_plus_tree.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::b_plus_tree
