#pragma once
/// \file
/// An 8-bit number for each warp slot, and the least of them, in a few set operations.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// Numbers from 0 to 255 by warp slot, each once as it is, and once bit by bit: plane k holds the warps whose number
/// has bit k *clear*. So the least of any set of warps is found in eight steps, whoever and how many they are, and no
/// warp is looked at alone; and a number changes in as many steps as bits of it do, two on average when it counts down.
/// This is ELF's warp priority table. Slots are below warp_set::width.
class priority_table {
public:
    static constexpr unsigned bits = 8;
    static constexpr unsigned most = 255;

    constexpr priority_table() noexcept {
        for (auto& p : clear_) p = ~warp_set{};
    }
    constexpr void set(warp_slot w, unsigned value) noexcept {
        auto& number = number_[w.index()];
        for (auto changed = number ^ value; changed != 0; changed &= changed - 1)
            clear_[std::countr_zero(changed)].toggle(w);
        number = static_cast<std::uint8_t>(value);
    }
    constexpr void set(warp_set const& warps, unsigned value) noexcept {
        warps.for_each([&](warp_slot w) { set(w, value); });
    }
    constexpr unsigned operator[](warp_slot w) const noexcept { return number_[w.index()]; }
    /// One less; 0 stays.
    constexpr void decrement(warp_slot w) noexcept {
        if (auto const number = number_[w.index()]) set(w, number - 1U);
    }
    /// The members with the least number.
    constexpr warp_set least_of(warp_set members) const noexcept {
        each_plane([&](unsigned k) {
            if (auto const smaller = members & clear_[k]) members = smaller;
        });
        return members;
    }
    /// The members with a number below that of `w`.
    constexpr warp_set below(warp_slot w, warp_set members) const noexcept {
        warp_set less;
        for (unsigned k = bits; k-- > 0;)
            if (clear_[k].contains(w)) {
                members &= clear_[k];
            } else {
                less |= members & clear_[k];
                members -= clear_[k];
            }
        return less;
    }
    /// The members with the number of `w`.
    constexpr warp_set equal_to(warp_slot w, warp_set members) const noexcept {
        for (auto const& p : clear_) members = p.contains(w) ? members & p : members - p;
        return members;
    }

    friend bool operator==(priority_table const&, priority_table const&) = default;

private:
    // Calls f for each bit, the highest first. Written out, because GCC at -O2 leaves loops as they are.
    template <class F>
    static constexpr void each_plane(F&& f) noexcept {
        static_assert(bits == 8);
        f(7U), f(6U), f(5U), f(4U), f(3U), f(2U), f(1U), f(0U);
    }

    warp_set clear_[bits];
    std::uint8_t number_[warp_set::width]{};
};

} // namespace warpkit
