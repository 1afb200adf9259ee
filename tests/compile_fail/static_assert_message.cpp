// expect: warpkit is past 1\.0
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/version.hpp>
static_assert(WARPKIT_VERSION_MAJOR < 0, "warpkit is past 1.0");
