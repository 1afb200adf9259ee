#pragma once

#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

namespace detail {
struct by_slot_text {
    static constexpr char const* name() noexcept { return "by_slot"; }
};
} // namespace detail

/// Groups of Size consecutive warp slots, core-wide; the last group may be smaller.
/// Source: the fetch groups of Narasiman et al., MICRO 2011, with 8 warps (SPEC 1.3).
/// Hardware cost: none, the group is a part of the slot's number.
template <unsigned Size>
class by_slot {
    static_assert(Size > 0 && Size <= warp_set::width,
                  "warpkit: by_slot<Size> needs a group size from 1 to 64 warps");

public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::by_slot_text, number_in_name<Size>>::name();
    }
    static constexpr unsigned max_groups = (warp_set::width + Size - 1) / Size;

    constexpr unsigned groups() const noexcept { return groups_; }
    constexpr warp_set members(unsigned group) const noexcept {
        return warp_set::part(Size, group);
    }
    constexpr unsigned group_of(warp_slot w) const noexcept { return w.index() / Size; }

    constexpr void on(kernel_began const& e) {
        groups_ = e.warp_slots == 0 ? 1 : (e.warp_slots + Size - 1) / Size;
        if (groups_ > max_groups) groups_ = max_groups;
    }
    friend bool operator==(by_slot const&, by_slot const&) = default;

private:
    unsigned groups_ = max_groups;
};
static_assert(grouping<by_slot<8>> && hears<by_slot<8>, kernel_began>);

} // namespace warpkit
