#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace warpkit {

/// CTAs along a Hilbert curve over the grid, each to the next core with room: those that run at a time are a compact
/// patch of it, however many they are, where bands (swizzled_dispatch) have a width to be tuned. A grid that is no
/// square is covered by squares along its longer side, of the least power of two that its shorter one needs; what of
/// them lies outside is passed over. Planes (z) come one after another.
/// Source: tiles of a matrix product on an H100 in the order of a Hilbert curve: Shankhdhar, "Outperforming cuBLAS on
/// H100: a Worklog", 2024, and Gordic, "Inside NVIDIA GPUs: Anatomy of high performance matmul kernels", 2025, which
/// have a table of it in the kernel: from memory; the curve is Hilbert's, Mathematische Annalen 38, 1891
/// (docs/model/dispatch.md#hilbert).
/// Differs: the dispatcher does it, for any kernel, and the order is reckoned from the position, without a table.
/// Hardware cost: a position along the curve in place of a number.
class hilbert_dispatch {
public:
    static constexpr char const* name() noexcept { return "hilbert_dispatch"; }
    static constexpr char const* summary() noexcept {
        return "along a Hilbert curve over the grid, each to the next core with room";
    }

    constexpr cta_assignment choose(core_rooms rooms) const noexcept {
        if (left_ == 0) return {};
        auto const core = rooms.next_with_room(next_core_);
        if (core == rooms.size()) return {};
        return {core, cta_, 1};
    }

    constexpr void on(grid_began const& e) {
        columns_ = e.grid_x;
        rows_ = e.grid_y;
        left_ = e.ctas();
        plane_ = 0;
        step_ = 0;
        next_core_ = 0;
        auto const shorter = columns_ < rows_ ? columns_ : rows_;
        order_ = shorter < 2 ? 0U : static_cast<unsigned>(std::bit_width(shorter - 1));
        settle();
    }
    constexpr void on(cta_dispatched const& e) noexcept {
        next_core_ = e.core + 1;
        ++step_;
        if (--left_ != 0) settle();
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("last core", bits_for(shape.cores)).add("next position", 64);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(columns_, rows_, left_, plane_, step_, cta_, order_, next_core_);
    }
    friend bool operator==(hilbert_dispatch const&, hilbert_dispatch const&) = default;

private:
    struct point {
        std::uint64_t along = 0; ///< the longer side
        std::uint64_t across = 0;
    };
    /// The point of a square of side 2^order that the curve from (0, 0) to (2^order - 1, 0) reaches in `step`.
    static constexpr point on_curve(std::uint64_t step, unsigned order) noexcept {
        point p;
        for (unsigned k = 0; k < order; ++k, step >>= 2) {
            auto const side = std::uint64_t{1} << k;
            bool const right = (step & 2) != 0, odd = ((step ^ (step >> 1)) & 1) != 0;
            if (!odd) {
                if (right) p = {side - 1 - p.along, side - 1 - p.across};
                std::swap(p.along, p.across);
            }
            if (right) p.along += side;
            if (odd) p.across += side;
        }
        return p;
    }
    /// On to the next point within the grid, over blocks of the curve that lie outside as a whole.
    constexpr void settle() noexcept {
        bool const wide = columns_ >= rows_;
        auto const length = wide ? columns_ : rows_, width = wide ? rows_ : columns_;
        auto const square = std::uint64_t{1} << 2 * order_, side = std::uint64_t{1} << order_;
        while (true) {
            if (step_ / square * side >= length) {
                step_ = 0;
                ++plane_;
            }
            auto p = on_curve(step_ % square, order_);
            p.along += step_ / square * side;
            if (p.along < length && p.across < width) {
                cta_ = (wide ? p.along + columns_ * p.across : p.across + columns_ * p.along) +
                       columns_ * rows_ * plane_;
                return;
            }
            // The largest block of the curve that begins here and has no point within.
            unsigned k = 0;
            while (k < order_ && step_ % (std::uint64_t{4} << 2 * k) == 0 &&
                   (p.along >> (k + 1) << (k + 1) >= length || p.across >> (k + 1) << (k + 1) >= width))
                ++k;
            step_ += std::uint64_t{1} << 2 * k;
        }
    }

    std::uint64_t columns_ = 0;
    std::uint64_t rows_ = 0;
    std::uint64_t left_ = 0;
    std::uint64_t plane_ = 0;
    std::uint64_t step_ = 0; ///< along the curves of all squares of the plane
    std::uint64_t cta_ = 0;  ///< the number of the CTA there
    unsigned order_ = 0;     ///< the side of a square is 2^order
    unsigned next_core_ = 0;
};
static_assert(cta_choice<hilbert_dispatch>);

} // namespace warpkit
