#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/block_rectangles.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// How paver cuts its graph into groups.
enum class graph_partition : std::uint8_t {
    tree,  ///< along a maximum spanning tree: a group for each core, then one CTA at a time (MST-TS)
    halves ///< in halves that share much within, again and again, until a group fits a core (RB-TS)
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
///
/// Source: Tripathy, Abdolrashidi, Bhuyan, Zhou and Wong, PAVER: Locality Graph-Based Thread Block Scheduling for GPUs,
/// ACM TACO 18(3), 2021 (docs/model/dispatch.md#paver).
/// Differs from the paper, of which the abstract could be read, and how others have implemented it: its third
/// partition, K-way by METIS, is left out, and its bisection, METIS's too, is greedy growth here. The graph comes from
/// the launch's address slices in place of just-in-time compiled code; what they cannot tell does not count, and where
/// they tell nothing the order is that of numbers, and note() says so. A grid of more than `graph` CTAs is cut into
/// graphs of so many, one after the other: it costs the square of their number when it is made.
/// Hardware cost: the groups in a table.
class paver {
public:
    static constexpr char const* name() noexcept { return "paver"; }
    static constexpr char const* summary() noexcept {
        return "groups of a graph of what CTAs share, cut along a spanning tree or in halves (PAVER)";
    }

    paver() = default;
    explicit paver(paver_options const& options) noexcept : options_(options) {
        if (options_.graph == 0) options_.graph = 1;
    }

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (given_ == ctas_) return {};
        auto core = next_core_;
        for (unsigned tried = 0; tried < rooms.size(); ++tried, ++core) {
            if (core >= rooms.size()) core = 0;
            if (rooms[core] != 0) return {core, first_ + order_[place_for(core)], 1};
        }
        return {};
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

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const graph = std::uint64_t{paver_options{}.graph};
        return hardware_cost_list{}
            .add("order of a graph's CTAs", graph * bits_for(graph))
            .add("part of each core", std::uint64_t{shape.cores} * 2 * bits_for(graph))
            .add("last core", bits_for(shape.cores));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"partition", "of the graph: along a maximum spanning tree, or in halves"},
          self.options_.partition, partition_words_);
        f(parameter{"graph", "CTAs of a graph", 1, 16384}, self.options_.graph);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.partition, options_.graph, ctas_, given_, first_, slots_, next_core_, next_group_, order_,
          groups_, own_);
    }
    friend bool operator==(paver const&, paver const&) = default;

private:
    static constexpr parameter_word<graph_partition> partition_words_[] = {
        {"tree", graph_partition::tree}, {"halves", graph_partition::halves}};

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
        if (options_.partition == graph_partition::tree) {
            walk_tree(size);
            auto const fit = slots_ == 0 ? 1U : slots_;
            for (std::uint32_t at = 0; at != size;) {
                auto const wanted = groups_.size() < own_.size() ? fit : 1U;
                auto const end = size - at < wanted ? size : at + wanted;
                groups_.push_back({at, end});
                at = end;
            }
        } else {
            vertices all(size);
            for (std::uint32_t i = 0; i < size; ++i) all[i] = i;
            halve(all);
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
    void walk_tree(std::uint32_t size) {
        struct link {
            std::uint64_t weight = 0;
            std::uint32_t parent = 0;
        };
        std::vector<link> to(size);
        vertices outside;
        for (std::uint32_t v = 1; v < size; ++v) {
            to[v].weight = weight(0, v);
            outside.push_back(v);
        }
        while (!outside.empty()) {
            auto heaviest = outside.begin();
            for (auto at = heaviest; at != outside.end(); ++at)
                if (to[*at].weight > to[*heaviest].weight) heaviest = at;
            auto const next = *heaviest;
            outside.erase(heaviest);
            for (auto const v : outside)
                if (auto const w = weight(next, v); w > to[v].weight) to[v] = {w, next};
        }
        vertices waiting{0};
        while (!waiting.empty()) {
            auto const v = waiting.back();
            waiting.pop_back();
            order_.push_back(v);
            // Its children wait, the heaviest last, as the last that waits is visited first; of equal ones the lowest.
            auto const first = waiting.size();
            for (auto child = size - 1; child != 0; --child) {
                if (to[child].parent != v) continue;
                auto at = waiting.size();
                waiting.push_back(child);
                for (; at != first && to[waiting[at - 1]].weight > to[child].weight; --at)
                    std::swap(waiting[at], waiting[at - 1]);
            }
        }
    }
    void halve(vertices const& all) {
        if (all.size() <= (slots_ == 0 ? 1 : slots_)) {
            if (all.empty()) return;
            auto const at = static_cast<std::uint32_t>(order_.size());
            order_.insert(order_.end(), all.begin(), all.end());
            groups_.push_back({at, static_cast<std::uint32_t>(order_.size())});
            return;
        }
        vertices gathered{all[0]};
        vertices rest(all.begin() + 1, all.end());
        std::vector<std::uint64_t> shared(rest.size());
        while (gathered.size() < rest.size()) {
            for (std::size_t i = 0; i < rest.size(); ++i) shared[i] += weight(gathered.back(), rest[i]);
            auto most = shared.begin();
            for (auto at = most; at != shared.end(); ++at)
                if (*at > *most) most = at;
            auto const next = rest.begin() + (most - shared.begin());
            gathered.push_back(*next);
            rest.erase(next);
            shared.erase(most);
        }
        vertices sorted; // both halves keep the order of all
        auto left = rest.begin();
        for (auto const v : all)
            if (left != rest.end() && *left == v)
                ++left;
            else
                sorted.push_back(v);
        halve(sorted);
        halve(rest);
    }

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
