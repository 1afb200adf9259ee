#pragma once
// A warp scheduler of one's own: the policy of the README, word for word.

#include <warpkit/warp/concepts.hpp>

using namespace warpkit;

// [README]
/// Round-robin, but warps about to load from memory go ahead, so that their misses start early.
class loads_first {
public:
    constexpr warp_slot pick(warp_set candidates, issue_classes const& next) const noexcept {
        auto const loads = candidates & next.loads;
        return (loads ? loads : candidates).next_after(last_);
    }
    constexpr void on(issued const& e) noexcept { last_ = e.warp; }
    constexpr void on(kernel_began const&) noexcept { last_ = no_warp; } // as good as new
    friend bool operator==(loads_first const&, loads_first const&) = default;

private:
    warp_slot last_;
};
static_assert(warp_scheduler<loads_first> && hears<loads_first, issued>);
// [README]
