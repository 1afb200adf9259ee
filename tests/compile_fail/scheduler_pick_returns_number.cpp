// expect: warpkit: pick must return a warp_slot, no_warp when there is nothing to pick
#include <warpkit/warp/check.hpp>

using namespace warpkit;

struct numeric {
    int pick(warp_set candidates) const {
        return candidates ? static_cast<int>(candidates.first().index()) : -1;
    }
    friend bool operator==(numeric const&, numeric const&) = default;
};

static_assert(check_warp_scheduler<numeric>());
