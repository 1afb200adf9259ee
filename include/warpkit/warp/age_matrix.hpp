#pragma once
/// \file
/// Who is older? One bit per pair of warp slots, as hardware would hold it.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

namespace warpkit {

namespace detail {

/// A total order over all warp slots of a core by launch, the oldest first or the youngest first: of each slot, who
/// goes ahead of it. The first of a set is found by stepping to any member ahead until there is none: one step where
/// age follows the slot number, logarithmically many in a random order.
template <bool YoungestFirst>
class launch_order {
public:
    constexpr launch_order() noexcept { reset(); }

    constexpr void reset() noexcept {
        for (unsigned w = 0; w < warp_set::width; ++w)
            ahead_[w] = YoungestFirst ? warp_set::range(w + 1, warp_set::width) : warp_set::first_n(w);
    }
    constexpr void launch(warp_set warps) noexcept {
        if constexpr (YoungestFirst)
            for (auto& ahead : ahead_) ahead |= warps;
        else
            for (auto& ahead : ahead_) ahead -= warps;
        auto ahead = YoungestFirst ? warps : ~warps;
        warps.for_each([&](warp_slot w) {
            ahead.assign(w, false);
            ahead_[w.index()] = ahead;
            if constexpr (!YoungestFirst) ahead.insert(w);
        });
    }
    constexpr warp_set ahead_of(warp_slot w) const noexcept { return ahead_[w.index()]; }
    constexpr warp_slot first_of(warp_set s) const noexcept {
        auto const guess = [&s] { return YoungestFirst ? s.last() : s.first(); };
        auto best = guess();
        if (best)
            while ((s &= ahead_[best.index()])) best = guess();
        return best;
    }

    friend bool operator==(launch_order const&, launch_order const&) = default;

private:
    warp_set ahead_[warp_set::width];
};

} // namespace detail

/// The age of all warp slots of a core. Launching makes slots the youngest, among themselves the lower slot older; at
/// first slots are as old as their numbers say, slot 0 oldest.
class age_matrix {
public:
    constexpr void reset() noexcept { order_.reset(); }
    constexpr void launch(warp_set warps) noexcept { order_.launch(warps); }
    /// All slots older than `w`.
    constexpr warp_set older_than(warp_slot w) const noexcept { return order_.ahead_of(w); }
    /// The oldest member, or none.
    constexpr warp_slot oldest_of(warp_set s) const noexcept { return order_.first_of(s); }

    friend bool operator==(age_matrix const&, age_matrix const&) = default;

private:
    detail::launch_order<false> order_;
};

} // namespace warpkit
