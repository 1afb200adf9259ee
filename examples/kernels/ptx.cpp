// The front end's slow part, compiled once for all that link the kernels (WARPKIT_PTX_ELSEWHERE).
#include <warpkit/frontend/ptx/translation.hpp>

template struct warpkit::ptx::translator<0>;
