#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// How a grid is cut into clusters.
enum class cluster_cut : std::uint8_t {
    rows,   ///< CTAs that follow each other in a row stay together
    columns ///< ... in a column
};

/// CTA clustering: the grid is cut into as many parts of neighbouring CTAs as there are cores, equal but for one CTA,
/// and each core gets those of its own part, in order, so that what neighbours share is in one L1.
/// Source: Li et al., Locality-Aware CTA Clustering for Modern GPUs, ASPLOS 2017: there in software, by CTAs that stay
/// on a core and take their tasks from its cluster (docs/model/dispatch.md#clustered).
/// Differs from the paper: the dispatcher does it; a core that is empty, and whose part has been given out, gets the
/// last CTA of the part of which most is left, where a cluster's tasks stay with their core; clusters do not pause CTAs
/// nor bypass the L1.
/// Hardware cost: the first and the last CTA of what is left of each part.
class clustered_dispatch {
public:
    static constexpr char const* name() noexcept { return "clustered_dispatch"; }
    static constexpr char const* summary() noexcept {
        return "each core a part of the grid of its own (CTA clustering)";
    }

    clustered_dispatch() = default;
    explicit clustered_dispatch(cluster_cut cut) noexcept : cut_(cut) {}

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (left_ == 0) return {};
        unsigned idle = rooms.size();
        auto core = next_core_;
        for (unsigned tried = 0; tried < rooms.size(); ++tried, ++core) {
            if (core >= rooms.size()) core = 0;
            if (rooms[core] == 0) continue;
            if (part_[core].first != part_[core].last) return {core, at(part_[core].first), 1};
            if (idle == rooms.size() && resident_[core] == 0) idle = core;
        }
        if (idle == rooms.size()) return {};
        return {idle, at(part_[largest()].last - 1), 1};
    }

    void on(grid_began const& e) {
        columns_ = e.grid_x;
        rows_ = e.grid_y;
        left_ = e.ctas();
        next_core_ = 0;
        part_.assign(e.cores, {});
        for (unsigned i = 0; i < e.cores; ++i) part_[i] = {left_ * i / e.cores, left_ * (i + 1) / e.cores};
        resident_.assign(e.cores, 0);
    }
    void on(cta_dispatched const& e) noexcept {
        auto& own = part_[e.core];
        if (own.first != own.last)
            ++own.first;
        else
            --part_[largest()].last;
        --left_;
        ++resident_[e.core];
        next_core_ = e.core + 1;
    }
    void on(cta_retired const& e) noexcept { --resident_[e.core]; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("last core", bits_for(shape.cores))
            .add("parts", std::uint64_t{shape.cores} * 64);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"cut", "of the grid: along its rows, or along its columns"}, self.cut_, cut_words_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(columns_, rows_, left_, next_core_, cut_, part_, resident_);
    }
    friend bool operator==(clustered_dispatch const&, clustered_dispatch const&) = default;

private:
    static constexpr parameter_word<cluster_cut> cut_words_[] = {{"rows", cluster_cut::rows},
                                                                 {"columns", cluster_cut::columns}};
    /// Positions not given out, in the order of the cut.
    struct part {
        std::uint64_t first = 0;
        std::uint64_t last = 0; ///< the one behind
        friend bool operator==(part const&, part const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(first, last);
        }
    };
    /// The part of which most is left, the first of several.
    unsigned largest() const noexcept {
        unsigned most = 0;
        for (unsigned i = 1; i < part_.size(); ++i)
            if (part_[i].last - part_[i].first > part_[most].last - part_[most].first) most = i;
        return most;
    }
    /// The number of the CTA at a position. Planes come one after another.
    std::uint64_t at(std::uint64_t position) const noexcept {
        if (cut_ == cluster_cut::rows) return position;
        auto const plane = position / (columns_ * rows_);
        auto const within = position % (columns_ * rows_);
        return within / rows_ + columns_ * (within % rows_ + rows_ * plane);
    }

    std::uint64_t columns_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t left_ = 0;
    unsigned next_core_ = 0;
    cluster_cut cut_ = cluster_cut::rows;
    std::vector<part> part_;         ///< by core
    std::vector<unsigned> resident_; ///< by core
};
static_assert(cta_choice<clustered_dispatch>);

} // namespace warpkit
