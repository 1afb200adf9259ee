// expect: warpkit: a choice of block needs .cta_assignment choose
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct first_core {
    unsigned choose(core_rooms) const noexcept { return 0; }
    friend bool operator==(first_core const&, first_core const&) = default;
};
using mine = presets::gtx480::with<use::cta_choice<first_core>>::policies;
mine const never{};
