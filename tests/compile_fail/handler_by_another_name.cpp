// expect: warpkit: an event handler is called .on., and this class has one by another name
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct shouts {
    warp_slot pick(warp_set c) const noexcept { return c.lowest(); }
    void On(issued const&) noexcept {}
    friend bool operator==(shouts const&, shouts const&) = default;
};
using mine = presets::gtx480::with<use::warp_scheduler<shouts>>::policies;
mine const never{};
