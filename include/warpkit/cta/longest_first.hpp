#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// Which end of a row of the grid has most to do.
enum class longest_end : std::uint8_t {
    last, ///< the CTA of the greatest x, as where it has the last rows of a causal attention
    first ///< x = 0, as where a kernel turns its rows round
};

/// Longest processing time first: of each row of the grid (one head of one sequence) the CTA that has most to do goes
/// out before those that have less, so that the last ones of the grid are short, and no core works long alone. `heads`
/// rows make a section; sections come one after another, so that what rows share with themselves alone, their keys and
/// values, stays in the L2: all CTAs of the longest kind of a section, then those of the next. 0 heads: one section.
/// Source: the scheduler of single tiles of FlashAttention, flash_attn/cute/tile_scheduler.py, SingleTileLPTScheduler
/// (docs/model/dispatch.md#longest-first); the rule is Graham's, SIAM Journal on Applied Mathematics, 1969, from
/// memory.
/// Differs: there the kernel renumbers, here the dispatcher does, for any kernel; a section has as many heads as keys
/// and values of which fit 50 MB, a power of two, where here the number is a parameter.
/// Hardware cost: a position in place of a number.
class longest_first {
public:
    static constexpr char const* name() noexcept { return "longest_first"; }
    static constexpr char const* summary() noexcept {
        return "of each row of the grid the longest CTA first, rows in sections (FlashAttention)";
    }

    constexpr longest_first() = default;
    constexpr explicit longest_first(longest_end end, unsigned heads = 0) noexcept
        : heads_(heads),
          end_(end) {}

    constexpr cta_assignment choose(core_rooms rooms) const noexcept {
        if (given_ == columns_ * rows_) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        return {core, at(given_), 1};
    }

    constexpr void on(grid_began const& e) {
        columns_ = e.grid_x;
        rows_ = e.grid_y * e.grid_z;
        given_ = 0;
        next_core_ = 0;
    }
    constexpr void on(cta_dispatched const& e) noexcept {
        ++given_;
        next_core_ = e.core + 1;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("last core", bits_for(shape.cores)).add("next position", 32);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"longest", "the end of a row of the grid that has most to do"}, self.end_, end_words_);
        f(parameter{"heads", "rows of the grid in a section; 0: all", 0, 65536}, self.heads_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(columns_, rows_, given_, next_core_, heads_, end_);
    }
    friend bool operator==(longest_first const&, longest_first const&) = default;

private:
    static constexpr parameter_word<longest_end> end_words_[] = {{"last", longest_end::last},
                                                                 {"first", longest_end::first}};
    /// The number of the CTA that is `position` th.
    constexpr std::uint64_t at(std::uint64_t position) const noexcept {
        auto const section = heads_ == 0 || heads_ > rows_ ? rows_ : heads_;
        auto const first = position / (columns_ * section) * section; // row of the section
        auto const tall = rows_ - first < section ? rows_ - first : section;
        auto const within = position - first * columns_;
        auto const column = within / tall;
        return (end_ == longest_end::last ? columns_ - 1 - column : column) +
               columns_ * (first + within % tall);
    }

    std::uint64_t columns_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t given_ = 0;
    unsigned next_core_ = 0;
    unsigned heads_ = 0;
    longest_end end_ = longest_end::last;
};
static_assert(cta_choice<longest_first>);

} // namespace warpkit
