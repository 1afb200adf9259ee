#pragma once

#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

namespace detail {
struct by_slot_text {
    static constexpr char const* name() noexcept { return "by_slot"; }
};
} // namespace detail

/// Groups of Size consecutive warp slots, core-wide; the last group may be smaller. Size is fixed by the template
/// argument or given to the constructor.
/// Source: the fetch groups of Narasiman et al., MICRO 2011, with 8 warps (docs/model/warp_scheduling.md#fetch-groups).
/// Hardware cost: none, the group is a part of the slot's number.
template <std::uint64_t Size>
class by_slot {
    static constexpr unsigned standard_ = Size == run_time ? 8 : static_cast<unsigned>(Size);
    static_assert(Size == run_time || (Size > 0 && Size <= warp_set::width),
                  "warpkit: by_slot<Size> needs a group size from 1 to 64 warps");

public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::by_slot_text, number_in_name<Size>>::name();
    }
    static constexpr char const* name() noexcept requires(Size == run_time) {
        return detail::by_slot_text::name();
    }
    static constexpr unsigned max_groups =
        Size == run_time ? warp_set::width : (warp_set::width + standard_ - 1) / standard_;

    constexpr by_slot() = default;
    /// A size known at run time, of at most warp_set::width warps; 0 is read as 1.
    constexpr explicit by_slot(unsigned size) noexcept requires(Size == run_time)
        : size_(size == 0 ? 1 : size) {}

    constexpr unsigned groups() const noexcept { return groups_; }
    /// Warps of a group, for hardware costs.
    constexpr unsigned group_warps() const noexcept { return size_.get(); }
    constexpr warp_set members(unsigned group) const noexcept { return warp_set::part(size_.get(), group); }
    constexpr unsigned group_of(warp_slot w) const noexcept { return w.index() / size_.get(); }

    constexpr void on(kernel_began const& e) {
        unsigned const told = e.warp_slots;
        auto const slots = told < warp_set::width ? told : warp_set::width;
        groups_ = slots == 0 ? 1 : (slots + size_.get() - 1) / size_.get();
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"group", "warp slots of a group", 1, warp_set::width}, self.size_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(groups_, size_.get());
    }
    friend bool operator==(by_slot const&, by_slot const&) = default;

private:
    unsigned groups_ = (warp_set::width + standard_ - 1) / standard_;
    [[no_unique_address]] number<unsigned, Size> size_{standard_};
};
static_assert(grouping<by_slot<8>> && hears<by_slot<8>, kernel_began>);

} // namespace warpkit
