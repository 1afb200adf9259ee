#pragma once
/// \file
/// How much do two warps share? One small number per pair of warp slots.

#include <warpkit/base/footprint.hpp>
#include <warpkit/warp/warp_numbers.hpp>

namespace warpkit {

/// The locality degree of each pair of warps, in 8 bits: the sub-regions that both touch. Of a warp without a
/// footprint, and of a warp with itself, it is 0.
/// Source: the locality degree table of the locality-aware thesis, section 3.4.2 and figure 3.13. Hardware keeps a
/// triangle; this is the full square, so that one warp's degrees lie side by side.
class locality_table {
public:
    using row_type = warp_numbers<8>;

    constexpr unsigned degree(warp_slot a, warp_slot b) const noexcept { return row_[a.index()][b]; }
    /// The degrees of `w` with all slots.
    constexpr row_type const& row(warp_slot w) const noexcept { return row_[w.index()]; }

    /// Gives `w` a footprint.
    constexpr void learn(warp_slot w, warp_footprint const& footprint) noexcept {
        known_.insert(w);
        footprint_[w.index()] = footprint;
        auto others = known_;
        others.erase(w);
        others.for_each([&](warp_slot v) {
            auto const degree = shared_subregions(footprint, footprint_[v.index()]);
            row_[w.index()].set(v, degree);
            row_[v.index()].set(w, degree);
        });
    }
    /// Takes it away.
    constexpr void forget(warp_slot w) noexcept {
        if (!known_.contains(w)) return;
        known_.erase(w);
        footprint_[w.index()] = {};
        row_[w.index()] = {};
        for (auto& row : row_) row.set(w, 0);
    }

    friend bool operator==(locality_table const&, locality_table const&) = default;

private:
    warp_set known_;
    warp_footprint footprint_[warp_set::width]{};
    row_type row_[warp_set::width]{};
};

} // namespace warpkit
