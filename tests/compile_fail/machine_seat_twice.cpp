// expect: with<> names a seat twice
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>
namespace w = warpkit;
using mine = w::presets::gtx480::with<w::use::warp_scheduler<w::lrr>, w::use::warp_scheduler<w::gto>>;
mine built;
