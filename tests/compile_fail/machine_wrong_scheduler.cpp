// expect: this warp scheduler has no pick
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>
namespace w = warpkit;
struct lazy {
    friend bool operator==(lazy const&, lazy const&) = default;
};
w::presets::gtx480::with<w::use::warp_scheduler<lazy>>::policies mine;
