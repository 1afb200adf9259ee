// expect: warpkit: a policy has no virtual functions
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct base {
    virtual ~base() = default;
    virtual warp_slot pick(warp_set) const noexcept = 0;
};
struct inherits : base {
    warp_slot pick(warp_set c) const noexcept override { return c.lowest(); }
    friend bool operator==(inherits const&, inherits const&) = default;
};
using mine = presets::gtx480::with<use::warp_scheduler<inherits>>::policies;
mine const never{};
