#include "kernels/host.hpp"
#include "mummer.ptx.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace warpkit::kernels::mummer {
namespace {

constexpr parameter parameters[] = {
    {"reference", "letters", "of the sequence that is searched", 3000, 200000, 16, 1u << 22},
    {"queries", "sequences", "to look for", 1000, 50000, 1, 1u << 20},
    {"length", "letters", "of each of them", 25, 25, 1, 1024},
    {"least", "letters", "of a match that counts", 12, 20, 1, 1024},
    {"block", "threads", "per CTA", 64, 64, 1, 1024},
    seed,
};

using letters = std::vector<std::uint8_t>; // 0 to 3; 4 ends the reference

// Ukkonen: On-line construction of suffix trees, 1995. Node 0 is the root, and no node's child.
class suffix_tree {
public:
    explicit suffix_tree(letters const& text) : text_(text) {
        add(0, 0, 0);
        std::uint32_t at = root, edge = 0, length = 0, left = 0;
        for (std::uint32_t i = 0; i < text.size(); ++i) {
            std::uint32_t unlinked = root;
            auto const link_to = [&](std::uint32_t to) {
                if (unlinked != root) link[unlinked] = to;
                unlinked = to;
            };
            ++left;
            while (left > 0) {
                if (length == 0) edge = i;
                auto const next = child[at][text[edge]];
                if (next == root) {
                    child[at][text[edge]] = add(i, end_of_text(), at);
                    link_to(at);
                } else {
                    auto const label = std::min(end[next], i + 1) - begin[next];
                    if (length >= label) {
                        at = next;
                        edge += label;
                        length -= label;
                        continue;
                    }
                    if (text[begin[next] + length] == text[i]) {
                        ++length;
                        link_to(at);
                        break;
                    }
                    auto const middle = add(begin[next], begin[next] + length, at);
                    child[at][text[edge]] = middle;
                    child[middle][text[i]] = add(i, end_of_text(), middle);
                    begin[next] += length;
                    parent[next] = middle;
                    child[middle][text[begin[next]]] = next;
                    link_to(middle);
                }
                --left;
                if (at == root && length > 0) {
                    --length;
                    edge = i - left + 1;
                } else if (at != root) {
                    at = link[at];
                }
            }
        }
        // A leaf's link is the place of its suffix instead.
        std::vector<std::array<std::uint32_t, 2>> todo{{root, 0}};
        while (!todo.empty()) {
            auto const [node, deep] = todo.back();
            todo.pop_back();
            if (node != root && end[node] == end_of_text()) link[node] = end_of_text() - deep;
            for (auto const next : child[node])
                if (next != root) todo.push_back({next, deep + end[next] - begin[next]});
        }
    }

    static constexpr std::uint32_t root = 0;
    std::uint32_t end_of_text() const { return static_cast<std::uint32_t>(text_.size()); }

    std::vector<std::array<std::uint32_t, 5>> child; // by the first letter of the edge
    std::vector<std::uint32_t> begin, end;           // of the label of the edge to the node
    std::vector<std::uint32_t> link, parent;

private:
    std::uint32_t add(std::uint32_t from, std::uint32_t to, std::uint32_t above) {
        child.push_back({});
        begin.push_back(from);
        end.push_back(to);
        link.push_back(root);
        parent.push_back(above);
        return static_cast<std::uint32_t>(child.size() - 1);
    }
    letters const& text_;
};

using four = std::array<std::uint32_t, 4>;

void run(device& d, values const& v) {
    auto const count = v.u32("queries");
    auto const length = v.u32("length");
    auto const least = std::min(v.u32("least"), length);
    auto const starts = length - least + 1;
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const any = [](random_numbers& r) { return static_cast<std::uint8_t>(r.below(4)); };
    auto text = random.vector(v["reference"], any);
    auto const letters_of_text = static_cast<std::uint32_t>(text.size());
    // Pieces of the reference, one letter of thirty wrong; a few are of something else.
    letters queries;
    for (std::uint32_t i = 0; i < count; ++i) {
        bool const elsewhere = letters_of_text < length || random.below(8) == 0;
        auto const from = elsewhere ? 0 : random.below(letters_of_text - length + 1);
        for (std::uint32_t k = 0; k < length; ++k)
            queries.push_back(elsewhere || random.below(30) == 0 ? any(random) : text[from + k]);
    }
    text.push_back(4);
    suffix_tree const tree(text);
    std::vector<four> nodes, children;
    std::vector<std::uint32_t> ending;
    for (std::size_t i = 0; i < tree.child.size(); ++i) {
        auto const& c = tree.child[i];
        nodes.push_back({tree.begin[i], tree.end[i], tree.link[i], tree.parent[i]});
        children.push_back({c[0], c[1], c[2], c[3]});
        ending.push_back(c[4] == suffix_tree::root ? 0 : tree.link[c[4]] + 1);
    }

    // Without the tree: all suffixes in order, of which those that begin with a match lie together.
    auto const compare = [&](std::uint32_t suffix, std::uint8_t const* what, std::uint32_t most) {
        for (std::uint32_t i = 0; i < most; ++i) {
            if (text[suffix + i] != what[i])
                return text[suffix + i] == 4 || text[suffix + i] < what[i] ? -1 : 1;
        }
        return 0;
    };
    std::vector<std::uint32_t> suffixes(letters_of_text);
    std::iota(suffixes.begin(), suffixes.end(), 0u);
    std::sort(suffixes.begin(), suffixes.end(), [&](std::uint32_t a, std::uint32_t b) {
        for (std::uint32_t i = 0; i < length; ++i) {
            auto const x = text[a + i], y = text[b + i];
            if (x != y) return x == 4 || (y != 4 && x < y);
            if (x == 4) break;
        }
        return a < b;
    });
    std::vector<std::uint32_t> lengths, times, firsts;
    for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t start = 0; start < starts; ++start) {
            auto const* const what = &queries[std::size_t{i} * length + start];
            auto low = suffixes.begin(), high = suffixes.end();
            std::uint32_t matched = 0;
            for (; matched < length - start; ++matched) {
                auto const from = std::partition_point(
                    low, high, [&](std::uint32_t s) { return compare(s, what, matched + 1) < 0; });
                auto const to = std::partition_point(
                    from, high, [&](std::uint32_t s) { return compare(s, what, matched + 1) == 0; });
                if (from == to) break;
                low = from;
                high = to;
            }
            lengths.push_back(matched);
            times.push_back(matched < least ? 0 : static_cast<std::uint32_t>(high - low));
            firsts.push_back(matched < least ? ~0u : *std::min_element(low, high));
        }

