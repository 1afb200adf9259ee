#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cta/block_rectangles.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// How paver cuts its graph into groups.
enum class graph_partition : std::uint8_t {
    tree,   ///< along a maximum spanning tree: a group for each core, then one CTA at a time (MST-TS)
    halves, ///< in halves that share much within, again and again, until a group fits a core (RB-TS)
    k_way   ///< in as many parts as there are cores, each walked along its own spanning tree (K-Way-TS)
};
struct paver_options {
    graph_partition partition = graph_partition::tree;
    unsigned graph = 1024; ///< CTAs of a graph; 0 is read as 1
    friend bool operator==(paver_options const&, paver_options const&) = default;
};

/// CTAs by a graph of what they share: a vertex for each CTA, an edge's weight the cache lines that two have in common.
/// The graph is cut into groups that share much; a core takes a group, then, CTA by CTA as it has room, the next ones.
/// Once no group is left, a core takes the last CTA of the core that has most left.
///
/// `tree`: Prim's algorithm, from the lowest CTA on, links each time the CTA of heaviest edge to those in the tree (the
/// lowest of several, to the one that came first). Walked from the root, heavy branches first, the tree is an order;
/// its first CTAs are a group of as many as fit for each core, the others groups of one.
/// `halves`: half of the CTAs are gathered from the lowest on, each time the one that shares most with those gathered;
/// both halves are cut likewise until they fit a core.
/// `k_way`: parts of equal size, one for each core, are gathered so one after the other; then CTAs of two parts change
/// places as long as more is shared within for it (Kernighan and Lin, An Efficient Heuristic Procedure for Partitioning
/// Graphs, BSTJ 49(2), 1970, an exchange at a time). Each part goes out in the order of its own tree.
///
/// Source: Tripathy, Abdolrashidi, Bhuyan, Zhou and Wong, PAVER: Locality Graph-Based Thread Block Scheduling for GPUs,
/// ACM TACO 18(3), 2021 (docs/model/dispatch.md#paver).
/// Differs from the paper, of which the abstract could be read, and how others have implemented it: K-way and bisection
/// are METIS's there, and greedy growth with or without exchanges here. The graph comes from
/// the launch's address slices in place of just-in-time compiled code; what they cannot tell does not count, and where
/// they tell nothing the order is that of numbers, and note() says so. A grid of more than `graph` CTAs is cut into
/// graphs of so many, one after the other: it costs the square of their number when it is made.
/// Hardware cost: the groups in a table.
class paver {
public:
    static constexpr char const* name() noexcept { return "paver"; }
    static constexpr char const* summary() noexcept {
        return "groups of a graph of what CTAs share, cut along a spanning tree, in halves or k ways (PAVER)";
    }

    paver() = default;
    explicit paver(paver_options const& options) noexcept : options_(options) {
        if (options_.graph == 0) options_.graph = 1;
    }

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (given_ == ctas_) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        return {core, first_ + order_[place_for(core)], 1};
    }

    void on(grid_began const& e) {
        rectangles_ = block_rectangles(e, {});
        ctas_ = e.ctas();
        slots_ = e.ctas_per_core;
        own_.assign(e.cores, {});
        given_ = 0;
        first_ = 0;
        next_core_ = 0;
        plan();
    }
    void on(cta_dispatched const& e) {
        auto& own = own_[e.core];
        if (own.empty() && next_group_ != groups_.size()) own = groups_[next_group_++];
        if (own.empty())
            --own_[richest()].last;
        else
            ++own.first;
        next_core_ = e.core + 1;
        if (++given_ - first_ != order_.size() || given_ == ctas_) return;
        first_ = given_;
        plan();
    }

    char const* note() const noexcept {
        if (rectangles_.size() == 0)
            return "no access of this kernel is predictable: the order of numbers in place of a graph";
        return rectangles_.partial() ? "accesses of this kernel that are not predictable do not count"
                                     : nullptr;
    }
    paver_options const& options() const noexcept { return options_; }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        auto const graph = std::uint64_t{options_.graph};
        return hardware_cost_list{}
            .add("order of a graph's CTAs", graph * bits_for(graph))
            .add("part of each core", std::uint64_t{shape.cores} * 2 * bits_for(graph))
            .add("last core", bits_for(shape.cores));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"partition",
                    "of the graph: along a maximum spanning tree, in halves, or a part for each core"},
          self.options_.partition, partition_words_);
        f(parameter{"graph", "CTAs of a graph", 1, 16384}, self.options_.graph);
    }
    WARPKIT_STORED_MEMBERS(12)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.partition, options_.graph, ctas_, given_, first_, slots_, next_core_, next_group_, order_,
          groups_, own_);
    }
    friend bool operator==(paver const&, paver const&) = default;

