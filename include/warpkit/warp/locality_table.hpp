#pragma once
/// \file
/// How much do two warps share? One small number per pair of warp slots.

#include <warpkit/base/footprint.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// The locality degree of each pair of warps, in 8 bits: the sub-regions that both touch. Of a warp without a
/// footprint, and of a warp with itself, it is 0.
///
/// Most pairs share nothing, so beside the degrees there is, for each warp, the set of those with which it shares
/// something, and for each sub-region number the warps that touch it in any region: only they are looked at when a
/// footprint comes, and only the former when it goes.
/// Source: the locality degree table of the locality-aware thesis, section 3.4.2 and figure 3.13. Hardware keeps a
/// triangle; this is the full square, so that one warp's degrees lie side by side.
class locality_table {
public:
    constexpr unsigned degree(warp_slot a, warp_slot b) const noexcept {
        return degree_[a.index()][b.index()];
    }
    /// The warps whose degree with `w` is not 0.
    constexpr warp_set sharing(warp_slot w) const noexcept { return sharing_[w.index()]; }
    /// Those members of `among` that have the greatest degree with `w`.
    constexpr warp_set nearest(warp_slot w, warp_set among) const noexcept {
        auto const some = among & sharing(w);
        if (!some) return among;
        warp_set best;
        unsigned most = 1;
        some.for_each([&](warp_slot v) {
            auto const its = degree(w, v);
            if (its < most) return;
            if (its > most) best = {};
            most = its;
            best.insert(v);
        });
        return best;
    }

    /// Gives `w` a footprint.
    constexpr void learn(warp_slot w, warp_footprint const& footprint) noexcept {
        forget(w);
        warp_set near;
        each_subregion(footprint, [&](warp_set& touching) {
            near |= touching;
            touching.insert(w);
        });
        footprint_[w.index()] = footprint;
        near.for_each([&](warp_slot v) {
            auto const shared = shared_subregions(footprint, footprint_[v.index()]);
            if (shared != 0) share(w, v, shared);
        });
    }
    /// Takes it away.
    constexpr void forget(warp_slot w) noexcept {
        each_subregion(footprint_[w.index()], [&](warp_set& touching) { touching.erase(w); });
        footprint_[w.index()] = {};
        sharing(w).for_each([&](warp_slot v) {
            set(w, v, 0);
            sharing_[v.index()].erase(w);
        });
        sharing_[w.index()] = {};
    }

    friend bool operator==(locality_table const&, locality_table const&) = default;

private:
    constexpr void set(warp_slot a, warp_slot b, unsigned degree) noexcept {
        degree_[a.index()][b.index()] = degree_[b.index()][a.index()] = static_cast<std::uint8_t>(degree);
    }
    constexpr void share(warp_slot a, warp_slot b, unsigned degree) noexcept {
        set(a, b, degree);
        sharing_[a.index()].insert(b);
        sharing_[b.index()].insert(a);
    }
    /// Calls f with the set of each sub-region that the footprint touches.
    template <class F>
    constexpr void each_subregion(warp_footprint const& footprint, F&& f) noexcept {
        for (unsigned a = 0; a < warp_footprint::arrays; ++a)
            for (unsigned rest = footprint.touched[a]; rest != 0; rest &= rest - 1)
                f(touching_[a][static_cast<unsigned>(std::countr_zero(rest))]);
    }

    warp_footprint footprint_[warp_set::width]{};
    warp_set touching_[warp_footprint::arrays][warp_footprint::subregions]{}; ///< whatever the region
    warp_set sharing_[warp_set::width]{};
    std::uint8_t degree_[warp_set::width][warp_set::width]{};
};

} // namespace warpkit
