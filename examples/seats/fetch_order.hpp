#pragma once
// The seat `fetch_order`: which warp's instructions are fetched. The contract is in warpkit/fetch/concepts.hpp.
#include <warpkit/base/events.hpp>
#include <warpkit/base/warp_set.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Fetches for the same warp as long as it wants code, then for the lowest one.
class my_fetch_order {
public:
    static constexpr char const* name() noexcept { return "my_fetch_order"; }
    warp_slot pick(warp_set candidates) const noexcept {
        return candidates.contains(last_) ? last_ : candidates.first();
    }
    void on(fetched const& e) noexcept { last_ = e.warp; }
    void on(kernel_began const&) noexcept { last_ = {}; }
    friend bool operator==(my_fetch_order const&, my_fetch_order const&) = default;

private:
    warp_slot last_;
};

} // namespace seats_of_mine