private:
    static constexpr parameter_word<graph_partition> partition_words_[] = {
        {"tree", graph_partition::tree},
        {"halves", graph_partition::halves},
        {"k_way", graph_partition::k_way}};

    /// Places of the order, `last` the one behind.
    struct part {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        bool empty() const noexcept { return first == last; }
        std::uint32_t size() const noexcept { return last - first; }
        friend bool operator==(part const&, part const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(first, last);
        }
    };
    using vertices = std::vector<std::uint32_t>;

    /// The core of which most is left, the first of several.
    std::size_t richest() const noexcept {
        std::size_t most = 0;
        for (std::size_t i = 1; i < own_.size(); ++i)
            if (own_[i].size() > own_[most].size()) most = i;
        return most;
    }
    std::uint32_t place_for(unsigned core) const noexcept {
        if (!own_[core].empty()) return own_[core].first;
        if (next_group_ != groups_.size()) return groups_[next_group_].first;
        return own_[richest()].last - 1;
    }

    // ---- the graph of the CTAs from first_ on

    void plan() {
        auto const left = ctas_ - first_;
        auto const size = static_cast<std::uint32_t>(left < options_.graph ? left : options_.graph);
        order_.clear();
        groups_.clear();
        next_group_ = 0;
        touched_.clear();
        if (rectangles_.size() != 0)
            for (std::uint32_t i = 0; i < size; ++i) touched_.push_back(rectangles_.of(first_ + i));
        vertices all(size);
        for (std::uint32_t i = 0; i < size; ++i) all[i] = i;
        if (options_.partition == graph_partition::tree) {
            walk_tree(all);
            auto const fit = slots_ == 0 ? 1U : slots_;
            for (std::uint32_t at = 0; at != size;) {
                auto const wanted = groups_.size() < own_.size() ? fit : 1U;
                auto const end = size - at < wanted ? size : at + wanted;
                groups_.push_back({at, end});
                at = end;
            }
        } else if (options_.partition == graph_partition::halves) {
            halve(all);
        } else {
            cut_k_ways(all);
        }
        touched_.clear();
    }
    /// Lines that two CTAs have in common.
    std::uint64_t weight(std::uint32_t a, std::uint32_t b) const noexcept {
        if (touched_.empty()) return 0;
        std::uint64_t lines = 0;
        for (unsigned i = 0; i < rectangles_.size(); ++i)
            for (unsigned j = 0; j < rectangles_.size(); ++j)
                if (rectangles_.array(i) == rectangles_.array(j))
                    lines += overlap(touched_[a][i], touched_[b][j]);
        return lines;
    }
    /// Puts these CTAs, in the order of numbers, into the order of a walk along their tree.
    void walk_tree(vertices const& all) {
        struct link {
            std::uint64_t weight = 0;
            std::size_t parent = 0;
        };
        std::vector<link> to(all.size());
        std::vector<std::size_t> outside; // places in `all`
        for (std::size_t v = 1; v < all.size(); ++v) {
            to[v].weight = weight(all[0], all[v]);
            outside.push_back(v);
        }
        while (!outside.empty()) {
            auto heaviest = outside.begin();
            for (auto at = heaviest; at != outside.end(); ++at)
                if (to[*at].weight > to[*heaviest].weight) heaviest = at;
            auto const next = *heaviest;
            outside.erase(heaviest);
            for (auto const v : outside)
                if (auto const w = weight(all[next], all[v]); w > to[v].weight) to[v] = {w, next};
        }
        std::vector<std::size_t> waiting{0};
        while (!waiting.empty()) {
            auto const v = waiting.back();
            waiting.pop_back();
            order_.push_back(all[v]);
            // Its children wait, the heaviest last, as the last that waits is visited first; of equal ones the lowest.
            auto const first = waiting.size();
            for (auto child = all.size() - 1; child != 0; --child) {
                if (to[child].parent != v) continue;
                auto at = waiting.size();
                waiting.push_back(child);
                for (; at != first && to[waiting[at - 1]].weight > to[child].weight; --at)
                    std::swap(waiting[at], waiting[at - 1]);
            }
        }
    }
    /// Takes so many of them, at least one: the first, and each time the one that shares most with those taken, the
    /// first of several. Both parts keep the order.
    vertices gather(vertices& from, std::size_t wanted) const {
        std::vector<std::uint64_t> shared(from.size());
        std::vector<bool> taken(from.size());
        taken[0] = true;
        std::size_t last = 0;
        for (std::size_t n = 1; n < wanted; ++n) {
            auto most = from.size();
            for (std::size_t i = 0; i < from.size(); ++i) {
                if (taken[i]) continue;
                shared[i] += weight(from[last], from[i]);
                if (most == from.size() || shared[i] > shared[most]) most = i;
            }
            taken[most] = true;
            last = most;
        }
        vertices gathered;
        vertices left;
        for (std::size_t i = 0; i < from.size(); ++i) (taken[i] ? gathered : left).push_back(from[i]);
        from = left;
        return gathered;
    }
    void halve(vertices all) {
        if (all.size() > (slots_ == 0 ? 1 : slots_)) {
            halve(gather(all, (all.size() + 1) / 2));
            halve(all);
        } else if (!all.empty()) {
            begin_group(all.size());
            order_.insert(order_.end(), all.begin(), all.end());
        }
    }
    /// A group of the CTAs that come into the order next.
    void begin_group(std::size_t ctas) {
        auto const at = static_cast<std::uint32_t>(order_.size());
        groups_.push_back({at, at + static_cast<std::uint32_t>(ctas)});
    }
    void cut_k_ways(vertices all) {
        auto const size = all.size();
        auto const parts = own_.size() < size ? own_.size() : size;
        std::vector<std::size_t> part_of(size);
        for (std::size_t p = 0; p < parts; ++p)
            for (auto const v : gather(all, size / parts + (p < size % parts))) part_of[v] = p;
        if (!touched_.empty()) exchange(part_of, parts);
        for (std::size_t p = 0; p < parts; ++p) {
            vertices its;
            for (std::uint32_t v = 0; v < size; ++v)
                if (part_of[v] == p) its.push_back(v);
            begin_group(its.size());
            walk_tree(its);
        }
    }
    /// Exchanges CTAs of two parts as long as more is shared within parts for it: of each CTA in turn with that of
    /// greatest gain, the lowest of several; `passes_` times over all of them at most.
    void exchange(std::vector<std::size_t>& part_of, std::size_t parts) const {
        auto const size = static_cast<std::uint32_t>(part_of.size());
        std::vector<std::int64_t> with(size * parts); // what each CTA shares with each part, itself left out
        auto const shares = [&](std::uint32_t v, std::size_t p) -> std::int64_t& {
            return with[v * parts + p];
        };
        auto const lines = [&](std::uint32_t a, std::uint32_t b) {
            return a == b ? 0 : static_cast<std::int64_t>(weight(a, b));
        };
        for (std::uint32_t v = 0; v < size; ++v)
            for (std::uint32_t u = 0; u < size; ++u) shares(v, part_of[u]) += lines(v, u);
        bool gained = true;
        for (unsigned pass = 0; pass < passes_ && gained; ++pass) {
            gained = false;
            for (std::uint32_t v = 0; v < size; ++v) {
                auto const mine = part_of[v];
                std::int64_t most = 0;
                auto best = v;
                for (std::uint32_t u = 0; u < size; ++u) {
                    auto const its = part_of[u];
                    auto const gain = shares(v, its) - shares(v, mine) + shares(u, mine) - shares(u, its);
                    if (its == mine || gain <= most || gain - 2 * lines(v, u) <= most) continue;
                    most = gain - 2 * lines(v, u);
                    best = u;
                }
                if (best == v) continue;
                auto const its = part_of[best];
                for (std::uint32_t x = 0; x < size; ++x) {
                    auto const moved = lines(x, best) - lines(x, v);
                    shares(x, mine) += moved;
                    shares(x, its) -= moved;
                }
                std::swap(part_of[v], part_of[best]);
                gained = true;
            }
        }
    }

    static constexpr unsigned passes_ = 10;

    paver_options options_;
    block_rectangles rectangles_;
    std::uint64_t ctas_ = 0;
    std::uint64_t given_ = 0;
    std::uint64_t first_ = 0; ///< the lowest CTA of the graph
    unsigned slots_ = 0;
    unsigned next_core_ = 0;
    std::size_t next_group_ = 0;
    vertices order_;                              ///< the graph's CTAs, less first_
    std::vector<part> groups_;                    ///< of the order
    std::vector<part> own_;                       ///< by core: what is left of the group that it has taken
    std::vector<block_rectangles::list> touched_; ///< by vertex, as long as the graph is made
};
static_assert(cta_choice<paver>);

} // namespace warpkit
