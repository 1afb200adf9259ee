#pragma once
/// \file
/// A small number for each warp slot, on its side: plane k holds bit k of all of them. So the greatest of a set is
/// found, and two such columns are added, in a few instructions a bit, however many warps there are.

#include <warpkit/base/warp_set.hpp>

#include <cstdint>

namespace warpkit {

/// Numbers of Bits bits, one for each warp slot, at first 0. Sums wrap.
template <unsigned Bits>
class warp_numbers {
public:
    static constexpr unsigned bits = Bits;

    constexpr unsigned operator[](warp_slot w) const noexcept {
        unsigned n = 0;
        for (unsigned k = 0; k < Bits; ++k) n |= static_cast<unsigned>(plane_[k].contains(w)) << k;
        return n;
    }
    constexpr void set(warp_slot w, unsigned number) noexcept {
        for (unsigned k = 0; k < Bits; ++k) plane_[k].assign(w, (number >> k & 1) != 0);
    }
    /// Those members whose number is greatest.
    constexpr warp_set greatest(warp_set s) const noexcept {
        for (unsigned k = Bits; k-- > 0;)
            if (auto const t = s & plane_[k]) s = t;
        return s;
    }
    /// Adds to each number the one of the same slot.
    template <unsigned Fewer>
    requires(Fewer <= Bits) constexpr void add(warp_numbers<Fewer> const& other) noexcept {
        warp_set carry;
        for (unsigned k = 0; k < Bits; ++k) {
            auto const a = plane_[k];
            auto const b = k < Fewer ? other.plane(k) : warp_set{};
            auto const either = a ^ b;
            plane_[k] = either ^ carry;
            carry = (a & b) | (either & carry);
        }
    }
    /// Takes away what was added.
    template <unsigned Fewer>
    requires(Fewer <= Bits) constexpr void subtract(warp_numbers<Fewer> const& other) noexcept {
        warp_set borrow;
        for (unsigned k = 0; k < Bits; ++k) {
            auto const a = plane_[k];
            auto const b = k < Fewer ? other.plane(k) : warp_set{};
            auto const either = a ^ b;
            plane_[k] = either ^ borrow;
            borrow = (b - a) | (borrow - either);
        }
    }
    constexpr warp_set plane(unsigned k) const noexcept { return plane_[k]; }

    friend bool operator==(warp_numbers const&, warp_numbers const&) = default;

private:
    warp_set plane_[Bits]{};
};

} // namespace warpkit
