#include <warpkit/version.hpp>
static_assert(WARPKIT_VERSION_MAJOR >= 0, "warpkit is past 1.0");
