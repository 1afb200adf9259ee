// expect: warpkit: a cache is built from its numbers
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct sizeless {
    friend bool operator==(sizeless const&, sizeless const&) = default;
};
using mine = presets::gtx480::with<use::l1i<sizeless>>::policies;
mine const never{};
