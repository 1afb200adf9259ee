#pragma once
/// \file
/// Who is older? One bit per pair of warp slots, as hardware would hold it.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

namespace warpkit {

/// A total order over all warp slots of a core by age. Launching makes slots the youngest, among themselves the lower
/// slot older; at first slots are as old as their numbers say. The oldest of a set is found by stepping to any older
/// member until there is none: one step where age follows the slot number, logarithmically many in a random order.
class age_matrix {
public:
    constexpr age_matrix() noexcept { reset(); }

    /// Slot 0 oldest, the last slot youngest.
    constexpr void reset() noexcept {
        for (unsigned w = 0; w < warp_set::width; ++w) older_[w] = warp_set::first_n(w);
    }
    /// Makes these slots the youngest, in the order of their numbers.
    constexpr void launch(warp_set warps) noexcept {
        for (auto& older : older_) older -= warps;
        auto before = ~warps;
        warps.for_each([&](warp_slot w) {
            older_[w.index()] = before;
            before.insert(w);
        });
    }
    /// All slots older than `w`.
    constexpr warp_set older_than(warp_slot w) const noexcept { return older_[w.index()]; }

    /// The oldest member, or none.
    constexpr warp_slot oldest_of(warp_set s) const noexcept {
        auto best = s.first();
        if (best)
            while ((s &= older_[best.index()])) best = s.first();
        return best;
    }
    /// The youngest member, or none.
    constexpr warp_slot youngest_of(warp_set s) const noexcept {
        auto best = s.last();
        while (s) {
            best = s.last();
            s -= older_[best.index()];
            s.erase(best);
        }
        return best;
    }

    friend bool operator==(age_matrix const&, age_matrix const&) = default;

private:
    warp_set older_[warp_set::width];
};

} // namespace warpkit
