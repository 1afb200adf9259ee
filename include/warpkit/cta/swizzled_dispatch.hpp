#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// CTAs in bands of `width` columns of the grid, row by row within a band, each to the next core with room: those that
/// run at a time make a compact tile of the grid, which touches fewer rows and columns of data than as many CTAs of one
/// row do. Planes (z) come one after another. A width of the whole grid or more is round_robin_dispatch.
/// Source: the rasterisation of thread blocks in matrix products (CUTLASS, GemmIdentityThreadblockSwizzle), there by
/// renumbering within the kernel, here by the dispatcher for any kernel (docs/model/dispatch.md#swizzled).
/// Differs: CUTLASS takes the width from the product's shape, here it is a parameter. A grid of one row is left as it
/// is. Hardware cost: a position in place of a number, and the divider that makes a CTA's coordinates of it is that of
/// the dispatcher anyway.
class swizzled_dispatch {
public:
    static constexpr char const* name() noexcept { return "swizzled_dispatch"; }
    static constexpr char const* summary() noexcept {
        return "in bands of columns, row by row, each to the next core with room (rasterisation)";
    }

    constexpr swizzled_dispatch() = default;
    /// 0 is read as 1.
    constexpr explicit swizzled_dispatch(unsigned width) noexcept : width_(width == 0 ? 1 : width) {}

    constexpr cta_assignment choose(core_rooms rooms) const noexcept {
        if (given_ == columns_ * rows_ * planes_) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        return {core, at(given_), 1};
    }

    constexpr void on(grid_began const& e) {
        columns_ = e.grid_x;
        rows_ = e.grid_y;
        planes_ = e.grid_z;
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
        f(parameter{"width", "columns of CTAs in a band", 1, 65536}, self.width_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(columns_, rows_, planes_, given_, next_core_, width_);
    }
    friend bool operator==(swizzled_dispatch const&, swizzled_dispatch const&) = default;

private:
    /// The number of the CTA that is `position` th.
    constexpr std::uint64_t at(std::uint64_t position) const noexcept {
        auto const plane = position / (columns_ * rows_);
        auto const within = position % (columns_ * rows_);
        auto const first = within / (width_ * rows_) * width_; // column of the band
        auto const wide = columns_ - first < width_ ? columns_ - first : width_;
        auto const in_band = within - first * rows_;
        return first + in_band % wide + columns_ * (in_band / wide + rows_ * plane);
    }

    std::uint64_t columns_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t planes_ = 0;
    std::uint64_t given_ = 0;
    unsigned next_core_ = 0;
    unsigned width_ = 8;
};
static_assert(cta_choice<swizzled_dispatch>);

} // namespace warpkit
