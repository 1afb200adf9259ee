// expect: warpkit: a fetch order needs .warp_slot pick
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct fetches {
    warp_slot next(warp_set) const noexcept;
    friend bool operator==(fetches const&, fetches const&) = default;
};
using mine = presets::gtx480::with<use::fetch_order<fetches>>::policies;
mine const never{};
