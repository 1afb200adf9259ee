#pragma once
/// \file
/// An 8-bit number for each warp slot, and the least of them, in a few set operations.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

namespace warpkit {

/// Numbers from 0 to 255 by warp slot, kept bit by bit: plane k holds bit k of all warps' numbers. So the least of any
/// set of warps is found in eight steps, whoever and how many they are, and no warp is looked at on its own.
/// This is ELF's warp priority table.
class priority_table {
public:
    static constexpr unsigned bits = 8;
    static constexpr unsigned most = 255;

    constexpr void set(warp_slot w, unsigned value) noexcept {
        for (unsigned k = 0; k < bits; ++k) plane_[k].assign(w, (value >> k & 1U) != 0);
    }
    constexpr void set(warp_set const& warps, unsigned value) noexcept {
        for (unsigned k = 0; k < bits; ++k)
            plane_[k] = (value >> k & 1U) != 0 ? plane_[k] | warps : plane_[k] - warps;
    }
    constexpr unsigned operator[](warp_slot w) const noexcept {
        unsigned value = 0;
        for (unsigned k = 0; k < bits; ++k) value |= (plane_[k].contains(w) ? 1U : 0U) << k;
        return value;
    }
    /// One less; 0 stays.
    constexpr void decrement(warp_slot w) noexcept {
        for (unsigned k = 0; k < bits; ++k) {
            if (!plane_[k].contains(w)) continue;
            plane_[k].erase(w); // 1 and k zeros below it become 0 and k ones
            for (; k > 0; --k) plane_[k - 1].insert(w);
            return;
        }
    }
    /// The members with the least number.
    constexpr warp_set least_of(warp_set members) const noexcept {
        for (unsigned k = bits; k-- > 0;)
            if (auto const zero = members - plane_[k]) members = zero;
        return members;
    }
    /// The members with a number below that of `w`.
    constexpr warp_set below(warp_slot w, warp_set members) const noexcept {
        warp_set less;
        for (unsigned k = bits; k-- > 0;)
            if (plane_[k].contains(w)) {
                less |= members - plane_[k];
                members &= plane_[k];
            } else {
                members -= plane_[k];
            }
        return less;
    }
    /// The members with the number of `w`.
    constexpr warp_set equal_to(warp_slot w, warp_set members) const noexcept {
        for (auto const& p : plane_) members = p.contains(w) ? members & p : members - p;
        return members;
    }

    friend bool operator==(priority_table const&, priority_table const&) = default;

private:
    warp_set plane_[bits];
};

} // namespace warpkit
