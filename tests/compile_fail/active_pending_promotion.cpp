// What promotes pending warps must choose one of them.
// expect: warpkit: the promotion of active_pending<> needs `warp_slot pick\(warp_set pending\) const
#include <warpkit/warp/active_pending.hpp>

struct likes_everybody {
    warpkit::warp_set pick(warpkit::warp_set pending) const noexcept { return pending; }
    bool operator==(likes_everybody const&) const = default;
};
warpkit::active_pending<8, likes_everybody> set;
