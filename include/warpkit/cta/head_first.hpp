#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// The numbers of head_first, each 1 or more.
struct head_first_options {
    unsigned parts = 2; ///< of the machine: cores of neighbouring numbers
    unsigned share = 1; ///< rows of the grid that share keys and values
    friend bool operator==(head_first_options const&, head_first_options const&) = default;
};

/// Cores are in as many parts as the machine has L2s, or halves of one; a row of the grid is a head of an attention.
/// `share` rows that read the same keys and values stay together, and each part gets as many of these as another, head
/// by head: so one part's cache holds the keys and values of its own heads. A part that has got all of its CTAs takes
/// the last ones of the part of which most is left. Within a part each CTA goes to the next core with room.
/// Source: swizzled head-first mapping (Choudhary et al., "Optimizing Attention on GPUs by Exploiting GPU Architectural
/// NUMA Effects", arXiv 2511.02132, 2025), abstract and introduction; the rest from memory
/// (docs/model/dispatch.md#head-first).
/// Differs: there the kernel renumbers what a dispatcher hands to AMD's XCDs in turn, here the dispatcher does it, for
/// any kernel, and goes on to balance where parts are not equally fast.
/// Hardware cost: the first and the last CTA of what is left of each part.
class head_first {
public:
    static constexpr char const* name() noexcept { return "head_first"; }
    static constexpr char const* summary() noexcept {
        return "each part of the machine rows of the grid of its own, row by row (head-first mapping)";
    }

    head_first() = default;
    /// 0 is read as 1.
    explicit head_first(head_first_options const& o) noexcept
        : options_{o.parts == 0 ? 1 : o.parts, o.share == 0 ? 1 : o.share} {}

    cta_assignment choose(core_rooms rooms) const noexcept {
        if (left_ == 0) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        auto const& own = part_[part_of(core)];
        return {core, own.first != own.last ? own.first : part_[largest()].last - 1, 1};
    }

    void on(grid_began const& e) {
        cores_ = e.cores;
        left_ = e.ctas();
        next_core_ = 0;
        auto const parts = options_.parts;
        auto const rows = e.grid_y * e.grid_z;
        auto const bundles = (rows + options_.share - 1) / options_.share;
        part_.assign(parts, {});
        auto const row = [&](unsigned p) {
            auto const r = bundles * p / parts * options_.share;
            return r < rows ? r : rows;
        };
        for (unsigned p = 0; p < parts; ++p) part_[p] = {e.grid_x * row(p), e.grid_x * row(p + 1)};
    }
    void on(cta_dispatched const& e) noexcept {
        auto& own = part_[part_of(e.core)];
        if (own.first != own.last)
            ++own.first;
        else
            --part_[largest()].last;
        --left_;
        next_core_ = e.core + 1;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("last core", bits_for(shape.cores))
            .add("parts", std::uint64_t{head_first_options{}.parts} * 64);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"parts", "of the machine, by the numbers of cores", 1, 1024}, self.options_.parts);
        f(parameter{"share", "rows of the grid with the same keys and values", 1, 65536},
          self.options_.share);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.parts, options_.share, cores_, left_, next_core_, part_);
    }
    friend bool operator==(head_first const&, head_first const&) = default;

private:
    /// CTAs that have not been given out.
    struct part {
        std::uint64_t first = 0;
        std::uint64_t last = 0; ///< the one behind
        friend bool operator==(part const&, part const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(first, last);
        }
    };
    unsigned part_of(unsigned core) const noexcept {
        return static_cast<unsigned>(std::uint64_t{core} * part_.size() / cores_);
    }
    /// The part of which most is left, the first of several.
    unsigned largest() const noexcept {
        unsigned most = 0;
        for (unsigned i = 1; i < part_.size(); ++i)
            if (part_[i].last - part_[i].first > part_[most].last - part_[most].first) most = i;
        return most;
    }

    head_first_options options_;
    std::uint64_t left_ = 0;
    unsigned cores_ = 1;
    unsigned next_core_ = 0;
    std::vector<part> part_; ///< by part
};
static_assert(cta_choice<head_first>);

} // namespace warpkit
