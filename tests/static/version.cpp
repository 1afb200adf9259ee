#include <warpkit/version.hpp>

static_assert(WARPKIT_VERSION_MAJOR >= 0 && WARPKIT_VERSION_MINOR >= 0 && WARPKIT_VERSION_PATCH >= 0);
