// expect: warpkit: a coalescer is called with a warp's access
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct keeps_apart {
    void merge(warp_access const&, bool, transaction_list&) const;
    friend bool operator==(keeps_apart const&, keeps_apart const&) = default;
};
using mine = presets::gtx480::with<use::coalescer<keeps_apart>>::policies;
mine const never{};
