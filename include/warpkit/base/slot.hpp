#pragma once
/// \file
/// Slots: strong, two-byte names for the places in a core that warps and thread blocks occupy.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// A place in a fixed table, named by its index. Different tags do not mix. The default value names no place.
template <class Tag>
class slot {
public:
    constexpr slot() = default;
    constexpr explicit slot(unsigned index) noexcept : index_(static_cast<std::uint16_t>(index)) {}

    /// The position in the table, 0-based; meaningless for "none".
    constexpr unsigned index() const noexcept { return index_; }
    /// Whether this names a place at all.
    constexpr explicit operator bool() const noexcept { return index_ != none_; }

    friend constexpr bool operator==(slot, slot) = default;
    friend constexpr bool operator<(slot a, slot b) noexcept { return a.index_ < b.index_; }

private:
    static constexpr std::uint16_t none_ = 0xffff;
    std::uint16_t index_ = none_;
};

/// A warp's place in its core, core-wide (not per scheduler), 0-based.
using warp_slot = slot<struct warp_slot_tag>;
/// A thread block's place in its core, 0-based.
using cta_slot = slot<struct cta_slot_tag>;

/// No warp: what a scheduler picks when there is nothing to pick.
inline constexpr warp_slot no_warp{};

} // namespace warpkit
