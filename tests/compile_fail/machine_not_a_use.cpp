// expect: with<> takes policies with their seat, as in with<use::warp_scheduler<lrr>>
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>
using mine = warpkit::presets::gtx480::with<warpkit::lrr>;
mine built;
