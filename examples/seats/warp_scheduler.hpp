#pragma once
// The seat `warp_scheduler`: which warp issues. The contract is in warpkit/warp/concepts.hpp.
#include <warpkit/base/events.hpp>
#include <warpkit/base/warp_set.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Picks the candidate behind the warp that issued last.
class my_warp_scheduler {
public:
    static constexpr char const* name() noexcept { return "my_warp_scheduler"; }
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued const& e) noexcept { last_ = e.warp; }
    void on(kernel_began const&) noexcept { last_ = {}; }
    friend bool operator==(my_warp_scheduler const&, my_warp_scheduler const&) = default;

private:
    warp_slot last_;
};

} // namespace seats_of_mine