    auto const texture = [&](auto const& array, std::uint32_t width, std::uint8_t bytes,
                             std::uint8_t components) {
        return make_texture(d, array,
                            {.width = width,
                             .height = static_cast<std::uint32_t>(array.count / width),
                             .kind = texel_kind::unsigned_integer,
                             .component_bytes = bytes,
                             .components = components});
    };
    auto const whole_rows = [](auto values, std::size_t width) {
        values.resize((values.size() + width - 1) / width * width);
        return values;
    };
    auto const nodes_texture = texture(d.upload(whole_rows(nodes, 4096)), 4096, 4, 4);
    auto const children_texture = texture(d.upload(whole_rows(children, 4096)), 4096, 4, 4);
    auto const reference = texture(d.upload(whole_rows(text, 65536)), 65536, 1, 1);
    using pair = std::array<std::uint32_t, 2>;
    auto const all = count * starts;
    auto const matches = d.allocate<pair>(all);
    auto const found = d.allocate<pair>(all);
    d.launch("mummer_match", {ceil_div(count, block)}, {block}, 0, nodes_texture, children_texture, reference,
             d.upload(queries), matches, count, length, starts);
    std::vector<std::uint32_t> first_of_pair, second_of_pair;
    auto const split = [&](std::vector<pair> const& pairs) {
        first_of_pair.clear();
        second_of_pair.clear();
        for (auto const& [a, b] : pairs) {
            first_of_pair.push_back(a);
            second_of_pair.push_back(b);
        }
    };
    split(d.download(matches));
    check_equal(v, "lengths", first_of_pair, lengths);
    d.launch("mummer_print", {ceil_div(all, block)}, {block}, 0, nodes_texture, children_texture,
             d.upload(ending), matches, found, all, least, tree.end_of_text());
    split(d.download(found));
    check_equal(v, "times", first_of_pair, times);
    check_equal(v, "first places", second_of_pair, firsts);
}

constexpr paper_row rows[] = {{paper::owl, "MUM"},
                              {paper::elf, "MUM", "mummergpuKernel", "mummer_match"},
                              {paper::elf, "MUM", "printKernel", "mummer_print"}};

constexpr workload shipped[] = {{
    .name = "mummer",
    .title = "short sequences looked for in a long one through its suffix tree, in textures",
    .origin = "MUMmerGPU (GPGPU-Sim's set, ISPASS 2009; Schatz et al. 2007)",
    .rows = rows,
    .input = "a random sequence and pieces of it, one letter in thirty wrong",
    .differs = "The tree lies in the order of its making, not in blocks. The full size has GPGPU-Sim's "
               "50,000 queries of 25 "
               "letters in 782 CTAs of 64 threads, and a reference of 200,000 letters, whose tree of 10 MB "
               "is larger than "
               "an L2.",
    .ptx = mummer_ptx,
    .ptx_name = "mummer.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::mummer
